"""Weights of classes, told or chosen inside the folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quire.model_selection._compare.models import Candidate
from quire.model_selection._compare.task import Target

__all__ = ["with_class_weight"]

_CHOICES = (None, "balanced")


def with_class_weight(
    candidates: list[Candidate], class_weight: Any, target: Target
) -> tuple[list[Candidate], list[str]]:
    """Return candidates whose models weigh classes, and a note on those that cannot.

    Parameters
    ----------
    candidates : list of Candidate
        The models. One that has weights of its own keeps them.
    class_weight : {"balanced", "choose"}, mapping or None
        As for :func:`compare`.
    target : Target
        Labels, read.
    """
    if class_weight is None:
        return candidates, []
    if target.classes is None:
        raise ValueError("class_weight is for classes, and numbers are predicted; leave it out.")
    if target.is_of_sets:
        return _of_labels(candidates, class_weight)
    if isinstance(class_weight, Mapping):
        class_weight = _by_class(class_weight, target)
    elif class_weight not in ("balanced", "choose"):
        raise ValueError(
            f"class_weight is {class_weight!r}; expected 'balanced', 'choose' or a mapping from "
            "classes to weights."
        )
    able = [_has_weights(candidate) for candidate in candidates]
    without = [one.name for one, can in zip(candidates, able, strict=True) if not can]
    notes = [f"without weights of classes, which they do not take: {', '.join(without)}"]
    weighted = [
        _weighted(one, class_weight) if can else one
        for one, can in zip(candidates, able, strict=True)
    ]
    return weighted, notes if without else []


def _of_labels(candidates: list[Candidate], class_weight: Any) -> tuple[list[Candidate], list[str]]:
    """Weigh having a label against not having it, in the model of each label."""
    if class_weight not in ("balanced", "choose"):
        raise ValueError(
            f"class_weight is {class_weight!r}, and documents have several labels: expected "
            "'balanced' or 'choose', in the model of each label."
        )
    name = "estimator__class_weight"
    able = [name in candidate.make().get_params() for candidate in candidates]
    without = [one.name for one, can in zip(candidates, able, strict=True) if not can]
    notes = [f"without weights of classes, which they do not take: {', '.join(without)}"]
    weighted = [
        one
        if not can
        else replace(one, grid={name: _CHOICES, **one.grid})
        if class_weight == "choose"
        else replace(one, grid={name: ("balanced",), **one.grid})
        for one, can in zip(candidates, able, strict=True)
    ]
    return weighted, notes if without else []


def _has_weights(candidate: Candidate) -> bool:
    parameters = candidate.make().get_params(deep=False)
    return "class_weight" in parameters and parameters["class_weight"] is None


def _weighted(candidate: Candidate, class_weight: Any) -> Candidate:
    if class_weight == "choose":
        return replace(candidate, grid={"class_weight": _CHOICES, **candidate.grid})
    reads_codes = candidate.reads_codes and not isinstance(class_weight, Mapping)
    make = _maker(candidate.make, class_weight)
    return replace(candidate, make=make, reads_codes=reads_codes)


def _maker(make: Callable[[], Any], class_weight: Any) -> Callable[[], Any]:
    return lambda: make().set_params(class_weight=class_weight)


def _by_class(weights: Mapping[Any, Any], target: Target) -> dict[Any, float]:
    """Return weights by class, found by its text where it is not there itself; 1 is the usual."""
    assert target.classes is not None
    known = target.classes.tolist()
    by_text = {str(label): label for label in known}
    found = {label: 1.0 for label in known}
    for label, weight in weights.items():
        own = label if label in found else by_text.get(str(label))
        if own not in found:
            shown = ", ".join(map(repr, known[:10])) + (" ..." if len(known) > 10 else "")
            raise ValueError(f"class_weight names {label!r}, which is no class; there are: {shown}")
        try:
            found[own] = float(weight)
        except (TypeError, ValueError):
            found[own] = float("nan")
        if not 0 <= found[own] < float("inf"):
            raise ValueError(f"class_weight has {weight!r} for {label!r}; expected 0 or more.")
    return found
