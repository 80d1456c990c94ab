"""scikit-learn's own tests, run with our classes in place of its."""

import ast
import importlib
import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.helpers.sklearn_exceptions import Suite

# Arrays of other libraries are tested, too; and products of small matrices by one thread.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONPATH": str(Path(__file__).parents[2]),
    "SCIPY_ARRAY_API": "1",
}

# What the copied module runs with. Tests that run none of our code are left out; those that are
# expected to fail are run, and one that passes is an error. Counts go to a file.
CONFTEST = """
import json
import re
from collections import Counter
from pathlib import Path

import numpy
import pytest

THEIRS = re.compile({theirs!r})
EXCEPTIONS = {exceptions!r}
USED, COUNTS = set(), Counter()


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    plots = pytest.importorskip("matplotlib.pyplot")
    yield plots
    plots.close("all")


def pytest_generate_tests(metafunc):
    if "global_random_seed" in metafunc.fixturenames:
        metafunc.parametrize("global_random_seed", {seeds!r})
    if "global_dtype" in metafunc.fixturenames:
        types = [numpy.float32, numpy.float64]
        metafunc.parametrize("global_dtype", types, ids=["float32", "float64"])


def pytest_collection_modifyitems(config, items):
    theirs = [item for item in items if THEIRS.fullmatch(item.name)]
    config.hook.pytest_deselected(items=theirs)
    COUNTS["theirs"] = len(theirs)
    items[:] = [item for item in items if not THEIRS.fullmatch(item.name)]
    for item in items:
        for pattern, reason in EXCEPTIONS.items():
            if re.fullmatch(pattern, item.name) or re.fullmatch(pattern, item.originalname):
                USED.add(pattern)
                item.add_marker(pytest.mark.xfail(reason="ours: " + reason, strict=True))


def pytest_runtest_logreport(report):
    if report.when != "call" and report.outcome != "skipped":
        return
    ours = getattr(report, "wasxfail", "").startswith("ours: ")
    if report.outcome == "skipped" and not ours:
        COUNTS["xfailed" if hasattr(report, "wasxfail") else "skipped"] += 1
    else:
        COUNTS["excepted" if ours else report.outcome] += 1


def pytest_sessionfinish(session):
    unused = sorted(set(EXCEPTIONS) - USED)
    Path("counts.json").write_text(json.dumps(dict(COUNTS, unused=unused)))
"""


@dataclass(frozen=True)
class Counts:
    """How the tests of a file went.

    Attributes
    ----------
    passed : int
        Tests that pass with our classes.
    excepted : int
        Tests that fail as the table says.
    skipped : int
        Tests that scikit-learn itself skips, or expects to fail.
    theirs : int
        Tests that run none of our code, and were left out.
    """

    passed: int
    excepted: int
    skipped: int
    theirs: int


def run_scikit_learns_tests(suite: Suite, folder: Path) -> Counts:
    """Copy a file of tests, import our classes instead, and expect what the tables say.

    Not in this process: such a module has fixtures, warnings and random seeds of its own.

    Parameters
    ----------
    suite : Suite
        The file, and what is expected of it.
    folder : Path
        Where to work.
    """
    spec = importlib.util.find_spec(suite.package)
    source = Path(spec.origin).with_name(suite.file) if spec and spec.origin else None
    if source is None or not source.exists():
        pytest.skip("this scikit-learn came without its tests")
    text = with_our_classes(source.read_text(encoding="utf-8"), suite.modules)
    for old, new in suite.changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    module = folder / f"test_scikit_learn_{suite.file.removeprefix('test_')}"
    module.write_text(text, encoding="utf-8")
    pattern = rf"(?:{'|'.join(suite.theirs)})(?:\[.*\])?" if suite.theirs else "(?!)"
    conftest = CONFTEST.format(
        theirs=pattern, exceptions=dict(suite.exceptions), seeds=list(suite.seeds)
    )
    (folder / "conftest.py").write_text(conftest, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", module],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
        env={**os.environ, **ENVIRONMENT},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-1000:]
    counts = json.loads((folder / "counts.json").read_text())
    assert counts["unused"] == [], "exceptions that match no test"
    assert counts.get("passed", 0) > 0
    skipped = counts.get("skipped", 0) + counts.get("xfailed", 0)
    return Counts(counts["passed"], counts.get("excepted", 0), skipped, counts.get("theirs", 0))


def with_our_classes(text: str, modules: tuple[str, ...]) -> str:
    """Return source in which names that we have, too, are imported from quire.

    Parameters
    ----------
    text : str
        Source of a module.
    modules : tuple of str
        Modules of scikit-learn, such as "sklearn.svm".
    """
    lines = text.splitlines()
    met = 0
    for node in sorted(_imports(text), key=lambda node: node.lineno, reverse=True):
        added = []
        if node.module in modules:
            ours = _public(node.module)
            names = [alias for alias in node.names if alias.name in ours]
            if names:
                named = ", ".join(a.name + (f" as {a.asname}" if a.asname else "") for a in names)
                added.append(f"from {_mirror(node.module)} import {named}")
        if node.module == "sklearn":
            for alias in node.names:
                if f"sklearn.{alias.name}" in modules:
                    name = alias.asname or alias.name
                    helper = "from tests.helpers.sklearn_suite import with_ours"
                    added += [helper, f"{name} = with_ours({name})"]
        indent = " " * node.col_offset
        lines[node.end_lineno : node.end_lineno] = [indent + line for line in added]
        met += len(added)
    assert met > 0, "nothing of ours is imported"
    return "\n".join(lines) + "\n"


class _Module:
    """A module of scikit-learn with what we have in place of its."""

    def __init__(self, theirs):
        self.theirs = theirs
        for name in _public(theirs.__name__):
            setattr(self, name, getattr(importlib.import_module(_mirror(theirs.__name__)), name))

    def __getattr__(self, name):
        return getattr(self.theirs, name)


def with_ours(theirs):
    """Return what stands for a module of scikit-learn, with our classes."""
    return _Module(theirs)


def _imports(text: str) -> list[ast.ImportFrom]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]


def _mirror(module: str) -> str:
    return module.replace("sklearn", "quire", 1)


def _public(module: str) -> set[str]:
    return set(importlib.import_module(_mirror(module)).__all__)
