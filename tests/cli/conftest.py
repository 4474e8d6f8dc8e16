import pytest

pytest.importorskip("typer")

from support.command_line import Program, payments, start


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """A folder with payments to learn from and to test on, in several formats, and a model."""
    folder = tmp_path_factory.mktemp("tables")
    train, test = payments(1500, 0), payments(700, 1, "T")
    train.to_csv(folder / "train.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    process = start(
        "fit",
        "train.csv",
        "--id",
        "payment_id",
        "-m",
        "brf",
        "-s",
        "n_estimators=25",
        "-o",
        "m.rarewood",
        folder=folder,
    )
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    (folder / "fit.txt").write_text(out)
    return folder


@pytest.fixture
def program(tmp_path, monkeypatch, capfd):
    return Program(tmp_path, monkeypatch, capfd)
