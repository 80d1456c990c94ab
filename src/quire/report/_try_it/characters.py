"""What this Python knows of characters, small enough for a page.

A browser has tables of its own, of another version of Unicode. What a page does with a text has to
be what the model has learned from, so the page brings the tables of the interpreter that fitted it.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core

__all__ = ["character_tables"]

_N = 0x110000
_DOTTED_I, _SIGMA, _FINAL_SIGMA = 0x130, 0x3A3, 0x3C2
_HANGUL = range(0xAC00, 0xD7A4)  # syllables, which come apart by arithmetic


def character_tables(*, lowercase: bool, accents: str | None, words: bool) -> dict[str, Any]:
    r"""Return tables for :mod:`quire.report._try_it` as plain data.

    Parameters
    ----------
    lowercase : bool
        Whether texts are lower-cased.
    accents : {"ascii", "unicode"} or None
        What happens to accents.
    words : bool
        Whether it matters which characters are matched by ``\w``.

    Returns
    -------
    dict
        ``space`` always; sets are the distances from one code point at which membership changes to
        the next.
    """
    tables: dict[str, Any] = {"space": _set("space")}
    if lowercase:
        tables |= _cases()
    if accents is not None:
        tables["forms"] = _forms(accents)
    if words:
        tables["word"] = _set("word")
    return tables


def _every(before: list[int], after: list[int], leave: dict[int, int]) -> str:
    """Return all characters in one text, each between some others."""
    rows = np.empty((_N, len(before) + 1 + len(after)), dtype="<u4")
    rows[:] = [*before, 0, *after]
    rows[:, len(before)] = np.arange(_N)
    for code_point, other in leave.items():
        rows[code_point, len(before)] = other
    return rows.tobytes().decode("utf-32-le", "surrogatepass")


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _changes(members: NDArray[np.bool_]) -> list[int]:
    """Return where membership begins and ends, by turns, as distances."""
    padded = np.concatenate([[False], members, [False]]).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded))
    return np.diff(edges, prepend=0).tolist()  # type: ignore[no-any-return]


def _set(name: str) -> list[int]:
    """Return a set that the compiled core knows, as distances."""
    return np.diff(_core.text.character_set(name), prepend=0).tolist()  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def _cases() -> dict[str, Any]:
    """Return how ``str.lower`` changes characters, and what it looks at around a capital sigma.

    ``lower`` are runs of equal changes: where they begin (from the end of the run before), their
    length, their step and the change. U+0130 alone becomes two characters, ``dotted``.
    """
    line = ord("\n")
    as_capital = {_DOTTED_I: ord("A")}  # has case, and keeps the places of the others
    lower = _code_points(_every([line], [], as_capital).lower()).reshape(_N, 2)[:, 1]
    change = lower.astype(np.int64) - np.arange(_N)
    change[[_DOTTED_I, _SIGMA]] = 0  # which are told apart by the page
    after = _code_points(_every([line], [_SIGMA], as_capital).lower()).reshape(_N, 3)
    cased = after[:, 2] == _FINAL_SIGMA
    through = _code_points(_every([line, ord("a")], [_SIGMA], as_capital).lower()).reshape(_N, 4)
    ignorable = (through[:, 3] == _FINAL_SIGMA) & ~cased
    return {
        "lower": _runs(change),
        "dotted": _code_points(chr(_DOTTED_I).lower()).tolist(),
        "cased": _changes(cased),
        "ignorable": _changes(ignorable),
    }


def _runs(change: NDArray[np.int64]) -> list[int]:
    """Return runs of characters one or two apart that change by the same, four numbers each."""
    runs: list[int] = []
    places = np.flatnonzero(change).tolist()
    at, i = 0, 0
    while i < len(places):
        start, step = places[i], 1
        by = int(change[start])
        j = i + 1
        if j < len(places) and change[places[j]] == by and places[j] - start <= 2:
            step = places[j] - start
            while j < len(places) and places[j] - places[j - 1] == step and change[places[j]] == by:
                j += 1
        last = places[j - 1]
        runs += start - at, j - i, step, by
        at, i = last, j
    return runs


@lru_cache(maxsize=2)
def _forms(accents: str) -> list[list[Any]]:
    """Return what is left of characters without accents: runs of the first of them and the forms.

    Syllables of Hangul are left out where they come apart; the page does that by arithmetic. Forms
    of neighbours stand in one text, with line breaks between them.
    """
    rows: list[str | None] = []
    for code_point in range(0x80, _N):
        character = chr(code_point)
        form = unicodedata.normalize("NFKD", character)
        if accents == "ascii":
            form = form.encode("ascii", "ignore").decode("ascii")
        else:
            form = "".join(c for c in form if not unicodedata.combining(c))
        rows.append(None if form == character else form)
    found: list[list[Any]] = []
    last = -1
    for code_point, left in enumerate(rows, start=0x80):
        if left is None or (accents == "unicode" and code_point in _HANGUL):
            continue
        if accents == "ascii" and left == "":  # of most characters nothing is left
            continue
        if code_point == last + 1:
            found[-1][1].append(left)
        else:
            found.append([code_point, [left]])
        last = code_point
    return [[start, "\n".join(forms)] for start, forms in found]
