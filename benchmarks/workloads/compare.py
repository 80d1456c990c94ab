"""The main job, from a file to a ranking: `quire.model_selection.compare` against a program.

The program is what one writes by hand with scikit-learn: a pipeline of a vectorizer and a model for
each of the same methods, a grid search of the same settings on the same inner documents, inside the
same folds, on all cores. Its logistic regression uses the solver that is fastest for the corpus.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from quire.datasets import make_text_classification
from quire.io import read_corpus
from quire.model_selection import compare

_ALPHAS = {"alpha": [1.0, 0.3, 0.1, 0.03, 0.01]}
_FEW = 2000  # documents: with fewer, settings are chosen by three folds


def corpus(file: str, rows: int, classes: int) -> Any:
    """Return a builder whose value is the path of a Parquet file with columns text and label."""

    def build(context: Context) -> Data:
        path = context.path(file)
        limit = 600 if context.quick else context.limit
        if path is not None and limit is None:
            n = pl.scan_parquet(path).select(pl.len()).collect().item()
            return Data(f"{n:,} documents, {file}", str(path))
        if path is not None:
            table = pl.read_parquet(path).sample(limit, seed=0)
        else:
            sample = make_text_classification(
                min(rows, limit or rows), n_classes=classes, mean_length=200.0, random_state=0
            )
            table = pl.DataFrame({"text": sample.texts, "label": [f"class {k}" for k in sample.y]})
        target = Path(tempfile.mkdtemp()) / file
        table.write_parquet(target)
        return Data(f"{len(table):,} documents, {file}", str(target))

    return build


def ours(path: str, n_jobs: int) -> dict[str, float]:
    """Read and compare; return the mean accuracy of each model."""
    found = compare(read_corpus(path), n_jobs=n_jobs)
    return {trial.name: float(trial.scores["accuracy"].mean()) for trial in found}


def program(solver: str) -> Any:
    """Return the hand-made program; what it returns is the same."""

    def run(path: str, n_jobs: int) -> dict[str, float]:
        table = pl.read_parquet(path)
        texts, y = table["text"].to_list(), table["label"].to_numpy()
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        n_train = len(y) * 4 // 5
        inner: Any = (
            StratifiedShuffleSplit(1, test_size=0.2, random_state=0)
            if n_train >= _FEW
            else StratifiedKFold(3, shuffle=True, random_state=0)
        )
        logistic = LogisticRegression(solver=solver, max_iter=1000)
        models = {
            "multinomial-nb": (CountVectorizer(min_df=2), MultinomialNB(), _ALPHAS),
            "complement-nb": (CountVectorizer(min_df=2), ComplementNB(), _ALPHAS),
            "bernoulli-nb": (CountVectorizer(min_df=2), BernoulliNB(), _ALPHAS),
            "logistic": (
                TfidfVectorizer(min_df=2, sublinear_tf=True),
                logistic,
                {"C": [1.0, 10.0, 100.0]},
            ),
            "least-squares": (
                TfidfVectorizer(min_df=2, sublinear_tf=True),
                RidgeClassifier(),
                {"alpha": [0.5, 1.0, 0.2]},
            ),
        }
        means = {}
        for name, (vectorizer, model, grid) in models.items():
            pipeline = make_pipeline(vectorizer, model)
            step = type(model).__name__.lower()
            settings = {f"{step}__{key}": values for key, values in grid.items()}
            search = GridSearchCV(pipeline, settings, cv=inner)
            means[name] = float(np.mean(cross_val_score(search, texts, y, cv=folds, n_jobs=n_jobs)))
        return means

    return run


def as_accurate(results: Mapping[str, Any]) -> Quality:
    """Our best model is as accurate as the best of the program."""
    best = {name: max(means.items(), key=lambda one: one[1]) for name, means in results.items()}
    figures = {f"{name}: {one[0]}": one[1] for name, one in best.items()}
    accuracies = [one[1] for one in best.values()]
    summary = ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
    return Quality(accuracies[0] >= max(accuracies) - 1e-4, summary, figures)


for _name, _file, _rows, _classes, _solver in (
    ("sms", "sms_spam.parquet", 5_574, 2, "liblinear"),
    ("congress", "uscongress.parquet", 4_449, 20, "newton-cg"),
    ("newsgroups", "newsgroups20.parquet", 18_846, 20, "newton-cg"),
    ("imdb", "imdb.parquet", 50_000, 2, "liblinear"),
):
    register(
        Comparison(
            name=f"compare.{_name}",
            title="file to ranking: five methods, settings chosen, five folds",
            data=corpus(_file, _rows, _classes),
            sides={"quire": Side(ours), "scikit-learn": Side(program(_solver), repeats=1)},
            check=as_accurate,
            mark=8,
            memory=False,
        )
    )
