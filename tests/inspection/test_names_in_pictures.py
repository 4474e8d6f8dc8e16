"""A name or a label in a picture is text, whatever is in it: matplotlib would set what stands between dollar signs as a formula."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import rarewood as rw
from rarewood.inspection import explain, extract_patterns, find_rules, plot_tree

NAMES = ["price in $ or $", r"$\frac$", "a_b^c $x_1$"]


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=NAMES)
    return X, np.where((X[NAMES[1]] > 0.8) | (X[NAMES[2]] > 1.5), r"$\bad$", "good")


def plot_rules(tree, X, y):
    return find_rules(X, y, random_state=0).plot()


PICTURES = {
    "patterns": lambda tree, X, y: extract_patterns(tree, positive=r"$\bad$").plot(),
    "rules": plot_rules,
    "one row": lambda tree, X, y: explain(tree, X[:20], positive=r"$\bad$").plot(row=0),
    "all rows": lambda tree, X, y: explain(tree, X[:20], positive=r"$\bad$").plot(),
    "tree": lambda tree, X, y: plot_tree(tree),
}


@pytest.mark.parametrize("picture", list(PICTURES))
def test_dollar_signs_are_drawn_as_they_are(rows, picture):
    X, y = rows
    axes = PICTURES[picture](rw.TreeClassifier(max_depth=3, random_state=0).fit(X, y), X, y)
    try:
        axes.figure.canvas.draw()
        named = [text for text in axes.figure.findobj(Text) if "$" in text.get_text()]
        assert named
        assert not any(text.get_parse_math() for text in named)
    finally:
        plt.close("all")
