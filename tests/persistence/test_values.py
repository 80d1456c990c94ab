"""What a model can hold: every kind of value comes back as it was, or is refused by name."""

import math
import sys
from collections import OrderedDict
from datetime import date, datetime
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import mutual_info_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.utils import Bunch

import quire
from quire.feature_extraction.text import CountVectorizer
from quire.linear_model import Ridge
from quire.persistence import ModelFileError, UnsavableModelError
from quire.persistence._decode import Decoder
from quire.persistence._encode import Encoder
from quire.persistence._numbers import pack_strings, unpack_strings
from quire.persistence._registry import Registry


class Shorten(TransformerMixin, BaseEstimator):
    def __init__(self, size=3):
        self.size = size

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return [text[: self.size] for text in X]


def words(text):
    return text.split("-")


def again(value, folder, **options):
    """Send a value through a file."""
    path = quire.save({"value": value}, folder / "model.quire", **options)
    return quire.load(path, trusted=options.get("trusted", ()))["value"]


LONG = [f"wört{i}🎉" for i in range(3000)]
SAME = [
    None,
    True,
    "",
    "né\udc80🎉\x00",
    0,
    -(2**63),
    2**200,
    -0.0,
    5e-324,
    math.inf,
    -math.inf,
    3 + 4j,
    b"\x00\xff",
    bytearray(b"ab"),
    (),
    (1, (2, "x"), [3]),
    [],
    [1.5] * 100,
    [2**70] * 100,
    [True] * 100,
    list(range(-500, 500)),
    LONG,
    tuple(LONG),
    set(LONG),
    frozenset({"a", 1, None}),
    {},
    {1: "a", "1": "b", None: [], (1, 2): {"x": 1.0}},
    {word: i for i, word in enumerate(LONG)},
    {i: [i] for i in range(100)},
    OrderedDict(b=1, a=2),
    Bunch(a=1),
    slice(1, None, 2),
    range(3, 9, 2),
    date(2024, 2, 29),
    datetime(2024, 2, 29, 12, 30, 1, 5),
    Ellipsis,
    float,
    np.float32,
    np.dtype("<i4"),
    np.dtype("M8[ns]"),
    np.log1p,
    str.lower,
    len,
    Ridge,
]


@pytest.mark.parametrize("value", SAME, ids=lambda value: type(value).__name__)
def test_plain_values(value, tmp_path):
    found = again(value, tmp_path)
    assert type(found) is type(value)
    assert found == value
    if isinstance(value, dict):
        assert list(found) == list(value)
    if isinstance(value, float):
        assert math.copysign(1, found) == math.copysign(1, value)


def test_what_is_not_equal_to_itself(tmp_path):
    assert math.isnan(again(float("nan"), tmp_path))
    assert np.isnat(again(np.datetime64("NaT"), tmp_path))
    found = again([float("nan")] * 200, tmp_path)
    assert len(found) == 200
    assert all(map(math.isnan, found))


ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.asfortranarray(np.random.default_rng(0).normal(size=(50, 30))),
    np.arange(4000)[::-3],
    np.float32(1.5),
    np.int8(-3),
    np.str_("é"),
    np.datetime64("2024-02-29"),
    np.array(3.0),
    np.empty((0, 5)),
    np.zeros(3, dtype="U0"),
    np.array(["a", "bé🎉"]),
    np.array([b"a", b"bc"]),
    np.array([True, False] * 3000),
    np.arange(900, dtype=">i2"),
    np.array([1 + 2j, np.nan]),
    np.array(["2024-01-01", "NaT"], dtype="M8[D]"),
    np.array([1, 2], dtype="m8[s]"),
    np.array([(1, 2.5, "x")] * 200, dtype=[("a", "i4"), ("b", "f8"), ("c", "U3")]),
    np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")]),
    np.array([0.0, -0.0, np.nan, np.inf]),
    np.longdouble(1) / 3,
]


@pytest.mark.parametrize("value", ARRAYS, ids=lambda value: f"{value.dtype}-{value.shape}")
def test_arrays(value, tmp_path):
    found = again(value, tmp_path)
    assert type(found) is type(value)
    assert (found.dtype, found.shape) == (value.dtype, value.shape)
    assert found.tobytes() == value.tobytes()
    if value.flags.f_contiguous:
        assert found.flags.f_contiguous
    if isinstance(value, np.ndarray):
        assert found.flags.writeable


@pytest.mark.parametrize(
    "items",
    [
        ["a", None, float, 3, "x" * 500],
        [[1, 2], [3, 4]],
        LONG,
        [],
        [("a", "b"), ("c",)],
    ],
    ids=lambda items: repr(items)[:20],
)
def test_arrays_of_objects(items, tmp_path):
    value = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        value[i] = item
    found = again(value, tmp_path)
    assert found.dtype == object
    assert found.tolist() == value.tolist()
    table = again(np.array([["a", None], [1, "b"]], dtype=object), tmp_path)
    assert table.tolist() == [["a", None], [1, "b"]]


def test_masked_arrays(tmp_path):
    value = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False], fill_value=-1.0)
    found = again(value, tmp_path)
    assert found.tolist() == [1.0, None, 3.0]
    assert found.fill_value == -1.0


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_sparse(form, kind, tmp_path):
    dense = np.where(np.random.default_rng(0).random((40, 30)) < 0.2, 1.5, 0.0)
    value = getattr(sparse, f"{form}_{kind}")(dense)
    found = again(value, tmp_path)
    assert type(found) is type(value)
    assert found.dtype == value.dtype
    np.testing.assert_array_equal(found.toarray(), dense)


