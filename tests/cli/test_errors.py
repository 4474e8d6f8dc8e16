"""Whatever goes wrong is told in one line, with an exit code of its own, and leaves no output behind."""

import gzip
import os
import signal
import socket
import subprocess
import sys
import time
import tracemalloc

import pandas as pd
import pytest

import rarewood as rw
from rarewood.cli._errors import ExitCode
from support.command_line import start

FEW = ("-m", "brf", "-s", "n_estimators=5", "--rules", "0")


@pytest.fixture
def write(tmp_path):
    def write(text, name="t.csv"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    return write


def fails(program, code, *arguments):
    before = sorted(program.folder.iterdir())
    answer = program(*arguments, code=code)
    assert answer.out == ""
    assert answer.err.startswith("rarewood: ")
    assert answer.err.count("\n") == 1
    assert sorted(program.folder.iterdir()) == before
    return answer.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--target", "fruad"], ExitCode.DATA, "no column 'fruad' (--target), did you mean 'fraud'?"),
        (["--drop", "amout"], ExitCode.DATA, "no column 'amout' (--drop), did you mean 'amount'?"),
        (
            ["--positive", "maybe"],
            ExitCode.DATA,
            "no row has the label 'maybe' (--positive); the labels are no, yes",
        ),
        (["--numeric", "country"], ExitCode.DATA, "column 'country' should hold numbers, but row 1 has"),
        (["--numeric", "hour", "--nominal", "hour"], ExitCode.USAGE, "--nominal and --numeric both name 'hour'"),
        (["--drop", "fraud", "-t", "fraud"], ExitCode.USAGE, "the target 'fraud' is left out"),
        (["--method", "hdex"], ExitCode.USAGE, "unknown method 'hdex', did you mean 'hedex'?"),
        (["--method", "bagged-lr"], ExitCode.USAGE, "bagged-lr cannot be saved in a model file"),
        (["--set", "n_estimatrs=5"], ExitCode.USAGE, "no parameter 'n_estimatrs', did you mean 'n_estimators'?"),
        (["--set", "n_estimators"], ExitCode.USAGE, "should be NAME=VALUE"),
        (["--set", "n_estimators=many"], ExitCode.USAGE, "n_estimators='many' (str) is not accepted; give an integer"),
        (["--threshold", "f2"], ExitCode.USAGE, "--threshold f2 is not understood"),
        (["--output", "nowhere/m.rarewood"], ExitCode.UNWRITABLE, "there is no folder"),
        (["--output", "."], ExitCode.UNWRITABLE, ". is a folder"),
    ],
)
def test_wrong_options(tables, program, arguments, code, message):
    assert message in fails(program, code, "fit", tables / "train.csv", *arguments)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("x,y\n1,a\n2,a\n3,a\n", ExitCode.DATA, "the target 'y' of t.csv is constant: all 3 rows are 'a'"),
        ("x,y\n1,a\n2,a\n3,b\n", ExitCode.DATA, "class 'b' of 'y' has a single row"),
        ("x,y\n1,a\n2\n", ExitCode.DATA, "t.csv, row 2 (line 3): 1 cells, but the header has 2"),
        ("x,y\n", ExitCode.DATA, "holds no rows"),
        ("y\na\nb\na\nb\n", ExitCode.DATA, "no column to train on except 'y'"),
        ("", ExitCode.UNREADABLE, "t.csv is empty"),
        ("a,a\n1,2\n", ExitCode.UNREADABLE, "names the column 'a' more than once"),
        (gzip.compress(b"x,y\n1,a\n" * 50, mtime=0)[:30], ExitCode.UNREADABLE, "cannot read t.csv"),
        ("x,y\ninf,a\n2,b\n1,a\n2,b\n", ExitCode.DATA, "column 'x' is infinite in row 1"),
        ("x,y\n" + "".join(f"1,{i}.5\n" for i in range(300)), ExitCode.DATA, "has 300 different values in 300 rows"),
    ],
)
def test_wrong_tables(program, write, text, code, message):
    assert message in fails(program, code, "fit", write(text), *FEW)


