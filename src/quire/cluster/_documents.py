"""Clusters of texts: tf-idf rows, k-means, how many clusters, and what each is about."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances, silhouette_samples
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from quire._shared.how_many import how_many
from quire._shared.notebooks import ShownInNotebooks, listed_cells, words_of
from quire._shared.progress import shown_bar
from quire._shared.term_weights import TermWeight
from quire.cluster._agreement import ClusterAgreement, cluster_agreement
from quire.cluster._k_means import KMeans
from quire.cluster._rows import Centres, Rows
from quire.feature_extraction.text import tfidf_of_texts

__all__ = ["ClusterTrial", "DocumentClusters", "cluster_documents"]

_Tell = Callable[[int, int, float], None]  # start, iteration, inertia
_AS_ASKED = "as asked for"
_MOST_BY_DEFAULT = 20
_SAMPLE = 2000  # documents that silhouettes are computed from


@dataclass(frozen=True)
class ClusterTrial(ShownInNotebooks):
    """One number of clusters that was tried.

    Attributes
    ----------
    n_clusters : int
        How many.
    inertia : float
        Sum of squared distances to the centres.
    silhouette : float or None
        Mean over a sample of documents; ``None`` where it has no value, as with one cluster.
    smallest : int
        Documents of the smallest cluster.
    n_iter : int
        Iterations of the best start.
    seconds : float
        What it took.
    """

    n_clusters: int
    inertia: float
    silhouette: float | None
    smallest: int
    n_iter: int
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class DocumentClusters(ShownInNotebooks):
    """Clusters of documents, from :func:`cluster_documents`.

    Attributes
    ----------
    model : Pipeline
        The fitted vectorizer and :class:`KMeans`: ``model.predict(texts)`` gives the clusters of
        other documents, and :func:`quire.save` keeps it.
    labels : ndarray of shape (n_documents,)
        The cluster of each document; -1 for documents without a term that counts. They have no
        direction, so that no cluster is nearer than another, and are left out of the fit.
    distances : ndarray of shape (n_documents,)
        Distance of each document to its centre, cosine or euclidean; NaN where there is no cluster.
    silhouettes : ndarray of shape (n_clusters,)
        Mean silhouettes of the clusters, from a sample of documents: near 1 apart from all others,
        near 0 between them. NaN where the sample has none.
    trials : list of ClusterTrial
        What was tried; of several the one with the largest silhouette was taken.
    reason : str
        How the number of clusters came about.
    """

    model: Pipeline
    labels: NDArray[np.int64]
    distances: NDArray[np.float64]
    silhouettes: NDArray[np.float64]
    trials: list[ClusterTrial]
    reason: str

    def __repr__(self) -> str:
        return (
            f"<DocumentClusters: {self.n_clusters} clusters, {len(self.labels):,} documents, "
            f"{self.n_empty:,} empty>"
        )

    def _notebook_cells(self) -> list[list[str]]:
        terms = self.top_terms(8)
        pairs = zip(self.sizes.tolist(), self.silhouettes.tolist(), strict=True)
        rows = [[k, size, apart, words_of(terms[k])] for k, (size, apart) in enumerate(pairs)]
        if self.n_empty:
            rows.append(["no words", self.n_empty, None, ""])
        return listed_cells(["cluster", "documents", "silhouette", "terms"], rows)

    @property
    def vectorizer(self) -> Any:
        """What made rows of the texts."""
        return self.model.steps[0][1]

    @property
    def k_means(self) -> KMeans:
        """The fitted k-means."""
        found: KMeans = self.model.steps[-1][1]
        return found

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.k_means.cluster_centers_)

    @property
    def n_empty(self) -> int:
        """Number of documents without a term that counts."""
        return int(np.count_nonzero(self.labels < 0))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of documents of each cluster, without empty ones."""
        counts = np.bincount(self.labels[self.labels >= 0], minlength=self.n_clusters)
        return counts.astype(np.int64, copy=False)

    @property
    def number_is_given(self) -> bool:
        """Whether the number of clusters was asked for, rather than found."""
        return self.reason == _AS_ASKED

    @property
    def chosen(self) -> ClusterTrial:
        """The trial that became the model."""
        return next(one for one in self.trials if one.n_clusters == self.n_clusters)

    def top_terms(self, n_terms: int = 10) -> dict[int, list[TermWeight]]:
        """Return the terms that mark each cluster; see :meth:`KMeans.top_terms`.

        Parameters
        ----------
        n_terms : int, default=10
            How many for each at most; terms that speak against a cluster are left out.
        """
        names = self.vectorizer.get_feature_names_out()
        ranked = self.k_means.top_terms(n_terms, feature_names=names)
        return {k: [term for term in terms if term.weight > 0] for k, terms in ranked.items()}

    def central_documents(self, n: int = 5) -> dict[int, NDArray[np.int64]]:
        """Return the documents that lie nearest to the centre of their cluster.

        Parameters
        ----------
        n : int, default=5
            How many for each.

        Returns
        -------
        dict from int to ndarray of int
            Numbers of documents, the nearest first.
        """
        found = {}
        for cluster in range(self.n_clusters):
            members = np.flatnonzero(self.labels == cluster)
            order = np.argsort(self.distances[members], kind="stable")[: max(n, 0)]
            found[cluster] = members[order]
        return found

    def agreement(self, labels: Any) -> ClusterAgreement:
        """Compare the clusters with known labels; see :func:`cluster_agreement`.

        Parameters
        ----------
        labels : array-like of shape (n_documents,)
            What the documents are known to be; ``None`` where that is not known.
        """
        return cluster_agreement(self.labels, labels)


