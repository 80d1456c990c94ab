"""Which parameters of an estimator were changed, for those who want to repeat what it did."""

from __future__ import annotations

from typing import Any

__all__ = ["changed_parameters"]


def changed_parameters(estimator: Any) -> dict[str, Any]:
    """Return the class of an estimator, and its parameters that are not defaults.

    Parameters
    ----------
    estimator : object
        With scikit-learn's ``get_params``.
    """
    own = type(estimator)
    try:
        defaults = own().get_params(deep=False)
        now = estimator.get_params(deep=False)
    except (AttributeError, TypeError):
        return {"class": own.__name__}
    left_out = ("progress", "vectorizer", "verbose", "n_jobs")
    changed = {
        name: value
        for name, value in now.items()
        if name not in left_out and repr(value) != repr(defaults[name])
    }
    return {"class": own.__name__, **changed}
