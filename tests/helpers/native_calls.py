"""Arguments for every native entry point, to be called as they are or after something is broken.

``entry_points()`` lists what the compiled core offers, and ``valid_call(name, rng)`` makes a small
call that succeeds. Matrices are given by their parts, ``(data, indices, indptr, n_columns)``, so
that any of them can be spoiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from quire import _core

# What sets instruction sets and limits for the whole process takes no arrays.
PROCESS_WIDE = {"base.set_simd_level", "base.set_thread_limit"}


class Call(NamedTuple):
    """A native function and its arguments, all of them by name."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def run(self) -> Any:
        return self.function(*self.args, **self.kwargs)


def entry_points() -> list[str]:
    """Return ``family.function``, ``family.Class`` and ``family.Class.method``, all there are."""
    return [name for name in _names() if name not in PROCESS_WIDE]


def _names() -> Iterator[str]:
    for family, module in vars(_core).items():
        if not isinstance(module, ModuleType):
            continue
        for name, value in vars(module).items():
            if isinstance(value, type):
                if type(vars(value).get("__init__")).__name__ == "nb_method":
                    yield f"{family}.{name}"
                for method, function in vars(value).items():
                    if method != "__init__" and type(function).__name__ in ("nb_method", "nb_func"):
                        yield f"{family}.{name}.{method}"
            elif callable(value):
                yield f"{family}.{name}"


def valid_call(name: str, rng: np.random.Generator) -> Call:
    """Return a call of an entry point that succeeds: sizes, types and numbers are drawn."""
    function, kwargs = MAKERS[name](rng)
    return Call(function, (), kwargs)


# Parts that several calls have.


def _size(rng, least=2, most=9):
    return int(rng.integers(least, most))


def _threads(rng):
    return int(rng.integers(1, 4))


def _value(rng):
    return rng.choice([np.float32, np.float64])


def _index(rng):
    return rng.choice([np.int32, np.int64])


def csr_parts(rng, n_rows, n_cols, value=None, index=None, counts=False):
    """Return the parts of a random sparse matrix."""
    value, index = value or _value(rng), index or _index(rng)
    X = rng.poisson(0.8, (n_rows, n_cols)) if counts else rng.normal(size=(n_rows, n_cols))
    X = sparse.csr_array(np.where(rng.random((n_rows, n_cols)) < 0.5, X, 0))
    return X.data.astype(value), X.indices.astype(index), X.indptr.astype(index), n_cols


def _dense(rng, *shape, dtype=np.float64):
    return rng.normal(size=shape).astype(dtype)


def _positive(rng, *shape, dtype=np.float64):
    return rng.uniform(0.1, 2.0, shape).astype(dtype)


def _codes(rng, n, n_classes, dtype=np.int32):
    codes = rng.integers(0, n_classes, n).astype(dtype)
    codes[: min(n, n_classes)] = np.arange(min(n, n_classes))
    return codes


def _threshold(rng):
    return None if rng.random() < 0.5 else 0.3


# base


def _philox(name, *, bound=False):
    def make(rng):
        numbers = {"seed": 7, "stream": 2, "position": 5, "n": _size(rng, 0, 40)}
        if bound:
            numbers["bound"] = _size(rng)
        return getattr(_core.base, name), {**numbers, "n_threads": _threads(rng)}

    return make


def _parallel_probe(rng):
    return _core.base.parallel_probe, {"n_parts": _size(rng), "n_threads": _threads(rng)}


def _nothing(family, name):
    return lambda rng: (getattr(getattr(_core, family), name), {})


# sparse


def _csr_matmul(name):
    def make(rng):
        n, p, width = _size(rng), _size(rng), _size(rng, 1)
        value = rng.choice([np.float32, np.float64, np.int64])
        return getattr(_core.sparse, name), {
            "X": csr_parts(rng, n, p, value, counts=value is np.int64),
            "W": _dense(rng, p, width),
            "offset": _dense(rng, width),
            "threshold": _threshold(rng),
            "n_threads": _threads(rng),
        }

    return make


def _csr_alone(family, name):
    def make(rng):
        X = csr_parts(rng, _size(rng), _size(rng))
        return getattr(getattr(_core, family), name), {"X": X, "n_threads": _threads(rng)}

    return make


def _csr_matvec(rng):
    n, p = _size(rng), _size(rng)
    return _core.sparse.csr_matvec, {
        "X": csr_parts(rng, n, p),
        "v": _dense(rng, p),
        "offset": 0.5,
        "n_threads": _threads(rng),
    }


def _csr_t_matvec(rng):
    n, p = _size(rng), _size(rng)
    return _core.sparse.csr_t_matvec, {
        "X": csr_parts(rng, n, p),
        "u": _dense(rng, n),
        "n_threads": _threads(rng),
    }


# text

WORDS = ["apple", "pear", "fig", "Öl", "plum tree", "date of fig", "kiwi", "a", "apple pear"]


def _texts(rng):
    return [" ".join(rng.choice(WORDS, _size(rng))) for _ in range(_size(rng))]


def _documents(rng):
    return _core.text.Documents.from_list(_texts(rng))


def _character_set(rng):
    return _core.text.character_set, {"name": str(rng.choice(["word", "space", "digit"]))}


def _automaton_arguments(rng):
    """Any automaton: which characters are of which class, and where classes lead."""
    n_classes, n_states = _size(rng, 1, 5), _size(rng, 1, 6)
    starts = np.unique(rng.choice([0x41, 0x5B, 0x61, 0x7B, 0x300, 0xFB00], _size(rng, 1, 7)))
    starts = np.append(0, starts).astype(np.int32)
    shape = n_states * (n_classes + 1)
    return {
        "starts": starts,
        "classes": rng.integers(n_classes, size=len(starts)).astype(np.uint8),
        "n_classes": n_classes,
        "next": rng.integers(n_states, size=shape).astype(np.uint16),
        "accepts": rng.integers(2, size=shape).astype(np.uint8),
        "first": rng.integers(n_states, size=n_classes + 1).astype(np.uint16),
        "skip": int(rng.integers(3)),
        "keep": int(rng.integers(3)),
        "drop": int(rng.integers(3)),
    }


def _token_automaton(rng):
    return _core.text.TokenAutomaton, _automaton_arguments(rng)


def _options(rng, width=None):
    width = width or _size(rng, 1, 4)
    automaton = None
    if rng.random() < 0.5:
        automaton = _core.text.TokenAutomaton(**_automaton_arguments(rng))
    negations = ["of", "pear"] if rng.random() < 0.3 else None
    return _core.text.AnalyzerOptions("word", True, None, 2, 1, width, automaton, negations), width


