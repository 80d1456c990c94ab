"""What the tables say of attributes, and that they are read as they are written."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC as SklearnSVC

from quire.feature_extraction.text import CountVectorizer
from quire.kinds import Blueprint, check_blueprint, schema_of, schemas, why_refused
from quire.kinds._language import Mismatch, Scope, match
from quire.kinds._schema import Schema, check_state
from quire.linear_model import LogisticRegression, Ridge
from quire.svm import SVC
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor


def fits(spec, value, **sizes):
    scope = Scope(dict(sizes))
    try:
        match(spec, value, scope)
        for check in scope.later:
            check()
    except Mismatch:
        return False
    return True


OPEN = np.zeros((3, 2))
MATRIX = sparse.csr_array(np.eye(3))


@pytest.mark.parametrize(
    ("spec", "good", "bad"),
    [
        ("int", [3, np.int8(3)], [True, 3.0, "3", None, np.array(3)]),
        ("float", [3, 3.5, np.float32(1), float("nan")], [True, "3", None, np.array(3.5)]),
        ("bool", [True, np.True_], [1, 0.0]),
        ("str", ["a"], [b"a", 1]),
        ("none", [None], [0, ""]),
        ("label", ["a", 1, True, None, np.str_("a")], [(), [1], np.array(["a"])]),
        ("int >= 1", [1, 9], [0, -3]),
        ("float > 0 <= 1", [0.5, 1.0], [0.0, 1.5, float("nan")]),
        ("float finite", [0.5], [float("inf"), float("nan")]),
        ("int = P", [4], [3]),
        ("float[K, P]", [np.zeros((3, 4))], [np.zeros((4, 3)), np.zeros(4), np.zeros((3, 4, 1))]),
        ("float[K+1]", [np.zeros(4)], [np.zeros(3)]),
        ("float[K-1]", [np.zeros(2)], [np.zeros(3)]),
        ("float[_, ...]", [np.zeros(2), OPEN], [np.zeros(()), [0.0]]),
        ("float[_]", [np.zeros(2, "f4"), np.zeros(2, ">f8")], [np.zeros(2, "f2"), OPEN]),
        ("int32[_]", [np.zeros(2, "i4")], [np.zeros(2, "i8"), np.zeros(2, "u4")]),
        ("index[_] >= 0 < P", [np.array([0, 3])], [np.array([0, 4]), np.array([-1, 0])]),
        ("int64[N+1] sorted", [np.array([0, 2, 2])], [np.array([0, 2, 1])]),
        ("float[_] finite", [np.zeros(2)], [np.array([0, np.inf]), np.array([np.nan])]),
        ("float[_]", [np.zeros(2)], [np.ma.zeros(2), np.zeros(2).view(np.recarray)]),
        ("str[_]", [np.array(["a"]), np.array(["a"], object)], [np.array([1], object), np.ones(1)]),
        ("label[_]", [np.array(["a", None], object), np.arange(2)], [np.array([[1], []], object)]),
        ("records[_]", [np.zeros(2, "i4,i4")], [np.zeros(2)]),
        ("list of int", [[1, 2], []], [(1, 2), [1, "a"], 1]),
        ("list[K] of int", [[1, 2, 3]], [[1, 2]]),
        ("list[K] of float[P]", [[np.zeros(4)] * 3], [[np.zeros(4), np.zeros(3), np.zeros(4)]]),
        ("sequence of str", [["a"], ("a",)], [{"a"}, "a"]),
        ("tuple(str, int)", [("a", 1)], [("a",), ["a", 1], (1, "a")]),
        ("dict of str to int", [{"a": 1}], [{1: 1}, {"a": "b"}, [("a", 1)]]),
        ("int | none", [1, None], ["a"]),
        ("list of (int | none)", [[1, None]], [["a"]]),
        ("plain", [{"a": [1, (2.0, None)]}], [{"a": [OPEN]}, object()]),
        ({"a": "int", "b?": "str"}, [{"a": 1}, {"a": 1, "b": ""}], [{}, {"a": 1, "c": 2}, [1]]),
        (("int", {"a": "int"}), [1, {"a": 1}], ["a", {"a": "b"}]),
        ("sparse float[_, 3]", [MATRIX], [np.eye(3), MATRIX.tocoo(), MATRIX[:, :2]]),
        ("Ridge", [Ridge(), Blueprint(Ridge)], [SVC(), Blueprint(SVC), None]),
        ("estimator", [Ridge(), Blueprint(Ridge)], [{}, Blueprint(dict), "Ridge"]),
        ("function", [len, np.log1p], ["len"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_a_table_says(spec, good, bad):
    for value in good:
        assert fits(spec, value, K=3, P=4), value
    for value in bad:
        assert not fits(spec, value, K=3, P=4), value


def test_a_sparse_matrix_with_places_outside_is_none():
    matrix = sparse.csr_array(np.eye(3))
    assert fits("sparse float[3, 3]", matrix)
    matrix.indices[1] = 7
    assert not fits("sparse float[3, 3]", matrix)


@pytest.mark.parametrize(
    "spec", ["words", "int[", "list int", "int ] of", "float[K] nearly", "§", ""]
)
def test_a_table_that_cannot_be_read(spec):
    with pytest.raises((SyntaxError, TypeError)):
        match(spec, 1, Scope())


def test_sizes_agree_across_attributes_in_any_order():
    schema = Schema({"coef_": "float[K, P]", "index_": "int[_] < P", "classes_": "label[K]"})
    state = {"coef_": np.zeros((3, 4)), "index_": np.array([3]), "classes_": np.array(list("abc"))}
    check_state(Ridge, schema, state)
    with pytest.raises(ValueError, match=r"Ridge\.classes_ is <U1 of shape \(2,\), not label\[K\]"):
        check_state(Ridge, schema, {**state, "classes_": np.array(list("ab"))})
    with pytest.raises(ValueError, match=r"Ridge\.index_ is not int\[_\] < P \(4\)"):
        check_state(Ridge, schema, {**state, "index_": np.array([4])})
    with pytest.raises(ValueError, match="Ridge has no classes_"):
        check_state(Ridge, schema, {"coef_": state["coef_"], "index_": state["index_"]})
    with pytest.raises(ValueError, match="Ridge has no attribute other_"):
        check_state(Ridge, schema, {**state, "other_": 1})


def test_the_place_in_a_list_is_named():
    with pytest.raises(ValueError, match=r"Ridge\.parts_\[1\] holds other things than list of"):
        check_state(Ridge, Schema({"parts_": "list of list of int"}), {"parts_": [[1], ["a"]]})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", -1.0),
        ("alpha", np.ma.masked_array([1.0], [True])),
        ("solver", "none of them"),
        ("fit_intercept", "maybe"),
        ("max_iter", Blueprint(Ridge)),
        ("random_state", -1),
    ],
)
def test_parameters_are_those_that_a_fit_takes(name, value):
    state = {**Ridge().get_params(), name: value}
    with pytest.raises(ValueError, match=rf"Ridge\.{name} (cannot be|has an array with a mask)"):
        check_blueprint(Blueprint(Ridge, state))
    check_blueprint(Blueprint(Ridge, Ridge(alpha=2.0).get_params()))
    check_blueprint(Blueprint(Ridge))  # older files lack parameters


def test_more_workers_than_any_machine_has():
    for n_jobs in (None, -1, 64):
        check_blueprint(Blueprint(LogisticRegression, {"n_jobs": n_jobs}))
    with pytest.raises(ValueError, match=r"n_jobs is"):
        check_blueprint(Blueprint(LogisticRegression, {"n_jobs": 10**9}))


def test_words_in_a_row_are_counted_from_none_on():
    check_blueprint(Blueprint(CountVectorizer, {"ngram_range": (1, 3)}))
    for value in ((-(2**62), 1), (1,), (1.0, 2.0), None):
        with pytest.raises(ValueError, match=r"CountVectorizer\.ngram_range"):
            check_blueprint(Blueprint(CountVectorizer, {"ngram_range": value}))


def test_lists_of_one_another_are_looked_at_once():
    laughs = ["ha"]
    for _ in range(200):
        laughs = [laughs] * 9
    assert fits("plain", laughs)
    check_blueprint(Blueprint(LogisticRegression, {"class_weight": None, "reference": laughs}))
    laughs = [[np.ma.masked_array([1.0])]] + [laughs] * 3
    with pytest.raises(ValueError, match="reference has an array with a mask"):
        check_blueprint(Blueprint(LogisticRegression, {"reference": laughs}))


def tree(cls, **changes):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3
    state = cls(random_state=0).fit(X, y).__getstate__()
    state.pop("_sklearn_version", None)
    arrays = {key: np.copy(value) if isinstance(value, np.ndarray) else value
              for key, value in state["_arrays"].items()}  # fmt: skip
    return {**state, "_arrays": arrays, **changes}


def inner(nodes, n=3):
    """Return some nodes with children, the root first."""
    return np.flatnonzero(nodes["left"] >= 0)[:n]


def point_to_itself(arrays):
    arrays["nodes"]["left"][inner(arrays["nodes"])[1]] = inner(arrays["nodes"])[1]


def point_back(arrays):
    arrays["nodes"]["right"][inner(arrays["nodes"])[2]] = 0


def share_a_child(arrays):
    places = inner(arrays["nodes"])
    arrays["nodes"]["right"][places[0]] = arrays["nodes"]["left"][places[0]]


def point_outside(arrays):
    arrays["nodes"]["left"][0] = len(arrays["nodes"])


def ask_about_no_column(arrays):
    arrays["nodes"]["feature"][0] = 3


def go_deeper(arrays):
    arrays["depth"] += 1


def end_too_soon(arrays):
    arrays["nodes"] = arrays["nodes"][:-1].copy()


def have_other_nodes(arrays):
    arrays["nodes"] = arrays["nodes"].view(np.uint8)


def have_masked_nodes(arrays):
    arrays["nodes"] = np.ma.masked_array(arrays["nodes"])


def have_no_values(arrays):
    name = "value" if "value" in arrays else "sum_weight"
    arrays[name] = arrays[name][:0].copy()


def have_empty_values(arrays):
    name = "value" if "value" in arrays else "sum_weight"
    arrays[name] = np.zeros((len(arrays[name]), 0))


def have_unknown_numbers(arrays):
    arrays["value" if "value" in arrays else "sum_weight"][0] = np.nan


def count_another_class(arrays):
    if "sum_class" in arrays:
        arrays["sum_class"][0] = 3
    else:
        arrays["value"] = arrays["value"][:, None, None].repeat(2, axis=2)


def keep_another_array(arrays):
    arrays["more"] = np.zeros(3)


CHANGES = (
    point_to_itself, point_back, share_a_child, point_outside, ask_about_no_column, go_deeper,
    end_too_soon, have_other_nodes, have_masked_nodes, have_no_values, have_empty_values,
    have_unknown_numbers, count_another_class, keep_another_array,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("cls", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_trees_that_are_none(cls, change):
    state = tree(cls)
    check_blueprint(Blueprint(cls, state))
    change(state["_arrays"])
    with pytest.raises(ValueError, match=cls.__name__):
        check_blueprint(Blueprint(cls, state))


def test_a_mark_of_an_old_check_is_no_attribute():
    state = tree(DecisionTreeClassifier)
    with pytest.raises(ValueError, match="has no attribute _is_checked"):
        check_blueprint(Blueprint(DecisionTreeClassifier, {**state, "_is_checked": True}))


def test_classes_of_a_tree_are_as_many_as_it_counts():
    for changes in ({"n_classes_": 2}, {"classes_": np.arange(2)}, {"n_outputs_": 2}):
        with pytest.raises(ValueError, match="DecisionTreeClassifier: "):
            check_blueprint(
                Blueprint(DecisionTreeClassifier, tree(DecisionTreeClassifier, **changes))
            )


def test_only_scikit_learns_own_kernel_machines_are_refused():
    assert "Use quire.svm" in why_refused(SklearnSVC)
    assert schema_of(SklearnSVC) is None
    assert schema_of(SVC) is schemas()["quire.svm.SVC"]