PACKED = gzip.compress(b"x,y\n" + "".join(f"{i * i},{'ab'[i % 2]}\n" for i in range(9000)).encode(), mtime=0)


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (PACKED[:-2000], "t.csv.gz", "cannot read t.csv.gz: it is a damaged or incomplete gzip file"),
        (b"PAR1 and nothing else", "t.csv", "t.csv is not a valid Parquet file"),
        (b"PK\x03\x04", "t.csv", "t.csv begins like a zip archive or workbook, but is damaged or incomplete.\n"),
        (b"%PDF-1.7", "t.csv", "t.csv is a PDF document"),
        (b"BZh91AY", "t.csv.bz2", "compressed with bzip2"),
        (b"SQLite format 3\x00", "t.db", "cannot be read as a SQLite database"),
    ],
)
def test_files_that_are_not_what_their_names_say(program, write, content, name, message):
    assert message in fails(program, ExitCode.UNREADABLE, "fit", write(content, name), *FEW)


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


@pytest.mark.parametrize("command", ["predict", "rules", "report"])
def test_tables_that_break_off_or_break_down(tables, program, write, command):
    lines = (tables / "test.csv").read_text().splitlines()
    packed = gzip.compress("\n".join(lines).encode(), mtime=0)
    model = tables / "m.rarewood"
    for content, part in (
        (packed[:-3000], "ended before"),
        (flipped(packed, -5), "CRC check failed"),
        (flipped(packed, 12), ""),
        ("\n".join([*lines[:300], lines[300] + ",more", *lines[301:]]), "line 301"),
    ):
        message = fails(program, ExitCode.UNREADABLE, command, model, write(content))
        assert "cannot read t.csv: " in message
        assert part in message


def test_nothing_left_to_learn_from(program, write):
    message = fails(program, ExitCode.USAGE, "fit", write("x,y\n1,a\n2,b\n"), "--drop", "x,y")
    assert "the target 'y' is left out" in message


@pytest.mark.filterwarnings("ignore::rarewood.exceptions.RarewoodWarning")  # rows without out-of-bag scores
@pytest.mark.parametrize("method", ["hddt", "rare", "brf"])
def test_a_class_of_one_row_and_its_copies_cannot_be_judged(program, write, method):
    text = "a,b,label\n" + "".join(f"{i},{i % 7},no\n" for i in range(60)) + "5000,1,yes\n" * 6
    answer = program("fit", write(text), "-o", "m.rarewood", "-m", method, code=ExitCode.DATA)
    assert "give more rows" in answer.err.splitlines()[-1]
    assert not (program.folder / "m.rarewood").exists()


@pytest.mark.filterwarnings("ignore::rarewood.exceptions.RarewoodWarning")
def test_nor_can_it_in_parts(program):
    pytest.importorskip("pyarrow")
    rows = [*((row, row % 7, "no") for row in range(60)), *[(5000, 1, "yes")] * 6]
    frame = pd.DataFrame(rows, columns=["a", "b", "label"])
    frame.to_parquet(program.folder / "t.parquet")
    answer = program("fit", "t.parquet", "-t", "label", "-o", "m.rarewood", "--memory", "4GB", code=ExitCode.DATA)
    assert "t.parquet: no row of class 'yes' has a score" in answer.err


def test_rows_that_are_all_alike_are_no_copies(program, write):
    program("fit", write("a,label\n" + "1,no\n1,no\n1,yes\n" * 7), "-o", "m.rarewood", "-m", "hddt", code=0)


def test_text_that_is_marked_is_not_taken_for_another(program, write):
    utf_16 = ("a\tlabel\n" + "1.5\tno\n2\tyes\n" * 30).encode("utf-16")[:-1]
    utf_8 = b"\xef\xbb\xbflabel,a\n" + b"no,1\nyes,2\n" * 60_000 + b"\xff"  # beyond what is read to find the encoding
    for data in (utf_16, utf_8):
        message = fails(program, ExitCode.DATA, "fit", write(data), "-t", "label", "-o", "m.rarewood")
        assert "though it begins so" in message


def test_costs_that_are_none(tables, program):
    for costs in ("1-20", "20", "a:b"):
        message = fails(program, ExitCode.USAGE, "report", tables / "m.rarewood", tables / "test.csv", "--costs", costs)
        assert f"--costs {costs} is not understood" in message


def test_absent_files(program, write):
    write("x", "payments.csv")
    message = fails(program, ExitCode.UNREADABLE, "fit", "paymnts.csv")
    assert "there is no file paymnts.csv (did you mean payments.csv?)" in message
    assert "is a folder" in fails(program, ExitCode.UNREADABLE, "fit", ".")
    assert "make one with `rarewood fit`" in fails(
        program, ExitCode.UNREADABLE, "predict", "m.rarewood", "payments.csv"
    )


