"""Forests, bags and trees whose arrays were damaged or changed: errors, and no wrong answers."""

import copy
import pickle
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from quire.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

X, Y = make_classification(300, 6, n_informative=4, n_classes=3, random_state=0)
FORESTS = [
    RandomForestClassifier,
    ExtraTreesClassifier,
    RandomForestRegressor,
    ExtraTreesRegressor,
]
ANSWERS = {
    "predict": lambda model: model.predict(X),
    "predict of one row": lambda model: model.predict(X[:1]),
    "predict of sparse rows": lambda model: model.predict(sparse.csr_array(X)),
    "apply": lambda model: model.apply(X),
    "feature_importances_": lambda model: model.feature_importances_,
    "decision_path": lambda model: model.decision_path(X),
}


def cycle(nodes, begin=0):
    """Make the first division of a tree lead back to it."""
    nodes["left"][begin] = 0


def two_parents(nodes, begin=0):
    nodes["left"][begin] = nodes["right"][begin]


def far_child(nodes, begin=0):
    nodes["right"][begin] = 2**31 - 1


def far_column(nodes, begin=0):
    nodes["feature"][begin] = 10**6


DAMAGES = [cycle, far_child, far_column]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", [*FORESTS, DecisionTreeClassifier, DecisionTreeRegressor])
def test_damaged_nodes_are_errors(kind, damage):
    options = {"n_estimators": 3} if kind in FORESTS else {}
    model = pickle.loads(pickle.dumps(kind(random_state=0, **options).fit(X, Y)))
    arrays = model._packed if kind in FORESTS else model._arrays
    model._is_checked = True  # nothing reads such a mark
    damage(arrays["nodes"])
    for answer in ANSWERS.values():
        with pytest.raises(ValueError, match="the arrays of the trees are damaged"):
            answer(model)
    with pytest.raises(ValueError, match="the arrays of the trees are damaged"):
        (model.estimators_[0] if kind in FORESTS else model).tree_  # noqa: B018


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_a_node_with_two_parents(kind):
    model = kind(3, random_state=0).fit(X, Y)
    two_parents(model._packed["nodes"])
    with pytest.raises(ValueError, match=r"two parents|no parent"):
        model.feature_importances_  # noqa: B018
    with pytest.raises(ValueError, match=r"two parents|no parent"):
        model.decision_path(X)


def test_a_mark_in_the_state_switches_no_check_off():
    model = RandomForestClassifier(3, random_state=0).fit(X, Y)
    state = model.__getstate__() | {"_is_checked": True}
    state["_packed"] = copy.deepcopy(state["_packed"])
    far_child(state["_packed"]["nodes"])
    forged = RandomForestClassifier.__new__(RandomForestClassifier)
    forged.__setstate__(state)
    with pytest.raises(ValueError, match="the arrays of the trees are damaged"):
        forged.predict(X)


@pytest.mark.parametrize("shape", [(0,), (0, 1, 1), "n, 0"])
def test_values_of_another_shape(shape):
    model = RandomForestRegressor(3, random_state=0).fit(X, Y)
    shape = (len(model._packed["nodes"]), 0) if shape == "n, 0" else shape
    model._packed["value"] = np.empty(shape)
    for answer in ("predict", "predict of one row", "feature_importances_"):
        with pytest.raises(ValueError, match="the arrays of the trees are damaged"):
            ANSWERS[answer](model)
    tree = DecisionTreeRegressor().fit(X, Y)
    tree._arrays["value"] = np.empty((len(tree._arrays["nodes"]), 0))
    with pytest.raises(ValueError, match="the arrays of the trees are damaged"):
        tree.predict(X)


@pytest.mark.parametrize("kind", [BaggingClassifier, BaggingRegressor])
def test_packed_arrays_of_a_bag(kind):
    model = kind(random_state=0).fit(X, Y)
    model.predict(X)
    far_column(model._packing[0]["nodes"])
    with pytest.raises(ValueError, match="the arrays of the trees are damaged"):
        model.predict(X)
    state = kind(random_state=0).fit(X, Y).__getstate__() | {"_packing": model._packing}
    forged = kind.__new__(kind)
    forged.__setstate__(state)  # what is packed is made from the trees
    np.testing.assert_array_equal(forged.predict(X), kind(random_state=0).fit(X, Y).predict(X))


def test_a_depth_that_is_too_small():
    """scikit-learn's paths are written into room for the depth that the tree says it has."""
    model = DecisionTreeClassifier(random_state=0).fit(X, Y)
    expected = model.decision_path(X).toarray()
    forged = pickle.loads(pickle.dumps(model))
    forged._arrays["depth"] = 0
    np.testing.assert_array_equal(forged.decision_path(X).toarray(), expected)


