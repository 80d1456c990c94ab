r"""Terms by what they add over the documents of a class, not by their weight alone.

The weight of a term says what one occurrence adds; the heaviest are often words of one or two
documents. What tells documents of class :math:`k` from others is weight and use together:

.. math:: c_{kj} = (w_{kj} - \bar w_{-k,j}) \, (\bar x_{kj} - \bar x_{-k,j}),

the weight of term :math:`j` for the class above its mean weight for the others, times how much more
of it there is in a document of the class than in another. Summed over all terms it is by how much
the score of the class is larger in its own documents. For numbers it is the weight times the
standard deviation of the term: by how much it moves predictions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.evidence import Evidence
from quire._shared.evidence_terms import LinearTerms
from quire._shared.joined_evidence import JoinedTerms
from quire._shared.label_sets import LabelSets
from quire._shared.labels import codes_among
from quire._shared.sparse import as_csr, is_sparse
from quire._shared.term_weights import UsedTerm, plain, weights_above_others
from quire._shared.typing import Floats, Ints, Places
from quire.inspection._additive import NumberEvidence, OrderedEvidence, WeighsClasses
from quire.inspection._label_sets import LabelEvidence
from quire.inspection._origins import Origins
from quire.kinds import Inside, look_inside, members_of

__all__ = ["used_terms"]


@dataclass(frozen=True, eq=False)
class _Part:
    """The matrix of one model of an average, its share, and the joined column of each column."""

    X: Any
    share: float
    places: Places


def used_terms(
    inside: Inside, evidence: Any, origins: Origins, documents: Any, y: Any, n_terms: int
) -> dict[Any, list[UsedTerm]] | None:
    """Return the terms that add most to each class over some documents.

    Parameters
    ----------
    inside : Inside
        The model, taken apart.
    evidence : object
        Its decisions about a row of zeros.
    origins : Origins
        Of its columns.
    documents : sequence or table
        As it takes them.
    y : array-like or LabelSets
        Their labels.
    n_terms : int
        How many for each class.

    Returns
    -------
    dict from class to list of UsedTerm, or None
        ``None`` if terms have no weights that are the same for all documents.
    """
    is_text = origins.source >= 0
    if isinstance(evidence, NumberEvidence | OrderedEvidence):
        coef = np.atleast_2d(evidence.coef)
        if len(coef) != 1:
            return None  # several numbers
        X = _transformed(inside.transformers, documents)
        return _both_ends(coef[0], X, origins.names, is_text, n_terms)
    weights = _weights_of(evidence)
    if weights is None:
        return None
    classes, each, member_weights = weights
    parts = _parts(inside, evidence, documents)
    n_columns = len(each(0))
    members = _members(classes, y)
    n_documents = parts[0].X.shape[0]
    anywhere = _has_terms(parts, None, n_columns)
    total = [np.asarray(part.X.sum(axis=0), dtype=np.float64).ravel() for part in parts]
    found: dict[Any, list[UsedTerm]] = {}
    for k, label in enumerate(classes.tolist()):
        rows = members(k)
        n = len(rows)
        above = each(k)
        added = np.zeros(n_columns)
        for number, part in enumerate(parts):
            inner = np.asarray(part.X[rows].sum(axis=0), dtype=np.float64).ravel()
            more = inner / max(n, 1) - (total[number] - inner) / max(n_documents - n, 1)
            np.add.at(added, part.places, member_weights(number, k) * more)
        in_class = _has_terms(parts, rows, n_columns)
        good = np.flatnonzero((above > 0) & (added > 0) & (anywhere > 0))
        order = good[np.lexsort((-anywhere[good], -added[good]))][:n_terms]
        found[label] = [
            UsedTerm(
                int(j) if origins.names is None else plain(origins.names[j]),
                float(above[j]),
                int(anywhere[j]) if is_text[j] else None,
                float(in_class[j] / anywhere[j]),
                float(added[j]),
            )
            for j in order.tolist()
        ]
    return found


def _weights_of(evidence: Any) -> tuple[NDArray[Any], Any, Any] | None:
    """Return the classes, and functions to weights above those of other classes.

    The first function takes the number of a class, the second that of a model of an average as well
    and has a weight for each of its columns.
    """
    if isinstance(evidence, LabelEvidence):
        every = [evidence.weights_of(k) for k in range(len(evidence.classes))]
        sizes = [len(weights) for weights in every if weights is not None]
        if any(weights is None for weights in every) or not sizes:
            return None
        nothing = np.zeros(max(sizes))
        full = [nothing if w is None or not len(w) else w for w in every]
        return evidence.classes, full.__getitem__, lambda number, k: full[k]
    if isinstance(evidence, Evidence) and isinstance(evidence.terms, JoinedTerms):
        terms = evidence.terms
        if not all(isinstance(one, LinearTerms) for one in terms.members):
            return None
        joined = weights_above_others(terms.weights)
        own = [weights_above_others(one.weights) for one in terms.members]  # type: ignore[attr-defined]
        shares = terms.shares
        return evidence.classes, joined, lambda number, k: shares[number] * own[number](k)
    if isinstance(evidence, WeighsClasses):
        above = weights_above_others(evidence.class_weights())
        return np.asarray(evidence.classes), above, lambda number, k: above(k)
    if isinstance(evidence, Evidence) and isinstance(evidence.terms, LinearTerms):
        above = weights_above_others(evidence.terms.weights)
        return evidence.classes, above, lambda number, k: above(k)
    return None


def _parts(inside: Inside, evidence: Any, documents: Any) -> list[_Part]:
    """Return the matrix of the documents, or that of each model of an average."""
    if isinstance(evidence, Evidence) and isinstance(evidence.terms, JoinedTerms):
        model = inside.deciding
        rows = _transformed(inside.transformers, documents)
        heard = [
            look_inside(member)
            for (_, member), weight in zip(members_of(model), model.weights_, strict=True)
            if weight > 0
        ]
        terms = evidence.terms
        return [
            _Part(_matrix(_transformed(one.transformers, rows)), float(share), places)
            for one, share, places in zip(heard, terms.shares, terms.columns.places, strict=True)
        ]
    X = _matrix(_transformed(inside.transformers, documents))
    return [_Part(X, 1.0, np.arange(X.shape[1]))]


def _transformed(steps: list[Any], rows: Any) -> Any:
    for step in steps:
        rows = step.transform(rows)
    return rows


def _matrix(X: Any) -> Any:
    return as_csr(X) if is_sparse(X) else np.asarray(X, dtype=np.float64)


def _has_terms(parts: list[_Part], rows: Any, n_columns: int) -> Ints:
    """Return how many documents have each term: the most of what the models say."""
    most = np.zeros(n_columns, dtype=np.int64)
    for part in parts:
        X = part.X if rows is None else part.X[rows]
        if is_sparse(X):
            counts = np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
        else:
            counts = (X != 0).sum(axis=0)
        np.maximum.at(most, part.places, counts)
    return most


def _members(classes: NDArray[Any], y: Any) -> Any:
    """Return a function from the number of a class to the rows of its documents."""
    if isinstance(y, LabelSets):
        place = {label: number for number, label in enumerate(y.classes.tolist())}
        by_label = y.indicator.tocsc()

        def of_label(k: int) -> Ints:
            number = place[classes[k]]
            rows: Ints = by_label.indices[by_label.indptr[number] : by_label.indptr[number + 1]]
            return rows

        return of_label
    codes = codes_among(np.asarray(y), classes)
    order = np.argsort(codes, kind="stable")
    edges = np.searchsorted(codes[order], np.arange(len(classes) + 1))

    def of_class(k: int) -> Ints:
        rows: Ints = order[edges[k] : edges[k + 1]]
        return rows

    return of_class


def _both_ends(
    coef: Floats, X: Any, names: NDArray[Any] | None, is_text: Any, n_terms: int
) -> dict[Any, list[UsedTerm]]:
    """Return what raises and what lowers numbers most, weights with their signs."""
    X = _matrix(X)
    n = X.shape[0]
    mean = np.asarray(X.sum(axis=0), dtype=np.float64).ravel() / n
    squares = X.multiply(X) if is_sparse(X) else X * X
    spread = np.asarray(squares.sum(axis=0), dtype=np.float64).ravel() / n - mean**2
    moved = coef * np.sqrt(np.maximum(spread, 0.0))
    anywhere = _has_terms([_Part(X, 1.0, np.arange(X.shape[1]))], None, X.shape[1])
    return {
        side: [
            UsedTerm(
                int(j) if names is None else plain(names[j]),
                float(coef[j]),
                int(anywhere[j]) if is_text[j] else None,
                None,
                float(moved[j]),
            )
            for j in _largest(sign * moved, anywhere, n_terms)
        ]
        for side, sign in (("higher", 1.0), ("lower", -1.0))
    }


def _largest(values: Floats, frequency: Ints, n: int) -> Iterator[int]:
    good = np.flatnonzero(values > 0)
    yield from good[np.lexsort((-frequency[good], -values[good]))][:n].tolist()
