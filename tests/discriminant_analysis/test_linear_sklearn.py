"""scikit-learn's own tests of discriminant analysis, with our import."""

from tests.helpers.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import pytest

@pytest.fixture(params=[0])
def global_random_seed(request):
    return request.param

def pytest_collection_modifyitems(items):
    # The quadratic ones are scikit-learn's own, and not our concern.
    items[:] = [item for item in items if "qda" not in item.name]
"""
OLD = """from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    _cov,
)
"""
NEW = """from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis, _cov
from quire.discriminant_analysis import LinearDiscriminantAnalysis
"""


def test_scikit_learns_tests_pass_with_our_import(tmp_path):
    run_scikit_learns_tests(
        "sklearn.tests", "test_discriminant_analysis.py", {OLD: NEW}, tmp_path, CONFTEST
    )
