"""How topics stand to each other and to documents: correlations, a map, typical documents.

References: J. Aitchison, "The Statistical Analysis of Compositional Data", 1986 (log-ratios);
D. Lovell et al., "Proportionality: a valid alternative to correlation for relative data", PLoS
Computational Biology 2015; D. Endres and J. Schindelin, "A new metric for probability
distributions", 2003 (the distance).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from quire._shared.texts import python_objects
from quire._shared.topic_models import (
    checked_number,
    lengths_of,
    phi_of,
    theta_of,
    top_columns,
)
from quire._shared.typing import Floats, Ints

__all__ = ["match_topics", "representative_documents", "topic_correlations", "topic_map"]

_COMPARISONS = 4e9  # of words in pairs of topics, about ten seconds
_METHODS = ("clr", "proportionality", "plain")


def representative_documents(theta: Any, texts: Any = None, n: int = 3) -> pl.DataFrame:
    """Return the documents in which each topic has its largest shares.

    Parameters
    ----------
    theta : fitted model or array-like of shape (n_documents, n_topics)
        Shares of topics: a model with ``theta_``, or what ``transform`` gives.
    texts : sequence of str, default=None
        The documents, to show them.
    n : int, default=3
        How many documents for each topic. Documents in which a model of quire knows no word are
        left out.

    Returns
    -------
    polars.DataFrame
        The columns ``topic``, ``rank`` (from 1), ``document`` (the row, from 0), ``share`` and, if
        `texts` were given, ``text``.

    Raises
    ------
    ValueError
        If there are not as many texts as documents.

    Examples
    --------
    >>> from quire.topics import representative_documents
    >>> theta = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]
    >>> found = representative_documents(theta, ["a goal", "a vote", "both"], n=1)
    >>> found.rows()
    [(0, 1, 0, 0.9, 'a goal'), (1, 1, 1, 0.8, 'a vote')]
    """
    shares = theta_of(theta)
    with_words = _with_words(theta, len(shares))
    found = top_columns(shares[with_words].T, checked_number(n, "n"))
    topic, place = (axis.ravel() for axis in np.indices(found.shape))
    rows = with_words[found.ravel()]
    columns: dict[str, Any] = {
        "topic": topic,
        "rank": place + 1,
        "document": rows,
        "share": shares[rows, topic],
    }
    if texts is not None:
        documents = python_objects(texts)
        if len(documents) != len(shares):
            raise ValueError(
                f"there are {len(documents)} texts and {len(shares)} rows of theta. Pass the "
                "documents that theta belongs to."
            )
        columns["text"] = [documents[row] for row in rows.tolist()]
    return pl.DataFrame(columns)


def topic_correlations(theta: Any, *, method: str = "clr") -> NDArray[np.float64]:
    """Return which topics occur in the same documents.

    Parameters
    ----------
    theta : fitted model or array-like of shape (n_documents, n_topics)
        Shares of topics. Documents in which a model of quire knows no word are left out.
    method : {"clr", "proportionality", "plain"}, default="clr"
        "clr" correlates logarithms of shares, less their mean in the document (the centred
        log-ratio). "proportionality" is 1 only where the ratio of two shares is the same in all
        documents, and falls as the ratio varies.
        "plain" correlates the shares themselves.

    Returns
    -------
    ndarray of shape (n_topics, n_topics)
        From -1 to 1, with ones on the diagonal. A topic whose share never changes has 0 with all
        others.

    Notes
    -----
    Shares add up to one, so that one of them can only grow at the cost of others. Plain
    correlations of K topics are therefore negative on the average, by about -1 / (K - 1), even if
    nothing relates the topics. Log-ratios compare how many times more of a topic there is. They are
    not ruled by the few topics that fill a document, but they too add up to a constant, so that
    with few topics some correlations must be negative. A share of zero counts as half of the
    smallest share that is not zero.

    Examples
    --------
    >>> from quire.topics import topic_correlations
    >>> theta = [[0.1, 0.2, 0.7], [0.2, 0.4, 0.4], [0.3, 0.6, 0.1]]
    >>> topic_correlations(theta, method="proportionality").round(2)[0]
    array([ 1. ,  1. , -0.8])
    """
    shares = theta_of(theta)
    if method not in _METHODS:
        raise ValueError(f"method is {method!r}; expected one of {', '.join(_METHODS)}.")
    shares = shares[_with_words(theta, len(shares))]
    if len(shares) < 2:
        raise ValueError("theta has one document; correlations need two or more.")
    values = shares if method == "plain" else _centred_log_ratios(shares)
    values = values - values.mean(axis=0)
    products = values.T @ values
    squares = np.diag(products).copy()
    still = squares <= 1e-24 * len(values)
    sizes = np.where(still, 1.0, squares)
    if method == "proportionality":
        found = 2 * products / np.add.outer(sizes, sizes)
    else:
        found = products / np.sqrt(np.outer(sizes, sizes))
    found[still] = 0
    found[:, still] = 0
    np.fill_diagonal(found, 1.0)
    bounded: Floats = np.clip(found, -1.0, 1.0)
    return bounded


def topic_map(topics: Any, *, n_words: int | None = None) -> NDArray[np.float64]:
    """Return a point of the plane for each topic; topics with similar words are near each other.

    Parameters
    ----------
    topics : fitted model or array-like of shape (n_topics, n_words)
        The topics.
    n_words : int or None, default=None
        How many words to compare one by one: the most frequent. All others count as one word.
        ``None`` takes all, or as many as keep the time within some ten seconds.

    Returns
    -------
    ndarray of shape (n_topics, 2)
        Coordinates about the origin; the first axis is the longer one. A single topic is at the
        origin, and two are on the first axis.

    Notes
    -----
    Distances are Jensen-Shannon distances between the topics' words, the roots of the divergences.
    The map is the classical scaling of them (principal coordinates). It is the layout that users of
    LDAvis know, but for the root, which makes the distance a metric. Each axis points to where its
    farthest topic is positive.

    Examples
    --------
    >>> from quire.topics import topic_map
    >>> topic_map([[0.5, 0.5, 0.0], [0.5, 0.4, 0.1], [0.0, 0.1, 0.9]]).round(2)
    array([[-0.29, -0.07],
           [-0.17,  0.08],
           [ 0.46, -0.01]])
    """
    phi = phi_of(topics)
    if n_words is not None:
        kept = checked_number(n_words, "n_words")
    else:
        kept = max(100, int(_COMPARISONS / len(phi) ** 2))
    if kept < phi.shape[1]:
        order = np.argsort(-phi.sum(axis=0), kind="stable")
        rest = phi[:, order[kept:]].sum(axis=1, keepdims=True)
        phi = np.hstack([phi[:, np.sort(order[:kept])], rest])
    points = np.zeros((len(phi), 2))
    if len(phi) == 1:
        return points
    squares = _divergences(phi)
    means = squares.mean(axis=0)
    inner = -0.5 * (squares - means - means[:, None] + means.mean())
    sizes, axes = np.linalg.eigh(inner)
    for axis, which in enumerate(np.argsort(-sizes)[:2]):
        column = axes[:, which] * np.sqrt(max(sizes[which], 0.0))
        farthest = column[np.argmax(np.abs(column).round(9))]
        points[:, axis] = column if farthest >= 0 else -column
    return points


def _with_words(topics: Any, n_documents: int) -> Ints:
    """Return the documents with words, as far as a model knows; the others have the prior."""
    lengths = lengths_of(topics)
    if lengths is None or len(lengths) != n_documents or not (lengths > 0).any():
        return np.arange(n_documents)
    return np.flatnonzero(lengths > 0)


def _divergences(phi: Floats) -> Floats:
    """Return Jensen-Shannon divergences: the entropy of a mean less the mean of the entropies."""
    found = np.zeros((len(phi), len(phi)))
    tiny = np.finfo(np.float64).tiny  # 0 log 0 is 0
    entropies = -np.sum(phi * np.log(phi + tiny), axis=1)
    for row in range(len(phi) - 1):
        mixed = (phi[row] + phi[row + 1 :]) / 2
        of_mixed = -np.einsum("ij,ij->i", mixed, np.log(mixed + tiny))
        parts = of_mixed - (entropies[row] + entropies[row + 1 :]) / 2
        found[row, row + 1 :] = found[row + 1 :, row] = np.maximum(parts, 0.0)
    return found


def _centred_log_ratios(shares: Floats) -> Floats:
    if (shares == 0).any():
        shares = np.where(shares == 0, shares[shares > 0].min() / 2, shares)
    logs = np.log(shares)
    ratios: Floats = logs - logs.mean(axis=1, keepdims=True)
    return ratios


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
