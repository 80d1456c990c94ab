"""Corpora from known topics: documents drawn as the model says, to see what a fit recovers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.utils import check_random_state

__all__ = ["GeneratedCorpus", "generate_corpus", "match_topics"]

_TOKENS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class GeneratedCorpus:
    """Documents with what they were drawn from.

    Attributes
    ----------
    counts : csr_array of int32 of shape (n_documents, n_words)
        How often each word occurs.
    theta : ndarray of float32 of shape (n_documents, n_topics)
        The shares of topics in documents.
    phi : ndarray of shape (n_topics, n_words)
        The topics.
    """

    counts: Any
    theta: NDArray[np.float32]
    phi: NDArray[np.float64]


def generate_corpus(
    n_documents: int = 1000,
    n_topics: int = 10,
    n_words: int = 1000,
    mean_length: float = 100.0,
    alpha: Any = 0.1,
    beta: float = 0.05,
    random_state: Any = None,
) -> GeneratedCorpus:
    """Draw a corpus by latent Dirichlet allocation.

    Parameters
    ----------
    n_documents, n_topics, n_words : int, default=1000, 10 and 1000
        Sizes.
    mean_length : float, default=100.0
        Lengths of documents are Poisson numbers with this mean.
    alpha : float or array-like of shape (n_topics,), default=0.1
        Prior of the shares of topics in documents.
    beta : float, default=0.05
        Prior of the words of topics.
    random_state : int, RandomState instance or None, default=None
        Where random numbers come from.

    Returns
    -------
    GeneratedCorpus
        Counts, shares and topics.

    Notes
    -----
    Documents are drawn some at a time, so that memory is that of the result.

    Examples
    --------
    >>> corpus = generate_corpus(n_documents=50, n_topics=3, n_words=40, random_state=0)
    >>> corpus.counts.shape, corpus.theta.shape, corpus.phi.shape
    ((50, 40), (50, 3), (3, 40))
    """
    if min(n_documents, n_topics, n_words) < 1 or not mean_length > 0 or not beta > 0:
        raise ValueError("n_documents, n_topics, n_words, mean_length and beta must be positive.")
    prior = np.broadcast_to(np.asarray(alpha, dtype=np.float64), (n_topics,))
    if not (prior > 0).all():
        raise ValueError("alpha must be positive.")
    # A RandomState gives the seed, a Generator the numbers: it is faster and knows float32.
    random = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    phi = _dirichlet(random, np.full(n_words, beta), n_topics)
    bounds = np.cumsum(phi, axis=1)
    lengths = random.poisson(mean_length, n_documents)
    theta = np.empty((n_documents, n_topics), dtype=np.float32)
    parts = []
    step = max(1, int(_TOKENS_AT_ONCE / max(mean_length, n_topics)))
    for first in range(0, n_documents, step):
        rows = slice(first, min(first + step, n_documents))
        theta[rows] = _dirichlet(random, prior, rows.stop - rows.start)
        parts.append(_draw(random, theta[rows], bounds, lengths[rows]))
    return GeneratedCorpus(sparse.vstack(parts, format="csr"), theta, phi)


def _dirichlet(
    random: np.random.Generator, prior: NDArray[np.float64], n: int
) -> NDArray[np.float64]:
    """Draw from a Dirichlet distribution, also where the prior is so small that gammas are 0."""
    # G(a) = G(a + 1) U^(1/a), in logarithms.
    logs = np.log(random.standard_gamma(prior + 1, size=(n, len(prior))))
    logs += np.log1p(-random.random((n, len(prior)))) / prior
    logs -= logs.max(axis=1, keepdims=True)
    shares = np.exp(logs)
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(shares)


def _draw(
    random: np.random.Generator,
    theta: NDArray[np.float32],
    bounds: NDArray[np.float64],
    lengths: NDArray[np.int64],
) -> Any:
    """Draw the words of some documents; bounds are the running sums of the topics."""
    n_topics, n_words = bounds.shape
    by_topic = np.cumsum(theta, axis=1, dtype=np.float64)
    # The k-th row lies in [k, k + 1): one search finds the topic in the row of its document.
    rows = np.repeat(np.arange(len(lengths)), lengths)
    offsets = np.arange(len(lengths))[:, None]
    flat = (offsets + by_topic / by_topic[:, -1:]).ravel()
    topics = np.searchsorted(flat, rows + random.random(len(rows)), side="right") - rows * n_topics
    topics = np.clip(topics, 0, n_topics - 1)
    flat = (np.arange(n_topics)[:, None] + bounds / bounds[:, -1:]).ravel()
    words = np.searchsorted(flat, topics + random.random(len(rows)), side="right")
    words = np.clip(words - topics * n_words, 0, n_words - 1).astype(np.int32)
    shape = (len(lengths), n_words)
    ones = np.ones(len(words), dtype=np.int32)
    counts = sparse.coo_array((ones, (rows.astype(np.int32), words)), shape=shape).tocsr()
    counts.sum_duplicates()
    return counts


def match_topics(phi_a: Any, phi_b: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Pair the topics of two models so that they differ least in all.

    Parameters
    ----------
    phi_a, phi_b : array-like of shape (n_topics, n_words)
        Topics, of the same words; `phi_b` has at least as many.

    Returns
    -------
    order : ndarray of shape (n_topics_a,)
        The topic of `phi_b` for each topic of `phi_a`.
    distances : ndarray of shape (n_topics_a,)
        Half the sum of absolute differences (total variation) of each pair: 0 is equal, 1 is as
        different as can be.

    Examples
    --------
    >>> order, distances = match_topics([[0.9, 0.1], [0.2, 0.8]], [[0.2, 0.8], [0.8, 0.2]])
    >>> order, distances.round(2)
    (array([1, 0]), array([0.1, 0. ]))
    """
    a, b = np.asarray(phi_a, dtype=np.float64), np.asarray(phi_b, dtype=np.float64)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1] or len(a) > len(b):
        raise ValueError(
            f"topics of shapes {a.shape} and {b.shape} cannot be paired: words must be the same, "
            "and phi_b must have at least as many topics."
        )
    costs = np.array([0.5 * np.abs(b - row).sum(axis=1) for row in a])
    order = linear_sum_assignment(costs)[1]
    return order, costs[np.arange(len(a)), order]
