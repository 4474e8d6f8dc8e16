"""Truncated, flipped and hostile files are told apart from models: `ModelFileError`, or a model that works."""

import json
import struct
import tracemalloc
import warnings
import zlib
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import ModelFileError
from rarewood.export import describe, from_bytes, to_bytes
from rarewood.export._container import unpack

PREAMBLE = struct.Struct("<8sIIIIQ")  # as docs/format-v1.md says
MAGIC = b"\x89RWD\r\n\x1a\n"
N_BLIND, N_SEALED = 96_000, 4_000


def table(n_rows=24):
    rng = np.random.default_rng(0)
    kinds = pd.Categorical.from_codes(rng.integers(5, size=n_rows), list("abcde"))
    numbers = np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows))
    return pd.DataFrame({"kind": kinds, "x": numbers, "y": rng.normal(size=n_rows)})


def labels(X, n_classes):
    score = X["y"].to_numpy() + 2.0 * X["kind"].isin(["a", "c"]).to_numpy()
    return np.array(["ok", "fault", "odd"])[np.clip(np.digitize(score, [0.8, 2.0]), 0, n_classes - 1)]


def tiny_files():
    """A small file of every kind of model."""
    X = table()
    models = [
        (rw.TreeClassifier(), 3),
        (rw.make("c4.4"), 2),
        (rw.ForestClassifier(3, sampling="stratified", oob_score=False, random_state=0), 2),
        (rw.HeDExhClassifier(2, random_state=0), 3),
        (rw.BEATClassifier(2, random_state=0), 2),
        (rw.BiasedRankingClassifier(n_iterations=2, n_estimators=2, clean=False, random_state=0), 3),
        (rw.OneVsAllClassifier(rw.HeDExClassifier(1, random_state=0)), 3),
        (rw.ECOCClassifier(), 3),
        (rw.make("hedex+patterns", n_estimators=2, patterns__n_estimators=2, random_state=0), 2),
    ]
    files = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.exceptions.RarewoodWarning)
        for model, n_classes in models:
            y = labels(X, n_classes)
            model.fit(X, y)
            fit_threshold(model, X, y, cv=2)
            files.append(to_bytes(model, metadata={"note": "tiny"}))
    return files


@pytest.fixture(scope="module")
def files():
    return tiny_files()


def parts(file):
    """Header as text, and the bytes of the arrays."""
    size = PREAMBLE.unpack_from(file)[4]
    return file[PREAMBLE.size : PREAMBLE.size + size], file[PREAMBLE.size + size :]


def sealed(text, data):
    """A file with checksums that are right, whatever is in it."""
    return PREAMBLE.pack(MAGIC, 1, zlib.crc32(text), zlib.crc32(data), len(text), len(data)) + text + data


def as_text(header):
    return json.dumps(header).encode()


def try_to_use(file, X):
    """Whether the file was taken for a model; whatever it is, asking it must be safe."""
    try:
        model = from_bytes(file)
    except ModelFileError:
        return False
    try:
        assert len(model.predict_proba(X)) == len(X)
    except ValueError as error:  # other names, other numbers of columns
        assert "feature" in str(error) or "column" in str(error)  # noqa: PT017
    return True


def test_the_files_themselves_are_models(files):
    X = table(300)  # many rows take another path through the trees
    for file in files:
        assert try_to_use(file, X)
        assert sealed(*parts(file)) == file


# ---------------------------------------------------------------------------------------------------------
# damage


def flipped(rng, file):
    damaged = bytearray(file)
    for position in rng.integers(len(file), size=rng.integers(1, 4)).tolist():
        damaged[position] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def truncated(rng, file):
    return file[: rng.integers(len(file))]


def overwritten(rng, file):
    begin, size = int(rng.integers(len(file))), int(rng.integers(1, 40))
    piece = bytes([int(rng.choice([0, 255]))]) * size if rng.random() < 0.5 else rng.bytes(size)
    return file[:begin] + piece + file[begin + size :]


def shifted(rng, file):
    position, size = int(rng.integers(len(file))), int(rng.integers(1, 20))
    return file[:position] + (rng.bytes(size) + file[position:] if rng.random() < 0.5 else file[position + size :])


