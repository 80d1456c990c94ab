r"""The priors of topic models: how likely a state is under them, and which make it most likely.

All of it needs only how often each count occurs, not the counts: with :math:`t_k(n)` the number of
documents with more than :math:`n` tokens of topic :math:`k`, and :math:`t(n)` of those with more
than :math:`n` tokens,

.. math::
   \log p(z) = \sum_k \sum_n t_k(n) \log(\alpha_k + n)
                - \sum_n t(n) \log(\textstyle\sum_k \alpha_k + n).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import digamma, gammaln

from quire._shared.typing import Floats, Ints

__all__ = ["DocumentTails", "learn_alpha", "learn_beta", "length_tails", "topic_log_likelihood"]


# A gamma prior with this shape and scale keeps topics without documents from a prior of zero, and
# few documents from a prior without bound. Many documents do not notice it.
_SHAPE, _SCALE = 1.01, 1.0
_SMALLEST = 1e-6


def length_tails(lengths: Ints) -> Ints:
    """Return how many documents have more than n tokens, for n = 0, 1, ...

    Examples
    --------
    >>> length_tails(np.array([2, 0, 3]))
    array([2, 2, 1])
    """
    return np.cumsum(np.bincount(lengths, minlength=1)[::-1])[::-1][1:]


@dataclass(frozen=True)
class DocumentTails:
    """The tails of the counts of topics in documents.

    Parameters
    ----------
    begin : ndarray of shape (n_topics + 1,)
        Those of topic k are ``topics[begin[k]:begin[k + 1]]``.
    topics : ndarray
        How many documents have more than 0, 1, ... tokens of the topic.
    lengths : ndarray
        How many documents have more than 0, 1, ... tokens.
    """

    begin: Ints
    topics: Ints
    lengths: Ints
    _topic: Ints = field(init=False, repr=False)  # k of each entry of `topics`
    _step: Ints = field(init=False, repr=False)  # and n

    def __post_init__(self) -> None:
        sizes = np.diff(self.begin)
        object.__setattr__(self, "_topic", np.repeat(np.arange(len(sizes)), sizes))
        steps = np.arange(len(self.topics)) - np.repeat(self.begin[:-1], sizes)
        object.__setattr__(self, "_step", steps)

    def log_likelihood(self, alpha: Floats) -> float:
        """Return the log-probability of the topics of all tokens."""
        terms = np.log(alpha[self._topic] + self._step)
        totals = np.log(alpha.sum() + np.arange(len(self.lengths)))
        return float(self.topics @ terms - self.lengths @ totals)

    def by_topic(self, alpha: Floats) -> Floats:
        """Return the sums of digamma(n_dk + alpha_k) - digamma(alpha_k) over documents."""
        terms = self.topics / (alpha[self._topic] + self._step)
        return np.bincount(self._topic, weights=terms, minlength=len(alpha)).astype(np.float64)

    def by_length(self, alpha: Floats) -> float:
        """Return the sum of digamma(n_d + sum of alpha) - digamma(sum of alpha)."""
        return float((self.lengths / (alpha.sum() + np.arange(len(self.lengths)))).sum())


def learn_alpha(
    tails: DocumentTails, alpha: Floats, *, symmetric: bool, n_steps: int = 20
) -> Floats:
    """Return a document prior that makes the topics of the tokens more likely.

    Minka's fixed point, "Estimating a Dirichlet distribution", 2000: every step is uphill.

    Parameters
    ----------
    tails : DocumentTails
        The counts.
    alpha : ndarray of shape (n_topics,)
        Where to begin.
    symmetric : bool
        Whether all topics are to have the same.
    n_steps : int, default=20
        Steps to take.
    """
    for _ in range(n_steps):
        above = alpha * tails.by_topic(alpha)
        below = tails.by_length(alpha)
        if symmetric:
            alpha = np.full_like(alpha, alpha.mean())
            size = len(alpha)
            one = (above.sum() + _SHAPE - 1) / (size * below + 1 / _SCALE)
            alpha = np.full(size, max(one, _SMALLEST))
        else:
            alpha = np.maximum((above + _SHAPE - 1) / (below + 1 / _SCALE), _SMALLEST)
    return alpha


def topic_log_likelihood(
    counts: Ints, multiplicity: Ints, totals: Ints, beta: float, beta_sums: Floats
) -> float:
    """Return the log-probability of the words of all tokens given their topics.

    Parameters
    ----------
    counts, multiplicity : ndarray
        The counts of words in topics that occur, and how many pairs have them.
    totals : ndarray of shape (n_topics,)
        Tokens of each topic.
    beta : float
        The topic prior of a word.
    beta_sums : ndarray of shape (n_topics,)
        Its sums over words.
    """
    by_word = multiplicity @ (gammaln(counts + beta) - gammaln(beta))
    return float(by_word + (gammaln(beta_sums) - gammaln(totals + beta_sums)).sum())


def learn_beta(
    counts: Ints, multiplicity: Ints, totals: Ints, beta: float, n_words: int, *, n_steps: int = 20
) -> float:
    """Return a symmetric topic prior that makes the words more likely; see `learn_alpha`."""
    for _ in range(n_steps):
        above = beta * float(multiplicity @ (digamma(counts + beta) - digamma(beta)))
        below = float((digamma(totals + n_words * beta) - digamma(n_words * beta)).sum())
        beta = max((above + _SHAPE - 1) / (n_words * below + 1 / _SCALE), _SMALLEST)
    return beta
