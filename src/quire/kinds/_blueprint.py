"""What a model file says an object is, before there is one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Blueprint", "check_blueprint"]


@dataclass(eq=False)
class Blueprint:
    """An object of a model file that has not been made yet.

    Attributes
    ----------
    cls : type
        Its class, one of the allow-list.
    state : dict
        Its attributes: plain values, arrays, and blueprints of the objects in it.
    name : str
        What the file calls the class.
    """

    cls: type
    state: dict[str, Any] = field(default_factory=dict)
    name: str = ""


def check_blueprint(blueprint: Blueprint) -> None:
    """Refuse attributes that an object of this class cannot have.

    Parameters
    ----------
    blueprint : Blueprint
        Its own attributes are looked at, and the classes of the blueprints among them; what is
        inside of those is looked at when their turn comes.

    Raises
    ------
    ValueError
        With the attribute and what is wrong with it.
    """
    from quire.kinds._registry import kind_of_class
    from quire.kinds._schema import check_state
    from quire.kinds._schemas import schema_of

    schema = schema_of(blueprint.cls)
    if schema is not None:
        check_state(blueprint.cls, schema, blueprint.state)
    saving = kind_of_class(blueprint.cls).saving  # of a class that the caller vouches for
    if saving.fits is not None and not saving.fits(blueprint.state):
        raise ValueError(f"the arrays of {saving.what} do not fit together")
