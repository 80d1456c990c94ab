"""What a map of documents says, as plain data: numbers, strings and lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["MapAxisData", "MapColour", "MapIndex", "MapReportData"]


@dataclass(frozen=True)
class MapAxisData:
    """One axis: its share of the variance, and terms with their weights at both ends."""

    share: float
    low: list[tuple[str, float]]
    high: list[tuple[str, float]]


@dataclass(frozen=True)
class MapColour:
    """What documents can be coloured by, with a value for each that is drawn.

    Of `kind` "groups", `codes` are numbers in `groups`, -1 where there is none, and `sizes` count
    the documents that are drawn. Of "numbers" and "dates", `values` are numbers, of dates days
    since 1970, ``None`` where there is none; `low` and `high` are the ends of the scale.
    """

    name: str
    kind: str
    groups: list[str]
    sizes: list[int]
    codes: list[int]
    values: list[float | None]
    low: float
    high: float


@dataclass(frozen=True)
class MapIndex:
    """Which of the documents that are drawn contain a term.

    `places` holds the documents of all terms one after the other as base64: steps to the next
    document, seven bits to the byte, lower bits first. `lengths` are bytes for each term.
    """

    terms: list[str]
    lengths: list[int]
    places: str
    left_out: int


@dataclass(frozen=True)
class MapReportData:
    """All that a map of documents says; `rows`, `x`, `y` and `texts` are of those drawn."""

    title: str
    created: str
    n_documents: int
    n_empty: int
    n_terms: int
    axes: list[MapAxisData]
    rows: list[int]
    x: list[float]
    y: list[float]
    texts: list[str]
    colours: list[MapColour]
    index: MapIndex | None
    notes: list[str]
    settings: dict[str, Any]
    versions: dict[str, str]
