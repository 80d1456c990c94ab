"""What the attributes of an object in a model file must be, before the object is made.

A class that a file may name has a :class:`Schema`. Parameters of a constructor are looked at as the
class itself looks at them; what a fit has added is looked at by a table, and by rules for what one
attribute says of another. Nothing is checked by running a model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from quire._shared.class_names import public_name
from quire.kinds._constraints import Stated
from quire.kinds._language import Mismatch, Scope, Spec, class_of, everything_in, match
from quire.kinds._registry import kind_of_class

__all__ = ["Rule", "Schema", "check_state"]

Rule: TypeAlias = "Callable[[Mapping[str, Any], Mapping[str, int]], None]"
"""From all attributes and the sizes in the table to nothing, or a :class:`Mismatch`."""

# What scikit-learn keeps beside the parameters of any estimator.
_OF_ALL: dict[str, Spec] = {
    "_metadata_request": "requests",
    "_sklearn_output_config": "dict of str to (str | none)",
}
# Parameters of any estimator. More workers than this are no setting but an attack.
_PARAMETERS: dict[str, Spec] = {
    "n_jobs": "none | int >= -1024 <= 1024",
    "dtype": "dtype | str | none",
    "ngram_range": "sequence[2] of int >= 0",  # what begins far below is counted up from there
}
_NAMES = ("feature_names_in_", "n_features_in_")  # left behind by a fit that failed, too


@dataclass(frozen=True)
class Schema:
    """What the attributes of the objects of one class must be.

    Attributes
    ----------
    fitted : mapping
        Attributes that are no parameters, and what they are. With "?" behind the name it may be
        missing; the others are all there, or none is.
    rules : tuple of callables
        What holds between attributes.
    parameters : mapping
        Parameters of the constructor that the class itself does not look at closely enough.
    """

    fitted: Mapping[str, Spec] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    parameters: Mapping[str, Spec] = field(default_factory=dict)


@cache
def parameters_of(cls: type) -> tuple[str, ...]:
    """Return the names of the parameters of an estimator; none for other classes."""
    names = getattr(cls, "_get_param_names", None)
    return () if names is None else tuple(names())


def check_state(cls: type, schema: Schema, state: Mapping[str, Any]) -> None:
    """Refuse attributes that an object of this class cannot have.

    Parameters
    ----------
    cls : type
        The class.
    schema : Schema
        What is known of its attributes.
    state : mapping
        The attributes.

    Raises
    ------
    ValueError
        With the attribute and what is wrong with it.
    """
    saving = kind_of_class(cls).saving
    left = {key: value for key, value in state.items() if key not in saving.left_out}
    scope = Scope()
    for name, spec in _OF_ALL.items():
        if name in left:
            _match(cls, name, spec, left.pop(name), scope)
    _check_parameters(cls, schema, left)
    _check_fitted(cls, schema, state, left, scope)
    if left:
        raise ValueError(f"{public_name(cls)} has no attribute {min(map(str, left))}")


def _match(cls: type, name: str, spec: Spec, value: Any, scope: Scope) -> None:
    n_later = len(scope.later)
    try:
        match(spec, value, scope)
    except Mismatch as error:
        raise _named(cls, name, error) from error
    scope.later[n_later:] = [_named_later(cls, name, one) for one in scope.later[n_later:]]


def _named(cls: type, name: str, error: Mismatch) -> ValueError:
    text = str(error)
    return ValueError(f"{public_name(cls)}.{name}{'' if text.startswith('[') else ' '}{text}")


def _named_later(cls: type, name: str, check: Callable[[], None]) -> Callable[[], None]:
    def named() -> None:
        try:
            check()
        except Mismatch as error:
            raise _named(cls, name, error) from error

    return named


def _check_fitted(
    cls: type, schema: Schema, state: Mapping[str, Any], left: dict[str, Any], scope: Scope
) -> None:
    wanted = [name for name in schema.fitted if not name.endswith("?")]
    is_fitted = any(name in left for name in wanted if name not in _NAMES)
    needed = is_fitted or not parameters_of(cls)
    for key, spec in schema.fitted.items():
        name = key.rstrip("?")
        if name in left:
            _match(cls, name, spec, left.pop(name), scope)
        elif needed and not key.endswith("?"):
            raise ValueError(f"{public_name(cls)} has no {name}")
    if not needed:
        return
    for check in scope.later:
        check()
    for rule in schema.rules:
        try:
            rule(state, scope.sizes)
        except ValueError as error:  # a mismatch, or of a kernel that looks at arrays
            raise ValueError(f"{public_name(cls)}: {error}") from error


# Parameters -------------------------------------------------------------------------------------


def _check_parameters(cls: type, schema: Schema, left: dict[str, Any]) -> None:
    constraints = getattr(cls, "_parameter_constraints", {})
    for name in parameters_of(cls):
        if name not in left:
            continue
        value = left.pop(name)
        known = schema.parameters.get(name, _PARAMETERS.get(name))
        if known is not None:
            _match(cls, name, known, value, Scope())
        if has_masked(value):
            raise ValueError(f"{public_name(cls)}.{name} has an array with a mask")
        stated = constraints.get(name, "no_validation")
        if isinstance(stated, str):  # scikit-learn's "no_validation"
            continue
        if not any(_satisfies(one, value) for one in _made(cls, name)):
            raise ValueError(f"{public_name(cls)}.{name} cannot be {_shown(value)}")


def _shown(value: Any) -> str:
    plain = isinstance(value, str | int | float | bool | None)
    return f"{value!r:.60}" if plain else f"a {public_name(class_of(value))}"


@cache
def _made(cls: type, name: str) -> tuple[Any, ...]:
    constraints = cls._parameter_constraints[name]  # type: ignore[attr-defined]
    if all(isinstance(one, Stated) for one in constraints):  # of a class that stands in for another
        return tuple(constraints)
    from quire._shared.sklearn import make_constraint

    return tuple(map(make_constraint, constraints))


def _satisfies(constraint: Any, value: Any) -> bool:
    """Say whether a value meets a constraint of scikit-learn, also one that is not made yet."""
    from quire.kinds._blueprint import Blueprint

    if isinstance(constraint, Stated) or not isinstance(value, Blueprint):
        return bool(constraint.is_satisfied_by(value))
    from quire._shared.sklearn import HasMethods, InstancesOf

    if isinstance(constraint, InstancesOf):
        return issubclass(value.cls, constraint.type)
    if isinstance(constraint, HasMethods):
        return all(_has_method(value.cls, name) for name in constraint.methods)
    inner: Iterable[Any] = getattr(constraint, "_constraints", ())
    if any(_satisfies(one, value) for one in inner):
        return True
    return type(constraint).__name__ == "_Callables" and callable(
        value.cls.__dict__.get("__call__")
    )


def _has_method(cls: type, name: str) -> bool:
    return inspect.getattr_static(cls, name, None) is not None


def has_masked(value: Any) -> bool:
    """Say whether there is an array with a mask in a value."""
    return any(
        isinstance(one, np.ndarray) and type(one) is not np.ndarray for one in everything_in(value)
    )
