"""Corpora drawn from the latent Dirichlet allocation model, with the truth beside them.

Reference: Blei, Ng and Jordan (2003), "Latent Dirichlet Allocation", Journal of Machine Learning
Research 3, with the Dirichlet prior on the topics as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
from scipy import sparse

from quire._shared.draws import draw_words
from quire._shared.typing import Singles
from quire.datasets._dataset import Dataset
from quire.datasets._random import generator_of
from quire.datasets._tokens import IntArray, TokenDataset, document_lengths
from quire.datasets._words import pseudo_words

__all__ = ["TopicCorpus", "TopicCounts", "make_lda_corpus"]

FloatArray = npt.NDArray[np.float64]

_TOKENS_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False, repr=False)
class TopicCorpus(TokenDataset):
    """A corpus drawn from a topic model, returned by :func:`make_lda_corpus`.

    Attributes
    ----------
    theta : ndarray of shape (n_documents, n_topics)
        True share of each topic in each document; rows add up to one.
    phi : ndarray of shape (n_topics, n_words)
        True word distribution of each topic; rows add up to one.
    vocabulary : list of str
        The word that each column stands for.
    tokens : ndarray of shape (n_tokens,)
        Word number of every token, document after document.
    topics : ndarray of shape (n_tokens,)
        True topic of every token.
    offsets : ndarray of shape (n_documents + 1,)
        Document d owns the tokens from ``offsets[d]`` up to ``offsets[d + 1]``.
    """

    theta: FloatArray
    phi: FloatArray
    vocabulary: list[str]
    tokens: IntArray
    topics: IntArray
    offsets: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class TopicCounts(Dataset):
    """Counts drawn from a topic model, returned by :func:`make_lda_corpus` without tokens.

    Attributes
    ----------
    X : csr_array of int32 of shape (n_documents, n_words)
        How often each word occurs.
    theta : ndarray of float32 of shape (n_documents, n_topics)
        True share of each topic in each document.
    phi : ndarray of shape (n_topics, n_words)
        True word distribution of each topic.
    vocabulary : list of str
        The word that each column stands for.
    """

    X: Any
    theta: Singles
    phi: FloatArray
    vocabulary: list[str]


@overload
def make_lda_corpus(
    n_documents: int = ...,
    *,
    n_topics: int = ...,
    n_words: int = ...,
    mean_length: float = ...,
    alpha: float | npt.ArrayLike = ...,
    beta: float | npt.ArrayLike = ...,
    keep_tokens: Literal[True] = ...,
    random_state: Any = ...,
) -> TopicCorpus: ...
@overload
def make_lda_corpus(
    n_documents: int = ...,
    *,
    n_topics: int = ...,
    n_words: int = ...,
    mean_length: float = ...,
    alpha: float | npt.ArrayLike = ...,
    beta: float | npt.ArrayLike = ...,
    keep_tokens: Literal[False],
    random_state: Any = ...,
) -> TopicCounts: ...
def make_lda_corpus(
    n_documents: int = 1000,
    *,
    n_topics: int = 5,
    n_words: int = 1000,
    mean_length: float = 100.0,
    alpha: float | npt.ArrayLike = 0.1,
    beta: float | npt.ArrayLike = 0.05,
    keep_tokens: bool = True,
    random_state: Any = 0,
) -> TopicCorpus | TopicCounts:
    r"""Draw a corpus from latent Dirichlet allocation.

    .. math::

        \phi_k \sim \mathrm{Dir}(\beta), \quad \theta_d \sim \mathrm{Dir}(\alpha), \quad
        z_{dn} \sim \mathrm{Cat}(\theta_d), \quad w_{dn} \sim \mathrm{Cat}(\phi_{z_{dn}})

    Parameters
    ----------
    n_documents : int, default=1000
        Number of documents D.
    n_topics : int, default=5
        Number of topics K.
    n_words : int, default=1000
        Size of the vocabulary I.
    mean_length : float, default=100.0
        Mean number of tokens in a document; lengths are Poisson, and at least one.
    alpha : float or array-like of shape (n_topics,), default=0.1
        Prior of the topic shares. A small value gives documents of few topics.
    beta : float or array-like of shape (n_words,), default=0.05
        Prior of the word distributions. A small value gives topics that share few words.
    keep_tokens : bool, default=True
        Whether to keep the word and the topic of every token. Without them documents are drawn some
        at a time and memory is that of the counts: for corpora of a hundred million words. The
        numbers drawn are others.
    random_state : int, RandomState instance or None, default=0
        The same number and arguments give the same corpus.

    Returns
    -------
    TopicCorpus or TopicCounts
        Counts `X` and the truth, `theta` and `phi`; with tokens also `texts` and the topic of every
        token.

    Examples
    --------
    >>> from quire.datasets import make_lda_corpus
    >>> corpus = make_lda_corpus(200, n_topics=3, n_words=50, random_state=1)
    >>> corpus.X.shape, corpus.theta.shape, corpus.phi.shape
    ((200, 50), (200, 3), (3, 50))
    >>> corpus.X.sum() == len(corpus.tokens)
    np.True_
    """
    if min(n_documents, n_topics, n_words) < 1 or not mean_length > 0:
        raise ValueError("n_documents, n_topics, n_words and mean_length must be positive.")
    rng = generator_of(random_state)
    of_topics, of_words = _prior(alpha, n_topics, "alpha"), _prior(beta, n_words, "beta")
    if not keep_tokens:
        return _counts(rng, n_documents, mean_length, of_topics, of_words)
    theta = rng.dirichlet(of_topics, n_documents)
    phi = rng.dirichlet(of_words, n_topics)
    lengths = document_lengths(rng, n_documents, mean_length)
    offsets = np.concatenate(([0], np.cumsum(lengths)))

    # The topics of a document are exchangeable: draw how often each occurs, then the order.
    per_topic = rng.multinomial(lengths, theta)  # (D, K)
    topics = np.repeat(np.tile(np.arange(n_topics), n_documents), per_topic.ravel())
    document = np.repeat(np.arange(n_documents), lengths)
    topics = topics[np.lexsort((rng.random(topics.size), document))]
    tokens = draw_words(rng, topics, phi)
    return TopicCorpus(theta, phi, pseudo_words(n_words), tokens, topics, offsets)


def _counts(
    rng: np.random.Generator,
    n_documents: int,
    mean_length: float,
    of_topics: FloatArray,
    of_words: FloatArray,
) -> TopicCounts:
    """Draw documents some at a time, and forget their tokens."""
    n_topics, n_words = len(of_topics), len(of_words)
    phi = rng.dirichlet(of_words, n_topics)
    bounds = np.cumsum(phi, axis=1)
    lengths = document_lengths(rng, n_documents, mean_length)
    theta = np.empty((n_documents, n_topics), dtype=np.float32)
    parts = []
    step = max(1, int(_TOKENS_AT_ONCE / max(mean_length, n_topics)))
    for first in range(0, n_documents, step):
        rows = slice(first, min(first + step, n_documents))
        theta[rows] = rng.dirichlet(of_topics, rows.stop - rows.start)
        parts.append(_draw(rng, theta[rows], bounds, lengths[rows]))
    return TopicCounts(sparse.vstack(parts, format="csr"), theta, phi, pseudo_words(n_words))


def _draw(
    rng: np.random.Generator,
    theta: Singles,
    bounds: FloatArray,
    lengths: IntArray,
) -> Any:
    """Draw the words of some documents; bounds are the running sums of the topics."""
    n_topics, n_words = bounds.shape
    by_topic = np.cumsum(theta, axis=1, dtype=np.float64)
    # The k-th row lies in [k, k + 1): one search finds the topic in the row of its document.
    rows = np.repeat(np.arange(len(lengths)), lengths)
    offsets = np.arange(len(lengths))[:, None]
    flat = (offsets + by_topic / by_topic[:, -1:]).ravel()
    topics = np.searchsorted(flat, rows + rng.random(len(rows)), side="right") - rows * n_topics
    topics = np.clip(topics, 0, n_topics - 1)
    flat = (np.arange(n_topics)[:, None] + bounds / bounds[:, -1:]).ravel()
    words = np.searchsorted(flat, topics + rng.random(len(rows)), side="right")
    words = np.clip(words - topics * n_words, 0, n_words - 1).astype(np.int32)
    shape = (len(lengths), n_words)
    ones = np.ones(len(words), dtype=np.int32)
    counts = sparse.coo_array((ones, (rows.astype(np.int32), words)), shape=shape).tocsr()
    counts.sum_duplicates()
    return counts


def _prior(value: float | npt.ArrayLike, size: int, name: str) -> FloatArray:
    """Spread a Dirichlet parameter over `size` outcomes, and check it."""
    given = np.asarray(value, dtype=np.float64)
    if given.shape not in {(), (size,)}:
        raise ValueError(
            f"{name} has shape {given.shape}; expected one number or an array of shape ({size},)."
        )
    if not (np.isfinite(given).all() and (given > 0).all()):
        raise ValueError(f"{name} must be positive and finite; got {value!r}.")
    return np.broadcast_to(given, (size,))
