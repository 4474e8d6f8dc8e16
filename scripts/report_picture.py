"""Draw docs/images/report.png again: two sections of a report on generated card payments, as Chromium shows them.

Run it as ``python scripts/report_picture.py``; it needs playwright, Pillow and a Chromium (see tests/support/browser.py).
"""

import io
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

import rarewood as rw
from rarewood.datasets import make_planted_rules

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import browser  # noqa: E402

SECTIONS = ("in-short", "decide")
WIDTH, GAP = 1000, 12


def main() -> None:
    train, test = (make_planted_rules(n, as_frame=True, random_state=seed) for seed, n in ((0, 10_000), (1, 5_000)))
    known, asked = (np.where(table.y == 1, "fraud", "regular") for table in (train, test))
    model = rw.RareClassifier(random_state=0).fit(train.X, known)
    page = rw.report.build(model, test.X, asked, baseline=False, n_rules=0, title="Card payments")
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
