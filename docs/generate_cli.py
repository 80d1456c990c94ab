"""Writes docs/cli.md from the commands themselves; a test fails when the two differ."""

from pathlib import Path

import typer

PAGE = Path(__file__).with_name("cli.md")

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
done and 2 when it was asked for wrongly.
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
    for name, command in sorted(group.commands.items()):
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(["[OPTIONS]", *(_name(argument) for argument in arguments)])
        page += COMMAND.format(name=name, help=command.help, usage=usage, options=_table(command))
    return page


def _table(command: typer.core.TyperCommand) -> str:
    rows = ["| option | meaning | default |", "| --- | --- | --- |"]
    for parameter in command.params:
        default = parameter.default
        plain = isinstance(default, str | int | float) and not isinstance(default, bool)
        shown = f"`{default}`" if plain else ""
        meaning = " ".join((parameter.help or "").split()).replace("|", "\\|")
        rows.append(f"| `{_name(parameter)}` | {meaning} | {shown} |")
    rows.append("| `-h, --help` | Show this message. | |")
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
