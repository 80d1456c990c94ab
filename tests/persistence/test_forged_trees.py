"""Forged files with right checksums: what a tree may say, before an object of it is made."""

import base64
import io
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import FunctionTransformer
from tests.helpers.forged_files import Parts, content_of, parts_of, rebuilt, state_of

import quire
from quire.feature_extraction.text import CountVectorizer
from quire.linear_model import Ridge
from quire.persistence import ModelFileError, UnsavableModelError, _make

X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], [0.0, 2.0, 1.0]


def saved(model):
    file = io.BytesIO()
    quire.save(model, file)
    return file.getvalue()


PLAIN = saved({"value": None})
RIDGE = saved(Ridge().fit(X, Y))


def loaded(content):
    return quire.load(io.BytesIO(content))


def with_node(node, *arrays):
    """Return a file of a dictionary with this node as a value; arrays are its members."""

    def change(parts):
        parts.tree["values"] = [node]
        for array in arrays:
            parts.add(array)

    return rebuilt(PLAIN, change)


def refused(content, match):
    with pytest.raises(ModelFileError, match=match) as caught:
        loaded(content)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


def array(values, **changes):
    values = np.asarray(values)
    data = base64.b64encode(values.tobytes()).decode()
    shape = list(values.shape)
    node = {"t": "array", "dtype": values.dtype.str, "shape": shape, "order": "C", "base64": data}
    return {**node, **changes}


def strings(text, lengths):
    return {"t": "list", "items": {"t": "strings", "text": text, "lengths": lengths}}


def numbers(kind="list"):
    return {"t": kind, "items": {"t": "numbers", "member": "arrays/0.npy"}}


def dictionary(keys, values):
    return {"t": "dict", "keys": keys, "values": values}


def test_the_frame_of_these_tests_is_sound():
    assert loaded(with_node(array([1.0, 2.0])))["value"].tolist() == [1.0, 2.0]
    assert loaded(with_node(numbers(), np.arange(70)))["value"] == list(range(70))


@pytest.mark.parametrize(
    ("node", "match"),
    [
        ({"t": "list", "items": [], "more": 1}, "a node of the kind 'list' with"),
        ({"t": "list"}, "a node of the kind 'list' with"),
        ({"t": "list", "items": 3}, "where items belong"),
        ({"t": "list", "items": {"t": "list", "items": []}}, "items of an unknown kind"),
        ({"t": "list", "items": [], "id": "a"}, "a node with the number 'a'"),
        ({"t": "list", "items": [], "id": True}, "a node with the number True"),
        ({"t": "list", "items": [], "id": -1}, "a node with the number -1"),
        ({"t": ["list"], "items": []}, "an unknown kind"),
        ({"t": "ref", "id": [1]}, "a node with the number"),
        ({"t": "ref", "id": 0, "more": 0}, "a node of the kind 'ref' with"),
        ({"t": "float", "text": "1.5"}, "is not one of nan"),
        ({"t": "int", "hex": 5}, "where a name belongs"),
        ({"t": "range", "parts": [1]}, "where three numbers belong"),
        ({"t": "slice", "parts": [1, "a", None]}, "where three numbers belong"),
        ({"t": "bytes", "base64": 3}, "where bytes belong"),
        ({"t": "type", "name": ["numpy.float64"]}, "not the name of a type"),
        ({"t": "dtype", "text": "<U99999999"}, "are too large"),
        ({"t": "dtype", "text": "i4,f8"}, "not the type of a plain array"),
        ({"t": "dtype", "text": "(3,)f8"}, "not the type of a plain array"),
        ({"t": "date", "text": 7}, "where a name belongs"),
        (dictionary(["a", "b"], [1]), "2 keys for 1 values"),
        (dictionary(["a", "a"], [1, 2]), "a key twice"),
        ({"t": "set", "items": [1, True]}, "an element of a set twice"),
        ({"t": "bunch", "keys": [1], "values": [1]}, "key of a bunch"),
        ({"t": "requests", "methods": {"owner": {"a": True}}}, "unknown methods"),
        ({"t": "requests", "methods": {"run": {}}}, "unknown methods"),
        ({"t": "requests", "methods": {"fit": {"a": 3}}}, "a request of 3"),
        ({"t": "enum", "class": "quire.linear_model.Ridge", "name": "A"}, "not an enumeration"),
    ],
)
def test_nodes_that_nothing_writes(node, match):
    refused(with_node(node), match)


