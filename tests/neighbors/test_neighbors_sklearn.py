"""scikit-learn's own tests of nearest neighbours, with our classes in its module."""

from tests.helpers.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import pytest

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param

@pytest.fixture(params=["float32", "float64"])
def global_dtype(request):
    import numpy as np

    return np.dtype(request.param).type
"""
# Models of a radius and graphs stay scikit-learn's; so does the search within a radius, where one
# metric of each kind shows that our `fit` leaves what it needs.
THEIRS = [
    "test_is_sorted_by_data",
    "test_sort_graph_by_row_values.*",
    "test_radius_neighbors_classifier.*",
    "test_RadiusNeighbors.*",
    "test_radius_neighbors_regressor",
    "test_radius_neighbors_predict_proba",
    "test_same_radius_neighbors_parallel",
    "test_kneighbors_graph(_sparse)?",
    "test_radius_neighbors_graph(_sparse)?",
    "test_include_self_neighbors_graph",
    "test_valid_metrics_has_no_duplicate",
    r"test_radius_neighbors_brute_backend\[(?!.*(cosine|euclidean|manhattan|minkowski)).*\]",
]

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
        "sklearn.neighbors.tests", "test_neighbors.py", change, tmp_path, CONFTEST, THEIRS
    )
