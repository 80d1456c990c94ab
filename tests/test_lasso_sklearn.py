"""scikit-learn's own tests of the lasso and the elastic net, with our import."""

from tests.reference.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import pytest

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param
"""
PACKAGE = "sklearn.linear_model.tests"


def test_scikit_learns_tests_pass_with_our_import(tmp_path):
    """Models for several tasks stay scikit-learn's."""
    kept = "from sklearn.linear_model import _cd_fast as cd_fast\n"
    names = "ElasticNet, ElasticNetCV, Lasso, LassoCV, enet_path, lasso_path"
    change = {
        kept: f"{kept}from quire.linear_model import {names}\n",
        # where LassoCV finds the model of its last fit
        '"sklearn.linear_model._coordinate_descent.Lasso"': '"quire.linear_model._lasso_cv.Lasso"',
    }
    file = "test_coordinate_descent.py"
    run_scikit_learns_tests(PACKAGE, file, change, tmp_path, CONFTEST)


def test_scikit_learns_sparse_tests_pass_with_our_import(tmp_path):
    old = "from sklearn.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV\n"
    run_scikit_learns_tests(PACKAGE, "test_sparse_coordinate_descent.py", old, tmp_path, CONFTEST)