@pytest.mark.parametrize(
    ("node", "match"),
    [
        (array([1.0], shape=[2]), r"of shape \[2\] has 8 bytes"),
        (array([1.0], shape=[-1]), r"\[-1\] is not the shape"),
        (array([1.0], shape=[True]), r"\[True\] is not the shape"),
        (array([1.0], shape=[1 << 62]), "does not fit into memory"),
        (array([], shape=[0, 1 << 40]), "does not fit into memory"),
        (array([1.0], order="K"), "not an order"),
        (array([1.0], dtype="<U0", shape=[10**12], base64=""), "does not fit into memory"),
        (array([1.0], dtype="V0", shape=[10**12], base64=""), "does not fit into memory"),
        (array([], dtype="<U99999999"), "does not fit into memory"),
        (array([1, 2, 0], dtype="?", shape=[24]), "truth values that are neither 0 nor 1"),
        (array([0x110000], dtype="<U1", shape=[2]), "text beyond Unicode"),
        ({**array([1.0]), "t": "scalar"}, "not the shape of one number"),
        ({"t": "objects", "shape": [-1], "items": [1]}, "not the shape"),
        ({"t": "objects", "shape": [0, 1 << 60], "items": []}, "does not fit into memory"),
    ],
)
def test_arrays_in_the_tree(node, match):
    refused(with_node(node), match)


def test_arrays_of_any_order_are_looked_at():
    bad = np.asfortranarray(np.full((3, 2), 2, dtype=np.uint8).view(bool))
    node = {"t": "array", "member": "arrays/0.npy"}
    refused(with_node(node, bad), "neither 0 nor 1")
    fields = np.zeros(300, dtype=[("a", "f8"), ("b", "?")])
    fields["b"].view(np.uint8)[7] = 3
    refused(with_node(node, fields), "neither 0 nor 1")


@pytest.mark.parametrize(
    ("node", "arrays", "match"),
    [
        (numbers(), [np.ones((2, 2))], "64-bit numbers"),
        (numbers(), [np.ones(3, dtype="f4")], "64-bit numbers"),
        (numbers(), [np.array(["a"])], "64-bit numbers"),
        (strings("arrays/0.npy", "arrays/1.npy"), [b"", np.ones(1)], "damaged"),
        (
            strings("arrays/0.npy", "arrays/1.npy"),
            [np.zeros(3, "u1"), np.array([1, -1, 3])],
            "do not fit",
        ),
        (
            strings("arrays/0.npy", "arrays/1.npy"),
            [np.zeros(2, "u1"), np.array([1 << 62, 1 << 62, 1 << 62, 1 << 62, 2])],
            "do not fit",
        ),
        (
            strings("arrays/0.npy", "arrays/1.npy"),
            [np.zeros(2, "u1"), np.array([2.0])],
            "bytes and lengths",
        ),
        (strings("arrays/0.npy", "arrays/0.npy"), [np.zeros(1, "u1")], "not an array of its own"),
        ({"t": "array", "member": "model.json"}, [], "not an array of its own"),
        ({"t": "array", "member": ["arrays/0.npy"]}, [], "not an array of its own"),
        (array([1.0]), [np.ones(1)], "'arrays/0.npy' is no part of the model"),
    ],
)
def test_members(node, arrays, match):
    refused(with_node(node, *arrays), match)


def test_members_have_the_names_that_are_written():
    def change(parts):
        parts.arrays["arrays/../x.npy"] = np.ones(2)

    refused(rebuilt(PLAIN, change), "is not the name of a member")


