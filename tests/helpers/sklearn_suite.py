"""scikit-learn's own tests, run with our import in place of its."""

import importlib.util
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

# Leaves out the tests whose names match as a whole, with their parameters or without.
LEAVE_OUT = """
import re

THEIRS = re.compile({pattern!r})

def pytest_collection_modifyitems(config, items):
    theirs = [item for item in items if THEIRS.fullmatch(item.name)]
    config.hook.pytest_deselected(items=theirs)
    items[:] = [item for item in items if not THEIRS.fullmatch(item.name)]
"""


def run_scikit_learns_tests(
    package: str,
    file: str,
    change: str | Mapping[str, str],
    folder: Path,
    conftest: str = "",
    theirs: Sequence[str] = (),
):
    """Copy a file of tests, change an import from sklearn to quire, and expect it to pass.

    `change` is the import. Where it has names that stay and names that change, it maps texts, each
    found once, to others. `theirs` are patterns for the names of tests that run none of our code:
    they could only fail for a reason in scikit-learn, and are left out.

    Not in this process: such a module has fixtures, warnings and random seeds of its own.
    """
    spec = importlib.util.find_spec(package)
    source = Path(spec.origin).with_name(file) if spec and spec.origin else None
    if source is None or not source.exists():
        pytest.skip("this scikit-learn came without its tests")
    text = source.read_text(encoding="utf-8")
    if isinstance(change, str):
        change = {change: change.replace("sklearn", "quire")}
    for old, new in change.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    module = folder / f"test_scikit_learn_{file.removeprefix('test_')}"
    module.write_text(text, encoding="utf-8")
    (folder / "conftest.py").write_text(conftest, encoding="utf-8")
    pattern = rf"(?:{'|'.join(theirs)})(?:\[.*\])?" if theirs else "(?!)"
    (folder / "leave_out.py").write_text(LEAVE_OUT.format(pattern=pattern), encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "-p", "leave_out", "-c", "/dev/null"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, module],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