def _terms(rng, width):
    """Words, their offsets and the grams made of them, as a vectorizer keeps them."""
    words = [word.encode() for word in ("apple", "date", "fig", "kiwi", "of", "pear")]
    words = words[: _size(rng, 2, len(words) + 1)]
    offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
    if width == 1:
        grams = np.empty(0, np.int32)
        n_terms = len(words)
    else:
        pairs = [(i, j) for i in range(len(words)) for j in range(-1, len(words))]
        chosen = rng.permutation(len(pairs))[: _size(rng)]
        rows = np.full((len(chosen), width), -1, np.int32)
        rows[:, :2] = np.array(pairs, np.int32)[chosen]
        grams, n_terms = rows.ravel(), len(rows)
    return {
        "words": np.frombuffer(b"".join(words), np.uint8).copy(),
        "word_offsets": offsets,
        "width": width,
        "grams": grams,
    }, n_terms


def _counter(rng, *, keep_rows=True, threshold=None):
    options, width = _options(rng)
    return _core.text.TextCounter(options, ["tree"], keep_rows, threshold), width


def _analyzer_options(rng):
    kind = str(rng.choice(["word", "char", "char_wb"]))
    return _core.text.AnalyzerOptions, {
        "kind": kind,
        "lowercase": True,
        "accents": None,
        "shortest_word": 2,
        "min_n": 1,
        "max_n": 2,
        "automaton": None,
        "negations": ["no", "not"],
    }


def _text_counter(rng):
    return _core.text.TextCounter, {
        "options": _options(rng)[0],
        "stop_words": ["of"],
        "keep_rows": True,
        "threshold": None,
        "move_limit": 1 << 31,
    }


def _counter_add_documents(rng):
    return _counter(rng)[0].add_documents, {
        "documents": _documents(rng),
        "n_threads": _threads(rng),
    }


def _counter_add_labelled(rng):
    documents = _documents(rng)
    n = len(documents)
    return _counter(rng, keep_rows=False)[0].add_labelled, {
        "documents": documents,
        "labels": _codes(rng, n, 3),
        "weights": np.empty(0) if rng.random() < 0.5 else _positive(rng, n),
        "n_threads": _threads(rng),
    }


def _counter_add_terms(rng):
    counter, width = _counter(rng)
    terms, n_terms = _terms(rng, width)
    return counter.add_terms, {
        **terms,
        "document_frequency": rng.integers(1, 9, n_terms),
        "term_frequency": rng.integers(9, 90, n_terms),
    }


def _counted(rng, **how):
    counter, _ = _counter(rng, **how)
    documents = _documents(rng)
    if how.get("keep_rows", True):
        counter.add_documents(documents, 1)
    else:
        counter.add_labelled(documents, _codes(rng, len(documents), 3), np.empty(0), 1)
    return counter


def _finished(rng, **how):
    counter = _counted(rng, **how)
    return counter, len(counter.finish(1)[4])


def _counter_finish(rng):
    return _counted(rng).finish, {"n_threads": _threads(rng)}


def _counter_places_of(rng):
    add_terms, arguments = _counter_add_terms(rng)
    numbers = add_terms(**arguments)
    counter = add_terms.__self__
    counter.finish(1)
    return counter.places_of, {"numbers": numbers}


def _counter_class_counts(rng):
    counter, _ = _finished(rng, keep_rows=False)
    return counter.class_counts, {"n_classes": 3, "n_threads": _threads(rng)}


def _dtype(rng):
    return str(rng.choice(["int32", "int64", "float32", "float64"]))


def _counter_to_csr(rng):
    counter, n_terms = _finished(rng)
    columns = None if rng.random() < 0.3 else rng.permutation(n_terms).astype(np.int32)
    return counter.to_csr, {
        "dtype": _dtype(rng),
        "column_of_term": columns,
        "n_columns": n_terms,
        "binary": bool(rng.random() < 0.5),
        "n_threads": _threads(rng),
    }


def _lookup_arguments(rng):
    options, width = _options(rng)
    terms, n_terms = _terms(rng, width)
    columns = rng.permutation(n_terms).astype(np.int32)
    return {"options": options, "stop_words": ["of"], **terms, "columns": columns}, n_terms


def _text_lookup(rng):
    return _core.text.TextLookup, _lookup_arguments(rng)[0]


def _lookup_count(rng):
    lookup = _core.text.TextLookup(**_lookup_arguments(rng)[0])
    return lookup.count, {"documents": _documents(rng), "n_threads": _threads(rng)}


def _rows_to_csr(rng):
    arguments, n_terms = _lookup_arguments(rng)
    rows = _core.text.TextLookup(**arguments).count(_documents(rng), 1)
    return rows.to_csr, {
        "dtype": _dtype(rng),
        "n_columns": n_terms,
        "binary": False,
        "n_threads": _threads(rng),
    }


def _hash_documents(rng):
    return _core.text.hash_documents, {
        "documents": _documents(rng),
        "options": _options(rng)[0],
        "stop_words": ["of"],
        "n_features": 1 << _size(rng, 0, 20),
        "alternate_sign": True,
        "n_threads": _threads(rng),
    }


def _index_tokens(rng):
    return _core.text.index_tokens, {
        "documents": _documents(rng),
        "options": _core.text.AnalyzerOptions("word", False, None, 1, 1, 1),
        "n_threads": _threads(rng),
    }


def _token_rows(rng, n_types):
    bounds = np.concatenate([[0], np.cumsum(rng.integers(0, 9, _size(rng)))]).astype(np.int64)
    tokens = rng.integers(-1, n_types, bounds[-1]).astype(np.int32)
    return {"tokens": tokens, "bounds": bounds}


def _token_matches(rng):
    n_types, n_sets = _size(rng), 3
    sets = np.concatenate([[0], np.cumsum(rng.integers(1, n_sets + 1, n_types))]).astype(np.int64)
    words = np.concatenate([[0], np.cumsum(rng.integers(1, 4, _size(rng)))]).astype(np.int64)
    return _core.corpus.token_matches, {
        **_token_rows(rng, n_types),
        "type_bounds": sets,
        "type_sets": rng.integers(0, n_sets, sets[-1]).astype(np.int32),
        "pattern_bounds": words,
        "pattern_sets": rng.integers(0, n_sets, words[-1]).astype(np.int32),
        "longest": bool(rng.integers(2)),
        "n_threads": _threads(rng),
    }


def _token_counts(rng):
    n_types = _size(rng)
    n_columns = int(rng.integers(1, n_types + 1))
    return _core.corpus.token_counts, {
        **_token_rows(rng, n_types),
        "columns": rng.integers(-1, n_columns, n_types).astype(np.int32),
        "n_columns": n_columns,
        "n_threads": _threads(rng),
    }


def _token_group_counts(rng):
    arguments = _token_counts(rng)[1]
    n_documents = len(arguments["bounds"]) - 1
    n_groups = int(rng.integers(1, n_documents + 1))
    return _core.corpus.token_group_counts, {
        **arguments,
        "groups": rng.integers(-1, n_groups, n_documents).astype(np.int32),
        "n_groups": n_groups,
    }


