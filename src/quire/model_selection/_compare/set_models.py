"""Models of several labels for a document: which there are, and how their settings are judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.label_sets import label_sets, sets_probabilities
from quire._shared.label_thresholds import corners_of, thresholds_of
from quire.model_selection._compare.features import FoldFeatures
from quire.model_selection._compare.task import Target
from quire.model_selection._scores.asking import label_ranking_of
from quire.model_selection._scores.catalogue import held_out_scores, needs_ranking

__all__ = ["around_each_label", "held_out_sets", "inner_set_scores", "set_maker", "with_aim"]

_AIMS = ("f1_micro", "f1_macro")


def set_maker(
    path: str,
    wrapper: str = "BinaryRelevance",
    parameters: dict[str, Any] | None = None,
    **own: Any,
) -> Callable[[], Any]:
    """Return what makes a model of several labels around one of two classes, not fitted.

    Parameters
    ----------
    path : str
        Of the class inside.
    wrapper : {"BinaryRelevance", "LabelPowerset"}
        What is put around it.
    parameters : dict, default=None
        Of the wrapper.
    **own
        Of the class inside.
    """
    return partial(_made, path, wrapper, parameters or {}, own)


def _made(path: str, wrapper: str, parameters: dict[str, Any], own: dict[str, Any]) -> Any:
    module, name = path.rsplit(".", 1)
    base = getattr(import_module(module), name)(**own)
    return getattr(import_module("quire.multilabel"), wrapper)(base, **parameters)


def around_each_label(model: Any) -> Any:
    """Return a model of several labels: the one that was given, or one of it for each label.

    Parameters
    ----------
    model : classifier
        Not fitted.
    """
    from sklearn.utils import get_tags

    tags = get_tags(model).classifier_tags
    if tags is None or tags.multi_label:
        return model
    from quire.multilabel import BinaryRelevance

    return BinaryRelevance(model)


def with_aim(candidates: list[Any], metric: str) -> list[Any]:
    """Return candidates whose thresholds are for the mean over labels, if that is what ranks.

    Parameters
    ----------
    candidates : list of Candidate
        The models. Those that were given as estimators stay as they are.
    metric : str
        The score that ranks.
    """
    if metric != "f1_macro":
        return candidates

    def aimed(make: Callable[[], Any]) -> Any:
        model = make()
        return model.set_params(threshold=metric) if hasattr(model, "label_scores") else model

    return [
        replace(one, make=partial(aimed, one.make)) if one.reads_codes else one
        for one in candidates
    ]


def held_out_sets(
    model: Any, X: Any, metrics: tuple[str, ...], *, kept: bool
) -> tuple[Any, Any, Any]:
    """Return predicted labels as a matrix; probabilities and rankings, if there are any.

    Parameters
    ----------
    model : classifier
        Fitted to several labels.
    X : matrix or documents
        What to predict.
    metrics : tuple of str
        What it will be judged by.
    kept : bool
        Whether probabilities are of use beyond that.
    """
    ranked = needs_ranking(metrics)
    ranking = label_ranking_of(model, X) if ranked else None
    predicted = label_sets(model.predict(X)).indicator
    probabilities = sets_probabilities(model, X) if kept else None
    return predicted, probabilities, ranking


def inner_set_scores(
    candidate: Any,
    choices: list[dict[str, Any]],
    parts: list[FoldFeatures],
    target: Target,
    metric: str,
) -> NDArray[np.float64]:
    """Return the sum of the scores of each choice over the divisions inside a fold.

    A model with thresholds is judged with those that are best for the very documents that judge it:
    all choices have this advantage, and none needs further fits.

    Parameters
    ----------
    candidate : Candidate
        The model.
    choices : list of dict
        Its settings.
    parts : list of FoldFeatures
        The divisions.
    target : Target
        All labels.
    metric : str
        The score.
    """
    scores = np.zeros(len(choices))
    for part in parts:
        X_train, X_test = part.of(candidate.kind)
        y = target.learned_by(candidate)[part.train]
        truth = target.codes[part.test]
        for number, settings in enumerate(choices):
            model = candidate.make().set_params(**settings)
            aim = model.get_params(deep=False).get("threshold")
            if aim is None or not hasattr(model, "label_scores"):
                model.fit(X_train, y)
                found = held_out_sets(model, X_test, (metric,), kept=False)
                scores[number] += held_out_scores((metric,), truth, *found)[metric]
                continue
            model.set_params(threshold=None).fit(X_train, y)
            scores[number] += _at_its_best(model, X_test, truth, metric, aim)
    return scores


def _at_its_best(model: Any, X: Any, truth: Any, metric: str, aim: str) -> float:
    S = model.label_scores(X)
    by_label = truth.tocsc()
    corners = []
    for k in range(S.shape[1]):
        has_it = np.zeros(len(S), dtype=bool)
        has_it[by_label.indices[by_label.indptr[k] : by_label.indptr[k + 1]]] = True
        corners.append(corners_of(S[:, k], has_it))
    best = metric if metric in _AIMS else aim
    thresholds, score = thresholds_of(corners, best, model.default_threshold_, 0.0)
    if metric in _AIMS:
        return score
    predicted = sparse.csr_array((thresholds < S).astype(np.int8))
    ranking = S - thresholds
    return held_out_scores((metric,), truth, predicted, None, ranking)[metric]
