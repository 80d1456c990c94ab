r"""Evidence: what each feature says for one class and against another, in parts that add up.

A model whose score for class :math:`k` is a sum over features,

.. math:: s_{dk} = o_{dk} + \sum_i e_{dik},

can say exactly why it decided: the log-odds between classes :math:`a` and :math:`b` are the offset
:math:`o_{da} - o_{db}` and the contributions :math:`e_{dia} - e_{dib}`, and nothing else. Naive
Bayes has this form, and so has every linear model. A model takes part by giving
:class:`Evidence` from a method ``evidence`` (the protocol :class:`GivesEvidence`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from quire._shared.evidence_terms import Terms, difference
from quire._shared.notebooks import ShownInNotebooks, listed_cells
from quire._shared.sparse import as_csr, is_sparse, row_sums
from quire._shared.term_weights import plain
from quire._shared.typing import Floats

__all__ = [
    "DocumentEvidence",
    "DocumentParts",
    "Evidence",
    "GivesEvidence",
    "RanksTerms",
    "TermEvidence",
    "class_number",
]


@dataclass(frozen=True, slots=True)
class TermEvidence:
    """What one term of a document adds to the log-odds.

    Attributes
    ----------
    term : str or int
        The term, or the number of its column where names are not known.
    value : float
        Its entry in the row of the document: a count, as a rule.
    contribution : float
        What it adds; above zero it speaks for the first class.
    is_count : bool
        Whether the value says how often the term is there; otherwise it is a measurement.
    """

    term: Any
    value: float
    contribution: float
    is_count: bool = True

    def __str__(self) -> str:
        if not self.is_count:
            return f"{self.term} = {self.value:g}"
        return str(self.term) if self.value == 1 else f"{self.term} x {self.value:g}"


@dataclass(frozen=True)
class DocumentEvidence(ShownInNotebooks):
    """Why one document is in one class rather than in another.

    Attributes
    ----------
    target, against : object
        The two classes.
    log_odds : float
        Score of `target` less that of `against`: the sum of `offset` and all contributions.
    offset : float
        What is said before the document is read: log-odds of the prior, or the intercept.
    terms : list of TermEvidence
        The terms of the document, from the largest contribution, of either sign, down.
    """

    target: Any
    against: Any
    log_odds: float
    offset: float
    terms: list[TermEvidence]

    def __str__(self) -> str:
        return self.table()

    def _notebook_caption(self) -> str:
        return f"{self.log_odds:+.4f}: {self.target} rather than {self.against}"

    def _notebook_cells(self) -> list[list[str]]:
        rows = [[str(term), f"{term.contribution:+.4f}"] for term in self.terms]
        return listed_cells(
            ["term", "contribution"], [["before any term", f"{self.offset:+.4f}"], *rows]
        )

    def table(self, n_terms: int = 10) -> str:
        """Return the most telling terms as lines of text.

        Parameters
        ----------
        n_terms : int, default=10
            How many; the others are summed up in one line.
        """
        lines = [f"{self.log_odds:+10.4f}  {self.target} rather than {self.against}"]
        lines.append(f"{self.offset:+10.4f}  before any term")
        for term in self.terms[:n_terms]:
            lines.append(f"{term.contribution:+10.4f}  {term}")
        rest = self.terms[n_terms:]
        if rest:
            total = float(np.sum([term.contribution for term in rest]))
            lines.append(f"{total:+10.4f}  {len(rest)} other terms")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class DocumentParts(ShownInNotebooks):
    """The parts of one decision as arrays: what :class:`DocumentEvidence` says in words.

    Attributes
    ----------
    target, against : object
        The two classes; ``None`` for both where a number is predicted.
    score : float
        The sum of `offset` and `contributions`.
    offset : float
        The part that no feature contributes.
    columns : ndarray of shape (n_parts,)
        The features that contribute, rising.
    values : ndarray of shape (n_parts,)
        Their values in the document.
    contributions : ndarray of shape (n_parts,)
        What each of them adds.
    """

    target: Any
    against: Any
    score: float
    offset: float
    columns: NDArray[np.intp]
    values: Floats
    contributions: Floats


class Evidence:
    r"""The parts of a model's scores for some documents, from a method ``evidence``.

    Whatever two classes are compared, ``offset + contributions.sum(axis=1)`` is the difference of
    their scores. A document that neither class can produce is decided by the prior; it has no
    contributions.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes of the model.
    scores : ndarray of shape (n_documents, n_classes)
        What the model compares: joint log probabilities, decision values.
    offsets : ndarray of shape (n_classes,) or (n_documents, n_classes)
        The part of the scores that no term of the document contributes.
    terms : Terms
        The other parts.
    prior : ndarray of shape (n_classes,), default=None
        Scores of the prior alone; `offsets` if there is nothing else in them.
    feature_names : ndarray of shape (n_features,), default=None
        The term of each column.

    See Also
    --------
    GivesEvidence : What a model needs to have.
    """

    def __init__(
        self,
        classes: NDArray[Any],
        scores: Floats,
        offsets: Floats,
        terms: Terms,
        *,
        prior: Floats | None = None,
        feature_names: NDArray[Any] | None = None,
    ) -> None:
        self.classes = classes
        self.scores = scores
        self.feature_names = feature_names
        self._offsets = np.broadcast_to(offsets, scores.shape)
        self._prior = self._offsets if prior is None else np.broadcast_to(prior, scores.shape)
        self._terms = terms

    @property
    def terms(self) -> Terms:
        """Where the contributions come from."""
        return self._terms

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[DocumentEvidence]:
        return (self.document(row) for row in range(len(self)))

    def __getitem__(self, row: int) -> DocumentEvidence:
        return self.document(row)

    def __repr__(self) -> str:
        return f"<Evidence on {len(self)} documents between {len(self.classes)} classes>"

    def offset(self, target: Any, against: Any) -> Floats:
        """Return the part of the log-odds that is there before any term.

        Parameters
        ----------
        target, against : object
            Two classes.

        Returns
        -------
        ndarray of shape (n_documents,)
            The offset of each document.
        """
        a, b = class_number(self.classes, target), class_number(self.classes, against)
        undecided = self._undecided(a, b)
        offset = difference(self._offsets[:, a], self._offsets[:, b])
        prior = difference(self._prior[:, a], self._prior[:, b])
        return np.where(undecided, prior, offset)

    def contributions(self, target: Any, against: Any) -> Any:
        """Return what every term of every document adds to the log-odds of two classes.

        Parameters
        ----------
        target, against : object
            Two classes.

        Returns
        -------
        csr_array or ndarray of shape (n_documents, n_features)
            Above zero where a term speaks for `target`. Sparse if the documents are.
        """
        a, b = class_number(self.classes, target), class_number(self.classes, against)
        parts = self._terms.between(a, b)
        undecided = self._undecided(a, b)
        if undecided.any():
            if is_sparse(parts):
                parts.data[np.repeat(undecided, np.diff(parts.indptr))] = 0
            else:
                parts[undecided] = 0
        return parts

    def log_odds(self, target: Any, against: Any) -> Floats:
        """Return the sums: offset and contributions of each document.

        Parameters
        ----------
        target, against : object
            Two classes.

        Returns
        -------
        ndarray of shape (n_documents,)
            Score of `target` less that of `against`.
        """
        sums = row_sums(self.contributions(target, against))
        total: Floats = self.offset(target, against) + sums
        return total

    def document(self, row: int, target: Any = None, against: Any = None) -> DocumentEvidence:
        """Return the evidence on one document.

        Parameters
        ----------
        row : int
            Number of the document.
        target : object, default=None
            A class; the most probable one if ``None``.
        against : object, default=None
            Another class; the most probable of the others if ``None``.

        Returns
        -------
        DocumentEvidence
            Its terms, from the most telling down.
        """
        parts = self.parts(row, target, against)
        order = np.argsort(-np.abs(parts.contributions), kind="stable")
        terms = [
            TermEvidence(
                self._name(parts.columns[i]),
                float(parts.values[i]),
                float(parts.contributions[i]),
                self._terms.is_count(int(parts.columns[i])),
            )
            for i in order
        ]
        return DocumentEvidence(parts.target, parts.against, parts.score, parts.offset, terms)

    def parts(self, row: int, target: Any = None, against: Any = None) -> DocumentParts:
        """Return the evidence on one document as arrays, in the order of the columns.

        Parameters
        ----------
        row, target, against
            As for :meth:`document`.

        Returns
        -------
        DocumentParts
            Only the features that are in the document; nothing of the size of the vocabulary.
        """
        row = range(len(self))[row]  # an IndexError, and negative numbers from the end
        a, b = self._pair(row, target, against)
        terms = self._terms.row(row)
        one = Evidence(
            self.classes,
            self.scores[row : row + 1],
            self._offsets[row : row + 1],
            terms,
            prior=self._prior[row : row + 1],
        )
        left, right = self.classes[a], self.classes[b]
        columns, values, contributions = _aligned(terms.values, one.contributions(left, right))
        offset = float(one.offset(left, right)[0])
        score = offset + float(contributions.sum())
        return DocumentParts(
            plain(left), plain(right), score, offset, columns, values, contributions
        )

    def is_count(self, column: int) -> bool:
        """Return whether the values of a feature say how often it is there.

        Parameters
        ----------
        column : int
            Number of the feature.
        """
        return self._terms.is_count(column)

    def _pair(self, row: int, target: Any, against: Any) -> tuple[int, int]:
        if len(self.classes) < 2:
            raise ValueError("Evidence is between two classes; this model has only one.")
        chosen = None if target is None else class_number(self.classes, target)
        other = None if against is None else class_number(self.classes, against)
        ranked = [int(k) for k in np.lexsort((-self._prior[row], -self.scores[row])) if k != other]
        a = ranked[0] if chosen is None else chosen
        b = next(k for k in ranked if k != a) if other is None else other
        return a, b

    def _undecided(self, a: int, b: int) -> NDArray[np.bool_]:
        """Mark documents that neither class can produce, or of which both are certain."""
        undecided: NDArray[np.bool_] = np.isinf(self.scores[:, a]) & (
            self.scores[:, a] == self.scores[:, b]
        )
        return undecided

    def _name(self, column: int) -> Any:
        return int(column) if self.feature_names is None else plain(self.feature_names[column])


@runtime_checkable
class GivesEvidence(Protocol):
    """A model that can say what its decisions are made of."""

    classes_: NDArray[Any]

    def evidence(self, X: Any, *, feature_names: Sequence[str] | None = None) -> Evidence:
        """Return the parts of the scores of documents."""


@runtime_checkable
class RanksTerms(Protocol):
    """A model that can say which terms are the strongest."""

    def top_terms(self, n_terms: int = 10, *, feature_names: Any = None) -> dict[Any, Any]:
        """Return the strongest terms of each class."""


def class_number(classes: NDArray[Any], label: Any) -> int:
    """Return the place of a class among those of a model; an error names them."""
    found = np.flatnonzero(classes == label)
    if len(found) != 1:
        raise ValueError(f"{label!r} is not a class of this model: {classes.tolist()}.")
    return int(found[0])


def _aligned(values: Any, parts: Any) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return the columns of one row, rising, with their values and contributions."""
    if is_sparse(values) and is_sparse(parts):
        X, E = as_csr(values), as_csr(parts)
        if X.has_canonical_format and np.array_equal(X.indices, E.indices):
            return X.indices.astype(np.intp), X.data.astype(np.float64), E.data
    value = values.toarray() if is_sparse(values) else np.asarray(values)
    part = as_csr(parts)
    columns = np.union1d(np.flatnonzero(value[0]), part.indices).astype(np.intp)
    return columns, value[0][columns].astype(np.float64), part.toarray()[0][columns]
