"""A model that is fitted again in one thread while others predict with it is the old one or the new one, never in between."""

import threading

import numpy as np
import pytest

import rarewood as rw

MODELS = {
    "tree": rw.TreeClassifier(random_state=0),
    "forest": rw.BalancedForestClassifier(n_estimators=5, random_state=0),
    "rare": rw.RareClassifier(n_estimators=10, random_state=0, threshold=0.5),
    "one-vs-all": rw.OneVsAllClassifier(rw.TreeClassifier(random_state=0)),
}


def tables():
    """Rows with three classes, and others with two of other names."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return [(X, np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.8])]), (-X, np.where(X[:, 1] > 0.9, "x", "y"))]


@pytest.mark.several_threads
@pytest.mark.filterwarnings("ignore::rarewood.exceptions.RarewoodWarning")
@pytest.mark.parametrize("name", list(MODELS))
def test_predictions_during_a_refit_are_those_of_the_old_or_the_new_model(name):
    model = MODELS[name]
    both = tables()
    new_rows = np.random.default_rng(1).normal(size=(50, 4))
    allowed = []
    for X, y in both:
        model.fit(X, y)
        allowed.append((model.predict_proba(new_rows).tobytes(), model.predict(new_rows).tolist()))
    stop, wrong, n_done = threading.Event(), [], [0, 0]

    def predict(number):
        while not stop.is_set() and not wrong:
            try:
                if model.predict_proba(new_rows).tobytes() not in [shares for shares, _ in allowed]:
                    wrong.append("other probabilities")
                if model.predict(new_rows).tolist() not in [labels for _, labels in allowed]:
                    wrong.append("other labels")
            except Exception as error:
                wrong.append(repr(error))
            n_done[number] += 1

    threads = [threading.Thread(target=predict, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for turn in range(12):
        model.fit(*both[turn % 2])
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert min(n_done) > 0


def test_a_fit_gives_back_the_model_itself_and_leaves_a_failed_one_alone():
    (X, y), _ = tables()
    model = rw.BalancedForestClassifier(n_estimators=3, random_state=0)
    assert model.fit(X, y) is model
    known = dict(vars(model))
    with pytest.raises(ValueError, match="rows"):
        model.fit(X, y[:-1])
    assert vars(model) == known
