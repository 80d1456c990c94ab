"""Random texts, counted by the compiled kernels and by `re`, plain Python and scikit-learn.

An input is a setting of a vectorizer and some dozens of documents. Tokens, counts, vocabularies,
weights, warnings and errors must be equal.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
import warnings
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import polars as pl
import sklearn.feature_extraction.text as sklearn_text

import quire.feature_extraction.text as quire_text
from fuzz.patterns import random_pattern
from fuzz.target import Finding, Target

__all__ = ["Text"]

_SPACES = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
# Lower case is several characters, depends on neighbours or has another length; marks that are
# passed over; word characters one may not expect; long, empty and computed decompositions; the ends
# of planes; lone surrogates; NUL.
_AWKWARD = (
    "\u0130\u0131\u017f\u03a3\u03c3\u03c2\u00df\u1e9e\u212a\u212b\u2126\u023a\u023e\u01c5\u0345"
    "\u10a0\u13a0\u2160\u24b6'.:^`\u00a8\u00ad\u00b7\u0301\u0308\u2019\u200d\u200b\ufe0f\u05b0_0"
    "\u00b2\u00bd\u0661\u2460\u00aa\u20dd\u0903\u0e33\u3400\u4e00\u3042\u00e9A\u030a\u1ea5\ufb01"
    "\ufdfa\u0344\uac00\ud55c\u1100\u1161\u11a8\U0002f800\uff21\u00a0\u2026\u3300\U0001d400"
    "\U00010400\U0001f600\U000e0001\U0010ffff\uffff\ue000\x00\x7f\x80\xff\ud800\udbff\udc00\udfff"
) + _SPACES
_WORDS = [
    "one",
    "two",
    "Two",
    "the",
    "a",
    "fa\u00e7ade",
    "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03a3",
]
_LENGTHS = [1, 2, 7, 8, 14, 15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 127, 128, 129]
_PATTERNS = [
    r"(?u)\b\w\w+\b",
    r"\w+",
    r"\b\w+\b",
    r"\w\w+",
    r"(?u)\b\w{3,}\b",
    r"\w{2,}",
    r"[a-z]+",
    r"(\w)\w+",
    r"\S+",
]
_STOP_WORDS = [None, None, "english", ["the", "two", "a", "x" * 20], ["", "never there", "\ud800"]]


def _document(random: Random) -> str:
    kind = random.random()
    if kind < 0.3:  # few words, so that they meet again
        return random.choice(" \t-").join(random.choices(_WORDS, k=random.randrange(9)))
    if kind < 0.4:
        top = random.choice([0x80, 0x100, 0x10000, 0x110000])  # one for each way Python stores them
        return "".join(map(chr, (random.randrange(top) for _ in range(random.randrange(30)))))
    parts = []
    for _ in range(random.randrange(8)):
        part = random.random()
        if part < 0.35:
            parts.append("".join(random.choices(_AWKWARD, k=random.randrange(1, 5))))
        elif part < 0.6:
            parts.append("".join(random.choices("abcABCzZ\u03a3\u03c3'", k=random.randrange(5))))
        elif part < 0.7:
            parts.append(random.choice("aAzZ_9\u00e9\u03a3\u4e00 ") * random.choice(_LENGTHS))
        elif part < 0.8:
            parts.append(chr(random.randrange(sys.maxunicode + 1)))
        else:
            parts.append(random.choice([" ", "\n", random.choice(_SPACES)]))
    return "".join(parts)


def _settings(random: Random) -> dict[str, Any]:
    vectorizer = random.choice(["CountVectorizer"] * 3 + ["TfidfVectorizer", "HashingVectorizer"])
    analyzer = random.choice(["word", "word", "char", "char_wb"])
    least = random.randrange(1, 4)
    parameters: dict[str, Any] = {
        "analyzer": analyzer,
        "lowercase": random.random() < 0.7,
        "strip_accents": random.choice([None, None, "unicode", "ascii"]),
        "ngram_range": [least, least + random.randrange(3)],
        "binary": random.random() < 0.2,
    }
    if analyzer == "word":
        pattern = random.choice([*_PATTERNS, None, None, None])
        parameters["token_pattern"] = random_pattern(random) if pattern is None else pattern
        parameters["stop_words"] = random.choice(_STOP_WORDS)
    if vectorizer == "HashingVectorizer":
        parameters["n_features"] = random.choice([1, 2, 7, 64, 1 << 20])
        parameters["alternate_sign"] = random.random() < 0.5
        parameters["norm"] = random.choice([None, "l1", "l2"])
    else:
        parameters["min_df"] = random.choice([1, 1, 2, 0.1])
        parameters["max_df"] = random.choice([1.0, 1.0, 0.5, 5])
        parameters["max_features"] = random.choice([None, None, 1, 10])
    if vectorizer == "TfidfVectorizer":
        parameters["norm"] = random.choice([None, "l1", "l2"])
        parameters["use_idf"] = random.random() < 0.8
        parameters["smooth_idf"] = random.random() < 0.8
        parameters["sublinear_tf"] = random.random() < 0.3
    if vectorizer == "CountVectorizer":
        parameters["dtype"] = random.choice(["int64", "int64", "int32", "uint8", "float32"])
    return {
        "vectorizer": vectorizer,
        "parameters": parameters,
        "n_jobs": random.choice([None, 1, 2, 3]),
        "simd": random.choice([None, None, "portable", "avx2", "avx512"]),
        "as": random.choice(["list", "list", "list", "array", "series", "bytes"]),
    }


class Text(Target):
    """Vectorizers against scikit-learn's, and words against `re`."""

    unit = "strings"

    def make(self, random: Random) -> bytes:
        """Return settings and documents as JSON."""
        settings = _settings(random)
        documents = [_document(random) for _ in range(random.choice([1, 5, 60, 150]))]
        if settings["as"] in ("series", "bytes"):  # neither holds lone surrogates
            documents = [text.encode("utf-8", "replace").decode() for text in documents]
        return json.dumps({**settings, "documents": documents}).encode()

    def check(self, content: bytes) -> int:
        """Fit and transform with both, and compare everything."""
        from quire import _core

        given = json.loads(content)
        documents: list[str] = given["documents"]
        before = _core.base.simd_level()
        if given["simd"]:
            _core.base.set_simd_level(given["simd"])
        try:
            self._compare(given, documents)
        finally:
            _core.base.set_simd_level(before)
        return len(documents)

    def _compare(self, given: dict[str, Any], documents: list[str]) -> None:
        parameters = dict(
            given["parameters"], ngram_range=tuple(given["parameters"]["ngram_range"])
        )
        if "dtype" in parameters:
            parameters["dtype"] = np.dtype(parameters["dtype"]).type
        name = given["vectorizer"]
        theirs = getattr(sklearn_text, name)(**parameters)
        ours = getattr(quire_text, name)(**parameters, n_jobs=given["n_jobs"])
        carried = _carried(documents, given["as"])
        expected, expected_warnings = _outcome(theirs.fit_transform, documents)
        X, our_warnings = _outcome(ours.fit_transform, carried)
        _equal("warnings", our_warnings, expected_warnings)
        if isinstance(expected, Exception):
            _equal("errors", type(X), type(expected))
            # Where a lone surrogate stands is told of the document by us, of the term by them.
            if not isinstance(X, UnicodeError) and not str(X).startswith(str(expected)):
                raise Finding(f"other error: {X!r} for {expected!r}")
            return
        if isinstance(X, Exception):
            raise X
        exact = name == "CountVectorizer"
        _same_matrix("fit_transform", X, expected, exact)
        _same_matrix("transform", ours.transform(carried), theirs.transform(documents), exact)
        if name != "HashingVectorizer":
            _equal("vocabularies", ours.vocabulary_, theirs.vocabulary_)
        if name == "CountVectorizer" and parameters["analyzer"] == "word":
            _same_as_re(parameters, documents, ours, X)


