"""Several labels for a document: sets of labels of any kind as an indicator matrix.

Every model and every score of several labels reads ``y`` through here, as those of one label do
through :mod:`quire._shared.labels`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.notebooks import ShownInNotebooks, listed_cells
from quire._shared.term_weights import plain
from quire._shared.validation import check_sparse_arrays

__all__ = [
    "SEPARATOR",
    "LabelSets",
    "are_sets",
    "check_separator",
    "indicator_of",
    "joined_labels",
    "label_sets",
    "parts_that_recur",
    "predicted_sets",
    "separator_of",
    "sets_probabilities",
]

SEPARATOR = "|"
_SHOWN = 5


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets(ShownInNotebooks, Sequence[Any]):
    """The labels of each document: a sequence of tuples, kept as an indicator matrix.

    ``sets[3]`` is the tuple of the labels of document 3, in the order of the classes;
    ``sets[rows]`` are the sets of some documents, with all classes. NumPy reads it as a matrix of 0
    and 1, and so does scikit-learn.

    Attributes
    ----------
    classes : ndarray of shape (n_labels,)
        All labels, sorted.
    indicator : csr_array of int8 of shape (n_documents, n_labels)
        1 where a document has a label. Nothing else is stored.
    separator : str
        What stands between labels where a set is written as text.

    Examples
    --------
    >>> from quire.multilabel import label_sets
    >>> sets = label_sets(["rain|wind", "sun", "", "wind"])
    >>> sets.classes.tolist(), sets[0], sets[2]
    (['rain', 'sun', 'wind'], ('rain', 'wind'), ())
    >>> sets.indicator.toarray()
    array([[1, 0, 1],
           [0, 1, 0],
           [0, 0, 0],
           [0, 0, 1]], dtype=int8)
    >>> sets[1:].joined()
    ['sun', '', 'wind']
    """

    classes: NDArray[Any]
    indicator: Any
    separator: str = SEPARATOR

    def __len__(self) -> int:
        return int(self.indicator.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """Documents and labels."""
        n, n_labels = self.indicator.shape
        return int(n), int(n_labels)

    @overload
    def __getitem__(self, rows: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, rows: Any) -> LabelSets: ...
    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, int | np.integer):
            row = range(len(self))[rows]
            start, stop = self.indicator.indptr[row : row + 2]
            return tuple(self._names[k] for k in self.indicator.indices[start:stop].tolist())
        return LabelSets(self.classes, sparse.csr_array(self.indicator[rows]), self.separator)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return (self[row] for row in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        matrix: NDArray[Any] = self.indicator.toarray()
        return matrix.astype(np.int64 if dtype is None else dtype)

    def __repr__(self) -> str:
        return f"<LabelSets of {len(self):,} documents, {len(self.classes):,} labels>"

    def _notebook_cells(self) -> list[list[str]]:
        order = np.argsort(-self.sizes, kind="stable").tolist()
        rows = [[str(self._names[k]), int(self.sizes[k])] for k in order]
        return listed_cells(["label", f"of {len(self):,} documents"], rows)

    @cached_property
    def _names(self) -> list[Any]:
        return [plain(label) for label in self.classes.tolist()]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many documents have each label."""
        return np.bincount(self.indicator.indices, minlength=len(self.classes)).astype(np.int64)

    def joined(self) -> list[str]:
        """Return each set as text."""
        return joined_labels(self.indicator, self.classes, self.separator)

    def columns_of(self, labels: Iterable[Any]) -> Any:
        """Return the columns of some labels, as a matrix of shape (n_documents, len(labels))."""
        places = [self._names.index(label) for label in labels]
        return sparse.csr_array(self.indicator[:, places])

    def among(self, classes: NDArray[Any]) -> tuple[Any, dict[Any, int]]:
        """Return the indicator among classes that are known, and how often others occur.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            Those of a model.

        Returns
        -------
        indicator : csr_array of int8 of shape (n_documents, n_classes)
            Without labels that are not among them.
        unseen : dict from label to int
            Documents with each of those.
        """
        place = {label: k for k, label in enumerate(classes.tolist())}
        by_text = {str(label): k for k, label in enumerate(classes.tolist())}
        places = np.array(
            [place.get(name, by_text.get(str(name), -1)) for name in self._names], dtype=np.intp
        ).reshape(-1)
        entries = self.indicator.tocoo()
        to = places[entries.col]
        rows = entries.row[to >= 0]
        unseen = {
            self._names[k]: int(self.sizes[k]) for k in np.flatnonzero(places < 0) if self.sizes[k]
        }
        return indicator_of(rows, to[to >= 0], (len(self), len(classes))), unseen


