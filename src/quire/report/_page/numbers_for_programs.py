"""The data of a page as programs read it: its numbers, and digests of long lists and texts."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from quire._shared.page.html import Html, html, script_json
from quire._shared.page.numbers import to_plain
from quire.report._page.provenance import page_provenance

__all__ = ["DATA_ID", "PROVENANCE_ID", "data_scripts", "kind_of_data", "packed"]

PROVENANCE_ID, DATA_ID = "provenance", "report-data"
_LONG_LIST, _LONG_TEXT = 1_000, 200  # from which on a digest stands for all of it
_EXCERPT = "pieces"  # of documents, word by word: they stand on the page itself
_ELSEWHERE = ("settings", "versions", "created")
_KINDS = {
    "ReportData": "comparison",
    "TopicReportData": "topics",
    "ClusterReportData": "clusters",
    "MapReportData": "map",
    "NeighborsReportData": "neighbors",
    "AlignmentReportData": "alignment",
}


def kind_of_data(data: Any) -> str:
    """Return what a report is on, by the class of its data."""
    name = type(data).__name__
    return _KINDS.get(name, name.removesuffix("Data").removesuffix("Report").lower())


def packed(value: Any, name: str | None = None) -> Any:
    """Return plain data with digests in the place of long lists, long texts and excerpts.

    Parameters
    ----------
    value : object
        Made of dict, list, str, int, float, bool and None.
    name : str, default=None
        What it is called in the data.

    Examples
    --------
    >>> packed([1.5, "short"])
    [1.5, 'short']
    >>> sorted(packed(list(range(5000))))
    ['items', 'sha256']
    """
    if isinstance(value, dict):
        return {name: packed(one, name) for name, one in value.items()}
    if isinstance(value, list):
        if len(value) > _LONG_LIST or (name == _EXCERPT and value):
            return {"items": len(value), "sha256": _digest(value)}
        return [packed(one) for one in value]
    if isinstance(value, str) and len(value) > _LONG_TEXT:
        return {"characters": len(value), "sha256": _digest(value)}
    return value


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode("ascii")).hexdigest()


def data_scripts(data: Any) -> list[Html]:
    """Return two elements of a page: where its numbers come from, and the numbers.

    Parameters
    ----------
    data : object
        Of a report.
    """
    whole = to_plain(data)
    said = page_provenance(kind_of_data(data), packed(whole["settings"]), whole["versions"])
    numbers = {name: one for name, one in whole.items() if name not in _ELSEWHERE}
    return [_script(PROVENANCE_ID, said), _script(DATA_ID, packed(numbers))]


def _script(name: str, value: Any) -> Html:
    return html('<script type="application/json" id="{}">{}</script>\n', name, script_json(value))
