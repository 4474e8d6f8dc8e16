"""README and the guide repeat figures of docs/real-tables.md and docs/quality.md: the benchmarks write them, and nothing else may."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
if not (DOCS / "real-tables.md").exists():
    pytest.skip("the pages are not part of a source distribution", allow_module_level=True)
README, WHY_NOT, CHOOSING = ROOT / "README.md", DOCS / "guide" / "why-not-lightgbm.md", DOCS / "guide" / "choosing.md"


def table_in(text):
    """The first table, by its first column: a dictionary of cells for each row."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip().strip("*`") for cell in line.strip("|").split("|")] for line in lines]
    head, body = rows[0], rows[2:]
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in body}


def part(path, name):
    text = path.read_text(encoding="utf-8")
    return re.search(f"<!-- {name}: begin -->(.*)<!-- {name}: end -->", text, re.DOTALL)[1]


def section(page, title):
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.search(f"^## {re.escape(title)}\n(.*?)(?=^## |\\Z)", text, re.DOTALL | re.MULTILINE)[1]


def numbers(cell):
    return [float(number) for number in re.findall(r"-?\d*\.\d+", cell)]


def test_readme_and_the_guide_show_one_table():
    assert part(README, "quality-table") == part(WHY_NOT, "quality-table")


def test_the_short_table_has_the_figures_of_the_page():
    shown, page = table_in(part(README, "quality-table")), table_in(section("real-tables.md", "As they come"))
    assert len(shown) >= 5
    for method, cells in shown.items():
        for measure in ("AUC", "average precision", "F1", "log-loss"):
            assert numbers(cells[measure])[0] == pytest.approx(numbers(page[method][measure])[0], abs=0.00056)
        assert (cells["fit"], cells["predict"]) == (page[method]["fit"], page[method]["predict"])


def test_the_short_table_has_equal_treatment_as_the_page_does():
    shown = table_in(part(README, "quality-table"))
    page = table_in(section("real-tables.md", "With the same calibration and threshold"))
    for method, cells in shown.items():
        for measure in ("F1", "log-loss"):
            if cells[f"{measure}, equal"]:
                there = numbers(page[method][measure])[0]
                assert numbers(cells[f"{measure}, equal"])[0] == pytest.approx(there, abs=0.00056)


def test_where_boosting_leads_is_said_as_on_the_page():
    assert part(WHY_NOT, "leads").strip() in section("real-tables.md", "Average precision on each real table")


@pytest.mark.parametrize(
    ("guide", "named", "place"),
    [
        pytest.param(WHY_NOT, "small-tables", 0, id="means of small tables"),
        pytest.param(CHOOSING, "ranks", 1, id="mean ranks"),  # in brackets, behind the means
    ],
)
def test_figures_of_the_guide_are_those_of_the_page(guide, named, place):
    shown, page = table_in(part(guide, named)), table_in(section("quality.md", "With default settings"))
    assert len(shown) >= 3
    for method, cells in shown.items():
        assert {name: numbers(cell)[0] for name, cell in cells.items()} == {
            name: numbers(page[method][name])[place] for name in cells
        }


def test_memory_of_many_classes_is_that_of_the_benchmark():
    shown = re.findall(r"(\d+) MB", section("guide/many-classes.md", "Hundreds of classes"))
    page = re.findall(r"(\S+) MB", section("benchmarks/many_classes.md", "Many classes: memory of leaves"))
    assert len(shown) >= 4
    assert {int(figure) for figure in shown} <= {round(float(figure)) for figure in page}


def test_accuracies_of_many_classes_are_those_of_the_benchmark():
    shown = table_in(section("guide/many-classes.md", "Hundreds of classes"))
    page = section("benchmarks/many_classes.md", "Many classes: thousands of them")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
    accuracy = {(row[0], row[1]): row[5] for row in rows[2:]}
    assert len(shown) == 3
    for tree, cells in shown.items():
        for classes, cell in cells.items():
            name = tree.replace("Hellinger", "hellinger").replace("Gini", "gini")
            assert cell == accuracy[name, re.sub(r"\D", "", classes)]