def test_references_name_complete_nodes():
    inner = {"t": "list", "items": [{"t": "ref", "id": 1}], "id": 1}
    refused(with_node(inner), "refers to 1, which is not complete there")
    pair = [{"t": "list", "items": [], "id": 1}, {"t": "set", "items": [], "id": 1}]
    refused(with_node({"t": "list", "items": pair}), "two nodes of the tree have the number 1")
    refused(with_node({"t": "ref", "id": 5}), "refers to 5")


def laughs(depth, width):
    node = {"t": "list", "id": 100, "items": ["ha"]}
    for i in range(1, depth):
        others = [{"t": "ref", "id": 99 + i}] * (width - 1)
        node = {"t": "list", "id": 100 + i, "items": [node, *others]}
    return node


@pytest.mark.parametrize(("depth", "width"), [(12, 9), (40, 2), (3, 1000)])
def test_references_do_not_multiply_what_is_there(depth, width):
    refused(with_node(laughs(depth, width)), "repeats more than 250000 values")


def test_sharing_is_bounded_on_both_sides():
    shared = list(range(1000))
    value = [shared] * 200
    again = loaded(saved({"value": value}))["value"]
    assert again == value
    assert again[0] is again[199]
    with pytest.raises(UnsavableModelError, match="more than 250000 values are repeated"):
        saved({"value": [shared] * 300})


def test_the_text_of_a_model_ends():
    def change(parts):
        parts.tree = {"t": "list", "items": [parts.tree] * 21_000}

    refused(rebuilt(saved(Ridge()), change), "parameters with more than 20000 objects")

    def nest(parts):
        inner = parts.tree
        for _ in range(30):
            inner = {**inner, "state": {**inner["state"], "estimator": inner}}
        parts.tree = {"t": "list", "items": [inner] * 50}

    refused(rebuilt(saved(FrozenEstimator(Ridge())), nest), "parameters with more than 20000 obj")


def test_objects_in_a_model_are_bounded_on_both_sides():
    with pytest.raises(UnsavableModelError, match="one of more than 20000 objects in parameters"):
        saved([Ridge() for _ in range(20_001)])
    assert len(loaded(saved([Ridge() for _ in range(2_000)]))) == 2_000
    # What a fit has made is not shown.
    many = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=2).fit(X * 2, Y * 2)
    for one in many.cv_results_["params"]:
        one["estimator"] = [Ridge() for _ in range(5_500)]
    again = loaded(saved(many)).cv_results_["params"]
    assert [len(one["estimator"]) for one in again] == [5_500, 5_500]


def test_depth_is_bounded_on_both_sides():
    value = 1
    for _ in range(99):
        value = [value]
    assert loaded(saved(value)) == value
    with pytest.raises(UnsavableModelError, match="nested too deeply"):
        saved([[value]])
    refused(
        rebuilt(PLAIN, lambda parts: vars(parts).update(tree=laughs(101, 1))),
        "deeper than 100 nodes",
    )


def test_keys_that_collide():
    keys = [{"t": "int", "hex": hex((1 << 61) - 1 << i)} for i in range(300)]
    keys = [{"t": "int", "hex": hex(((1 << 61) - 1) * (i + 10))} for i in range(300)]
    refused(with_node(dictionary(keys, [None] * 300)), "too many keys with one hash")
    sound = {i << 40: None for i in range(300)}
    assert loaded(saved(sound)) == sound


# Attributes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("predict", "is a method of"),
        ("__dict__", "cannot have an attribute"),
        ("a b", "cannot have an attribute"),
        ("_parameter_constraints", "is stated by the class"),
    ],
)
def test_attributes_that_stand_in_for_the_class(name, match):
    def change(parts):
        state_of(parts.tree)[name] = 1

    refused(rebuilt(RIDGE, change), match)


