"""Write the stubs of quire._core from the compiled module: ``make stubs``.

nanobind knows the signature of every kernel. Here its overloads, one for each type of numbers, are
joined to one signature, and what a type checker cannot use (layouts of arrays) is left out. A test
holds the files to the module.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from nanobind.stubgen import StubGen

from quire import _core

_FIRST = '''\
"""{doc}

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""
'''
_PACKAGE = '''\
from typing import Any, Protocol, TypeAlias

from numpy.typing import NDArray

{imports}

class SparseMatrix(Protocol):
    """A sparse matrix or array of scipy, by its parts."""

    data: Any
    indices: Any
    indptr: Any
    @property
    def shape(self) -> Any: ...
    @property
    def format(self) -> Any: ...

SparseArrays: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]
Csr: TypeAlias = SparseMatrix | SparseArrays
Csc: TypeAlias = SparseMatrix | SparseArrays
'''
# In the order of a file, with a blank line between kinds.
_IMPORTS = [
    {"collections.abc": ["Sequence"], "typing": ["Any"]},
    {"numpy": ["np"], "numpy.typing": ["NDArray"]},
    {"quire._core": ["Csc", "Csr"]},
]


def stubs() -> dict[str, str]:
    """Return the text of every stub by the name of its file."""
    families = {
        name: module for name, module in vars(_core).items() if isinstance(module, ModuleType)
    }
    imports = "\n".join(f"from quire._core import {name} as {name}" for name in sorted(families))
    package = _FIRST.format(doc=_core.__doc__) + _PACKAGE.format(imports=imports)
    return {"__init__.pyi": package} | {
        f"{name}.pyi": _stub(module) for name, module in families.items()
    }


def _stub(module: ModuleType) -> str:
    generator = StubGen(module)
    generator.put(module)
    tree = ast.parse(generator.get())
    body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)][1:]
    text = ast.unparse(ast.Module(_joined([_Plain().visit(node) for node in body]), []))
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    imports = [_imports(kind, used) for kind in _IMPORTS]
    return "\n".join([_FIRST.format(doc=module.__doc__), *imports, text, ""])


def _imports(kind: dict[str, list[str]], used: set[str]) -> str:
    lines = []
    for module, names in kind.items():
        needed = [name for name in names if name in used]
        if needed:
            line = f"from {module} import {', '.join(needed)}\n"
            lines.append("import numpy as np\n" if needed == ["np"] else line)
    return "".join(lines)


class _Plain(ast.NodeTransformer):
    """Types as our own code writes them."""

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        name = ast.unparse(node.value)
        if name == "Annotated":  # an array and its layout
            assert isinstance(node.slice, ast.Tuple)
            return self.visit(node.slice.elts[0])
        if name in ("quire._core.Csr", "quire._core.Csc"):
            return ast.Name(name.rpartition(".")[2])
        if isinstance(node.value, ast.Attribute):
            node.value = self.visit(node.value)
        node.slice = self.visit(node.slice)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        name = ast.unparse(node)
        if name == "numpy.typing.NDArray":
            return ast.Name("NDArray")
        return ast.parse(name.replace("numpy.", "np.", 1), mode="eval").body

    def visit_Name(self, node: ast.Name) -> Any:
        bare = {"list": "list[Any]", "tuple": "tuple[Any, ...]", "object": "Any"}
        return ast.parse(bare.get(node.id, node.id), mode="eval").body

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        node.value = None  # another one for every Python
        return node


def _joined(body: list[Any]) -> list[Any]:
    """Join the overloads of each name."""
    joined: list[Any] = []
    for node in body:
        if isinstance(node, ast.ClassDef):
            node.body = _joined(node.body)
        elif isinstance(node, ast.FunctionDef):
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            node.decorator_list = [
                mark for mark, name in zip(node.decorator_list, marks, strict=True)
                if name != "overload"
            ]  # fmt: skip
            last = joined[-1] if joined else None
            if "overload" in marks and isinstance(last, ast.FunctionDef) and last.name == node.name:
                joined[-1] = _join(last, node)
                continue
        joined.append(node)
    return joined


def _join(one: Any, other: Any) -> Any:
    """Join two signatures that differ in the types of arrays."""
    if type(one) is not type(other):
        raise TypeError(f"overloads differ: {ast.unparse(one)} and {ast.unparse(other)}")
    if isinstance(one, ast.Subscript) and ast.unparse(one.value) == "NDArray":
        same = ast.unparse(one) == ast.unparse(other)
        return one if same else ast.parse("NDArray[Any]", mode="eval").body
    for field, value in ast.iter_fields(one):
        twin = getattr(other, field)
        if isinstance(value, ast.AST):
            setattr(one, field, _join(value, twin))
        elif isinstance(value, list):
            parts = zip(value, twin, strict=True)
            setattr(one, field, [_join(a, b) if isinstance(a, ast.AST) else a for a, b in parts])
        elif value != twin:
            raise TypeError(f"overloads differ: {ast.unparse(one)} and {ast.unparse(other)}")
    return one


def main() -> None:
    """Write the files and format them."""
    folder = Path(__file__).parents[1] / "src" / "quire" / "_core"
    folder.mkdir(exist_ok=True)
    texts = stubs()
    for old in folder.glob("*.pyi"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", folder], check=True)


if __name__ == "__main__":
    main()
