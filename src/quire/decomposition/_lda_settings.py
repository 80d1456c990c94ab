"""What the parameters of a topic model mean for the sampler: priors, seed words, sweeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Floats
from quire.decomposition._lda_gibbs import Plan, SeedWords

__all__ = ["document_prior", "seed_words_of", "sweep_plan", "topic_prior", "word_prior"]

_MAX_ITER = 500  # sweeps, where none are given
_EVERY = 10  # sweeps between two points of the trace


def document_prior(prior: Any, n_topics: int) -> tuple[NDArray[np.float64], str | None]:
    """Return alpha to begin with, and how it is learned: "asymmetric", "symmetric" or not at all.

    Examples
    --------
    >>> document_prior(0.1, 2)
    (array([0.1, 0.1]), None)
    >>> document_prior("symmetric", 10)[1]
    'symmetric'
    """
    if prior is None or isinstance(prior, str):
        return np.full(n_topics, 5.0 / n_topics), "asymmetric" if prior is None else prior
    alpha = np.asarray(prior, dtype=np.float64)
    if alpha.ndim == 0:
        alpha = np.full(n_topics, float(alpha))
    if alpha.shape != (n_topics,):
        raise ValueError(
            f"doc_topic_prior has shape {alpha.shape}; expected a number or one for each of the "
            f"{n_topics} topics (n_components)."
        )
    if not (np.isfinite(alpha).all() and (alpha > 0).all()):
        raise ValueError(
            f"doc_topic_prior must be positive and finite; its smallest value is {alpha.min():g}."
        )
    return alpha, None


def topic_prior(prior: Any, n_words: int) -> tuple[float | Floats, bool]:
    """Return beta to begin with, and whether it is learned.

    Examples
    --------
    >>> topic_prior(None, 3), topic_prior("symmetric", 3)
    ((0.01, False), (0.01, True))
    """
    if prior is None or isinstance(prior, str):
        return 0.01, prior is not None
    if np.ndim(prior):
        return word_prior(prior, n_words), False
    if not prior > 0:
        raise ValueError(f"topic_word_prior must be positive for a sampler; got {prior!r}.")
    return float(prior), False


def word_prior(prior: Any, n_words: int) -> float | Floats:
    """Return a prior of each word that was checked: one number if it is the same for all.

    Examples
    --------
    >>> word_prior([0.1, 0.2], 2), word_prior([0.1, 0.1], 2)
    (array([0.1, 0.2]), 0.1)
    """
    beta = np.asarray(prior, dtype=np.float64)
    if beta.shape != (n_words,):
        raise ValueError(
            f"topic_word_prior has shape {beta.shape}; expected a number or one for each of the "
            f"{n_words} words (columns of X)."
        )
    if not (np.isfinite(beta).all() and (beta > 0).all()):
        raise ValueError(
            f"topic_word_prior must be positive and finite; its smallest value is {beta.min():g}."
        )
    return float(beta[0]) if (beta == beta[0]).all() else beta


def seed_words_of(
    seed_words: Mapping[Any, Any] | None,
    weight: float,
    terms: NDArray[Any] | None,
    shape: tuple[int, int],
) -> SeedWords:
    """Return the seed words of a model as the sampler reads them.

    Parameters
    ----------
    seed_words : mapping or None
        Topic number to words, or to numbers of columns, or to a mapping of those to weights.
    weight : float
        The weight of a word that has none of its own.
    terms : ndarray of str or None
        The words of the columns, where they are known.
    shape : tuple
        Topics and words.

    Raises
    ------
    ValueError
        If a topic or a word is not there.
    """
    if not seed_words:
        return SeedWords.none()
    n_topics, n_words = shape
    columns = {} if terms is None else {str(term): i for i, term in enumerate(terms)}
    found: dict[tuple[int, int], float] = {}  # (column, topic): weight
    for topic, words in seed_words.items():
        if not (isinstance(topic, int | np.integer) and 0 <= topic < n_topics):
            raise ValueError(
                f"seed_words has the topic {topic!r}; topics are numbers from 0 to {n_topics - 1}."
            )
        if isinstance(words, str):
            raise ValueError(
                f"seed_words[{topic}] is the string {words!r}; expected a list of words."
            )
        weights = words if isinstance(words, Mapping) else dict.fromkeys(words, weight)
        for word, one in weights.items():
            if not one > 0:
                raise ValueError(f"the weight of the seed word {word!r} must be positive: {one!r}")
            found[_column_of(word, columns, terms, n_words), int(topic)] = float(one)
    order = sorted(found)
    begin = np.zeros(n_words + 1, dtype=np.int32)
    np.add.at(begin, np.array([column for column, _ in order]) + 1, 1)
    return SeedWords(
        np.cumsum(begin, dtype=np.int32),
        np.array([topic for _, topic in order], dtype=np.int32),
        np.array([found[pair] for pair in order]),
    )


def _column_of(word: Any, columns: dict[str, int], terms: Any, n_words: int) -> int:
    if isinstance(word, str):
        if word in columns:
            return columns[word]
        if terms is None:
            raise ValueError(
                f"the seed word {word!r} cannot be looked up: X has no names of columns. Fit from "
                "texts or a DataFrame, or give numbers of columns."
            )
        raise ValueError(f"the seed word {word!r} is not in the vocabulary of {n_words:,} words.")
    if isinstance(word, int | np.integer) and 0 <= word < n_words:
        return int(word)
    raise ValueError(f"the seed word {word!r} is not one of the columns 0 to {n_words - 1}.")


def sweep_plan(model: Any, learn: str | None, learns_beta: bool, n_threads: int) -> Plan:
    """Return the plan of a chain of a model."""
    max_iter = _MAX_ITER if model.max_iter is None else model.max_iter
    burn_in, n_samples, thinning = model.burn_in, model.n_samples, model.thinning
    if burn_in is None:
        # At most half of the sweeps are for samples.
        n_samples = min(n_samples, max_iter)
        thinning = max(1, min(thinning, max_iter // (2 * max(1, n_samples))))
        burn_in = max_iter - n_samples * thinning
    return Plan(
        burn_in=burn_in,
        n_samples=n_samples,
        thinning=thinning,
        learn=learn,
        learn_beta=learns_beta,
        tol=model.tol,
        every=model.evaluate_every if model.evaluate_every > 0 else _EVERY,
        n_threads=n_threads,
    )
