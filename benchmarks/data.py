"""Corpora to measure on: real ones from a folder of parquet files, generated ones without it.

`find_folder` says where the real corpora lie. Each builder takes the context of the run and gives
a `Data` whose description goes into the report, so that a generated or shortened corpus is never
taken for the real one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.registry import Context, Data
from quire.datasets import make_corpus, make_text_classification

__all__ = ["Corpus", "find_folder", "growing_texts", "imdb", "newsgroups"]

FOLDER_VARIABLE = "QUIRE_BENCH_DATA"
QUICK_DOCUMENTS = 2_000
SCALING_VOCABULARY = 200_000


@dataclass(frozen=True)
class Corpus:
    """Documents in memory as a list of str, with their labels where they have any."""

    name: str
    texts: list[str]
    labels: list[str] | None
    whole: int  # documents before a limit was applied

    @property
    def description(self) -> str:
        """Name and size, for the report."""
        n = len(self.texts)
        count = f"{n:,}" if n == self.whole else f"{n:,} of {self.whole:,}"
        return f"{self.name}, {count} documents, {megabytes(self.texts):.1f} MB"


def find_folder(given: Path | None) -> Path | None:
    """Return the folder of real corpora: given, named by a variable, or beside the checkout."""
    named = given or (Path(os.environ[FOLDER_VARIABLE]) if FOLDER_VARIABLE in os.environ else None)
    if named is not None:
        if not named.is_dir():
            raise ValueError(f"The data folder {named} does not exist; see --data.")
        return named.resolve()
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return beside if beside.is_dir() else None


def imdb(context: Context, *, subset: int | None = None) -> Data:
    """50,000 film reviews, or generated text of the same size; `value` is a `Corpus`."""
    return _data(context, "imdb.parquet", "IMDB reviews", subset)


def newsgroups(context: Context, *, subset: int | None = None) -> Data:
    """18,846 posts in 20 groups, or generated text in 20 classes; `value` is a `Corpus`."""
    return _data(context, "newsgroups20.parquet", "20 newsgroups", subset)


def growing_texts(sizes: Sequence[float]) -> Iterator[tuple[float, list[str]]]:
    """Yield generated text of about each size in MB; each is the beginning of the next."""
    texts = make_corpus(n_megabytes=max(sizes), vocabulary_size=SCALING_VOCABULARY, random_state=0)
    reached = np.cumsum([_bytes(text) for text in texts]) / 1e6
    for size in sizes:
        n = min(int(np.searchsorted(reached, size)) + 1, len(texts))
        yield float(reached[n - 1]), texts[:n]


def megabytes(texts: Sequence[str]) -> float:
    """Size in millions of UTF-8 bytes."""
    return sum(map(_bytes, texts)) / 1e6


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _data(context: Context, file: str, name: str, subset: int | None) -> Data:
    limits = [context.limit, subset, QUICK_DOCUMENTS if context.quick else None]
    limit = min((n for n in limits if n is not None), default=None)
    path = context.path(file)
    corpus = _generated(file, limit) if path is None else _stored(path, name, limit)
    return Data(corpus.description, corpus, items=len(corpus.texts))


@lru_cache(maxsize=4)
def _stored(path: Path, name: str, limit: int | None) -> Corpus:
    table = pl.read_parquet(path, columns=["text", "label"])
    rows = _spread(len(table), limit)
    kept = table if len(rows) == len(table) else table[rows]
    return Corpus(name, kept["text"].to_list(), kept["label"].to_list(), len(table))


@lru_cache(maxsize=4)
def _generated(file: str, limit: int | None) -> Corpus:
    """Text of about the size and shape of the corpus that is not there."""
    if file == "imdb.parquet":
        whole = 50_000
        texts = make_corpus(min(whole, limit or whole), vocabulary_size=100_000, random_state=0)
        return Corpus("generated Zipf text", texts, None, whole)
    whole = 18_846
    sample = make_text_classification(
        min(whole, limit or whole),
        n_classes=20,
        n_words=50_000,
        n_informative=500,
        mean_length=250.0,
        random_state=0,
    )
    return Corpus("generated classes", sample.texts, [str(k) for k in sample.y], whole)


def _spread(n: int, limit: int | None) -> list[int]:
    """Choose `limit` of n rows at even distances, so that sorted labels stay balanced."""
    if limit is None or limit >= n:
        return list(range(n))
    return [int(row) for row in np.linspace(0, n, limit, endpoint=False)]