def test_methods_that_depend_on_parts_are_methods():
    search = saved(GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=2).fit(X * 2, Y * 2))

    def change(parts):
        state_of(parts.tree)["predict"] = {"t": "function", "name": "builtins.len"}

    refused(rebuilt(search, change), "predict is a method of")


def test_a_mask_is_kept_by_searches_only():
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=2).fit(X * 2, Y * 2)
    content = saved(search)
    assert isinstance(loaded(content).cv_results_["param_alpha"], np.ma.MaskedArray)

    def hide(parts):
        state = state_of(parts.tree)
        mask = array(np.ones(2, dtype=bool))
        state["coef_"] = {"t": "masked", "data": array([0.0, 0.0]), "mask": mask, "fill": 0}

    refused(rebuilt(RIDGE, hide), "coef_ is a masked array, which only a search keeps")

    def hide_in_a_list(parts):
        hide(parts)
        state = state_of(parts.tree)
        state["coef_"] = {"t": "list", "items": [{"t": "tuple", "items": [state["coef_"]]}]}

    refused(rebuilt(RIDGE, hide_in_a_list), "coef_ is a masked array")

    def refer(parts):
        parts.tree = dictionary(["a", "b"], [None, parts.tree])
        node = {"t": "masked", "data": array([0.0, 0.0]), "mask": array([True, True]), "fill": 0}
        parts.tree["values"][0] = {**node, "id": 77}
        state_of(parts.tree["values"][1])["coef_"] = {"t": "ref", "id": 77}

    refused(rebuilt(RIDGE, refer), "coef_ is a masked array")


@pytest.mark.parametrize(
    "changes",
    [
        {"mask": array([[True], [False]])},
        {"mask": array([1, 0])},
        {"mask": True},
        {"data": {"t": "list", "items": [1, 2]}},
        {"fill": array([1.0, 2.0])},
    ],
    ids=lambda node: "",
)
def test_masks_that_do_not_fit(changes):
    node = {"t": "masked", "data": array([1.0, 2.0]), "mask": array([True, False]), "fill": 0}
    assert loaded(with_node(node))["value"].tolist() == [None, 2.0]
    refused(with_node({**node, **changes}), "masked array has not one")


def test_estimators_in_a_grid_are_made_under_their_mask():
    grid = {"estimator": [Ridge(), Ridge(alpha=3.0)], "estimator__alpha": [1.0, 2.0]}
    from sklearn.multioutput import MultiOutputRegressor

    search = GridSearchCV(MultiOutputRegressor(Ridge()), grid, cv=2)
    search.fit(X * 2, np.column_stack([Y * 2, Y * 2]))
    again = loaded(saved(search))
    column = again.cv_results_["param_estimator"]
    assert isinstance(column, np.ma.MaskedArray)
    assert [type(one) for one in column] == [Ridge] * 4
    assert column[0] is again.param_grid["estimator"][0]


def test_a_folder_in_a_file_is_not_used():
    from sklearn.pipeline import make_pipeline

    content = saved(make_pipeline(CountVectorizer(), Ridge()))

    def change(parts):
        state_of(parts.tree)["memory"] = "/tmp/cache"

    assert loaded(rebuilt(content, change)).memory is None


# Functions --------------------------------------------------------------------------------------

OUT = [
    (np.add, (), {"out": np.ones(3)}),
    (np.add, (1.0, 2.0, np.ones(3)), {}),
    (np.add, (1.0,), {"where": np.array([False])}),
    (np.mean, (), {"out": np.ones(3)}),
    (np.median, (), {"overwrite_input": True}),
    (np.nan_to_num, (), {"copy": False}),
]


@pytest.mark.parametrize(
    ("function", "args", "keywords"), OUT, ids=lambda part: getattr(part, "__name__", "")
)
def test_functions_are_given_nothing_to_write_to(function, args, keywords, tmp_path):
    made = FunctionTransformer(partial(function, *args, **keywords))
    with pytest.raises(UnsavableModelError, match="by which it could change the model"):
        quire.save(made, tmp_path / "m")
    parts = Parts(None, {}, parts_of(PLAIN).manifest)
    parts.tree = parts.node(FunctionTransformer(partial(np.add, 1.0)))
    node = parts.tree["state"]["func"]
    node["func"] = parts.node(function)
    node["args"], node["keywords"] = parts.node(args), parts.node(keywords)
    refused(content_of(parts), "by which it could change the model")


