"""The walk of documents from a file to predictions, beside reading and counting them alone."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
from sklearn.pipeline import make_pipeline

import quire
from benchmarks.comparison import Comparison, Side
from benchmarks.data import imdb
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from quire.cli.predict import predict
from quire.feature_extraction.text import CountVectorizer
from quire.io import read_batches
from quire.naive_bayes import MultinomialNB

SIZE_VARIABLE = "QUIRE_BENCH_CSV_MB"


def reviews_in_a_file(context: Context) -> Data:
    """IMDB as a CSV file of about 100 MB, or as many as the variable says, and a saved model."""
    corpus = imdb(context).value
    folder = Path(tempfile.mkdtemp(prefix="quire-walk-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(corpus.texts, corpus.labels)
    quire.save(model, folder / "model.quire", metadata={"text": ["text"]})
    table = pl.DataFrame({"text": corpus.texts})
    megabytes = 10 if context.partial else int(os.environ.get(SIZE_VARIABLE, "100"))
    copies = max(1, round(megabytes * 1e6 / sum(map(len, corpus.texts))))
    table = pl.concat([table] * copies).with_row_index("id")
    with (folder / "reviews.csv").open("wb") as file:
        table.write_csv(file)
        file.flush()
        os.fsync(file.fileno())  # the disk is not busy with it when the clock runs
    size = (folder / "reviews.csv").stat().st_size
    description = f"{size / 1e6:,.0f} MB of CSV, {table.height:,} rows, {copies} times IMDB"
    return Data(description, (folder, table.height))


def predict_file(value: Any, n_jobs: int) -> Any:
    """Do what ``quire predict MODEL FILE -o PATH`` does."""
    folder, n_rows = value
    predict(
        str(folder / "model.quire"), str(folder / "reviews.csv"), output=str(folder / "out.csv")
    )
    return folder, n_rows


def read_and_count(value: Any, n_jobs: int) -> int:
    """Load the model, read the file in parts, and count the terms of each."""
    folder, _ = value
    vectorizer = quire.load(folder / "model.quire")[0]
    parts = read_batches(folder / "reviews.csv", text="text", label=False)
    return sum(vectorizer.transform(part.texts).shape[0] for part in parts)


def same_rows(results: Mapping[str, Any]) -> Quality:
    """Every row has its prediction, in order, and it is the model's."""
    folder, n_rows = results["quire"]
    model = quire.load(folder / "model.quire")
    out = pl.read_csv(folder / "out.csv", columns=["id", "text", "predicted"])
    ordered = out["id"].equals(pl.Series("id", range(n_rows), dtype=out.schema["id"]))
    first = out.head(1000)
    equal = model.predict(first["text"]).tolist() == first["predicted"].to_list()
    passed = ordered and equal and results["reading and counting"] == n_rows
    return Quality(passed, f"{n_rows:,} rows in order" if passed else "rows differ")


register(
    Comparison(
        name="walk.predict-csv",
        title="quire predict of a CSV file to a CSV file, beside reading and counting it alone",
        data=reviews_in_a_file,
        sides={"quire": Side(predict_file), "reading and counting": Side(read_and_count)},
        check=same_rows,
        mark=0.77,  # at most 1.3 times as long
    )
)