@pytest.mark.parametrize("kind", [*FORESTS, DecisionTreeClassifier, DecisionTreeRegressor])
def test_rows_that_are_narrower_than_the_trees(kind):
    """Also where the attribute that they are compared with was changed."""
    model = kind(random_state=0).fit(X, Y)
    model.decision_path(X)
    _ = [tree.tree_ for tree in getattr(model, "estimators_", [model])]
    model.n_features_in_ = 2
    for tree in getattr(model, "estimators_", []):
        tree.n_features_in_ = 2
    for rows in (X[:, :2], X[:1, :2], sparse.csr_array(X[:, :2])):
        for name in ("predict", "apply", "decision_path"):
            with pytest.raises(ValueError, match="the arrays of the trees are damaged"):
                getattr(model, name)(rows)


def ask_everything(model):
    """Return how many questions were answered; others end in an error of Python."""
    answered = 0
    try:
        trees = getattr(model, "estimators_", [])[:1]
    except (TypeError, ValueError, IndexError):  # of arrays that do not say where trees begin
        trees = []
    questions = [
        *(partial(answer, model) for answer in ANSWERS.values()),
        lambda: model.predict_proba(X),
        lambda: model.evidence(X[:2]),
        *(partial(getattr, part, "tree_") for part in [model, *trees]),
        *(partial(answer, tree) for tree in trees for answer in ANSWERS.values()),
        lambda: export_text(trees[0]),
    ]
    for question in questions:
        try:
            question()
            answered += 1
        except SystemError:
            raise
        except Exception:  # a refusal, of any kind: what must not be is an end of the process
            continue
    return answered


@pytest.mark.parametrize("kind", [*FORESTS, BaggingClassifier, BaggingRegressor])
def test_attributes_of_any_kind(kind):
    """Answers or errors; under the sanitizers it is seen that none looks outside of an array."""
    fitted = kind(n_estimators=3, random_state=0).fit(X, Y)
    names = {"n_features_in_", "n_classes_", "n_outputs_", "classes_"} & set(vars(fitted))
    for name in sorted(names):
        for value in (0, 1, 2, 500, -1, 10**4, None, "x", np.zeros(0), np.arange(3)):
            model = copy.deepcopy(fitted)
            setattr(model, name, value)
            ask_everything(model)


def damaged(rng, array):
    """Return an array of another length, shape, type or content; by chance, one of many ways."""
    way = rng.integers(9)
    if way < 5:
        array = array.copy()
        raw = array.view(np.uint8).reshape(-1) if array.size else array
        for at in rng.integers(0, max(1, raw.size), rng.integers(1, 9)):
            if raw.size:
                raw[at] = rng.choice([0, 1, 127, 128, 255, rng.integers(256)])
        return array
    if way == 5:
        return array[: rng.integers(0, len(array) + 1)].copy()
    if way == 6:
        return np.concatenate([array, array[:3]])
    if way == 7:
        return array.reshape(-1, 1) if rng.integers(2) else array[:, None][:, :0]
    return ([], None, np.arange(len(array)), np.ones(len(array), dtype="f4"))[rng.integers(4)]


@pytest.mark.parametrize(
    "kind", [*FORESTS, BaggingClassifier, BaggingRegressor, DecisionTreeClassifier]
)
def test_arrays_damaged_by_chance(kind):
    """In trees, forests and bags, one array or several at a time."""
    rng = np.random.default_rng(1)
    options = {} if kind is DecisionTreeClassifier else {"n_estimators": 3}
    state = pickle.dumps(kind(random_state=0, **options).fit(X, Y))
    answered = 0
    for _ in range(60):
        model = pickle.loads(state)
        if "Bag" in kind.__name__:
            arrays = model.estimators_[rng.integers(3)]._arrays
        else:
            arrays = model._packed if options else model._arrays
        names = [name for name, value in arrays.items() if isinstance(value, np.ndarray)]
        for name in rng.choice(names, rng.integers(1, 3), replace=False):
            arrays[name] = damaged(rng, np.asarray(arrays[name]))
        answered += ask_everything(model)
    assert answered > 0


@pytest.mark.parametrize("n_rows", [1, 300])
@pytest.mark.parametrize("kind", FORESTS)
def test_rows_with_a_column_outside_of_them(kind, n_rows):
    model = kind(3, random_state=0).fit(sparse.csr_array(X), Y)
    for damage in ("indices", "indptr"):
        rows = sparse.csr_array(X[:n_rows])
        getattr(rows, damage)[-1] = 10**6
        with pytest.raises(ValueError, match=r"column|damaged sparse"):
            model.predict(rows)
        with pytest.raises(ValueError, match="damaged sparse"):
            BaggingClassifier().fit(rows, Y[:n_rows])
        with pytest.raises(ValueError, match="damaged sparse"):
            DecisionTreeClassifier().fit(rows, Y[:n_rows])
        with pytest.raises(ValueError, match=r"column|damaged sparse"):
            kind(3).fit(rows, Y[:n_rows])