def test_arguments_beside_a_function_are_looked_at(tmp_path):
    made = FunctionTransformer(np.add, kw_args={"out": np.ones(3)})
    with pytest.raises(UnsavableModelError, match="gives 'out' to a function"):
        quire.save(made, tmp_path / "m")
    quire.save(FunctionTransformer(np.add, kw_args={"dtype": np.float64}), tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    assert loaded(content).kw_args == {"dtype": np.float64}

    def change(parts):
        state_of(parts.tree)["inverse_func"] = parts.node(np.log1p)
        state_of(parts.tree)["inv_kw_args"] = parts.node({"where": np.array([False])})

    refused(rebuilt(content, change), "the argument where")


def test_functions_in_functions_are_looked_at():
    def change(parts):
        inner = parts.node(partial(np.add, 1.0))
        parts.tree["values"] = [{**inner, "func": inner, "args": parts.node((1.0, np.ones(2)))}]

    refused(rebuilt(PLAIN, change), "the argument out")


@pytest.mark.parametrize(
    "changes",
    [
        {"func": {"t": "class", "name": "quire.linear_model.Ridge"}},
        {"func": 3},
        {"args": {"t": "list", "items": []}},
        {"keywords": dictionary([1], [2])},
    ],
    ids=lambda node: "",
)
def test_arguments_of_what_is_no_function(changes):
    node = {"t": "partial", "func": {"t": "function", "name": "numpy.log1p"}}
    node |= {"args": {"t": "tuple", "items": []}, "keywords": dictionary([], []), **changes}
    refused(with_node(node), "the tree has (arguments|a function|an argument)")


# Sparse matrices --------------------------------------------------------------------------------


def sparse_node(kind, shape, **parts):
    return {"t": "sparse", "kind": kind, "shape": shape, "parts": parts}


def compressed(kind="csr_array", shape=(2, 3), data=(1.0, 2.0), indices=(0, 2), indptr=(0, 1, 2)):
    whole = {"indices": np.array(indices, "i4"), "indptr": np.array(indptr, "i4")}
    nodes = {name: array(part) for name, part in whole.items()}
    return sparse_node(kind, list(shape), data=array(np.array(data)), **nodes)


def coordinates(kind="coo_array", shape=(2, 3), rows=(0, 1), columns=(0, 2)):
    coords = {"t": "tuple", "items": [array(np.array(rows)), array(np.array(columns))]}
    return sparse_node(kind, list(shape), data=array([1.0, 2.0]), coords=coords)


def diagonals(offsets=(0, 1), shape=(2, 2), data=((1.0, 2.0), (3.0, 4.0))):
    parts = {"data": array(np.array(data)), "offsets": array(np.array(offsets))}
    return sparse_node("dia_array", list(shape), **parts)


def test_the_sparse_matrices_of_these_tests_are_sound():
    for node in (compressed(), coordinates(), diagonals()):
        assert sparse.issparse(loaded(with_node(node))["value"])
    assert loaded(with_node(compressed(kind="csc_array", indptr=(0, 1, 1, 2), indices=(0, 1))))


@pytest.mark.parametrize(
    "node",
    [
        compressed(indices=(0, 3)),
        compressed(indices=(-1, 0)),
        compressed(indptr=(0, 1)),
        compressed(indptr=(0, 2, 1)),
        compressed(indptr=(1, 1, 2)),
        compressed(indptr=(0, 1, 3)),
        compressed(data=(1.0,)),
        compressed(data=((1.0, 2.0),)),
        compressed(data=("a", "b")),
        compressed(shape=(1 << 40, 3)),
        compressed(shape=(2, 3, 1)),
        compressed(kind="csc_array"),
        compressed(kind="bsr_array"),
        compressed(kind="bsr_array", shape=(2, 6), data=np.ones((2, 1, 4))),
        compressed(kind="bsr_array", data=np.ones((2, 0, 1))),
        coordinates(rows=(0, 2)),
        coordinates(rows=(-1, 1)),
        coordinates(rows=(0, 1, 1)),
        coordinates(shape=(2, 3, 4)),
        diagonals(offsets=(0, 0)),
        diagonals(offsets=(0, 9)),
        diagonals(offsets=(0,)),
        diagonals(data=(1.0, 2.0)),
        sparse_node("lil_array", [2, 4], value=compressed()),
        sparse_node("lil_array", [2, 3], value=array([1.0])),
        sparse_node("dok_array", [2, 3], value=coordinates()),
        sparse_node("csr_array", [2, 3], value=compressed()),
        sparse_node("csr_array", [2, 3], data=array([1.0])),
    ],
    ids=lambda node: "",
)
def test_sparse_matrices_that_point_outside(node):
    refused(with_node(node), "do not fit together|has the parts")


# Random numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bits", "place", "value"),
    [
        ("MT19937", "pos", 625),
        ("MT19937", "pos", -1),
        ("MT19937", "key", array(np.zeros(3, "u4"))),
        ("MT19937", "key", array(np.zeros(624, "u8"))),
        ("MT19937", "pool_size", 1 << 31),
        ("PCG64", "state", 1 << 60),
        ("PCG64", "inc", -1),
        ("PCG64", "uinteger", -1),
        ("PCG64", "entropy", "seed"),
        ("PCG64", "spawn_key", "ab"),
        ("PCG64", "n_children_spawned", -1),
        ("PCG64", "bit_generator", "BitGenerator"),
        ("PCG64", "has_uint32", 2),
        ("Philox", "buffer_pos", 5),
        ("Philox", "buffer", array(np.zeros(1, "u8"))),
        ("Philox", "counter", array(np.zeros(4, "i8"))),
        ("SFC64", "state", array(np.zeros(3, "u8"))),
    ],
)
def test_states_of_generators(bits, place, value):
    content = saved({"value": np.random.Generator(getattr(np.random, bits)(7))})
    changed = []

    def change(parts, node=None):
        node = parts.tree if node is None else node
        for part in node.values() if isinstance(node, dict) else node:
            if isinstance(part, dict | list):
                change(parts, part)
        if isinstance(node, dict) and place in node.get("keys", ()):
            node["values"][node["keys"].index(place)] = value
            changed.append(node)

    content = rebuilt(content, change)
    assert changed
    refused(content, "random generator")


