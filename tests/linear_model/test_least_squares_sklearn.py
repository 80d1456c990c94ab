"""scikit-learn's own tests of least squares and ridge, with our import."""

import pytest
from tests.helpers.sklearn_suite import run_scikit_learns_tests

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
# What stays scikit-learn's: classifiers, functions, private solvers; and leave-one-out on dense
# data, which `RidgeCV` leaves to it. The cases with sparse data run all of ours.
THEIRS = [
    "test_primal_dual_relationship",
    "test_ridge_regression_convergence_fail",
    "test_X_CenterStackOp",
    "test_compute_gram",
    "test_compute_covariance",
    "test_check_gcv_mode_choice",
    "test_ridge_classifier_with_scoring",
    "test_ridge_regression_custom_scoring",
    "test_ridge_classifier_multilabel_array_api",
    "test_class_weights",
    "test_class_weight_vs_sample_weight",
    "test_class_weights_cv",
    "test_ridge_classifier_cv_store_cv_results",
    "test_ridge_regression_dtype_stability",
    "test_lbfgs_solver_consistency",
    r"test_ridge_gcv_vs_ridge_loo_cv\[.*-asarray-.*\]",
    r"test_ridge_gcv_sample_weights\[.*-asarray-.*\]",
]


@pytest.mark.parametrize(
    ("file", "old"),
    [
        ("test_base.py", "from sklearn.linear_model import LinearRegression\n"),
        ("test_ridge.py", "from sklearn.linear_model import (\n    LinearRegression,\n    Ridge,"),
    ],
)
def test_scikit_learns_tests_pass_with_our_import(file, old, tmp_path):
    run_scikit_learns_tests("sklearn.linear_model.tests", file, old, tmp_path, CONFTEST, THEIRS)