def test_damaged_model_files(tables, program, write):
    whole = (tables / "m.rarewood").read_bytes()
    for content in (b"", b"no model", whole[:500], whole[:-3]):
        write(content, "bad.rarewood")
        message = fails(program, ExitCode.MODEL_FILE, "predict", "bad.rarewood", tables / "test.csv")
        assert "bad.rarewood is not a usable model file" in message


def test_a_model_and_a_table_that_are_swapped(tables, program):
    for command in ("predict", "report", "rules"):
        message = fails(program, ExitCode.MODEL_FILE, command, tables / "test.csv", tables / "m.rarewood")
        assert "test.csv is not a usable model file, but" in message
        assert "m.rarewood is: name the model first, then the table" in message
        message = fails(program, ExitCode.MODEL_FILE, command, tables / "test.csv", tables / "train.csv")
        assert "test.csv is not a usable model file: this is not" in message


def test_tables_that_do_not_fit_the_model(tables, program, write):
    lines = (tables / "test.csv").read_text().splitlines()
    write("\n".join([lines[0].replace("amount", "amounts"), *lines[1:]]))
    model = tables / "m.rarewood"
    for command in ("predict", "report", "rules"):
        message = fails(program, ExitCode.MISMATCH, command, model, "t.csv")
        assert "t.csv lacks a column that the model needs: 'amount', did you mean 'amounts'? It has others" in message
    write("\n".join([lines[0].replace("amount", "Betrag"), *lines[1:]]))
    message = fails(program, ExitCode.MISMATCH, "predict", model, "t.csv")
    assert "needs: 'amount'. It has others that the model does not use: 'payment_id', 'Betrag'\n" in message
    write(lines[0] + "\n" + lines[1].replace(lines[1].split(",")[1], "lots", 1))
    message = fails(program, ExitCode.MISMATCH, "predict", model, "t.csv", "-o", "s.csv")
    assert (
        "column 'amount' should hold numbers, but row 1 has 'lots'. The model was trained on numbers in this column."
        in message
    )
    write("\n".join([lines[0].replace("fraud", "label"), *lines[1:]]))
    assert "no column 'fraud' (--target)" in fails(program, ExitCode.MISMATCH, "report", model, "t.csv")
    write("\n".join([lines[0], *lines[1:], lines[1].rsplit(",", 1)[0] + ",perhaps"]))
    assert "labels that the model does not know: perhaps" in fails(program, ExitCode.MISMATCH, "report", model, "t.csv")


def test_a_table_that_breaks_off_leaves_no_scores(tables, program, write):
    write((tables / "test.csv").read_text() + "T9,1\n")
    message = fails(
        program, ExitCode.UNREADABLE, "predict", tables / "m.rarewood", "t.csv", "-o", "s.csv", "--block-rows", 50
    )
    assert "row 701 (line 702): 2 cells, but the header has 12" in message


def test_an_empty_table_leaves_no_scores(tables, program, write):
    write((tables / "test.csv").read_text().splitlines()[0] + "\n")
    assert "holds no rows" in fails(program, ExitCode.DATA, "predict", tables / "m.rarewood", "t.csv", "-o", "s.csv")


def test_old_scores_stay_when_new_ones_fail(tables, program, write):
    write("precious", "s.csv")
    write((tables / "test.csv").read_text() + "T9,1\n")
    fails(program, ExitCode.UNREADABLE, "predict", tables / "m.rarewood", "t.csv", "-o", "s.csv")
    assert (program.folder / "s.csv").read_text() == "precious"


def test_a_model_without_column_names(program, write):
    rw.save(rw.TreeClassifier().fit([[0], [1]], [0, 1]), program.folder / "m.rarewood")
    write("x\n1\n")
    assert "has no column names" in fails(program, ExitCode.MISMATCH, "predict", "m.rarewood", "t.csv")


