"""Twelve pipelines as one writes them by hand: four kinds of features, three models.

Each with three penalties that are chosen on a part of the training documents that is held out once
more. The features of a kind are made once for all of its models. ``python
benchmarks/programs/twelve_pipelines.py FILE [JOBS]`` prints the mean accuracy of each; nothing of
quire is imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
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


def program(value: Any, n_jobs: int) -> dict[str, float]:
    """Run it on a Parquet or CSV file with the columns text and label; the second is a split."""
    path, split = value
    table = pl.read_csv(path) if str(path).endswith(".csv") else pl.read_parquet(path)
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


if __name__ == "__main__":
    print(json.dumps(program((sys.argv[1], None), int(sys.argv[2]) if sys.argv[2:] else -1)))