def test_wide_indices_stay_wide(tmp_path):
    value = sparse.csr_array(np.eye(40))
    value.indices, value.indptr = value.indices.astype(np.int64), value.indptr.astype(np.int64)
    found = again(value, tmp_path)
    assert found.indices.dtype == found.indptr.dtype == np.int64
    np.testing.assert_array_equal(found.toarray(), np.eye(40))


@pytest.mark.parametrize("bits", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_generators_go_on(bits, tmp_path):
    value = np.random.Generator(getattr(np.random, bits)(7))
    value.integers(10, size=3, dtype=np.int32)
    found = again(value, tmp_path)
    assert found.normal(size=5).tolist() == value.normal(size=5).tolist()
    assert found.spawn(1)[0].random() == value.spawn(1)[0].random()
    legacy = np.random.RandomState(7)
    legacy.normal()
    found = again(legacy, tmp_path)
    assert found.normal(size=5).tolist() == legacy.normal(size=5).tolist()


def test_what_is_shared_stays_shared(tmp_path):
    array, listed, model = np.arange(1000), [1], Ridge()
    found = again([array, array, listed, listed, {"a": model}, model, array.copy()], tmp_path)
    assert found[0] is found[1]
    assert found[2] is found[3]
    assert found[4]["a"] is found[5]
    assert found[6] is not found[0]


def test_circles_are_named(tmp_path):
    value = {"a": [1]}
    value["a"].append(value)
    with pytest.raises(UnsavableModelError, match=r"model\['value'\]\['a'\]\[1\] contains itself"):
        again(value, tmp_path)
    value = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(UnsavableModelError, match="nested too deeply"):
        again(value, tmp_path)


def test_code_is_refused_by_name_with_a_remedy(tmp_path):
    model = make_pipeline(CountVectorizer(tokenizer=words, token_pattern=None), Ridge())
    match = (
        r"model\.steps\[0\]\[1\]\.tokenizer is the function .*words, and .* holds no code.*trusted="
    )
    with pytest.raises(UnsavableModelError, match=match):
        quire.save(model, tmp_path / "m")
    for value, match in [
        (lambda x: x, "the function .*<lambda>"),
        (Shorten(), "of the class .*Shorten, which a model file cannot hold"),
        (Shorten, "the class .*Shorten"),
        (sys, "of the class builtins.module"),
        (tmp_path, "of the class pathlib"),
        (open, "the function .*open"),
        (SVC(), "of the class sklearn.svm"),
        (
            np.rec.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")]),
            r"is a .*recarray\. Use a plain",
        ),
        (np.fromfile, "the function .*fromfile"),
        (np.array([(None, 1)], dtype=[("a", "O"), ("b", "i4")]), "structured array of Python"),
    ]:
        with pytest.raises(UnsavableModelError, match=match):
            again({"a": value}, tmp_path)
    transformer = ColumnTransformer([("f", FunctionTransformer(np.sort), [0])])
    with pytest.raises(UnsavableModelError, match=r"transformers\[0\]\[1\]\.func is the function"):
        quire.save(transformer, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_trusted_classes_and_functions(tmp_path):
    vectorizer = CountVectorizer(tokenizer=words, token_pattern=None)
    model = make_pipeline(Shorten(5), vectorizer).fit(["ab-cd-ef"])
    path = quire.save(model, tmp_path / "m", trusted=[Shorten, words])
    with pytest.raises(ModelFileError, match=r"Shorten is not on the list .*trusted=\[Shorten\]"):
        quire.load(path)
    loaded = quire.load(path, trusted=[Shorten, words])
    assert loaded.transform(["ab-xx"]).toarray().tolist() == [[1, 0]]

    class Elsewhere(Shorten):
        """The same class in another module."""

    Elsewhere.__qualname__ = "Shorten"
    assert isinstance(quire.load(path, trusted=[Elsewhere, words])[0], Elsewhere)
    with pytest.raises(TypeError, match="trusted must hold classes and functions, got 'Shorten'"):
        quire.load(path, trusted=["Shorten"])


def test_functions_with_some_arguments_given(tmp_path):
    value = partial(mutual_info_classif, random_state=0)
    found = again(value, tmp_path)
    assert (found.func, found.args, found.keywords) == (value.func, (), {"random_state": 0})
    with pytest.raises(UnsavableModelError, match=r"\['value'\]\.func is the function"):
        again(partial(words, "a"), tmp_path)


def test_requests_of_metadata(tmp_path):
    with config_context(enable_metadata_routing=True):
        found = again(Ridge().set_fit_request(sample_weight="weights"), tmp_path)
        assert found.get_metadata_routing().fit.requests == {"sample_weight": "weights"}
        assert found._metadata_request.fit.owner is found
        clone(found).set_fit_request(sample_weight=True)


@given(st.lists(st.text(st.characters(exclude_categories=()))))
def test_strings_in_arrays(strings):
    assert unpack_strings(*pack_strings(strings)) == strings


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=30,
)


@given(PLAIN)
def test_any_nesting(value):
    encoder = Encoder(Registry(), compact=True)
    node = encoder.encode(value)
    assert Decoder(Registry(), encoder.arrays.__getitem__).decode(node) == value
