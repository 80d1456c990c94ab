"""How Sphinx builds the site."""

import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from docutils import nodes

sys.path.append(str(Path(__file__).parent / "_ext"))

project = "quire"
author = "the quire developers"
copyright = "the quire developers"
version = release = installed_version("quire")

extensions = [
    "lessons",
    "mathml",
    "myst_parser",
    "picture",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build", "_pictures"]
templates_path = ["_templates"]
# "ref.python": a parameter in backticks may also be an attribute of two classes: no link then.
suppress_warnings = ["config.cache", "ref.python"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings state the types
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"quire {version}"
html_logo = "_static/quire.svg"
html_favicon = "_static/quire.svg"
html_static_path = ["_static"]
html_css_files = ["quire.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1f5f6b",
        "color-brand-content": "#1f5f6b",
        "color-brand-visited": "#5b4a78",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7cc4d0",
        "color-brand-content": "#7cc4d0",
        "color-brand-visited": "#b8a5d8",
    },
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"


def skip_scikit_learns(app, what, name, obj, skip, options):
    """Leave out the methods that every scikit-learn estimator has, such as `get_params`."""
    return skip or str(getattr(obj, "__module__", "")).startswith("sklearn.") or None


def escape_types(app, what, name, obj, options, lines):
    """Keep `shape (n_features_in_,)` in the type of a parameter from being read as a link."""
    for number, line in enumerate(lines):
        parameter, colon, kind = line.partition(" : ")
        if colon and re.fullmatch(r"[\w*, ]+", parameter):
            lines[number] = parameter + colon + re.sub(r"(?<=\w)_(?![\w`])", r"\_", kind)


def strip_examples(app, doctree):
    """Drop the empty line that ends an example: doctest needs it, readers do not."""
    for block in doctree.findall(nodes.literal_block):
        block.rawsource = block.astext().rstrip("\n")
        block.children = []
        block += nodes.Text(block.rawsource)


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", escape_types, priority=400)  # before napoleon
    app.connect("doctree-read", strip_examples)
    app.connect("autodoc-skip-member", skip_scikit_learns)
