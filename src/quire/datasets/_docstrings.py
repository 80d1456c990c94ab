"""A real labelled corpus that every installation has: the documentation inside its packages.

Source files are parsed, never imported, so the corpus does not depend on what a program has
imported, on the order of hashing or on optional parts of a package. Names and texts are read in
sorted order: the same versions give the same corpus.
"""

from __future__ import annotations

import ast
import gc
import inspect
import platform
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import polars as pl

from quire.datasets._dataset import Dataset

__all__ = ["Docstrings", "load_docstrings"]

# Label (the name to import) and distribution: what quire requires, where a class is large enough.
_PACKAGES = {
    "joblib": "joblib",
    "numpy": "numpy",
    "polars": "polars",
    "rich": "rich",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
}
_STDLIB = "stdlib"

# Tests, copies of other projects, and programs and templates that only live beside the library.
_SKIPPED = frozenset(
    {
        *("test", "tests", "conftest", "idlelib", "lib2to3", "turtledemo", "ensurepip"),
        *("externals", "_vendor", "_external", "array_api_compat", "array_api_extra"),
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class Docstrings(Dataset):
    """Documentation strings and the package each is from, returned by :func:`load_docstrings`.

    Attributes
    ----------
    texts : polars.Series of str
        The documentation strings, indentation removed.
    labels : polars.Series of str
        The package of each, by the name it is imported by; ``"stdlib"`` for the standard library.
    names : polars.Series of str
        Where each stands: module and object, such as ``"json.decoder.JSONDecoder.decode"``.
    versions : mapping from label to str
        Version of each package; that of Python for the standard library.
    """

    texts: pl.Series
    labels: pl.Series
    names: pl.Series
    versions: Mapping[str, str]


def load_docstrings(*, min_words: int = 20) -> Docstrings:
    """Collect the documentation strings of Python and of the packages that quire builds on.

    A document is the docstring of a public module, class, function or method; its class is the
    package it comes from: joblib, numpy, polars, rich, scipy, sklearn, or stdlib for all of the
    standard library. A text that occurs more than once is kept at its first place.

    Parameters
    ----------
    min_words : int, default=20
        Docstrings with fewer words are left out.

    Returns
    -------
    Docstrings
        Several thousand texts, sorted by label and name, and the versions they come from.

    Notes
    -----
    Objects written in C have their documentation outside the Python source and are not read. The
    first call parses some 2,000 files in a few seconds; later calls in the same process are
    immediate.

    Examples
    --------
    >>> from quire.datasets import load_docstrings
    >>> corpus = load_docstrings()
    >>> corpus.labels.unique().sort().to_list()
    ['joblib', 'numpy', 'polars', 'rich', 'scipy', 'sklearn', 'stdlib']
    >>> position = corpus.names.index_of("textwrap.dedent")
    >>> corpus.labels[position]
    'stdlib'
    """
    kept = _read_all().filter(pl.col("n_words") >= min_words)
    return Docstrings(kept["text"], kept["label"], kept["name"], _versions())


@cache
def _read_all() -> pl.DataFrame:
    """Parse every source file once: columns label, name, text, n_words, by label and name."""
    rows: list[tuple[str, str, str]] = []
    for label in (*_PACKAGES, _STDLIB):
        sources = _stdlib_sources() if label == _STDLIB else _package_sources(label)
        with _parsing():
            found = sorted(row for module, path in sources for row in _docstrings(module, path))
        if not found:
            raise FileNotFoundError(
                f"No Python source of {label} is installed, so its documentation cannot be read. "
                "Use a Python whose packages are unpacked .py files."
            )
        rows += ((label, name, text) for name, text in found)
    frame = pl.DataFrame(rows, schema=["label", "name", "text"], orient="row")
    frame = frame.unique("text", keep="first", maintain_order=True)
    return frame.with_columns(n_words=pl.col("text").str.count_matches(r"\S+"))


@cache
def _versions() -> Mapping[str, str]:
    packages = {label: version(distribution) for label, distribution in _PACKAGES.items()}
    return MappingProxyType({**packages, _STDLIB: platform.python_version()})


def _package_sources(package: str) -> Iterator[tuple[str, Path]]:
    """Yield (module, file) for an installed package."""
    spec = find_spec(package)  # finds the package without running it
    for place in (spec.submodule_search_locations if spec else None) or []:
        yield from _sources(Path(place), package)


def _stdlib_sources() -> Iterator[tuple[str, Path]]:
    """Yield (module, file) for the modules that Python lists as its own."""
    root = Path(sysconfig.get_path("stdlib"))
    for name in sorted(sys.stdlib_module_names - _SKIPPED):
        if (root / name).is_dir():
            yield from _sources(root / name, name)
        elif (root / f"{name}.py").is_file():
            yield name, root / f"{name}.py"


def _sources(folder: Path, package: str) -> Iterator[tuple[str, Path]]:
    """Walk a package in sorted order."""
    for path in sorted(folder.iterdir()):
        if path.stem in _SKIPPED or path.stem.startswith("test_"):
            continue
        if path.is_dir():
            yield from _sources(path, f"{package}.{path.name}")
        elif path.suffix == ".py":
            yield (package if path.stem == "__init__" else f"{package}.{path.stem}"), path


@contextmanager
def _parsing() -> Iterator[None]:
    """Parse in silence and without garbage collection, which syntax trees do not need."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other people's invalid escapes are not ours to report
            yield
    finally:
        if collecting:
            gc.enable()


def _docstrings(module: str, path: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, docstring) of the module and of what it defines publicly."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # a template, or written for another Python
        return
    yield from _of_node(module, tree)


def _of_node(
    name: str, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[tuple[str, str]]:
    text = ast.get_docstring(node, clean=False)
    if text is not None:
        yield name, inspect.cleandoc(text).strip()
    if isinstance(node, (ast.Module, ast.ClassDef)):
        for child in node.body:
            if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                if not child.name.startswith("_"):
                    yield from _of_node(f"{name}.{child.name}", child)
