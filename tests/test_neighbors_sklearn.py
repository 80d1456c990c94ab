"""scikit-learn's own tests of nearest neighbours, with our classes in its module."""

from tests.reference.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import pytest

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param

@pytest.fixture(params=["float32", "float64"])
def global_dtype(request):
    import numpy as np

    return np.dtype(request.param).type

SKIPPED = {}

def pytest_collection_modifyitems(items):
    for item in items:
        for name, reason in SKIPPED.items():
            if item.name == name or item.name.startswith(name + "["):
                item.add_marker(pytest.mark.skip(reason=reason))
"""

OURS = """from sklearn.pipeline import make_pipeline
import sklearn.neighbors as _theirs
import quire.neighbors as _ours
from types import SimpleNamespace
_names = {name: getattr(_theirs, name) for name in dir(_theirs) if not name.startswith("__")}
_names.update({name: getattr(_ours, name) for name in _ours.__all__})
neighbors = SimpleNamespace(**_names)
KNeighborsRegressor = _ours.KNeighborsRegressor
"""


def test_scikit_learns_tests_pass_with_our_classes(tmp_path):
    change = {"from sklearn.pipeline import make_pipeline\n": OURS}
    run_scikit_learns_tests(
        "sklearn.neighbors.tests", "test_neighbors.py", change, tmp_path, CONFTEST
    )