def _carried(documents: list[str], kind: str) -> Any:
    if kind == "array":
        return np.array(documents, dtype=object)
    if kind == "series":
        return pl.Series(documents, dtype=pl.String)
    if kind == "bytes":
        return [text.encode() for text in documents]
    return documents


def _outcome(function: Any, documents: Any) -> tuple[Any, list[str]]:
    """Return a result or an exception, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(documents)
        except Exception as error:
            result = error
    return result, [f"{warning.category.__name__}: {warning.message}" for warning in caught]


def _equal(what: str, ours: object, theirs: object) -> None:
    if ours != theirs:
        raise Finding(f"other {what}: {ours!r:.500} for {theirs!r:.500}")


def _same_matrix(what: str, ours: Any, theirs: Any, exact: bool) -> None:
    _equal(f"shape of {what}", (ours.shape, ours.dtype), (theirs.shape, theirs.dtype))
    theirs = theirs.copy()
    theirs.sort_indices()
    for part in ("indptr", "indices"):
        if not np.array_equal(getattr(ours, part), getattr(theirs, part)):
            raise Finding(f"other {part} of {what}")
    if exact:
        same = np.array_equal(ours.data, theirs.data)
    else:  # norms add up a row in another order
        same = np.allclose(ours.data, theirs.data, rtol=1e-9, atol=0)
    if not same:
        raise Finding(f"other values of {what}: {ours.data[:20]} for {theirs.data[:20]}")


def _same_as_re(parameters: dict[str, Any], documents: list[str], ours: Any, X: Any) -> None:
    """Compare with a few lines of plain Python, where no term was left out."""
    kept = (parameters["min_df"], parameters["max_df"], parameters["max_features"])
    if kept != (1, 1.0, None) or parameters["stop_words"] or parameters["ngram_range"] != (1, 1):
        return
    if parameters["strip_accents"] == "ascii":
        return
    expected = []
    for text in documents:
        plain = text.lower() if parameters["lowercase"] else text
        if parameters["strip_accents"] == "unicode":
            folded = unicodedata.normalize("NFKD", plain)
            plain = "".join(c for c in folded if not unicodedata.combining(c))
        expected.append(Counter(re.findall(parameters["token_pattern"], plain)))
    terms = sorted(set().union(*expected))
    _equal("terms than re", list(ours.get_feature_names_out()), terms)
    if parameters["binary"] or parameters["dtype"] == np.uint8:
        return
    column = {term: i for i, term in enumerate(terms)}
    for i, counts in enumerate(expected):
        start, stop = X.indptr[i], X.indptr[i + 1]
        row = dict(zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist(), strict=True))
        _equal("counts than re", row, {column[term]: n for term, n in counts.items()})
