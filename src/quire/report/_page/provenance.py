"""When, with what and of which data a report was made, for those who want to repeat it.

What people read stands in the last section of a page. The same stands there for programs, beside
the data of the page: :func:`quire.report.read_page` reads it, ``quire verify`` repeats it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from quire._shared.digests import rows_digest
from quire._shared.page.html import NOTHING, Html, html
from quire._shared.page.sections import Section, section, titled
from quire._shared.page.tables import table
from quire._shared.provenance import installed_versions, provenance, working_options
from quire.report._page.settings import settings_table

__all__ = [
    "changed_parameters",
    "installed_versions",
    "now",
    "page_provenance",
    "repeat_section",
    "with_data",
]

_ROLES = {
    "file": "data",
    "model": "model",
    "source": "vectors to map from",
    "target": "vectors to map to",
}


def now() -> str:
    """Return the time in words."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def changed_parameters(estimator: Any) -> dict[str, Any]:
    """Return the class of an estimator, and its parameters that are not defaults.

    Parameters
    ----------
    estimator : object
        With scikit-learn's ``get_params``.
    """
    own = type(estimator)
    try:
        defaults = own().get_params(deep=False)
        current = estimator.get_params(deep=False)
    except (AttributeError, TypeError):
        return {"class": own.__name__}
    left_out = ("progress", "vectorizer", "verbose", "n_jobs")
    changed = {
        name: value
        for name, value in current.items()
        if name not in left_out and repr(value) != repr(defaults[name])
    }
    return {"class": own.__name__, **changed}


def with_data(
    settings: Mapping[str, Any] | None,
    *,
    texts: Any = None,
    labels: Any = None,
    columns: Mapping[str, Any] | None = None,
    origin: Any = None,
) -> dict[str, Any]:
    """Return settings with what identifies the data, if they do not have it.

    Parameters
    ----------
    settings : mapping or None
        Of a report; ``data`` says which files and rows it is about.
    texts, labels, columns
        The rows, as for :func:`~quire._shared.digests.rows_digest`.
    origin : Origin, default=None
        Of the corpus.
    """
    found = dict(settings or {})
    if "data" not in found:
        given = texts is not None or labels is not None or bool(columns)
        rows = rows_digest(texts=texts, labels=labels, columns=columns) if given else None
        inputs = [] if origin is None else [{"role": "file", **origin.to_dict()}]
        found["data"] = {"inputs": inputs, "rows": rows}
    return found


def page_provenance(
    kind: str, settings: Mapping[str, Any], versions: dict[str, str]
) -> dict[str, Any]:
    """Return where the numbers of a page come from, ready for JSON.

    Parameters
    ----------
    kind : str
        What the report is on.
    settings : mapping
        Of the report, with ``command`` where a command made it, and ``data``.
    versions : dict
        Packages.
    """
    data = settings.get("data") or {}
    others = {name: one for name, one in settings.items() if name not in ("command", "data")}
    return provenance(
        kind=kind,
        command=settings.get("command"),
        inputs=data.get("inputs"),
        rows=data.get("rows"),
        seed=_seed_of(settings),
        settings=others,
        versions=versions,
    )


def _seed_of(settings: Mapping[str, Any]) -> int | None:
    model = settings.get("model")
    places = [settings, model if isinstance(model, Mapping) else {}]
    for place in places:
        for name in ("random_state", "seed"):
            if type(place.get(name)) is int:
                return int(place[name])
    return None


def repeat_section(settings: dict[str, Any], versions: dict[str, str], *more: Html) -> Section:
    """Return the section that says how a report was made; all reports end with it.

    Parameters
    ----------
    settings : dict
        What was set, ``"command"`` where a command made it, and ``"data"``.
    versions : dict
        Packages.
    *more : Html
        What stands between the two.
    """
    parts = []
    command = settings.get("command")
    if command:
        code = html('<pre tabindex="0"><code>{}</code></pre>', command)
        parts.append(titled("Command", code))
    parts.append(_data_part(settings.get("data") or {}))
    left_out = ("command", "data")
    known = settings_table({key: one for key, one in settings.items() if key not in left_out})
    if known:
        parts.append(titled("Settings", known))
    parts.extend(more)
    packages = [[name, version] for name, version in versions.items()]
    packages += [[name, str(value)] for name, value in working_options().items()]
    parts.append(titled("Versions", table(["Package", "Version"], packages, "Versions")))
    return section("repeat", "To repeat it", *[part for part in parts if part])


def _data_part(data: Mapping[str, Any]) -> Html:
    """Return the digests of files and rows as a table."""
    listed = []
    for one in data.get("inputs") or ():
        role = _ROLES.get(one["role"], one["role"].replace("_", " "))
        listed.append([f"{role}: {one['name']}", one["sha256"] or "not known"])
    rows = data.get("rows")
    if rows is not None:
        parts = {"texts": rows["texts"], "labels": rows["labels"], **rows["columns"]}
        listed.append([f"rows: {rows['n']:,}", rows["sha256"]])
        if sum(digest is not None for digest in parts.values()) > 1:
            listed += [[f"of them {name}", one] for name, one in parts.items() if one is not None]
    if not listed:
        return NOTHING
    heading = "SHA-256 of the files' bytes, and of the rows, whatever the format of their file"
    return titled("Data", table(["Data", "SHA-256"], listed, heading))
