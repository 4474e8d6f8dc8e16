"""What text is a number: one policy for every reader, and codes keep their meaning."""

import json

import numpy as np
import pandas as pd
import pytest

from rarewood import datasets
from rarewood._tables import in_order
from rarewood._tables.cells import CellError, as_numbers, blanked, is_number, number_of

NUMBERS = {
    "5": 5.0,
    "+5": 5.0,
    "-.5": -0.5,
    "7.": 7.0,
    "1e5": 1e5,
    " 1 ": 1.0,
    "007": 7.0,
    "\uff11\uff12": 12.0,
    "\u0661": 1.0,
}
CODES = ("1_2", "1_000", "1e1_0", "+1_0", "0x10", "1d5", "nan(1)", "\u00b2", "1 2", "--1", "1e", "e5", "5-")
N = 60


@pytest.mark.parametrize("text", list(NUMBERS))
def test_numbers(text):
    assert is_number(text)
    assert number_of(text) == NUMBERS[text]
    assert as_numbers([text, None, 3], "c", "t").tolist()[0] == NUMBERS[text]


@pytest.mark.parametrize("text", CODES)
def test_codes(text):
    assert not is_number(text)
    with pytest.raises(ValueError):
        number_of(text)
    for cells in ([text], ["1", text], [1.5, text], ["", text]):
        with pytest.raises(CellError, match="should hold numbers"):
            as_numbers(cells, "c", "t")
    assert blanked(["12", "1_2"], {"1_2"}) == ["12", ""]
    assert in_order(["2", "1_2"]) == ["1_2", "2"]


def columns_of_files(cells, folder):
    frame = pd.DataFrame({"c": [cells[row % len(cells)] for row in range(N)], "g": range(N), "y": np.arange(N) % 2})
    frame.to_csv(folder / "plain.csv", index=False)
    frame.to_csv(folder / "quoted.csv", index=False, quoting=1)
    (folder / "t.jsonl").write_text("\n".join(json.dumps(row) for row in frame.to_dict("records")) + "\n")
    frame.to_parquet(folder / "t.parquet")
    for name in ("plain.csv", "quoted.csv", "t.jsonl", "t.parquet"):
        yield datasets.read_file(folder / name, target="y").X["c"]


@pytest.mark.parametrize("cells", [("1_2", "1_3", "2_4"), ("1_000", "2_000"), ("12", "1_2", "1e1_0")])
def test_codes_in_files_are_categories(cells, tmp_path):
    for column in columns_of_files(cells, tmp_path):
        assert sorted(column.cat.categories) == sorted(cells)


@pytest.mark.filterwarnings("ignore:.*'1_2' in row 60; it counts as missing")
def test_a_code_among_numbers_of_a_file_counts_as_missing(tmp_path):
    cells = [*map(str, range(N - 1)), "1_2"]
    for column in columns_of_files(cells, tmp_path):
        assert column.isna().sum() == 1
        assert column.max() == N - 2
