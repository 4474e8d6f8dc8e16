"""Classifiers that learn nothing and show how they are treated; a module of its own, so that other processes find them."""

import json
import os
import signal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_info


class Guess(ClassifierMixin, BaseEstimator):
    """Gives every row the shares of the classes; what it is told at random decides nothing."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / len(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[self.shares_.argmax()])

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))


class Witness(Guess):
    """Fails with what it saw."""

    def __init__(self, random_state=None, n_jobs=None):
        super().__init__(random_state)
        self.n_jobs = n_jobs

    def fit(self, X, y):
        pools = [pool["num_threads"] for pool in threadpool_info()]
        raise RuntimeError(json.dumps([self.random_state, self.n_jobs, max(pools), os.getpid()]))


class Crash(Guess):
    """Takes its process with it."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)
