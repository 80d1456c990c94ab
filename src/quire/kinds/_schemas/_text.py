"""Vectorizers and what they know, selectors of terms, and encoders of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quire.kinds._language import Mismatch, Spec, has_object, state_of
from quire.kinds._schema import Schema
from quire.kinds._schemas._common import COLUMNS, n_terms, of_columns

__all__ = ["TABLE", "columns_are_numbered"]


def _words_are_cut_between(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Words are cut out of UTF-8 between characters."""
    words, offsets = state["words"], state["word_offsets"]
    if offsets[0] != 0 or offsets[-1] != len(words):
        raise Mismatch("word_offsets do not begin at 0 and end with the words")
    try:
        str(words.data, "utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise Mismatch(f"words are not UTF-8 ({error.reason} at {error.start})") from error
    starts = offsets[offsets < len(words)]
    if ((words[starts] & 0xC0) == 0x80).any():
        raise Mismatch("word_offsets cut characters apart")


def _grams_are_words(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Terms of several words are rows of word numbers: at least one, and -1 after the last."""
    grams, width = state["grams"], int(state["width"])
    n_terms, n_words = sizes["T"], sizes["W"]
    if width == 1:
        if n_terms != n_words or len(grams) != 0:
            raise Mismatch(f"{n_words} words do not make {n_terms} terms of one word")
        return
    if len(grams) != n_terms * width:
        raise Mismatch(f"{len(grams)} numbers do not make {n_terms} terms of up to {width} words")
    rows = grams.reshape(n_terms, width)
    if n_terms and (
        grams.min() < -1
        or grams.max() >= n_words
        or rows[:, 0].min() < 0
        or ((rows[:, :-1] < 0) & (rows[:, 1:] >= 0)).any()
    ):
        raise Mismatch(f"grams are not numbers of {n_words} words")


def columns_are_numbered(mapping: Any) -> None:
    """Refuse a vocabulary whose columns are not among the first so many numbers."""
    if not mapping:
        return
    columns = list(mapping.values())
    if not all(isinstance(one, int | np.integer) for one in columns):
        raise Mismatch("the columns of a vocabulary are not whole numbers")
    if not 0 <= min(columns) <= max(columns) < len(columns):
        raise Mismatch(f"the columns of a vocabulary of {len(columns)} terms are not below that")


def _one_of_both(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    if (state["terms"] is None) == (state["mapping"] is None):
        raise Mismatch("there are either terms or a mapping")
    columns_are_numbered(state["mapping"])


def _weights_of_columns(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    for name in ("_tfidf", "_bm25"):
        weights = state.get(name)
        if weights is None:
            continue
        idf = state_of(weights).get("idf_")
        width = n_terms(state)
        if idf is not None and width not in (None, len(idf)):
            raise Mismatch(f"{name} has {len(idf)} weights for {width} terms")


def _frequencies_of_columns(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Frequencies of a given vocabulary are added up column by column."""
    growth, width = state.get("_growth"), n_terms(state)
    if growth is not None and width is not None and has_object(growth, "FixedGrowth"):
        n = len(state_of(growth)["document_frequency"])
        if n not in (0, width):
            raise Mismatch(f"_growth has {n} frequencies of {width} terms")


def _terms_are_counted(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    terms = state["terms"]
    if terms is not None and len(state_of(terms)["document_frequency"]) != sizes["T"]:
        raise Mismatch("term_counts are not of the terms")
    if terms is None and sizes["T"] != sizes["P"]:
        raise Mismatch("term_counts are not of the columns")


_COUNTING: dict[str, Spec] = {
    "fixed_vocabulary_?": "bool",
    "_vocabulary?": "Vocabulary",
    "_growth?": "TermGrowth | FixedGrowth | none",
    "_grown_with?": "dict of str to anything",
    "_is_stale?": "bool",
    "_is_compact?": "bool",
    "_stop_words_id?": "int",
}
_FREQUENCIES: dict[str, Spec] = {
    "document_frequency": "int64[T] >= 0",
    "term_frequency": "int64[T] >= 0",
}
_EACH = "list[P] of"

TABLE: dict[str, Schema] = {
    "feature_extraction.text.CountVectorizer": Schema(_COUNTING, (_frequencies_of_columns,)),
    "feature_extraction.text.TfidfVectorizer": Schema(
        {**_COUNTING, "_tfidf?": "TfidfTransformer"}, (_frequencies_of_columns, _weights_of_columns)
    ),
    "feature_extraction.text.BM25Vectorizer": Schema(
        {**_COUNTING, "_bm25?": "BM25Transformer"}, (_frequencies_of_columns, _weights_of_columns)
    ),
    "feature_extraction.text.BM25Transformer": of_columns(
        {"idf_?": "float[P]", "mean_length_": "float finite"}
    ),
    "feature_extraction.text.RelevanceTransformer": of_columns(
        {"relevance_": "float[P]", "idf_?": "float[P]"}
    ),
    "feature_extraction.text.HashingVectorizer": Schema({"_stop_words_id?": "int"}),
    "feature_extraction.text.TfidfTransformer": of_columns({"idf_?": "float[P]"}),
    "feature_extraction.text.Vocabulary": Schema(
        {
            "terms": "NativeTerms | PythonTerms | none",
            "mapping": "dict of plain to int | none",
        },
        (_one_of_both,),
    ),
    "feature_extraction.text.NativeTerms": Schema(
        {
            "words": "uint8[_]",
            "word_offsets": "int64[W+1] sorted",
            "width": "int >= 1",
            "grams": "int32[_]",
            **_FREQUENCIES,
        },
        (_words_are_cut_between, _grams_are_words),
    ),
    "feature_extraction.text.PythonTerms": Schema(
        {"terms": "sequence[T] of plain", **_FREQUENCIES}
    ),
    "feature_extraction.text.TermGrowth": Schema(
        {"parts": "list of (NativeTerms | PythonTerms)", "n_documents": "int >= 0"}
    ),
    "feature_extraction.text.FixedGrowth": Schema(
        {
            "document_frequency": "int64[_] >= 0",
            "n_documents": "int >= 0",
            "n_tokens?": "float finite",
        }
    ),
    "feature_extraction.text.ClassCounts": Schema(
        {
            "classes": "label[K]",
            "class_count": "float[K]",
            "feature_count": "number[K, P]",
            "n_documents": "int >= 0",
            "terms": "NativeTerms | PythonTerms | none",
            "term_counts": "number[K, T]",
        },
        (_terms_are_counted,),
    ),
    "feature_extraction.select.SelectTerms": of_columns(
        {
            "scores_": "number[P]",
            "pvalues_?": "number[P] | none",
            "support_": "bool[P]",
            "order_?": "index[_] >= 0 < P | none",
        }
    ),
    "feature_extraction.table.TableEncoder": Schema(
        {
            **COLUMNS,
            "kinds_": f"{_EACH} str",
            "categories_": f"{_EACH} list of str",
            "has_other_": f"{_EACH} bool",
            "has_missing_": f"{_EACH} bool",
            "median_": "float64[P]",
            "mean_": "float64[P]",
            "scale_": "float64[P]",
        },
        (lambda state, sizes: _known_kinds(state["kinds_"]),),
    ),
}


def _known_kinds(kinds: list[str]) -> None:
    unknown = sorted(set(kinds) - {"number", "category"})
    if unknown:
        raise Mismatch(f"kinds_ has {unknown[0]!r}, which is no kind of column")
