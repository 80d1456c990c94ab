"""Documents counted by the kernels, in words that are not known yet or in a vocabulary.

A vectorizer calls this, and so does what is scored from a model file, where nobody is an estimator.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quire import _core
from quire._shared.sparse import csr_from_arrays
from quire.feature_extraction.text._counting import NativeCounts
from quire.feature_extraction.text._kernels import is_native_dtype, matrix_from
from quire.feature_extraction.text._stems import known_stems
from quire.feature_extraction.text._terms import NativeTerms
from quire.feature_extraction.text._weighing import normalize_rows

__all__ = ["count_known", "count_words", "hashed", "hashing_reason", "takes_stems"]


def takes_stems(vectorizer: Any) -> bool:
    """Return whether stems are counted in the place of words."""
    return vectorizer.stemmer is not None and vectorizer.analyzer == "word"


def count_words(
    vectorizer: Any, raw_documents: Any, options: Any, stop_words: list[str], keep_rows: bool
) -> NativeCounts:
    """Count documents in a kernel with whatever words they have.

    Parameters
    ----------
    vectorizer : KernelMixin
        Has settings that the kernels know.
    raw_documents : iterable
        The documents.
    options, stop_words
        Its options for the kernels.
    keep_rows : bool
        Whether the counts of each document are asked for later.
    """
    counter = _core.text.TextCounter(options, stop_words, keep_rows)
    n_documents, n_threads = 0, 1
    for documents, threads in vectorizer._document_batches(raw_documents):
        n_threads = max(n_threads, threads)
        counter.add_documents(documents, threads)
        n_documents += len(documents)
    terms = NativeTerms(*counter.finish(n_threads))
    return NativeCounts(counter, terms, n_documents, n_threads)


def count_known(vectorizer: Any, raw_documents: Any, make: Any = csr_from_arrays) -> Any:
    """Count documents in the vocabulary that a vectorizer has.

    Parameters
    ----------
    vectorizer : KernelMixin
        Has settings that the kernels know, and a ``_vocabulary``.
    raw_documents : iterable
        The documents.
    make : callable, default=csr_from_arrays
        Makes the matrix of its arrays and the number of columns.

    Returns
    -------
    CSR matrix
        The counts.
    """
    options, key, stop_words = vectorizer._kernel_options()
    vocabulary, dtype, binary = vectorizer._vocabulary, vectorizer.dtype, vectorizer.binary
    if takes_stems(vectorizer):
        counts = count_words(vectorizer, raw_documents, options, stop_words, True)
        X = known_stems(counts, vectorizer.stems, options, vocabulary.mapping, dtype, make)
        if binary:
            X.data.fill(1)
        return X
    n_columns = len(vocabulary)

    def matrix(documents: Any, threads: int) -> Any:
        lookup = vocabulary.lookup_for(documents, options, key, stop_words)
        counted = lookup.count(documents, threads)
        return matrix_from(counted, dtype, n_columns, n_columns, binary, threads, make=make)

    parts = [matrix(*batch) for batch in vectorizer._document_batches(raw_documents)]
    if not parts:
        return matrix(_core.text.Documents.from_list([]), 1)
    if len(parts) == 1:
        return parts[0]
    from scipy import sparse

    return sparse.vstack(parts, format="csr")


def hashing_reason(vectorizer: Any) -> str | None:
    """Return why only Python can hash for a vectorizer, besides what holds for all of them."""
    if not is_native_dtype(vectorizer.dtype):
        return "dtype is not int32, int64, float32 or float64"
    if takes_stems(vectorizer):
        return "stems are hashed one by one"
    return None


def hashed(
    vectorizer: Any,
    documents: Any,
    first_row: int,
    options: Any,
    stop_words: list[str],
    n_threads: int,
    make: Any = csr_from_arrays,
) -> Any:
    """Return the matrix of documents whose terms are hashed.

    Parameters
    ----------
    vectorizer : HashingVectorizer
        Has settings that the kernels know.
    documents : _core.text.Documents
        A batch.
    first_row : int
        The number of the first of them, for messages.
    options, stop_words
        As for :func:`count_words`.
    n_threads : int
        Threads.
    make : callable, default=csr_from_arrays
        As for :func:`count_known`.
    """
    counted = _core.text.hash_documents(
        documents,
        options,
        stop_words,
        int(vectorizer.n_features),
        bool(vectorizer.alternate_sign),
        n_threads,
    )
    if isinstance(counted, int):
        reason = f"surrogates not allowed (in document {first_row + counted}, counted from 0)"
        raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, reason)
    dtype = np.dtype(vectorizer.dtype)
    if vectorizer.norm is not None and dtype not in (np.float32, np.float64):
        dtype = np.dtype(np.float64)
    n = vectorizer.n_features
    X = matrix_from(counted, dtype, n, n, vectorizer.binary, n_threads, make=make)
    if vectorizer.norm is not None:
        normalize_rows(X, None, vectorizer.norm, n_threads)
    return X
