"""scikit-learn's own tests of naive Bayes, with our import."""

from tests.helpers.sklearn_suite import run_scikit_learns_tests

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
    old = "from sklearn.naive_bayes import ("
    run_scikit_learns_tests("sklearn.tests", "test_naive_bayes.py", old, tmp_path, CONFTEST)
