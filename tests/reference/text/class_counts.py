"""The twin of ``TextCounter.add_labelled`` and ``class_counts``: exact sums of fractions."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from tests.reference.text.texts import AnalyzerOptions, Terms, text_counter


def class_counts(
    documents: Sequence[str],
    labels: Sequence[int],
    n_classes: int,
    options: AnalyzerOptions,
    stop_words: Iterable[str] = (),
    *,
    weights: Sequence[float] | None = None,
    threshold: float | None = None,
) -> tuple[Terms, NDArray[np.float64]]:
    """S_kt = sum over documents of class k of w times the count of t, or of [count > threshold]."""
    terms, X = text_counter(documents, options, stop_words)
    sums = [[Fraction(0)] * len(terms.names) for _ in range(n_classes)]
    for row, label in enumerate(labels):
        weight = Fraction(1 if weights is None else weights[row])
        for place in range(X.indptr[row], X.indptr[row + 1]):
            count = X.data[place]
            value = count if threshold is None else int(count > threshold)
            sums[label][X.indices[place]] += weight * value
    rounded = [[float(total) for total in row] for row in sums]
    return terms, np.array(rounded).reshape(n_classes, len(terms.names))
