"""The page in a real browser: the slider moves, the numbers are right, nothing is fetched, nothing fails."""

import re
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from rarewood._pages.numbers import decimal_in_words, money_in_words, percent_in_words, threshold_in_words
from rarewood.evaluation import compare
from rarewood.metrics.uncertainty import wilson
from rarewood.report._charts import draw
from rarewood.report._scores import ScoredRows, decisions_at
from rarewood.report._sections.cost_curve import cost_curve
from rarewood.report._sections.review import review
from support import browser as real
from support.subjects import subject_of

pytestmark = pytest.mark.skipif(real.why_none() is not None, reason=str(real.why_none()))


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LD_PRELOAD", raising=False)  # a sanitizer watches how pages are made, not the browser
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=real.chromium(), args=["--no-sandbox"])
            yield browser
            browser.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory, payments_report, hostile_report):
    folder = tmp_path_factory.mktemp("pages")
    payments_report.save(folder / "payments.html")
    hostile_report.save(folder / "hostile.html")
    tables = {name: load_breast_cancer() for name in ("one", "a table with a long name" * 3)}
    methods = {
        name: DecisionTreeClassifier(max_depth=depth) for depth, name in enumerate(("<i>stump</i>", "tree" * 20), 1)
    }
    for name, some in (("comparison", tables), ("one_table", {"one": tables["one"]})):
        compare(methods, some, "1x3", ["auc", "log_loss"], progress=False).to_html(folder / f"{name}.html")
    return folder


