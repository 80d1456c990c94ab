"""Labelled text drawn from a mixture of unigrams: the model of multinomial naive Bayes.

Each class has its own word distribution, made from one Zipf distribution common to all by raising
the weight of the words that belong to the class. How far it raises them sets how hard the task is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from quire._shared.draws import draw_words
from quire.datasets._random import generator_of
from quire.datasets._tokens import IntArray, TokenDataset, document_lengths
from quire.datasets._weights import mixing_weights
from quire.datasets._words import pseudo_words

__all__ = ["TextClassification", "make_text_classification"]

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class TextClassification(TokenDataset):
    """Labelled documents and their model, returned by :func:`make_text_classification`.

    Attributes
    ----------
    y : ndarray of shape (n_documents,)
        Observed class, with noise if noise was asked for.
    y_true : ndarray of shape (n_documents,)
        Class that each document was drawn from.
    weights : ndarray of shape (n_classes,)
        Probability of each class.
    phi : ndarray of shape (n_classes, n_words)
        Word distribution of each class; rows add up to one.
    class_words : ndarray of shape (n_classes, n_informative)
        Columns whose weight is raised in each class.
    vocabulary : list of str
        The word that each column stands for.
    tokens : ndarray of shape (n_tokens,)
        Word number of every token, document after document.
    offsets : ndarray of shape (n_documents + 1,)
        Document d owns the tokens from ``offsets[d]`` up to ``offsets[d + 1]``.
    """

    y: IntArray
    y_true: IntArray
    weights: FloatArray
    phi: FloatArray
    class_words: IntArray
    vocabulary: list[str]
    tokens: IntArray
    offsets: IntArray

    def posterior(self) -> FloatArray:
        r"""Probability of each class given the document, under the true parameters.

        No classifier can expect a higher accuracy on `y_true` than the one that picks the largest.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Softmax over k of :math:`\log P(k) + \sum_i X_{di} \log \phi_{ki}`.
        """
        scores = self.X @ np.log(self.phi.T) + np.log(self.weights)
        return np.asarray(special.softmax(scores, axis=1), dtype=np.float64)


def make_text_classification(
    n_documents: int = 1000,
    *,
    n_classes: int = 2,
    n_words: int = 2000,
    n_informative: int = 50,
    separation: float = 4.0,
    label_noise: float = 0.0,
    weights: npt.ArrayLike | None = None,
    mean_length: float = 50.0,
    random_state: Any = 0,
) -> TextClassification:
    r"""Draw labelled documents whose classes differ in some of their words.

    Word i has the weight :math:`1 / (i + 1)`, times `separation` in the class it belongs to; the
    weights of a class divided by their sum are its distribution :math:`\phi_k`.

    Parameters
    ----------
    n_documents : int, default=1000
        Number of documents.
    n_classes : int, default=2
        Number of classes.
    n_words : int, default=2000
        Size of the vocabulary.
    n_informative : int, default=50
        Number of words that belong to each class. No word belongs to two.
    separation : float, default=4.0
        Factor on the weight of a word in its class. At 1 the text says nothing about the class.
    label_noise : float, default=0.0
        Probability that the observed class is another one, picked uniformly.
    weights : array-like of shape (n_classes,), optional
        Probability of each class; equal by default.
    mean_length : float, default=50.0
        Mean number of tokens in a document; lengths are Poisson, and at least one.
    random_state : int, RandomState instance or None, default=0
        The same number and arguments give the same documents.

    Returns
    -------
    TextClassification
        Counts `X`, `texts`, the classes `y`, and the truth behind them.

    Examples
    --------
    >>> from quire.datasets import make_text_classification
    >>> data = make_text_classification(500, separation=8.0, random_state=3)
    >>> data.X.shape, data.y.shape
    ((500, 2000), (500,))
    >>> best = (data.posterior().argmax(axis=1) == data.y).mean()
    >>> f"{best:.3f}"
    '0.972'
    """
    if n_classes * n_informative > n_words:
        raise ValueError(
            f"{n_classes} classes of {n_informative} words each need "
            f"{n_classes * n_informative} words; n_words is {n_words}. Raise n_words or lower "
            "n_informative."
        )
    if not (np.isfinite(separation) and separation > 0):
        raise ValueError(f"separation must be positive and finite; got {separation!r}.")
    if not 0 <= label_noise <= 1:
        raise ValueError(f"label_noise is a probability, from 0 to 1; got {label_noise!r}.")
    prior = mixing_weights(weights, n_classes)

    rng = generator_of(random_state)
    class_words = rng.permutation(n_words)[: n_classes * n_informative]
    class_words = class_words.reshape(n_classes, n_informative)
    phi = np.tile(1.0 / np.arange(1, n_words + 1), (n_classes, 1))
    np.put_along_axis(phi, class_words, np.take_along_axis(phi, class_words, 1) * separation, 1)
    phi /= phi.sum(axis=1, keepdims=True)

    y_true = rng.choice(n_classes, n_documents, p=prior)
    lengths = document_lengths(rng, n_documents, mean_length)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    tokens = draw_words(rng, np.repeat(y_true, lengths), phi)

    flipped = rng.random(n_documents) < label_noise
    shift = rng.integers(1, n_classes, n_documents) if n_classes > 1 else 0
    y = np.where(flipped, (y_true + shift) % n_classes, y_true)
    words = pseudo_words(n_words)
    return TextClassification(y, y_true, prior, phi, class_words, words, tokens, offsets)
