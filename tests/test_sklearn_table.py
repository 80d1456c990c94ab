"""The page about scikit-learn's own tests says what the tables say."""

from tests.helpers.sklearn_exceptions import SUITES
from tests.helpers.sklearn_suite import with_our_classes
from tests.helpers.sklearn_table import check_page

FAMILIES = {
    *("text", "naive_bayes", "linear", "discriminant", "svm", "neighbors", "tree", "ensemble"),
    *("cluster", "mixture", "decomposition", "lda"),
}


def test_the_page_is_written_from_the_tables():
    check_page()


def test_there_are_files_of_every_family_and_a_reason_for_every_exception():
    assert {suite.family for suite in SUITES} == FAMILIES
    for suite in SUITES:
        assert all(len(reason) > 20 for reason in suite.exceptions.values())


def test_imports_of_a_file_become_ours():
    theirs = """from sklearn import svm, metrics
from sklearn.svm import (
    SVC,
    NuSVC as Nu,
)

def f():
    from sklearn.svm import LinearSVC as L
    return L
"""
    found = {}
    exec(with_our_classes(theirs, ("sklearn.svm",)), found)
    assert found["SVC"].__module__ == found["svm"].SVC.__module__ == "quire.svm._svc"
    assert found["f"]().__module__ == "quire.svm._linear_svc"
    assert found["Nu"] is found["svm"].NuSVC
    assert found["Nu"].__module__.startswith("sklearn.")
    assert found["metrics"].__name__ == "sklearn.metrics"
