"""From the data of a report to one HTML file that needs nothing else.

The libraries that draw the charts come out of the package vl-convert-python and are written into
the page, as are its style and its script. A content security policy in its head forbids the page to
fetch anything, whatever is in the documents that it shows.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from importlib.metadata import version
from typing import Any

from quire.exceptions import MissingExtraError
from quire.report import _sections_data, _sections_models
from quire.report._charts import Chart
from quire.report._data import ReportData
from quire.report._html import esc

__all__ = ["asset", "render", "script_with_data", "whole_page"]

_SECTIONS = (
    ("short", "In short", _sections_data.in_short),
    ("data", "The data", _sections_data.data),
    ("leaderboard", "Leaderboard", _sections_data.leaderboard),
    ("errors", "Errors by class", _sections_models.errors),
    ("numbers", "Errors", _sections_models.numbers),
    ("curves", "Probabilities", _sections_models.curves),
    ("training", "Learning curve and penalty", _sections_models.training),
    ("evidence", "Evidence", _sections_models.evidence),
    ("mistakes", "Mistakes", _sections_models.mistakes),
    ("cost", "Time and memory", _sections_data.cost),
    ("repeat", "To repeat it", _sections_models.repeat),
)
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
_NAMES = {
    "binary": "two classes",
    "multiclass": "several classes",
    "ordered": "ordered classes",
    "continuous": "numbers",
}


def render(data: ReportData) -> str:
    """Return a report as HTML.

    Parameters
    ----------
    data : ReportData
        From :func:`summarise`.

    Returns
    -------
    str
        A whole page: no other file and no network is needed to read it.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed; the message names the command that installs it.
    """
    charts: list[Chart] = []
    made = [(name, title, make(data, charts)) for name, title, make in _SECTIONS]
    return whole_page(data.title, _about(data), made, charts)


def whole_page(
    title: str,
    about: str,
    sections: list[tuple[str, str, str]],
    charts: list[Chart],
    *,
    style: str = "",
    scripts: str = "",
) -> str:
    """Return a page with its sections, charts and the libraries that draw them.

    Parameters
    ----------
    title : str
        Its heading, not yet escaped.
    about : str
        The line below it, as HTML.
    sections : list of (name, title, html)
        Those that are empty are left out.
    charts : list of Chart
        Whose places are in the sections. The libraries that draw them are left out of a page that
        has none.
    style, scripts : str, default=""
        CSS, and whole script elements, to add.

    Returns
    -------
    str
        HTML that needs no other file.
    """
    library = _LIBRARY.format(library=_library()) if charts else ""
    made = [(name, heading, text) for name, heading, text in sections if text]
    links = "".join(f'<li><a href="#{name}">{esc(heading)}</a></li>' for name, heading, _ in made)
    return _PAGE.format(
        title=esc(title),
        policy=_POLICY,
        style=asset("report.css") + style,
        about=about,
        links=links,
        sections="\n".join(text for _, _, text in made),
        version=esc(version("quire")),
        specs=_script_json({chart.name: chart.spec for chart in charts}),
        library=library,
        script=asset("report.js"),
        scripts=scripts,
    )


def _about(data: ReportData) -> str:
    task = _NAMES.get(data.task, data.task)
    return esc(f"{len(data.leaderboard)} models, {task}, {data.n_folds} folds. {data.created}.")


def script_with_data(script: str, name: str, value: Any) -> str:
    """Return a script of this package, and before it the data that it reads.

    Parameters
    ----------
    script : str
        Its file.
    name : str
        The id of the element that holds the data.
    value : object
        The data, ready for JSON.
    """
    return (
        f'<script type="application/json" id="{name}">{_script_json(value)}</script>\n'
        f"<script>\n{asset(script)}\n</script>\n"
    )


def _script_json(value: Any) -> str:
    """Return JSON that no text inside it can break out of."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def asset(name: str) -> str:
    """Return a file of this package as text."""
    return resources.files("quire.report").joinpath(name).read_text(encoding="utf-8")


@cache
def _library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that leaves one name behind."""
    try:
        from vl_convert import javascript_bundle
    except ImportError as error:
        raise MissingExtraError(
            "Reports need vl-convert-python, which is not installed: pip install 'quire[report]'"
        ) from error
    bundle = str(javascript_bundle("window.quireEmbed = vegaEmbed;"))
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


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