def test_random_damage_is_noticed(files):
    rng = np.random.default_rng(1)
    ways = (flipped, truncated, overwritten, shifted)
    n_noticed = n_equal = 0
    for number in range(N_BLIND):
        file = files[number % len(files)]
        damaged = ways[number % len(ways)](rng, file)
        if damaged == file:  # overwritten by what was there, flipped back
            n_equal += 1
            continue
        try:  # `pytest.raises` would take longer than what is tested
            from_bytes(damaged)
        except ModelFileError:
            n_noticed += 1
    assert n_noticed + n_equal == N_BLIND
    assert n_equal < N_BLIND / 10


# ---------------------------------------------------------------------------------------------------------
# hostility: changes with checksums that are right

VALUES = [
    None,
    True,
    -1,
    0,
    1,
    2,
    3,
    7,
    2**31,
    2**62,
    0.5,
    -1e300,
    "",
    "x",
    "nan",
    [],
    {},
    [[]],
    [0],
    [1, 2],
    ["<f8", [1]],
]
TAGS = [
    {"float": "nan"},
    {"array": 0},
    {"texts": [0, 1]},
    {"objects": [1, "a"]},
    {"tuple": [1]},
    {"dict": [["a", 1]]},
    {"criterion": "gini", "parameters": {}},
    {"estimator": "TreeClassifier", "parameters": {}},
]


def places(told, found):
    """All (container, key) pairs of a JSON document."""
    for key in told if isinstance(told, dict) else range(len(told)):
        found.append((told, key))
        if isinstance(told[key], (dict, list)):
            places(told[key], found)
    return found


def change_header(rng, text, data):
    header = json.loads(text)
    for _ in range(rng.integers(1, 3)):
        spots = places(header, [])
        container, key = spots[rng.integers(len(spots))]
        how = rng.integers(4)
        if how == 0:
            del container[key]
        elif how == 1:
            other, name = spots[rng.integers(len(spots))]
            container[key] = json.loads(json.dumps(other[name]))
        elif how == 2 and isinstance(container, list):
            container.insert(key, container[key])
        else:
            pool = TAGS if rng.random() < 0.3 else VALUES
            container[key] = pool[rng.integers(len(pool))]
    return as_text(header), data


