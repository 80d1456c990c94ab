"""What a part of a model over several kinds of columns is: the likelihood of some of them.

A part keeps statistics that add up, computes its parameters from them (:meth:`Part.settle`) and
adds its log-likelihoods to the scores of rows. Values that are missing take no part in either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Floats, Ints, Places
from quire.naive_bayes._tables import Table

__all__ = ["Batch", "Part", "Piece", "described"]


@dataclass(frozen=True, eq=False)
class Batch:
    """Labelled rows to learn from: their class numbers, and weights if they have any."""

    codes: NDArray[np.int32]
    weights: Floats | None
    n_classes: int
    n_threads: int


@dataclass(frozen=True, eq=False)
class Piece:
    """What the terms of one part say about some rows.

    Attributes
    ----------
    values : csr_array of shape (n_rows, n_terms)
        An entry, be it zero, wherever a term says something.
    between : callable
        From `values`, or some rows of it, and two class numbers to the contribution of each entry.
    offset : ndarray of shape (n_rows, n_classes) or None
        What is said by no single term.
    is_count : bool
        Whether values say how often a term is there; otherwise they are measurements.
    """

    values: Any
    between: Callable[[Any, int, int], Floats]
    offset: Floats | None = None
    is_count: bool = True


class Part(Protocol):
    """The likelihood of some columns."""

    kind: str
    columns: list[int]

    def copied(self) -> Part:
        """Return a part that can learn without changing this one; they share large arrays."""

    def learn(self, table: Table, places: Sequence[int], batch: Batch) -> None:
        """Add the statistics of some rows; `places` are the columns in this table."""

    def settle(self) -> None:
        """Compute parameters from statistics."""

    def add_scores(self, scores: Floats, table: Table, places: Sequence[int], n: int) -> None:
        """Add log P(x | k) to the scores, with n threads."""

    def piece(self, table: Table, places: Sequence[int]) -> Piece:
        """Return what each term says about the rows."""

    def term_names(self) -> list[str]:
        """Return the names of the terms."""

    def term_weights(self) -> Floats | None:
        """Return what one occurrence of a term adds, of shape (n_classes, n_terms)."""

    def spread(self, place: Places, n_classes: int) -> None:
        """Make room for more classes; `place` says where the present ones go."""

    def merge(self, other: Any, place: Places) -> None:
        """Add the statistics of another part, the classes of which are at `place` here."""

    def draw(self, codes: Ints, lengths: Ints | None, n_rows: float, rng: Any) -> list[Any]:
        """Return a column of values for each column, drawn for rows of these classes.

        `lengths` are those of documents; if ``None``, the mean of the `n_rows` training rows.
        """

    def described(self) -> list[str]:
        """Return a few words on each column."""


def described(title: str, model: Any) -> str:
    """Return the classes of a model and its columns by kind, as lines of text.

    Parameters
    ----------
    title : str
        How the first line begins.
    model : MixedNB
        Fitted.
    """
    lines = [f"{title}: {_cut([str(label) for label in model.classes_])}"]
    lines += [f"  {part.kind:<11}  {_cut(part.described())}" for part in model.parts_]
    used = {j for part in model.parts_ for j in part.columns}
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)])
    unused = [name for j, name in enumerate(names) if j not in used]
    if unused:
        lines.append(f"  {'left out':<11}  {_cut(unused)}")
    return "\n".join(lines)


def _cut(items: list[str], most: int = 8) -> str:
    rest = f", and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + rest