def _term_strings(rng):
    width = _size(rng, 1, 4)
    terms, n_terms = _terms(rng, width)
    return _core.text.term_strings, {**terms, "chosen": rng.permutation(n_terms)}


def _json_shape(rng):
    parts = [b'{"a": ', b'"', b"\\", b"[", b"}", b",", b"1", b'"b":', b"\n"]
    return _core.text.json_shape, {
        "text": b"".join(parts[i] for i in rng.integers(len(parts), size=_size(rng)))
    }


def _csr_tfidf(rng):
    p, value = _size(rng), _value(rng)
    return _core.text.csr_tfidf, {
        "X": csr_parts(rng, _size(rng), p, value),
        "idf": None if rng.random() < 0.2 else _positive(rng, p, dtype=value),
        "norm": [None, "l1", "l2"][int(rng.integers(3))],
        "n_threads": _threads(rng),
    }


def _csr_document_frequency(rng):
    p = _size(rng)
    return _core.text.csr_document_frequency, {
        "indices": _codes(rng, 20, p, _index(rng)),
        "n_cols": p,
        "n_threads": _threads(rng),
    }


def _documents_from_list(rng):
    return _core.text.Documents.from_list, {"documents": _texts(rng)}


def _documents_from_arrow(rng):
    import polars

    return _core.text.Documents.from_arrow, {"column": polars.Series(_texts(rng))}


def _documents_length(rng):
    return _documents(rng).__len__, {}


# counts


def _class_arguments(rng, *, weights=False, threshold=False):
    n, n_classes = _size(rng), _size(rng, 2, 4)
    value = rng.choice([np.float32, np.float64, np.int64])
    arguments = {
        "X": csr_parts(rng, n, _size(rng), value, counts=True),
        "labels": _codes(rng, n, n_classes),
        "n_classes": n_classes,
    }
    if weights:
        arguments["weights"] = np.empty(0) if rng.random() < 0.3 else _positive(rng, n)
    if threshold:
        arguments["threshold"] = _threshold(rng)
    return {**arguments, "n_threads": _threads(rng)}


def _csr_class_sums(rng):
    return _core.counts.csr_class_sums, _class_arguments(rng, weights=True, threshold=True)


def _csr_class_counts(rng):
    arguments = _class_arguments(rng, threshold=True)
    if arguments["X"][0].dtype.kind == "f":
        arguments["threshold"] = 0.3
    return _core.counts.csr_class_counts, arguments


def _csr_scores(name):
    return lambda rng: (getattr(_core.counts, name), _class_arguments(rng))


def _dense_class_sums(rng):
    arguments = _class_arguments(rng, weights=True, threshold=True)
    X = _positive(rng, len(arguments["labels"]), _size(rng), dtype=_value(rng))
    return _core.counts.dense_class_sums, {**arguments, "X": X}


def _dense_class_moments(rng):
    arguments = _class_arguments(rng, weights=True)
    X = _dense(rng, len(arguments["labels"]), _size(rng), dtype=_value(rng))
    return _core.counts.dense_class_moments, {**arguments, "X": X}


def _dense_gaussian_log_likelihood(rng):
    p, k = _size(rng), _size(rng)
    return _core.counts.dense_gaussian_log_likelihood, {
        "X": _dense(rng, _size(rng), p, dtype=_value(rng)),
        "mean": _dense(rng, p * k),
        "scale": _positive(rng, p * k),
        "offset": _dense(rng, k),
        "n_threads": _threads(rng),
    }


def _factorize(rng):
    item_size = 4 * _size(rng, 1, 4)
    return _core.counts.factorize, {
        "bytes": rng.integers(0, 2, item_size * _size(rng)).astype(np.uint8),
        "item_size": item_size,
    }


def _naive_bayes(name, second):
    def make(rng):
        k, p = _size(rng), _size(rng)
        counts = rng.integers(0, 20, (k, p)).astype(rng.choice([np.float64, np.uint32]))
        return getattr(_core.counts, name), {
            "counts": counts,
            second: np.maximum(counts.sum(axis=1), 20).astype(np.float64),
            "alpha": _positive(rng, p if rng.random() < 0.5 else 1),
            "n_threads": _threads(rng),
        }

    return make


# linear


def _block_project(rng):
    n, n_columns, width = _size(rng, 16, 40), _size(rng, 8, 16), 8 * _size(rng, 1, 3)
    return _core.linear.block_project, {
        "Q": np.ascontiguousarray(np.linalg.qr(_dense(rng, n, n_columns))[0]),
        "n_used": _size(rng, 1, n_columns + 1),
        "Z": _dense(rng, n, width),
        "n_threads": _threads(rng),
    }


def _path(rng, p):
    n = _size(rng, 1, 4)
    return {
        "l1": np.sort(_positive(rng, n))[::-1].copy(),
        "l2": _positive(rng, n),
        "start": np.zeros(p),
        "tol": 1e-4,
        "max_iter": 50,
        "positive": bool(rng.random() < 0.5),
        "n_threads": _threads(rng),
    }


def _csc_enet_path(rng):
    n, p = _size(rng), _size(rng)
    return _core.linear.csc_enet_path, {
        "X": csr_parts(rng, p, n),
        "means": _dense(rng, p) if rng.random() < 0.5 else np.empty(0),
        "root_weights": _positive(rng, n) if rng.random() < 0.5 else np.empty(0),
        "y": _dense(rng, n),
        **_path(rng, p),
    }


def _dense_enet_path(rng):
    n, p = _size(rng), _size(rng)
    X = np.asfortranarray(_dense(rng, n, p, dtype=_value(rng)))
    return _core.linear.dense_enet_path, {"X": X, "y": _dense(rng, n), **_path(rng, p)}


def _gram_enet_path(rng):
    p = _size(rng)
    X = _dense(rng, 20, p)
    y = _dense(rng, 20)
    gram = {"gram": np.ascontiguousarray(X.T @ X), "Xy": X.T @ y, "yy": float(y @ y)}
    return _core.linear.gram_enet_path, {**gram, **_path(rng, p)}


def _csc_quadratic_descent(rng):
    n, p = _size(rng), _size(rng)
    working = rng.permutation(p).astype(np.int64)
    return _core.linear.csc_quadratic_descent, {
        "X": csr_parts(rng, p, n),
        "working": working,
        "curvature": _positive(rng, len(working)),
        "h": _positive(rng, n),
        "residual": _dense(rng, n),
        "w": _dense(rng, p),
        "l1": 0.1,
        "l2": 0.2,
        "tol": 1e-3,
        "max_passes": 10,
    }


def _logistic_rows(rng):
    n, width = _size(rng), _size(rng, 1, 4)
    return {
        "scores": _dense(rng, n, width),
        "codes": _codes(rng, n, max(width, 2)),
        "weights": np.empty(0) if rng.random() < 0.5 else _positive(rng, n),
        "n_threads": _threads(rng),
    }


