"""What is inside a fitted model: the steps before the decision, and the estimator that decides.

Searches are replaced by their best estimator and pipelines by their steps. A calibrated classifier
with one classifier inside is explained by that classifier, whose score it maps to a probability;
one that averages several has no parts that add up. So is one with a threshold of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import Pipeline

__all__ = ["Inside", "look_inside"]


@dataclass(frozen=True)
class Inside:
    """A model taken apart.

    Attributes
    ----------
    before : list of transformers
        From documents to what `answering` takes.
    answering : estimator
        Has the model's ``predict`` and ``predict_proba``.
    within : list of transformers
        From what `answering` takes to what `deciding` takes; empty unless it is a wrapper.
    deciding : estimator
        Its score is the sum that is explained.
    notes : list of str
        What a reader has to know about the difference of the two.
    """

    before: list[Any]
    answering: Any
    within: list[Any]
    deciding: Any
    notes: list[str] = field(default_factory=list)

    @property
    def transformers(self) -> list[Any]:
        """All steps from documents to what `deciding` takes."""
        return self.before + self.within


def look_inside(model: Any, *, takes_matrix: bool = False) -> Inside:
    """Take a fitted model apart.

    Parameters
    ----------
    model : estimator
        A pipeline, a search, a calibrated classifier, or an estimator by itself.
    takes_matrix : bool, default=False
        Whether steps before it make its matrix. A model of ``fit_text`` has a vectorizer of its
        own, which is not needed then.

    Returns
    -------
    Inside
        Its steps.

    Raises
    ------
    ValueError
        For a search that kept no model.
    TypeError
        For a calibrated classifier that averages several.
    """
    if isinstance(model, FrozenEstimator):
        return look_inside(model.estimator, takes_matrix=takes_matrix)
    if hasattr(model, "best_estimator_"):
        return look_inside(model.best_estimator_, takes_matrix=takes_matrix)
    if hasattr(model, "cv_results_") and getattr(model, "refit", True) is False:
        raise ValueError(
            f"This {type(model).__name__} kept no model (refit=False). Search with refit=True, or "
            "fit the best parameters and explain that model."
        )
    if isinstance(model, CalibratedClassifierCV):
        return _inside_calibrated(model)
    if isinstance(model, FixedThresholdClassifier | TunedThresholdClassifierCV):
        inner = look_inside(model.estimator_)
        note = "The parts add up to a score; the model predicts by a threshold of its own."
        return Inside([], model, inner.transformers, inner.deciding, [*inner.notes, note])
    if isinstance(model, Pipeline):
        steps = _steps(model.steps[:-1])
        last = look_inside(model.steps[-1][1], takes_matrix=takes_matrix or bool(steps))
        return Inside(
            steps + last.before,
            last.answering,
            last.within,
            last.deciding,
            last.notes,
        )
    if hasattr(model, "vectorizer_") and not takes_matrix:  # a model of fit_text
        return Inside([model.vectorizer_], model, [], model)
    return Inside([], model, [], model)


def _steps(steps: list[Any]) -> list[Any]:
    return [step for _, step in steps if step is not None and step != "passthrough"]


def _inside_calibrated(model: Any) -> Inside:
    if len(model.calibrated_classifiers_) != 1:
        raise TypeError(
            f"This CalibratedClassifierCV averages the probabilities of "
            f"{len(model.calibrated_classifiers_)} classifiers, so that no parts of words add up "
            "to its decision. Fit it with ensemble=False to explain its one classifier."
        )
    inner = look_inside(model.calibrated_classifiers_[0].estimator)
    note = "The parts add up to the score before calibration; probabilities are calibrated."
    return Inside([], model, inner.transformers, inner.deciding, [*inner.notes, note])