@pytest.fixture
def open_page(chromium, files):
    """Opens a page; at the end, no error may have been logged and nothing but the file requested."""
    contexts, said, asked = [], [], []

    def open_(name="payments", **settings):
        context = chromium.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((files / f"{name}.html").as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert said == []
    assert len(asked) == len(contexts)
    assert all(url.startswith("file:") for url in asked)


@pytest.fixture(scope="module")
def rows(payments):
    _, test, model = payments
    return ScoredRows(model.predict_proba(test.X)[:, 1], test.y == 1)


SHOWN = ("tp", "fp", "fn", "tn", "alarms", "precision", "recall", "f1", "false-alarm-rate", "cost")


def shown(page):
    return page.evaluate(
        "names => Object.fromEntries(names.map(name => [name, document.getElementById(name).innerText]))", SHOWN
    )


def expected(rows, threshold, costs=(1.5, 20.0)):
    at = decisions_at(rows, threshold, costs)
    return {
        "tp": f"{at['true_positives']:,}",
        "fp": f"{at['false_positives']:,}",
        "fn": f"{at['false_negatives']:,}",
        "tn": f"{at['true_negatives']:,}",
        "alarms": f"{at['alarms']:,}",
        "precision": percent_in_words(at["precision"]),
        "recall": percent_in_words(at["recall"]),
        "f1": decimal_in_words(at["f1"], 3),
        "false-alarm-rate": percent_in_words(at["false_alarm_rate"]),
        "cost": money_in_words(at["cost"]),
    }


def threshold_at(page):
    """The exact threshold at which the slider stands."""
    return page.evaluate(
        "JSON.parse(document.getElementById('moving').textContent).threshold[+document.getElementById('threshold').value]"
    )


def slide_to(page, place):
    page.eval_on_selector(
        "#threshold", "(slider, place) => { slider.value = place; slider.dispatchEvent(new Event('input')); }", place
    )


def test_it_opens_at_the_threshold_of_the_model(open_page, rows):
    page = open_page()
    assert threshold_at(page) == 0.25
    assert page.input_value("#threshold-value") == "0.2500"
    assert shown(page) == expected(rows, 0.25)


def test_the_script_writes_what_the_page_says_without_it(open_page):
    with_script, without = open_page(), open_page(java_script_enabled=False)
    assert shown(with_script) == shown(without)
    for mark in ("mark-roc", "mark-pr"):
        for end in ("cx", "cy"):
            here, there = (float(page.get_attribute(f"#{mark}", end)) for page in (with_script, without))
            assert here == pytest.approx(there, abs=0.01)
    assert not without.is_visible("#threshold")
    assert without.is_visible("noscript p")


def test_the_slider_moves_every_number(open_page, rows):
    page = open_page()
    last = int(page.get_attribute("#threshold", "max"))
    before, places = shown(page), set()
    for place in {0, 1, last // 3, last // 2, 9 * last // 10, last - 1, last}:
        slide_to(page, place)
        assert shown(page) == expected(rows, threshold_at(page))
        places.add(page.get_attribute("#mark-roc", "cx") + page.get_attribute("#mark-roc", "cy"))
    assert len(places) == 7
    slide_to(page, last)
    assert page.inner_text("#precision") == "–"
    assert not page.is_visible("#mark-pr")
    slide_to(page, 0)
    assert all(shown(page)[name] != before[name] for name in SHOWN)


def test_the_keyboard_is_enough(open_page, rows):
    page = open_page()
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
        if reached[-1] == "threshold":
            break
    assert reached[0] == "Skip to the figures"
    assert reached[-1] == "threshold"
    start = threshold_at(page)
    page.keyboard.press("ArrowRight")
    assert threshold_at(page) > start
    page.keyboard.press("Home")
    assert page.inner_text("#recall") == "100.0\u00a0%"
    page.keyboard.press("Tab")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("0.4")
    assert shown(page) == expected(rows, 0.4)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "cost-false-alarm"


def test_costs_and_buttons(open_page, rows):
    page = open_page()
    page.fill("#cost-false-alarm", "1")
    page.fill("#cost-miss", "3")
    assert page.inner_text("#cost") == expected(rows, 0.25, (1.0, 3.0))["cost"]
    page.click("#take-cheapest")
    cheapest = min(decisions_at(rows, t, (1, 3))["cost"] for t in [*rows.scores, 2.0])
    assert page.inner_text("#cost") == money_in_words(cheapest)
    page.click("#take-f1")
    best = max(decisions_at(rows, t, (1, 3))["f1"] for t in rows.scores)
    assert page.inner_text("#f1") == decimal_in_words(best, 3)
    page.click("#take-model")
    assert threshold_at(page) == 0.25


def test_nonsense_in_the_fields_breaks_nothing(open_page):
    page = open_page()
    page.fill("#cost-miss", "-5")
    assert page.inner_text("#cost") == money_in_words(1.5 * int(page.inner_text("#fp")))
    page.fill("#threshold-value", "")
    page.fill("#threshold-value", "7")
    assert page.inner_text("#alarms") == "0"
    page.fill("#threshold-value", "-7")
    assert page.inner_text("#recall") == "100.0\u00a0%"


def test_a_screen_reader_hears_where_the_slider_rests(open_page):
    from playwright.sync_api import expect

    page = open_page()
    slide_to(page, 5)
    expect(page.locator("#in-words")).to_contain_text("recall 100.0 %")
    words = page.inner_text("#in-words")
    assert words.startswith(
        f"At {threshold_in_words(threshold_at(page))} or above: {page.inner_text('#alarms')} alarms"
    )
    assert page.get_attribute("#in-words", "aria-live") == "polite"
    assert page.inner_text("#alarms") in page.get_attribute("#threshold", "aria-valuetext")


@pytest.mark.parametrize("name", ["payments", "hostile"])
@pytest.mark.parametrize("width", [320, 768, 1280])
def test_it_fits_every_screen(open_page, name, width):
    page = open_page(name, viewport={"width": width, "height": 700})
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        """[...document.querySelectorAll('button, input')]
           .filter(each => each.getBoundingClientRect().height < 24).map(each => each.id)"""
    )
    assert small == []


def test_heads_of_tables_stay_low_on_a_phone(open_page):
    page = open_page(viewport={"width": 390, "height": 800})
    script = "[...document.querySelectorAll('thead tr')].map(row => row.offsetHeight / parseFloat(getComputedStyle(row).fontSize))"
    heights = page.evaluate(script)
    assert heights
    assert max(heights) < 7  # three lines


def test_names_cannot_take_the_page_over(open_page):
    page = open_page("hostile")
    assert page.title().startswith("A title </script><script>")
    assert page.locator("img").count() == 0


CONTRAST = """
() => {
  const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (text) => {
    paint.clearRect(0, 0, 1, 1); paint.fillStyle = text; paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => (c * top[3] + below[i] * (255 - top[3])) / 255);
  const ground = (element) => {
    const chain = [];
    for (let each = element; each; each = each.parentElement) chain.unshift(rgba(getComputedStyle(each).backgroundColor));
    return chain.reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const element of document.querySelectorAll('main *, header *')) {
    const speaks = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!speaks || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const inside = element.namespaceURI.endsWith('svg');
    const ink = light(over(rgba(inside ? style.fill : style.color), ground(element)));
    const page = light(ground(element));
    const ratio = (Math.max(ink, page) + 0.05) / (Math.min(ink, page) + 0.05);
    if (ratio < 4.5) found.push(`${element.tagName} ${element.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
  }
  return found;
}
"""


@pytest.mark.parametrize("name", ["payments", "hostile"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_dark(open_page, name, scheme):
    page = open_page(name, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    bright = sum(map(int, re.findall(r"\d+", ground)[:3])) > 380
    assert bright == (scheme == "light")
    assert page.evaluate(CONTRAST) == []


def test_it_prints(open_page):
    page = open_page(color_scheme="dark")
    page.emulate_media(media="print")
    assert not page.is_visible("#threshold")
    assert not page.is_visible("nav")
    assert page.is_visible("#roc")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")


def test_a_notebook_shows_it_in_a_frame(chromium, payments_report, files):
    (files / "notebook.html").write_text(f"<!doctype html><body>{payments_report._repr_html_()}", encoding="utf-8")
    page = chromium.new_page()
    page.goto((files / "notebook.html").as_uri())
    frame = page.frames[1]
    frame.wait_for_selector("#threshold:visible")
    assert frame.inner_text("h1") == "Payments"
    page.close()


# ---------------------------------------------------------------------------------------------------------
# every section at every width, and on paper

WIDTHS = {"desktop": 1280, "tablet": 768, "phone": 390}
PAPER = 680  # A4 without its margins, in pixels

CUT_CHARTS = """
() => [...document.querySelectorAll('svg.chart')].flatMap((chart) => {
  const frame = chart.getBoundingClientRect();
  const section = chart.closest('section').getBoundingClientRect();
  const outside = [...chart.querySelectorAll('text, polyline, rect, circle, line')].filter((each) => {
    const box = each.getBoundingClientRect();
    return each.getClientRects().length && (box.left < frame.left - 2 || box.right > frame.right + 2
      || box.top < frame.top - 2 || box.bottom > frame.bottom + 2);
  }).map((each) => `${chart.id}: ${each.outerHTML.slice(0, 60)}`);
  const cut = frame.width < 120 || frame.left < section.left - 1 || frame.right > section.right + 1;
  return cut ? [chart.id, ...outside] : outside;
})
"""

WIDER_THAN_PAPER = """
(width) => [...document.querySelectorAll('main *, header *, footer *')].filter((each) =>
  each.getClientRects().length && !each.closest('.skip') && each.getBoundingClientRect().right > width + 1
).map((each) => `${each.tagName} ${each.textContent.trim().slice(0, 40)}`)
"""


@pytest.mark.parametrize("name", ["payments", "hostile"])
@pytest.mark.parametrize("screen", WIDTHS)
def test_no_chart_is_cut_and_nothing_runs_over(open_page, name, screen):
    page = open_page(name, viewport={"width": WIDTHS[screen], "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.locator("svg.chart").count() >= 12
    assert page.evaluate(CUT_CHARTS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[screen]


@pytest.mark.parametrize("name", ["comparison", "one_table"])
def test_comparisons_fit_every_screen_and_paper(open_page, name):
    page = open_page(name)
    for width in (*WIDTHS.values(), 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT_CHARTS) == []
    page.set_viewport_size({"width": PAPER, "height": 900})
    page.emulate_media(media="print")
    assert page.evaluate(WIDER_THAN_PAPER, PAPER) == []
    assert page.locator("main > section").count() == page.locator("nav a").count()
    assert page.evaluate("[...document.querySelectorAll('table')].every(each => each.caption && each.tHead)")


def test_small_tables_fit_a_phone(open_page):
    page = open_page(viewport={"width": WIDTHS["phone"], "height": 800})
    for label in ("Class balance", "Confusion matrix"):
        box = page.locator(f".scroll[aria-label='{label}']")
        assert box.evaluate("each => each.scrollWidth - each.clientWidth") <= 1


def test_paper_holds_everything(open_page):
    page = open_page(viewport={"width": PAPER, "height": 900})
    page.emulate_media(media="print")
    assert page.evaluate(WIDER_THAN_PAPER, PAPER) == []
    assert page.evaluate(CUT_CHARTS) == []
    calibration = page.locator("section:has(#probabilities) tbody tr")
    assert calibration.count() > 3
    assert calibration.first.is_visible()
    assert not page.locator(".cue").first.is_visible()
    assert not page.is_visible("#review-n")


def test_what_is_folded_on_screen_is_open_on_paper(open_page):
    page = open_page()
    page.evaluate(
        """document.querySelector('#columns').parentElement.insertAdjacentHTML('beforeend',
           '<details><summary>more</summary><p id="folded">the rest</p></details>')"""
    )
    assert not page.is_visible("#folded")
    page.emulate_media(media="print")
    assert page.is_visible("#folded")


def test_a_hint_says_that_a_table_goes_on(open_page):
    phone = open_page(viewport={"width": WIDTHS["phone"], "height": 800})
    hints = """[...document.querySelectorAll('.scroll')].map(box =>
        [box.scrollWidth > box.clientWidth + 1, !box.previousElementSibling.hidden, box.tabIndex === 0])"""
    found = phone.evaluate(hints)
    assert all(wide == hint == stop for wide, hint, stop in found)
    assert sum(wide for wide, _, _ in found) > 5
    assert phone.inner_text(".cue:visible >> nth=0") == "Scroll sideways for more columns →"
    desktop = open_page(viewport={"width": WIDTHS["desktop"], "height": 800})
    assert not any(wide for wide, _, _ in desktop.evaluate(hints))
    assert desktop.locator(".cue:visible").count() == 0
    desktop.set_viewport_size({"width": WIDTHS["phone"], "height": 800})
    desktop.wait_for_selector(".cue:visible")
    comparison = open_page("one_table", viewport={"width": WIDTHS["phone"], "height": 800})
    found = comparison.evaluate(hints)
    assert all(wide == hint == stop for wide, hint, stop in found)
    assert sum(wide for wide, _, _ in found) > 1


def test_headings_and_landmarks_are_in_order(open_page):
    page = open_page()
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map(each => Number(each.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for role in ("banner", "navigation", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    sections = page.locator("main > section")
    assert sections.count() == page.locator("nav a").count() == 19
    names = [page.get_by_role("region", name=name, exact=True).count() for name in ("Model card", "Gains and lift")]
    assert names == [1, 1]
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href")).evaluate("each => each.tagName") == "H2"
    assert page.evaluate("[...document.querySelectorAll('table')].every(each => each.caption && each.tHead)")


def test_intervals_move_with_the_threshold(open_page, rows):
    page = open_page()
    for threshold in (0.05, 0.2, 0.4):
        page.fill("#threshold-value", str(threshold))
        at = decisions_at(rows, threshold, (1.0, 1.0))
        for name, n in (("precision", at["alarms"]), ("recall", rows.n_rare)):
            low, high = (percent_in_words(end) for end in wilson(at["true_positives"], n))
            assert page.inner_text(f"#{name}-interval") == f"{low} to {high}"
    page.fill("#threshold-value", "7")
    assert page.inner_text("#precision-interval") == "–"


def test_the_cost_curve_follows_the_costs(open_page, payments, payments_report):
    page = open_page()
    before = page.get_attribute("#cost-line", "points")
    page.fill("#cost-false-alarm", "2")
    page.fill("#cost-miss", "700")
    assert page.get_attribute("#cost-line", "points") != before
    wanted = rebuilt_with_costs(payments_report.summary, payments, (2.0, 700.0))
    chart = draw(wanted)["cost_curve"]
    drawn, right = (
        np.array([point.split(",") for point in points.split()], dtype=float)
        for points in (page.get_attribute("#cost-line", "points"), chart["line"])
    )
    apart = np.abs(drawn[:, None, :] - right[None, :, :]).max(axis=2)
    assert apart.min(axis=0).max() <= 0.11  # tenths of a unit, rounded by either
    assert apart.min(axis=1).max() <= 0.11
    for mark, place in (("mark-cost", chart["chosen"]), ("cost-cheapest", chart["cheapest"])):
        found = [float(page.get_attribute(f"#{mark}", end)) for end in ("cx", "cy")]
        assert found == pytest.approx(list(place), abs=0.05)
    ticks = page.eval_on_selector_all("#cost-chart .ticks text", "all => all.map(each => each.textContent)")
    assert ticks == [text for _, text in chart["axes"].y_ticks]
    assert f": {money_in_words(wanted['cost_curve']['cheapest']['cost'])}." in page.inner_text("#cost-words")


def rebuilt_with_costs(summary, payments, costs):
    _, test, model = payments
    rows = ScoredRows(model.predict_proba(test.X)[:, 1], test.y == 1)
    return {
        **summary,
        "costs": {"false_alarm": costs[0], "miss": costs[1]},
        "decisions": decisions_at(rows, 0.25, costs),
        "cost_curve": cost_curve(subject_of(rows, threshold=0.25, costs=costs)),
    }


def test_rows_to_review_can_be_read_off(open_page, rows):
    page = open_page()
    days = np.arange(1500) // 100
    for number in (1, 3, 17, 100):
        page.fill("#review-n", str(number))
        (wanted,) = review(subject_of(rows, days=days, review=[number]))["listed"]
        words = page.inner_text("#review-words")
        assert words.startswith(f"Reviewing {number} row{'' if number == 1 else 's'} a day: ")
        assert f"recall {percent_in_words(wanted['recall'])}" in words
        assert f"{percent_in_words(wanted['precision'])} of the {wanted['reviewed']:,} reviewed rows" in words
    for nonsense in ("", "-3", "1000000"):
        page.fill("#review-n", nonsense)
        assert page.inner_text("#review-words").startswith("Reviewing ")
