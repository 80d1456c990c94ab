"""scikit-learn's own tests of least squares and ridge, with our import."""

import pytest
from tests.reference.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import numpy
import pytest

# The file imports these together with the classes that are ours.
import quire.linear_model
from sklearn.linear_model import RidgeClassifier, RidgeClassifierCV, ridge_regression

quire.linear_model.RidgeClassifier = RidgeClassifier
quire.linear_model.RidgeClassifierCV = RidgeClassifierCV
quire.linear_model.ridge_regression = ridge_regression

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param

@pytest.fixture(params=["float32", "float64"])
def global_dtype(request):
    return numpy.dtype(request.param).type
"""


@pytest.mark.parametrize(
    ("file", "old"),
    [
        ("test_base.py", "from sklearn.linear_model import LinearRegression\n"),
        ("test_ridge.py", "from sklearn.linear_model import (\n    LinearRegression,\n    Ridge,"),
    ],
)
def test_scikit_learns_tests_pass_with_our_import(file, old, tmp_path):
    run_scikit_learns_tests("sklearn.linear_model.tests", file, old, tmp_path, CONFTEST)
