"""One registry of kinds of models, for everything that has to know what a fitted thing is.

Prediction, inspection, model files, reports and the command line ask here what a model predicts,
which columns that makes, what it takes, what explains it and how it is saved. What is known is
stated by class in one table, and joined by :func:`register`; nothing is guessed from attributes.
Nothing is imported to know about it, either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quire.kinds._blueprint import Blueprint, check_blueprint
from quire.kinds._inside import (
    Inside,
    Takes,
    classes_of,
    first_step,
    kind_of,
    last_step,
    look_inside,
    members_of,
    n_columns_of,
    steps_of,
    takes_of,
)
from quire.kinds._kind import Kind, OutputColumn, Outputs, Predicts, Saving
from quire.kinds._refused import why_refused
from quire.kinds._registry import kind_of_class, register

if TYPE_CHECKING:
    from quire.kinds._cards import AxisCard, ClusterCard, ModelCard, Spread, TopicCard, TreesCard
    from quire.kinds._outputs import output_columns, outputs_of
    from quire.kinds._rows import rows_for
    from quire.kinds._schemas import schema_of, schemas
    from quire.kinds._stand_ins import stand_in, stand_ins

__all__ = [
    "AxisCard",
    "Blueprint",
    "ClusterCard",
    "Inside",
    "Kind",
    "ModelCard",
    "OutputColumn",
    "Outputs",
    "Predicts",
    "Saving",
    "Spread",
    "Takes",
    "TopicCard",
    "TreesCard",
    "check_blueprint",
    "classes_of",
    "first_step",
    "kind_of",
    "kind_of_class",
    "last_step",
    "look_inside",
    "members_of",
    "n_columns_of",
    "output_columns",
    "outputs_of",
    "register",
    "rows_for",
    "schema_of",
    "schemas",
    "stand_in",
    "stand_ins",
    "steps_of",
    "takes_of",
    "why_refused",
]

_LATER = {  # with NumPy or polars
    **dict.fromkeys(
        ["AxisCard", "ClusterCard", "ModelCard", "Spread", "TopicCard", "TreesCard"], "_cards"
    ),
    **dict.fromkeys(["output_columns", "outputs_of"], "_outputs"),
    "rows_for": "_rows",
    **dict.fromkeys(["schema_of", "schemas"], "_schemas"),
    **dict.fromkeys(["stand_in", "stand_ins"], "_stand_ins"),
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
