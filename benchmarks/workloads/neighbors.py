"""Nearest neighbours by brute force: against scikit-learn, and FAISS where it is installed.

Sparse: ten neighbours among the training posts of 20 newsgroups, for the test posts. Dense: normal
numbers, which no index could prune. The check is that distances are equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import sklearn.neighbors

import quire.neighbors
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import newsgroups_train
from quire.feature_extraction.text import TfidfVectorizer

POINTS, QUERIES, COLUMNS, K = 100_000, 10_000, 100, 10


@lru_cache(maxsize=2)
def _posts(path: Path) -> tuple[Any, Any]:
    table = pl.read_parquet(path)
    train, test = (
        table.filter(pl.col("split") == part)["text"].to_list() for part in ("train", "test")
    )
    vectorizer = TfidfVectorizer(min_df=2, sublinear_tf=True)
    return vectorizer.fit_transform(train), vectorizer.transform(test)


def posts(context: Context) -> Data:
    """Training and test posts; `value` is (points, queries)."""
    path = context.path("newsgroups20.parquet")
    if path is None or context.quick:
        data = newsgroups_train(context)
        X, _ = data.value
        half = X.shape[0] * 3 // 5
        return Data(f"three fifths and the rest of {data.description}", (X[:half], X[half:]))
    X, Q = _posts(path)
    text = f"tf-idf {X.shape[0]:,} and {Q.shape[0]:,} x {X.shape[1]:,} of 20 newsgroups"
    return Data(text, (X, Q))


def numbers(context: Context) -> Data:
    """Draw normal numbers in single precision; `value` is (points, queries)."""
    rng = np.random.default_rng(0)
    n, m = (5_000, 500) if context.quick else (POINTS, QUERIES)
    X, Q = (rng.normal(size=(rows, COLUMNS)).astype(np.float32) for rows in (n, m))
    return Data(f"{n:,} and {m:,} x {COLUMNS} normal numbers, float32", (X, Q))


def search(module: Any, metric: str, data: Any, n_jobs: int) -> Any:
    """Fit the points and ask for the neighbours of the queries."""
    model = module.NearestNeighbors(n_neighbors=K, metric=metric, algorithm="brute", n_jobs=n_jobs)
    return model.fit(data[0]).kneighbors(data[1])


def by_faiss(data: Any, n_jobs: int) -> Any:
    """Search FAISS's flat index."""
    import faiss

    faiss.omp_set_num_threads(n_jobs)
    index = faiss.IndexFlatL2(data[0].shape[1])
    index.add(data[0])
    squares, indices = index.search(data[1], K)
    return np.sqrt(squares), indices


def same_distances(results: Mapping[str, Any]) -> Quality:
    """Compare distances, and count neighbours that differ."""
    (first, indices), *others = results.values()
    largest = max(float(np.abs(first - other).max()) for other, _ in others)
    differ = max(float((indices != other).mean()) for _, other in others)
    summary = f"distances differ by up to {largest:.1e}, {differ:.3%} of the neighbours"
    figures = {"largest_difference": largest, "share_of_other_neighbors": differ}
    return Quality(largest < 1e-4, summary, figures)


for metric in ("euclidean", "cosine"):
    register(
        Comparison(
            name=f"neighbors.sparse-{metric}",
            title=f"NearestNeighbors({K}, metric={metric!r}).fit(X).kneighbors(Q), sparse",
            data=posts,
            sides={
                "quire": Side(partial(search, quire.neighbors, metric)),
                "scikit-learn": Side(partial(search, sklearn.neighbors, metric)),
            },
            check=same_distances,
            mark=5.0,
        )
    )

_sides = {
    "quire": Side(partial(search, quire.neighbors, "euclidean")),
    "scikit-learn": Side(partial(search, sklearn.neighbors, "euclidean")),
}
if find_spec("faiss") is not None:
    _sides["faiss"] = Side(by_faiss)
register(
    Comparison(
        name="neighbors.dense-euclidean",
        title=f"NearestNeighbors({K}).fit(X).kneighbors(Q), dense",
        data=numbers,
        sides=_sides,
        check=same_distances,
        mark=2.0,
    )
)
