"""scikit-learn's own tests, run with our import in place of its."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest


def run_scikit_learns_tests(
    package: str, file: str, old: str, folder: Path, conftest: str = "", new: str | None = None
):
    """Copy a file of tests, change one import from sklearn to quire, and expect it to pass.

    `old` is the import; `new` what takes its place, by default the same with quire in it.

    Not in this process: such a module has fixtures, warnings and random seeds of its own.
    """
    spec = importlib.util.find_spec(package)
    source = Path(spec.origin).with_name(file) if spec and spec.origin else None
    if source is None or not source.exists():
        pytest.skip("this scikit-learn came without its tests")
    text = source.read_text(encoding="utf-8")
    assert text.count(old) == 1
    module = folder / f"test_scikit_learn_{file.removeprefix('test_')}"
    new = old.replace("sklearn", "quire") if new is None else new
    module.write_text(text.replace(old, new), encoding="utf-8")
    (folder / "conftest.py").write_text(conftest, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", module],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