def change_arrays(rng, text, data):
    changed = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        size = int(rng.choice([1, 4, 8]))
        begin = int(rng.integers(len(data) // 8)) * 8 + int(rng.choice([0, 4])) * (size == 4)
        small = int(rng.integers(12)).to_bytes(size, "little")
        changed[begin : begin + size] = small if rng.random() < 0.6 else rng.bytes(size)
    return text, bytes(changed[: len(data)])


def test_hostile_files_do_no_harm(files):
    rng = np.random.default_rng(2)
    X = table(9)
    n_taken = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # counts that only a hostile file has
        for number in range(N_SEALED):
            text, data = parts(files[number % len(files)])
            change = change_header if number % 3 == 0 else change_arrays
            n_taken += try_to_use(sealed(*change(rng, text, data)), X)
    assert 0 < n_taken < N_SEALED  # some changes do no harm: another threshold, another note


@contextmanager
def little_memory(most=50_000_000):
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def refused(text, data=b"", match=""):
    with little_memory(), pytest.raises(ModelFileError, match=match):
        from_bytes(sealed(text if isinstance(text, bytes) else as_text(text), data))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"[" * 1_000_000, "not valid JSON: RecursionError"),
        (b'{"a":' * 1_000_000, "not valid JSON: RecursionError"),
        (b"[1, 2", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[]", "not a JSON object"),
        (b'{"arrays": [], "model": NaN}', "not valid JSON"),
        (b'{"arrays": [], "model": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b"{}", "no list of arrays"),
        (b'{"arrays": []}', "where list should be"),
        (b'{"arrays": [["<f8", [1000000000000]]]}', "array 0 does not fit"),
        (b'{"arrays": [["<f8", [0, 1000000000000]]]}', "array 0 does not fit"),
        (b'{"arrays": [["<U999999", [1]]]}', "array 0 does not fit"),
        (b'{"arrays": [["<f8", [-1]]]}', "entry of array 0"),
        (b'{"arrays": [["|O8", [1]]]}', "entry of array 0"),
        (b'{"arrays": [["<f8", [1, 1, 1]]]}', "entry of array 0"),
        (b'{"arrays": [["<f8", [true]]]}', "entry of array 0"),
        (b'{"arrays": [], "columns": [], "model": {"model": "os.system"}}', "names a 'os.system'"),
        (b'{"arrays": [], "columns": [], "model": {"model": "PatternOversampler"}}', "as a classifier"),
        (b'{"arrays": [], "columns": [], "model": {"model": ["TreeClassifier"]}}', "names a"),
    ],
)
def test_hostile_headers(text, match):
    refused(text, match=match)


def test_hostile_sizes():
    preamble = PREAMBLE.pack(MAGIC, 1, 0, 0, 2**32 - 1, 2**63)
    with little_memory(), pytest.raises(ModelFileError, match="truncated or damaged"):
        from_bytes(preamble + bytes(100))
    with pytest.raises(ModelFileError, match="format version 2"):
        from_bytes(PREAMBLE.pack(MAGIC, 2, 0, 0, 0, 0))
    for junk in (b"", b"\x80\x04\x95", b"PK\x03\x04", MAGIC, MAGIC[:5]):
        with pytest.raises(ModelFileError, match=r"not a rarewood model file|truncated"):
            from_bytes(junk)


def test_hostile_characters_and_truth_values():
    for dtype, data in (("<U1", b"\xff\xff\xff\x7f\0\0\0\0"), ("|b1", b"\x02\0\0\0\0\0\0\0")):
        refused({"arrays": [[dtype, [1]]]}, data, match="array 0 holds")


def changed_file(file, change):
    """The file after `change(header, arrays)`, where arrays are the trees' own by name, writable."""
    text, data = parts(file)
    header, buffer = json.loads(text), bytearray(data)
    arrays, begin = [], 0
    for dtype, shape in header["arrays"]:
        arrays.append(np.ndarray(shape, dtype, buffer, begin))
        begin += -(-arrays[-1].nbytes // 8) * 8
    change(header, {name: arrays[number] for name, number in header["model"]["trees"].items()})
    return sealed(as_text(header), bytes(buffer))


@pytest.fixture(scope="module")
def hyperplanes():
    X = table(60)
    return to_bytes(rw.HeDExhClassifier(2, random_state=0).fit(X, labels(X, 2)))


@pytest.fixture(scope="module")
def subsets():
    X = table(60)
    return to_bytes(rw.TreeClassifier().fit(X[["kind", "x"]], labels(X, 2)))


def leaf_of_no_column(_, trees):
    leaf = np.flatnonzero(trees["node_packed"] >> 28 == 0)[0]
    trees["node_packed"][leaf] |= 2**27 - 1


def numeric_split_of_categories(_, trees):
    trees["node_packed"][0] = 1 << 28


def nominal_split_of_numbers(_, trees):
    node = np.flatnonzero(trees["node_packed"] >> 28 == 2)[0]
    trees["node_packed"][node] |= 1


def unknown_category(_, trees):
    trees["category_pool"][-1] = 99


def categories_out_of_order(_, trees):
    longest = int(trees["list_size"].argmax())
    begin, size = int(trees["list_begin"][longest]), int(trees["list_size"][longest])
    assert size > 1
    trees["category_pool"][begin : begin + size] = trees["category_pool"][begin : begin + size][::-1].copy()


def overlapping_lists(_, trees):
    trees["list_begin"][1:] = 0


def walk_in_a_circle(_, trees):
    trees["node_first_child"][0] = 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (leaf_of_no_column, "unknown feature"),
        (nominal_split_of_numbers, "a column of numbers is split by categories"),
        (numeric_split_of_categories, "a column of categories is split by a number"),
        (unknown_category, "a category that its column does not have"),
        (categories_out_of_order, "not in order"),
        (overlapping_lists, "overlap"),
        (walk_in_a_circle, "children are out of range"),
    ],
)
def test_hostile_trees(change, message, subsets):
    with pytest.raises(ModelFileError, match=message):
        from_bytes(changed_file(subsets, change))


