"""scikit-learn's own tests of trees and forests, with our classes in place of its."""

import pytest
from tests.helpers.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import pytest

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param

ENGINES = "compares trees of several outputs, which scikit-learn grows, with trees of one"
CHANCE = "expects what scikit-learn's random numbers happen to be"
GROWS = "a limit on leaves reserves no memory here, so that a huge one is no error"
SKIPPED = {
    "test_class_weights": ENGINES,
    "test_class_weights_forest": ENGINES,
    "test_huge_allocations": GROWS,
    "test_distribution": CHANCE,  # test_shares_of_random_trees looks at more of them
}

def pytest_collection_modifyitems(items):
    for item in items:
        reason = SKIPPED.get(item.name.partition("[")[0])
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))
"""

THEIRS = [r"test_.*\[(.*-)?RandomTreesEmbedding(-.*)?\]", "test_random_hasher.*"]  # not ours

OURS = {
    "tree": (
        "sklearn.tree.tests",
        "test_tree.py",
        "from sklearn.utils import compute_sample_weight\n",
        "from quire.tree import (\n    DecisionTreeClassifier, DecisionTreeRegressor,\n"
        "    ExtraTreeClassifier, ExtraTreeRegressor,\n)\n",
    ),
    "forest": (
        "sklearn.ensemble.tests",
        "test_forest.py",
        "from sklearn.utils.multiclass import type_of_target\n",
        "from quire.ensemble import (\n    ExtraTreesClassifier, ExtraTreesRegressor,\n"
        "    RandomForestClassifier, RandomForestRegressor,\n)\n",
    ),
}


@pytest.mark.parametrize("name", OURS)
def test_scikit_learns_tests_pass_with_our_classes(name, tmp_path):
    package, file, line, ours = OURS[name]
    run_scikit_learns_tests(package, file, {line: line + ours}, tmp_path, CONFTEST, THEIRS)
