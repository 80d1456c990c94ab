"""Plain command lines are read as typer reads them, and all others are left to it."""

import json
import random

import pytest
import typer
from tests.helpers.processes import run_python
from typer.testing import CliRunner

from quire.cli._app import of_typer
from quire.cli._commands import COMMANDS, command
from quire.cli._plain import values_of
from quire.cli._typer import Parameter

TEXTS = ["a", "two words", "-", "", "x=y", "naïve 🎈", "none", ";", "tab", "2,3", "a=1,b=2"]
NUMBERS = ["1", "3", "7", "25", "0.5", "0", "-2", "many"]


def read_by_typer(name, arguments):
    """What typer gives a command; None where it refuses."""
    given = {}

    def keep(**values):
        given.update(values, was_called=True)

    keep.__signature__ = command(name).__signature__
    app = typer.Typer()
    app.command(name)(of_typer(keep))
    CliRunner().invoke(app, arguments)
    return given if given.pop("was_called", False) else None


def drawn_line(name, draw):
    """A command line of drawn options, not always a sound one."""
    line, behind = [], []
    options = list(command(name).__signature__.parameters.items())
    n_wanted = draw.randrange(5)
    for key, one in draw.sample(options, len(options)):
        (parameter,) = one.annotation.__metadata__
        if parameter.kind == "Argument":
            behind += [draw.choice(TEXTS)] * (draw.random() < 0.95)
            continue
        if one.default is not one.empty and n_wanted <= 0:
            continue
        n_wanted -= 1
        names = [n for n in parameter.names if n.startswith("-")] or ["--" + key.replace("_", "-")]
        flag = draw.choice(draw.choice(names).split("/"))
        if one.annotation.__origin__ is bool:
            line.append(flag)
            continue
        takes_numbers = one.annotation.__origin__ in (int, float) or "parser" in parameter.settings
        for _ in range(draw.choice([1, 1, 1, 2])):
            value = draw.choice(NUMBERS if takes_numbers or draw.random() < 0.2 else TEXTS)
            line += [f"{flag}={value}"] if draw.random() < 0.3 else [flag, value]
    place = draw.randrange(len(line) + 1) if draw.random() < 0.2 else len(line)
    return [*line[:place], *behind, *line[place:]]


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_read_is_what_typer_reads(name):
    draw = random.Random(name)
    n_read = 0
    for _ in range(40):
        line = drawn_line(name, draw)
        values = values_of(command(name), line)
        if values is not None:
            n_read += 1
            expected = read_by_typer(name, line)
            assert (values, list(map(type, values.values()))) == (
                expected,
                list(map(type, expected.values())),
            )
    assert n_read >= 3  # not that nothing was plain


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["--help"],
        ["-h"],
        ["m", "a text", "too much"],
        ["m", "--top"],
        ["m", "--top", "0"],
        ["m", "--top", "many"],
        ["m", "--top", "-1"],
        ["m", "--tops", "3"],
        ["m", "--to", "3"],
        ["m", "--json=yes"],
        ["m", "--no-json"],
        ["m", "--", "--top"],
        ["m", "--target", "--json"],
        ["m", "-1"],
    ],
    ids=" ".join,
)
def test_lines_that_are_not_plain_are_left_to_typer(line):
    assert values_of(command("explain"), line) is None


def test_every_option_is_kept_as_plain_settings():
    for name in COMMANDS:
        for one in command(name).__signature__.parameters.values():
            assert any(isinstance(mark, Parameter) for mark in one.annotation.__metadata__)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_plain_line_is_read_without_typer(name):
    code = (
        "import json, sys\n"
        "from quire.cli._commands import command\n"
        "from quire.cli._plain import values_of\n"
        "assert values_of(command(sys.argv[1]), sys.argv[2:]) is not None\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))\n"
    )
    line = []
    for key, one in command(name).__signature__.parameters.items():
        is_option = one.annotation.__metadata__[0].kind == "Option"
        is_list = "list" in str(one.annotation.__origin__)
        if one.default is one.empty or (is_list and not is_option):
            line += [f"--{key}", "x"] if is_option else ["x"]
    loaded = json.loads(run_python(code, name, *line).splitlines()[-1])
    assert not set(loaded) & {"typer", "rich", "pydantic", "click", "numpy", "polars", "sklearn"}


def test_a_shell_that_completes_is_answered_by_typer(monkeypatch, run, tmp_path):
    monkeypatch.setenv("_QUIRE_COMPLETE", "source_bash")
    code, out, _ = run("explain", tmp_path / "none.quire", "a text")
    assert "_QUIRE_COMPLETE" in out
    assert code == 0
