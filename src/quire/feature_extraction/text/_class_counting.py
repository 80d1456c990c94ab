"""Three ways to sum the features of each class: each goes through all documents once.

They return sums with a row for each code of :class:`LabelledDocuments`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.class_sums import class_sums
from quire._shared.threads import effective_threads
from quire.feature_extraction.text._count import CountVectorizer
from quire.feature_extraction.text._growth import FixedGrowth
from quire.feature_extraction.text._labelled import LabelledDocuments
from quire.feature_extraction.text._terms import NativeTerms, PythonTerms, Terms

__all__ = ["count_fixed", "count_in_batches", "count_native"]

Floats: TypeAlias = NDArray[np.float64]

_BATCH = 4096


def count_native(
    vectorizer: Any, data: LabelledDocuments, threshold: float | None
) -> tuple[Terms, Floats]:
    """Let the kernel count: rows are forgotten one by one."""
    options, _, stop_words = vectorizer._kernel_options()
    counter = _core.text.TextCounter(options, stop_words, False, threshold)
    n_threads = 1
    for texts in data.groups():
        for documents, threads in vectorizer._document_batches(texts):
            n_threads = max(n_threads, threads)
            codes, weights = data.take(len(documents))
            counter.add_labelled(documents, codes, weights, threads)
    terms = NativeTerms(*counter.finish(n_threads))
    return terms, counter.class_counts(len(data.class_count), n_threads)


def count_in_batches(
    vectorizer: Any, data: LabelledDocuments, threshold: float | None
) -> tuple[Terms, Floats]:
    """Add up the matrices of batches over terms that grow."""
    threads = effective_threads(vectorizer.n_jobs)
    numbers: dict[Any, int] = {}
    # Two rows for the frequencies, then one for each class.
    table = np.zeros((2, 0))
    for texts in data.groups():
        documents = vectorizer._python_documents(texts)
        while batch := list(itertools.islice(documents, _BATCH)):
            counts = vectorizer._count_new(batch, keep_rows=True)
            codes, weights = data.take(len(batch))
            n_classes = len(data.class_count)
            X = counts.matrix(None, vectorizer.dtype, False)
            sums, _ = class_sums(X, codes, n_classes, weights, threshold, threads)
            names = counts.terms.names()
            places = [numbers.setdefault(name, len(numbers)) for name in names]
            table = _with_room(table, 2 + n_classes, len(numbers))
            table[0, places] += counts.terms.document_frequency
            table[1, places] += counts.terms.term_frequency
            table[2:, places] += sums
    names = sorted(numbers)
    table = table[:, [numbers[name] for name in names]]
    frequencies = table[:2].astype(np.int64)
    return PythonTerms(names, frequencies[0], frequencies[1]), table[2:].copy()


def count_fixed(
    vectorizer: Any, data: LabelledDocuments, threshold: float | None
) -> tuple[FixedGrowth, Floats]:
    """Add up the matrices of batches over columns that are known beforehand."""
    transform: Callable[[Any], Any] = vectorizer.transform
    counting = isinstance(vectorizer, CountVectorizer)
    if counting:
        vectorizer._validate_vocabulary()
        vectorizer._warn_for_upper_case(stacklevel=4)
        transform = vectorizer._count_known
    threads = effective_threads(getattr(vectorizer, "n_jobs", None))
    growth = FixedGrowth.empty()
    sums = np.zeros((0, 0))
    for texts in data.groups():
        for batch in _batches(texts):
            try:
                X = transform(batch)
            except ValueError as error:
                if data.n_documents:
                    error.add_note(f"Rows are counted from document {data.n_documents} here.")
                raise
            codes, weights = data.take(X.shape[0])
            part, _ = class_sums(X, codes, len(data.class_count), weights, threshold, threads)
            sums = _with_room(sums, *part.shape)
            sums += part
            if counting:
                growth = growth.plus(FixedGrowth.from_matrix(X, threads))
    return growth, sums


def _with_room(table: Floats, n_rows: int, n_columns: int) -> Floats:
    """Return the table with zeros added, if it needs any; new columns come with some to spare."""
    if table.shape[0] >= n_rows and table.shape[1] >= n_columns:
        return table
    width = table.shape[1]
    if width < n_columns:
        width = n_columns if width == 0 else n_columns + n_columns // 4
    larger = np.zeros((n_rows, width))
    larger[: table.shape[0], : table.shape[1]] = table
    return larger


def _batches(documents: Any) -> Iterator[Any]:
    """Yield a few thousand documents at a time, as slices if documents can be sliced."""
    rows = getattr(documents, "iloc", documents)
    if hasattr(documents, "__len__") and hasattr(rows, "__getitem__") and not _is_mapping(rows):
        for start in range(0, len(documents), _BATCH):
            yield rows[start : start + _BATCH]
    elif hasattr(documents, "__iter__"):
        iterator = iter(documents)
        while batch := list(itertools.islice(iterator, _BATCH)):
            yield batch
    else:
        yield documents  # an Arrow column that can only be read as a whole


def _is_mapping(documents: Any) -> bool:
    return hasattr(documents, "keys")