def test_other_usage_errors(tables, program):
    assert "unknown measure 'auk', did you mean 'auc'?" in fails(
        program, ExitCode.USAGE, "compare", "sklearn:iris", "--metric", "auk"
    )
    assert "did you mean 'sklearn:iris'?" in fails(program, ExitCode.UNREADABLE, "compare", "sklearn:irsi")
    assert "unknown paper 'hedx', did you mean 'hedex'?" in fails(program, ExitCode.USAGE, "reproduce", "hedx")
    assert "unknown experiment 'table-9'" in fails(
        program, ExitCode.USAGE, "reproduce", "ihd", "--experiment", "table-9"
    )
    same = tables / "test.csv"
    assert "the same file" in fails(program, ExitCode.USAGE, "report", tables / "m.rarewood", same, "--train", same)
    seen = tables / "train.csv"
    assert "is the file the model was fitted to" in fails(
        program, ExitCode.USAGE, "report", tables / "m.rarewood", seen
    )
    assert "name a file for the scores with --output" in fails(
        program, ExitCode.USAGE, "predict", tables / "m.rarewood", same, "--json"
    )


def test_a_folder_of_data_that_is_not_there(program, monkeypatch):
    monkeypatch.setenv("RAREWOOD_DATA", "nowhere")
    for command in (("reproduce", "ihd", "--dataset", "wine"), ("compare", "sklearn:iris")):
        assert "RAREWOOD_DATA is 'nowhere'" in fails(program, ExitCode.UNREADABLE, *command)


def test_a_cache_that_cannot_be_written(program, write):
    write("a file", "notes")
    few = ("-m", "hddt", "--protocol", "1x2", "-j", 1)
    assert "notes" in fails(program, ExitCode.USAGE, "compare", "sklearn:iris", *few, "--cache", "notes")
    assert "notes" in fails(program, ExitCode.FAILED, "compare", "sklearn:iris", *few, "--cache", "notes/results.jsonl")


def test_unknown_options_and_commands_are_usage_errors(program):
    assert "No such option" in program("fit", "x.csv", "--targt", "y", code=ExitCode.USAGE).err
    assert "No such command" in program("fitt", code=ExitCode.USAGE).err


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, ExitCode.STOPPED), (signal.SIGTERM, 143)])
def test_interrupted_predictions_leave_nothing(tables, tmp_path, sent, code):
    process = start("predict", tables / "m.rarewood", "-", "-o", "s.csv", folder=tmp_path, stdin=subprocess.PIPE)
    process.stdin.write((tables / "test.csv").read_text() * 1)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    (beside,) = tmp_path.iterdir()
    assert beside.name.startswith(".s.csv.")
    process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupted_fit_leaves_nothing(tables, tmp_path):
    process = start("fit", tables / "train.csv", "-s", "n_estimators=200000", "-o", "x.rarewood", folder=tmp_path)
    assert "train.csv" in process.stdout.readline() + process.stdout.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == ExitCode.STOPPED
    assert err == "rarewood: stopped; output files are complete or absent\n"
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_stops_early_is_no_error(tables):
    command = f"{sys.executable} -m rarewood.cli predict {tables / 'm.rarewood'} {tables / 'test.csv'} --block-rows 20 -q | head -2"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("payment_id,score,label\n")
    assert done.stderr == ""


@pytest.mark.parametrize("method", ["ihd", "brf", "rare"])
def test_no_processors_is_a_mistake_in_the_arguments(tables, program, method):
    answer = program("fit", tables / "train.csv", "-m", method, "-j", 0, "-o", "x.rarewood", code=ExitCode.USAGE)
    assert "0 is not accepted" in answer.err
    assert list(program.folder.iterdir()) == []


