"""Writes docs/cli.md from the commands themselves; a test fails when the two differ."""

from collections.abc import Iterable
from pathlib import Path

import typer

PAGE = Path(__file__).with_name("cli.md")

SHARED = """
## Options that commands share

These are written and read in one place, and mean the same everywhere. The commands below list which
of them they take.

{tables}
"""

GROUPS = {
    "How a file is read": "Reading",
    "Which rows are learned from": "Rows",
    "What of a text is counted": "Terms",
}

OPENING = """\
<!-- Written by docs/generate_cli.py from the commands. Do not edit. -->

# Command line

{help}

```text
quire [OPTIONS] COMMAND [ARGS]...
```

{options}

Output is a table on a terminal and plain lines elsewhere, and JSON where `--json` is given.
Messages go to standard error. The exit code is 0 when the work was done, 1 when it could not be
done, 2 when it was asked for wrongly and 130 after Ctrl-C. Rows count from 0.
"""

COMMAND = """
## quire {name}

{help}

```text
quire {name} {usage}
```

{options}
"""


def render() -> str:
    """The page as text."""
    from quire.cli import app

    group = typer.main.get_command(app)
    page = OPENING.format(help=group.help, options=_table(group))
    page += SHARED.format(tables="\n\n".join(_shared(group)))
    for name, command in sorted(group.commands.items()):
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(["[OPTIONS]", *(_name(argument) for argument in arguments)])
        page += COMMAND.format(name=name, help=command.help, usage=usage, options=_table(command))
    return page


def _shared(group: typer.core.TyperGroup) -> list[str]:
    """The options of each group of options, as `quire compare` has them."""
    from dataclasses import fields

    from quire.cli import _reading

    parameters = {one.name: one for one in group.commands["compare"].params}
    parts = []
    for title, name in GROUPS.items():
        names = [field.name for field in fields(getattr(_reading, name))]
        parts.append(f"{title}:\n\n{_rows(parameters[name] for name in names)}")
    return parts


def _table(command: typer.core.TyperCommand) -> str:
    return f"{_rows(command.params)}\n| `-h, --help` | Show this message. | |"


def _rows(parameters: Iterable[typer.core.TyperOption]) -> str:
    rows = ["| option | meaning | default |", "| --- | --- | --- |"]
    for parameter in parameters:
        default = parameter.default
        plain = isinstance(default, str | int | float) and not isinstance(default, bool)
        shown = f"`{default}`" if plain else ""
        meaning = " ".join((parameter.help or "").split()).replace("|", "\\|")
        rows.append(f"| `{_name(parameter)}` | {meaning} | {shown} |")
    return "\n".join(rows)


def _name(parameter: typer.core.TyperOption | typer.core.TyperArgument) -> str:
    """`FILE` for an argument, `--top N` for an option with a value, `--json` for a switch."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    flags = ", ".join([*parameter.opts, *parameter.secondary_opts])
    if parameter.is_flag:
        return flags
    return f"{flags} {parameter.metavar or parameter.type.name.upper()}"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
