"""Samples of the shares of topics in documents, as the sampler kept them or drawn anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.topic_models import lengths_of, theta_of
from quire._shared.typing import Bools, Floats, Ints

__all__ = ["ThetaSamples"]


class ThetaSamples:
    """Samples of theta, made one at a time.

    Parameters
    ----------
    topics : fitted model, or array-like of shape (n_samples, n_documents, n_topics) or
            (n_documents, n_topics)
        A model with ``theta_samples_``, or such samples, are taken as they are. From ``theta_``, or
        a matrix, samples are drawn: a document of n tokens has the distribution Dirichlet((n + a)
        theta), a being the sum of the document prior.
    lengths : array-like of shape (n_documents,), matrix of counts, or None
        The tokens of each document, where samples have to be drawn; models of quire know them.
    n_samples : int
        How many to draw.
    seed : int
        For drawing.

    Attributes
    ----------
    has_words : ndarray of bool of shape (n_documents,)
        Of a document without words nothing is known but the prior; regressions leave it out.

    Raises
    ------
    ValueError
        If samples have to be drawn and `lengths` is missing or does not fit.
    """

    def __init__(self, topics: Any, lengths: Any, n_samples: int, seed: int) -> None:
        self._seed = seed
        self._kept: NDArray[Any] | None = None
        kept = getattr(topics, "theta_samples_", None)
        if kept is None and not hasattr(topics, "fit"):
            kept = topics if np.ndim(topics) == 3 else None
        if kept is not None:
            self._kept = np.asarray(kept)
            if self._kept.ndim != 3 or 0 in self._kept.shape:
                raise ValueError(
                    f"samples of theta have shape {self._kept.shape}; expected (n_samples, "
                    "n_documents, n_topics), with none empty."
                )
            self.n_samples, self.n_documents, self.n_topics = self._kept.shape
            known = lengths_of(topics) if lengths is None else _tokens(lengths, self.n_documents)
            self.has_words = _has_words(known, self.n_documents)
            return
        self._theta = theta_of(topics)
        self.n_samples = n_samples
        self.n_documents, self.n_topics = self._theta.shape
        tokens = self._lengths(topics, lengths)
        # Of an empty document nothing is known but its prior, which may have been left out here.
        self.has_words = _has_words(tokens, self.n_documents)
        self._weight = np.maximum(tokens + _prior_sum(topics, self.n_topics), 1.0)

    def rows(self, chosen: NDArray[np.int64]) -> Iterator[Floats]:
        """Yield the samples of some documents, each of shape (n_chosen, n_topics)."""
        for number in range(self.n_samples):
            if self._kept is not None:
                yield self._kept[number][chosen].astype(np.float64)
                continue
            rng = np.random.default_rng([self._seed, number])
            means = self._theta[chosen]
            draws = rng.standard_gamma(means * self._weight[chosen, None])
            sums = draws.sum(axis=1, keepdims=True)
            yield np.where(sums > 0, draws / np.where(sums > 0, sums, 1.0), means)

    def _lengths(self, topics: Any, lengths: Any) -> Floats:
        if lengths is None:
            lengths = lengths_of(topics)
        if lengths is None:
            raise ValueError(
                "there are no samples of theta to be uncertain with. Fit the model with "
                "keep_samples=True, or pass lengths=, the tokens of each document, or the counts "
                "that the model was fitted on; or, to take theta for exact, theta[None]."
            )
        return _tokens(lengths, self.n_documents)


def _tokens(lengths: Any, n_documents: int) -> Floats:
    if sparse.issparse(lengths) or np.ndim(lengths) == 2:
        lengths = lengths.sum(axis=1)
    tokens = np.asarray(lengths, dtype=np.float64).ravel()
    if len(tokens) != n_documents or not (tokens >= 0).all():
        raise ValueError(
            f"lengths has {len(tokens)} values; expected {n_documents} numbers from 0 up, "
            "the tokens of each document."
        )
    return tokens


def _has_words(tokens: Floats | Ints | None, n_documents: int) -> Bools:
    """Return which documents have words; all, if nothing is known or none has any."""
    if tokens is None or len(tokens) != n_documents or not (tokens > 0).any():
        return np.ones(n_documents, dtype=bool)
    return np.asarray(tokens > 0)


def _prior_sum(topics: Any, n_topics: int) -> float:
    prior = getattr(topics, "alpha_", getattr(topics, "doc_topic_prior_", 0.0))
    return float(np.sum(np.broadcast_to(np.asarray(prior, dtype=np.float64), n_topics)))
