"""Translation of a whole vocabulary by CSLS, against a straightforward blocked NumPy version.

Generated vectors of 300 dimensions: a rotated and disturbed copy of a random space. The same first
neighbours are expected, but for ties of single precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from quire.alignment._retrieval import csls_of_all

WORDS, QUICK_WORDS, DIMENSION, NEIGHBORHOOD = 100_000, 2_000, 300, 10
BLOCK = 1024


def spaces(context: Context) -> Data:
    """Generate two spaces; `value` is (X, Y), rows of length 1."""
    n = QUICK_WORDS if context.partial else WORDS
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, DIMENSION))
    Y = X + rng.normal(size=X.shape)
    X, Y = ((Z / np.linalg.norm(Z, axis=1, keepdims=True)).astype(np.float32) for Z in (X, Y))
    return Data(f"generated, {n:,} x {n:,} words, {DIMENSION} dimensions", (X, Y))


def by_kernel(data: Any, n_jobs: int) -> Any:
    """Translate with one sweep over all products."""
    X, Y = data
    return csls_of_all(X, Y, 1, NEIGHBORHOOD, n_jobs).ids[:, 0]


def by_numpy(data: Any, n_jobs: int) -> Any:
    """Translate with blocks of rows, partition and argmax."""
    X, Y = data

    def mean_of_nearest(P: Any, Q: Any) -> Any:
        means = np.empty(len(P), dtype=np.float32)
        for start in range(0, len(P), BLOCK):
            block = P[start : start + BLOCK] @ Q.T
            nearest = np.partition(block, -NEIGHBORHOOD, axis=1)[:, -NEIGHBORHOOD:]
            means[start : start + BLOCK] = nearest.mean(axis=1)
        return means

    own, hubs = mean_of_nearest(X, Y), mean_of_nearest(Y, X)
    best = np.empty(len(X), dtype=np.int64)
    for start in range(0, len(X), BLOCK):
        rows = slice(start, start + BLOCK)
        best[rows] = (2 * (X[rows] @ Y.T) - own[rows, None] - hubs).argmax(axis=1)
    return best


def same_words(results: Mapping[str, Any]) -> Quality:
    """Compare the translations."""
    first, *others = results.values()
    share = min(float(np.mean(first == other)) for other in others)
    return Quality(share > 0.9999, f"same translation: {share:.2%}", {"same": share})


register(
    Comparison(
        name="alignment.csls",
        title="every word of one space translated to another by CSLS",
        data=spaces,
        sides={"quire": Side(by_kernel, repeats=2), "NumPy": Side(by_numpy, repeats=1)},
        check=same_words,
        mark=3,
    )
)
