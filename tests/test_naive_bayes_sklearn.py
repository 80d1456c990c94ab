"""scikit-learn's own tests of naive Bayes, with our import."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = """
import numpy
import pytest

@pytest.fixture(params=[0, 42])
def global_random_seed(request):
    return request.param

@pytest.fixture(params=["float32", "float64"])
def global_dtype(request):
    return numpy.dtype(request.param).type
"""


def test_scikit_learns_tests_pass_with_our_import(tmp_path):
    spec = importlib.util.find_spec("sklearn.tests")
    source = Path(spec.origin).with_name("test_naive_bayes.py") if spec and spec.origin else None
    if source is None or not source.exists():
        pytest.skip("this scikit-learn came without its tests")
    text = source.read_text(encoding="utf-8")
    old = "from sklearn.naive_bayes import ("
    assert text.count(old) == 1
    module = tmp_path / "test_scikit_learn_naive_bayes.py"
    module.write_text(text.replace(old, old.replace("sklearn", "quire")), encoding="utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    # Not in this process: its module has fixtures, warnings and random seeds of its own.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", module],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
