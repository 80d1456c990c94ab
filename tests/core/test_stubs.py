"""The stubs say what the compiled module is. If they do not: ``make stubs``."""

import ast
import importlib.util
from pathlib import Path

import pytest

import quire

FOLDER = Path(quire.__file__).parent / "_core"


def generator():
    path = Path(__file__).parents[2] / "bindings" / "generate_stubs.py"
    spec = importlib.util.spec_from_file_location("generate_stubs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STUBS = generator().stubs()


def test_there_is_a_stub_for_every_submodule():
    assert {path.name for path in FOLDER.iterdir()} == set(STUBS)


@pytest.mark.parametrize("name", STUBS)
def test_the_stub_is_that_of_the_module(name):
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert ast.dump(ast.parse(written)) == ast.dump(ast.parse(STUBS[name]))