def _logistic_loss(rng):
    rows = _logistic_rows(rng)
    direction = np.empty((0, 1)) if rng.random() < 0.5 else _dense(rng, *rows["scores"].shape)
    return _core.linear.logistic_loss, {**rows, "direction": direction, "step": 0.5}


def _logistic_state(rng):
    return _core.linear.logistic_state, {**_logistic_rows(rng), "single": bool(rng.random() < 0.5)}


def _both_ways(rng, n, p):
    data, indices, indptr, _ = csr_parts(rng, n, p)
    X = sparse.csr_array((data, indices, indptr), shape=(n, p))
    Xt = sparse.csr_array(X.T)
    types = data.dtype, indices.dtype
    return (data, indices, indptr, p), (
        Xt.data.astype(types[0]),
        Xt.indices.astype(types[1]),
        Xt.indptr.astype(types[1]),
        n,
    )


def _logistic_gradient(rng):
    n, p, width = _size(rng), _size(rng), _size(rng, 1, 4)
    return _core.linear.logistic_gradient, {
        "Xt": csr_parts(rng, p, n),
        "residuals": _dense(rng, n, width),
        "weights": _dense(rng, p + 1, width),
        "l2": 0.5,
        "intercept_l2": 0.1,
        "has_intercept": True,
        "single": bool(rng.random() < 0.5),
        "n_threads": _threads(rng),
    }


def _hessian(rng):
    n, width = _size(rng), _size(rng, 1, 4)
    n_head = 8 if width == 1 and rng.random() < 0.5 else 0
    p = _size(rng, 8, 20) if n_head else _size(rng)
    real = _value(rng)
    X, Xt = _both_ways(rng, n, p)
    shared = {
        "X": X,
        "Xt": Xt,
        "curvature": _positive(rng, n, width, dtype=real),
        "weights": np.empty(0) if rng.random() < 0.5 else _positive(rng, n),
        "l2": 0.5,
        "intercept_l2": 0.1,
        "has_intercept": True,
        "head": _dense(rng, n, n_head, dtype=real),
        "n_threads": _threads(rng),
    }
    return shared, p, width


def _logistic_newton(rng):
    shared, p, width = _hessian(rng)
    return _core.linear.logistic_newton, {
        **shared,
        "squares": _positive(rng, p),
        "gradient": _dense(rng, p + 1, width),
        "accuracy": 0.1,
        "largest": 0.0,
        "max_products": 5,
    }


def _logistic_hessian_product(rng):
    shared, p, width = _hessian(rng)
    return _core.linear.logistic_hessian_product, {**shared, "vector": _dense(rng, p + 1, width)}


def _sparse_logistic_task(rng, n):
    n_classes = _size(rng, 2, 4)
    return {
        "codes": _codes(rng, n, n_classes),
        "n_classes": n_classes,
        "weights": np.empty(0) if rng.random() < 0.5 else _positive(rng, n),
        "fit_intercept": bool(rng.random() < 0.5),
    }


def _csr_sparse_logistic(rng):
    n = _size(rng, 4)
    X = csr_parts(rng, n, _size(rng))
    return _core.linear.csr_sparse_logistic, {
        "X": X,
        **_sparse_logistic_task(rng, n),
        "n_threads": _threads(rng),
    }


def _dense_sparse_logistic(rng):
    n = _size(rng, 4)
    X = np.asfortranarray(_dense(rng, n, _size(rng), dtype=_value(rng)))
    return _core.linear.dense_sparse_logistic, {"X": X, **_sparse_logistic_task(rng, n)}


def _sparse_logistic(method):
    def make(rng):
        function, arguments = (_csr_sparse_logistic, _dense_sparse_logistic)[rng.integers(2)](rng)
        problem = function(**arguments)
        X, n_classes = arguments["X"], arguments["n_classes"]
        p = X[3] if isinstance(X, tuple) else X.shape[1]
        width = 1 if n_classes == 2 else n_classes
        return getattr(problem, method), {
            "null_objective": {},
            "l1_max": {"n_threads": _threads(rng)},
            "start": {
                "coef": _dense(rng, p, width),
                "intercept": _dense(rng, width) * arguments["fit_intercept"],
                "n_threads": _threads(rng),
            },
            "fit": {
                "l1": 0.1,
                "l2": 0.1,
                "wanted": 1e-3,
                "max_iter": 5,
                "l1_before": np.inf,
                "n_threads": _threads(rng),
            },
        }[method]

    return make


# margins


def _csr_svm_descent(rng):
    n, k = _size(rng), _size(rng, 2, 4)
    n_problems = _size(rng, 1, k + 1)
    return _core.margins.csr_svm_descent, {
        "X": csr_parts(rng, n, _size(rng)),
        "codes": _codes(rng, n, k),
        "costs": _positive(rng, n),
        "positives": np.arange(n_problems, dtype=np.int32),
        "positive_costs": _positive(rng, n_problems),
        "negative_costs": _positive(rng, n_problems),
        "squared": bool(rng.random() < 0.5),
        "bias": 1.0,
        "tol": 1e-2,
        "max_passes": 20,
        "seed": 3,
        "n_threads": _threads(rng),
    }


def _csr_svr_descent(rng):
    n = _size(rng)
    return _core.margins.csr_svr_descent, {
        "X": csr_parts(rng, n, _size(rng)),
        "y": _dense(rng, n),
        "costs": _positive(rng, n),
        "epsilon": 0.1,
        "squared": bool(rng.random() < 0.5),
        "bias": 1.0,
        "tol": 1e-2,
        "max_passes": 20,
        "seed": 3,
    }


def _csr_gram(rng):
    value, index, p = _value(rng), _index(rng), _size(rng)
    return _core.margins.csr_gram, {
        "X": csr_parts(rng, _size(rng), p, value, index),
        "T": csr_parts(rng, p, _size(rng), value, index),
        "n_threads": _threads(rng),
    }


def _kernel(rng):
    n, m = _size(rng), _size(rng)
    return {
        "products": _dense(rng, n, m),
        "squares": _positive(rng, n),
        "other_squares": _positive(rng, m),
        "kind": int(rng.integers(0, 4)),
        "gamma": 0.5,
        "coef0": 1.0,
        "degree": 3,
        "n_threads": _threads(rng),
    }


def _kernel_rows(rng):
    return _core.margins.kernel_rows, {**_kernel(rng), "single": bool(rng.random() < 0.5)}


def _kernel_rows_into(rng):
    kernel = _kernel(rng)
    n, m = kernel["products"].shape
    n_places = n + _size(rng, 0)
    return _core.margins.kernel_rows_into, {
        **kernel,
        "places": np.sort(rng.permutation(n_places)[:n]).astype(np.int64),
        "table": np.zeros((n_places, m), np.float32),
    }


