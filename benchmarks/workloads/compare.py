"""The main job, from a file to a ranking: `quire.model_selection.compare` against a program.

The program is what one writes by hand with scikit-learn: twelve pipelines, of four kinds of
features and three models, each with three penalties that are chosen on a part of the training
documents that is held out once more. It makes the features of a kind once for all of its models.
Corpora that bring a split are judged on it, the others on the same folds.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.comparison import Comparison, Side
from benchmarks.programs.twelve_pipelines import program
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, SkipWorkload, register
from quire.datasets import make_text_classification
from quire.io import read_corpus
from quire.model_selection import compare


def corpus(file: str, rows: int, classes: int, *, has_split: bool) -> Any:
    """Return a builder whose value is the path of a Parquet file, and the name of its split."""

    def build(context: Context) -> Data:
        path = context.path(file)
        limit = 600 if context.quick else context.limit
        split = "split" if has_split and path is not None else None
        if path is not None and limit is None:
            n = pl.scan_parquet(path).select(pl.len()).collect().item()
            return Data(f"{n:,} documents, {file}", (str(path), split))
        if path is not None:
            table = pl.read_parquet(path).sample(limit, seed=0)
        else:
            sample = make_text_classification(
                min(rows, limit or rows), n_classes=classes, mean_length=200.0, random_state=0
            )
            table = pl.DataFrame({"text": sample.texts, "label": [f"class {k}" for k in sample.y]})
        target = Path(tempfile.mkdtemp()) / file
        table.write_parquet(target)
        return Data(f"{len(table):,} documents, {file}", (str(target), split))

    return build


def made(source: str, make: Callable[[pl.DataFrame], pl.DataFrame], folder: str) -> Any:
    """Return a builder of a corpus that is cut from another, whose file must be there."""

    def build(context: Context) -> Data:
        path = context.path(source)
        if path is None:
            raise SkipWorkload(f"{source} is not there")
        table = make(pl.read_parquet(path))
        limit = 600 if context.quick else context.limit
        table = table.sample(min(limit or len(table), len(table)), seed=0, shuffle=True)
        target = Path(tempfile.mkdtemp()) / f"{folder}.parquet"
        table.write_parquet(target)
        return Data(f"{len(table):,} documents, {folder}, cut from {source}", (str(target), None))

    return build


def sentences(table: pl.DataFrame) -> pl.DataFrame:
    """One sentence of 60 to 240 characters from each of 10,662 reviews, with the review's label."""
    cut = _one_sentence(table.select("text", "label").sample(fraction=1.0, shuffle=True, seed=1))
    return pl.concat([cut.filter(pl.col("label") == c).head(5_331) for c in ("neg", "pos")])


def plots_and_praise(table: pl.DataFrame) -> pl.DataFrame:
    """First and last sentences of reviews: what a film is about, and what is thought of it."""
    shuffled = table.select("text", "label").sample(fraction=1.0, shuffle=True, seed=2)
    ends = [
        _one_sentence(part, last=last).head(5_000).with_columns(label=pl.lit(name))
        for part, last, name in (
            (shuffled[:25_000], False, "first"),
            (shuffled[25_000:], True, "last"),
        )
    ]
    return pl.concat(ends)


def uneven(table: pl.DataFrame) -> pl.DataFrame:
    """Eight classes of newsgroup posts, as uneven as the eight of R8."""
    sizes = {
        "comp": 3_923,
        "rec": 2_292,
        "sci.space": 374,
        "sci.med": 326,
        "talk.politics.guns": 292,
        "soc.religion.christian": 271,
        "alt.atheism": 144,
        "misc.forsale": 51,
    }
    shuffled = table.select("text", "label").sample(fraction=1.0, shuffle=True, seed=3)
    parts = [
        shuffled.filter(pl.col("label").str.starts_with(name))
        .head(size)
        .with_columns(label=pl.lit(name))
        for name, size in sizes.items()
    ]
    return pl.concat(parts)


def _one_sentence(table: pl.DataFrame, *, last: bool = False) -> pl.DataFrame:
    pieces = (
        pl.col("text")
        .str.replace_all(r"<[^>]*>", " ")
        .str.extract_all(r"[^.!?\n]+[.!?]+")
        .list.eval(
            pl.element().str.strip_chars().filter(pl.element().str.len_chars().is_between(60, 240))
        )
    )
    cut = table.with_columns(text=pieces.list.last() if last else pieces.list.first())
    return cut.filter(pl.col("text").is_not_null())


def ours(value: Any, n_jobs: int) -> dict[str, float]:
    """Read and compare; return the mean accuracy of each model.

    The best one is not fitted to all documents, since the program does not do that either.
    """
    path, split = value
    found = compare(read_corpus(path), split=split, refit=False, n_jobs=n_jobs)
    return {
        trial.name: float(trial.scores["accuracy"].mean()) for trial in found if trial.error is None
    }


def as_accurate(results: Mapping[str, Any]) -> Quality:
    """Our best model is as accurate as the best of the program."""
    best = {name: max(means.items(), key=lambda one: one[1]) for name, means in results.items()}
    figures = {f"{name}: {one[0]}": one[1] for name, one in best.items()}
    accuracies = [one[1] for one in best.values()]
    summary = ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
    return Quality(accuracies[0] >= max(accuracies) - 1e-4, summary, figures)


for _name, _data in {
    "sms": corpus("sms_spam.parquet", 5_574, 2, has_split=False),
    "congress": corpus("uscongress.parquet", 4_449, 20, has_split=False),
    "newsgroups": corpus("newsgroups20.parquet", 18_846, 20, has_split=True),
    "imdb": corpus("imdb.parquet", 50_000, 2, has_split=True),
    "sentences": made("imdb.parquet", sentences, "sentences of reviews"),
    "first-or-last": made("imdb.parquet", plots_and_praise, "first and last sentences"),
    "uneven": made("newsgroups20.parquet", uneven, "eight uneven classes"),
}.items():
    register(
        Comparison(
            name=f"compare.{_name}",
            title="file to ranking: features and settings chosen, against twelve pipelines",
            data=_data,
            sides={"quire": Side(ours, repeats=2), "scikit-learn": Side(program, repeats=1)},
            check=as_accurate,
            mark=15 if _name == "imdb" else None,
            memory=False,
        )
    )
