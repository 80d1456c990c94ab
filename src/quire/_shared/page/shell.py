"""The shell of every page: one HTML file that needs nothing else.

The libraries that draw the charts come out of the package vl-convert-python and are written into
the page, as are its style and its script. A content security policy in its head forbids the page to
fetch anything, whatever is in the documents that it shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from importlib.metadata import version

from quire._shared.page.html import NOTHING, Html, html, join, script_json
from quire._shared.page.sections import Section
from quire.exceptions import MissingExtraError

__all__ = ["asset", "controls", "script_with_data", "shell"]

_PACKAGE = "quire._shared.page"
_STYLES = ("assets/page.css", "assets/tables.css")
_SCRIPTS = ("assets/charts.js", "assets/tables.js", "assets/printing.js", "assets/saving.js")
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def shell(
    title: str,
    about: str,
    sections: Iterable[Section],
    *,
    kind: str = "report",
    styles: Iterable[Html] = (),
    scripts: Iterable[Html] = (),
) -> Html:
    """Return a page with its sections, charts and the libraries that draw them.

    Parameters
    ----------
    title : str
        The heading of the page.
    about : str
        The line below its heading.
    sections : iterable of Section
        Those that are empty are left out. The libraries that draw charts are left out of a page
        that has none.
    kind : str, default="report"
        What the page is, for the link that skips to it.
    styles : iterable of Html, default=()
        CSS of its own, from :func:`asset`.
    scripts : iterable of Html, default=()
        From :func:`script_with_data`.
    """
    shown = [one for one in sections if one.body]
    charts = [chart for one in shown for chart in one.charts]
    links = [html('<li><a href="#{}">{}</a></li>', one.name, one.title) for one in shown]
    return html(
        _PAGE,
        title=title,
        policy=Html(_POLICY),
        style=join([*(asset(_PACKAGE, name) for name in _STYLES), *styles]),
        kind=kind,
        about=about,
        links=join(links),
        warning=_NO_SCRIPT if charts else NOTHING,
        sections=join([one.body for one in shown], html("\n")),
        version=version("quire"),
        specs=script_json({chart.name: chart.spec for chart in charts}),
        library=html(_LIBRARY, library=_library()) if charts else NOTHING,
        scripts=join(scripts),
        print_style=asset(_PACKAGE, "assets/print.css"),
        script=join([asset(_PACKAGE, name) for name in _SCRIPTS], html("\n")),
    )


def script_with_data(script: Html, name: str, value: object) -> Html:
    """Return a script of this package, and before it the data that it reads.

    Parameters
    ----------
    script : Html
        From :func:`asset`.
    name : str
        The id of the element that holds the data.
    value : object
        The data, ready for JSON.
    """
    return html(
        '<script type="application/json" id="{name}">{data}</script>\n'
        "<script>\n{script}\n</script>\n",
        name=name,
        data=script_json(value),
        script=script,
    )


@cache
def asset(package: str, name: str) -> Html:
    """Return a file of a package, named by its path in it, as text that is trusted."""
    return Html(resources.files(package).joinpath(name).read_text(encoding="utf-8"))


def controls() -> Html:
    """Return the style of buttons, sliders and lists to choose from, for pages that have some."""
    return asset(_PACKAGE, "assets/controls.css")


@cache
def _library() -> Html:
    """Return Vega, Vega-Lite and Vega-Embed as one script that leaves one name behind."""
    try:
        from vl_convert import javascript_bundle
    except ImportError as error:
        raise MissingExtraError(
            "Reports need vl-convert-python, which is not installed: pip install 'quire[report]'"
        ) from error
    bundle = str(javascript_bundle("window.quireEmbed = vegaEmbed;"))
    return Html(bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--"))


_LIBRARY = """<script>
/* Vega, Vega-Lite and Vega-Embed: Copyright University of Washington Interactive Data Lab and
   contributors, BSD 3-Clause licence. */
(function () {{
{library}
}})();
</script>
"""
_NO_SCRIPT = html(
    '<noscript><p class="warn">Charts need JavaScript; their numbers are in the tables below them.'
    "</p>\n</noscript>\n"
)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}
</style>
<style id="print-style" media="print">
{print_style}
</style>
</head>
<body>
<a class="skip" href="#main">Skip to the {kind}</a>
<header><h1 dir="auto">{title}</h1><p class="soft">{about}</p></header>
<div class="columns">
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main id="main" tabindex="-1">
{warning}{sections}
</main>
</div>
<footer><p class="soft">Made by quire {version}. This file is complete: it fetches nothing.</p>
</footer>
<script type="application/json" id="chart-specs">{specs}</script>
{library}{scripts}<script>
{script}
</script>
</body>
</html>
"""
