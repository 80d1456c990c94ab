"""Points of the plane with classes: two columns of numbers and a label, from a file or made up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quire._shared.page.html import Html, html
from quire._shared.page.tables import table
from quire._shared.typing import Floats, Ints
from quire.lessons._reading import read_numbers, sentences
from quire.lessons._wording import plain

__all__ = ["LabelledPoints", "about_points", "card_points", "points_table", "read_points"]

_SHOWN = 6  # rows that are shown
_MOST_CLASSES = 6
_MOST_ROWS = 2_000  # of a file, most of them to judge by


@dataclass(frozen=True, eq=False)
class LabelledPoints:
    """Points to learn from, and others to judge what was learned.

    Attributes
    ----------
    X : ndarray of shape (n, 2)
        The points that are learned from.
    y : ndarray of str of shape (n,)
        Their classes.
    names : tuple of str
        What the two numbers are.
    X_rest, y_rest : ndarray
        Points that are kept out; there may be none.
    notes : list of str
        What was guessed or left out.
    source : str
        The file, or what the example is.
    """

    X: Floats
    y: Any
    names: tuple[str, str]
    X_rest: Floats
    y_rest: Any
    notes: list[str] = field(default_factory=list)
    source: str = ""

    @property
    def classes(self) -> list[str]:
        """The classes, in order."""
        return [str(one) for one in np.unique(self.y)]

    @property
    def codes(self) -> Ints:
        """The class of each point as its place among the classes."""
        codes: Ints = np.searchsorted(np.unique(self.y), self.y)
        return codes

    def score_rest(self, model: Any) -> float | None:
        """Return the share of the points kept out that a model is right about, if there are any."""
        return float(model.score(self.X_rest, self.y_rest)) if len(self.y_rest) else None

    def standardised(self) -> LabelledPoints:
        """Return the same points with mean 0 and deviation 1 in both columns."""
        mean, deviation = self.X.mean(axis=0), self.X.std(axis=0)
        deviation = np.where(deviation > 0, deviation, 1.0)
        return LabelledPoints(
            (self.X - mean) / deviation,
            self.y,
            (_without_unit(self.names[0]), _without_unit(self.names[1])),
            (self.X_rest - mean) / deviation,
            self.y_rest,
            [*self.notes, "both columns are scaled to mean 0 and deviation 1"],
            self.source,
        )


def _without_unit(name: str) -> str:
    return f"{name.split(' (')[0]}, scaled"


def read_points(
    file: Any,
    columns: Sequence[str] | None,
    label: str | None,
    *,
    most: int = 120,
    n_classes: int = _MOST_CLASSES,
) -> LabelledPoints:
    """Return two columns of numbers of a file, and the classes.

    Parameters
    ----------
    file : path or data frame
        What :func:`quire.io.read_corpus` reads.
    columns : sequence of two str, or None
        The columns; if ``None``, the first two that hold numbers.
    label : str or None
        The column with the classes; guessed if ``None``.
    most : int, default=120
        So many rows, drawn with a fixed seed, are learned from; the others are kept out.
    n_classes : int
        So many classes, the most frequent, are used.
    """
    named = None if columns is None else list(columns)
    read = read_numbers(file, named, label, has_classes=True, most=_MOST_ROWS)
    X, y, notes = read.X, np.array(read.labels), list(read.notes)
    common = [name for name, _ in Counter(read.labels).most_common(n_classes)]
    if len(common) < len(set(read.labels)):
        notes.append(f"of {len(set(read.labels))} classes the {n_classes} most frequent are used")
        X, y = X[np.isin(y, common)], y[np.isin(y, common)]
    return _drawn(X, y, (read.names[0], read.names[1]), most, notes, read.source)


def _drawn(
    X: Floats, y: Any, names: tuple[str, str], most: int, notes: list[str], source: str
) -> LabelledPoints:
    """Return some rows to learn from and the others, with all classes among the first."""
    order = np.random.default_rng(0).permutation(len(y))
    firsts = [int(np.flatnonzero(y[order] == name)[0]) for name in np.unique(y)]
    order = np.concatenate([order[firsts], np.delete(order, firsts)])
    if len(y) > most:
        notes = [*notes, f"{most} of {len(y):,} rows, drawn at random, are learned from"]
    learned, rest = order[:most], order[most:]
    return LabelledPoints(X[learned], y[learned], names, X[rest], y[rest], notes, source)


def card_points(most: int) -> LabelledPoints:
    """Return applications for a credit card: salary, debts, and the decision."""
    from quire.datasets import load_credit_cards

    cards = load_credit_cards()
    return _drawn(
        cards.select("annual_salary", "outstanding_debts").to_numpy() / 1000,
        cards["decision"].to_numpy().astype(str),
        ("salary (thousand)", "debts (thousand)"),
        most,
        [],
        "the credit cards of quire.datasets",
    )


def about_points(found: LabelledPoints) -> list[str | Html]:
    """Return what is said about points of a file."""
    said = f"{len(found.y):,} rows of {found.source} with {len(found.classes)} classes."
    return [said, *sentences(found.notes)]


def points_table(found: LabelledPoints) -> Html:
    """Return the first points and their classes as a table."""
    rows = [
        [str(name), *map(plain, row.tolist())]
        for name, row in zip(found.y[:_SHOWN], found.X[:_SHOWN], strict=True)
    ]
    shown = table(["Class", *found.names], rows, "Points and their classes")
    more = len(found.y) - _SHOWN
    if more <= 0:
        return shown
    return shown + html('<p class="note">… and {:,} more points to learn from.</p>', more)
