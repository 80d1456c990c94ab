"""Five methods as one writes them by hand: a pipeline and a grid search each, in the same folds.

Naive Bayes of three kinds, logistic regression and least squares, of words in two or more
documents, with the settings that ``quire compare`` chooses among. ``python
benchmarks/programs/five_methods.py FILE [JOBS]`` prints the mean accuracy of each; nothing of quire
is imported.
"""

from __future__ import annotations

import json
import sys
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

NAMES = ("multinomial-nb", "complement-nb", "bernoulli-nb", "logistic", "least-squares")
_ALPHAS = {"alpha": [1.0, 0.3, 0.1, 0.03, 0.01]}


def program(path: str, n_jobs: int) -> dict[str, float]:
    """Run it on a CSV file with the columns text and label."""
    table = pl.read_csv(path)
    texts, y = table["text"].to_list(), table["label"].to_numpy()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    inner = StratifiedShuffleSplit(1, test_size=0.2, random_state=0)
    logistic = LogisticRegression(solver="liblinear", max_iter=1000)
    models: list[tuple[Any, Any, dict[str, list[float]]]] = [
        (CountVectorizer(min_df=2), MultinomialNB(), _ALPHAS),
        (CountVectorizer(min_df=2), ComplementNB(), _ALPHAS),
        (CountVectorizer(min_df=2), BernoulliNB(), _ALPHAS),
        (TfidfVectorizer(min_df=2), logistic, {"C": [1.0, 10.0, 100.0]}),
        (TfidfVectorizer(min_df=2), RidgeClassifier(), {"alpha": [1.0, 0.3, 3.0]}),
    ]
    means = {}
    for name, (vectorizer, model, grid) in zip(NAMES, models, strict=True):
        step = type(model).__name__.lower()
        settings = {f"{step}__{key}": values for key, values in grid.items()}
        search = GridSearchCV(make_pipeline(vectorizer, model), settings, cv=inner)
        means[name] = float(np.mean(cross_val_score(search, texts, y, cv=folds, n_jobs=n_jobs)))
    return means


if __name__ == "__main__":
    print(json.dumps(program(sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else -1)))
