"""Which classes, or which predicted number, an explanation is about."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.evidence import class_number

__all__ = ["output_number", "two_classes"]


def two_classes(
    classes: NDArray[Any], scores: NDArray[Any], target: Any, against: Any
) -> tuple[int, int]:
    """Return the numbers of two classes: those that are given, else the likeliest that are left.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes.
    scores : ndarray of shape (n_classes,)
        What they are ranked by; of equal ones the first.
    target, against : object or None
        Two of them, or ``None``.

    Examples
    --------
    >>> import numpy as np
    >>> two_classes(np.array(["a", "b", "c"]), np.array([0.2, 0.5, 0.3]), None, "b")
    (2, 1)
    """
    first, second = (
        None if label is None else class_number(classes, label) for label in (target, against)
    )
    ranked = [int(k) for k in np.argsort(-scores, kind="stable")]
    if first is None:
        first = next(k for k in ranked if k != second)
    if second is None:
        second = next((k for k in ranked if k != first), first)
    return first, second


def output_number(n_outputs: int, target: Any, against: Any) -> int:
    """Return which number is explained, for a model that predicts one or several.

    Parameters
    ----------
    n_outputs : int
        How many it predicts.
    target : int or None
        One of them; the first if ``None``.
    against : None
        Numbers are not compared with anything.
    """
    output = 0 if target is None else target
    is_one = isinstance(output, int | np.integer) and 0 <= output < n_outputs
    if against is not None or not is_one:
        raise ValueError(
            f"target={target!r} and against={against!r} do not apply: this model predicts "
            f"{n_outputs} number(s). Expected no `against`, and None or 0 to {n_outputs - 1} as "
            "the target."
        )
    return int(output)
