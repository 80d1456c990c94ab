"""Choosing features: scores of sparse counts against ``sklearn.feature_selection``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import chi2, mutual_info_classif

from benchmarks.checks import same_arrays
from benchmarks.comparison import Comparison, Side
from benchmarks.data import newsgroups
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from quire.feature_extraction import select

MUTUAL_INFO_COLUMNS = 2_000  # scikit-learn takes milliseconds for each column


def counts(context: Context) -> Data:
    """Count the words of 20 newsgroups; `value` is (X, y)."""
    return _labelled(context, "counts", CountVectorizer())


def frequent_words(context: Context) -> Data:
    """Mark which posts hold which word.

    Only the most frequent words, since the peer is too slow for all of them.
    """
    vectorizer = CountVectorizer(binary=True, max_features=MUTUAL_INFO_COLUMNS)
    return _labelled(context, "presence of the most frequent words only,", vectorizer)


def _labelled(context: Context, what: str, vectorizer: CountVectorizer) -> Data:
    data = newsgroups(context)
    matrix = vectorizer.fit_transform(data.value.texts)
    rows, columns = matrix.shape
    return Data(
        f"{what} {rows:,} x {columns:,}, of {data.description}",
        (matrix, np.asarray(data.value.labels)),
    )


def same_chi2(results: Mapping[str, Any]) -> Quality:
    """Compare the statistics and the p-values."""
    statistics = same_arrays({name: result[0] for name, result in results.items()})
    if not statistics.passed:
        return statistics
    p_values = same_arrays({name: result[1] for name, result in results.items()})
    return statistics if p_values.passed else p_values


register(
    Comparison(
        name="select.chi2",
        title="chi2(X, y)",
        data=counts,
        sides={
            "quire": Side(lambda data, n_jobs: select.chi2(*data)),
            "scikit-learn": Side(lambda data, n_jobs: chi2(*data)),
        },
        check=same_chi2,
    )
)
register(
    Comparison(
        name="select.mutual-info",
        title="mutual_info(X, y); scikit-learn: mutual_info_classif(discrete_features=True)",
        data=frequent_words,
        sides={
            "quire": Side(lambda data, n_jobs: select.mutual_info(*data)),
            "scikit-learn": Side(
                lambda data, n_jobs: mutual_info_classif(*data, discrete_features=True), repeats=2
            ),
        },
        check=same_arrays,
    )
)