WARM = """
import numpy as np
from quire.ensemble import RandomForestClassifier
X = np.random.default_rng(0).normal(size=(1000, 4))
model = RandomForestClassifier(5, warm_start=True, random_state=0).fit(X, np.arange(1000) % 500)
model.set_params(n_estimators=6).fit(X, np.arange(1000) % 2)
for call in (model.predict_proba, model.predict, model.apply):
    try:
        call(X)
    except ValueError as error:
        assert "classes" in str(error), error
    else:
        raise SystemExit(f"{call} answered")
model.set_params(warm_start=False).fit(X, np.arange(1000) % 2)
assert model.predict_proba(X).shape == (1000, 2)
"""


def test_going_on_with_fewer_classes():
    """In a process of its own: a write beyond a buffer may end it later on."""
    done = subprocess.run(
        [sys.executable, "-c", WARM], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def test_what_was_learnt_survives_a_fit_that_fails():
    model = RandomForestClassifier(3, random_state=0).fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, np.where(Y == 0, np.nan, Y))
    np.testing.assert_array_equal(model.predict_proba(X), before)


# Trees that are changed --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORESTS)
def test_trees_of_two_forests_are_one_forest(kind):
    first, second = (kind(4, random_state=seed).fit(X, Y) for seed in (0, 1))
    answer = "predict_proba" if hasattr(first, "predict_proba") else "predict"
    expected = (getattr(first, answer)(X) + getattr(second, answer)(X)) / 2
    first.estimators_ += second.estimators_
    first.n_estimators = len(first.estimators_)
    assert first.n_estimators == 8
    for model in (first, pickle.loads(pickle.dumps(first)), copy.deepcopy(first)):
        np.testing.assert_allclose(getattr(model, answer)(X), expected)
        assert model.apply(X).shape == (300, 8)
        assert len(model.estimators_) == 8


@pytest.mark.parametrize("kind", FORESTS)
def test_a_changed_list_of_trees_is_a_changed_forest(kind):
    model = kind(5, random_state=0).fit(X, Y)
    trees = list(model.estimators_)
    model.estimators_ = trees[:1]
    np.testing.assert_allclose(model.predict(X), trees[0].predict(X))
    model.estimators_[0] = trees[1]
    np.testing.assert_allclose(model.predict(X), trees[1].predict(X))
    del model.estimators_[0]
    with pytest.raises(ValueError, match="there is no tree"):
        model.predict(X)
    model.estimators_.append(trees[2])
    np.testing.assert_allclose(model.predict(X), trees[2].predict(X))
    model.estimators_[0].fit(X[:50], Y[:50])
    np.testing.assert_allclose(model.predict(X), trees[2].predict(X))
    model.estimators_.append("a tree")
    with pytest.raises(TypeError, match=r"builtins\.str"):
        model.predict(X)


def test_a_bag_follows_its_list():
    model = BaggingRegressor(n_estimators=4, random_state=0).fit(X, Y)
    model.predict(X)
    trees = model.estimators_
    model.estimators_, model.estimators_features_ = trees[:1], model.estimators_features_[:1]
    np.testing.assert_allclose(model.predict(X), trees[0].predict(X))


def test_trees_of_both_engines_in_one_forest():
    two = (Y > 0).astype(int)
    model = RandomForestClassifier(3, warm_start=True, random_state=0).fit(X, two)
    model.set_params(n_estimators=5, monotonic_cst=[1, 0, 0, 0, 0, 0]).fit(X, two)
    expected = np.mean([tree.predict_proba(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), expected)


# Arrays that change ------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [np.array, sparse.csr_array], ids=["dense", "sparse"])
def test_forests_fitted_in_two_threads_on_arrays_that_change(make):
    """One thread keeps fitting; in the other, rows change in place between two fits."""
    rng = np.random.default_rng(0)
    dense = np.zeros((400, 5), dtype=np.float32)
    dense[:, 0] = np.where(np.arange(400) % 2, 1, -1)
    dense[:, 1:] = rng.normal(size=(400, 4))
    y = np.arange(400) % 2
    shared = make(dense)
    stop = threading.Event()
    failures = []

    def keep_fitting():
        try:
            while not stop.is_set():
                other = RandomForestClassifier(5, random_state=1, n_jobs=1).fit(shared, y)
                assert other.n_features_in_ == 5
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=keep_fitting)
    thread.start()
    try:
        for turn in range(6):
            model = RandomForestClassifier(8, max_features=None, random_state=0).fit(shared, y)
            assert model.score(shared, y) == 1.0, turn
            values = shared if isinstance(shared, np.ndarray) else shared.data.reshape(400, 5)
            order = np.roll(np.arange(5), 1)
            values[:] = values[:, order].copy()  # the column that decides is the next one
            assert model.score(shared, y) < 0.9
            values[:, (turn + 1) % 5] *= -1
    finally:
        stop.set()
        thread.join()
    assert not failures
