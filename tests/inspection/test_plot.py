"""Pictures of trees."""

import builtins

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from rarewood import TreeClassifier
from rarewood.inspection import plot_tree


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def grown(n_classes=2, **parameters):
    rng = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame(
        {
            "amount": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(3, 1, size=n)),
            "age": rng.integers(18, 80, size=n),
            "land": pd.Categorical(rng.choice(["DE", "FR", "NG", "RO", "US"], size=n)),
        }
    )
    y = (frame["land"].isin(["NG", "RO"]) & (frame["amount"] > 20)).to_numpy().astype(int)
    if n_classes > 2:
        y = y + rng.integers(n_classes - 1, size=n)
    return TreeClassifier(**parameters).fit(frame, y)


def boxes(ax):
    """Extents of the boxes of nodes as drawn."""
    ax.figure.canvas.draw()
    return [text.get_bbox_patch().get_window_extent() for text in ax.texts if "\n" in text.get_text()]


@pytest.mark.parametrize(
    "tree",
    [
        grown(),
        grown(max_depth=6, n_classes=5),
        grown(criterion="entropy", nominal="multiway", max_depth=4),
        grown(max_depth=1),
        TreeClassifier().fit([[0.0]], ["only"]),
    ],
    ids=["two classes", "five classes", "multiway", "stump", "leaf"],
)
def test_every_node_is_drawn_and_no_boxes_overlap(tree):
    drawn = boxes(plot_tree(tree))
    assert len(drawn) == tree.tree_.node_count
    for index, box in enumerate(drawn):
        assert not any(box.overlaps(other) for other in drawn[index + 1 :])


def test_boxes_fit_into_given_axes():
    figure, ax = pyplot.subplots(figsize=(5, 4))
    assert plot_tree(grown(max_depth=4), ax=ax) is ax
    drawn = boxes(ax)
    frame = ax.get_window_extent()
    for index, box in enumerate(drawn):
        assert frame.x0 <= box.x0
        assert box.x1 <= frame.x1
        assert frame.y0 <= box.y0
        assert box.y1 <= frame.y1
        assert not any(box.overlaps(other) for other in drawn[index + 1 :])
    assert len(figure.axes) >= 1


def test_texts_name_rules_and_counts():
    ax = plot_tree(grown(), class_names=["legit", "fraud"])
    texts = [text.get_text() for text in ax.texts]
    assert any("land in {NG, RO}" in text for text in texts)
    assert any("or missing" in text for text in texts)
    assert any(text.startswith("class: fraud\nlegit 0, fraud ") for text in texts)
    assert texts.count("yes") == texts.count("no") + texts.count("no or missing") > 0


def test_lines_of_a_multiway_node_carry_its_categories():
    ax = plot_tree(grown(criterion="entropy", nominal="multiway", max_depth=2))
    texts = {text.get_text() for text in ax.texts}
    assert {"DE", "FR", "NG", "RO", "US"} <= texts


def test_max_depth_leaves_nodes_out():
    tree = grown()
    ax = plot_tree(tree, max_depth=1)
    texts = [text.get_text() for text in ax.texts if "\n" in text.get_text()]
    assert len(texts) == 3
    assert any("nodes below" in text for text in texts)


def test_names_with_dollars_are_not_formulas():
    X = pd.DataFrame({"cost_$": [0.0, 1.0], "b_$^": [0.0, 0.0]})
    ax = plot_tree(TreeClassifier().fit(X, ["$a$", "b$"]))
    ax.figure.canvas.draw()


def test_arguments_are_checked():
    tree = grown(max_depth=1)
    with pytest.raises(ValueError, match="max_depth=0"):
        plot_tree(tree, max_depth=0)
    with pytest.raises(TypeError, match="fontsize='big'"):
        plot_tree(tree, fontsize="big")
    with pytest.raises(TypeError, match="TreeClassifier"):
        plot_tree(object())


def test_missing_matplotlib_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot_tree(TreeClassifier().fit([[0.0], [1.0]], [0, 1]))
