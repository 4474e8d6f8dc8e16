"""Threads of Python that use the same models and tables at once, each with helpers in the core: `make tsan` watches them for races."""

import pickle
import threading

import numpy as np
import pytest

import rarewood as rw
from rarewood import distributed
from rarewood.export import to_bytes
from rarewood.inspection import explain
from support.tables import noisy_numbers

N_THREADS = 4


def at_once(*actions):
    """What each action returns when all begin together, N_THREADS times each."""
    start, answers = threading.Barrier(N_THREADS * len(actions)), {}

    def act(number, action):
        start.wait()
        answers[number] = action()

    every = [action for action in actions for _ in range(N_THREADS)]
    threads = [threading.Thread(target=act, args=pair) for pair in enumerate(every)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == len(every), "a thread has failed"
    return [answers[number] for number in range(len(every))]


@pytest.fixture(scope="module")
def table():
    return noisy_numbers(600, 4)


@pytest.mark.several_threads
@pytest.mark.parametrize(
    "model", [rw.ForestClassifier, rw.HeDExClassifier, rw.HeDExhClassifier, rw.BalancedForestClassifier]
)
def test_one_model_asked_everything_for_the_first_time(model, table):
    X, y = table
    forest = model(6, n_jobs=2, random_state=0).fit(X, y)
    twin = pickle.loads(pickle.dumps(forest))
    narrow = X.astype(np.float32)
    expected = [twin.predict_proba(X), twin.predict_proba(narrow), twin.apply(X), explain(twin, X[:20]).values]
    answers = at_once(
        lambda: forest.predict_proba(X),
        lambda: forest.predict_proba(narrow),
        lambda: forest.apply(X),
        lambda: explain(forest, X[:20]).values,
    )
    for number, answer in enumerate(answers):
        np.testing.assert_array_equal(answer, expected[number // N_THREADS])


@pytest.mark.several_threads
def test_saving_and_copying_while_others_predict(table):
    X, y = table
    forest = rw.HeDExClassifier(6, n_jobs=2, random_state=0).fit(X, y)
    answers = at_once(
        lambda: forest.predict_proba(X).tobytes(),
        lambda: len(to_bytes(forest)),
        lambda: pickle.loads(pickle.dumps(forest)).predict_proba(X).tobytes(),
    )
    predicted, sizes, copied = (set(answers[k * N_THREADS : (k + 1) * N_THREADS]) for k in range(3))
    assert predicted == copied
    assert len(predicted) == len(sizes) == 1


@pytest.mark.several_threads
@pytest.mark.parametrize(
    "make",
    [
        lambda: rw.RareClassifier(12, n_jobs=2, random_state=0),
        lambda: rw.BEATClassifier(6, n_jobs=2, random_state=0),
        lambda: rw.OneVsAllClassifier(n_jobs=2),
        lambda: rw.BiasedRankingClassifier(n_jobs=2, random_state=0),
        lambda: rw.RuleSetClassifier(n_jobs=2, random_state=0),
    ],
)
def test_fits_side_by_side(make, table):
    X, y = table
    expected = make().fit(X, y).predict_proba(X)
    for answer in at_once(lambda: make().fit(X, y).predict_proba(X)):
        np.testing.assert_array_equal(answer, expected)


@pytest.mark.several_threads
def test_fits_in_parts_side_by_side(table):
    pd = pytest.importorskip("pandas")
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    parts = [frame[:250], frame[250:]]
    model = rw.HeDExClassifier(4, n_jobs=2, random_state=0)
    expected = model.fit(frame.drop(columns="y"), frame.y).predict_proba(frame.drop(columns="y"))
    for forest in at_once(lambda: distributed.fit(model, parts, "y", finish_rows=30)):
        np.testing.assert_array_equal(forest.predict_proba(frame.drop(columns="y")), expected)
