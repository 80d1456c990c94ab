"""A report compared with the same report made again, number by number."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire._shared.differences import Compared, Difference, compared, takes_time
from quire._shared.notebooks import ShownInNotebooks
from quire._shared.page.page import Page
from quire.report._page.saved_page import SavedPage, page_from_text, read_page

__all__ = ["Verification", "rows_in_words", "verify"]

_NOT_COMPARED = ("title",)  # it has the name of the file
_NOT_SETTINGS = ("command", "data", "versions")


@dataclass(frozen=True)
class Verification(ShownInNotebooks):
    """What became of making a report or a model again, from :func:`verify`.

    ``print(verification)`` shows it.

    Attributes
    ----------
    same : bool
        Whether every value is what it was, to the last bit.
    n_values : int
        How many values were compared.
    differences : tuple of Difference
        Which are not the same: ``place``, ``then`` and ``now``.
    left_out : tuple of str
        What was not compared: times, memory, title and date.
    notes : tuple of str
        What else is not as it was: data, versions, the machine.
    """

    same: bool
    n_values: int
    differences: tuple[Difference, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Compared, notes: tuple[str, ...] = ()) -> Verification:
        """Make it of what a comparison found."""
        differences = tuple(found.differences)
        return cls(not differences, found.n_values, differences, tuple(found.left_out), notes)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, ready for JSON."""
        return {
            "same": self.same,
            "values": self.n_values,
            "differences": [
                {"place": one.place, "then": one.then, "now": one.now} for one in self.differences
            ],
            "left_out": list(self.left_out),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [self.summary]
        lines += [f"  {one.place}: {one.then} -> {one.now}" for one in self.differences[:20]]
        if len(self.differences) > 20:
            lines.append(f"  and {len(self.differences) - 20:,} more")
        return "\n".join([*lines, *self.notes])

    @property
    def summary(self) -> str:
        """One sentence that says whether all values are the same."""
        if self.same:
            return f"All {self.n_values:,} values are the same."
        n = len(self.differences)
        return f"{n:,} of {self.n_values:,} values {'differs' if n == 1 else 'differ'}."


def verify(page: str | os.PathLike[str] | Page[Any], again: Any) -> Verification:
    """Compare a report with the same report made again.

    On the command line ``quire verify REPORT DATA`` makes it again, as the page says that it was
    made. Here you do, with your own code, which no page can hold.

    Parameters
    ----------
    page : str, path or report
        The page, or what made it.
    again : str, path or report
        Another page, or the report made again.

    Returns
    -------
    Verification
        Whether every value is the same, to the last bit, and which are not. Times, memory, title
        and date are not compared; other data, versions and machines are noted.

    Raises
    ------
    ValueError
        If one of them is no page of a report, or they are reports of two kinds.

    Examples
    --------
    >>> from quire.neighbors import TextSearch
    >>> from quire.report import neighbors_report, verify
    >>> texts = ["a good film", "rain tomorrow", "sun and rain"]
    >>> page = neighbors_report(TextSearch().fit(texts), "rain")
    >>> print(verify(page, neighbors_report(TextSearch().fit(texts), "rain")))
    All ... values are the same.
    >>> other = neighbors_report(TextSearch().fit([*texts, "no rain"]), "rain")
    >>> verify(page, other).notes[0]
    'The rows are others: 1 more than then; texts differ.'
    """
    then, now = _read(page), _read(again)
    kinds = then.provenance["kind"], now.provenance["kind"]
    if kinds[0] != kinds[1]:
        raise ValueError(f"One report is on {kinds[0]!r}, the other on {kinds[1]!r}.")
    found = compared(then.data, now.data, is_left_out=_is_left_out)
    first, second = (_settings(one.provenance["settings"]) for one in (then, now))
    found.add(compared(first, second, "settings", is_left_out=_is_left_out))
    return Verification.of(found, tuple(notes_on(then.provenance, now.provenance)))


def _read(page: Any) -> SavedPage:
    if isinstance(page, SavedPage):
        return page
    if isinstance(page, Page):
        return page_from_text(page.html, repr(page.data.title))
    return read_page(page)


def _is_left_out(name: str) -> bool:
    return takes_time(name) or name in _NOT_COMPARED


def _settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in settings.items() if name not in _NOT_SETTINGS}


def notes_on(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Say in sentences which data, versions and machine are others.

    Parameters
    ----------
    then, now : mapping
        Provenance of the two.
    """
    notes = []
    rows = then["rows"], now["rows"]
    if None not in rows and rows[0] != rows[1]:
        notes.append(f"The rows are others: {rows_in_words(*rows)}.")
    old, new = then["versions"], now["versions"]
    names = [name for name in old if name in new and old[name] != new[name]]
    if names:
        listed = ", ".join(f"{name} {old[name]} then, {new[name]} now" for name in names)
        notes.append(f"Versions are others: {listed}.")
    old, new = then["working"], now["working"]
    names = [name for name in old if name in new and old[name] != new[name]]
    if names:
        listed = ", ".join(f"{name} {old[name]} then, {new[name]} now" for name in names)
        notes.append(f"The machine works in another way: {listed}.")
    return [note[:2000] for note in notes]


def rows_in_words(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Say which part of rows differs, by their digests.

    Parameters
    ----------
    then, now : mapping
        Digests of rows.

    Examples
    --------
    >>> from quire._shared.digests import rows_digest
    >>> one = rows_digest(texts=["a", "b"], labels=[0, 1])
    >>> rows_in_words(one, rows_digest(texts=["a", "b"], labels=[1, 1]))
    'as many as then; labels differ'
    """
    n = now["n"] - then["n"]
    number = "as many as then" if n == 0 else f"{abs(n):,} {'more' if n > 0 else 'fewer'} than then"
    parts = [name for name in ("texts", "labels") if then[name] != now[name]]
    old, new = then["columns"], now["columns"]
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    parts += [f"column {name!r}" for name in names[:10]]
    return f"{number}; {', '.join(parts) or 'their order or names'} differ"