def _smo(rng):
    n = _size(rng, 4)
    X = _dense(rng, n, 3)
    half = n // 2
    y = np.where(np.arange(n) < half, 1.0, -1.0)
    segments = [[0, n]] if rng.random() < 0.5 else [[0, half], [half, n - half]]
    return _core.margins.smo, {
        "K": (X @ X.T).astype(np.float32),
        "segments": np.array(segments, np.int64),
        "low": np.minimum(0.0, y),
        "high": np.maximum(0.0, y),
        "tol": 1e-3,
        "max_iter": 100,
        "beta": np.zeros(n),
        "slack": y.copy(),
    }


def _smo_slack(rng):
    n, m, k = _size(rng), _size(rng), _size(rng, 1, 4)
    return _core.margins.smo_slack, {
        "table": _dense(rng, n, m, dtype=np.float32),
        "which": rng.integers(0, n, k),
        "change": _dense(rng, k),
        "slack": _dense(rng, m),
        "n_threads": _threads(rng),
    }


# topics


def _dirichlet_terms(rng):
    return _core.topics.dirichlet_terms, {
        "q": _positive(rng, _size(rng), dtype=_value(rng)),
        "prior": 0.5,
        "n_threads": _threads(rng),
    }


def _counts_of(rng, n_docs, n_words):
    data, indices, indptr, _ = csr_parts(rng, n_docs, n_words, np.int32, np.int32, counts=True)
    return {"indptr": indptr.astype(np.int64), "indices": indices, "counts": data}


