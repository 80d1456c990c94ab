"""What pipelines are made of: the model at the end, the steps before it, the names of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

__all__ = ["column_names", "first_step", "last_step", "parted"]


def last_step(model: Any) -> Any:
    """Return the model itself: the end of a pipeline, also within a search that has been fitted.

    Parameters
    ----------
    model : estimator
        A model, a pipeline that ends with one, or a search over either.

    Returns
    -------
    estimator
        The last step of all.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> last_step(make_pipeline(CountVectorizer(), MultinomialNB()))
    MultinomialNB()
    """
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, Pipeline) and model.steps:
            model = model.steps[-1][1]
        else:
            return model


def first_step(model: Any) -> Any:
    """Return what reads the data first: the first step of a pipeline, or the model itself.

    Parameters
    ----------
    model : estimator
        A model or a pipeline.
    """
    while isinstance(model, Pipeline) and model.steps:
        model = model.steps[0][1]
    return model


def parted(model: Any) -> tuple[Any, Any]:
    """Return the steps before the last one as a pipeline, ``None`` if there are none, and the last.

    Parameters
    ----------
    model : estimator
        A model or a pipeline.

    Returns
    -------
    before : Pipeline or None
        Shares its steps with `model`.
    last : estimator
        The last step of the outer pipeline.
    """
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        return model[:-1], model.steps[-1][1]
    if isinstance(model, Pipeline) and model.steps:
        return None, model.steps[-1][1]
    return None, model


def column_names(steps: Any) -> list[str] | None:
    """Return the names of the columns that fitted steps make; ``None`` where they have none.

    Parameters
    ----------
    steps : transformer or None
        A vectorizer, another transformer or a pipeline of them.
    """
    if steps is None or not hasattr(steps, "get_feature_names_out"):
        return None
    try:
        return [str(name) for name in np.asarray(steps.get_feature_names_out(), dtype=object)]
    except (AttributeError, ValueError):  # hashed words have no names, nor do some functions
        return None
