"""What a model is, is asked of its kind: not of its attributes, nor of the module of its class."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "quire"
ASKING = ("cli", "inspection", "kinds", "persistence")
FILES = [SOURCE / "prediction.py", *(f for name in ASKING for f in (SOURCE / name).rglob("*.py"))]


def guesses(tree):
    """Yield what a file looks for: fitted attributes, and the beginnings of module names."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "hasattr":
            name = node.args[1]
            if isinstance(name, ast.Constant) and name.value.endswith("_"):
                if not name.value.endswith("__"):
                    yield f"hasattr {name.value}"
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "startswith":
            if isinstance(node.func.value, ast.Attribute) and node.func.value.attr == "__module__":
                yield "startswith of a module"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_is_guessed(path):
    assert list(guesses(ast.parse(path.read_text(encoding="utf-8")))) == []


def test_guesses_would_be_seen():
    source = "hasattr(model, 'theta_') or type(model).__module__.startswith('quire.linear_model')"
    assert list(guesses(ast.parse(source))) == ["hasattr theta_", "startswith of a module"]