def cluster_documents(
    texts: Any,
    n_clusters: int | Sequence[int] | None = None,
    *,
    metric: str = "cosine",
    vectorizer: Any = None,
    n_init: int = 3,
    max_iter: int = 300,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Any = False,
) -> DocumentClusters:
    """Group texts: tf-idf, then k-means, spherical by default.

    Parameters
    ----------
    texts : sequence of str, or polars Series
        Documents. Those without a term that counts stay, in no cluster.
    n_clusters : int, sequence of int or None, default=None
        How many; or several numbers to try, of which the one with the largest mean silhouette is
        taken; or ``None`` for a rule of thumb: the root of half the number of documents, at least
        2, at most 20.
    metric : {"cosine", "euclidean"}, default="cosine"
        As for :class:`KMeans`.
    vectorizer : object, default=None
        What makes rows of texts; a copy is fitted. ``None``: :class:`TfidfVectorizer` with
        ``1 + log tf``, without words of more than half of the documents or of very few.
    n_init : int, default=3
        Starts for each number; the best is kept.
    max_iter : int, default=300
        Iterations at most from one start.
    random_state : int, RandomState instance or None, default=None
        Draws starts and the sample for silhouettes.
    n_jobs : int, default=None
        Threads; ``None`` means all that may be used. The number changes no bit.
    progress : bool or callable, default=False
        Whether to show a bar on standard error; or what to call with a dictionary of
        ``"n_clusters"``, ``"start"``, ``"iteration"`` and ``"inertia"``.

    Returns
    -------
    DocumentClusters
        The fitted pipeline, the cluster of each document, and what was tried.

    Raises
    ------
    ValueError
        If there are fewer documents with words than clusters, or no words at all.

    Examples
    --------
    >>> from quire.cluster import cluster_documents
    >>> texts = ["a cat and a dog", "the dog barks", "votes in parliament", "parliament votes", ""]
    >>> found = cluster_documents(texts, 2, random_state=0)
    >>> found
    <DocumentClusters: 2 clusters, 5 documents, 1 empty>
    >>> found.labels
    array([ 0,  0,  1,  1, -1])
    >>> [term.term for term in found.top_terms(2)[found.labels[2]]]
    ['parliament', 'votes']
    """
    fitted, X, filled = tfidf_of_texts(texts, vectorizer)
    rows = X if filled.all() else X[filled]
    numbers, reason = _numbers(n_clusters, rows.shape[0])
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    judge = _Silhouettes(rows, metric, seed)
    settings: dict[str, Any] = {"metric": metric, "n_init": n_init, "max_iter": max_iter}
    trials: list[ClusterTrial] = []
    best: tuple[float, KMeans, NDArray[np.float64]] | None = None
    with _reporting(progress, numbers, n_init) as tell_of:
        for number in numbers:
            start = time.perf_counter()
            model = KMeans(number, random_state=seed, n_jobs=n_jobs, **settings)
            _fit_watched(model, rows, tell_of(number))
            own = judge.of_clusters(model.labels_, number)
            value = judge.mean
            counts = np.bincount(model.labels_, minlength=number)
            seconds = time.perf_counter() - start
            trials.append(
                ClusterTrial(
                    number, model.inertia_, value, int(counts.min()), model.n_iter_, seconds
                )
            )
            score = -np.inf if value is None else value
            if best is None or score > best[0]:
                best = score, model, own
    assert best is not None  # there is at least one number
    _, model, own = best
    labels = np.full(len(filled), -1, dtype=np.int64)
    labels[filled] = model.labels_
    distances = np.full(len(filled), np.nan)
    distances[filled] = _distances(model, rows)
    return DocumentClusters(
        model=Pipeline([("vectorizer", fitted), ("clusters", model)]),
        labels=labels,
        distances=distances,
        silhouettes=own,
        trials=trials,
        reason=reason,
    )


