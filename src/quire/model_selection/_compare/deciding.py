"""What comes after the scores of a model: calibrated probabilities, and a threshold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from quire.calibration import CalibratedClassifier
from quire.model_selection._compare.models import Candidate
from quire.model_selection._compare.task import Target
from quire.model_selection._scores.catalogue import metric_of
from quire.model_selection._threshold import ThresholdClassifier

__all__ = ["with_decisions"]

_AS_IT_IS = "majority"  # the baseline
_METHODS = ("sigmoid", "isotonic", "temperature")


def with_decisions(
    candidates: list[Candidate], calibrate: str | None, threshold: Any, target: Target
) -> list[Candidate]:
    """Return candidates whose models are calibrated, or decide by a threshold, once settings are.

    Parameters
    ----------
    candidates : list of Candidate
        The models.
    calibrate : {"sigmoid", "isotonic", "temperature"} or None
        The map from scores to probabilities.
    threshold : str, float or None
        The score that a threshold is chosen for, or the threshold.
    target : Target
        Labels, read, and what mistakes cost.
    """
    if calibrate is None and threshold is None:
        return candidates
    if calibrate is not None:
        if calibrate not in _METHODS:
            raise ValueError(
                f"calibrate is {calibrate!r}; expected {', '.join(map(repr, _METHODS))}."
            )
        if target.task not in ("binary", "multiclass"):
            raise ValueError(
                f"calibrate={calibrate!r} does not fit the task {target.task!r}: it is for classes "
                "without an order."
            )
    threshold = _number_of(threshold)
    if isinstance(threshold, float):
        if target.is_of_sets or target.task != "binary":
            raise ValueError(
                f"threshold={threshold:g} is for two classes, and the task is {target.task!r}."
            )
    elif threshold is not None:
        if target.is_of_sets:
            raise ValueError(
                f"threshold={threshold!r} is for two classes. Of several labels every model "
                "chooses a threshold for each, for the metric if that is 'f1_micro' or 'f1_macro'; "
                "leave threshold= out."
            )
        metric = metric_of(threshold, "binary")
        if target.task != "binary":
            raise ValueError(
                f"threshold={threshold!r} is for two classes, and the task is {target.task!r}."
            )
        if metric.needs or not metric.trials:
            raise ValueError(
                f"threshold={threshold!r} is no score of a threshold; choose one of labels, such "
                "as 'f1' or 'balanced_accuracy'."
            )
        if metric.name == "neg_mean_cost" and target.costs is None:
            raise ValueError(f"threshold={threshold!r} needs costs: say them with costs=.")
    around = _around(calibrate, threshold, target)
    return [one if one.name == _AS_IT_IS else replace(one, around=around) for one in candidates]


def _number_of(threshold: Any) -> Any:
    """Return a threshold that is a number, or the text of one, as a number."""
    try:
        return threshold if threshold is None else float(threshold)
    except ValueError:
        return threshold


def _around(calibrate: str | None, threshold: Any, target: Target) -> Callable[[Any], Any]:
    def around(model: Any) -> Any:
        if calibrate is not None:
            model = CalibratedClassifier(model, method=calibrate)
        if isinstance(threshold, float):
            model = ThresholdClassifier(model, threshold=threshold)
        elif threshold is not None:
            model = ThresholdClassifier(model, scoring=threshold, costs=target.costs)
        return model

    return around
