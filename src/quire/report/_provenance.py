"""When and with what a report was made, for those who want to repeat it."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

__all__ = ["changed_parameters", "installed_versions", "now"]

_PACKAGES = ("quire", "scikit-learn", "numpy", "scipy", "polars")


def now() -> str:
    """Return the time in words."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


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
        current = estimator.get_params(deep=False)
    except (AttributeError, TypeError):
        return {"class": own.__name__}
    left_out = ("progress", "vectorizer", "verbose", "n_jobs")
    changed = {
        name: value
        for name, value in current.items()
        if name not in left_out and repr(value) != repr(defaults[name])
    }
    return {"class": own.__name__, **changed}


def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers depend on."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {**found, "platform": platform.platform()}