def separator_of(model: Any) -> str:
    """Return what stands between labels in the texts that a model was fitted to.

    Parameters
    ----------
    model : classifier
        Of several labels.
    """
    return str(getattr(model, "separator_", SEPARATOR))


def indicator_of(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """Return an indicator matrix with sorted columns, of places that may repeat.

    Parameters
    ----------
    rows, columns : array-like of int
        Places of the ones.
    shape : (int, int)
        Documents and labels.
    """
    ones = np.ones(len(rows), dtype=np.int8)
    Y = sparse.csr_array((ones, (np.asarray(rows), np.asarray(columns))), shape=shape)
    Y.sum_duplicates()
    Y.data[:] = 1
    return Y


def joined_labels(indicator: Any, classes: NDArray[Any], separator: str = SEPARATOR) -> list[str]:
    """Return the labels of each document as one text; nothing for none.

    Parameters
    ----------
    indicator : csr_array of shape (n_documents, n_labels)
        With sorted columns.
    classes : ndarray of shape (n_labels,)
        Their names.
    separator : str
        What stands between them.
    """
    names = [str(plain(label)) for label in classes.tolist()]
    places, ends = indicator.indices.tolist(), indicator.indptr.tolist()
    return [separator.join([names[k] for k in places[a:b]]) for a, b in pairwise(ends)]


def are_sets(y: Any) -> bool:
    """Return whether labels have the form of several for a document, whatever they say.

    Parameters
    ----------
    y : Any
        Labels: a matrix, lists, a column of lists. Texts with a separator have the form of one.
    """
    if isinstance(y, LabelSets) or sparse.issparse(y):
        return True
    if type(y).__module__.startswith("polars") and hasattr(y, "dtype"):
        return bool(y.dtype.is_nested())
    if len(getattr(y, "shape", ())) == 2:
        return int(y.shape[1]) > 1
    first = next((one for one in _rows(y) if one is not None), None)
    return isinstance(first, list | tuple | set | frozenset | np.ndarray)


def label_sets(y: Any, *, separator: str = SEPARATOR) -> LabelSets:
    """Read the labels of documents that may have several each, or none.

    Parameters
    ----------
    y : LabelSets, matrix, or sequence of shape (n_documents,)
        A matrix of 0 and 1, dense or sparse, with a column for each label; a data frame of them,
        whose columns are named; lists, tuples or sets of labels; a column of lists; or texts with a
        separator between labels, where a text without any is the empty set. Lists of 0 and 1, all
        of one length, are the rows of a matrix.
    separator : str, default="|"
        What stands between labels in texts.

    Returns
    -------
    LabelSets
        A sequence of tuples, and an indicator matrix.

    Raises
    ------
    ValueError
        If a matrix has other numbers than 0 and 1, or labels of a document are missing.
    TypeError
        If it is none of these, or labels are of different types.

    Examples
    --------
    >>> from quire.multilabel import label_sets
    >>> list(label_sets([["sun"], ["wind", "rain"], []]))
    [('sun',), ('rain', 'wind'), ()]
    >>> list(label_sets([[1, 0, 1], [0, 0, 0]]))
    [(0, 2), ()]
    >>> list(label_sets(["a; b", "b"], separator=";"))
    [('a', 'b'), ('b',)]
    """
    check_separator(separator)
    if isinstance(y, LabelSets):
        return y
    if sparse.issparse(y):
        check_sparse_arrays(y)
        return _of_matrix(sparse.csr_array(y), np.arange(y.shape[1]), separator)
    if hasattr(y, "columns") and not hasattr(y, "to_list"):  # a data frame of polars or pandas
        names = np.array([str(name) for name in y.columns], dtype=object)
        return _of_matrix(_as_matrix(y.to_numpy()), names, separator)
    if isinstance(y, np.ndarray) and y.ndim == 2:
        return _of_matrix(_as_matrix(y), np.arange(y.shape[1]), separator)
    rows = _rows(y)
    _refuse_missing(rows)
    if rows and all(isinstance(row, str) for row in rows):
        known = {row: _parts(row, separator) for row in set(rows)}
        return _of_lists([known[row] for row in rows], separator)
    for row in rows:
        if not isinstance(row, list | tuple | set | frozenset | np.ndarray):
            raise TypeError(
                f"y has {row!r} where the labels of a document are expected: give a list of labels "
                "for each document, a matrix of 0 and 1, or texts with a separator."
            )
    lists = [list(row) for row in rows]
    if _is_matrix(lists):
        return _of_matrix(_as_matrix(np.array(lists)), np.arange(len(lists[0])), separator)
    return _of_lists(lists, separator)


def check_separator(separator: Any) -> None:
    """Raise an error unless this can stand between labels."""
    if not isinstance(separator, str) or not separator:
        raise ValueError(f"label_separator={separator!r}: expected text, such as '|' or ';'.")


def _rows(y: Any) -> list[Any]:
    if hasattr(y, "to_list"):
        y = y.to_list()
    elif isinstance(y, np.ndarray):
        y = y.tolist()
    return list(y) if isinstance(y, Iterable) and not isinstance(y, str) else []


def _parts(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator) if part.strip()]


