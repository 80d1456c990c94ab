"""Corpora drawn from the latent Dirichlet allocation model, with the truth beside them.

Reference: Blei, Ng and Jordan (2003), "Latent Dirichlet Allocation", Journal of Machine Learning
Research 3, with the Dirichlet prior on the topics as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quire.datasets._tokens import IntArray, TokenDataset, document_lengths, draw_words
from quire.datasets._words import pseudo_words

__all__ = ["TopicCorpus", "make_lda_corpus"]

FloatArray = npt.NDArray[np.float64]


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


def make_lda_corpus(
    n_documents: int = 1000,
    *,
    n_topics: int = 5,
    n_words: int = 1000,
    mean_length: float = 100.0,
    alpha: float | npt.ArrayLike = 0.1,
    beta: float | npt.ArrayLike = 0.05,
    random_state: int = 0,
) -> TopicCorpus:
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
    random_state : int, default=0
        The same number and arguments give the same corpus.

    Returns
    -------
    TopicCorpus
        Counts `X`, `texts`, and the truth: `theta`, `phi`, the topic of every token.

    Examples
    --------
    >>> from quire.datasets import make_lda_corpus
    >>> corpus = make_lda_corpus(200, n_topics=3, n_words=50, random_state=1)
    >>> corpus.X.shape, corpus.theta.shape, corpus.phi.shape
    ((200, 50), (200, 3), (3, 50))
    >>> corpus.X.sum() == len(corpus.tokens)
    np.True_
    """
    rng = np.random.default_rng(random_state)
    theta = rng.dirichlet(_prior(alpha, n_topics, "alpha"), n_documents)
    phi = rng.dirichlet(_prior(beta, n_words, "beta"), n_topics)
    lengths = document_lengths(rng, n_documents, mean_length)
    offsets = np.concatenate(([0], np.cumsum(lengths)))

    # The topics of a document are exchangeable: draw how often each occurs, then the order.
    per_topic = rng.multinomial(lengths, theta)  # (D, K)
    topics = np.repeat(np.tile(np.arange(n_topics), n_documents), per_topic.ravel())
    document = np.repeat(np.arange(n_documents), lengths)
    topics = topics[np.lexsort((rng.random(topics.size), document))]
    tokens = draw_words(rng, topics, phi)
    return TopicCorpus(theta, phi, pseudo_words(n_words), tokens, topics, offsets)


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
