"""A map of texts: the first two principal components of their tf-idf rows, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from quire._shared.notebooks import ShownInNotebooks, listed_cells, words_of
from quire._shared.term_weights import TermWeight, plain
from quire.decomposition._pca import PCA
from quire.feature_extraction.text import tfidf_of_texts

__all__ = ["DocumentMap", "MapAxis", "map_axes", "map_documents"]

_NOTHING = 1e-10  # share of variance that is rounding


@dataclass(frozen=True)
class MapAxis(ShownInNotebooks):
    """One axis of a map.

    Attributes
    ----------
    share : float
        Its share of the variance of all documents.
    low, high : list of TermWeight
        The terms that pull documents to the left or lower end, and to the right or upper end, with
        their weights in the component; the heaviest first.
    """

    share: float
    low: list[TermWeight]
    high: list[TermWeight]


@dataclass(frozen=True, eq=False, repr=False)
class DocumentMap(ShownInNotebooks):
    """Documents in two dimensions, from :func:`map_documents`.

    Attributes
    ----------
    model : Pipeline
        The fitted vectorizer and :class:`PCA`: ``model.transform(texts)`` gives the places of other
        documents, and :func:`quire.save` keeps it.
    points : ndarray of shape (n_documents, 2)
        Places; NaN for documents without a term that counts, which are left out of the fit.
    """

    model: Pipeline
    points: NDArray[np.float64]

    def __repr__(self) -> str:
        shares = self.pca.explained_variance_ratio_
        return f"<DocumentMap: {len(self.points):,} documents, {shares.sum():.1%} of variance>"

    def _notebook_caption(self) -> str:
        return f"{len(self.points):,} documents in two dimensions, {self.n_empty:,} without words"

    def _notebook_cells(self) -> list[list[str]]:
        rows = [
            [number, f"{axis.share:.1%}", words_of(axis.low), words_of(axis.high)]
            for number, axis in enumerate(self.axes(), start=1)
        ]
        return listed_cells(["axis", "variance", "at its low end", "at its high end"], rows)

    @property
    def vectorizer(self) -> Any:
        """What made rows of the texts."""
        return self.model.steps[0][1]

    @property
    def pca(self) -> PCA:
        """The fitted components."""
        found: PCA = self.model.steps[-1][1]
        return found

    @property
    def n_empty(self) -> int:
        """Number of documents without a term that counts."""
        return int(np.count_nonzero(np.isnan(self.points[:, 0])))

    def axes(self, n: int = 8) -> list[MapAxis]:
        """Return the two axes with the terms at their ends.

        Parameters
        ----------
        n : int, default=8
            Terms at each end at most.
        """
        return map_axes(self.pca, self.vectorizer.get_feature_names_out(), n)


def map_axes(pca: Any, names: Any, n: int) -> list[MapAxis]:
    """Return what the components of a fitted PCA mean.

    Parameters
    ----------
    pca : PCA
        Fitted.
    names : sequence of str
        The terms of the columns.
    n : int
        Terms at each end at most.
    """
    found = []
    for weights, share in zip(pca.components_, pca.explained_variance_ratio_, strict=True):
        order = np.argsort(weights, kind="stable")
        ends = []
        for sign, chosen in ((-1, order[:n]), (1, order[::-1][:n])):
            terms = [i for i in chosen if sign * weights[i] > 0 and share > _NOTHING]
            ends.append([TermWeight(plain(names[i]), float(weights[i])) for i in terms])
        found.append(MapAxis(float(share), *ends))
    return found


def map_documents(
    texts: Any, *, vectorizer: Any = None, random_state: Any = 0, n_jobs: int | None = None
) -> DocumentMap:
    """Place texts on a map: tf-idf, then the two directions in which they differ most.

    Parameters
    ----------
    texts : sequence of str, or polars Series
        Documents. Those without a term that counts stay, without a place.
    vectorizer : object, default=None
        What makes rows of texts; a copy is fitted. ``None``: :class:`TfidfVectorizer` with
        ``1 + log tf``, without words of more than half of the documents or of very few.
    random_state : int, RandomState instance or None, default=0
        First vectors of the solver; places depend on them only by rounding.
    n_jobs : int, default=None
        Threads; ``None`` means all that may be used.

    Returns
    -------
    DocumentMap
        The fitted pipeline, places, and axes with their terms.

    Raises
    ------
    ValueError
        If fewer than three documents have terms, there are fewer than three terms, or all documents
        have the same ones.

    Examples
    --------
    >>> from quire.decomposition import map_documents
    >>> texts = ["a cat and a dog", "a dog barks, barks", "parliament votes", "votes, votes", ""]
    >>> found = map_documents(texts)
    >>> found.points.shape, found.n_empty
    ((5, 2), 1)
    >>> sorted(term.term for term in found.axes(2)[0].low + found.axes(2)[0].high)
    ['barks', 'dog', 'parliament', 'votes']
    """
    fitted, X, filled = tfidf_of_texts(texts, vectorizer)
    rows = X if filled.all() else X[filled]
    if min(rows.shape) < 3:
        raise ValueError(
            f"There are {rows.shape[0]:,} documents with terms that count, and {rows.shape[1]:,} "
            "terms; a map needs at least three of each. Leave out fewer terms, or give more texts."
        )
    squares = float(np.square(rows.data).sum())
    if squares - rows.shape[0] * float(np.square(rows.mean(axis=0)).sum()) <= _NOTHING * squares:
        raise ValueError("All documents have the same terms; there is nothing to tell them apart.")
    pca = PCA(2, random_state=random_state, n_jobs=n_jobs)
    points = np.full((len(filled), 2), np.nan)
    points[filled] = pca.fit_transform(rows)
    return DocumentMap(Pipeline([("vectorizer", fitted), ("components", pca)]), points)
