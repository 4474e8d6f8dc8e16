"""A real browser for tests of pages: Chromium, driven by playwright."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium():
    """Path of a Chromium on this machine; the environment may name another."""
    return os.environ.get("RAREWOOD_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def why_none():
    """Why no browser can be had, or None."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed: pip install playwright"
    if chromium() is None:
        return "no Chromium here: apt-get install chromium, or set RAREWOOD_CHROMIUM to its path"
    return None
