"""Which vectorizer settings the kernels know, and the options they run with.

A setting that is not known here goes through Python, in scikit-learn's own code, with equal
results.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from quire import _core
from quire._shared import accents
from quire._shared.fitted import FromFile
from quire.feature_extraction.text._automaton import Automaton, compiled
from quire.feature_extraction.text._negation import negating_words
from quire.feature_extraction.text._tokens import automaton_of_kinds

__all__ = ["analyzer_options", "encodable", "python_reason"]

# Longest runs of word characters with a least length: \w+, \w\w+, \w{3,}, with or without (?u) and
# \b. The kernels find them without an automaton.
_WORD_PATTERN = re.compile(r"(?:\(\?u\))?(?:\\b)?((?:\\w)*)\\w(?:\+|\{(\d+),\})(?:\\b)?")
_METHODS = (
    "build_analyzer",
    "build_preprocessor",
    "build_tokenizer",
    "_word_ngrams",
    "_char_ngrams",
    "_char_wb_ngrams",
)
_MOST_NGRAM = 100


def python_reason(vectorizer: Any, own_methods: dict[str, Any]) -> str | None:
    """Return why a vectorizer has to go through Python, or ``None`` if the kernels can do it.

    Parameters
    ----------
    vectorizer : estimator
        A vectorizer with scikit-learn's parameters, and quire's.
    own_methods : dict
        quire's versions of methods that, if overridden, only Python can call.

    Returns
    -------
    str or None
        The reason in a few words.
    """
    word = vectorizer.analyzer == "word"
    if callable(vectorizer.analyzer):
        return "analyzer is a callable"
    if vectorizer.preprocessor is not None:
        return "preprocessor is a callable"
    if word and vectorizer.tokenizer is not None:
        return "tokenizer is a callable"
    if callable(vectorizer.strip_accents) and not accents.is_named(vectorizer.strip_accents):
        return "strip_accents is a callable"
    low, high = vectorizer.ngram_range
    if word and _shortest_word(vectorizer) is None:
        reason = _words_reason(vectorizer, high)
        if reason is not None:
            return reason
    if not (isinstance(low, int) and isinstance(high, int) and 1 <= low <= high <= _MOST_NGRAM):
        return f"ngram_range is not within 1 to {_MOST_NGRAM}"
    if not isinstance(vectorizer, FromFile):
        reason = _methods_reason(vectorizer, own_methods)
        if reason is not None:
            return reason
    if _core.text.unicode_version != unicodedata.unidata_version:
        return "the extension was built for another version of Unicode"
    return None


def analyzer_options(vectorizer: Any) -> Any:
    """Return the options of the kernels for a vectorizer without a :func:`python_reason`."""
    without = vectorizer.strip_accents
    if callable(without):
        without = accents.named(without)
    low, high = vectorizer.ngram_range
    shortest, automaton, negations = 1, None, None
    if vectorizer.analyzer == "word":
        found = _shortest_word(vectorizer)
        if found is None:
            automaton = _automaton(vectorizer)[1]
        else:
            shortest = found
        if vectorizer.negation is not None:
            negations = encodable(
                negating_words(vectorizer.negation, lowercase=bool(vectorizer.lowercase))
            )
    return _core.text.AnalyzerOptions(
        vectorizer.analyzer,
        bool(vectorizer.lowercase),
        without or None,
        shortest,
        int(low),
        int(high),
        automaton,
        negations,
    )


def _methods_reason(vectorizer: Any, own_methods: dict[str, Any]) -> str | None:
    """Return which method of scikit-learn somebody has replaced, ``None`` if nobody has."""
    from sklearn.feature_extraction.text import CountVectorizer

    for name in _METHODS:
        known = getattr(CountVectorizer, name), own_methods.get(name)
        if getattr(type(vectorizer), name) not in known:
            return f"{name} is overridden"
        if name in vars(vectorizer):
            return f"{name} is replaced"
    return None


def encodable(words: Any) -> list[str]:
    """Return the words that can occur in a text at all: strings that have a UTF-8 form."""
    return [word for word in words if isinstance(word, str) and _has_utf8(word)]


def _has_utf8(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def _words_reason(vectorizer: Any, longest: Any) -> str | None:
    """Return why words that are not plain runs have to be found by Python."""
    if vectorizer.tokens is None:
        if not isinstance(vectorizer.token_pattern, str):
            return "token_pattern is no str"
        found = compiled(vectorizer.token_pattern)
        if isinstance(found, str):
            return found
    automaton = _automaton(vectorizer)[0]
    if automaton.takes_blanks and longest != 1:
        return "token_pattern takes blanks into words, and n-grams are joined by blanks"
    stop_words = vectorizer.stop_words
    if automaton.takes_surrogates and stop_words is not None and not isinstance(stop_words, str):
        if not all(isinstance(word, str) and _has_utf8(word) for word in stop_words):
            return "stop_words hold what has no UTF-8 form"
    return None


def _automaton(vectorizer: Any) -> tuple[Automaton, Any]:
    if vectorizer.tokens is not None:
        return automaton_of_kinds(vectorizer.tokens)
    found = compiled(vectorizer.token_pattern)
    if isinstance(found, str):
        raise ValueError(found)
    return found


def _shortest_word(vectorizer: Any) -> int | None:
    """Return the least length of words that are plain runs; ``None`` if they are not."""
    if vectorizer.tokens is not None:
        return None
    match = _WORD_PATTERN.fullmatch(vectorizer.token_pattern or "")
    if match is None:
        return None
    repeats = int(match[2]) if match[2] is not None else 1
    return len(match[1]) // 2 + repeats or None