def _known_topics(rng):
    n_topics, n_words = _size(rng, 2, 20), _size(rng)
    stride = -(-n_topics // 16) * 16
    phi = np.zeros((n_words, stride), np.float32)
    phi[:, :n_topics] = rng.dirichlet(np.ones(n_words), n_topics).T
    alpha = np.zeros(stride, np.float32)
    alpha[:n_topics] = 0.2
    documents = _counts_of(rng, _size(rng), n_words)
    return {**documents, "phi": phi, "alpha": alpha, "n_topics": n_topics}


def _lda_documents(name, **more):
    def make(rng):
        arguments = {**_known_topics(rng), **more, "n_threads": _threads(rng)}
        return getattr(_core.topics, name), arguments

    return make


def _lda_gibbs_arguments(rng):
    n_words = _size(rng)
    return {
        **_counts_of(rng, _size(rng), n_words),
        "n_words": n_words,
        "n_topics": _size(rng, 2, 20),
        "n_parts": _size(rng, 0, 4),
        "storage": str(rng.choice(["auto", "rows", "lists"])),
    }


def _priors(rng, n_topics, n_words, beta):
    if rng.random() < 0.5:
        begin, topics = np.empty(0, np.int32), np.empty(0, np.int32)
    else:
        each = rng.integers(0, 3, n_words)
        begin = np.concatenate([[0], np.cumsum(each)]).astype(np.int32)
        topics = np.concatenate(
            [np.sort(rng.permutation(n_topics)[:n]) for n in each] + [np.empty(0)]
        ).astype(np.int32)
    return {
        "alpha": _positive(rng, n_topics),
        "beta": beta,
        "seed_begin": begin,
        "seed_topics": topics,
        "seed_weights": _positive(rng, len(topics)),
    }


def _lda_gibbs(method):
    def make(rng):
        arguments = _lda_gibbs_arguments(rng)
        n_words, n_topics = arguments["n_words"], arguments["n_topics"]
        sampler = _core.topics.LdaGibbs(**arguments)
        if method not in ("set_priors", "set_word_priors"):
            sampler.set_priors(**_priors(rng, n_topics, n_words, 0.1))
            if method not in ("run", "set_assignments"):
                sampler.run(1, 2, 1)
        topics = rng.integers(0, n_topics, sampler.n_tokens).astype(np.uint16)
        made = {
            "set_priors": lambda: _priors(rng, n_topics, n_words, 0.1),
            "set_word_priors": lambda: _priors(rng, n_topics, n_words, _positive(rng, n_words)),
            "run": lambda: {"seed": 1, "sweep": 2, "n_threads": _threads(rng)},
            "set_assignments": lambda: {"topics": topics, "sweep": 0, "epoch": 0},
            "topic_tails": lambda: {"n_threads": _threads(rng)},
            "add_word_topics": lambda: {"out": np.zeros((n_words, n_topics))},
            "word_topics": lambda: {"columns": rng.permutation(n_words).astype(np.int32)},
        }
        return getattr(sampler, method), made.get(method, dict)()

    return make


def _lda_variational_documents(rng):
    n, p, k, real = _size(rng), _size(rng), _size(rng, 1), _value(rng)
    return _core.topics.lda_variational_documents, {
        "X": csr_parts(rng, n, p, real, counts=True),
        "topics": _positive(rng, p, k, dtype=real),
        "prior": _positive(rng, k),
        "gamma": _positive(rng, n, k, dtype=real),
        "max_iter": 5,
        "tol": 1e-3,
        "learn": bool(rng.random() < 0.5),
        "n_threads": _threads(rng),
    }


def _lda_expected_topics(rng):
    p, k = _size(rng), _size(rng, 1)
    words = np.empty(0, np.int64) if rng.random() < 0.3 else rng.permutation(p).astype(np.int64)
    topics = _positive(rng, p, k, dtype=_value(rng))
    return _core.topics.lda_expected_topics, {
        "topics": topics,
        "words": words,
        "scale": 1.0,
        "shift": 0.1,
        "totals": (topics + 0.1).sum(axis=0).astype(np.float64),
        "n_threads": _threads(rng),
    }


def _lda_variational_bound(rng):
    n, p, k = _size(rng), _size(rng), _size(rng, 1)
    topics = _positive(rng, p, k)
    return _core.topics.lda_variational_bound, {
        "X": csr_parts(rng, n, p, np.float64, counts=True),
        "gamma": _positive(rng, n, k),
        "topics": topics,
        "totals": topics.sum(axis=0),
        "expected": _positive(rng, p, k),
        "n_threads": _threads(rng),
    }


# neighbors


def _csr_nearest(rng):
    value, index, p, n = _value(rng), _index(rng), _size(rng), _size(rng)
    return _core.neighbors.csr_nearest, {
        "X": csr_parts(rng, n, p, value, index),
        "Q": csr_parts(rng, _size(rng), p, value, index),
        "distance": int(rng.integers(0, 2)),
        "k": _size(rng, 1, n + 1),
        "n_threads": _threads(rng),
    }


def _csr_min_hashes(rng):
    return _core.neighbors.csr_min_hashes, {
        "X": csr_parts(rng, _size(rng), _size(rng)),
        "n_hashes": _size(rng),
        "n_threads": _threads(rng),
    }


def _dense_nearest(rng):
    value, p, n = _value(rng), _size(rng), _size(rng)
    return _core.neighbors.dense_nearest, {
        "X": _dense(rng, n, p, dtype=value),
        "Q": _dense(rng, _size(rng), p, dtype=value),
        "distance": int(rng.integers(0, 2)),
        "k": _size(rng, 1, n + 1),
        "n_threads": _threads(rng),
    }


def _tile_top_k(rng):
    n, m, k = _size(rng), _size(rng, 2, 40), _size(rng, 1)
    return _core.neighbors.tile_top_k, {
        "tile": _dense(rng, n, m, dtype=np.float32),
        "first_column": 0,
        "penalty": _dense(rng, m, dtype=np.float32),
        "best": np.full((n, k), -np.inf, np.float32),
        "ids": np.full((n, k), -1, np.int64),
        "n_threads": _threads(rng),
    }


def _tile_top_k_columns(rng):
    n, m, k = _size(rng), _size(rng, 2, 40), _size(rng, 1)
    return _core.neighbors.tile_top_k_columns, {
        "tile": _dense(rng, n, m, dtype=np.float32),
        "first_row": 0,
        "best": np.full((m, k), -np.inf, np.float32),
        "ids": np.full((m, k), -1, np.int64),
        "n_threads": _threads(rng),
    }


# cluster


def _kmeans_operand(rng):
    return _core.cluster.kmeans_operand, {
        "sums": _dense(rng, _size(rng), _size(rng)),
        "scale": 0.5,
        "n_threads": _threads(rng),
    }


def _rows_of(rng, name, n, p):
    if name.startswith("csr"):
        return csr_parts(rng, n, p, index=np.int32)
    return _dense(rng, n, p, dtype=_value(rng))


def _centres(rng, k, p):
    sums = _dense(rng, k, p)
    return {
        "sums": sums,
        "factor": np.ones(k),
        "norms": (sums**2).sum(axis=1),
        "operand": _core.cluster.kmeans_operand(sums, 1.0),
        "scale": 1.0,
    }


def _kmeans_assign(name):
    def make(rng):
        n, p, k = _size(rng), _size(rng), _size(rng, 2, 20)
        return getattr(_core.cluster, name), {
            "X": _rows_of(rng, name, n, p),
            "lengths": _positive(rng, n),
            **_centres(rng, k, p),
            "drift": np.zeros(k),
            "labels": _codes(rng, n, k),
            "slack": np.zeros(n),
            "n_threads": _threads(rng),
        }

    return make


def _kmeans_update(name):
    def make(rng):
        n, p, k = _size(rng), _size(rng), _size(rng, 2, 20)
        return getattr(_core.cluster, name), {
            "X": _rows_of(rng, name, n, p),
            "weights": _positive(rng, n),
            "before": _codes(rng, n, k),
            "labels": _codes(rng, n, k),
            "rebuild": (rng.random(k) < 0.5).astype(np.uint8),
            "totals": _positive(rng, k),
            "cosine": bool(rng.random() < 0.5),
            **_centres(rng, k, p),
            "n_threads": _threads(rng),
        }

    return make


def _kmeans_distances(name):
    def make(rng):
        n, p, k = _size(rng), _size(rng), _size(rng, 2, 20)
        centres = _centres(rng, k, p)
        return getattr(_core.cluster, name), {
            "X": _rows_of(rng, name, n, p),
            **{part: centres[part] for part in ("sums", "factor", "norms")},
            "labels": _codes(rng, n, k),
            "n_threads": _threads(rng),
        }

    return make


def _dense_kmeans_candidates(rng):
    n, p = _size(rng), _size(rng)
    return _core.cluster.dense_kmeans_candidates, {
        "X": _rows_of(rng, "dense", n, p),
        "squares": _positive(rng, n),
        "weights": _positive(rng, n),
        "closest": _positive(rng, n),
        "chosen": rng.integers(0, n, _size(rng, 1)),
        "n_threads": _threads(rng),
    }


def _mixture(rng):
    n, p, k = _size(rng), _size(rng), _size(rng, 1)
    return {
        "X": _dense(rng, n, p, dtype=_value(rng)),
        "means": _dense(rng, k, p),
        "factors": _dense(rng, k * p * p),
        "upper": bool(rng.random() < 0.5),
        "n_threads": _threads(rng),
    }


def _dense_mahalanobis(rng):
    return _core.cluster.dense_mahalanobis, _mixture(rng)


def _dense_responsibilities(rng):
    mixture = _mixture(rng)
    k = len(mixture["means"])
    return _core.cluster.dense_responsibilities, {
        **mixture,
        "offsets": _dense(rng, k),
        "least": -40.0,
        "likely": _codes(rng, len(mixture["X"]), k),
    }


def _log_responsibilities(rng):
    k = _size(rng, 1)
    return _core.cluster.log_responsibilities, {
        "offsets": _dense(rng, k),
        "logs": _dense(rng, _size(rng), k),
        "n_threads": _threads(rng),
    }


# trees


def _tree_rows(rng, n=None, p=None):
    n, p = n or _size(rng, 4, 20), p or _size(rng)
    if rng.random() < 0.5:
        return csr_parts(rng, n, p, np.float32), n, p
    return _dense(rng, n, p, dtype=np.float32), n, p


def _tree_data(rng):
    X, _, _ = _tree_rows(rng)
    arguments = {"X": X, "n_threads": _threads(rng), "categories": np.empty(0, np.uint8)}
    return _core.trees.TreeData, arguments


def _tree_how(rng, p, criterion):
    limits = (p, 10, 2, 1, 0.0, 0.0, 0)
    return {
        "criterion": criterion,
        "random_splits": bool(rng.random() < 0.5),
        "seed": 5,
        "limits": limits,
    }


def _grow_class_tree(rng):
    X, n, p = _tree_rows(rng)
    data = _core.trees.TreeData(X, 1, np.empty(0, np.uint8))
    return data.grow_class_tree, {
        "codes": _codes(rng, n, 3),
        "n_classes": 3,
        "weights": np.empty(0) if rng.random() < 0.5 else _positive(rng, n),
        **_tree_how(rng, p, int(rng.integers(0, 2))),
    }


def _grow_value_tree(rng):
    X, n, p = _tree_rows(rng)
    data = _core.trees.TreeData(X, 1, np.empty(0, np.uint8))
    return data.grow_value_tree, {
        "y": _dense(rng, n),
        "weights": np.empty(0) if rng.random() < 0.5 else _positive(rng, n),
        **_tree_how(rng, p, 2),
    }


def _tree_data_stop(rng):
    X, _, _ = _tree_rows(rng)
    return _core.trees.TreeData(X, 1, np.empty(0, np.uint8)).stop, {}


def _grown(rng, maker):
    function, arguments = maker(rng)
    tree = function(**arguments)
    return tree, arguments["limits"][0]


def _forest(rng, name):
    (nodes, _, sum_begin, sum_class, sum_weight), p = _grown(rng, _grow_class_tree)
    begin = np.array([0, len(nodes) // 24], np.int64)
    sums = {
        "sum_begin": sum_begin.astype(np.int64),
        "sum_class": sum_class,
        "sum_weight": sum_weight,
        "n_classes": 3,
    }
    X = _tree_rows(rng, p=p)[0]
    return {
        "forest_check": {"nodes": nodes, "begin": begin, "n_cols": p},
        "forest_check_sums": {"nodes": nodes, "begin": begin, **sums},
        "forest_leaves": {"nodes": nodes, "begin": begin, "X": X, "n_threads": _threads(rng)},
        "forest_shares": {
            "nodes": nodes,
            "begin": begin,
            **sums,
            "hard": bool(rng.random() < 0.5),
            "X": X,
            "n_threads": _threads(rng),
        },
        "tree_class_sums": {"nodes": nodes, **sums},
    }[name]


def _forest_maker(name):
    return lambda rng: (getattr(_core.trees, name), _forest(rng, name))


def _forest_values(rng):
    (nodes, _, value, _, _), p = _grown(rng, _grow_value_tree)
    return _core.trees.forest_values, {
        "nodes": nodes,
        "begin": np.array([0, len(nodes) // 24], np.int64),
        "values": value,
        "X": _tree_rows(rng, p=p)[0],
        "n_threads": _threads(rng),
    }


MAKERS: dict[str, Callable[[np.random.Generator], tuple[Callable[..., Any], dict[str, Any]]]] = {
    "base.philox_raw": _philox("philox_raw"),
    "base.philox_uniform": _philox("philox_uniform"),
    "base.philox_normal": _philox("philox_normal"),
    "base.philox_integers": _philox("philox_integers", bound=True),
    "base.simd_supported": _nothing("base", "simd_supported"),
    "base.simd_level": _nothing("base", "simd_level"),
    "base.thread_limit": _nothing("base", "thread_limit"),
    "base.parallel_probe": _parallel_probe,
    "sparse.csr_matmul": _csr_matmul("csr_matmul"),
    "sparse.csr_argmax": _csr_matmul("csr_argmax"),
    "sparse.csr_frequent_first": _csr_alone("sparse", "csr_frequent_first"),
    "sparse.csr_transpose": _csr_alone("sparse", "csr_transpose"),
    "sparse.csr_check": _csr_alone("sparse", "csr_check"),
    "sparse.csr_matvec": _csr_matvec,
    "sparse.csr_t_matvec": _csr_t_matvec,
    "corpus.token_matches": _token_matches,
    "corpus.token_counts": _token_counts,
    "corpus.token_group_counts": _token_group_counts,
    "text.Documents.from_list": _documents_from_list,
    "text.Documents.from_arrow": _documents_from_arrow,
    "text.Documents.__len__": _documents_length,
    "text.AnalyzerOptions": _analyzer_options,
    "text.TokenAutomaton": _token_automaton,
    "text.character_set": _character_set,
    "text.TextCounter": _text_counter,
    "text.TextCounter.add_documents": _counter_add_documents,
    "text.TextCounter.add_labelled": _counter_add_labelled,
    "text.TextCounter.add_terms": _counter_add_terms,
    "text.TextCounter.finish": _counter_finish,
    "text.TextCounter.places_of": _counter_places_of,
    "text.TextCounter.class_counts": _counter_class_counts,
    "text.TextCounter.to_csr": _counter_to_csr,
    "text.CountRows.to_csr": _rows_to_csr,
    "text.TextLookup": _text_lookup,
    "text.TextLookup.count": _lookup_count,
    "text.hash_documents": _hash_documents,
    "text.index_tokens": _index_tokens,
    "text.term_strings": _term_strings,
    "text.json_shape": _json_shape,
    "text.csr_tfidf": _csr_tfidf,
    "text.csr_document_frequency": _csr_document_frequency,
    "counts.csr_class_sums": _csr_class_sums,
    "counts.csr_class_counts": _csr_class_counts,
    "counts.csr_has_duplicates": _csr_alone("counts", "csr_has_duplicates"),
    "counts.csr_chi2": _csr_scores("csr_chi2"),
    "counts.csr_mutual_info": _csr_scores("csr_mutual_info"),
    "counts.dense_class_sums": _dense_class_sums,
    "counts.dense_class_moments": _dense_class_moments,
    "counts.dense_gaussian_log_likelihood": _dense_gaussian_log_likelihood,
    "counts.factorize": _factorize,
    "counts.multinomial_log_prob": _naive_bayes("multinomial_log_prob", "totals"),
    "counts.bernoulli_log_prob": _naive_bayes("bernoulli_log_prob", "n"),
    "counts.bernoulli_weights": _naive_bayes("bernoulli_weights", "n"),
    "counts.complement_weights": _naive_bayes("complement_weights", "totals"),
    "linear.block_project": _block_project,
    "linear.csc_enet_path": _csc_enet_path,
    "linear.dense_enet_path": _dense_enet_path,
    "linear.gram_enet_path": _gram_enet_path,
    "linear.csc_quadratic_descent": _csc_quadratic_descent,
    "linear.logistic_loss": _logistic_loss,
    "linear.logistic_state": _logistic_state,
    "linear.logistic_gradient": _logistic_gradient,
    "linear.logistic_newton": _logistic_newton,
    "linear.logistic_hessian_product": _logistic_hessian_product,
    "linear.csr_sparse_logistic": _csr_sparse_logistic,
    "linear.dense_sparse_logistic": _dense_sparse_logistic,
    "linear.SparseLogistic.null_objective": _sparse_logistic("null_objective"),
    "linear.SparseLogistic.l1_max": _sparse_logistic("l1_max"),
    "linear.SparseLogistic.start": _sparse_logistic("start"),
    "linear.SparseLogistic.fit": _sparse_logistic("fit"),
    "margins.csr_svm_descent": _csr_svm_descent,
    "margins.csr_svr_descent": _csr_svr_descent,
    "margins.csr_gram": _csr_gram,
    "margins.kernel_rows": _kernel_rows,
    "margins.kernel_rows_into": _kernel_rows_into,
    "margins.smo": _smo,
    "margins.smo_slack": _smo_slack,
    "topics.dirichlet_terms": _dirichlet_terms,
    "topics.lda_infer": _lda_documents("lda_infer", max_iter=5, tol=1e-3),
    "topics.lda_left_to_right": _lda_documents("lda_left_to_right", n_particles=3, seed=1),
    "topics.lda_completion": _lda_documents("lda_completion", n_samples=3, seed=1),
    "topics.LdaGibbs": lambda rng: (_core.topics.LdaGibbs, _lda_gibbs_arguments(rng)),
    **{
        f"topics.LdaGibbs.{method}": _lda_gibbs(method)
        for method in (
            "set_priors", "set_word_priors", "run", "assignments", "set_assignments",
            "topic_tails", "word_histogram", "add_word_topics", "word_topics", "doc_topics",
        )
    },
    "topics.lda_variational_documents": _lda_variational_documents,
    "topics.lda_expected_topics": _lda_expected_topics,
    "topics.lda_variational_bound": _lda_variational_bound,
    "neighbors.csr_min_hashes": _csr_min_hashes,
    "neighbors.csr_nearest": _csr_nearest,
    "neighbors.dense_nearest": _dense_nearest,
    "neighbors.tile_top_k": _tile_top_k,
    "neighbors.tile_top_k_columns": _tile_top_k_columns,
    "cluster.kmeans_operand": _kmeans_operand,
    "cluster.csr_kmeans_assign": _kmeans_assign("csr_kmeans_assign"),
    "cluster.csr_kmeans_update": _kmeans_update("csr_kmeans_update"),
    "cluster.csr_kmeans_distances": _kmeans_distances("csr_kmeans_distances"),
    "cluster.dense_kmeans_assign": _kmeans_assign("dense_kmeans_assign"),
    "cluster.dense_kmeans_update": _kmeans_update("dense_kmeans_update"),
    "cluster.dense_kmeans_distances": _kmeans_distances("dense_kmeans_distances"),
    "cluster.dense_kmeans_candidates": _dense_kmeans_candidates,
    "cluster.dense_mahalanobis": _dense_mahalanobis,
    "cluster.dense_responsibilities": _dense_responsibilities,
    "cluster.log_responsibilities": _log_responsibilities,
    "trees.TreeData": _tree_data,
    "trees.TreeData.stop": _tree_data_stop,
    "trees.TreeData.grow_class_tree": _grow_class_tree,
    "trees.TreeData.grow_value_tree": _grow_value_tree,
    "trees.forest_check": _forest_maker("forest_check"),
    "trees.forest_check_sums": _forest_maker("forest_check_sums"),
    "trees.forest_leaves": _forest_maker("forest_leaves"),
    "trees.forest_shares": _forest_maker("forest_shares"),
    "trees.forest_values": _forest_values,
    "trees.tree_class_sums": _forest_maker("tree_class_sums"),
}  # fmt: skip


# Spoiling a call. Numbers of rounds are left small: a huge one is a long run, not an error.

ROUNDS = {"max_iter", "max_passes", "max_products", "sweep", "n_particles", "n_samples", "n_loops"}
PARTS_OF_CSR = ("data", "indices", "indptr", "n_cols")


def corruptions(call: Call) -> Iterator[tuple[str, Call]]:
    """Yield what was spoiled and the call with it, one argument at a time."""
    for name, value in call.kwargs.items():
        for what, spoiled in _spoiled(name, value):
            yield f"{name}: {what}", Call(call.function, call.args, {**call.kwargs, name: spoiled})


def drawn_corruption(call: Call, rng: np.random.Generator) -> tuple[str, Call]:
    """Return one of the corruptions of a call, or numbers at random in one of its arrays."""
    every = list(corruptions(call))
    arrays = [name for name, value in call.kwargs.items() if isinstance(value, np.ndarray)]
    if not every or (arrays and rng.random() < 0.3):
        name = str(rng.choice(arrays)) if arrays else ""
        if not name:
            return "nothing", call
        noise = rng.integers(0, 256, call.kwargs[name].nbytes, np.uint8)
        spoiled = noise.view(call.kwargs[name].dtype).reshape(call.kwargs[name].shape)
        return f"{name}: noise", Call(
            call.function, call.args, {**call.kwargs, name: spoiled.copy()}
        )
    return every[int(rng.integers(len(every)))]


def fresh(call: Call) -> Call:
    """Return the call with copies of its arrays, since some are written to."""
    return Call(call.function, call.args, {k: _copied(v) for k, v in call.kwargs.items()})


def _copied(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_copied(part) for part in value)
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


def _is_csr(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 4 and isinstance(value[0], np.ndarray)


def _spoiled(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if _is_csr(value):
        for place, part in enumerate(PARTS_OF_CSR):
            for what, spoiled in _spoiled(part, value[place]):
                yield f"{part}: {what}", (*value[:place], spoiled, *value[place + 1 :])
    elif isinstance(value, np.ndarray):
        yield from _spoiled_arrays(value)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int):
        numbers = {-1, 0, value - 1, value + 1}
        if name not in ROUNDS:
            numbers |= {2**31 - 1, 2**62, 2**64 - 1} if name == "n_threads" else {2**62, 2**64 - 1}
        yield from ((str(number), number) for number in sorted(numbers - {value}))
    elif isinstance(value, float):
        for number in (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308):
            yield str(number), number
    elif isinstance(value, str):
        yield "unknown word", "\N{SNOWMAN}"
    elif isinstance(value, list):
        yield "no list of strings", [None]


def _spoiled_arrays(value: np.ndarray) -> Iterator[tuple[str, Any]]:
    yield "nothing", value[:0].copy()
    yield "shorter", value[:-1].copy()
    yield "longer", np.concatenate([value, value[-1:]]) if len(value) else np.zeros(1, value.dtype)
    if value.ndim == 2:
        yield "narrower", np.ascontiguousarray(value[:, :-1])
        yield "no columns", np.ascontiguousarray(value[:, :0])
        yield "flat", value.ravel()
        yield "other order", value.T.copy().T
        yield "huge without entries", np.empty((0, 2**40), value.dtype)
        yield "high without entries", np.empty((2**40, 0), value.dtype)
    yield "with gaps", np.repeat(value, 2, axis=0)[::2]
    yield "backwards", value[::-1]
    yield "foreign byte order", value.astype(value.dtype.newbyteorder())
    yield "other type", value.astype(np.float16)
    yield "no array", value.tolist()
    yield "unaligned", _unaligned(value)
    locked = value.copy(order="K")
    locked.flags.writeable = False
    yield "locked", locked
    if value.size == 0:
        return
    numbers: list[Any]
    if value.dtype.kind == "f":
        numbers = [np.nan, np.inf, -np.inf, -1.0, 0.0, np.finfo(value.dtype).max]
    else:
        limits = np.iinfo(value.dtype)
        numbers = [limits.min, limits.max, int(value.max()) + 1, int(value.min()) - 1]
        numbers = [number for number in numbers if limits.min <= number <= limits.max]
    for number in numbers:
        for what, places in (("first", 0), ("last", -1), ("all", slice(None))):
            spoiled = value.copy(order="K")
            spoiled.reshape(-1)[places] = number
            yield f"{what} {number}", spoiled
            # A mask hides the number from whoever looks through it.
            hidden = np.ma.array(spoiled, mask=spoiled == number)
            if what == "first":
                yield f"{what} {number}, masked", hidden


def _unaligned(value: np.ndarray) -> np.ndarray:
    if value.dtype.itemsize == 1:
        return value.copy()
    room = np.empty(value.nbytes + 1, np.uint8)[1:]
    spoiled = room.view(value.dtype).reshape(value.shape)
    spoiled[...] = value
    return spoiled
