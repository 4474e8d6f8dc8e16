"""Settings of the documentation site; `make docs` builds it into build/docs."""

from __future__ import annotations

import re
import shutil
import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_gallery.sorting import ExplicitOrder

sys.path.insert(0, str(Path(__file__).parent))
from live_pages import make_live_pages

project = "rarewood"
author = "The rarewood developers"
project_copyright = "The rarewood developers"
version = release = version_of("rarewood")

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx-mathjax-offline",  # formulas need no network, neither to build nor to read
]
exclude_patterns = ["_templates", "live_pages.py", "gallery/**/*.ipynb"]  # the notebooks of the gallery are to download
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "dollarmath", "substitution"]
myst_substitutions = {"version": release}
myst_heading_anchors = 3

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

autosummary_generate = True
autosummary_ignore_module_all = False
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # the docstrings say what is accepted, in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

GALLERY = [  # in the order to read them
    *("fraud_over_time", "credit_with_costs", "medical_screening", "faulty_batches"),
    *("a_tree", "criteria_under_skew", "planted_fraud", "thresholds_and_costs", "critical_difference"),
]
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "within_subsection_order": ExplicitOrder([f"plot_{name}.py" for name in GALLERY] + ["*"]),
    "abort_on_example_error": True,
    "copyfile_regex": r"^$",
    "download_all_examples": False,
    "min_reported_time": float("inf"),
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "backreferences_dir": None,
    "remove_config_comments": True,
    "capture_repr": ("_repr_html_",),
}

html_theme = "pydata_sphinx_theme"
html_title = "rarewood"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = html_favicon = "images/logo.svg"
html_context = {"default_mode": "auto"}  # light or dark as the reader has it
html_show_sourcelink = False
html_copy_source = False
html_theme_options: dict[str, Any] = {
    "logo": {"text": "rarewood"},
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


def skip_what_others_wrote(_app: Sphinx, _kind: str, name: str, member: Any, skip: bool, _options: Any) -> bool:
    """Leave out what a class inherits from another library, metadata routing above all: that has its own documentation."""
    function = getattr(member, "fget", None) or getattr(member, "__func__", member)
    home = getattr(function, "__module__", None)
    is_foreign = isinstance(home, str) and not home.startswith("rarewood")
    is_routing = name.startswith("set_") and name.endswith("_request")
    return skip or is_foreign or is_routing


def keep_initials(_app: Sphinx, _kind: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """A line that starts with the initial of an author is not the first entry of a list."""
    lines[:] = [re.sub(r"^(\s*)([A-Z]\. )", r"\1\\\2", line) for line in lines]


def colour_sessions(_app: Sphinx, doctree: nodes.document) -> None:
    """Highlight indented examples: Markdown has no place to say that they are sessions."""
    for block in doctree.findall(nodes.literal_block):
        if block.astext().startswith(">>> "):
            block["language"] = "pycon"


def write_live_pages(app: Sphinx, error: Exception | None) -> None:
    """A report and other pages of ours beside the site, and the pages as text for programs that read (llms.txt)."""
    if error is None and app.builder.format == "html":
        make_live_pages(Path(app.outdir) / "live")
        shutil.copy(Path(app.srcdir) / "llms.txt", Path(app.outdir) / "llms.txt")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-skip-member", skip_what_others_wrote)
    app.connect("autodoc-process-docstring", keep_initials, priority=400)  # before numpydoc
    app.connect("doctree-read", colour_sessions)
    app.connect("build-finished", write_live_pages)