@pytest.mark.parametrize("prior", ["nonsense", "2", "no=0.5,maybe=0.1"])
def test_a_prior_is_checked_before_the_fit(tables, program, monkeypatch, prior):
    monkeypatch.setattr(rw.BalancedForestClassifier, "fit", lambda *_: pytest.fail("fitted first"))
    assert "--prior" in fails(program, ExitCode.USAGE, "fit", tables / "train.csv", *FEW, "--prior", prior, "-q")


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "table", *FEW, "-o", "table"),
        ("fit", "table", *FEW, "-o", "link"),
        ("predict", "m.rarewood", "table", "-o", "m.rarewood"),
        ("predict", "m.rarewood", "table", "-o", "./table"),
        ("predict", "m.rarewood", "link", "-o", "table"),
        ("predict", "m.rarewood", "b.db::t", "-o", "b.db"),
        ("report", "m.rarewood", "table", "-o", "m.rarewood"),
        ("report", "m.rarewood", "other", "--train", "table", "-o", "table"),
        ("compare", "table", "-o", "table"),
        ("compare", "table", "-o", "page", "--cache", "page"),
        ("recalibrate", "m.rarewood", "table", "-o", "m.rarewood"),
        ("review", "m.rarewood", "table", "-n", 5, "-o", "table"),
        ("monitor", "m.rarewood", "table", "--html", "table"),
        ("fit", "parts", "--memory", "1GB", *FEW, "-o", "parts/a"),
        ("fit", "parts/*", "--memory", "1GB", *FEW, "-o", "parts/a"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments)),
)
def test_no_command_writes_over_what_it_reads(tables, program, arguments):
    for name in ("table", "other", "b.db"):
        (program.folder / name).write_bytes((tables / "test.csv").read_bytes())
    (program.folder / "link").symlink_to("table")
    (program.folder / "m.rarewood").write_bytes((tables / "m.rarewood").read_bytes())
    (program.folder / "parts").mkdir()
    (program.folder / "parts" / "a").write_bytes(b"PAR1")
    before = {path: path.read_bytes() for path in program.folder.rglob("*") if path.is_file()}
    message = fails(program, ExitCode.USAGE, *arguments)
    assert f"{'--html' if '--html' in arguments else '--output'} {arguments[-1]} would write over" in message
    assert "which is read; name another file" in message
    assert {path: path.read_bytes() for path in program.folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("link", "to", "message"),
    [
        ("out.csv", "nowhere/out.csv", "there is no folder"),
        ("out.csv", "out.csv", "leads back to itself"),
        ("out.csv", ".", "is a folder"),
        ("out.csv", "/dev/full", "No space left"),
    ],
)
def test_links_that_lead_to_no_file(tables, program, link, to, message):
    (program.folder / link).symlink_to(to)
    assert message in fails(
        program, ExitCode.UNWRITABLE, "predict", tables / "m.rarewood", tables / "test.csv", "-o", link
    )
    assert (program.folder / link).is_symlink()


@pytest.mark.parametrize("text", [b"x" * 2**24, b"," * 2**24, b"a,b\n1," + b"2" * 2**24, b'{"a": "' + b"x" * 2**24])
def test_a_small_file_with_an_endless_line_is_refused_before_it_fills_memory(program, write, text):
    name = write(gzip.compress(text), "t.csv.gz")
    tracemalloc.start()
    try:
        message = program("fit", name, *FEW, code=None).err
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "t.csv.gz has a line of more than 8,388,608 bytes" in message
    assert peak < 3 * 2**24  # of a line that is read in whole, bytes, text and cells have their own copies


@pytest.mark.parametrize(
    "text", [b'[{"a":' * 100_000, b'{"a":' * 100_000, b'[{"a":' + b"[" * 10**5 + b"]" * 10**5 + b"}]"]
)
def test_json_in_many_brackets(program, write, text):
    assert "too many brackets inside each other" in fails(
        program, ExitCode.UNREADABLE, "fit", write(text, "t.json"), *FEW
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("predict", "m.rarewood", ""), ExitCode.USAGE),
        (("predict", "m.rarewood", "table", "-o", ""), ExitCode.USAGE),
        (("fit", "table", "-o", ""), ExitCode.USAGE),
        (("predict", "m.rarewood", "n" * 300), ExitCode.UNREADABLE),
        (("predict", "m.rarewood", "table", "-o", "n" * 300), ExitCode.UNWRITABLE),
    ],
)
def test_names_that_no_file_can_have(tables, program, arguments, code):
    known = {"m.rarewood": tables / "m.rarewood", "table": tables / "test.csv"}
    err = program(*(known.get(each, each) for each in arguments), code=code).err
    assert "Errno" not in err
    assert "is empty" in err or "empty name" in err or "cannot be" in err
    assert list(program.folder.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="sockets in folders")
def test_a_socket_is_no_table(tables, program):
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("s")
        assert "s cannot be read" in program("predict", tables / "m.rarewood", "s", code=ExitCode.UNREADABLE).err


@pytest.mark.skipif(os.name == "nt", reason="the folder that is open cannot be removed")
def test_a_folder_that_is_gone(tables, program):
    program.folder.rmdir()
    err = program("fit", tables / "train.csv", *FEW, code=ExitCode.UNWRITABLE).err
    assert "train.rarewood cannot be written: No such file or directory" in err
    program.folder.mkdir()
