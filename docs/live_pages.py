"""Pages that the site shows as they are: a report, a month that is monitored, a comparison; made when the site is built."""

from __future__ import annotations

from pathlib import Path

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rarewood as rw


def make_live_pages(folder: Path) -> None:
    """Write the pages; all of them are about the table that comes with the package."""
    folder.mkdir(parents=True, exist_ok=True)
    blocks = rw.datasets.load("page_blocks")
    X, X_new, y, y_new = train_test_split(blocks.X, blocks.y, test_size=0.5, stratify=blocks.y, random_state=0)
    X_test, X_later, y_test, _ = train_test_split(X_new, y_new, test_size=0.5, stratify=y_new, random_state=0)
    model = rw.RareClassifier(threshold="precision=0.8@90%", random_state=0).fit(X, y)
    rw.report.build(
        model,
        X_test,
        y_test,
        train=(X, y),
        others={"HeDEx": rw.HeDExClassifier(random_state=0).fit(X, y)},
        title="Blocks of scanned pages: which are no text?",
        split="A quarter of the blocks, drawn at random.",
        card={"Meant for": "an example on the site of rarewood"},
        path=folder / "report.html",
    )
    fainter = X_later.assign(black_share=0.75 * X_later["black_share"], black_pixels=0.75 * X_later["black_pixels"])
    rw.monitoring.monitor(model, fainter).to_html(folder / "monitoring.html")
    methods = {
        "RareClassifier": rw.RareClassifier(),
        "HeDEx": rw.HeDExClassifier(),
        "random forest": RandomForestClassifier(),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
    rw.evaluation.compare(
        methods, {"blocks": (X, y)}, "1x5", ["average_precision", "log_loss"], progress=False, random_state=0
    ).to_html(folder / "comparison.html")
