r"""Evidence of several models at once: what each says of a term, weighted and put under one name.

A weighted sum of scores that are sums of parts is a sum of parts again,

.. math:: \sum_m w_m s_m = \sum_m w_m o_m + \sum_i \sum_m w_m e_{mi},

and terms that several models have in common have one part. Which columns of different models are
the same term is told by their names and by what kind of terms they are: words by themselves,
n-grams of characters with a mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.evidence import Evidence
from quire._shared.evidence_terms import LinearTerms, Terms
from quire._shared.fitted import FromFile, derives_from
from quire._shared.sparse import CsrRows, as_csr, csr_like, is_sparse
from quire._shared.typing import Floats, Places

__all__ = [
    "JoinedColumns",
    "JoinedTerms",
    "join_columns",
    "joined_evidence",
    "row_of_zeros",
    "scores_between",
]


@dataclass(frozen=True, eq=False)
class JoinedColumns:
    """The columns of several models, those of one name together.

    Attributes
    ----------
    places : list of ndarray
        For each model, the joined column of each of its columns.
    n_columns : int
        How many joined columns there are.
    names : ndarray of shape (n_columns,) or None
        What they are called; ``None`` if they are the columns of the matrix that all models were
        fitted on, and these have no names.
    """

    places: list[Places]
    n_columns: int
    names: NDArray[Any] | None

    @cached_property
    def first(self) -> tuple[Places, Places]:
        """The first model that has each joined column, and its column there."""
        model = np.full(self.n_columns, -1)
        column = np.full(self.n_columns, -1)
        for number in reversed(range(len(self.places))):
            model[self.places[number]] = number
            column[self.places[number]] = np.arange(len(self.places[number]))
        return model, column


def join_columns(
    members: Sequence[tuple[str, Sequence[Any], int]], given: NDArray[Any] | None = None
) -> JoinedColumns:
    """Find out which columns of several models are the same.

    Parameters
    ----------
    members : sequence of (name, steps, n_columns)
        For each model what it is called, the fitted transformers before it and the number of its
        columns.
    given : ndarray of str, default=None
        Names of the columns of the matrix that goes into the first steps.

    Returns
    -------
    JoinedColumns
        Words that several models know are one column. So is a column of a matrix that several
        models take as it is, or that their steps keep under its name.
    """
    known: dict[Any, int] = {}
    places, are_numbers = [], True
    for name, steps, n_columns in members:
        keys, n_given = _keys(name, steps, n_columns, given)
        are_numbers &= n_given is not None
        for number in range(n_given or 0):  # column i of the matrix is joined column i
            known.setdefault(f"x{number}", len(known))
        found = [known.setdefault(key, len(known)) for key in keys]
        places.append(np.array(found, dtype=np.intp))
    names = None
    if not are_numbers:
        names = np.empty(len(known), dtype=object)
        names[:] = list(known)
    return JoinedColumns(places, len(known), names)


def _keys(
    name: str, steps: Sequence[Any], n_columns: int, given: NDArray[Any] | None
) -> tuple[list[str], int | None]:
    """Return what tells the columns of a model from others.

    If all of them are columns of a matrix without names, also how many that has.
    """
    if not steps:
        if given is not None and len(given) == n_columns:
            return [str(one) for one in given], None
        return _numbered(n_columns), n_columns
    n_given = vars(steps[0]).get("n_features_in_")  # of a matrix, not of texts
    base: Any = given
    if given is None and n_given is not None:
        base = _numbered(n_given)
    found = _through(name, steps, base)
    if found is None or len(found) != n_columns:  # hashed
        return [f"{name}__{i}" for i in range(n_columns)], None
    is_numbered = given is None and n_given is not None and set(found) <= set(base)
    return found, n_given if is_numbered else None


def _through(name: str, steps: Sequence[Any], given: Any) -> list[str] | None:
    """Return what columns are called after some steps; ``None`` if one of them does not say.

    Steps that make columns of several others, as projections do, have names that mean something in
    their own model alone.
    """
    keys: list[str] | None = None if given is None else [str(one) for one in given]
    for number, step in enumerate(steps):
        if number == 0:
            keys = _after_first(name, step, keys)
        elif keys is not None:
            keys = _own(name, _names_after(step, keys), keys)
    return keys


def _after_first(name: str, step: Any, given: list[str] | None) -> list[str] | None:
    if derives_from(step, "sklearn.pipeline.Pipeline"):
        inner = [one for _, one in step.steps if one is not None and not isinstance(one, str)]
        return _through(name, inner, given)
    if derives_from(step, "sklearn.pipeline.FeatureUnion"):
        parts = [one for one in step.transformer_list if one[1] != "drop"]
        each = [_after_first(f"{name}__{part}", inner, given) for part, inner in parts]
        return [key for keys in each if keys for key in keys] if None not in each else None
    kind = None if isinstance(step, str) else vars(step).get("analyzer")  # of vectorizers alone
    if kind is None:
        return None if isinstance(step, str) else _own(name, _names_after(step, given), given)
    names = _names_after(step, None)
    if names is None or kind == "word":
        return None if names is None else [str(one) for one in names]
    mark = kind if isinstance(kind, str) else name  # a function of the caller's own
    return [f"{mark}__{one}" for one in names]


def _own(name: str, names: Any, before: list[str] | None) -> list[str] | None:
    """Return names, with that of the model before those that were not there before a step."""
    if names is None:
        return None
    known = set(before or ())
    return [str(one) if str(one) in known else f"{name}__{one}" for one in names]


def _numbered(n: int) -> list[str]:
    """Return what scikit-learn calls columns without names."""
    return [f"x{i}" for i in range(n)]


def row_of_zeros(model: Any) -> Any:
    """Return one row for a fitted model, to ask it about its weights.

    Parameters
    ----------
    model : estimator
        Has ``n_features_in_``.
    """
    if isinstance(model, FromFile):
        nothing, starts = np.empty(0, dtype=np.int32), np.zeros(2, dtype=np.int32)
        return CsrRows(np.empty(0), nothing, starts, vars(model)["n_features_in_"])
    from scipy import sparse
    from sklearn.utils import get_tags

    if get_tags(model).input_tags.sparse:
        return sparse.csr_array((1, model.n_features_in_))
    return np.zeros((1, model.n_features_in_))


def _names_after(step: Any, names: Any) -> NDArray[Any] | None:
    """Return what a fitted step calls its columns; ``None`` if it does not say."""
    try:
        if names is None:
            return np.asarray(step.get_feature_names_out(), dtype=object)
        given = np.asarray(names, dtype=object)
        return np.asarray(step.get_feature_names_out(given), dtype=object)
    except (AttributeError, ValueError, TypeError):
        return None


@dataclass(frozen=True, eq=False)
class JoinedTerms:
    """Contributions of several models, weighted and summed by the columns that they share.

    Parameters
    ----------
    members : list of Terms
        What each model says.
    shares : ndarray of shape (n_models,)
        What its contributions are multiplied by.
    columns : JoinedColumns
        Which columns are the same.
    """

    members: list[Terms]
    shares: Floats
    columns: JoinedColumns

    @cached_property
    def values(self) -> Any:
        """The documents: each joined column as the first model has it that finds something."""
        values = [one.values for one in self.members]
        if not any(map(is_sparse, values)):
            found = np.zeros((len(values[0]), self.columns.n_columns))
            for X, places in zip(reversed(values), reversed(self.columns.places), strict=True):
                found[:, places] = np.where(X != 0, X, found[:, places])
            return found
        rows, columns, data = self._entries(values)
        order = np.lexsort((data == 0, columns, rows))  # stable: of equals, the first model's
        rows, columns, data = rows[order], columns[order], data[order]
        is_first = np.ones(len(rows), dtype=bool)
        is_first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
        return self._rows_of(values, rows[is_first], columns[is_first], data[is_first])

    def between(self, a: int, b: int) -> Any:
        """Return what every feature adds to the log-odds of class number a against b."""
        parts = [
            one.between(a, b) * share for one, share in zip(self.members, self.shares, strict=True)
        ]
        if not any(map(is_sparse, parts)):
            total = np.zeros(self._shape)
            for part, places in zip(parts, self.columns.places, strict=True):
                np.add.at(total.T, places, part.T)
            return total
        rows, columns, data = self._entries(parts)
        order = np.lexsort((columns, rows))  # stable: what is added up is in the order of models
        rows, columns, data = rows[order], columns[order], data[order]
        is_new = np.ones(len(rows), dtype=bool)
        is_new[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
        sums: Floats = data
        if len(data):
            sums = np.bincount(np.cumsum(is_new) - 1, data).astype(np.float64, copy=False)
        return self._rows_of(parts, rows[is_new], columns[is_new], sums)

    def row(self, number: int) -> JoinedTerms:
        """Return the same for one document."""
        return JoinedTerms([one.row(number) for one in self.members], self.shares, self.columns)

    def is_count(self, column: int) -> bool:
        """Return what the first model says that has the column."""
        model, own = self.columns.first
        known: bool = self.members[model[column]].is_count(int(own[column]))
        return known

    @property
    def weights(self) -> Floats:
        """What one unit of a column in each model adds to the score of each class.

        Raises
        ------
        TypeError
            If a model is not linear in its columns.
        """
        total: Any = None
        for one, share, places in zip(self.members, self.shares, self.columns.places, strict=True):
            if not isinstance(one, LinearTerms):
                raise TypeError("One of the models has no weights of its columns.")
            if total is None:
                total = np.zeros((self.columns.n_columns, len(one.weights)))
            np.add.at(total, places, share * one.weights.T)
        return np.ascontiguousarray(total.T)

    @property
    def _shape(self) -> tuple[int, int]:
        return self.members[0].values.shape[0], self.columns.n_columns

    def _rows_of(self, parts: list[Any], rows: Places, columns: Places, data: Floats) -> Any:
        """Return a CSR matrix of entries in order; without SciPy if the parts are."""
        n_rows, n_columns = self._shape
        indptr = np.searchsorted(rows, np.arange(n_rows + 1))
        like = next(part for part in parts if is_sparse(part))
        return csr_like(like, data, columns, indptr, n_columns)

    def _entries(self, parts: list[Any]) -> tuple[Places, Places, Floats]:
        """Return the entries of all models with the joined columns that they are in."""
        entries = []
        for part, places in zip(parts, self.columns.places, strict=True):
            X = as_csr(part)
            rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
            entries.append((rows, places[X.indices], X.data.astype(np.float64)))
        rows, columns, data = (np.concatenate(each) for each in zip(*entries, strict=True))
        return rows, columns, data


def joined_evidence(
    classes: NDArray[Any],
    members: Sequence[Evidence],
    weights: Floats,
    columns: JoinedColumns,
) -> Evidence:
    """Return the evidence of a weighted sum of the scores of several models.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Of all of them.
    members : sequence of Evidence
        What each says about the same documents.
    weights : ndarray of shape (n_models,)
        What their scores are multiplied by.
    columns : JoinedColumns
        Which columns are the same.

    Returns
    -------
    Evidence
        Of two classes the first has the score 0, and of more the mean of all is 0.
    """
    scores = sum(w * scores_between(one.scores) for one, w in zip(members, weights, strict=True))
    every = [np.column_stack([_offset(one, k) for k in range(len(classes))]) for one in members]
    offsets = sum(w * scores_between(one) for one, w in zip(every, weights, strict=True))
    terms = JoinedTerms([one.terms for one in members], np.asarray(weights), columns)
    return Evidence(
        classes, np.asarray(scores), np.asarray(offsets), terms, feature_names=columns.names
    )


def _offset(evidence: Evidence, k: int) -> Floats:
    """Return the offsets of a class above those of the first class."""
    return evidence.offset(evidence.classes[k], evidence.classes[0])


def scores_between(scores: Floats) -> Floats:
    """Return scores that begin at the first of two classes, or lie around the mean of several.

    Parameters
    ----------
    scores : ndarray of shape (n_documents, n_classes)
        Finite.
    """
    if scores.shape[1] == 2:
        return scores - scores[:, :1]
    centred: Floats = scores - scores.mean(axis=1, keepdims=True)
    return centred
