"""Small fitted models of every exported class, and data for them."""

from __future__ import annotations

import importlib
import inspect
import io
import pkgutil
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

import quire
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.linear_model import LeastSquaresClassifier
from quire.naive_bayes import MultinomialNB

__all__ = ["COUNTS", "DOCUMENTS", "LABELS", "TARGET", "exported", "fitted", "seed_files"]

_rng = np.random.default_rng(5)
COUNTS = _rng.poisson(0.6, (40, 7)).astype(np.float64)
LABELS = np.resize(np.array(["ham", "sp\u00e4m", "\U0001f389"]), 40)
TARGET = COUNTS @ _rng.normal(size=7) + _rng.normal(size=40)
_WORDS = np.array(["film", "gut", "b\u00f6se", "\u00fcber", "plot", "na\u00efve", "star", "cast"])
DOCUMENTS = [" ".join(_rng.choice(_WORDS, n)) for n in _rng.integers(1, 9, 40)]

_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "AveragedClassifier": [
        {"estimators": [("bayes", MultinomialNB()), ("squares", LeastSquaresClassifier(alpha=1))]},
        {
            "estimators": [
                ("words", make_pipeline(CountVectorizer(), MultinomialNB())),
                ("tfidf", make_pipeline(TfidfVectorizer(), LeastSquaresClassifier(alpha=1))),
            ],
            "weights": [1.0, 2.0],
        },
    ],
    "BaggingClassifier": [{"n_estimators": 2}],
    "BaggingRegressor": [{"n_estimators": 2}],
    "CountVectorizer": [{}, {"ngram_range": (1, 3)}, {"analyzer": "char", "ngram_range": (1, 2)}],
    "DecisionTreeClassifier": [{}, {"ccp_alpha": 0.01, "max_depth": 3}],
    "ExtraTreesClassifier": [{"n_estimators": 3}],
    "ExtraTreesRegressor": [{"n_estimators": 3}],
    "GaussianMixture": [{"n_components": 2, "random_state": 0, "reg_covar": 0.01}],
    "KMeans": [{"n_clusters": 3, "random_state": 0}],
    "KNeighborsClassifier": [{"algorithm": "brute"}, {"metric": "cosine"}],
    "LatentDirichletAllocation": [
        {"n_components": 2, "max_iter": 3, "random_state": 0},
        {"n_components": 2, "max_iter": 2, "learning_method": "batch", "random_state": 0},
    ],
    "LogisticRegressionCV": [{"Cs": 2, "cv": 2, "l1_ratios": (0.0,), "scoring": "accuracy",
                              "use_legacy_attributes": False}],
    "MiniBatchKMeans": [{"n_clusters": 3, "random_state": 0}],
    "OrdinalRegression": [{"categories": list(LABELS[:3])}],
    "PCA": [{"n_components": 2, "random_state": 0}],
    "RandomForestClassifier": [{"n_estimators": 3}],
    "RandomForestRegressor": [{"n_estimators": 3}],
    "SVC": [{}, {"probability": True, "kernel": "linear"}],
    "TruncatedSVD": [{"n_components": 2}],
}  # fmt: skip


def exported() -> list[type[BaseEstimator]]:
    """Return the estimators that public modules of quire export, by name."""
    classes = set()
    for module in pkgutil.walk_packages(quire.__path__, "quire."):
        if "._" in module.name or module.name.startswith(("quire.cli", "quire.__main__")):
            continue
        public = importlib.import_module(module.name)
        for name in getattr(public, "__all__", ()):
            value = getattr(public, name)
            if inspect.isclass(value) and issubclass(value, BaseEstimator):
                classes.add(value)
    return sorted(classes, key=lambda cls: cls.__name__)


def _data() -> list[tuple[str, tuple[Any, ...]]]:
    """Return what a model may be fitted on, the likeliest first."""
    return [
        ("matrix", (COUNTS, LABELS)),
        ("matrix", (COUNTS, TARGET)),
        ("documents", (DOCUMENTS, LABELS)),
        ("documents", (DOCUMENTS,)),
        ("matrix", (COUNTS, COUNTS[:, :3] + 0.5)),
        ("matrix", (COUNTS, LABELS == "ham")),
    ]


def fitted(cls: type[BaseEstimator]) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Yield models of a class with what they read, ``"matrix"`` or ``"documents"``, and their data.

    Raises
    ------
    ValueError
        If a class can be fitted on nothing that is here.
    """
    for options in _OPTIONS.get(cls.__name__, [{}]):
        errors = []
        for reads, data in _data():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    model = cls(**options).fit(*data)
                except Exception as error:
                    errors.append(f"{type(error).__name__}: {error}")
                    continue
            yield reads, model, data
            break
        else:
            raise ValueError(f"{cls.__name__} could not be fitted: {errors}")


def seed_files() -> dict[str, bytes]:
    """Return a model file of every exported class, and of pipelines of them."""
    from quire.ensemble import RandomForestClassifier
    from quire.linear_model import LogisticRegression

    models = {}
    for cls in exported():
        for i, (_, model, _) in enumerate(fitted(cls)):
            models[f"{cls.__name__}-{i}"] = model
    for name, pipeline in {
        "tfidf": make_pipeline(TfidfVectorizer(), LogisticRegression()),
        "counts": make_pipeline(CountVectorizer(ngram_range=(1, 2)), MultinomialNB()),
        "forest": make_pipeline(CountVectorizer(), RandomForestClassifier(3)),
    }.items():
        models[f"pipeline-{name}"] = pipeline.fit(DOCUMENTS, LABELS)
    files = {}
    for name, model in models.items():
        file = io.BytesIO()
        quire.save(model, file)
        files[name] = file.getvalue()
    return files
