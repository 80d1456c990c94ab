"""Native objects: one call at a time, none without its constructor, none from a pickle."""

import array
import copy
import pickle
import threading
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.native_calls import entry_points, valid_call

from quire import _core

CLASSES = [
    _core.text.AnalyzerOptions, _core.text.CountRows, _core.text.Documents, _core.text.TextCounter,
    _core.text.TextLookup, _core.text.TokenAutomaton, _core.linear.SparseLogistic,
    _core.topics.LdaGibbs, _core.trees.TreeData,
]  # fmt: skip


def methods_of(cls):
    return [name for name in entry_points() if f".{cls.__name__}." in name]


def object_of(cls, seed=0):
    """Return an object of a class, made by the helpers of its methods or by its constructor."""
    rng = np.random.default_rng(seed)
    for name in entry_points():
        if name.endswith(f".{cls.__name__}"):
            return valid_call(name, rng).run()
    methods = [name for name in methods_of(cls) if "from_" not in name]
    return valid_call(methods[0], rng).function.__self__


def test_all_classes_are_here():
    modules = [module for module in vars(_core).values() if isinstance(module, ModuleType)]
    known = [value for module in modules for value in vars(module).values()]
    assert {value for value in known if isinstance(value, type)} == set(CLASSES)


@pytest.mark.parametrize("cls", CLASSES)
def test_objects_are_neither_pickled_nor_copied(cls):
    made = object_of(cls)
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(made)
    with pytest.raises(TypeError, match="pickle"):
        copy.deepcopy(made)
    assert not hasattr(made, "__setstate__")


@pytest.mark.parametrize("name", [name for cls in CLASSES for name in methods_of(cls)])
def test_an_object_that_was_not_constructed_is_refused(name):
    call = valid_call(name, np.random.default_rng(1))
    owner = getattr(call.function, "__self__", None)
    if owner is None or isinstance(owner, type):
        pytest.skip("a static method")
    empty = type(owner).__new__(type(owner))
    with pytest.warns(RuntimeWarning, match="uninitialized"), pytest.raises(TypeError):
        getattr(empty, name.rpartition(".")[2])(**call.kwargs)


CONSTRUCTORS = [name for name in entry_points() if name.rpartition(".")[2][0].isupper()]


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_an_object_is_constructed_once(name):
    call = valid_call(name, np.random.default_rng(1))
    made = call.run()
    with pytest.warns(RuntimeWarning, match="already-initialized"), pytest.raises(TypeError):
        made.__init__(**call.kwargs)


def counter():
    return _core.text.TextCounter(_core.text.AnalyzerOptions("word", True, None, 2, 1, 1), [], True)


def documents(n=2000):
    rng = np.random.default_rng(0)
    texts = [" ".join(map(str, rng.integers(0, 10**9, 200))) for _ in range(n)]
    return _core.text.Documents.from_list(texts)


def many_counts(n_docs=400, n_words=300):
    counts = np.random.default_rng(1).poisson(2.0, (n_docs, n_words)).astype(np.int32)
    rows = sparse.csr_array(counts)
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data, n_words


def counting():
    made, texts = counter(), documents()
    return made, lambda: [made.add_documents(texts, 2) for _ in range(4)]


def sampling():
    made = _core.topics.LdaGibbs(*many_counts(), 20)
    none = np.empty(0, np.int32)
    made.set_priors(np.full(20, 0.1), 0.01, none, none, np.empty(0))
    return made, lambda: made.run(1, 30, 2)


def fitting():
    rng = np.random.default_rng(2)
    X, y = sparse.csr_array(rng.normal(size=(2000, 100))), rng.integers(0, 3, 2000)
    made = _core.linear.csr_sparse_logistic(X, y.astype(np.int32), 3, np.empty(0), True)
    return made, lambda: made.fit(1e-3, 0.0, 1e-12, 60, np.inf, 2)


def converting():
    options = _core.text.AnalyzerOptions("char", True, None, 1, 1, 3)
    made = _core.text.hash_documents(documents(500), options, [], 1 << 20, True, 2)
    return made, lambda: made.to_csr("int64", 1 << 20, False, 1)


AT_WORK = {
    "TextCounter": (counting, lambda made: made.places_of(np.empty(0, np.uint32))),
    "LdaGibbs": (sampling, lambda made: made.word_histogram()),
    "SparseLogistic": (fitting, lambda made: made.null_objective()),
    "CountRows": (converting, lambda made: made.to_csr("no dtype", 1 << 20, False, 1)),
}


@pytest.mark.parametrize("name", AT_WORK)
def test_a_second_call_while_one_is_under_way_is_refused(name):
    make, other = AT_WORK[name]
    messages = set()
    for _ in range(50):  # until the calls meet: the other may be through before
        made, work = make()
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive() and not any("at work" in message for message in messages):
            try:
                other(made)
            except (RuntimeError, ValueError) as error:
                messages.add(str(error))
        thread.join()
        if any("at work" in message for message in messages):
            break
    assert "the object is at work: another call has not ended" in messages


def test_an_object_works_again_after_an_error():
    made = counter()
    bad = _core.text.Documents.from_list(["good text", 3])
    for _ in range(2):
        with pytest.raises(ValueError, match="document 1 is not a string"):
            made.add_documents(bad, 1)
    made.add_documents(_core.text.Documents.from_list(["good text"]), 1)
    words = made.finish(1)[0]
    assert words.tobytes() == b"goodtext"


def test_arrays_that_a_sampler_reads_keep_their_memory():
    indptr, indices, counts, n_words = many_counts(5, 4)
    lent = array.array("q", indptr.tolist())
    made = _core.topics.LdaGibbs(lent, indices, counts, n_words, 3)
    with pytest.raises(BufferError):
        lent.extend(range(10_000))
    assert len(made.assignments()) == counts.sum()
    del made
    lent.extend(range(10_000))


def test_counts_that_change_after_they_were_given_are_found():
    indptr, indices, counts, n_words = many_counts(5, 4)
    made = _core.topics.LdaGibbs(indptr, indices, counts, n_words, 3)
    for spoiled in (counts, indices):
        kept = spoiled.copy()
        for number in (kept[0] + 1, 2**31 - 1, -1):
            spoiled[0] = number
            if number in (2**31 - 1, -1):
                with pytest.raises(ValueError, match=r"outside|negative|changed"):
                    made.assignments()
            with pytest.raises(ValueError, match=r"outside|negative|changed"):
                made.set_assignments(np.zeros(made.n_tokens, np.uint16))
        spoiled[:] = kept
    made.set_assignments(np.zeros(made.n_tokens, np.uint16))
    assert made.totals.tolist() == [counts.sum(), 0, 0]


def test_weights_of_a_problem_may_change():
    rng = np.random.default_rng(3)
    X, codes = sparse.csr_array(rng.normal(size=(30, 4))), np.resize([0, 1], 30).astype(np.int32)
    weights = np.ones(30)
    made = _core.linear.csr_sparse_logistic(X, codes, 2, weights, True)
    before = made.null_objective()
    expected = made.fit(0.1, 0.0, 1e-9, 100, np.inf)[2]
    weights[:] = np.nan
    codes[:] = 7
    assert made.null_objective() == before
    assert made.fit(0.1, 0.0, 1e-9, 100, np.inf)[2] == pytest.approx(expected, rel=1e-6)
