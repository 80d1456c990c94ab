"""The steps of variational Bayes: documents given topics, topics given documents.

Topics are kept word by word, as the kernels read them, and in lazy form, so that a small batch of
documents costs what its own words cost and not what the whole vocabulary does: an update of
stochastic variational inference multiplies all parameters by a number and adds another, and only
the words of the batch get more than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln, psi

from quire import _core
from quire._shared.typing import Floats, Reals

__all__ = ["Documents", "Settings", "Topics", "WordBound", "dirichlet_bound", "split"]


_ALL: NDArray[np.int64] = np.empty(0, dtype=np.int64)
_NO_OFFSET: Floats = np.empty(0)
_SMALLEST_SCALE = 1e-10
_PART = 2**22  # numbers of documents by topics that are held at a time: 32 MB


@dataclass(frozen=True)
class Settings:
    """How documents are updated, and with how many threads."""

    prior: Floats  # of the topics of a document
    max_iter: int
    tol: float
    n_threads: int


class Documents:
    """Rows of counts, with columns numbered among the words that occur in them, or among all.

    Parameters
    ----------
    X : sparse matrix in CSR format or ndarray of shape (n_documents, n_words)
        The counts.
    compact : bool, default=False
        Number only the words that occur. For batches that are small beside the vocabulary.
    """

    def __init__(self, X: Any, *, compact: bool = False) -> None:
        X = X if sparse.issparse(X) else sparse.csr_array(X)
        self.n_documents: int = X.shape[0]
        self.n_words: int = X.shape[1]
        self.words = _ALL
        self.indptr = X.indptr
        self.indices = X.indices
        self.data = X.data
        if compact and len(X.indices):
            words, inverse = np.unique(X.indices, return_inverse=True)
            self.words = words.astype(np.int64)
            self.indices = inverse.astype(X.indices.dtype, copy=False)
            self.n_words = len(words)

    def infer(self, expected: Reals, gamma: Reals, settings: Settings) -> None:
        """Bring `gamma`, the Dirichlet parameters of the documents, to their optimum in place."""
        self._run(expected, gamma, settings, learn=False)

    def learn(self, expected: Reals, gamma: Reals, settings: Settings) -> Reals:
        """Do the same, and return the expected counts of words by topics."""
        found = self._run(expected, gamma, settings, learn=True)
        assert found is not None
        weights, ratios = found
        n_threads = settings.n_threads
        rows = ratios, self.indices, self.indptr, self.n_words
        columns = _core.sparse.csr_transpose(rows, n_threads)
        weights = weights.astype(np.float64, copy=False)
        sums = _core.sparse.csr_matmul(
            (*columns, len(weights)), weights, _NO_OFFSET, None, n_threads
        )
        sums *= expected
        return sums

    def _run(
        self, expected: Reals, gamma: Reals, settings: Settings, *, learn: bool
    ) -> tuple[Reals, Reals] | None:
        return _core.topics.lda_variational_documents(
            (self.data.astype(expected.dtype, copy=False), self.indices, self.indptr, self.n_words),
            expected,
            settings.prior,
            gamma,
            settings.max_iter,
            settings.tol,
            learn,
            settings.n_threads,
        )


class Topics:
    """Dirichlet parameters of topics, words by topics: ``scale * values + shift``.

    Parameters
    ----------
    components : ndarray of shape (n_topics, n_words)
        The parameters. They are copied.
    n_threads : int
        Number of threads.
    """

    def __init__(self, components: Reals, n_threads: int) -> None:
        self.values = np.array(components.T, order="C")
        self.totals: Floats = self.values.sum(axis=0, dtype=np.float64)
        self.scale, self.shift = 1.0, 0.0
        self.n_threads = n_threads

    def expected(self, words: NDArray[np.int64] = _ALL) -> Reals:
        """Return exp(E[log phi]) of some words, or of all."""
        return _core.topics.lda_expected_topics(
            self.values, words, self.scale, self.shift, self.totals, self.n_threads
        )

    def replace(self, counts: Reals, prior: Any) -> None:
        """Set the parameters to prior and counts: a step of batch inference.

        The prior is a number, or an array of shape (n_topics, n_words).
        """
        counts += np.transpose(prior)
        self.values = counts.astype(self.values.dtype, copy=False)
        self.totals = counts.sum(axis=0, dtype=np.float64)
        self.scale, self.shift = 1.0, 0.0

    def blend(
        self, counts: Reals, words: NDArray[np.int64], rate: float, prior: Any, ratio: float
    ) -> None:
        """Move towards prior and ``ratio * counts`` by `rate`: a step of online inference."""
        counted = self._total(prior) + ratio * counts.sum(axis=0, dtype=np.float64)
        self.totals = (1 - rate) * self.totals + rate * counted
        self.scale *= 1 - rate
        self.shift *= 1 - rate
        if np.ndim(prior) == 0:
            self.shift += rate * prior
        if np.ndim(prior) or self.scale < _SMALLEST_SCALE:
            self._settle()
        if np.ndim(prior):
            self.values += (rate * np.transpose(prior)).astype(self.values.dtype, copy=False)
        counts *= rate * ratio / self.scale
        if len(words):
            self.values[words] += counts.astype(self.values.dtype, copy=False)
        else:
            self.values += counts.astype(self.values.dtype, copy=False)

    def parameters(self) -> Reals:
        """Return the parameters, topics by words: a view."""
        self._settle()
        return self.values.T

    def _total(self, prior: Any) -> Any:
        return np.sum(prior, axis=1) if np.ndim(prior) else len(self.values) * prior

    def _settle(self) -> None:
        if (self.scale, self.shift) != (1.0, 0.0):
            self.values *= self.values.dtype.type(self.scale)
            self.values += self.values.dtype.type(self.shift)
            self.scale, self.shift = 1.0, 0.0


def split(X: Any, n_topics: int) -> list[Documents]:
    """Cut documents into parts, so that what is known of them by topics need not be held for all.

    The parts depend on the data alone. They are views: nothing is copied.
    """
    X = X if sparse.issparse(X) else sparse.csr_array(X)
    step = max(1, _PART // n_topics)
    return [Documents(_rows(X, first, step)) for first in range(0, X.shape[0], step)]


def _rows(X: Any, first: int, n: int) -> Any:
    if first == 0 and n >= X.shape[0]:
        return X
    indptr = X.indptr[first : first + n + 1]
    stored = slice(indptr[0], indptr[-1])
    part = type(X)((len(indptr) - 1, X.shape[1]), dtype=X.dtype)
    part.data, part.indices, part.indptr = X.data[stored], X.indices[stored], indptr - indptr[0]
    return part


class WordBound:
    """E[log p(words)] of documents, given topics.

    Parameters
    ----------
    components : ndarray of shape (n_topics, n_words)
        Dirichlet parameters of the topics.
    n_threads : int
        Number of threads.
    """

    def __init__(self, components: Reals, n_threads: int) -> None:
        self.topics: Floats = np.ascontiguousarray(components.T, dtype=np.float64)
        self.totals: Floats = self.topics.sum(axis=0)
        self.n_threads = n_threads
        self.expected: Floats = _core.topics.lda_expected_topics(
            self.topics, _ALL, 1.0, 0.0, self.totals, n_threads
        )

    def of(self, rows: Documents, gamma: Reals) -> float:
        """Return it for documents with the Dirichlet parameters `gamma`."""
        return _core.topics.lda_variational_bound(
            (rows.data.astype(np.float64, copy=False), rows.indices, rows.indptr, rows.n_words),
            np.ascontiguousarray(gamma, dtype=np.float64),
            self.topics,
            self.totals,
            self.expected,
            self.n_threads,
        )


def dirichlet_bound(prior: Any, parameters: Reals, n_threads: int = 1) -> float:
    """Return E[log p(x)] - E[log q(x)] summed over rows: p and q are Dirichlet, x is drawn from q.

    Parameters
    ----------
    prior : float or array-like of shape (n,) or (n_rows, n)
        Parameters of p.
    parameters : ndarray of shape (n_rows, n)
        Parameters of q.
    n_threads : int, default=1
        Number of threads.

    Returns
    -------
    float
        The negative sum of the Kullback-Leibler divergences of q from p.
    """
    n_rows, width = parameters.shape
    q_sums = parameters.sum(axis=1, dtype=np.float64)
    if np.ndim(prior) == 0:
        flat = parameters.ravel(order="K")  # a view where the array is in one piece
        bound = _core.topics.dirichlet_terms(flat, float(prior), n_threads)
        p_sums = np.full(n_rows, width * float(prior))
        bound += float(np.sum(gammaln(p_sums))) - n_rows * width * float(gammaln(prior))
    else:
        p, q = np.broadcast_arrays(np.asarray(prior, dtype=np.float64), parameters)
        bound = float(np.sum((p - q) * psi(q) + gammaln(q) - gammaln(p)))
        p_sums = p.sum(axis=1)
        bound += float(np.sum(gammaln(p_sums)))
    return bound - float(np.sum((p_sums - q_sums) * psi(q_sums) + gammaln(q_sums)))
