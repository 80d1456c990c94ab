"""Calibrated probabilities: quire against scikit-learn, one model and its map.

Both fit logistic regression to each of five folds and to everything, and a map to the scores of
held-out documents; probabilities of held-out documents may not be worse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.metrics import log_loss

from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import register
from benchmarks.tfidf import imdb_halves
from quire.calibration import CalibratedClassifier
from quire.linear_model import LogisticRegression

METHODS = {"sigmoid": "a sigmoid", "isotonic": "an isotonic map"}


def ours(method: str) -> Side:
    """Fit ours, and say what it makes of the other reviews."""

    def run(data: Any, n_jobs: int) -> Any:
        X, y, others, truth = data
        model = CalibratedClassifier(LogisticRegression(n_jobs=n_jobs), method=method).fit(X, y)
        return model.predict_proba(others), truth

    return Side(run)


def theirs(method: str) -> Side:
    """Do the same with scikit-learn's."""

    def run(data: Any, n_jobs: int) -> Any:
        X, y, others, truth = data
        model = CalibratedClassifierCV(
            SklearnLogistic(max_iter=1000), method=method, ensemble=False, n_jobs=n_jobs
        )
        return model.fit(X, y).predict_proba(others), truth

    return Side(run)


def no_worse(results: Mapping[str, Any]) -> Quality:
    """Our log loss is not above theirs by more than a thousandth of it."""
    losses = {name: float(log_loss(truth, P)) for name, (P, truth) in results.items()}
    first, *others = losses.values()
    said = ", ".join(f"{name} {value:.5f}" for name, value in losses.items())
    return Quality(first <= min(others) * 1.001, f"log loss: {said}", losses)


for _method, _title in METHODS.items():
    register(
        Comparison(
            name=f"calibration.{_method}",
            title=f"Logistic regression calibrated by {_title}",
            data=imdb_halves,
            sides={"quire": ours(_method), "scikit-learn": theirs(_method)},
            check=no_worse,
            mark=2.0,
        )
    )