def plane_without_map(_, trees):
    trees["plane_map_a"][trees["plane_feature_a"] == 0] = 2**32 - 1


def plane_with_shared_map(_, trees):
    trees["plane_map_a"][trees["plane_map_a"] != 2**32 - 1] = 0


def plane_without_numbers(_, trees):
    trees["plane_weight_a"][0] = np.nan


def plane_without_offset(_, trees):
    trees["plane_offset"][0] = np.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (plane_without_map, "treats a column as what it is not"),
        (plane_with_shared_map, "share a list"),
        (plane_without_numbers, "a weight that is no number"),
        (plane_without_offset, "an offset that is no number"),
    ],
)
def test_hostile_hyperplanes(change, message, hyperplanes):
    with pytest.raises(ModelFileError, match=message):
        from_bytes(changed_file(hyperplanes, change))


def array_twice(header, _):
    header["model"]["trees"]["n_lists"] = header["model"]["trees"]["n_nodes"]


def array_left_over(header, _):
    del header["model"]["threshold"], header["model"]["parameters"]["criterion"]
    header["columns"][0]["names"] = None


def later_parameter(header, _):
    header["model"]["parameters"]["magic"] = 1


def impossible_parameter(header, _):
    header["model"]["parameters"]["smoothing"] = -1.0


def no_threads(header, _):
    header["model"]["parameters"]["n_jobs"] = 0


def unknown_criterion(header, _):
    header["model"]["parameters"]["criterion"] = {"criterion": "os", "parameters": {}}


def deep_parameter(header, _):
    header["model"]["parameters"]["class_weight"] = json.loads("[" * 100 + "]" * 100)


def colliding_keys(header, _):
    header["model"]["parameters"]["class_weight"] = {"dict": [[{"tuple": [1, 2]}, 1]]}


def other_threshold(header, _):
    header["model"]["threshold"]["positive"] = "nobody"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (array_twice, "twice"),
        (array_left_over, "that nothing uses"),
        (later_parameter, "TreeClassifier the parameter 'magic'.*upgrade"),
        (impossible_parameter, "a valid model: smoothing=-1.0"),
        (unknown_criterion, "the criterion 'os'"),
        (deep_parameter, "nested too deeply"),
        (colliding_keys, "key of a dictionary"),
        (other_threshold, "not among the classes"),
    ],
)
def test_hostile_descriptions(change, message, files):
    with pytest.raises(ModelFileError, match=message):
        from_bytes(changed_file(files[0], change))


def test_no_threads(files):
    with pytest.raises(ModelFileError, match="a valid model: n_jobs=0"):
        from_bytes(changed_file(files[2], no_threads))


def test_models_inside_models_end(files):
    header = json.loads(parts(files[0])[0])
    told = header["model"]
    for _ in range(100):
        told = {"model": "Pipeline", "parameters": {"verbose": False}, "steps": [["model", told]]}
    with pytest.raises(ModelFileError, match="nested too deeply"):
        from_bytes(sealed(as_text({**header, "model": told}), parts(files[0])[1]))


def test_describing_reads_the_header_alone(files, tmp_path):
    path = tmp_path / "model.rarewood"
    path.write_bytes(files[0][: len(files[0]) - 40])
    assert describe(path).metadata == {"note": "tiny"}
    for file in (b"", files[0][:200], b"\x80\x04\x95" + files[0], sealed(b"{}", b"")):
        path.write_bytes(file)
        with pytest.raises(ModelFileError):
            describe(path)


@pytest.mark.parametrize("n_blanks", range(8))
def test_arrays_are_aligned_behind_a_header_of_any_length(n_blanks, hyperplanes):
    text, data = parts(hyperplanes)
    file = sealed(text.rstrip() + b" " * n_blanks, data)
    assert all(array.flags.aligned for array in unpack(file).arrays)
    X = table(60)
    assert np.array_equal(from_bytes(file).predict_proba(X), from_bytes(hyperplanes).predict_proba(X))
