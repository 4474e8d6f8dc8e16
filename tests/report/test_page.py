"""The page as text: complete, well-formed, safe, and nothing from elsewhere."""

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from rarewood import report
from rarewood._pages.numbers import (
    decimal_in_words,
    money_in_words,
    percent_in_words,
    signed_in_words,
    threshold_in_words,
)
from rarewood.report import Report, render
from support.hostile import HOSTILE

VOID = {"meta", "input", "img", "br", "link", "hr"}
DRAWN_EMPTY = {"line", "rect", "circle", "polyline"}


class Reader(HTMLParser):
    """Collects elements and text, and checks that tags are closed in order."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.texts = [], [], {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        assert tag in DRAWN_EMPTY

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(text)

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module", params=["payments_report", "hostile_report"])
def page(request):
    return request.getfixturevalue(request.param).html


@pytest.fixture(scope="module")
def read(page):
    reader = Reader(page)
    assert reader.open == []
    return reader


def test_every_section_is_there(page):
    titles = re.findall(r"<h2[^>]*>([^<]+)</h2>", page)
    assert titles == [
        "In short",
        "Model card",
        "The data",
        "Choosing the threshold",
        "What errors cost",
        "Gains and lift",
        "If you can review N rows a day",
        "Calibration: are the scores probabilities?",
        "Segments",
        "Weak spots",
        "Over time",
        "Drift from training to test rows",
        "Effects of columns",
        "Columns: the data dictionary",
        "Rules of the rare class",
        "Strongest alarms, worst misses",
        "Compared with other methods",
        "How much data is needed",
        "About the figures",
    ]


def test_nothing_comes_from_elsewhere(page, read):
    for tag, attrs in read.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
        assert not {"src", "action", "data", "srcset", "style"} & set(attrs)
        assert not any(name.startswith("on") for name in attrs)
        assert attrs.get("href", "#").startswith("#")
    style = "".join(read.texts["style"])
    assert not re.search(r"url\(|@import|expression", style)
    assert "http" not in page.replace("http-equiv", "")


def test_only_its_own_script_may_run(page, read):
    policy = next(attrs["content"] for attrs in read.all("meta") if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        text = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert len(text) == 1
        assert base64.b64encode(hashlib.sha256(text[0].encode()).digest()).decode() in policy
    assert [attrs.get("type") for attrs in read.all("script")] == ["application/json", None]


def test_no_line_ends_before_a_percent_sign(page):
    assert "\u00a0%" in page
    assert not re.search(r"\d %", page.partition("</head>")[2].partition("<script")[0])


def test_names_are_escaped(hostile_report):
    page = hostile_report.html
    assert HOSTILE not in page
    assert "&lt;img src=x" in page
    assert page.count("<script") == 2
    assert "&lt;rare&gt; &amp; &#39;quoted&#39;" in page
    assert "a &amp; b" in page
    assert "<script>" not in hostile_report._repr_html_()


def test_it_can_be_read_by_machines(read):
    ids = [attrs["id"] for _, attrs in read.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for name in ("aria-labelledby", "aria-describedby"):
        for _, attrs in read.elements:
            assert set(attrs.get(name, "").split()) <= set(ids)
    labelled = {attrs["for"] for attrs in read.all("label")}
    assert {attrs["id"] for attrs in read.all("input")} == labelled
    assert len(read.all("table")) == len(read.all("caption"))
    assert all(attrs.get("scope") in ("col", "row") for attrs in read.all("th"))
    charts = [attrs for attrs in read.all("svg") if attrs["class"] == "chart"]
    assert len(charts) == len(read.all("title")) - 1 == len(read.all("desc")) >= 12
    assert all(attrs["role"] == "img" for attrs in charts)
    assert all(attrs.get("aria-hidden") == "true" for attrs in read.all("svg") if attrs["class"] != "chart")
    assert {attrs["href"][1:] for attrs in read.all("a")} <= set(ids)
    assert read.all("html") == [{"lang": "en"}]
    assert len(read.all("h1")) == 1


def test_a_summary_read_back_gives_the_same_page(payments_report):
    assert render(json.loads(json.dumps(payments_report.summary))) == payments_report.html


def test_a_summary_of_an_earlier_release_still_gives_a_page(payments_report):
    new = {"card", "intervals", "gains", "review", "cost_curve", "segments", "slices", "periods", "drift", "effects"}
    new |= {"learning_curve"}
    old = {
        key: value
        for key, value in json.loads(json.dumps(payments_report.summary)).items()
        if key not in new | {"split"}
    }
    del old["calibration"]["adds_up"]
    for row in old["baselines"]["compared"]:
        del row["curve"]
    for key in ("reason", "chosen_here"):
        del old["threshold"][key]
    for column in old["columns"]:
        for key in ("kind", "values", "n_distinct", "train_missing_share"):
            del column[key]
    for row in [*old["single_rows"]["strongest"], *old["single_rows"]["misses"]]:
        del row["name"], row["is_alarm"]
    page = render(old)
    assert page.count("<h2") == payments_report.html.count("<h2") - 10
    assert page.count('class="chart"') == 5


def test_a_review_of_more_than_a_day_brings_is_explained(payments_report):
    summary = payments_report.summary
    review = summary["review"]
    assert (review["most"], review["listed"][-1]["n"]) == (100, 20)
    assert "No day has more than" not in render(summary)
    more = {**review, "listed": [*review["listed"], {**review["listed"][-1], "n": 100}]}
    assert "No day has more than 100 rows, so a review" in render({**summary, "review": more})


@pytest.mark.parametrize(
    ("signs", "reason"),
    [
        ("+---", "a single rare row"),
        ("+++-", "a single row that is not rare"),
        ("++--", "all rare rows rank first"),
        ("--++", "all rare rows rank last"),
        ("+-+-", None),
    ],
)
def test_an_area_without_an_interval_says_why(payments, signs, reason):
    _, test, model = payments
    score = model.predict_proba(test.X)[:, 1]
    order = np.argsort(-score, kind="stable")[[0, 400, 800, 1200]]
    y = np.array([sign == "+" for sign in signs]).astype(int)
    page = report.build(model, test.X.iloc[order], y, positive=1, baseline=False).html
    assert re.findall("no interval: ([^<]*)<", page) == ([] if reason is None else [reason])


def test_a_page_is_small(payments_report):
    assert len(payments_report.html) < 300_000


class TestSaving:
    def test_the_file_is_the_page(self, payments_report, tmp_path):
        payments_report.save(tmp_path / "page.html")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == payments_report.html
        assert [path.name for path in tmp_path.iterdir()] == ["page.html"]

    def test_nothing_is_half_written(self, payments_report, tmp_path, monkeypatch):
        (tmp_path / "page.html").write_text("before")
        monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            payments_report.save(tmp_path / "page.html")
        assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
        assert (tmp_path / "page.html").read_text() == "before"

    def test_without_jinja_the_error_says_what_to_install(self, payments_report, monkeypatch):
        monkeypatch.setitem(sys.modules, "jinja2", None)
        with pytest.raises(ImportError, match=r"a report needs jinja2; install it with: pip install 'jinja2'"):
            _ = Report(payments_report.summary).html


def test_words(payments_report):
    assert repr(payments_report).startswith("Report('Payments': 1,500 rows, ")
    assert 'sandbox="allow-scripts"' in payments_report._repr_html_()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0000"), (0.25, "0.2500"), (0.00123, "0.0012"), (0.00012, "1.2e-4"), (3.1e-17, "3.1e-17"), (1, "1.0000")],
)
def test_thresholds_in_words(value, text):
    assert threshold_in_words(value) == text


def test_numbers_in_words():
    assert decimal_in_words(1234567.125, 2) == "1,234,567.13"
    assert decimal_in_words(-0.25, 1) == "−0.3"
    assert [signed_in_words(value) for value in (0.0012, -0.0012, -0.0001, 0.0)] == [
        "+0.001",
        "−0.001",
        "0.000",
        "0.000",
    ]
    assert percent_in_words(0.0625) == "6.3\u00a0%"  # a half goes up, as in the script
    assert percent_in_words(None) == "–"
    assert (money_in_words(1200.0), money_in_words(0.5)) == ("1,200", "0.50")
