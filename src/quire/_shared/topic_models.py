"""What the functions of this package take: a fitted model, or the arrays that it would give.

Topics are a matrix phi, one row for each topic and one column for each word; documents are a matrix
theta, one row for each document and one column for each topic. Models of quire, scikit-learn and
others are asked for theirs here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from quire._shared.typing import AnyArray, Floats, Ints, Objects

__all__ = [
    "RELEVANCE",
    "checked_number",
    "checked_share",
    "is_model",
    "lengths_of",
    "phi_of",
    "relevance_scores",
    "relevant_words",
    "terms_of",
    "theta_of",
    "top_columns",
    "topic_sizes",
]

RELEVANCE = 0.6  # lambda of the words that stand for a topic; in LDAvis's study the best known


def is_model(topics: Any) -> bool:
    """Return whether an object is a fitted topic model, as opposed to arrays or words."""
    return hasattr(topics, "phi_") or hasattr(topics, "components_")


def phi_of(topics: Any) -> Floats:
    """Return the words of the topics, of which every row adds up to one.

    Parameters
    ----------
    topics : fitted model or array-like of shape (n_topics, n_words)
        A model with ``phi_`` or ``components_``, or such a matrix itself. Rows may be counts or
        weights; they are divided by their sums.

    Returns
    -------
    ndarray of shape (n_topics, n_words)
        Probabilities.

    Raises
    ------
    TypeError
        If this is a model that was not fitted.
    ValueError
        If a value is negative or not finite, or a row has nothing in it.
    """
    given = getattr(topics, "phi_", None)
    if given is None:
        given = getattr(topics, "components_", None)
    if given is None:
        if hasattr(topics, "fit"):
            raise TypeError(
                f"{type(topics).__name__} has neither phi_ nor components_; expected a fitted "
                "topic model or a matrix with a row for each topic. Call fit first."
            )
        given = topics
    phi = _matrix(given, "phi", "(n_topics, n_words)")
    sums = phi.sum(axis=1, keepdims=True)
    if (sums == 0).any():
        row = int(np.flatnonzero(sums == 0)[0])
        raise ValueError(f"topic {row} of phi has no words: all its weights are 0. Leave it out.")
    shares: Floats = phi / sums
    return shares


def theta_of(documents: Any) -> Floats:
    """Return the shares of the topics in the documents, of which every row adds up to one.

    Parameters
    ----------
    documents : fitted model or array-like of shape (n_documents, n_topics)
        A model with ``theta_``, or such a matrix itself, as ``transform`` gives it.

    Returns
    -------
    ndarray of shape (n_documents, n_topics)
        Shares. A row of zeros means all topics alike.

    Raises
    ------
    TypeError
        If this is a model without ``theta_``.
    ValueError
        If a value is negative or not finite.
    """
    given = getattr(documents, "theta_", None)
    if given is None:
        if hasattr(documents, "fit"):
            raise TypeError(
                f"{type(documents).__name__} has no theta_; expected a fitted topic model of quire "
                "or a matrix with a row for each document. Pass model.transform(X)."
            )
        given = documents
    theta = _matrix(given, "theta", "(n_documents, n_topics)")
    sums = theta.sum(axis=1, keepdims=True)
    empty = sums[:, 0] == 0
    if empty.any():
        theta = np.where(empty[:, None], 1.0, theta)
        sums = theta.sum(axis=1, keepdims=True)
    shares: Floats = theta / sums
    return shares


def terms_of(topics: Any, terms: Any, n_words: int) -> Objects | None:
    """Return the words of the columns: those given, or those that the model knows, or ``None``.

    Parameters
    ----------
    topics : object
        A model may have ``vocabulary_terms_``, ``vectorizer_`` or ``feature_names_in_``.
    terms : sequence of str, mapping from word to column, fitted vectorizer or None
        What the caller passed.
    n_words : int
        How many columns there are.

    Returns
    -------
    ndarray of shape (n_words,) or None
        Words.

    Raises
    ------
    ValueError
        If there are more or fewer words than columns.
    """
    if terms is None:
        terms = getattr(topics, "vocabulary_terms_", None)
    if terms is None:
        terms = getattr(topics, "vectorizer_", None)
    if terms is None:
        terms = getattr(topics, "feature_names_in_", None)
    if terms is None:
        return None
    if hasattr(terms, "get_feature_names_out"):
        terms = terms.get_feature_names_out()
    elif isinstance(terms, Mapping):
        terms = sorted(terms, key=terms.__getitem__)
    elif isinstance(terms, str):
        raise TypeError(f"the words are one string, {terms!r}; expected a list of words.")
    found = np.empty(len(terms), dtype=object)
    found[:] = list(terms)
    if len(found) != n_words:
        raise ValueError(
            f"there are {len(found)} words for {n_words} columns. Take them from the vectorizer "
            "that made the counts: vectorizer.get_feature_names_out()."
        )
    return found


def lengths_of(topics: Any) -> Ints | None:
    """Return the words of each document that a model of quire was fitted on, as far as it knows.

    Parameters
    ----------
    topics : object
        A model, or arrays, which do not tell.

    Returns
    -------
    ndarray of shape (n_documents,) or None
        Numbers of words of the vocabulary. Of documents with none theta is the prior alone.
    """
    lengths = getattr(topics, "_lengths", None)
    return None if lengths is None else np.asarray(lengths)


def topic_sizes(model: Any, phi: Floats) -> Floats:
    """Return how many words of the training documents each topic has.

    Parameters
    ----------
    model : object
        With ``components_`` (counts plus the prior) and, of quire's, ``beta_``.
    phi : ndarray of shape (n_topics, n_words)
        The topics.

    Returns
    -------
    ndarray of shape (n_topics,)
        Expected counts; all 1 where the model does not tell.
    """
    counts = getattr(model, "components_", None)
    if counts is None:
        return np.ones(len(phi))
    prior = np.asarray(getattr(model, "beta_", 0.0))
    prior = np.broadcast_to(prior, phi.shape).sum(axis=1)
    sizes: Floats = np.maximum(np.asarray(counts).sum(axis=1) - prior, 0.0)
    return sizes if sizes.sum() > 0 else np.ones(len(phi))


def relevance_scores(phi: Floats, sizes: Floats, relevance: float = RELEVANCE) -> Floats:
    """Return relevance log phi + (1 - relevance) log(phi / p), p the frequency in the corpus.

    Parameters
    ----------
    phi : ndarray of shape (n_topics, n_words)
        The topics.
    sizes : ndarray of shape (n_topics,)
        How large they are.
    relevance : float, default=0.6
        The weight lambda of LDAvis.
    """
    shares = sizes / sizes.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.log(phi) - (1 - relevance) * np.log(shares @ phi)
    return np.where(phi > 0, scores, -np.inf)


def relevant_words(phi: Floats, sizes: Floats, words: AnyArray, n: int) -> list[list[Any]]:
    """Return the words that stand for each topic, wherever topics are shown: terminal, page, card.

    Parameters
    ----------
    phi : ndarray of shape (n_topics, n_words)
        The topics.
    sizes : ndarray of shape (n_topics,)
        From :func:`topic_sizes`.
    words : ndarray of shape (n_words,)
        The words of the columns.
    n : int
        How many for each topic.

    Examples
    --------
    >>> phi = np.array([[0.6, 0.3, 0.1, 0.0], [0.6, 0.0, 0.1, 0.3]])
    >>> relevant_words(phi, np.ones(2), np.array(["the", "goal", "very", "vote"]), 2)
    [['the', 'goal'], ['the', 'vote']]
    """
    if n < 1:
        return [[] for _ in phi]
    return [words[best].tolist() for best in top_columns(relevance_scores(phi, sizes), n)]


def top_columns(scores: AnyArray, n: int) -> Ints:
    """Return the columns of the n largest values of each row, the largest first.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_columns)
        Values; of equal ones the first column comes first.
    n : int
        How many; all, if there are fewer.

    Examples
    --------
    >>> top_columns(np.array([[0.1, 0.5, 0.5, 0.2]]), 3)
    array([[1, 2, 3]])
    """
    n = min(n, scores.shape[1])
    found = np.empty((len(scores), n), dtype=np.int64)
    for row, values in enumerate(scores):
        bound = np.partition(values, -n)[-n]
        near = np.flatnonzero(values >= bound)
        found[row] = near[np.argsort(-values[near], kind="stable")][:n]
    return found


def checked_number(value: Any, name: str, *, least: int = 1) -> int:
    """Return a whole number, or raise an error that names the parameter."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} is {value!r}; expected a whole number from {least} up.")
    return int(value)


def checked_share(value: Any, name: str) -> float:
    """Return a number from 0 to 1, or raise an error that names the parameter."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.floating)
        or not 0 <= value <= 1
    ):
        raise ValueError(f"{name} is {value!r}; expected a number from 0 to 1.")
    return float(value)


def _matrix(given: Any, name: str, shape: str) -> Floats:
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name} is a {type(given).__name__}; expected a fitted topic model or an array of "
            f"numbers of shape {shape}."
        ) from error
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"{name} has shape {matrix.shape}; expected {shape}, with neither empty.")
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        row, column = np.argwhere(~(matrix >= 0) | np.isinf(matrix))[0].tolist()
        raise ValueError(
            f"{name}[{row}, {column}] is {matrix[row, column]}; expected finite numbers from 0 up."
        )
    return matrix