def _numbers(wanted: Any, n_rows: int) -> tuple[list[int], str]:
    """Return the numbers of clusters to try, and how the one that is taken is found."""
    if wanted is None:
        n = min(max(2, round((n_rows / 2) ** 0.5)), _MOST_BY_DEFAULT, n_rows)
        return [n], f"a rule of thumb for {how_many(n_rows, 'document')}"
    given = [int(wanted)] if np.ndim(wanted) == 0 else sorted({int(n) for n in wanted})
    if not given or given[0] < 1:
        raise ValueError(
            f"n_clusters is {wanted!r}; expected a number of clusters from 1 on, or several."
        )
    if given[-1] > n_rows:
        raise ValueError(
            f"n_clusters is {given[-1]:,}; there are {n_rows:,} documents with terms that count. "
            "Ask for fewer clusters."
        )
    if len(given) == 1:
        return given, _AS_ASKED
    listed = ", ".join(map(str, given))
    return given, f"the largest silhouette of {listed}"


def _fit_watched(model: KMeans, X: Any, tell: _Tell) -> None:
    """Fit, and tell of each iteration which start it belongs to."""
    start = 0

    def iterated(iteration: int, inertia: float) -> None:
        nonlocal start
        start += iteration == 1
        tell(start, iteration, inertia)

    model._tell = iterated
    try:
        model.fit(X)
    finally:
        del model._tell


def _distances(model: KMeans, X: Any) -> NDArray[np.float64]:
    """Return the distance of each row to its centre."""
    X = model._as_clustered(X)
    rows = Rows(X, model._threads())
    centres = Centres(model.cluster_centers_, rows, cosine=model._is_cosine())
    squares: NDArray[np.float64] = rows.distances(centres, model.labels_)
    # Of rows of length one the squared distance is twice the cosine distance.
    return np.maximum(squares, 0.0) / 2 if model._is_cosine() else np.sqrt(np.maximum(squares, 0.0))


class _Silhouettes:
    """Silhouettes of a sample, whose distances are computed once for all numbers of clusters."""

    def __init__(self, X: Any, metric: str, seed: int) -> None:
        n = X.shape[0]
        self.mean: float | None = None
        self.sample = np.arange(n)
        if n > _SAMPLE:
            self.sample = np.sort(np.random.default_rng(seed).choice(n, _SAMPLE, replace=False))
        self._distances = pairwise_distances(X[self.sample], metric=metric)

    def of_clusters(self, labels: NDArray[Any], n_clusters: int) -> NDArray[np.float64]:
        """Return the mean of each cluster, NaN without documents; keep the mean of all."""
        own = labels[self.sample]
        found = np.full(n_clusters, np.nan)
        self.mean = None
        if 2 <= len(np.unique(own)) < len(own):
            values = silhouette_samples(self._distances, own, metric="precomputed")
            counts = np.bincount(own, minlength=n_clusters)
            sums = np.bincount(own, values, minlength=n_clusters)
            np.divide(sums, counts, out=found, where=counts > 0)
            self.mean = float(values.mean())
        return found


@contextmanager
def _reporting(
    progress: Any, numbers: list[int], n_starts: int
) -> Iterator[Callable[[int], _Tell]]:
    """Give a function that, for a number of clusters, gives what to call in each iteration.

    Parameters
    ----------
    progress : bool or callable
        Whether to show a bar; or what to call with a dictionary of ``"n_clusters"``, ``"start"``,
        ``"iteration"`` and ``"inertia"``.
    numbers : list of int
        Numbers of clusters that will be tried.
    n_starts : int
        Starts for each.
    """
    if callable(progress) or not progress:

        def quietly(n_clusters: int) -> _Tell:
            def tell(start: int, iteration: int, inertia: float) -> None:
                if callable(progress):
                    now = {"n_clusters": n_clusters, "start": start, "iteration": iteration}
                    progress({**now, "inertia": inertia})

            return tell

        yield quietly
        return
    total = len(numbers) * n_starts
    with shown_bar("k-means", total, stays=False) as bar:

        def shown(n_clusters: int) -> _Tell:
            done = numbers.index(n_clusters) * n_starts
            name = f"{n_clusters} clusters"

            def tell(start: int, iteration: int, inertia: float) -> None:
                now = f"start {start}/{n_starts}, " if n_starts > 1 else ""
                now += f"iteration {iteration}"
                if bar.is_wide:
                    now += f", inertia {inertia:,.5g}"
                bar.at(done + start - 1, name=name, note=now)

            return tell

        yield shown
