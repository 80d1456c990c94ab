"""scikit-learn's own tests, run with our import in place of its."""

import importlib.util
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


def run_scikit_learns_tests(
    package: str, file: str, change: str | Mapping[str, str], folder: Path, conftest: str = ""
):
    """Copy a file of tests, change an import from sklearn to quire, and expect it to pass.

    `change` is the import. Where it has names that stay and names that change, it maps texts, each
    found once, to others.

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
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", module],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
