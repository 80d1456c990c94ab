"""A second fit with ``warm_start`` and other classes or columns: what scikit-learn does, too."""

import inspect

import numpy as np
import pytest
from fuzz.seeds import exported
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import all_estimators

import quire

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(120, 6)))
WIDE = np.hstack([X, X[:, :2]])
Y = RNG.normal(size=120)
FIVE, TWO = np.arange(120) % 5, np.arange(120) % 2
CASES = {
    "fewer classes": (X, FIVE, X, TWO),
    "more classes": (X, TWO, X, FIVE),
    "fewer columns": (X, TWO, X[:, :4], TWO),
    "more columns": (X, TWO, WIDE, TWO),
}
THEIRS = dict(all_estimators())


def with_warm_start():
    """Yield the exported classes that go on from a fit, with scikit-learn's of the same name."""
    for kind in exported():
        if "warm_start" in inspect.signature(kind).parameters:
            yield kind, THEIRS.get(kind.__name__)


PAIRS = [
    (ours, theirs)
    for ours, theirs in with_warm_start()
    if theirs is not None and "warm_start" in inspect.signature(theirs).parameters
]
# These of scikit-learn go on with weights for other columns: they write behind the end of the array
# before they notice. In this process that would damage the heap for all tests that follow.
UNSAFE = {"Lasso", "ElasticNet"}
ALONE = [ours for ours, theirs in with_warm_start() if ours not in [pair[0] for pair in PAIRS]]


def twice(kind, case):
    """Fit twice and predict; return how far it came, and the error if there was one."""
    first, y, second, z = CASES[case]
    model = kind(warm_start=True)
    numbers = {"random_state": 0, "n_estimators": 4}
    model.set_params(**{name: numbers[name] for name in numbers if name in model.get_params()})
    if is_regressor(model):
        y = z = Y
    steps = []
    try:
        model.fit(first, y)
        if "n_estimators" in model.get_params():
            model.set_params(n_estimators=6)
        model.fit(second, z)
        steps.append("fitted")
        answer = getattr(model, "predict_proba", model.predict)(second)
        steps.append(answer.shape)
    except Exception as error:
        return steps, error
    return steps, None


def test_there_are_classes():
    assert {"RandomForestClassifier", "BaggingClassifier", "LogisticRegression"} <= {
        ours.__name__ for ours, _ in PAIRS
    }
    assert {kind.__name__ for kind in ALONE} == {
        "LatentDirichletAllocation",
        "OrdinalRegression",
    }


@pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[pair[0].__name__ for pair in PAIRS])
def test_it_ends_as_scikit_learns_does(ours, theirs, case):
    if case.endswith("classes") and not is_classifier(ours()):
        pytest.skip("has no classes")
    if case.endswith("columns") and theirs.__name__ in UNSAFE:
        expected, their_error = [], ValueError()
    else:
        expected, their_error = twice(theirs, case)
    found, our_error = twice(ours, case)
    assert found == expected
    if their_error is None:
        assert our_error is None
        return
    assert isinstance(our_error, type(their_error))
    if str(their_error).startswith("X has "):
        assert str(our_error).startswith(str(their_error))


@pytest.mark.parametrize("case", ["fewer columns", "more columns"])
def test_topics_do_not_go_on_with_other_columns(case):
    first, _, second, _ = CASES[case]
    model = quire.decomposition.LatentDirichletAllocation(
        3, learning_method="gibbs", max_iter=5, warm_start=True, random_state=0
    )
    model.fit(np.ceil(first))
    try:
        model.fit(np.ceil(second))
    except ValueError:
        assert model.components_.shape == (3, first.shape[1])
    else:
        assert model.components_.shape == (3, second.shape[1])
        assert model.transform(np.ceil(second)).shape == (120, 3)


@pytest.mark.parametrize("case", CASES)
def test_ordered_classes_begin_anew(case):
    first, y, second, z = CASES[case]
    model = quire.linear_model.OrdinalRegression(warm_start=True).fit(first, y)
    anew = quire.linear_model.OrdinalRegression().fit(second, z)
    model.fit(second, z)
    np.testing.assert_allclose(model.predict_proba(second), anew.predict_proba(second), atol=1e-3)
