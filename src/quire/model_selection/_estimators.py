"""Estimators made repeatable, and taken apart at the step whose parameter varies."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from quire import kinds
from quire._shared.texts import is_texts

__all__ = ["check_takes", "last_step", "seeded", "seeds_from"]


def check_takes(estimator: Any, X: Any) -> None:
    """Raise an error that does not print the corpus, if a model of numbers is given texts.

    Parameters
    ----------
    estimator : estimator
        A model or a pipeline.
    X : Any
        Documents, or rows of numbers.
    """
    name = type(kinds.last_step(estimator)).__name__
    kind = kinds.kind_of_class(type(kinds.first_step(estimator)))
    if kind.members is not None:  # what members take is known when they are fitted
        return
    if is_texts(X) and kind.reads == "matrix":
        raise TypeError(
            f"{name} takes rows of numbers, and X holds texts. Give a pipeline with a vectorizer: "
            f"make_pipeline(CountVectorizer(), {name}())."
        )


def seeds_from(random_state: np.random.RandomState, n: int) -> list[int]:
    """Return seeds, one for each piece of work, so that their order does not matter."""
    return [int(seed) for seed in random_state.randint(0, 2**31 - 1, size=n)]


def seeded(estimator: Any, seed: int) -> Any:
    """Return a clone in which every ``random_state`` that is ``None`` has a seed.

    Parameters
    ----------
    estimator : estimator
        A model or pipeline.
    seed : int
        Where the seeds come from.
    """
    copy = clone(estimator)
    open_ = sorted(
        name
        for name, value in copy.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )
    seeds = seeds_from(np.random.RandomState(seed), len(open_))
    return copy.set_params(**dict(zip(open_, seeds, strict=True))) if open_ else copy


def last_step(estimator: Any, param_name: str) -> tuple[Any, Any, str]:
    """Return clones of the steps before the model that has a parameter, of the model, and its name.

    The first is ``None`` where there is nothing before it, or where the parameter belongs to an
    earlier step, so that the estimator must be fitted as a whole.

    Parameters
    ----------
    estimator : estimator
        A model or a pipeline.
    param_name : str
        Name of the parameter in it.
    """
    if isinstance(estimator, Pipeline) and len(estimator.steps) > 1:
        name, step = estimator.steps[-1]
        if param_name.startswith(f"{name}__"):
            return clone(estimator[:-1]), clone(step), param_name.removeprefix(f"{name}__")
    return None, clone(estimator), param_name
