"""Pieces of a page that is written without templates: the frame of a document, and tables that scroll by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.metadata import version

from rarewood._pages import content_hash, page_script, page_style, unbroken


def document(title: str, lead: str, sections: Mapping[str, tuple[str, str]]) -> str:
    """A whole document that loads nothing; `sections` has heading and content by anchor, `lead` and content are HTML."""
    style, script = page_style(), page_script()
    policy = (
        f"default-src 'none'; style-src '{content_hash(style)}'; script-src '{content_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    links = "".join(f'<li><a href="#{anchor}">{escape(heading)}</a></li>' for anchor, (heading, _) in sections.items())
    parts = "\n".join(
        f'<section aria-labelledby="{anchor}">\n<h2 id="{anchor}">{escape(heading)}</h2>\n{content}\n</section>'
        for anchor, (heading, content) in sections.items()
    )
    made = version("rarewood")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="rarewood {made}">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the figures</a>
<header>
<h1>{escape(title)}</h1>
<p class="soft">{unbroken(lead)}</p>
<nav aria-label="Sections"><ul>{links}</ul></nav>
</header>
<main id="main">
{unbroken(parts)}
</main>
<footer>
<p>Made by rarewood {made}. This page is self-contained: it loads nothing and sends nothing.</p>
</footer>
<script>{script}</script>
</body>
</html>
"""


def scrolling(label: str, table: str) -> str:
    """A table that scrolls by itself where it is wider than the screen; the script shows the hint where it does."""
    hint = '<p class="cue" aria-hidden="true" hidden>Scroll sideways for more columns →</p>\n'
    return f'{hint}<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">\n{table}\n</div>'
