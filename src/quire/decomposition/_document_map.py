"""A map of texts: two principal components of their tf-idf rows, or places by neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from quire._shared.notebooks import ShownInNotebooks, listed_cells, words_of
from quire._shared.term_weights import TermWeight, plain
from quire.decomposition._neighbor_map import can_place_by_neighbors, places_by_neighbors
from quire.decomposition._pca import PCA
from quire.feature_extraction.text import tfidf_of_texts

__all__ = ["DocumentMap", "MapAxis", "map_axes", "map_documents"]

_NOTHING = 1e-10  # share of variance that is rounding
_LAYOUTS = ("pca", "tsne", "auto")
_COMPONENTS = 50  # in which neighbours are looked for
_LEAST, _FEWEST, _MOST = 8, 30, 20_000  # documents: that neighbours need, and that "auto" allows


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
        The fitted vectorizer and :class:`PCA`: with ``layout="pca"``, ``model.transform(texts)``
        gives the places of other documents, and :func:`quire.save` keeps it. With
        ``layout="tsne"`` these are the components in which neighbours were looked for.
    points : ndarray of shape (n_documents, 2)
        Places; NaN for documents without a term that counts, which are left out of the fit.
    layout : {"pca", "tsne"}
        How places were found.
    """

    model: Pipeline
    points: NDArray[np.float64]
    layout: str = "pca"

    def __repr__(self) -> str:
        if self.layout != "pca":
            return f"<DocumentMap: {len(self.points):,} documents, by neighbours (t-SNE)>"
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

        Raises
        ------
        ValueError
            If places come from neighbours: the axes of such a map mean nothing.
        """
        if self.layout != "pca":
            raise ValueError("The axes of a map by neighbours (t-SNE) mean nothing.")
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
    texts: Any,
    *,
    layout: str = "pca",
    perplexity: float = 30.0,
    vectorizer: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> DocumentMap:
    """Place texts on a map: by the two directions in which they differ most, or by neighbours.

    Parameters
    ----------
    texts : sequence of str, or polars Series
        Documents. Those without a term that counts stay, without a place.
    layout : {"pca", "tsne", "auto"}, default="pca"
        "pca": the first two principal components. Axes have a meaning, and other documents can be
        placed; but of a larger corpus they hold a few per cent of what tells documents apart.
        "tsne": places by neighbours, which shows groups: documents near each other are alike. It
        needs openTSNE (``pip install 'quire[map]'``) and takes a minute for 20,000 documents.
        "auto": "tsne" if openTSNE is installed and there are 30 to 20,000 documents, else "pca".
    perplexity : float, default=30
        About how many neighbours a document has in a map by neighbours; more show larger groups.
    vectorizer : object, default=None
        What makes rows of texts; a copy is fitted. ``None``: :class:`TfidfVectorizer` with
        ``1 + log tf``, without words of more than half of the documents or of very few.
    random_state : int, RandomState instance or None, default=0
        First vectors of the solver; places by components depend on them only by rounding. The
        same one gives the same bits; places by neighbours with the same version of openTSNE.
    n_jobs : int, default=None
        Threads; ``None`` means all that may be used.

    Returns
    -------
    DocumentMap
        The fitted pipeline, places, and axes with their terms.

    Raises
    ------
    ValueError
        If fewer than three documents have terms (eight, by neighbours), there are fewer than three
        terms, or all documents have the same ones.
    MissingExtraError
        If openTSNE is needed and not installed.

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
    if layout not in _LAYOUTS:
        raise ValueError(f"layout is {layout!r}; expected one of {', '.join(_LAYOUTS)}.")
    if not perplexity >= 2:
        raise ValueError(f"perplexity is {perplexity!r}; expected a number from 2 up.")
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
    if layout == "auto":
        is_fit = _FEWEST <= rows.shape[0] <= _MOST and can_place_by_neighbors()
        layout = "tsne" if is_fit else "pca"
    if layout == "tsne" and rows.shape[0] < _LEAST:
        raise ValueError(
            f"There are {rows.shape[0]} documents with terms that count; a map by neighbours needs "
            f"at least {_LEAST}. Use layout='pca'."
        )
    n_components = 2 if layout == "pca" else min(_COMPONENTS, *(n - 1 for n in rows.shape))
    pca = PCA(n_components, random_state=random_state, n_jobs=n_jobs)
    points = np.full((len(filled), 2), np.nan)
    Z = pca.fit_transform(rows)
    points[filled] = Z if layout == "pca" else places_by_neighbors(Z, perplexity, n_jobs)
    model = Pipeline([("vectorizer", fitted), ("components", pca)])
    return DocumentMap(model, points, layout)