def _is_matrix(lists: list[list[Any]]) -> bool:
    """Return whether lists are rows of a matrix: all of one length, with 0 and 1 alone."""
    if not lists or not lists[0] or len({len(row) for row in lists}) > 1:
        return False
    return all(isinstance(one, int | np.integer) and one in (0, 1) for row in lists for one in row)


def _as_matrix(values: Any) -> Any:
    if values.dtype.kind == "O":
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                "y is a matrix, and not all of it are numbers: expected 0 and 1, a column for each "
                "label. For lists of labels give a list of lists."
            ) from None
    if values.dtype.kind not in "biuf":
        raise ValueError(f"y is a matrix of {values.dtype}: expected 0 and 1.")
    return sparse.csr_array(values)


def _of_matrix(Y: Any, classes: NDArray[Any], separator: str) -> LabelSets:
    strange = Y.data[(Y.data != 0) & (Y.data != 1)]
    if len(strange):
        raise ValueError(
            f"y is a matrix with {plain(strange[0])!r} in it: expected 0 and 1, a column for each "
            "label."
        )
    Y = Y.copy()
    Y.sum_duplicates()
    Y.eliminate_zeros()
    found = sparse.csr_array(
        (np.ones(len(Y.data), dtype=np.int8), Y.indices, Y.indptr), shape=Y.shape
    )
    found.sort_indices()
    return LabelSets(classes, found, separator)


def _of_lists(lists: list[list[Any]], separator: str) -> LabelSets:
    labels = {plain(label) for row in lists for label in row}
    missing = [label for label in labels if label is None or label != label]
    if missing:
        row = next(k for k, one in enumerate(lists) if any(x is None or x != x for x in one))
        raise ValueError(
            f"A label of document {row} is missing ({missing[0]!r}). Leave it out of the list; a "
            "document without any label has an empty one."
        )
    kinds = {str if isinstance(label, str) else float for label in labels}
    known = all(isinstance(label, str | int | float) for label in labels)
    if len(kinds) > 1 or not known:
        shown = ", ".join(map(repr, sorted(labels, key=repr)[:_SHOWN]))
        raise TypeError(f"Labels are of different types ({shown}): give texts, or whole numbers.")
    ordered = sorted(labels)
    classes = np.array(ordered, dtype=object if kinds == {str} else None)
    if not ordered:
        classes = np.array([], dtype=object)
    place = {label: k for k, label in enumerate(ordered)}
    columns = [place[plain(label)] for row in lists for label in row]
    rows = np.repeat(np.arange(len(lists)), [len(row) for row in lists])
    return LabelSets(classes, indicator_of(rows, columns, (len(lists), len(ordered))), separator)


