"""Several labels for a document: `compare` against one-against-the-rest pipelines of scikit-learn.

The pipelines are those that one writes by hand: tf-idf of words, or of words and pairs of them, and
`OneVsRestClassifier` around a linear model. Both sides learn from the training documents and are
judged on the others, by F1 of all decisions together and by the mean over labels. Ours is the best
model of the comparison; of theirs each score is that of whichever pipeline is best at it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, SkipWorkload, register
from quire.datasets import make_multilabel_texts
from quire.model_selection import compare
from quire.multilabel import label_sets

_PIPELINES: dict[str, tuple[dict[str, Any], Callable[[], Any]]] = {
    "LinearSVC, words": ({}, LinearSVC),
    "LinearSVC, sublinear words 1-2": (
        {"sublinear_tf": True, "ngram_range": (1, 2), "min_df": 2},
        LinearSVC,
    ),
    "LogisticRegression C=10, sublinear words": (
        {"sublinear_tf": True, "min_df": 2},
        lambda: LogisticRegression(C=10.0, max_iter=1000, solver="liblinear"),
    ),
}


def generated(context: Context) -> Data:
    """Draw texts of the words of their labels, some of them rare; three quarters to learn."""
    n = min(600 if context.quick else 6_000, context.limit or 6_000)
    data = make_multilabel_texts(
        n, n_labels=20, n_words=5_000, mean_labels=2.0, mean_length=80.0, random_state=0
    )
    split = np.where(np.arange(n) % 4 < 3, "train", "test")
    value = data.texts, [list(one) for one in data.labels], split
    return Data(f"{n:,} generated documents, 20 labels", value)


def newsgroups_and_groups(context: Context) -> Data:
    """Give posts of 20 newsgroups two labels: the group, and its hierarchy (comp, rec ...)."""
    path = context.path("newsgroups20.parquet")
    if path is None:
        raise SkipWorkload("newsgroups20.parquet is not there")
    table = pl.read_parquet(path)
    limit = 600 if context.quick else context.limit
    if limit is not None:
        table = table.sample(min(limit, len(table)), seed=0)
    groups = table["label"].to_list()
    labels = [[group, group.partition(".")[0]] for group in groups]
    value = table["text"].to_list(), labels, table["split"].to_numpy()
    return Data(f"{len(table):,} documents, newsgroups20.parquet, group and hierarchy", value)


def ours(value: Any, n_jobs: int) -> dict[str, tuple[float, float]]:
    """Compare, and return micro and macro F1 of the best model on the test documents."""
    texts, labels, split = value
    found = compare(texts, labels, split=split, n_jobs=n_jobs, refit=False)
    scores = found.best.scores
    return {found.best.name: (float(scores["f1_micro"][0]), float(scores["f1_macro"][0]))}


def theirs(value: Any, n_jobs: int) -> dict[str, tuple[float, float]]:
    """Fit each pipeline, and return the same of it."""
    texts, labels, split = value
    Y = label_sets(labels).indicator.toarray()
    train, test = np.flatnonzero(split == "train"), np.flatnonzero(split == "test")
    found = {}
    for name, (cut, make) in _PIPELINES.items():
        model = make_pipeline(TfidfVectorizer(**cut), OneVsRestClassifier(make()))
        model.fit([texts[row] for row in train], Y[train])
        predicted = model.predict([texts[row] for row in test])
        micro, macro = (
            float(f1_score(Y[test], predicted, average=average, zero_division=0))
            for average in ("micro", "macro")
        )
        found[name] = micro, macro
    return found


def no_worse(results: Mapping[str, Any]) -> Quality:
    """Both scores of our best model are at least the best that any pipeline has."""
    best = {
        name: [max(pair[k] for pair in pairs.values()) for k in range(2)]
        for name, pairs in results.items()
    }
    figures = {
        f"{name}, {kind} F1": value
        for name, pair in best.items()
        for kind, value in zip(("micro", "macro"), pair, strict=True)
    }
    mine, *others = best.values()
    good = all(mine[k] >= max(one[k] for one in others) - 1e-4 for k in range(2))
    return Quality(
        good, ", ".join(f"{name} {value:.4f}" for name, value in figures.items()), figures
    )


for _name, _data in {"generated": generated, "newsgroups": newsgroups_and_groups}.items():
    register(
        Comparison(
            name=f"multilabel.{_name}",
            title="several labels: features, settings and thresholds chosen, against OneVsRest",
            data=_data,
            sides={"quire": Side(ours, repeats=1), "scikit-learn": Side(theirs, repeats=1)},
            check=no_worse,
            memory=False,
        )
    )
