"""Texts with several labels each, drawn from a mixture of the words of their labels.

The model is that of :func:`make_text_classification` with a class for each word instead of each
document: a document has a set of labels, and every word comes from one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from quire._shared.draws import draw_words
from quire._shared.label_sets import LabelSets, label_sets
from quire.datasets._random import generator_of
from quire.datasets._tokens import IntArray, TokenDataset, document_lengths
from quire.datasets._words import pseudo_words

__all__ = ["MultilabelTexts", "make_multilabel_texts"]

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class MultilabelTexts(TokenDataset):
    """Documents with sets of labels and their model, returned by :func:`make_multilabel_texts`.

    Attributes
    ----------
    labels : LabelSets
        The labels of each document: a sequence of tuples, and a matrix of 0 and 1.
    phi : ndarray of shape (n_labels + 1, n_words)
        Word distribution of each label; the last is that of documents without any.
    label_words : ndarray of shape (n_labels, n_informative)
        Columns whose weight is raised for each label.
    vocabulary : list of str
        The word that each column stands for.
    tokens : ndarray of shape (n_tokens,)
        Word number of every token, document after document.
    offsets : ndarray of shape (n_documents + 1,)
        Document d owns the tokens from ``offsets[d]`` up to ``offsets[d + 1]``.
    """

    labels: LabelSets
    phi: FloatArray
    label_words: IntArray
    vocabulary: list[str]
    tokens: IntArray
    offsets: IntArray


def make_multilabel_texts(
    n_documents: int = 1000,
    *,
    n_labels: int = 8,
    n_words: int = 2000,
    n_informative: int = 50,
    separation: float = 8.0,
    mean_labels: float = 1.5,
    together: float = 0.5,
    mean_length: float = 60.0,
    random_state: Any = 0,
) -> MultilabelTexts:
    r"""Draw documents that have several labels each, or none.

    Label l is drawn with a probability in proportion to :math:`1 / (l + 1)`; one with an odd number
    brings the one before it with the probability `together`. Each word of a document comes from one
    of its labels, picked uniformly. Word i has the weight :math:`1 / (i + 1)`, times `separation`
    for the label that it belongs to.

    Parameters
    ----------
    n_documents : int, default=1000
        Number of documents.
    n_labels : int, default=8
        Number of labels, called "label 0" and so on; the first ones are frequent.
    n_words : int, default=2000
        Size of the vocabulary.
    n_informative : int, default=50
        Number of words that belong to each label. No word belongs to two.
    separation : float, default=8.0
        Factor on the weight of a word for its label.
    mean_labels : float, default=1.5
        Labels of a document on average, before some bring others.
    together : float, default=0.5
        How often a label with an odd number brings the one before it.
    mean_length : float, default=60.0
        Mean number of tokens in a document; lengths are Poisson, and at least one.
    random_state : int, RandomState instance or None, default=0
        The same number and arguments give the same documents.

    Returns
    -------
    MultilabelTexts
        Counts `X`, `texts`, `labels`, and the truth behind them.

    Examples
    --------
    >>> from quire.datasets import make_multilabel_texts
    >>> data = make_multilabel_texts(200, n_labels=4, random_state=1)
    >>> data.labels.shape, list(data.labels[1:3])
    ((200, 4), [('label 0', 'label 1'), ('label 0', 'label 2')])
    """
    if n_labels * n_informative > n_words:
        raise ValueError(
            f"{n_labels} labels of {n_informative} words each need {n_labels * n_informative} "
            f"words; n_words is {n_words}. Raise n_words or lower n_informative."
        )
    if not (np.isfinite(separation) and separation > 0):
        raise ValueError(f"separation must be positive and finite; got {separation!r}.")
    if not 0 <= together <= 1:
        raise ValueError(f"together is a probability, from 0 to 1; got {together!r}.")
    if not mean_labels > 0:
        raise ValueError(f"mean_labels must be positive; got {mean_labels!r}.")
    rng = generator_of(random_state)
    label_words = rng.permutation(n_words)[: n_labels * n_informative]
    label_words = label_words.reshape(n_labels, n_informative)
    phi = np.tile(1.0 / np.arange(1, n_words + 1), (n_labels + 1, 1))
    raised = np.take_along_axis(phi[:-1], label_words, 1) * separation
    np.put_along_axis(phi[:-1], label_words, raised, 1)
    phi /= phi.sum(axis=1, keepdims=True)

    shares = 1.0 / np.arange(1, n_labels + 1)
    shares = np.minimum(mean_labels * shares / shares.sum(), 0.9)
    Y = rng.random((n_documents, n_labels)) < shares
    brings = rng.random((n_documents, n_labels)) < together
    Y[:, :-1:2] |= Y[:, 1::2] & brings[:, 1::2]

    lengths = document_lengths(rng, n_documents, mean_length)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    owner = np.repeat(np.arange(n_documents), lengths)
    n_of = Y.sum(axis=1)
    listed, starts = np.nonzero(Y)[1], np.concatenate(([0], np.cumsum(n_of)))
    pick = (rng.random(len(owner)) * n_of[owner]).astype(np.int64)
    sources = np.full(len(owner), n_labels)
    some = n_of[owner] > 0
    sources[some] = listed[starts[owner[some]] + pick[some]]
    tokens = draw_words(rng, sources, phi)
    names = np.array([f"label {k}" for k in range(n_labels)], dtype=object)
    labels = LabelSets(names, label_sets(Y).indicator)
    return MultilabelTexts(labels, phi, label_words, pseudo_words(n_words), tokens, offsets)
