"""Bernoulli against multinomial naive Bayes over the size of the vocabulary."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.plot import dressed, new_axes, themed
from quire.model_selection import VocabularyCurve, vocabulary_curve
from quire.pictures._samples import given_or_example

__all__ = ["bernoulli_and_multinomial"]

_SIZES = (5, 10, 20, 50, 100, 200, 500, 1000, "all")


def _example() -> tuple[Any, NDArray[Any]]:
    """Return counts of documents that are long and short, and whose words come in bursts."""
    rng = np.random.default_rng(0)
    n_documents, n_classes, n_words = 800, 5, 3000
    shape = n_classes, n_words
    shares = rng.permutation(np.arange(5, n_words + 5) ** -0.8)
    strong = 1.5 * np.abs(rng.normal(size=shape)) * (rng.uniform(size=shape) < 0.01)
    words = shares * np.exp(0.45 * rng.normal(size=shape) + strong)
    words /= words.sum(axis=1, keepdims=True)
    y = rng.integers(0, n_classes, size=n_documents)
    lengths = np.maximum(8, rng.lognormal(np.log(50), 1.4, size=n_documents)).astype(int)
    counts = np.zeros((n_documents, n_words), dtype=np.int64)
    for document, (label, length) in enumerate(zip(y, lengths, strict=True)):
        own = rng.gamma(400 * words[label])  # a word that occurs is likely to occur again
        counts[document] = rng.multinomial(length, own / own.sum())
    return sparse.csr_array(counts), y


def bernoulli_and_multinomial(
    texts: Any = None,
    y: Any = None,
    *,
    curve: VocabularyCurve | None = None,
    sizes: Any = None,
    cv: Any = 5,
    ax: Any = None,
    theme: str = "light",
) -> Any:
    """Draw the accuracy of both models of naive Bayes over the size of the vocabulary.

    The Bernoulli model looks at which words are there and which are not, and does well with few,
    well-chosen words; the multinomial model counts, and goes on gaining from rare words.

    Parameters
    ----------
    texts : iterable of documents, or sparse matrix of counts, default=None
        The documents; an example, whose words come in bursts, if neither `texts` nor `y` is given.
    y : array-like of shape (n_documents,), default=None
        Their classes.
    curve : VocabularyCurve, default=None
        What :func:`~quire.model_selection.vocabulary_curve` measured, instead of documents.
    sizes : iterable of int or "all", default=None
        Sizes of the vocabulary; from 5 words to all if not given.
    cv : int, splitter or iterable of (train, test), default=5
        Folds.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; bands reach one standard error to either side.

    Raises
    ------
    ValueError
        If both documents and a curve are given.

    See Also
    --------
    quire.model_selection.vocabulary_curve : The experiment, with its numbers.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    References
    ----------
    A. McCallum and K. Nigam, "A comparison of event models for naive Bayes text classification",
    AAAI workshop on learning for text categorization, 1998.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import bernoulli_and_multinomial
    >>> ax = bernoulli_and_multinomial(sizes=[5, "all"], cv=3)
    >>> multinomial, bernoulli = (line.get_ydata() for line in ax.lines[:2])
    >>> bernoulli[0] > multinomial[0], bernoulli[1] < multinomial[1]
    (np.True_, np.True_)
    """
    if curve is not None and not (texts is None and y is None):
        raise ValueError("A curve and documents are both given: a curve needs no documents.")
    if curve is None:
        texts, y = given_or_example(texts, y, _example)
        chosen = list(_SIZES if sizes is None else sizes)
        curve = vocabulary_curve(texts, y, sizes=chosen, cv=cv, random_state=0)
    with themed(theme):
        ax = curve.plot(new_axes(ax))
        ax.legend(loc="lower right")
        return dressed(ax)
