"""scikit-learn's own tests of support vector machines, with our classes."""

import pytest
from tests.helpers.sklearn_exceptions import suites_of
from tests.helpers.sklearn_table import check_suite


@pytest.mark.parametrize("suite", suites_of("svm"), ids=str)
def test_scikit_learns_tests_pass_with_our_classes(suite, tmp_path):
    check_suite(suite, tmp_path)
