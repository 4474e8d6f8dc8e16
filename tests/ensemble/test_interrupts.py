"""Ctrl-C ends everything that takes long within a second; a process may exit, and lack threads, whatever the core is doing."""

import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from rarewood import ForestClassifier
from rarewood.tree import TreeClassifier
from support import sanitizers
from support.interrupts import LIMIT, seconds_until_stopped

unix = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of Unix")


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(400_000, 4))


@pytest.fixture(scope="module")
def forest():
    """Thousands of deep trees, most of them copies, which take as long to walk."""
    rng = np.random.default_rng(1)
    grown = ForestClassifier(64, random_state=0).fit(rng.normal(size=(2000, 4)), rng.integers(2, size=2000)).forest_
    for _ in range(6):
        grown = grown + grown
    return grown


@unix
class TestCtrlC:
    @pytest.mark.several_threads
    @pytest.mark.parametrize("n_threads", [1, 2])
    def test_probabilities(self, forest, rows, n_threads):
        assert seconds_until_stopped(lambda: forest.predict_proba(rows, 1.0, n_threads)) < LIMIT

    @pytest.mark.several_threads
    def test_leaves(self, forest, rows):
        few = forest.part(0, 64)
        assert seconds_until_stopped(lambda: [few.apply(rows) for _ in range(1000)]) < LIMIT

    @pytest.mark.several_threads
    @pytest.mark.parametrize("method", ["predict_proba", "apply", "decision_path"])
    def test_one_tree(self, rows, method):
        rng = np.random.default_rng(2)
        tree = TreeClassifier().fit(rng.normal(size=(20_000, 4)), rng.integers(2, size=20_000)).tree_
        wide = np.lib.stride_tricks.as_strided(rows, (8_000_000, 4), (0, 8))
        arguments = (wide, 1.0) if method == "predict_proba" else (wide,)
        assert seconds_until_stopped(lambda: [getattr(tree, method)(*arguments) for _ in range(1000)], 0.1) < LIMIT

    @pytest.mark.several_threads
    def test_waiting_for_the_last_tree_of_another_thread(self):
        main = threading.main_thread()

        def slow_elsewhere(left, right):
            if threading.current_thread() is not main:
                time.sleep(0.02)
            return -np.minimum(left, right).sum(axis=1)

        rng = np.random.default_rng(3)
        X, y = rng.normal(size=(3000, 4)), rng.integers(2, size=3000)
        model = ForestClassifier(2, criterion=slow_elsewhere, n_jobs=2, random_state=0)
        assert seconds_until_stopped(lambda: model.fit(X, y), 2.0) < LIMIT


def run(script, **keywords):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=120 * sanitizers.SLOWER,
        **keywords,
    )


WORK = """
    import os, sys, threading, time
    import numpy as np
    from rarewood import ForestClassifier
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 6)), rng.integers(2, size=20_000)
"""


@unix
class TestExit:
    @pytest.mark.several_threads
    @pytest.mark.parametrize("n_jobs", [1, 2])
    @pytest.mark.parametrize("what", ["fit", "predict_proba", "criterion"])
    def test_while_a_daemon_thread_is_in_the_core(self, what, n_jobs):
        ended = run(
            WORK
            + f"""
    model = ForestClassifier(10, max_depth=12, n_jobs={n_jobs})
    if "{what}" == "criterion":
        model.set_params(criterion=lambda left, right: -np.minimum(left, right).sum(axis=1), n_estimators=1000)
    elif "{what}" == "predict_proba":
        model.fit(X, y)
    begun = threading.Event()
    def work():
        while True:
            begun.set()
            model.predict_proba(X) if "{what}" == "predict_proba" else model.fit(X, y)
    threading.Thread(target=work, daemon=True).start()
    begun.wait()
    time.sleep(0.1)
"""
        )
        assert (ended.returncode, sanitizers.without_notes(ended.stderr)) == (0, "")

    def test_the_thread_that_ends_the_interpreter_may_predict(self):
        ended = run(
            """
    import atexit
    atexit.register(lambda: print(model.predict(X[:3]).shape))
"""
            + WORK
            + """
    model = ForestClassifier(3, max_depth=3).fit(X, y)
"""
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "(3,)\n", "")

    @pytest.mark.several_threads
    def test_a_forked_process_does_not_wait_for_threads_it_does_not_have(self):
        ended = run(
            WORK
            + f"""
    threading.Thread(target=ForestClassifier(10_000).fit, args=(X, y), daemon=True).start()
    time.sleep(0.1)
    child = os.fork()
    if child == 0:
        sys.exit(7)
    start = time.monotonic()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert time.monotonic() - start < {8 * sanitizers.SLOWER}
"""
        )
        assert (ended.returncode, sanitizers.without_notes(ended.stderr)) == (0, "")


@pytest.mark.several_threads
@pytest.mark.skipif(sanitizers.THREADS, reason="ThreadSanitizer maps terabytes of addresses")
@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts threads on Linux only")
def test_without_more_threads_fewer_do_the_work():
    # The limit of processes does not hold for root; one of address space, where a stack of each thread takes its share, does.
    ended = run(
        WORK
        + """
    import resource
    expected = ForestClassifier(40, max_depth=3, random_state=0).fit(X, y)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 160_000_000, resource.RLIM_INFINITY))
    model = ForestClassifier(40, max_depth=3, random_state=0, n_jobs=40).fit(X, y)
    assert np.array_equal(model.predict_proba(X[:500]), expected.predict_proba(X[:500]))
    print("done")
"""
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")


@pytest.mark.several_threads
@pytest.mark.skipif(sanitizers.THREADS or sanitizers.ADDRESSES, reason="sanitizers map terabytes of addresses")
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_without_memory_for_threads_there_is_an_error_and_never_an_end():
    """Whatever step of starting a thread has no memory: its stack, what it needs to begin, or its own first allocation."""
    ended = run(
        WORK.replace("20_000", "60_000")
        + """
    import resource
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    ends = []
    for more in np.geomspace(1e6, 6e8, 12).astype(int).tolist():
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.RLIM_INFINITY))
            try:
                ForestClassifier(40, max_depth=1, random_state=0, n_jobs=40).fit(X, y)
            except MemoryError:
                os._exit(1)
            os._exit(0)
        ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert set(ends) == {0, 1}, ends
    print("done")
"""
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")
