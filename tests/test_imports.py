"""Private modules are their package's own; private names of scikit-learn have one door."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "quire"
DOOR = SOURCE / "_shared" / "sklearn.py"
FILES = sorted(SOURCE.rglob("*.py"))


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the full names that a file imports, modules and what is taken from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules_by_name(tree: ast.AST, package: str) -> dict[str, str]:
    """Return which names of a file stand for modules of a package, as far as spelling tells."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == package:
                    names[alias.asname or package] = alias.name if alias.asname else package
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package:
            for alias in node.names:
                if alias.name.islower():
                    names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def reached(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield the full names that a file reaches through modules: ``sklearn.utils.x``."""
    names = modules_by_name(tree, package)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            if first in names:
                yield f"{names[first]}.{rest}"


def private_of_sklearn(tree: ast.AST) -> set[str]:
    """Return the private names of scikit-learn; attributes of its classes are not meant."""
    found = set()
    for name in [*imported(tree), *reached(tree, "sklearn")]:
        module, *parts = name.split(".")
        private = next((i for i, part in enumerate(parts) if is_private(part)), None)
        if module == "sklearn" and private is not None:
            if all(part.islower() for part in parts[:private]):
                found.add(name)
    return found


def foreign_modules(tree: ast.AST, package: str) -> set[str]:
    """Return the private modules, and private names, of other packages of quire."""
    found = set()
    for name in imported(tree):
        root, *parts = name.split(".")
        if root != "quire" or not parts or parts[0] == package or is_private(parts[0]):
            continue
        private = next((i for i, part in enumerate(parts) if is_private(part)), None)
        if private is not None:
            found.add(".".join(parts[: private + 1]))
    return found


def test_private_names_of_scikit_learn_come_through_the_door():
    met = {
        f"{path.relative_to(SOURCE)}: {name}"
        for path in FILES
        if path != DOOR
        for name in private_of_sklearn(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert met == set()


def test_no_package_imports_the_private_modules_of_another():
    met = set()
    for path in FILES:
        package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        met |= {(package, module) for module in foreign_modules(tree, package)}
    assert met == set()


@pytest.mark.parametrize(
    "line",
    [
        "from sklearn.utils._x import y",
        "from sklearn.utils import _y",
        "from sklearn import _loss",
        "import sklearn.tree._tree",
        "import sklearn.tree._tree as t",
        "import sklearn.utils\nsklearn.utils._y(1)",
        "import sklearn.utils as u\nu._y",
        "from sklearn import utils\nutils._x.y()",
    ],
)
def test_what_is_a_private_name(line):
    assert private_of_sklearn(ast.parse(line))


def test_what_is_none():
    lines = "import sklearn\nfrom sklearn import __version__\nfrom sklearn.svm import SVC\n"
    lines += "sklearn.__version__, sklearn.svm.SVC._get_param_names(), SVC._x, own._y"
    assert private_of_sklearn(ast.parse(lines)) == set()


def test_what_is_foreign():
    lines = "from quire.tree._a.b import c\nimport quire.svm._d\nfrom quire.io import _e, f\n"
    lines += "from quire._shared.labels import class_codes\nfrom quire import _core, tree"
    assert foreign_modules(ast.parse(lines), "io") == {"tree._a", "svm._d"}
    assert foreign_modules(ast.parse(lines), "tree") == {"svm._d", "io._e"}
