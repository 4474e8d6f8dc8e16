"""A tiny reproduction of each paper, on made-up tables under the names of the real ones."""

import json

import numpy as np
import pytest

from rarewood.reproduction import papers, reproduce
from rarewood.reproduction.__main__ import main
from rarewood.reproduction.papers import PAPERS


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """A data folder in which every set that a paper knows is a small random table with its name."""
    rng = np.random.default_rng(0)
    manifest = {}
    sources = {
        source.partition(":")[2]: paper.name in ("beat", "bias")
        for paper in PAPERS.values()
        for experiment in paper.experiments
        for each in experiment.datasets
        if not callable(each.sources)
        for source in each.sources
        if source.startswith("local:")
    }
    for name, has_two_classes in sources.items():
        y = rng.permutation(np.repeat(["a", "b", "c"], [60, 20, 16]))
        y[(y == "b") & has_two_classes] = "a"
        X = np.round(rng.normal(size=(96, 3)) + 2.0 * (y == "c")[:, None] + (y == "b")[:, None], 2)
        colour = np.where(y == "c", "red", rng.choice(["red", "blue"], 96))
        rows = [",".join([*map(str, x), k, label]) for x, k, label in zip(X, colour, y)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x1,x2,x3,colour,class", *rows]))
        manifest[name] = {"file": f"{name}.csv", "nominal": ["colour"], "positive": "c"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setenv("RAREWOOD_DATA", str(tmp_path))
    return tmp_path


HEDEX_METHODS = [method.name for method in PAPERS["hedex"].experiments[0].methods]
TINY = {
    # bagged regressions are slow for what they add here
    "hedex": {"datasets": ["glass", "compustat"], "methods": [n for n in HEDEX_METHODS if not n.startswith("LR")]},
    "beat": {"datasets": ["glass", "sick"]},
    "mc-hddt": {"datasets": ["glass", "car"]},
    "bias": {"datasets": ["haberman", "pima"]},
    "ihd": {"datasets": ["wine", "ecoli2", "haberman", "lung"]},
}


@pytest.mark.parametrize("paper", papers())
def test_tiny_reproduction(paper, made_up):
    result = reproduce(paper, protocol="1x2", **TINY[paper])
    assert all(run.results is None or not run.results.failures() for run in result.runs)
    assert len(result.verdicts) == len(PAPERS[paper].claims)
    assert {verdict.outcome for _, verdict in result.verdicts} <= {"reproduces", "does not", "cannot be tested"}
    text = result.to_markdown("the command")
    assert "the command" in text
    assert all(claim.text in text for claim, _ in result.verdicts)
    assert PAPERS[paper].citation in text
    main_run = result.runs[0]
    assert main_run.results is not None
    for method in main_run.results.methods:
        assert method in text


def test_missing_data_sets_are_named_with_the_reason(made_up):
    asked = {**TINY["hedex"], "methods": ["ET"]}
    result = reproduce("hedex", experiments=["tables-7-8"], protocol="1x2", **asked)
    (run,) = result.runs
    assert "no longer to be had" in run.missing_datasets["compustat"]
    assert "- compustat: a data set of the HDDT authors" in result.to_markdown()


def test_ours_stands_beside_the_printed_figure(made_up):
    result = reproduce("ihd", experiments=["table-4"], datasets=["ecoli2"], methods=["Gini", "iHD"], protocol="1x2")
    rows = result.table("table-4", "hand_till")
    assert [(row["dataset"], row["method"], row["published"]) for row in rows] == [
        ("ecoli2", "Gini", 0.7941),
        ("ecoli2", "iHD", 0.8004),
    ]
    assert all(row["difference"] == pytest.approx(row["ours"] - row["published"]) for row in rows)
    run = result["table-4"]
    assert run.mean_difference("hand_till") == pytest.approx(np.mean([abs(row["difference"]) for row in rows]))
    ours, printed = run.ranks("hand_till")
    assert printed["iHD"] == 1.0
    assert ours.n_datasets == 1


def test_a_set_that_cannot_be_read_is_missing_with_the_reason(made_up):
    (made_up / "sonar.csv").unlink()
    (made_up / "yeast.csv").write_text("x1,x2,x3,colour,class\n1,2\n")
    asked = {"experiments": ["table-3"], "methods": ["Gini"], "protocol": "1x2"}
    (run,) = reproduce("ihd", datasets=["wine", "sonar", "yeast"], **asked).runs
    assert run.results.datasets == ["wine"]
    assert "local:sonar cannot be read: the manifest names 'sonar.csv'" in run.missing_datasets["sonar"]
    assert "2 cells, but the header has 5" in run.missing_datasets["yeast"]


def test_without_a_folder_what_is_left_runs(monkeypatch):
    monkeypatch.delenv("RAREWOOD_DATA", raising=False)
    result = reproduce("beat", protocol="1x2", datasets=["glass"])
    assert all(run.results is None for run in result.runs)
    assert all(verdict.outcome == "cannot be tested" for _, verdict in result.verdicts)
    assert "RAREWOOD_DATA" in result.runs[0].missing_datasets["glass"]
    assert "Nothing could be run." in result.to_markdown()
    wine = reproduce("ihd", experiments=["table-3"], datasets=["wine"], methods=["Gini"], protocol="1x2")
    assert wine.runs[0].results.datasets == ["wine"]


def test_stopped_run_goes_on_and_ends_with_the_same_table(made_up, tmp_path):
    asked = {"experiments": ["table-1"], "methods": ["C4.5", "BEAT(1,1)"], "protocol": "2x2"}
    whole = reproduce("beat", datasets=["glass", "sick"], **asked)
    cache = tmp_path / "cache"
    reproduce("beat", datasets=["glass"], cache=cache, **asked)
    file = cache / "beat-table-1.jsonl"
    file.write_bytes(file.read_bytes()[:-30])  # as if killed while writing
    resumed = reproduce("beat", datasets=["glass", "sick"], cache=cache, **asked)
    assert resumed.table("table-1", "minority_f1") == whole.table("table-1", "minority_f1")


def test_unfinished_run_can_be_shown(made_up, tmp_path):
    cache = tmp_path / "cache"
    asked = {"experiments": ["table-1"], "datasets": ["glass", "sick"], "cache": cache}
    reproduce("beat", protocol="1x2", **asked)
    file = cache / "beat-table-1.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-3]))  # all but the last fold of three methods on sick
    (run,) = reproduce("beat", only_cached=True, **asked).runs
    assert np.isfinite(run.ours("minority_f1")).sum() == 9
    text = reproduce("beat", only_cached=True, **asked).to_markdown()
    assert "| sick | " in text
    assert "– (0.866)" in text
    assert run.progress == (21, 24)
    assert "Unfinished: 21 of 24 results" in text
    part = {**asked, "datasets": ["glass", "wpbc"], "methods": ["C4.5", "BRF"]}
    (run,) = reproduce("beat", only_cached=True, **part).runs
    assert (run.results.datasets, run.results.methods) == (["glass"], ["C4.5", "BRF"])
    assert run.missing_datasets == {"wpbc": "not run"}
    assert run.progress == (4, 4)
    with pytest.raises(ValueError, match="give its folder as cache="):
        reproduce("beat", only_cached=True)


def test_names_that_do_not_exist(made_up):
    with pytest.raises(ValueError, match="unknown paper 'hedx', did you mean 'hedex'"):
        reproduce("hedx")
    with pytest.raises(ValueError, match="unknown experiment 'table-9'"):
        reproduce("ihd", experiments=["table-9"])
    with pytest.raises(ValueError, match="unknown data set 'wien', did you mean 'wine'"):
        reproduce("ihd", datasets=["wien"])
    with pytest.raises(ValueError, match="unknown method 'iHDD'"):
        reproduce("ihd", methods=["iHDD"])


def test_quick_run_says_what_it_leaves_out(made_up):
    result = reproduce("ihd", experiments=["table-3"], methods=["Gini"], protocol="1x2")
    assert "digits" in result["table-3"].left_out
    text = result.to_markdown()
    assert "Not part of a quick run: " in text
    assert "- steel: " not in text  # notes are on the sets that were run


def test_experiments_of_several_days_are_dated_so(made_up, tmp_path):
    asked = {"datasets": ["wine", "ecoli2"], "methods": ["Gini"], "cache": tmp_path / "cache"}
    asked["experiments"] = ["table-3", "table-4"]
    today = reproduce("ihd", protocol="1x2", **asked)["table-4"].results.provenance["started"][:10]
    file = tmp_path / "cache" / "ihd-table-3.jsonl"
    file.write_text(file.read_text().replace(f'"started": "{today}', '"started": "2020-02-29'))
    text = reproduce("ihd", only_cached=True, **asked).to_markdown()
    assert f"Run of 2020-02-29 to {today} with python" in text


def test_command_line(made_up, capsys, tmp_path):
    arguments = ["ihd", "--experiment", "table-3", "--dataset", "wine", "--method", "Gini", "--protocol", "1x2"]
    assert main(arguments) == 0
    assert "| wine | " in capsys.readouterr().out
    for wrong in (["nothing"], ["ihd", "--method", "gini"], ["ihd", "--protocol", "1x1", "--dataset", "wine"]):
        with pytest.raises(SystemExit, match="2"):
            main(wrong)
    assert "1 repeat and 2 folds" in capsys.readouterr().err.splitlines()[-1]


def test_page_on_all_papers(made_up, tmp_path, capsys, monkeypatch):
    asked = []

    def instead(paper, full, **settings):
        asked.append((paper, full, settings["protocol"]))
        return reproduce("ihd", full, experiments=["table-3"], datasets=["wine"], methods=["Gini"], protocol="1x2")

    monkeypatch.setattr("rarewood.reproduction._page.reproduce", instead)
    output = tmp_path / "docs" / "page.md"
    assert main(["docs", "--quick", "--protocol-of", "bias=1x10", "--output", str(output)]) == 0
    assert asked == [(name, False, "1x10" if name == "bias" else None) for name in papers()]
    assert "python -m rarewood.reproduction docs --quick --protocol-of bias=1x10" in output.read_text()
    assert "| ihd | 1 |" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["docs", "--protocol-of", "bias"])


def test_one_paper_of_the_page_made_anew(made_up, tmp_path, monkeypatch):
    def instead(paper, full, **settings):
        return reproduce(paper, full, experiments=["table-3"], datasets=["wine"], methods=["Gini"], protocol="1x2")

    monkeypatch.setattr("rarewood.reproduction._page.reproduce", instead)
    monkeypatch.setattr("rarewood.reproduction._page.papers", lambda: ["ihd"])
    output = tmp_path / "page.md"
    assert main(["docs", "--output", str(output)]) == 0
    whole = output.read_text()
    head, section = whole.split("\n## ")
    title, row, other = section.splitlines()[0], "| beat | 7 | x | 1 | 2 | 3 |\n", "\n## BEAT\n\nAs it was.\n"
    output.write_text(head.replace("| ihd | 1 |", f"{row}| ihd | 99 |") + f"\n## {title}\n\nOld.\n{other}")
    assert main(["docs", "--paper", "ihd", "--output", str(output)]) == 0
    assert output.read_text() == whole.replace("| ihd |", f"{row}| ihd |", 1) + other

    output.write_text("# A page on something else\n")
    monkeypatch.delattr("rarewood.reproduction._page.reproduce")  # what would take hours is not begun
    with pytest.raises(SystemExit, match="2"):
        main(["docs", "--paper", "ihd", "--output", str(output)])
    assert output.read_text() == "# A page on something else\n"


def test_figures_beyond_the_noise_of_folds_are_marked(made_up):
    result = reproduce("ihd", experiments=["table-3"], datasets=["wine"], methods=["Gini"], protocol="5x2")
    run = result["table-3"]
    scores = run.results.fold_scores("accuracy", "wine")[0]
    limit = 2 * np.sqrt(2 * (0.1 + 1.0) * np.var(scores, ddof=1)) + 0.0005
    assert run.is_beyond_noise("accuracy")[0, 0] == (abs(scores.mean() - 0.90) > limit)
    assert "of 1 figures (twice the standard error" in result.to_markdown()
