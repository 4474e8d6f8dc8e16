"""Draw docs/images/report.png again: two sections of the report of README's example, as Chromium shows them.

Run it as ``python scripts/report_picture.py``; it needs playwright, Pillow and a Chromium (see tests/support/browser.py).
"""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.model_selection import train_test_split

import rarewood as rw

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import browser  # noqa: E402

SECTIONS = ("in-short", "decide")
WIDTH, GAP = 1000, 12


def main() -> None:
    blocks = rw.datasets.load("page_blocks")
    X, X_new, y, y_new = train_test_split(blocks.X, blocks.y, stratify=blocks.y, random_state=0)
    model = rw.RareClassifier(threshold="precision=0.8@90%", random_state=0).fit(X, y)
    page = rw.report.build(model, X_new, y_new, baseline=False, n_rules=0, title="Page blocks")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page.save(Path(folder) / "report.html")
        chromium = playwright.chromium.launch(executable_path=browser.chromium(), args=["--no-sandbox"])
        shown = chromium.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        shown.goto((Path(folder) / "report.html").as_uri())
        shown.evaluate("document.querySelectorAll('section:has(#decide) .charts ~ *').forEach(each => each.remove())")
        shots = [shown.locator(f"section:has(#{name})").screenshot() for name in SECTIONS]
        chromium.close()
    pictures = [Image.open(io.BytesIO(shot)) for shot in shots]
    whole = Image.new("RGB", (pictures[0].width, sum(each.height + GAP for each in pictures) - GAP), "#fbfaf7")
    top = 0
    for each in pictures:
        whole.paste(each, (0, top))
        top += each.height + GAP
    path = ROOT / "docs" / "images" / "report.png"
    whole.quantize(128).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {whole.width} x {whole.height}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
