"""Search in a corpus: which documents are nearest to a text, and which terms make them so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from quire._shared.sklearn import Interval, fit_context
from quire._shared.texts import check_several
from quire.feature_extraction.text import TfidfVectorizer
from quire.neighbors._duplicates import duplicate_groups, near_duplicates
from quire.neighbors._text_matches import TextMatch, TextMatches
from quire.neighbors._unsupervised import NearestNeighbors

__all__ = ["TextSearch"]

_BATCH = 512  # queries at a time


class TextSearch(BaseEstimator):
    r"""Find the documents nearest to a text, and say which terms they share.

    The cosine of two documents is a sum over the terms that both have,

    .. math:: \cos(x, y) = \sum_j \frac{x_j}{\lVert x \rVert} \frac{y_j}{\lVert y \rVert},

    so that every term has its part in it, and the parts add up.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many documents to find.
    vectorizer : object, default=None
        What turns texts into rows of numbers; it is cloned. ``None`` means
        :class:`quire.feature_extraction.text.TfidfVectorizer`.
    metric : str, default="cosine"
        The distance, as in :class:`NearestNeighbors`.
    n_jobs : int, default=None
        Threads of the search; ``None`` means all cores.

    Attributes
    ----------
    vectorizer_ : object
        Fitted to the corpus.
    index_ : NearestNeighbors
        Fitted to its rows.
    texts_ : polars.Series
        The corpus.
    labels_ : polars.Series or None
        Its labels.
    n_features_in_ : int
        Terms.

    Notes
    -----
    Under "cosine" documents that share no term with a query are never found, so that there may be
    fewer than asked for. :func:`quire.save` keeps the corpus in the file.

    Examples
    --------
    >>> from quire.neighbors import TextSearch
    >>> texts = ["a good film", "a very good film", "rain tomorrow", "sun and rain"]
    >>> search = TextSearch(n_neighbors=2).fit(texts, ["film", "film", "weather", "weather"])
    >>> found = search.search("good weather, no rain")
    >>> print(found)
    0.500  row 0  film: a good film
    0.438  row 2  weather: rain tomorrow
    >>> [(term, round(part, 3)) for term, part in found[0].terms]
    [('good', 0.5)]
    >>> search.search_row(0)[0].text
    'a very good film'
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "vectorizer": [None, object],
        "metric": [str, callable],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        vectorizer: Any = None,
        metric: Any = "cosine",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.vectorizer = vectorizer
        self.metric = metric
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, texts: Any, y: Any = None) -> TextSearch:
        """Read a corpus.

        Parameters
        ----------
        texts : sequence of str or Series
            The documents.
        y : sequence, default=None
            Their labels; ``None`` among them for documents without one.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are other labels than documents.
        """
        column = _column(texts)
        labels = None if y is None else pl.Series("label", y, strict=False)
        if labels is not None and len(labels) != len(column):
            raise ValueError(
                f"y has {len(labels):,} labels; expected one for each of the {len(column):,} "
                "documents."
            )
        made = TfidfVectorizer() if self.vectorizer is None else clone(self.vectorizer)
        X = made.fit_transform(column)
        self.vectorizer_ = made
        self.index_ = NearestNeighbors(
            n_neighbors=min(self.n_neighbors, len(column)), metric=self.metric, n_jobs=self.n_jobs
        ).fit(X)
        self.texts_, self.labels_ = column, labels
        self.n_features_in_ = int(X.shape[1])
        self._names = _names(made, X.shape[1])
        return self

    def search(self, text: str, n_neighbors: int | None = None) -> TextMatches:
        """Find the documents nearest to a text.

        Parameters
        ----------
        text : str
            What to look for.
        n_neighbors : int, default=None
            How many; ``None`` means the parameter.

        Returns
        -------
        TextMatches
            The nearest first.
        """
        if not isinstance(text, str):
            raise TypeError(f"text is {type(text).__name__}; expected a string. See search_all.")
        return next(self.search_all([text], n_neighbors))

    def search_all(
        self, texts: Iterable[str], n_neighbors: int | None = None
    ) -> Iterator[TextMatches]:
        """Find the documents nearest to each of many texts, some hundreds at a time.

        Parameters
        ----------
        texts : iterable of str
            What to look for.
        n_neighbors : int, default=None
            How many for each; ``None`` means the parameter.

        Yields
        ------
        TextMatches
            For each text, in their order.
        """
        check_is_fitted(self)
        k = min(self._checked(n_neighbors), len(self.texts_))
        if isinstance(texts, str):
            raise TypeError("texts is one string; expected several. Use search for one.")
        rest = iter(texts)
        while batch := list(islice(rest, _BATCH)):
            X = self.vectorizer_.transform(batch)
            distances, rows = self.index_.kneighbors(X, k)
            for place, text in enumerate(batch):
                yield self._found(text, _unit_rows(X[[place]]), distances[place], rows[place])

    def search_row(self, row: int, n_neighbors: int | None = None) -> TextMatches:
        """Find the documents nearest to one of the corpus, which is not its own neighbour.

        Parameters
        ----------
        row : int
            Its number, from 0.
        n_neighbors : int, default=None
            How many; ``None`` means the parameter.

        Returns
        -------
        TextMatches
            The nearest first.
        """
        check_is_fitted(self)
        k = self._checked(n_neighbors)
        n = len(self.texts_)
        if not isinstance(row, Integral) or isinstance(row, bool) or not 0 <= row < n:
            raise ValueError(f"row is {row!r}; expected the number of a document, 0 to {n - 1}.")
        X = self.index_._fit_X[[row]]
        distances, rows = self.index_.kneighbors(X, min(k + 1, n))
        others = np.flatnonzero(rows[0] != row)[:k]
        text = self.texts_[int(row)] or ""
        found = self._found(text, _unit_rows(X), distances[0][others], rows[0][others])
        return TextMatches(found.query, found.matches, int(row))

    def duplicates(
        self, threshold: float = 0.9, *, progress: Callable[[int, int], None] | None = None
    ) -> pl.DataFrame:
        """Find all pairs of documents that are nearly the same.

        Parameters
        ----------
        threshold : float, default=0.9
            The smallest cosine of a pair, above 0 and at most 1.
        progress : callable, default=None
            Told the documents done and the documents in all.

        Returns
        -------
        polars.DataFrame
            A row for each pair, the most similar first: ``row`` and ``other``, which are numbers
            of documents, ``similarity``, and ``group``: documents that pairs connect, the largest
            group is 0.

        Notes
        -----
        Nothing is missed, and memory holds blocks and what was found. Empty documents are not
        alike.

        Examples
        --------
        >>> from quire.neighbors import TextSearch
        >>> texts = ["rain in the north", "sun", "rain in the north!", "Rain in the North"]
        >>> TextSearch().fit(texts).duplicates(0.9).rows()
        [(0, 2, 1.0, 0), (0, 3, 1.0, 0), (2, 3, 1.0, 0)]
        """
        check_is_fitted(self)
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold is {threshold}; expected a cosine above 0, at most 1.")
        units = _unit_rows(self.index_._fit_X)
        rows, others, values = near_duplicates(units, threshold, progress)
        groups = duplicate_groups(rows, others, units.shape[0])
        values = np.where(values > 1 - 1e-12, 1.0, values)
        return pl.DataFrame({"row": rows, "other": others, "similarity": values, "group": groups})

    def _checked(self, n_neighbors: int | None) -> int:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            raise ValueError(f"n_neighbors is {k!r}; expected a positive whole number.")
        return int(k)

    def _found(
        self, text: str, unit: Any, distances: NDArray[Any], rows: NDArray[np.int64]
    ) -> TextMatches:
        near = _unit_rows(self.index_._fit_X[rows])
        order = np.argsort(unit.indices)
        own = unit.indices[order], unit.data[order]
        matches: list[TextMatch] = []
        for place, row in enumerate(rows.tolist()):
            part = slice(near.indptr[place], near.indptr[place + 1])
            terms = self._shared(*own, near.indices[part], near.data[part])
            cosine = sum(part for _, part in terms)
            distance = float(distances[place])
            if self.metric == "cosine":
                if not terms:
                    break
                cosine = 1.0 - distance
            label = None if self.labels_ is None else self.labels_[row]
            document = self.texts_[row] or ""
            rank = len(matches) + 1
            matches.append(TextMatch(rank, row, cosine, distance, document, label, terms))
        return TextMatches(text, matches)

    def _shared(
        self,
        columns: NDArray[Any],
        weights: NDArray[Any],
        other_columns: NDArray[Any],
        other_weights: NDArray[Any],
    ) -> list[tuple[str, float]]:
        """Return the terms of both rows; the columns of the first are sorted."""
        if not len(columns):
            return []
        places = np.minimum(np.searchsorted(columns, other_columns), len(columns) - 1)
        both = np.flatnonzero(columns[places] == other_columns)
        parts = weights[places[both]] * other_weights[both]
        order = np.lexsort((other_columns[both], -parts))
        names = other_columns[both[order]].tolist()
        values = parts[order].tolist()
        return [(self._name(j), v) for j, v in zip(names, values, strict=True) if v]

    def _name(self, column: int) -> str:
        return f"column {column}" if self._names is None else str(self._names[column])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Give columns as lists, which model files hold; names come from the vectorizer again."""
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_names", None)
        for name in ("texts_", "labels_"):
            if state.get(name) is not None:
                state[name] = state[name].to_list()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take columns from lists."""
        state = dict(state)
        if "texts_" in state:
            state["texts_"] = pl.Series("text", state["texts_"], dtype=pl.String)
            labels = state["labels_"]
            state["labels_"] = None if labels is None else pl.Series("label", labels, strict=False)
        super().__setstate__(state)
        if "texts_" in state:
            self._names = _names(self.vectorizer_, self.n_features_in_)


def _unit_rows(X: Any) -> Any:
    """Return sparse rows of length 1."""
    return sparse.csr_array(normalize(X))


def _column(texts: Any) -> pl.Series:
    check_several(texts)
    values = texts if isinstance(texts, pl.Series) else list(texts)
    column = pl.Series("text", values, strict=False)
    if column.dtype == pl.Null and len(column):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        raise TypeError(f"texts has values of type {column.dtype}; expected strings.")
    return column.fill_null("")


def _names(vectorizer: Any, n: int) -> NDArray[Any] | None:
    try:
        names = np.asarray(vectorizer.get_feature_names_out())
    except AttributeError:  # a vectorizer that hashes
        return None
    return names if len(names) == n else None
