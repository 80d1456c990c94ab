"""scikit-learn's own tests of Gaussian mixtures, with our import."""

from tests.helpers.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import numpy as np
import pytest

@pytest.fixture(params=["float32", "float64"])
def global_dtype(request):
    return np.dtype(request.param)

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param

def pytest_collection_modifyitems(items):
    for item in items:
        if item.name.startswith("test_gaussian_mixture_all_init_does_not_estimate"):
            reason = "counts the calls of a private function of scikit-learn"
            item.add_marker(pytest.mark.skip(reason=reason))
"""


def test_scikit_learns_tests_pass_with_our_import(tmp_path):
    old = "from sklearn.mixture import GaussianMixture\n"
    run_scikit_learns_tests(
        "sklearn.mixture.tests", "test_gaussian_mixture.py", old, tmp_path, CONFTEST
    )
