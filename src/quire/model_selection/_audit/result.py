"""What an audit of labels says: documents by how strongly they speak against their label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.number_tables import aligned, html_table
from quire._shared.term_weights import plain
from quire._shared.typing import Floats, Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = ["AuditedLabel", "LabelAudit"]

_SHOWN = 20


@dataclass(frozen=True)
class AuditedLabel(ShownInNotebooks):
    """One document, and what a model that has not seen it says of its label.

    Attributes
    ----------
    row : int
        Number of the document, from 0.
    label : object
        The label that it has.
    suggested : object
        The other class with the highest score.
    against : float
        Score of `suggested` less that of `label`: above 0 the model would not give the label. The
        log-odds, unless the model has no probabilities.
    probability : float or None
        Of the label.
    is_suspected : bool
        Whether the label is probably wrong.
    words : tuple of (str, float), or None
        What speaks for `suggested` rather than `label`, with what it adds to `against`; ``None``
        where it was not asked.
    """

    row: int
    label: Any
    suggested: Any
    against: float
    probability: float | None
    is_suspected: bool
    words: tuple[tuple[str, float], ...] | None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        words = None if self.words is None else [list(one) for one in self.words]
        return {
            "row": self.row,
            "label": self.label,
            "suggested": self.suggested,
            "against": self.against,
            "probability": self.probability,
            "suspected": self.is_suspected,
            "words": words,
        }


@dataclass(frozen=True, eq=False, repr=False)
class LabelAudit:
    """Documents ranked by how strongly they speak against their label.

    Iterating, ``len`` and indexing go by rank: ``audit[0]`` is the document whose label is the most
    doubtful.

    Attributes
    ----------
    rows : ndarray of shape (n_ranked,)
        Numbers of the documents, the most doubtful label first.
    classes : ndarray of shape (n_classes,)
        The classes, sorted.
    labels, suggestions : ndarray of shape (n_ranked,)
        Places among `classes`, in the order of `rows`.
    against : ndarray of shape (n_ranked,)
        Score of the suggested class less that of the label, falling.
    probabilities : ndarray of shape (n_ranked,) or None
        Of the label.
    suspected : ndarray of bool of shape (n_ranked,)
        Whether the label is probably wrong: another class is at least as probable for the document
        as it is, in the mean, for documents with that label (Northcutt, Jiang and Chuang 2021).
        Without probabilities: whether another class has the higher score.
    words : tuple
        For the first documents, what speaks for the suggested class.
    model : str
        What was asked, in words.
    how : str
        How documents were left out.
    notes : tuple of str
        What was decided.

    References
    ----------
    Northcutt, C., Jiang, L. and Chuang, I. (2021). Confident learning: estimating uncertainty in
    dataset labels. Journal of Artificial Intelligence Research 70.
    """

    rows: Ints
    classes: NDArray[Any]
    labels: Ints
    suggestions: Ints
    against: Floats
    probabilities: Floats | None
    suspected: NDArray[np.bool_]
    words: tuple[tuple[tuple[str, float], ...] | None, ...]
    model: str
    how: str
    notes: tuple[str, ...] = ()

    @property
    def n_suspected(self) -> int:
        """How many labels are probably wrong."""
        return int(self.suspected.sum())

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rank: int) -> AuditedLabel:
        rank = range(len(self))[rank]
        return AuditedLabel(
            row=int(self.rows[rank]),
            label=plain(self.classes[self.labels[rank]]),
            suggested=plain(self.classes[self.suggestions[rank]]),
            against=float(self.against[rank]),
            probability=None if self.probabilities is None else float(self.probabilities[rank]),
            is_suspected=bool(self.suspected[rank]),
            words=self.words[rank] if rank < len(self.words) else None,
        )

    def __iter__(self) -> Iterator[AuditedLabel]:
        return (self[rank] for rank in range(len(self)))

    def __repr__(self) -> str:
        return f"<LabelAudit of {len(self):,} labels, {self.n_suspected:,} suspected>"

    @property
    def summary(self) -> str:
        """How many labels were looked at, how, and how many are probably wrong, in one line."""
        return (
            f"{len(self):,} labels, {self.n_suspected:,} of them probably wrong; {self.model}, "
            f"each document left out {self.how}"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a table with a row for each document, the most doubtful label first."""
        import polars as pl

        names = [None] * len(self) if self.probabilities is None else self.probabilities
        told = [None if one is None else " ".join(term for term, _ in one) for one in self.words]
        return pl.DataFrame(
            {
                "rank": np.arange(1, len(self) + 1),
                "row": self.rows,
                "label": pl.Series(self.classes[self.labels].tolist()),
                "suggested": pl.Series(self.classes[self.suggestions].tolist()),
                "against": self.against,
                "probability": pl.Series(names, dtype=pl.Float64),
                "suspected": self.suspected,
                "words": pl.Series(told + [None] * (len(self) - len(told)), dtype=pl.String),
            }
        )

    def to_dict(self, n_documents: int = 100) -> dict[str, Any]:
        """Return the summary and the first documents as plain data, ready for JSON.

        Parameters
        ----------
        n_documents : int, default=100
            How many.
        """
        return {
            "documents": len(self),
            "suspected": self.n_suspected,
            "classes": [plain(label) for label in self.classes],
            "model": self.model,
            "how": self.how,
            "notes": list(self.notes),
            "labels": [self[rank].to_dict() for rank in range(min(n_documents, len(self)))],
        }

    def _cells(self, n_documents: int) -> list[list[str]]:
        rows = [["row", "label", "suggested", "against", "words"]]
        for rank in range(min(n_documents, len(self))):
            one = self[rank]
            words = " ".join(term for term, _ in one.words or ())
            cells = [f"{one.row:,}", str(one.label), str(one.suggested), f"{one.against:+.3f}"]
            rows.append([*cells, words])
        return rows

    def __str__(self) -> str:
        cells = [[*row[1:3], row[0], row[3], f" {row[4]}"] for row in self._cells(_SHOWN)]
        lines = [self.summary, "", *aligned([[*row[:4]] for row in cells], left=2)]
        for place, row in enumerate(cells, start=2):
            lines[place] = f"{lines[place]} {row[4]}".rstrip()
        lines.extend(f"note: {note}" for note in self.notes)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_table(self.summary, self._cells(_SHOWN))
