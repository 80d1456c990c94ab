"""scikit-learn's own tests of the lasso and the elastic net, with our import."""

from tests.helpers.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import pytest

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param
"""
# Models for several tasks, private solvers and helpers stay scikit-learn's.
THEIRS = [
    "test_set_order_dense",
    "test_set_order_sparse",
    "test_cython_solver_equivalence",
    "test_multi_task_lasso_.*",
    "test_multitask_enet_and_lasso_cv",
    "test_warm_start_multitask_lasso",
]
PACKAGE = "sklearn.linear_model.tests"


def test_scikit_learns_tests_pass_with_our_import(tmp_path):
    kept = "from sklearn.linear_model import _cd_fast as cd_fast\n"
    names = "ElasticNet, ElasticNetCV, Lasso, LassoCV, enet_path, lasso_path"
    change = {
        kept: f"{kept}from quire.linear_model import {names}\n",
        # where LassoCV finds the model of its last fit
        '"sklearn.linear_model._coordinate_descent.Lasso"': '"quire.linear_model._lasso_cv.Lasso"',
    }
    file = "test_coordinate_descent.py"
    run_scikit_learns_tests(PACKAGE, file, change, tmp_path, CONFTEST, THEIRS)


def test_scikit_learns_sparse_tests_pass_with_our_import(tmp_path):
    old = "from sklearn.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV\n"
    run_scikit_learns_tests(PACKAGE, "test_sparse_coordinate_descent.py", old, tmp_path, CONFTEST)
