"""What can be asked of results: made-up scores, so that every answer is known."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rarewood.evaluation import Comparison
from rarewood.evaluation._html import _protocol_in_words
from rarewood.evaluation._plan import cells_of
from rarewood.exceptions import RarewoodWarning
from rarewood.statistics import corrected_paired_t, friedman, nemenyi_cd
from support import published_tables as published


def made_up(scores, methods, datasets=None, *, larger=True, repeats=1, errors=()):
    """A comparison with given scores of shape (data sets, methods, folds[, repeats]); NaN is not defined."""
    scores = np.asarray(scores, dtype=float)
    scores = scores if scores.ndim == 4 else scores[..., np.newaxis]
    datasets = datasets or [f"d{i}" for i in range(len(scores))]
    about = {"n_rows": 30, "n_columns": 2, "classes": {"a": 20, "b": 10}, "rare": "b"}
    run = {
        "kind": "run",
        "protocol": f"{scores.shape[2]}fold",
        "n_learner_repeats": repeats,
        "random_state": 0,
        "metrics": {"score": {"title": "the score", "larger_is_better": larger, "fingerprint": ""}},
        "methods": {name: {"fingerprint": name, "parameters": name} for name in methods},
        "datasets": {
            name: {**about, "fingerprint": name, "folds": [f"fold {i}" for i in range(scores.shape[2])]}
            for name in datasets
        },
        "versions": {},
        "machine": {},
    }
    results = {}
    for cell in cells_of(run):
        i, j = datasets.index(cell.dataset), list(methods).index(cell.method)
        value = scores[i, j, cell.fold, cell.repeat]
        failed = (cell.dataset, cell.method, cell.fold) in errors
        results[cell.key] = {
            "kind": "result",
            "key": cell.key,
            "seed": cell.seed,
            "n_train": 20,
            "n_test": 10,
            "scores": {} if failed else {"score": None if np.isnan(value) else value},
            "undefined": {},
            "fit_seconds": 1.0 + j,
            "predict_seconds": 0.1,
            "model_bytes": 1000 * (j + 1),
            "error": "ValueError: no" if failed else None,
            "traceback": None,
            "warnings": [],
        }
    return Comparison(run, results)


def clear_differences():
    """Method b beats a on both data sets, by far on the first only; c is a with noise."""
    rng = np.random.default_rng(0)
    a = 0.7 + 0.01 * rng.normal(size=(2, 10))
    b = a + [[0.1], [0.001]] + 0.005 * rng.normal(size=(2, 10))
    return made_up(np.stack([a, b, a + 0.02 * rng.normal(size=(2, 10))], axis=1), ["a", "b", "c"], ["far", "near"])


class TestScores:
    def test_means_skip_what_is_not_defined(self):
        result = made_up([[[1, 2, np.nan], [np.nan] * 3, [4, 5, 6]]], ["a", "b", "c"])
        np.testing.assert_array_equal(result.means("score"), [[1.5, np.nan, 5.0]])
        assert result.n_undefined("score") == 4
        assert result.fold_scores("score", "d0").shape == (3, 3)

    def test_a_mean_is_of_all_folds_or_none(self):
        scores = np.ones((2, 2, 3))
        failed = made_up(scores, ["a", "b"], errors=[("d0", "a", 1)])
        np.testing.assert_array_equal(failed.means("score"), [[np.nan, 1], [1, 1]])
        assert failed.failures() == {("d0", "a"): "ValueError: no"}
        assert failed.n_undefined("score") == 0
        whole = made_up(scores, ["a", "b"])
        results = {record["key"]: record for record in whole.records[:-1]}
        unfinished = Comparison(whole.provenance, results)
        np.testing.assert_array_equal(unfinished.means("score"), [[1, 1], [1, np.nan]])
        assert repr(unfinished) == "Comparison of 2 methods on 2 data sets, 3fold, 11 of 12 results"

    def test_repeats_of_a_learner_are_averaged_within_a_fold(self):
        result = made_up([[[[1, 3], [5, np.nan]], [[0, 0], [0, 0]]]], ["a", "b"], repeats=2)
        assert result.fold_scores("score", "d0").tolist() == [[2, 5], [0, 0]]

    @pytest.mark.parametrize(("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), (pa, pa.Table)])
    def test_frames(self, backend, kind):
        frame = made_up(np.ones((2, 2, 3)), ["a", "b"]).frame(backend)
        assert isinstance(frame, kind)
        assert frame.shape[0] == 12
        names = list(getattr(frame, "column_names", None) or frame.columns)
        assert names[:7] == ["dataset", "method", "fold", "repeat", "seed", "n_train", "n_test"]
        assert names[7:] == ["score", "fit_seconds", "predict_seconds", "model_bytes", "error", "warnings"]

    def test_without_a_library_a_frame_is_a_dictionary(self, monkeypatch):
        monkeypatch.setattr("rarewood._tables.frames.find_spec", lambda name: None)
        frame = made_up([[[1.0, np.nan], [2.0, 3.0]]], ["a", "b"]).frame()
        assert frame["method"].tolist() == ["a", "b"] * 2
        np.testing.assert_array_equal(frame["score"], [1.0, 2.0, np.nan, 3.0])

    def test_costs_are_measures_of_which_less_is_better(self):
        result = made_up(np.ones((1, 2, 3)), ["a", "b"])
        assert result.means("fit_seconds").tolist() == [[1.0, 2.0]]
        assert result.ranks("model_bytes").as_dict() == {"a": 1.0, "b": 2.0}
        assert "[1,000]  2,000" in repr(result.table("model_bytes"))

    def test_unknown_names_are_refused(self):
        result = made_up(np.ones((1, 2, 3)), ["a", "b"])
        for call in (result.means, result.table, result.ranks, result.wins, result.friedman, result.title):
            with pytest.raises(ValueError, match="no metric 'scor' here, did you mean 'score'"):
                call("scor")
        with pytest.raises(ValueError, match="no data set 'd9' here"):
            result.fold_scores("score", "d9")
        with pytest.raises(ValueError, match="no method 'z' here"):
            result.table("score", reference="z")
        with pytest.raises(ValueError, match="no method 'z' here"):
            result.test("score", "d0", "a", "z")


class TestTables:
    def test_marks_and_counts_follow_the_corrected_test(self):
        result = clear_differences()
        folds = result.fold_scores("score", "far")
        test = result.test("score", "far", "b", "a")
        assert test == corrected_paired_t(folds[1], folds[0], n_train=20, n_test=10)
        assert test.p_value < 0.001 < 0.05 < result.test("score", "near", "b", "a").p_value
        table = result.table("score", reference="a")
        assert [table.mark("far", method) for method in "abc"] == ["", "v", ""]
        assert [table.mark("near", method) for method in "abc"] == ["", "", ""]
        assert repr(table.win_draw_loss("b")) == "1/1/0"
        against_b = result.table("score", reference="b")
        assert [against_b.mark("far", method) for method in "abc"] == ["*", "", "*"]

    def test_losses_are_marked_the_other_way_round(self):
        rng = np.random.default_rng(0)
        a = rng.normal(size=(1, 10))
        result = made_up(np.stack([a, a + 5 + 0.1 * rng.normal(size=10)], axis=1), ["a", "b"], larger=False)
        table = result.table("score", reference="a")
        assert table.mark("d0", "b") == "*"
        assert repr(table.win_draw_loss("b")) == "0/0/1"
        assert result.ranks("score")["a"] == 1.0

    def test_text(self):
        scores = [[[0.5, 0.7], [0.8, 0.9], [0.5, 0.7]], [[0.9, 0.9], [0.2, 0.2], [0.9, 0.9]]]
        assert repr(made_up(scores, ["a", "b", "method c"]).table("score")) == (
            "the score, 2fold\n"
            "                    a        b  method c\n"
            "d0              0.600  [0.850]     0.600\n"
            "d1            [0.900]    0.200   [0.900]\n"
            "mean          [0.750]    0.525   [0.750]\n"
            "average rank   [2.00]   [2.00]    [2.00]\n"
            "[ ] best of the row"
        )

    def test_text_with_a_reference(self):
        lines = repr(clear_differences().table("score", reference="a")).splitlines()
        assert lines[1].split() == ["a", "b", "c"]
        assert lines[2].split()[3] == "v"
        assert lines[-3].split() == ["win/draw/loss", "1/1/0", "0/2/0"]
        assert lines[-1] == "v * significantly better, worse than a (corrected paired t, p < 0.05)"
        assert len({line.index(".") for line in lines[2:5]}) == 1  # aligned

    def test_gaps_are_explained(self):
        scores = np.array([[[1.0, 2.0], [np.nan, 1.0], [np.nan, np.nan]], [[3.0, 4.0], [1.0, 1.0], [np.nan, np.nan]]])
        text = repr(made_up(scores, ["a", "b", "c"], errors=[("d0", "b", 0)]).table("score", reference="a"))
        assert "mean and ranks over the 1 data sets without missing scores" in text
        assert "- the method failed (see failures()) or has no such score" in text
        assert "4 undefined fold scores were skipped" in text
        assert text.splitlines()[4].split() == ["mean", "[3.500]", "1.000", "-"]

    def test_markdown(self):
        text = clear_differences().table("score", reference="a").markdown().splitlines()
        assert text[2:4] == ["|  | a | b | c |", "| --- | ---: | ---: | ---: |"]
        assert text[4].startswith("| far | 0.7")
        assert "**0.80" in text[4]
        assert text[4].count("|") == 5
        wins = clear_differences().wins("score").markdown()
        assert "| a |  | 0/1/1 | 0/2/0 |" in wins

    def test_as_a_frame(self):
        frame = clear_differences().table("score").frame("polars")
        assert frame.columns == ["dataset", "a", "b", "c"]
        assert frame["dataset"].to_list() == ["far", "near"]

    def test_wins_need_a_reference(self):
        with pytest.raises(ValueError, match="has no reference to compare with"):
            clear_differences().table("score").win_draw_loss("a")


class TestOverDataSets:
    @pytest.fixture
    def paper(self):
        return made_up(published.ACCURACY[:, :, np.newaxis], published.CRITERIA)

    def test_friedman_of_a_published_table(self, paper):
        test = paper.friedman("score")
        assert (round(test.chi2, 2), round(test.f, 2)) == (35.77, 6.52)
        assert paper.ranks("score").ranks == test.ranks == friedman(published.ACCURACY).ranks

    def test_wins_of_a_published_table(self, paper):
        wins = paper.wins("score", level=None)
        counts = [repr(wins["iHD", name]) for name in published.CRITERIA[:6]]
        assert " ".join(counts) == published.ACCURACY_WINS_OF_IHD
        assert repr(wins["Gini", "iHD"]) == "2/0/18"
        assert "every difference counts" in repr(wins)

    def test_one_fold_gives_no_significant_win(self, paper):
        assert repr(paper.wins("score")["iHD", "Gini"]) == "0/20/0"

    def test_significant_wins(self):
        wins = clear_differences().wins("score")
        assert repr(wins["b", "a"]) == "1/1/0"
        assert repr(wins["a", "b"]) == "0/1/1"
        assert "corrected paired t, p < 0.05" in repr(wins)

    def test_a_level_of_nothing_is_refused(self):
        with pytest.raises(ValueError, match="level=0 is not accepted"):
            clear_differences().wins("score", level=0)

    def test_what_is_not_there_yet_is_not_tested(self):
        whole = clear_differences()
        begun = Comparison(whole.provenance, {r["key"]: r for r in whole.records if r["dataset"] == whole.datasets[0]})
        assert not begun.is_finished
        with pytest.raises(ValueError, match="share 0 folds"):
            begun.test("score", whole.datasets[1], "a", "b")

    def test_what_is_left_out_is_said(self):
        scores = np.random.default_rng(0).random((4, 4, 2))
        scores[0, 1] = np.nan
        scores[:, 3] = np.nan
        result = made_up(scores, "abcd")
        with pytest.warns(RarewoodWarning, match=r"methods without any score: d; data sets .* 1 of 4"):
            test = result.friedman("score")
        assert (test.names, test.n_datasets) == (("a", "b", "c"), 3)
        assert test.ranks == friedman(scores[1:, :3].mean(axis=2)).ranks

    def test_nothing_to_compare(self):
        result = made_up(np.full((2, 2, 2), np.nan), "ab")
        with pytest.raises(ValueError, match="no two methods with 'score' on the same data set"):
            result.ranks("score")
        assert "-" in repr(result.table("score"))


class TestPictures:
    @pytest.fixture(autouse=True)
    def backend(self):
        pytest.importorskip("matplotlib")
        yield
        from matplotlib import pyplot

        pyplot.close("all")

    @staticmethod
    def texts(ax):
        return [text.get_text() for text in ax.texts]

    def test_critical_difference_diagram(self):
        result = made_up(published.AUC[:, :, np.newaxis], published.CRITERIA)
        ax = result.plot_ranks("score")
        texts = self.texts(ax)
        assert {"iHDw  2.27", "6.40  Gini"} <= set(texts)
        assert f"critical difference {nemenyi_cd(8, 20):.2f}" in texts
        bars = [line for line in ax.lines if line.get_linewidth() == 4]
        ends = [line.get_xdata()[[0, -1]] if hasattr(line.get_xdata(), "shape") else line.get_xdata() for line in bars]
        assert len(bars) == 3
        assert all(high - low < nemenyi_cd(8, 20) + 0.1 for low, high in ends)

    def test_names_do_not_leave_the_picture(self):
        names = [f"a method with a rather long name, number {i}" for i in range(5)]
        ax = made_up(np.random.default_rng(0).random((6, 5, 1)), names).plot_ranks("score")
        ax.figure.canvas.draw()
        frame = ax.figure.bbox
        for text in ax.texts:
            box = text.get_window_extent()
            assert frame.x0 <= box.x0
            assert box.x1 <= frame.x1
            assert frame.y0 <= box.y0
            assert box.y1 <= frame.y1

    def test_against_a_reference(self):
        result = made_up(published.AUC[:, :, np.newaxis], published.CRITERIA)
        ax = result.plot_ranks("score", reference="iHDw", level=0.1)
        assert any("Bonferroni-Dunn against iHDw, level 0.1" in text for text in self.texts(ax))
        assert sum(line.get_linewidth() == 4 for line in ax.lines) == 1
        with pytest.raises(ValueError, match="no method 'x' here"):
            result.plot_ranks("score", reference="x")

    def test_on_given_axes(self):
        from matplotlib import pyplot

        _, ax = pyplot.subplots()
        assert made_up(np.random.default_rng(0).random((3, 2, 1)), "ab").plot_ranks("score", ax=ax) is ax

    def test_missing_matplotlib_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
        with pytest.raises(ImportError, match=r"plot_ranks needs matplotlib; .*the extra .report. of rarewood"):
            made_up(np.random.default_rng(0).random((3, 2, 1)), "ab").plot_ranks("score")


class TestPages:
    def test_everything_is_on_the_page_and_escaped(self, tmp_path):
        scores = np.random.default_rng(0).random((3, 3, 4))
        result = made_up(scores, ["a", "<b>", "c"], errors=[("d1", "c", 0)])
        page = result.to_html(tmp_path / "page.html", reference="a")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
        assert page.startswith("<!doctype html>")
        assert "&lt;b&gt;" in page
        assert "<th><b></th>" not in page
        for part in (
            "the score",
            "seconds to fit",
            "Friedman test",
            "Wins/draws/losses",
            "d1, c: ValueError: no",
            "Provenance",
        ):
            assert part in page
        assert page.count("<svg") == 1
        assert "The shaded zone" in page
        assert "http:" not in page  # needs nothing from elsewhere
        assert "https:" not in page

    def test_protocols_are_told_in_words(self):
        assert _protocol_in_words("1x5") == _protocol_in_words("5fold") == "5 folds"
        assert _protocol_in_words("2x5x3, no id on both sides") == "5 folds, 2 times, 3 seeds each, no id on both sides"
        assert _protocol_in_words("StratifiedKFold(n_splits=5)") == "StratifiedKFold(n_splits=5)"

    def test_nothing_to_test(self):
        page = made_up(np.random.default_rng(0).random((3, 1, 2)), "a").to_html()
        assert "no two methods" in page

    def test_notebooks_show_the_first_table(self):
        shown = clear_differences()._repr_html_()
        assert "<table class=" in shown
        assert "Comparison of 3 methods on 2 data sets" in shown
        assert "<table class=" in clear_differences().wins("score")._repr_html_()
        table = clear_differences().table("score")
        assert "<b>" in table._repr_html_()
        assert "bold: best of the row" in table._repr_html_()
        assert "bold: best of the row" in table.markdown()
