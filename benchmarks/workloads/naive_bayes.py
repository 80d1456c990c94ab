"""Naive Bayes: the classes of `quire.naive_bayes` against those of scikit-learn.

Labels are strings in a list, as people have them. The models are checked after each run: their
parameters, and for predictions every label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sklearn.naive_bayes
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.extmath import safe_sparse_dot

import quire.naive_bayes
from benchmarks.checks import same_arrays
from benchmarks.comparison import Comparison, Side
from benchmarks.data import imdb, newsgroups
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from quire._shared.class_sums import class_counts
from quire._shared.labels import class_codes

ROWS, COLUMNS, CLASSES, CATEGORIES = 1_000_000, 50, 5, 20


def counts(context: Context) -> Data:
    """Count the words of 20 newsgroups; `value` is (X, labels)."""
    data = newsgroups(context)
    X = CountVectorizer().fit_transform(data.value.texts)
    rows, columns = X.shape
    description = f"counts {rows:,} x {columns:,}, of {data.description}"
    return Data(description, (X, data.value.labels))


def reviews(context: Context) -> Data:
    """IMDB; `value` is (texts, labels)."""
    data = imdb(context)
    return Data(data.description, (data.value.texts, data.value.labels))


def measurements(context: Context) -> Data:
    """Draw normal numbers around a centre for each class."""
    rng = np.random.default_rng(0)
    n = 20_000 if context.quick else ROWS
    y = rng.integers(0, CLASSES, n)
    X = rng.normal(size=(n, COLUMNS))
    X += rng.normal(size=(CLASSES, COLUMNS))[y]
    return Data(f"{n:,} x {COLUMNS} normal numbers, {CLASSES} classes", (X, y))


def categories(context: Context) -> Data:
    """Draw categories with shares of their own for each class."""
    rng = np.random.default_rng(0)
    n = 20_000 if context.quick else ROWS
    y = rng.integers(0, CLASSES, n)
    X = (rng.random((n, 10)) ** (1 + y[:, None]) * CATEGORIES).astype(np.int64)
    return Data(f"{n:,} x 10 columns of {CATEGORIES} categories, {CLASSES} classes", (X, y))


def fit(name: str) -> dict[str, Side]:
    """Fit the class of that name."""
    peer = getattr(sklearn.naive_bayes, name)
    subject = getattr(quire.naive_bayes, name)
    return {
        "quire": Side(lambda data, n_jobs: subject(n_jobs=n_jobs).fit(*data)),
        "scikit-learn": Side(lambda data, n_jobs: peer().fit(*data)),
    }


def predict(name: str) -> dict[str, Side]:
    """Predict the documents the model was fitted on, outside of the clock."""

    def fitted(side: Side) -> Callable[[Any, int], Any]:
        return lambda data, n_jobs: (side.run(data, n_jobs), data[0])

    return {
        library: Side(lambda prepared, n_jobs: prepared[0].predict(prepared[1]), fitted(side))
        for library, side in fit(name).items()
    }


def same_parameters(*names: str) -> Callable[[Mapping[str, Any]], Quality]:
    """Compare fitted attributes; lists of arrays are joined."""

    def check(results: Mapping[str, Any]) -> Quality:
        def joined(model: Any) -> Any:
            found = [getattr(model, name) for name in names]
            arrays = [array for part in found for array in (part if _is_list(part) else [part])]
            return np.concatenate([np.ravel(array) for array in arrays])

        return same_arrays({name: joined(model) for name, model in results.items()})

    return check


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def same_labels(results: Mapping[str, Any]) -> Quality:
    """Compare predictions, label by label."""
    first, *others = results.values()
    n_different = max(int(np.sum(first != other)) for other in others)
    figures = {"different": n_different, "labels": len(first)}
    if n_different:
        return Quality(False, f"{n_different:,} labels of {len(first):,} differ", figures)
    return Quality(True, f"equal: {len(first):,} labels", figures)


PARAMETERS = same_parameters("feature_log_prob_", "class_log_prior_")

for model, fit_mark, predict_mark in (
    ("MultinomialNB", 10, 4),
    ("ComplementNB", 8, 3),
    ("BernoulliNB", 8, 3),
):
    short = model.removesuffix("NB").lower()
    register(
        Comparison(
            name=f"naive-bayes.{short}-fit",
            title=f"{model}().fit(X, y)",
            data=counts,
            sides=fit(model),
            check=PARAMETERS,
            mark=fit_mark,
        )
    )
    register(
        Comparison(
            name=f"naive-bayes.{short}-predict",
            title=f"{model}.predict(X)",
            data=counts,
            sides=predict(model),
            check=same_labels,
            mark=predict_mark,
        )
    )

register(
    Comparison(
        name="naive-bayes.class-sums",
        title="counts by class alone, labels as numbers; scikit-learn: Y.T @ X with Y one-hot",
        data=counts,
        sides={
            "quire": Side(
                lambda data, n_jobs: class_counts(data[0], data[1], data[2], None, n_jobs)[0],
                lambda data, n_jobs: (data[0], class_codes(data[1])[1], len(set(data[1]))),
            ),
            "scikit-learn": Side(
                lambda data, n_jobs: safe_sparse_dot(data[1].T, data[0]),
                lambda data, n_jobs: (data[0], LabelBinarizer().fit_transform(data[1])),
            ),
        },
        check=same_arrays,
        mark=20,
    )
)
register(
    Comparison(
        name="naive-bayes.gaussian-fit",
        title="GaussianNB().fit(X, y)",
        data=measurements,
        sides=fit("GaussianNB"),
        check=same_parameters("theta_", "var_", "class_prior_"),
        mark=3,
    )
)
register(
    Comparison(
        name="naive-bayes.gaussian-predict",
        title="GaussianNB.predict(X)",
        data=measurements,
        sides=predict("GaussianNB"),
        check=same_labels,
    )
)
register(
    Comparison(
        name="naive-bayes.categorical-fit",
        title="CategoricalNB().fit(X, y)",
        data=categories,
        sides=fit("CategoricalNB"),
        check=PARAMETERS,
    )
)
register(
    Comparison(
        name="naive-bayes.categorical-predict",
        title="CategoricalNB.predict(X)",
        data=categories,
        sides=predict("CategoricalNB"),
        check=same_labels,
    )
)
register(
    Comparison(
        name="naive-bayes.text",
        title="texts to a fitted MultinomialNB: fit_text; scikit-learn: CountVectorizer pipeline",
        data=reviews,
        sides={
            "quire": Side(
                lambda data, n_jobs: quire.naive_bayes.MultinomialNB(n_jobs=n_jobs).fit_text(*data)
            ),
            "scikit-learn": Side(
                lambda data, n_jobs: make_pipeline(
                    CountVectorizer(), sklearn.naive_bayes.MultinomialNB()
                ).fit(*data)[-1]
            ),
        },
        check=PARAMETERS,
        mark=25,
        memory_mark=0.2,
    )
)