# Before and after -------------------------------------------------------------------------------


def test_nothing_is_made_before_all_has_been_looked_at(monkeypatch):
    made = []
    new = _make.Maker._object
    monkeypatch.setattr(_make.Maker, "_object", lambda *given: made.append(given) or new(*given))

    def change(parts):
        parts.tree = {"t": "list", "items": [parts.tree, {"t": "ref", "id": 9}]}

    refused(rebuilt(RIDGE, change), "refers to 9")
    assert made == []
    loaded(RIDGE)
    assert len(made) == 1


def test_objects_in_every_kind_of_container_are_made_once():
    one = Ridge(alpha=7.0)
    value = {
        "list": [one],
        "tuple": (one, (one,)),
        "set": {one},
        "frozen": frozenset({one}),
        "dict": {"a": {"b": one}},
        "objects": np.array([[one, None]], dtype=object),
        "partial": partial(np.add, one),
    }
    again = loaded(saved(value))
    found = [
        again["list"][0], *again["tuple"][:1], *again["tuple"][1], *again["set"], *again["frozen"],
        again["dict"]["a"]["b"], again["objects"][0, 0], again["partial"].args[0],
    ]  # fmt: skip
    assert all(type(item) is Ridge and item is found[0] for item in found)
    assert found[0].alpha == 7.0
