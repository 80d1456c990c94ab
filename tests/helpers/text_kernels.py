"""Calling the text kernels in the form of their twins (tests/reference/text/texts.py)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, fields

import numpy as np
from tests.reference.text.texts import AnalyzerOptions, Csr, Terms
from tests.reference.text.tokens import TokenAutomaton

from quire import _core
from quire.feature_extraction.text._automaton import compiled


def options_of(options: AnalyzerOptions):
    values = {field.name: getattr(options, field.name) for field in fields(options)}
    if options.automaton is not None:
        values["automaton"] = token_automaton(options.automaton)
    return _core.text.AnalyzerOptions(*values.values())


def token_automaton(twin: TokenAutomaton):
    starts, classes, n_classes, following, accepts, first, *part = astuple(twin)
    return _core.text.TokenAutomaton(
        np.array(starts, np.int32),
        np.array(classes, np.uint8),
        n_classes,
        np.array(following, np.uint16),
        np.array(accepts, np.uint8),
        np.array(first, np.uint16),
        *part,
    )


def automaton_of(pattern: str) -> TokenAutomaton:
    """The automaton of a regular expression, which must have one."""
    made = compiled(pattern)
    assert not isinstance(made, str), made
    automaton = made[0]
    return TokenAutomaton(
        automaton.starts.tolist(),
        automaton.classes.tolist(),
        automaton.n_classes,
        automaton.next.ravel().tolist(),
        automaton.accepts.ravel().tolist(),
        automaton.first.tolist(),
        automaton.skip,
        automaton.keep,
        automaton.drop,
    )


def stop_list(stop_words: Iterable[str], options: AnalyzerOptions) -> list[str]:
    """Stop words as the vectorizers pass them on: for words, and with a UTF-8 form."""
    if options.kind != "word":
        return []
    return [word for word in stop_words if not re.search("[\ud800-\udfff]", word)]


def as_csr(arrays) -> Csr:
    data, indices, indptr = arrays
    assert indices.dtype == indptr.dtype == np.int32
    return Csr(data.tolist(), indices.tolist(), indptr.tolist())


def as_terms(arrays) -> Terms:
    words, offsets, width, grams, documents, terms = arrays
    assert (words.dtype, offsets.dtype, grams.dtype) == (np.uint8, np.int64, np.int32)
    assert (documents.dtype, terms.dtype) == (np.int64, np.int64)
    chosen = np.arange(len(documents))
    names = _core.text.term_strings(words, offsets, width, grams, chosen)
    return Terms(names, documents.tolist(), terms.tolist())


def text_counter(
    documents: Sequence[str] | _core.text.Documents,
    options: AnalyzerOptions,
    stop_words: Iterable[str] = (),
    *,
    binary: bool = False,
    dtype: str = "int64",
    n_threads: int = 1,
) -> tuple[Terms, Csr]:
    counter = _core.text.TextCounter(options_of(options), stop_list(stop_words, options), True)
    if not isinstance(documents, _core.text.Documents):
        documents = _core.text.Documents.from_list(list(documents))
    counter.add_documents(documents, n_threads)
    terms = as_terms(counter.finish(n_threads))
    return terms, as_csr(counter.to_csr(dtype, None, len(terms.names), binary, n_threads))


def native_terms(names: Sequence[str], options: AnalyzerOptions):
    """The arrays of terms for ``TextLookup``: bytes of the words, their offsets, width, grams."""
    width = options.max_n if options.kind == "word" else 1
    split = [name.split(" ") if width > 1 else [name] for name in names]
    if width == 1:
        words = [parts[0] for parts in split]
        grams = np.empty(0, np.int32)
    else:
        words = sorted({word for parts in split for word in parts})
        number = {word: i for i, word in enumerate(words)}
        grams = np.full((len(split), width), -1, np.int32)
        for row, parts in enumerate(split):
            grams[row, : len(parts)] = [number[word] for word in parts]
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), np.uint8), offsets, width, grams.ravel()


def text_lookup(
    documents: Sequence[str],
    options: AnalyzerOptions,
    stop_words: Iterable[str],
    vocabulary: Mapping[str, int],
    *,
    binary: bool = False,
    dtype: str = "int64",
    n_threads: int = 1,
) -> Csr:
    lookup = _core.text.TextLookup(
        options_of(options),
        stop_list(stop_words, options),
        *native_terms(list(vocabulary), options),
        np.array(list(vocabulary.values()), np.int32),
    )
    counted = lookup.count(_core.text.Documents.from_list(list(documents)), n_threads)
    return as_csr(counted.to_csr(dtype, len(vocabulary), binary, n_threads))


def hash_documents(
    documents: Sequence[str],
    options: AnalyzerOptions,
    stop_words: Iterable[str],
    n_features: int,
    alternate_sign: bool,
    *,
    n_threads: int = 1,
) -> Csr | int:
    counted = _core.text.hash_documents(
        _core.text.Documents.from_list(list(documents)),
        options_of(options),
        stop_list(stop_words, options),
        n_features,
        alternate_sign,
        n_threads,
    )
    if isinstance(counted, int):
        return counted
    return as_csr(counted.to_csr("int64", n_features, False, 1))
