"""What mistakes cost: a matrix from what people write down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Floats

if TYPE_CHECKING:
    from quire.model_selection._compare.task import Target

__all__ = ["cost_matrix", "with_costs"]


def cost_matrix(costs: Any, classes: NDArray[Any]) -> Floats:
    """Return what it costs to predict each class (columns) where each is true (rows).

    Parameters
    ----------
    costs : mapping or array-like of shape (n_classes, n_classes)
        A mapping from pairs of a true and a predicted class to a number, or from true classes to
        mappings from predicted ones; what it does not name costs 1 if it is wrong and 0 if it is
        right. A matrix has the order of the classes; a table of polars or pandas with a column for
        each predicted class is the same. Numbers below 0 are gains.
    classes : ndarray of shape (n_classes,)
        The classes, in order.

    Examples
    --------
    >>> import numpy as np
    >>> cost_matrix({("spam", "ham"): 5}, np.array(["ham", "spam"]))
    array([[0., 1.],
           [5., 0.]])
    """
    n, known = len(classes), classes.tolist()
    if isinstance(costs, Mapping):
        matrix = np.ones((n, n)) - np.eye(n)
        for (true, predicted), cost in _pairs(costs):
            matrix[_place(true, known), _place(predicted, known)] = _number(cost, true, predicted)
        return matrix
    if hasattr(costs, "columns"):
        columns = [_place(name, known) for name in costs.columns]
        if sorted(columns) != list(range(n)):
            raise ValueError(
                f"costs has columns for {len(columns)} of {n} classes; it needs one for each of "
                f"{_listed(known)}."
            )
        values = costs.to_numpy()
        matrix = np.empty((len(values), n), dtype=values.dtype)
        matrix[:, columns] = values
        costs = matrix
    try:
        matrix = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"costs is {costs!r}; expected a mapping such as {{({known[-1]!r}, {known[0]!r}): 5}}, "
            "from a true and a predicted class to a number, or a matrix of numbers."
        ) from error
    if matrix.shape != (n, n):
        raise ValueError(
            f"costs has the shape {matrix.shape}; {n} classes need ({n}, {n}): rows are true "
            "classes, columns predicted ones."
        )
    if not np.isfinite(matrix).all():
        raise ValueError("costs has a number that is missing or infinite; every cost is needed.")
    return matrix


def _pairs(costs: Mapping[Any, Any]) -> list[tuple[tuple[Any, Any], Any]]:
    pairs: list[tuple[tuple[Any, Any], Any]] = []
    for key, value in costs.items():
        if isinstance(value, Mapping):
            pairs += [((key, predicted), cost) for predicted, cost in value.items()]
        elif isinstance(key, tuple) and len(key) == 2:
            pairs.append((key, value))
        else:
            raise ValueError(
                f"costs has {key!r}: {value!r}; expected pairs of a true and a predicted class, "
                "or a mapping for each true class."
            )
    return pairs


def _place(label: Any, known: list[Any]) -> int:
    if label in known:
        return known.index(label)
    texts = [str(one) for one in known]  # 1 in a file may be "1" among the labels
    if str(label) in texts:
        return texts.index(str(label))
    raise ValueError(f"costs names {label!r}, which is no class; there are: {_listed(known)}.")


def _listed(known: list[Any]) -> str:
    more = f" and {len(known) - 10:,} more" if len(known) > 10 else ""
    return ", ".join(repr(one) for one in known[:10]) + more


def _number(cost: Any, true: Any, predicted: Any) -> float:
    try:
        number = float(cost)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise ValueError(f"costs has {cost!r} for {(true, predicted)}; expected a number.")
    return number


def with_costs(target: Target, costs: Any) -> Target:
    """Return what is to be predicted, with what mistakes cost.

    Parameters
    ----------
    target : Target
        Labels, read.
    costs : mapping, array-like or None
        As for :func:`cost_matrix`; nothing is changed if ``None``.
    """
    if costs is None:
        return target
    if target.classes is None:
        raise ValueError("costs are for classes, and numbers are predicted; leave them out.")
    if target.is_of_sets:
        raise ValueError(
            "costs are for documents with one class each, and these have several labels; leave "
            "them out, or compare with task='multiclass'."
        )
    return replace(target, costs=cost_matrix(costs, target.classes))
