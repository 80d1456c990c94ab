"""What commands use of typer, by the same names; typer itself is imported when it is needed.

Most command lines are plain, and are read without it (:mod:`quire.cli._plain`). So options are
kept as they are written, and become typer's own where typer reads the command line, shows help or
says what is wrong with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

__all__ = ["Argument", "BadParameter", "Exit", "Option", "launch"]

if TYPE_CHECKING:
    from typer import BadParameter, Exit, launch


@dataclass(frozen=True)
class Parameter:
    """What stands in ``typer.Option(...)`` or ``typer.Argument(...)``."""

    kind: str
    names: tuple[str, ...]
    settings: dict[str, Any]

    def of_typer(self) -> Any:
        """Return what typer makes of it."""
        import typer

        return getattr(typer, self.kind)(*self.names, **self.settings)


def Option(*names: str, **settings: Any) -> Any:
    """Keep the names and settings of an option, as typer takes them."""
    return Parameter("Option", names, settings)


def Argument(**settings: Any) -> Any:
    """Keep the settings of an argument, as typer takes them."""
    return Parameter("Argument", (), settings)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import typer

    return getattr(typer, name)
