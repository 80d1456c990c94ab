"""The table of stand-ins says what the classes say."""

import inspect
from collections import OrderedDict
from enum import Enum
from functools import cached_property

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import KFold
from tests.helpers import stand_ins as helper

from quire._shared.class_names import is_estimator, public_name
from quire.kinds import Blueprint, kind_of_class, schema_of, stand_in, stand_ins
from quire.kinds._constraints import Stated
from quire.kinds._schema import _satisfies, parameters_of
from quire.naive_bayes import MultinomialNB
from quire.persistence._decode import _new_parameters, _stated

CLASSES = helper.served()
VALUES = [
    None, True, False, np.True_, 0, 1, 2, -1, 2**31, 2**32, 0.0, 0.5, 1.0, -0.5, 1e300,
    float("nan"), float("inf"), -float("inf"), np.float64(0.5), np.float32(0.5), np.int64(1),
    np.int8(3), np.float64("nan"), 1j, "", "l1", "l2", "word", "english", "auto", "nothing", b"l2",
    [], [1], (), (1, 2), set(), frozenset({"a"}), {}, {"a": 1}, OrderedDict(a=1), range(3),
    np.array([1.0, 2.0]), np.array(1.0), np.array(["a"]), sparse.csr_array((1, 1)), len, str, KFold,
    KFold(3), MultinomialNB(), np.random.RandomState(0), np.random.default_rng(0), Ellipsis,
    np.dtype("f8"), np.float64, iter(()),
]  # fmt: skip


def test_the_file_is_what_the_classes_say():
    assert helper.PATH.read_text() == helper.text(), "run: python -m tests.helpers.stand_ins"


def test_every_class_of_a_scored_model_has_a_stand_in_and_a_table():
    assert {public_name(cls) for cls in CLASSES} <= stand_ins()
    for name in stand_ins():
        assert public_name(stand_in(name)) == name
        assert schema_of(stand_in(name)) is not None
    assert stand_in("quire.tree.DecisionTreeClassifier") is None
    assert stand_in("builtins.object") is None


@pytest.mark.parametrize("cls", CLASSES)
def test_checks_ask_a_stand_in_what_they_ask_the_class(cls):
    other = stand_in(public_name(cls))
    assert [public_name(b) for b in other.__mro__] == [public_name(b) for b in cls.__mro__]
    assert parameters_of(other) == parameters_of(cls)
    assert set(inspect.signature(other).parameters) == set(inspect.signature(cls).parameters)
    assert _new_parameters(other) == _new_parameters(cls)
    assert _stated(other) == _stated(cls)
    assert is_estimator(other) == is_estimator(cls)
    assert not issubclass(other, Enum)
    facts = {name: getattr(kind_of_class(cls), name) for name in ("saving", "predicts", "reads")}
    assert {name: getattr(kind_of_class(other), name) for name in facts} == facts


@pytest.mark.parametrize("cls", CLASSES)
def test_names_that_a_class_states_are_stated(cls):
    other = stand_in(public_name(cls))
    for name in {*dir(cls), "feature_names_in_", "nothing"}:
        if name.startswith("__"):
            continue
        here, there = (inspect.getattr_static(one, name, Ellipsis) for one in (other, cls))
        assert (here is Ellipsis) == (there is Ellipsis), name
        assert hasattr(type(here), "__set__") == hasattr(type(there), "__set__"), name
        assert isinstance(here, cached_property) == isinstance(there, cached_property), name
        assert inspect.isroutine(here) == inspect.isroutine(there), name


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if parameters_of(cls)])
def test_parameters_may_be_what_they_may_be_for_the_class(cls):
    from quire._shared.sklearn import make_constraint

    other = stand_in(public_name(cls))
    objects = [Blueprint(one) for one in (MultinomialNB, KFold, dict, np.random.RandomState)]
    stated = getattr(cls, "_parameter_constraints", {})
    assert other.__dict__.get("_parameter_constraints", {}).keys() == stated.keys()
    for name, constraints in stated.items():
        mine = other._parameter_constraints[name]
        if isinstance(constraints, str):
            assert mine == constraints
            continue
        assert all(isinstance(one, Stated) for one in mine)
        for value in [*VALUES, *objects]:
            there = any(_satisfies(make_constraint(one), value) for one in constraints)
            assert any(_satisfies(one, value) for one in mine) == there, (name, value)