def _refuse_missing(rows: list[Any]) -> None:
    missing = [k for k, row in enumerate(rows) if row is None or (isinstance(row, float))]
    missing = [k for k in missing if rows[k] is None or rows[k] != rows[k]]
    if missing:
        raise ValueError(
            f"The labels of {len(missing):,} of {len(rows):,} documents are missing, the first at "
            f"row {missing[0]}. Remove these documents; one that has no label has an empty list, "
            "or an empty text."
        )


def parts_that_recur(values: Iterable[Any], separator: str = SEPARATOR) -> list[str]:
    """Return the labels that values are made of, most frequent first, if they look like sets.

    They do if some have the separator between parts, and half of these parts or more are there in
    another value, too: alone, or with other ones. The names of a hierarchy (``sport|tennis``) do
    not: their ends are in no other value.

    Parameters
    ----------
    values : iterable
        Labels, as they are.
    separator : str
        What may stand between parts.

    Returns
    -------
    list of str
        Empty if they do not look like sets.

    Examples
    --------
    >>> parts_that_recur(["rain|wind", "wind", "sun", "sun|wind"])
    ['wind', 'sun', 'rain']
    >>> parts_that_recur(["sport|tennis", "sport|chess", "arts|film"])
    []
    """
    values = list(values)
    if not all(isinstance(value, str) for value in values):
        return []
    how_often = Counter(values)
    sets = {value: set(_parts(value, separator)) for value in how_often}
    several = [one for one in sets.values() if len(one) > 1]
    if not several:
        return []
    in_values = Counter(part for one in sets.values() for part in one)
    parts = set().union(*several)
    if 2 * sum(in_values[part] > 1 for part in parts) < len(parts):
        return []
    sizes: Counter[str] = Counter()
    for value, one in sets.items():
        for part in one:
            sizes[part] += how_often[value]
    return sorted(sizes, key=lambda part: (-sizes[part], part))


def predicted_sets(model: Any, X: Any) -> LabelSets:
    """Return the labels that a model predicts, by their names.

    Parameters
    ----------
    model : classifier
        Fitted to several labels for each row: one of :mod:`quire.multilabel`, or of scikit-learn.
    X : rows
        As it takes them.
    """
    if hasattr(model, "predict_labels"):
        found: LabelSets = model.predict_labels(X)
        return found
    indicator = label_sets(model.predict(X)).indicator
    classes = model.classes_
    names = np.arange(indicator.shape[1]) if isinstance(classes, list) else np.asarray(classes)
    return LabelSets(names, indicator)


def sets_probabilities(model: Any, X: Any) -> NDArray[np.float64] | None:
    """Return the probability of each label, of shape (n_rows, n_labels), if the model has them.

    Parameters
    ----------
    model : classifier
        Fitted to several labels for each row.
    X : rows
        As it takes them.
    """
    if not hasattr(model, "predict_proba"):
        return None
    P = model.predict_proba(X)
    if isinstance(P, list):  # of each label, of those of its classes that occur
        ones = [list(np.asarray(classes).tolist()) for classes in model.classes_]
        columns = [
            one[:, known.index(1)] if 1 in known else np.zeros(len(one))
            for one, known in zip(P, ones, strict=True)
        ]
        return np.column_stack(columns).astype(np.float64)
    return np.asarray(P, dtype=np.float64)
