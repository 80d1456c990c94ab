"""The training halves of real corpora as tf-idf matrices, for linear models.

Terms of two documents or more; rows have length 1. Without the corpora, generated text of the same
size stands in, and the description says so.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.data import QUICK_DOCUMENTS
from benchmarks.registry import Context, Data
from quire.datasets import make_text_classification

__all__ = ["imdb_halves", "imdb_texts", "imdb_train", "newsgroups_halves", "newsgroups_train"]


def newsgroups_train(context: Context) -> Data:
    """11,314 posts in 20 groups; `value` is (X, y) with y the numbers of the groups."""
    X, table = _tfidf(context.path("newsgroups20.parquet"), 11_314, 20, _limit(context))
    y = np.unique(table["label"].to_numpy(), return_inverse=True)[1]
    return Data(_described("20 newsgroups", context, "newsgroups20.parquet", X), (X, y))


def imdb_train(context: Context) -> Data:
    """25,000 film reviews; `value` is (X, y, ratings) with y 0 or 1 and ratings from 1 to 10."""
    X, table = _tfidf(context.path("imdb.parquet"), 25_000, 8, _limit(context))
    ratings = table["rating"].to_numpy()
    y = (ratings > 5).astype(np.int64)
    return Data(_described("IMDB reviews", context, "imdb.parquet", X), (X, y, ratings))


def newsgroups_halves(context: Context) -> Data:
    """Give the same, and 7,532 later posts; `value` is (X, y, X_test, y_test)."""
    data = newsgroups_train(context)
    held_out, table = _held_out(context.path("newsgroups20.parquet"), 11_314, 20, _limit(context))
    _, train = _tfidf(context.path("newsgroups20.parquet"), 11_314, 20, _limit(context))
    classes = np.unique(train["label"].to_numpy())
    y_test = np.searchsorted(classes, table["label"].to_numpy())
    return Data(data.description, (*data.value, held_out, y_test))


def imdb_halves(context: Context) -> Data:
    """Give the same, and 25,000 other reviews; `value` is (X, y, X_test, y_test)."""
    data = imdb_train(context)
    X, y, _ = data.value
    held_out, table = _held_out(context.path("imdb.parquet"), 25_000, 8, _limit(context))
    y_test = (table["rating"].to_numpy() > 5).astype(np.int64)
    return Data(data.description, (X, y, held_out, y_test))


def imdb_texts(context: Context) -> Data:
    """Give both halves as they are; `value` is (texts, y, texts_test, y_test)."""
    path, parts = context.path("imdb.parquet"), []
    for split in ("train", "test"):
        table = _half(path, 25_000, 8, _limit(context), split)
        parts += [table["text"].to_list(), (table["rating"].to_numpy() > 5).astype(np.int64)]
    description = f"IMDB reviews, {len(parts[0]):,} and {len(parts[2]):,} documents"
    return Data(description if path is not None else f"generated, {description}", tuple(parts))


@lru_cache(maxsize=4)
def _tfidf(path: Path | None, rows: int, classes: int, limit: int | None) -> tuple[Any, Any]:
    table = _half(path, rows, classes, limit, "train")
    return TfidfVectorizer(min_df=2).fit_transform(table["text"].to_list()), table


@lru_cache(maxsize=4)
def _held_out(path: Path | None, rows: int, classes: int, limit: int | None) -> tuple[Any, Any]:
    """Return the other half, in the terms of the first."""
    train = _half(path, rows, classes, limit, "train")
    table = _half(path, rows, classes, limit, "test")
    vectorizer = TfidfVectorizer(min_df=2).fit(train["text"].to_list())
    return vectorizer.transform(table["text"].to_list()), table


def _half(path: Path | None, rows: int, classes: int, limit: int | None, split: str) -> Any:
    table = _generated(rows, classes, limit) if path is None else pl.read_parquet(path)
    if path is not None:
        table = table.filter(pl.col("split") == split)
    if limit is not None:
        table = table[
            np.linspace(0, len(table), min(limit, len(table)), endpoint=False).astype(int)
        ]
    return table


def _generated(rows: int, classes: int, limit: int | None) -> pl.DataFrame:
    sample = make_text_classification(
        min(rows, limit or rows),
        n_classes=classes,
        n_words=50_000,
        mean_length=250.0,
        random_state=0,
    )
    ratings = np.array([1, 2, 3, 4, 7, 8, 9, 10])[np.asarray(sample.y) % 8]
    labels = [f"{k:02d}" for k in sample.y]
    return pl.DataFrame({"text": sample.texts, "label": labels, "rating": ratings}).with_columns(
        split=pl.lit("train")
    )


def _limit(context: Context) -> int | None:
    limits = [context.limit, QUICK_DOCUMENTS if context.quick else None]
    return min((n for n in limits if n is not None), default=None)


def _described(name: str, context: Context, file: str, X: Any) -> str:
    source = name if context.path(file) is not None else "generated classes"
    return f"tf-idf {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / 1e6:.1f} M entries, of {source}"
