"""Ctrl-C while something takes long."""

import signal
import threading
import time

import pytest

from support import sanitizers

LIMIT = 1.0 * sanitizers.SLOWER  # seconds


def seconds_until_stopped(work, press_after=0.3):
    """How long work that would take longer goes on after Ctrl-C."""
    pressed = []

    def press():
        time.sleep(press_after)
        pressed.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    done = []

    def work_and_wait():
        work()
        done.append(True)
        thread.join()  # the signal must not hit another test

    with pytest.raises(KeyboardInterrupt):
        work_and_wait()
    assert not done, "the work was too short"
    return time.monotonic() - pressed[0]
