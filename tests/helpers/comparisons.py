"""Comparisons of a few pipelines on small corpora, made by plain loops over folds."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline

from quire._shared.labels import codes_among
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.linear_model import LogisticRegression, Ridge
from quire.model_selection import Comparison, Trial
from quire.naive_bayes import MultinomialNB

__all__ = ["classified", "corpus", "predicted_numbers", "reviews"]

_WORDS = {
    "sport": "goal team match player coach season league win score cup",
    "politics": "vote law senate minister party election bill treaty budget debate",
    "science": "cell energy theory atom data planet gene experiment model proof",
    "food": "bread soup salt oven recipe butter pepper cook taste dish",
}
_COMMON = "the of and to in that it was for on with as this but from they have more said".split()


def corpus(
    n_documents: int, n_classes: int = 3, *, seed: int = 0
) -> tuple[list[str], NDArray[Any]]:
    """Draw documents of common words and of some of their class, and a few of the others."""
    rng = np.random.default_rng(seed)
    labels = list(_WORDS)[:n_classes]
    labels += [f"topic {k}" for k in range(len(labels), n_classes)]
    words = {label: _WORDS.get(label, f"w{label[6:]}a w{label[6:]}b").split() for label in labels}
    y = np.array(labels)[rng.integers(0, n_classes, n_documents)]
    everything = [word for of_class in words.values() for word in of_class]
    texts = []
    for label in y:
        parts = [
            *rng.choice(words[label], rng.integers(1, 5)),
            *rng.choice(everything, rng.integers(0, 4)),
            *rng.choice(_COMMON, rng.integers(3, 40)),
        ]
        texts.append(" ".join(str(part) for part in rng.permutation(parts)))
    return texts, y


def reviews(n_documents: int, *, seed: int = 0) -> tuple[list[str], NDArray[np.float64]]:
    """Draw documents and numbers that depend on their words."""
    texts, labels = corpus(n_documents, 2, seed=seed)
    rng = np.random.default_rng(seed + 1)
    gain = {"goal": 1.0, "win": 2.0, "law": -1.0, "budget": -2.0}
    sums = [sum(gain.get(word, 0.0) for word in text.split()) for text in texts]
    return texts, np.array(sums) + 0.5 * (labels == "sport") + 0.3 * rng.normal(size=n_documents)


def classified(texts: Any, y: Any, *, task: str | None = None, n_folds: int = 4) -> Comparison:
    """Compare three classifiers, one of them without probabilities, and one that failed."""
    classes = np.unique(y)
    folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(np.zeros(len(y)), y))
    models = {
        "logistic": ("Logistic regression", make_pipeline(TfidfVectorizer(), LogisticRegression())),
        "multinomial_nb": ("Naive Bayes", make_pipeline(CountVectorizer(), MultinomialNB())),
        "ridge": ("Ridge classifier", make_pipeline(TfidfVectorizer(), RidgeClassifier())),
    }
    trials = [_classify(name, *models[name], texts, y, classes, folds) for name in models]
    trials.sort(key=lambda trial: -trial.scores["accuracy"].mean())
    trials.append(_failed(trials[0], len(folds)))
    kind = task or ("binary" if len(classes) == 2 else "multiclass")
    settings = {"command": "quire compare news.csv", "cv": n_folds, "random_state": 0}
    notes = (f"The task is {kind}: y has {len(classes)} classes.",)
    return Comparison(
        kind,
        "accuracy",
        ("accuracy", "f1_macro"),
        classes,
        np.asarray(y),
        folds,
        tuple(trials),
        settings,
        12.5,
        notes=notes,
    )


def predicted_numbers(texts: Any, y: Any, *, n_folds: int = 4) -> Comparison:
    """Compare two penalties of ridge regression."""
    folds = list(KFold(n_folds, shuffle=True, random_state=0).split(y))
    trials = []
    for name, alpha in (("ridge", 1.0), ("ridge_strong", 100.0)):
        model = make_pipeline(TfidfVectorizer(), Ridge(alpha=alpha))
        predictions, times = _predictions(model, texts, y, folds, np.zeros(len(y)))
        scores = {
            "r2": [r2_score(y[test], predictions[test]) for _, test in folds],
            "neg_mean_absolute_error": [
                -mean_absolute_error(y[test], predictions[test]) for _, test in folds
            ],
        }
        trials.append(_trial(name, f"Ridge, alpha {alpha:g}", model, scores, times, predictions))
    metrics = ("r2", "neg_mean_absolute_error")
    return Comparison("continuous", "r2", metrics, None, y, folds, tuple(trials), {"cv": 4}, 3.0)


def _classify(
    name: str, title: str, model: Any, texts: Any, y: Any, classes: Any, folds: Any
) -> Trial:
    gives = hasattr(model[-1], "predict_proba")
    probabilities = np.full((len(y), len(classes)), np.nan) if gives else None
    predictions, times = _predictions(
        model, texts, y, folds, np.empty(len(y), dtype=classes.dtype), probabilities
    )
    scores = {
        "accuracy": [accuracy_score(y[test], predictions[test]) for _, test in folds],
        "f1_macro": [f1_score(y[test], predictions[test], average="macro") for _, test in folds],
    }
    codes = codes_among(predictions, classes)
    return _trial(name, title, model, scores, times, codes, probabilities, classes)


def _predictions(
    model: Any, texts: Any, y: Any, folds: Any, predictions: Any, probabilities: Any = None
) -> tuple[Any, list[float]]:
    times = []
    for train, test in folds:
        start = time.perf_counter()
        fitted = clone(model).fit([texts[i] for i in train], y[train])
        times.append(time.perf_counter() - start)
        held_out = [texts[i] for i in test]
        predictions[test] = fitted.predict(held_out)
        if probabilities is not None:
            probabilities[test] = fitted.predict_proba(held_out)
    return predictions, times


def _trial(
    name: str,
    title: str,
    model: Any,
    scores: Any,
    times: list[float],
    predicted: Any,
    probabilities: Any = None,
    classes: Any = None,
) -> Trial:
    seconds = np.array(times)
    chosen = tuple({"alpha": 0.1 * k} for k in range(len(times)))
    return Trial(
        name,
        title,
        model,
        {metric: np.array(values) for metric, values in scores.items()},
        seconds,
        2 * seconds,
        0.3 * seconds,
        41.5,
        predicted,
        probabilities,
        chosen,
        classes=classes,
    )


def _failed(like: Trial, n_folds: int) -> Trial:
    nothing = np.full(n_folds, np.nan)
    scores = dict.fromkeys(like.scores, nothing)
    return Trial(
        "broken",
        "Broken model",
        like.estimator,
        scores,
        nothing,
        nothing,
        nothing,
        None,
        np.full(len(like.predicted), -1, dtype=np.int32),
        None,
        (),
        "ValueError: no terms remain; lower min_df",
        like.classes,
    )
