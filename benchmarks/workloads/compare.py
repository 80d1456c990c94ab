"""The main job, from a file to a ranking: `quire.model_selection.compare` against a program.

The program is what one writes by hand with scikit-learn: twelve pipelines, of four kinds of
features and three models, each with three penalties that are chosen on a part of the training
documents that is held out once more. It makes the features of a kind once for all of its models.
Corpora that bring a split are judged on it, the others on the same folds.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.parallel import Parallel, delayed

from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, SkipWorkload, register
from quire.datasets import make_text_classification
from quire.io import read_corpus
from quire.model_selection import compare

_CUTS: dict[str, dict[str, Any]] = {
    "words": {},
    "words 1-2": {"ngram_range": (1, 2), "min_df": 2},
    "words 1-3": {"ngram_range": (1, 3), "min_df": 2},
    "characters 3-5": {"analyzer": "char_wb", "ngram_range": (3, 5), "min_df": 2},
}
_PENALTIES = {
    "logistic": (1.0, 10.0, 100.0),
    "linear-svc": (0.3, 1.0, 3.0),
    "nbsvm": (0.01, 0.1, 1.0),
}


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


def program(value: Any, n_jobs: int) -> dict[str, float]:
    """Run the hand-made program; what it returns is the same."""
    path, split = value
    table = pl.read_parquet(path)
    texts, y = table["text"].to_list(), table["label"].to_numpy()
    if split is None:
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(texts, y))
    else:
        is_test = table[split].to_numpy() == "test"
        folds = [(np.flatnonzero(~is_test), np.flatnonzero(is_test))]
    jobs = [(fold, cut) for fold in folds for cut in _CUTS]
    found = Parallel(n_jobs=n_jobs)(delayed(_accuracies)(texts, y, *job) for job in jobs)
    scores: dict[str, list[float]] = {}
    for one in found:
        for name, score in one.items():
            scores.setdefault(name, []).append(score)
    return {name: float(np.mean(values)) for name, values in scores.items()}


def _accuracies(texts: list[str], y: Any, fold: Any, cut: str) -> dict[str, float]:
    """Return the accuracy of each model on one kind of features of one fold."""
    train, test = fold
    inner = StratifiedShuffleSplit(1, test_size=0.2, random_state=0)
    learn, judge = next(inner.split(train, y[train]))
    best: dict[str, tuple[float, float]] = {}
    for name, C, score in _scores(texts, y, train[learn], train[judge], cut, _PENALTIES):
        best[name] = max(best.get(name, (-1.0, 0.0)), (score, C))
    chosen = {name: (C,) for name, (_, C) in best.items()}
    return {
        f"{name}, {cut}": score for name, _, score in _scores(texts, y, train, test, cut, chosen)
    }


def _scores(
    texts: list[str], y: Any, train: Any, test: Any, cut: str, penalties: Mapping[str, Any]
) -> Iterator[tuple[str, float, float]]:
    learned, judged = ([texts[row] for row in rows] for rows in (train, test))
    for kind in ("tf-idf", "presence"):
        vectorizer: Any = TfidfVectorizer(**_CUTS[cut], sublinear_tf=True)
        if kind == "presence":
            vectorizer = CountVectorizer(**_CUTS[cut], binary=True, dtype=np.float64)
        X, Z = vectorizer.fit_transform(learned), vectorizer.transform(judged)
        for name, values in penalties.items():
            if (name == "nbsvm") != (kind == "presence"):
                continue
            for C in values:
                model = _model(name, C, n_classes=len(np.unique(y)))
                score = float((model.fit(X, y[train]).predict(Z) == y[test]).mean())
                yield name, C, score


def _model(name: str, C: float, *, n_classes: int) -> Any:
    if name == "logistic":
        return LogisticRegression(C=C, max_iter=1000, solver="newton-cg")
    if name == "linear-svc":
        return LinearSVC(C=C)
    return NBWeightedSVC(C) if n_classes == 2 else OneVsRestClassifier(NBWeightedSVC(C))


class NBWeightedSVC(LinearSVC):
    """What one writes by hand for a linear SVM of features times their log-count ratios."""

    def __init__(self, C: float = 1.0) -> None:
        super().__init__(C=C)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NBWeightedSVC:
        """Weigh the columns, and fit."""
        second = y == np.unique(y)[1]
        p, q = (1.0 + np.asarray(X[rows].sum(axis=0)).ravel() for rows in (second, ~second))
        self.ratios_ = np.log(p / p.sum()) - np.log(q / q.sum())
        super().fit(X @ sparse.diags_array(self.ratios_), y, sample_weight)
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the scores."""
        return super().decision_function(X @ sparse.diags_array(self.ratios_))


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
