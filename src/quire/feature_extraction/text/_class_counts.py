r"""From documents straight to the counts of each class, in one pass and without a matrix.

.. math:: N_{ki} = \sum_{d:\, y_d = k} w_d X_{di}

is all that naive Bayes learns from the document-feature matrix :math:`X`, so nothing else is kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import HashingVectorizer as SklearnHashingVectorizer

from quire._shared.labels import class_codes
from quire._shared.notebooks import ShownInNotebooks, listed_cells
from quire._shared.threads import effective_threads
from quire.feature_extraction.text._class_counting import (
    count_fixed,
    count_in_batches,
    count_native,
)
from quire.feature_extraction.text._count import CountVectorizer
from quire.feature_extraction.text._engine import analyzer_options
from quire.feature_extraction.text._known import takes_stems
from quire.feature_extraction.text._labelled import LabelledDocuments
from quire.feature_extraction.text._terms import Terms, merge_terms_with_places
from quire.feature_extraction.text._tfidf_vectorizer import TfidfVectorizer

__all__ = ["ClassCounts", "count_by_class", "merge_class_counts"]

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassCounts(ShownInNotebooks):
    """The counts of each class: what a naive Bayes model of text is made of.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Sorted.
    class_count : ndarray of shape (n_classes,)
        Documents of each class, by weight.
    feature_count : ndarray of shape (n_classes, n_columns)
        The sum of each column over the documents of each class, by weight.
    n_documents : int
        How many documents were counted, whatever their weights.
    terms : terms or None
        All terms, also those that are not columns; ``None`` where columns are fixed.
    term_counts : ndarray of shape (n_classes, n_terms)
        The counts of all terms; ``feature_count`` itself where every term is a column.
    """

    classes: NDArray[Any]
    class_count: Floats
    feature_count: Floats
    n_documents: int
    terms: Terms | None
    term_counts: Floats

    def _notebook_cells(self) -> list[list[str]]:
        sums = self.feature_count.sum(axis=1)
        rows = zip(map(str, self.classes), self.class_count.tolist(), sums.tolist(), strict=True)
        return listed_cells(["class", "documents", "tokens"], rows)


def count_by_class(
    vectorizer: Any,
    documents: Any,
    labels: Any = None,
    *,
    weights: Any = None,
    threshold: float | None = None,
) -> ClassCounts:
    """Fit a vectorizer and count the features of each class, in one pass over the documents.

    Parameters
    ----------
    vectorizer : CountVectorizer or HashingVectorizer
        quire's, or scikit-learn's HashingVectorizer. It is fitted on the way.
    documents : iterable
        Whatever the vectorizer takes. Generators are read a few thousand documents at a time. With
        ``labels=None``: pairs (document, label), or batches that have ``texts`` and ``labels``, as
        from ``quire.io.read_batches``.
    labels : array-like of shape (n_documents,) or iterator, default=None
        The class of each document. An iterator is read in step with the documents.
    weights : array-like of shape (n_documents,) or iterator, default=None
        The weight of each document; 1 if not given.
    threshold : float, default=None
        If given, a term counts 1 in a document where its value is above this, and 0 otherwise. Not
        negative.

    Returns
    -------
    ClassCounts
        The classes and their counts.

    Raises
    ------
    TypeError
        If the vectorizer cannot be counted in one pass.
    ValueError
        If documents, labels and weights differ in number, or a label is missing.

    Notes
    -----
    The result does not depend on the number of threads. Where a vocabulary is learned by the
    kernels, every sum is exact and rounded once at the end, whatever the weights, so that it does
    not depend on how documents come in batches either. Other settings add batches in their order.

    Memory: the vocabulary and a number for each class and term; 4 bytes for each of them and each
    thread while counting, as long as a class has at most two different weights.

    Examples
    --------
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> vectorizer = CountVectorizer()
    >>> texts, labels = ["good film", "bad film", "good"], ["pos", "neg", "pos"]
    >>> counts = count_by_class(vectorizer, texts, labels)
    >>> counts.classes, counts.class_count
    (array(['neg', 'pos'], dtype='<U3'), array([1., 2.]))
    >>> vectorizer.get_feature_names_out()
    array(['bad', 'film', 'good'], dtype=object)
    >>> counts.feature_count
    array([[1., 1., 0.],
           [0., 1., 2.]])
    """
    _check_vectorizer(vectorizer)
    if threshold is not None and not threshold >= 0:
        raise ValueError(
            f"threshold must be None or a number that is not negative, got {threshold}."
        )
    vectorizer._validate_params()
    if isinstance(vectorizer, CountVectorizer):
        vectorizer._check_fit_input(documents)
    elif isinstance(documents, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    data = LabelledDocuments(documents, labels, weights)
    if not isinstance(vectorizer, CountVectorizer) or vectorizer.vocabulary is not None:
        growth, sums = count_fixed(vectorizer, data, threshold)
        classes, class_count, sums = _sorted_classes(data, sums)
        if isinstance(vectorizer, CountVectorizer):
            vectorizer._growth = growth
            vectorizer._is_stale = vectorizer._is_compact = False
        return ClassCounts(classes, class_count, sums, data.n_documents, None, sums)
    if vectorizer.binary or np.dtype(vectorizer.dtype) == np.bool_:
        # The value of a term is 1 where it occurs; that is above the threshold or is not.
        threshold = 0.0 if threshold is None or threshold < 1 else math.inf
    # Documents of each term are known only once words have become stems: batch by batch.
    by_kernel = vectorizer._is_native() and not takes_stems(vectorizer)
    count = count_native if by_kernel else count_in_batches
    terms, sums = count(vectorizer, data, threshold)
    kept = vectorizer._kept_terms(terms, data.n_documents)
    classes, class_count, term_counts = _sorted_classes(data, sums)
    vectorizer._learn(terms, kept, data.n_documents)
    return ClassCounts(
        classes,
        class_count,
        term_counts if kept is None else term_counts[:, kept],
        data.n_documents,
        terms,
        term_counts,
    )


def merge_class_counts(a: ClassCounts, b: ClassCounts, vectorizer: Any) -> ClassCounts:
    """Join the counts of different documents, as if all had been counted at once.

    Parameters
    ----------
    a, b : ClassCounts
        Counted by vectorizers with the same settings. They are not changed.
    vectorizer : CountVectorizer or HashingVectorizer
        With these settings. A vocabulary that it learns is afterwards that of all documents,
        pruned as ``min_df``, ``max_df`` and ``max_features`` say.

    Returns
    -------
    ClassCounts
        The counts of the documents of both. Counts and sums of whole weights are exact; other
        weights are rounded once more than if all documents had been counted at once.
    """
    _check_vectorizer(vectorizer)
    numbers = [counts.classes.dtype.kind in "biuf" for counts in (a, b)]
    if numbers[0] != numbers[1]:
        raise ValueError(
            f"Cannot merge counts of classes of different kinds: {a.classes} and {b.classes}."
        )
    classes, codes = class_codes(np.concatenate([a.classes, b.classes]))
    rows = codes[: len(a.classes)], codes[len(a.classes) :]
    class_count = np.zeros(len(classes))
    for counts, row in zip((a, b), rows, strict=True):
        class_count[row] += counts.class_count
    n_documents = a.n_documents + b.n_documents

    if a.terms is None or b.terms is None:
        shapes = a.feature_count.shape[1], b.feature_count.shape[1]
        if a.terms is not b.terms or shapes[0] != shapes[1]:
            raise ValueError(
                "Cannot merge counts of different columns: were the vectorizers set differently?"
            )
        sums = np.zeros((len(classes), shapes[0]))
        for counts, row in zip((a, b), rows, strict=True):
            sums[row] += counts.feature_count
        return ClassCounts(classes, class_count, sums, n_documents, None, sums)

    options = analyzer_options(vectorizer) if vectorizer._is_native() else None
    threads = effective_threads(vectorizer.n_jobs)
    terms, places = merge_terms_with_places([a.terms, b.terms], options, threads)
    sums = np.zeros((len(classes), len(terms)))
    for counts, row, place in zip((a, b), rows, places, strict=True):
        sums[np.ix_(row, place)] += counts.term_counts
    kept = vectorizer._kept_terms(terms, n_documents)
    vectorizer._learn(terms, kept, n_documents)
    columns = sums if kept is None else sums[:, kept]
    return ClassCounts(classes, class_count, columns, n_documents, terms, sums)


def _check_vectorizer(vectorizer: Any) -> None:
    """Refuse a vectorizer that needs more than one pass, or is not known."""
    name = type(vectorizer).__name__
    if isinstance(vectorizer, TfidfVectorizer):
        raise TypeError(
            f"{name} cannot be counted by class in one pass: its weights are known only after all "
            "documents were read. Use CountVectorizer, or fit on the matrix of fit_transform."
        )
    if not isinstance(vectorizer, CountVectorizer | SklearnHashingVectorizer):
        raise TypeError(
            "Documents can be counted by class with CountVectorizer or HashingVectorizer of "
            f"quire.feature_extraction.text, not with {type(vectorizer).__module__}.{name}. Use "
            "one of these (parameters are scikit-learn's), or fit on the matrix of fit_transform."
        )


def _sorted_classes(data: LabelledDocuments, sums: Floats) -> tuple[NDArray[Any], Floats, Floats]:
    """Return the classes in order, their sizes and their sums, which have a row for each code."""
    classes, places = data.finish()
    if places is None:
        return classes, data.class_count, sums
    class_count, by_class = np.zeros(len(classes)), np.zeros((len(classes), sums.shape[1]))
    np.add.at(class_count, places, data.class_count)
    np.add.at(by_class, places, sums)  # labels such as 1 and "1" are one class
    return classes, class_count, by_class
