"""From documents to a sparse matrix: counts, tf-idf weights, hashing.

The classes have scikit-learn's names, parameters, attributes and results; most documents never
become Python tokens, because the work is done by compiled kernels on the text where it lies.
Settings that the kernels do not know (a custom tokenizer, say) go through Python with equal
results; ``engine_`` says which of the two a vectorizer uses, and why.

Most of the time goes into memory, not into looking at characters, so the design is about touching
little of it.

1. **In place.** ``bindings/text/documents.cpp`` takes pointers to the characters of Python strings
   (all PEP 393 kinds) or Arrow columns; nothing is copied, and the lock is released.
2. **Normalise** (``normalize``, ``ascii``, ``unicode``). ASCII goes 64 bytes at a time to
   lower-cased bytes and a mask of word characters. Everything else goes character by character
   through tables that the building interpreter wrote, to UTF-8 and the same mask. From here on
   there is one kind of text.
3. **Cut** (``analyze``). The edges of the mask are where words start and stop. Another
   ``token_pattern`` becomes an automaton (``_expression``, ``_automaton``, ``token_automaton``)
   over classes of characters, which are looked up 64 bytes at a time: runs of one class cost one
   step, and patterns that are whole runs and single characters are masks again. Kinds of tokens
   by name (``_tokens``) are expressions, too. Marks behind negations are put in front of the
   tokens of a document before they are counted (``negation``).
4. **Count** (``count_worker``). Each thread has its own ``StringTable``: words of up to 15 bytes
   lie in the slot itself, beside their number, frequencies and last place in the row, so a word
   costs one cache line. A batch is hashed before it is looked up, so that memory answers in the
   meantime. Rows that have a class are added to its counts (``class_counts``) and forgotten; whole
   numbers and fixed-point sums, so that threads cannot change them. An n-gram is a pair (number of
   its (n-1)-gram, number of its last word) in a ``PairTable``: integers, never strings. Character
   n-grams within words are cut once for each distinct word.
5. **Sort and join** (``term_sort``). The threads' vocabularies are sorted and merged. UTF-8 bytes
   sort as code points do; a blank sorts before every word character, so n-grams sort as tuples of
   word ranks (and once more where words hold controls). Only now do terms get their columns, which
   is why the threads cannot change the result.
6. **Write** (``count_rows``, ``rows_to_csr``). Rows come in the order of the documents in entries
   of 8 bytes; the values of the matrix are written over them, so that counts are not held twice.

With a ``stemmer`` (``_stems``), words are counted as they are; then terms become terms of stems,
and step 6 adds up those that share a column. So each distinct word is stemmed once.

``TextLookup`` (transform) and ``hash_documents`` share steps 1 to 3 and 6. A fitted vocabulary is a
``NativeTerms``: bytes, offsets, word numbers and frequencies. The Python ``dict`` and the kernel's
hash table are made from it when they are needed. Unpruned frequencies stay with a fitted vectorizer
so that ``partial_fit`` and ``merge`` are exact; ``compact`` drops them.

The classes derive from scikit-learn's, so parameters, validation, warnings and the helpers
``build_analyzer``, ``build_tokenizer`` and ``decode`` are its own. ``_engine.python_reason``
decides whether the kernels know all settings; if not, scikit-learn's own loop counts, and the same
code prunes and sorts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import (
        ENGLISH_STOP_WORDS,
        strip_accents_ascii,
        strip_accents_unicode,
        strip_tags,
    )

    from quire.feature_extraction.text._bm25_transformer import BM25Transformer
    from quire.feature_extraction.text._bm25_vectorizer import BM25Vectorizer
    from quire.feature_extraction.text._class_counts import (
        ClassCounts,
        count_by_class,
        merge_class_counts,
    )
    from quire.feature_extraction.text._count import CountVectorizer
    from quire.feature_extraction.text._counted import CountedDocuments
    from quire.feature_extraction.text._hashing import HashingVectorizer
    from quire.feature_extraction.text._relevance_transformer import RelevanceTransformer
    from quire.feature_extraction.text._stemming import stems_of
    from quire.feature_extraction.text._stop_words import stop_words
    from quire.feature_extraction.text._tfidf_of_texts import least_documents, tfidf_of_texts
    from quire.feature_extraction.text._tfidf_transformer import TfidfTransformer
    from quire.feature_extraction.text._tfidf_vectorizer import TfidfVectorizer
    from quire.feature_extraction.text._token_places import TokenPlaces, token_places
    from quire.feature_extraction.text._words_and_characters import words_and_characters

__all__ = [
    "ENGLISH_STOP_WORDS",
    "BM25Transformer",
    "BM25Vectorizer",
    "ClassCounts",
    "CountVectorizer",
    "CountedDocuments",
    "Cutting",
    "HashingVectorizer",
    "RelevanceTransformer",
    "TfidfTransformer",
    "TfidfVectorizer",
    "TokenPlaces",
    "count_by_class",
    "cutting_of",
    "least_documents",
    "merge_class_counts",
    "stems_of",
    "stop_words",
    "strip_accents_ascii",
    "strip_accents_unicode",
    "strip_tags",
    "tfidf_of_texts",
    "token_places",
    "words_and_characters",
]

_LATER = {  # a model that is scored from its file needs neither estimators nor scikit-learn
    "BM25Transformer": "_bm25_transformer",
    "BM25Vectorizer": "_bm25_vectorizer",
    "ClassCounts": "_class_counts",
    "CountVectorizer": "_count",
    "FROM_FILES": "_from_files",  # for quire.scoring
    "CountedDocuments": "_counted",
    "HashingVectorizer": "_hashing",
    "RelevanceTransformer": "_relevance_transformer",
    "TfidfTransformer": "_tfidf_transformer",
    "TfidfVectorizer": "_tfidf_vectorizer",
    "TokenPlaces": "_token_places",
    "Cutting": "_cutting",
    "cutting_of": "_cutting",
    "count_by_class": "_class_counts",
    "least_documents": "_tfidf_of_texts",
    "merge_class_counts": "_class_counts",
    "stems_of": "_stemming",
    "stop_words": "_stop_words",
    "tfidf_of_texts": "_tfidf_of_texts",
    "token_places": "_token_places",
    "words_and_characters": "_words_and_characters",
}
_OF_SKLEARN = ("ENGLISH_STOP_WORDS", "strip_accents_ascii", "strip_accents_unicode", "strip_tags")


def __getattr__(name: str) -> Any:
    if name in _LATER:
        value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    elif name in _OF_SKLEARN:
        value = getattr(import_module("sklearn.feature_extraction.text"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
