"""The page that all reports are shown in: one HTML file that needs nothing else.

The libraries that draw the charts come out of the package vl-convert-python and are written into
the page, as are its style and its script. A content security policy in its head forbids the page to
fetch anything, whatever is in the documents that it shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from importlib.metadata import version
from typing import Any, Protocol

from quire.exceptions import MissingExtraError
from quire.report._page.html import NOTHING, Html, html, join, script_json
from quire.report._page.provenance import repeat_section
from quire.report._page.sections import Section

__all__ = ["PageData", "script_with_data", "whole_page"]

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


class PageData(Protocol):
    """What the data of every report has."""

    @property
    def title(self) -> str:
        """The heading of the page."""

    @property
    def created(self) -> str:
        """When the report was made."""

    @property
    def settings(self) -> dict[str, Any]:
        """What was set, and ``"command"`` where a command made it."""

    @property
    def versions(self) -> dict[str, str]:
        """Packages."""


def whole_page(
    data: PageData,
    about: str,
    sections: Iterable[Section],
    *,
    styles: Iterable[str] = (),
    scripts: Iterable[Html] = (),
    more_settings: Html = NOTHING,
) -> Html:
    """Return a page with its sections, charts and the libraries that draw them.

    Parameters
    ----------
    data : PageData
        What the page is called, when and how it was made.
    about : str
        What it is about, for the line below its heading.
    sections : iterable of Section
        Those that are empty are left out; the one that says how to repeat the report comes last.
        The libraries that draw charts are left out of a page that has none.
    styles : iterable of str, default=()
        Files with CSS of its own, as :func:`asset` takes them.
    scripts : iterable of Html, default=()
        From :func:`script_with_data`.
    more_settings : Html, default=NOTHING
        What else to say about how it was made.
    """
    repeat = repeat_section(data.settings, data.versions, more_settings)
    shown = [one for one in (*sections, repeat) if one.body]
    charts = [chart for one in shown for chart in one.charts]
    links = [html('<li><a href="#{}">{}</a></li>', one.name, one.title) for one in shown]
    return html(
        _PAGE,
        title=data.title,
        policy=Html(_POLICY),
        style=join(asset(name) for name in ("_page/assets/report.css", *styles)),
        about=f"{about}. {data.created}.",
        links=join(links),
        sections=join([one.body for one in shown], html("\n")),
        version=version("quire"),
        specs=script_json({chart.name: chart.spec for chart in charts}),
        library=html(_LIBRARY, library=_library()) if charts else NOTHING,
        scripts=join(scripts),
        script=asset("_page/assets/report.js"),
    )


def script_with_data(script: str, name: str, value: object) -> Html:
    """Return a script of this package, and before it the data that it reads.

    Parameters
    ----------
    script : str
        Its file, as :func:`asset` takes it.
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
        script=asset(script),
    )


@cache
def asset(name: str) -> Html:
    """Return a file of this package, named by its path in it, as text that is trusted."""
    return Html(resources.files("quire.report").joinpath(name).read_text(encoding="utf-8"))


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
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header><h1 dir="auto">{title}</h1><p class="soft">{about}</p></header>
<div class="columns">
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main id="main" tabindex="-1">
<noscript><p class="warn">Charts need JavaScript; their numbers are in the tables below them.</p>
</noscript>
{sections}
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
