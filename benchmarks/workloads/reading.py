"""From a file to texts and labels: `quire.io.read_corpus` against pandas.

Both return every text and every label of the same file. Ours also finds the columns, and looks for
damage first.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl

from benchmarks.comparison import Comparison, Side
from benchmarks.data import imdb
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from quire.io import read_corpus

_WRITERS: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "ndjson": lambda table, path: table.write_ndjson(path),
    "csv": lambda table, path: table.write_csv(path),
    "parquet": lambda table, path: table.write_parquet(path),
}
_PANDAS: dict[str, Callable[[str], pd.DataFrame]] = {
    "ndjson": lambda path: pd.read_json(path, lines=True),
    "csv": pd.read_csv,
    "parquet": pd.read_parquet,
}


def reviews_in(kind: str) -> Callable[[Context], Data]:
    """Return a builder whose value is the path of IMDB's reviews in a file of that kind."""

    def build(context: Context) -> Data:
        found = imdb(context)
        labels = found.value.labels or [f"class {k % 2}" for k in range(len(found.value.texts))]
        folder = Path(tempfile.mkdtemp(prefix="quire-reading-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        path = folder / f"reviews.{kind}"
        _WRITERS[kind](pl.DataFrame({"text": found.value.texts, "label": labels}), path)
        return Data(f"{found.description}, {path.stat().st_size / 1e6:.0f} MB {kind}", str(path))

    return build


def ours(path: str, n_jobs: int) -> tuple[list[str], list[str]]:
    """Read the file and ask for its columns."""
    corpus = read_corpus(path)
    return list(corpus), corpus.frame[str(corpus.label_column)].to_list()


def with_pandas(kind: str) -> Callable[[str, int], tuple[list[str], list[str]]]:
    """Return the same by pandas."""

    def run(path: str, n_jobs: int) -> tuple[list[str], list[str]]:
        table = _PANDAS[kind](path)
        return table["text"].tolist(), table["label"].tolist()

    return run


def same_columns(results: Mapping[str, Any]) -> Quality:
    """All sides read the same texts and labels."""
    first, *others = results.values()
    same = all(other[0] == first[0] and list(other[1]) == list(first[1]) for other in others)
    return Quality(same, "equal texts and labels" if same else "texts or labels differ", {})


for _kind in _WRITERS:
    register(
        Comparison(
            name=f"reading.{_kind}",
            title=f"{_kind} file to texts and labels",
            data=reviews_in(_kind),
            sides={"quire": Side(ours), "pandas": Side(with_pandas(_kind))},
            check=same_columns,
            memory=True,
        )
    )
