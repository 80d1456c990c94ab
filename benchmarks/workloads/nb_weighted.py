"""Features weighted by classes: quire against the same by hand with scikit-learn.

`NBSVM` and `NBLogistic` against log-count ratios in NumPy and scikit-learn's linear models, a
binary one for each class. Quality is the accuracy on the other half of the corpus: ours may be two
thousandths below. Once more from texts: one, two and three tokens in a row, punctuation among them,
to a fitted model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sklearn.linear_model
import sklearn.svm
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer

import quire.linear_model
import quire.svm
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import imdb_halves, imdb_texts, newsgroups_halves
from quire.feature_extraction.text import CountVectorizer


def presence(halves: Callable[[Context], Data]) -> Callable[[Context], Data]:
    """Return the maker of presence in both halves; `value` is (X, y, X_test, y_test)."""

    def make(context: Context) -> Data:
        data = halves(context)
        X, y, held_out, y_test = data.value
        ones = (sparse.csr_array((part > 0).astype(np.float64)) for part in (X, held_out))
        X, held_out = ones
        return Data(data.description.replace("tf-idf", "presence", 1), (X, y, held_out, y_test))

    return make


def by_hand(X: Any, y: Any, model: Callable[[], Any]) -> tuple[Any, Any]:
    """Return the weights and intercepts of each class against the rest."""
    classes = np.unique(y)
    coefs, intercepts = [], []
    for label in classes[1:] if len(classes) == 2 else classes:
        second = y == label
        p, q = (1.0 + np.asarray(X[rows].sum(axis=0)).ravel() for rows in (second, ~second))
        r = np.log(p / p.sum()) - np.log(q / q.sum())
        fitted = model().fit(X.multiply(r[None, :]).tocsr(), second)
        coefs.append(r * fitted.coef_[0])
        intercepts.append(fitted.intercept_[0])
    return np.array(coefs), np.array(intercepts)


def accuracy(result: Any) -> float:
    """Return the share of the other half that is right."""
    (coef, intercept), y, held_out, y_test = result
    scores = held_out @ coef.T + intercept
    best = (scores[:, 0] > 0).astype(int) if len(coef) == 1 else scores.argmax(axis=1)
    return float((np.unique(y)[best] == y_test).mean())


def not_below(results: Mapping[str, Any]) -> Quality:
    """Ours is as accurate as the same by hand."""
    values = {name: accuracy(result) for name, result in results.items()}
    first, *others = values.values()
    summary = ", ".join(f"{name} {value:.4f}" for name, value in values.items())
    return Quality(first >= max(others) - 0.002, f"accuracy: {summary}", values)


def ours(kind: type, **options: Any) -> Side:
    """Fit a class of quire's."""

    def run(data: Any, n_jobs: int) -> Any:
        X, y, *rest = data
        model = kind(n_jobs=n_jobs, **options).fit(X, y)
        return (model.coef_, model.intercept_), y, *rest

    return Side(run)


def theirs(kind: type, **options: Any) -> Side:
    """Fit scikit-learn's class to weighted features."""

    def run(data: Any, n_jobs: int) -> Any:
        X, y, *rest = data
        return by_hand(X, y, lambda: kind(**options)), y, *rest

    return Side(run, repeats=1)


_COUNTING: dict[str, Any] = {
    "token_pattern": r"\w+|[^\w\s]",
    "ngram_range": (1, 3),
    "min_df": 2,
    "binary": True,
}


def ours_from_texts(data: Any, n_jobs: int) -> Any:
    """Count, and fit a class of quire's."""
    texts, y, *rest = data
    vectorizer = CountVectorizer(**_COUNTING, dtype=np.float64, n_jobs=n_jobs)
    X = vectorizer.fit_transform(texts)
    model = quire.svm.NBSVM(C=0.03, random_state=0, n_jobs=n_jobs).fit(X, y)
    return (model.coef_, model.intercept_), vectorizer, y, *rest


def theirs_from_texts(data: Any, n_jobs: int) -> Any:
    """Count, and fit by hand."""
    texts, y, *rest = data
    vectorizer = SklearnCountVectorizer(**_COUNTING, dtype=np.float64)
    X = vectorizer.fit_transform(texts)
    return by_hand(X, y, lambda: sklearn.svm.LinearSVC(C=0.03)), vectorizer, y, *rest


def not_below_from_texts(results: Mapping[str, Any]) -> Quality:
    """Ours is as accurate as the same by hand, each on its own counts."""
    counted = {
        name: (weights, y, vectorizer.transform(texts), y_test)
        for name, (weights, vectorizer, y, texts, y_test) in results.items()
    }
    return not_below(counted)


register(
    Comparison(
        name="nb-weighted.text-to-model",
        title="NBSVM of one to three tokens in a row with punctuation, from texts",
        data=imdb_texts,
        sides={"quire": Side(ours_from_texts), "scikit-learn": Side(theirs_from_texts, repeats=1)},
        check=not_below_from_texts,
        mark=5.0,
        memory=False,
    )
)


for number, halves in ((2, imdb_halves), (20, newsgroups_halves)):
    for name, title, own, their, options in (
        ("svm", "NBSVM", quire.svm.NBSVM, sklearn.svm.LinearSVC, {"C": 0.03, "random_state": 0}),
        (
            "logistic",
            "NBLogistic",
            quire.linear_model.NBLogistic,
            sklearn.linear_model.LogisticRegression,
            {"C": 1.0, "max_iter": 1000},
        ),
    ):
        register(
            Comparison(
                name=f"nb-weighted.{name}-{number}",
                title=f"{title}, {number} classes",
                data=presence(halves),
                sides={"quire": ours(own, **options), "scikit-learn": theirs(their, **options)},
                check=not_below,
                mark=1.0 if name == "svm" else 5.0,
            )
        )
