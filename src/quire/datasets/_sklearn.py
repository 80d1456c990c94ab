"""The small tables that scikit-learn carries, by name."""

from __future__ import annotations

from typing import Any

__all__ = ["load_sklearn"]

_NAMES = ("breast_cancer", "diabetes", "digits", "iris", "linnerud", "wine")


def load_sklearn(name: str, **options: Any) -> Any:
    """Load one of the datasets that come with scikit-learn; nothing is downloaded.

    Parameters
    ----------
    name : {"breast_cancer", "diabetes", "digits", "iris", "linnerud", "wine"}
        Which one: ``load_sklearn("iris")`` is ``sklearn.datasets.load_iris()``.
    **options
        Handed on to scikit-learn's loader, for example ``return_X_y=True``.

    Returns
    -------
    sklearn.utils.Bunch
        What the loader returns.

    Examples
    --------
    >>> from quire.datasets import load_sklearn
    >>> X, y = load_sklearn("iris", return_X_y=True)
    >>> X.shape
    (150, 4)
    """
    if name not in _NAMES:
        raise ValueError(f"Unknown dataset {name!r}; expected one of: {', '.join(_NAMES)}.")
    from sklearn import datasets  # imported here: it takes a second

    return getattr(datasets, f"load_{name}")(**options)
