"""Every kernel has a twin of its name in tests/reference, and a test in tests/core."""

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

from quire import _core

TESTS = Path(__file__).parents[1]
# What sets and tells instruction sets and threads; what carries strings in and counts out.
NO_KERNELS = {
    "simd_supported", "simd_level", "set_simd_level", "thread_limit", "set_thread_limit",
    "Documents", "CountRows",
}  # fmt: skip
KERNELS = [
    (family, name)
    for family, module in vars(_core).items()
    if isinstance(module, ModuleType)
    for name, kernel in vars(module).items()
    if callable(kernel) and name not in NO_KERNELS
]


def trees(folder):
    return [ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")]


def defined(family):
    """The names that the twins of a family have."""
    for tree in trees(TESTS / "reference" / family):
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name
            elif isinstance(node, ast.Assign):
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def mentioned(family):
    """The kernels that tests take from the module, by attribute or by name."""
    for tree in trees(TESTS / "core" / family) + trees(TESTS / "helpers"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == f"_core.{family}":
                yield node.attr
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def snake_case(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


@pytest.mark.parametrize(("family", "name"), KERNELS)
def test_kernel_has_a_twin(family, name):
    assert {name, snake_case(name)} & set(defined(family))


@pytest.mark.parametrize(("family", "name"), KERNELS)
def test_kernel_is_tested(family, name):
    assert name in set(mentioned(family))


def test_the_exceptions_are_there():
    names = {name for module in vars(_core).values() for name in getattr(module, "__dict__", {})}
    assert names >= NO_KERNELS
