"""Plain command lines, read from what commands say of their options, without typer.

To import typer and to have it read a command line takes longer than a short answer. A command line
is plain if every option has its whole name and a value that nothing could be wrong with. All
others (help, mistakes, a value with a dash in front) are typer's, which says what it has to say;
what both read, both read alike.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, get_args

from quire.cli._typer import Parameter

__all__ = ["values_of"]

_NUMBERS: dict[type, re.Pattern[str]] = {
    int: re.compile(r"[0-9]{1,15}"),
    float: re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?"),
}
_SETTINGS = frozenset(("help", "metavar", "min", "max", "parser"))


class _NotPlainError(Exception):
    """Something for typer to read."""


@dataclass
class _Option:
    """A parameter of a command."""

    name: str
    type: Any
    is_list: bool
    parameter: Parameter
    default: Any

    def flags(self) -> dict[str, bool | None]:
        """Return its names; those of a switch with what they say."""
        names = [one for one in self.parameter.names if one.startswith("-")]
        dashed = self.name.replace("_", "-")
        if self.type is not bool:
            return dict.fromkeys(names or [f"--{dashed}"])
        found: dict[str, bool | None] = {}
        for one in names or [f"--{dashed}/--no-{dashed}"]:
            yes, slash, no = one.partition("/")
            found[yes] = True
            if slash:
                found[no] = False
            elif self.default is not False:
                raise _NotPlainError
        return found

    def read(self, text: str) -> Any:
        """Return the value that a text stands for."""
        settings = self.parameter.settings
        if "parser" in settings:
            return settings["parser"](text)
        if self.type is str:
            return text
        if self.type not in _NUMBERS or not _NUMBERS[self.type].fullmatch(text):
            raise _NotPlainError
        value = self.type(text)
        if not settings.get("min", value) <= value <= settings.get("max", value):
            raise _NotPlainError
        return value

    def absent(self) -> Any:
        """Return its value where it is not given."""
        if self.default is inspect.Parameter.empty or (
            self.is_list and self.parameter.kind == "Argument"
        ):
            raise _NotPlainError
        if self.default is not None and "parser" in self.parameter.settings:
            return self.read(self.default)
        return self.default


def values_of(command: Callable[..., Any], arguments: Sequence[str]) -> dict[str, Any] | None:
    """Return what a plain command line gives a command; ``None`` if it is not plain.

    Parameters
    ----------
    command : callable
        With the options of its groups in their places (:func:`quire.cli._groups.expanded`).
    arguments : sequence of str
        What follows the name of the command.
    """
    try:
        return _values(_options(command), list(arguments))
    except Exception:  # of a parser, too: typer calls it again and says what it said
        return None


def _options(command: Callable[..., Any]) -> list[_Option]:
    found = []
    for name, one in inspect.signature(command).parameters.items():
        parameter = next(iter(getattr(one.annotation, "__metadata__", ())), None)
        if not isinstance(parameter, Parameter) or not parameter.settings.keys() <= _SETTINGS:
            raise _NotPlainError
        kind = one.annotation.__origin__
        kinds = [part for part in get_args(kind) if part is not NoneType] or [kind]
        is_list = kinds == [list[str]]
        if len(kinds) > 1 or (parameter.kind == "Argument" and kinds not in ([str], [list[str]])):
            raise _NotPlainError
        found.append(_Option(name, str if is_list else kinds[0], is_list, parameter, one.default))
    return found


def _values(options: list[_Option], arguments: list[str]) -> dict[str, Any]:
    flags = {
        flag: (one, said)
        for one in options
        if one.parameter.kind == "Option"
        for flag, said in one.flags().items()
    }
    places = iter([one for one in options if one.parameter.kind == "Argument"])
    place: _Option | None = None
    values: dict[str, Any] = {}
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "-" or not argument.startswith("-"):
            place = place if place is not None and place.is_list else next(places, None)
            if place is None:
                raise _NotPlainError
            if place.is_list:
                values.setdefault(place.name, []).append(argument)
            else:
                values[place.name] = argument
            continue
        flag, equals, text = argument.partition("=")
        option, said = flags.get(flag, (None, None))
        if option is None or (equals and (said is not None or not flag.startswith("--"))):
            raise _NotPlainError
        if said is not None:
            values[option.name] = said
            continue
        if not equals:
            text = next(waiting, "--")
        if text != "-" and text.startswith("-"):
            raise _NotPlainError
        if option.is_list:
            values.setdefault(option.name, []).append(text)
        else:
            values[option.name] = option.read(text)
    return {one.name: values[one.name] if one.name in values else one.absent() for one in options}
