"""The corpus that topics are judged by: counts, texts or tokens."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.texts import check_documents, is_missing, missing_document, python_objects
from quire._shared.topic_models import terms_of
from quire._shared.typing import Ints
from quire.feature_extraction.text import CountVectorizer
from quire.topics._occurrences import Occurrences, count_matrix, count_windows
from quire.topics._topic_words import WordLists

__all__ = ["occurrences_in"]


def occurrences_in(
    corpus: Any, lists: WordLists, window: int | None, model: Any, vocabulary: Any
) -> Occurrences:
    """Count the words of topics in a corpus.

    Parameters
    ----------
    corpus : sparse matrix or array of counts, or sequence of texts or of lists of tokens
        The corpus.
    lists : WordLists
        The words.
    window : int or None
        Tokens in a window of a text; ``None`` is the whole text.
    model : object
        May have a ``vectorizer_`` that cuts texts.
    vocabulary : sequence of str, mapping, vectorizer or None
        The words of the columns of counts.

    Returns
    -------
    Occurrences
        Ints of windows.

    Raises
    ------
    ValueError
        If the corpus is empty, or its columns cannot be matched with the words.
    """
    counts = _as_counts(corpus)
    if counts is not None:
        return count_matrix(
            counts, _columns(corpus, counts.shape[1], lists, vocabulary), lists.topics
        )
    if lists.words is None:
        raise ValueError(
            "the corpus is texts, and the words of the topics are not known. Pass vocabulary=, "
            "such as vectorizer.get_feature_names_out()."
        )
    maker = getattr(model, "vectorizer_", None)
    if not hasattr(maker, "build_tokenizer"):
        maker = CountVectorizer()
    documents = python_objects(corpus)
    if window is None and isinstance(documents, list) and not _has_tokens(documents):
        return _whole_texts(corpus, lists, maker)
    analyze = _analyzer(maker)
    found = count_windows(_checked(documents), analyze, lists.words, lists.topics, window)
    if not found.total:
        raise ValueError("the corpus has no documents; expected texts or a matrix of counts.")
    return found


def _has_tokens(documents: list[Any]) -> bool:
    return not documents or not all(isinstance(document, str | bytes) for document in documents)


def _whole_texts(corpus: Any, lists: WordLists, maker: Any) -> Occurrences:
    """Count the texts that have each word, with the kernels."""
    names = CountVectorizer().get_params()
    options = {name: value for name, value in maker.get_params().items() if name in names}
    options |= {"vocabulary": lists.words, "binary": True, "dtype": np.int64}
    with warnings.catch_warnings():  # words in upper case are never found: `missing` tells
        warnings.simplefilter("ignore", UserWarning)
        X = CountVectorizer(**options).transform(corpus)
    return count_matrix(X, np.arange(X.shape[1]), lists.topics)


def _as_counts(corpus: Any) -> Any:
    """Return a corpus of counts as a matrix, and None for one of texts."""
    if sparse.issparse(corpus):
        counts = corpus
    elif isinstance(getattr(corpus, "columns", None), Iterable) and hasattr(corpus, "to_numpy"):
        counts = corpus.to_numpy()
        if counts.dtype.kind not in "iufb":
            check_documents(corpus)  # a table: which column holds the texts?
    elif isinstance(corpus, np.ndarray) and corpus.dtype.kind in "iufb":
        counts = corpus
    elif isinstance(corpus, list | tuple) and _is_numbers(corpus):
        counts = np.asarray(corpus)
    else:
        check_documents(corpus)
        return None
    if counts.ndim != 2 or 0 in counts.shape:
        raise ValueError(
            f"the corpus has shape {counts.shape}; expected counts of shape (n_documents, n_words) "
            "with neither empty, or texts."
        )
    stored = counts.data if sparse.issparse(counts) else counts
    if stored.size and not stored.min() >= 0:
        raise ValueError(
            f"the corpus has the value {stored.min()}; expected counts, which are 0 or more."
        )
    return counts


def _is_numbers(corpus: Any) -> bool:
    first = corpus[0] if len(corpus) else None
    if not isinstance(first, list | tuple | np.ndarray) or not len(first):
        return False
    return isinstance(first[0], int | float | np.number)


def _columns(corpus: Any, n_columns: int, lists: WordLists, vocabulary: Any) -> Ints:
    """Return the column of each word in a matrix of counts; -1 for words without one."""
    names = getattr(corpus, "columns", None) if vocabulary is None else vocabulary
    if lists.words is not None and names is not None:
        terms = terms_of(None, names, n_columns)
        column_of = {str(term): column for column, term in enumerate(terms)}  # type: ignore[arg-type]
        return np.array([column_of.get(word, -1) for word in lists.words], dtype=np.int64)
    if lists.columns is not None and lists.width == n_columns:
        return lists.columns
    raise ValueError(
        f"the corpus has {n_columns} columns, and the words that they stand for are not known. "
        "Pass vocabulary= with a word for each column, or make the counts with the vectorizer of "
        "the topics."
    )


def _checked(documents: Iterable[Any]) -> Iterator[Any]:
    for row, document in enumerate(documents):
        if is_missing(document):
            raise missing_document(document, row)
        if not isinstance(document, str | bytes | list | tuple | np.ndarray):
            raise TypeError(
                f"document {row} is a {type(document).__name__}; expected a text or a list of "
                "tokens."
            )
        yield document


def _analyzer(maker: Any) -> Callable[[Any], Any]:
    """Return a function from a text, or from tokens, to tokens in order."""
    if callable(maker.analyzer):
        cut = maker.analyzer
    elif maker.analyzer == "word":
        decode, prepare = maker.decode, maker.build_preprocessor()
        tokenize, dropped = maker.build_tokenizer(), maker.get_stop_words() or ()

        def cut(document: Any) -> Any:
            tokens = tokenize(prepare(decode(document)))
            return [token for token in tokens if token not in dropped] if dropped else tokens

    else:
        raise ValueError(
            f"the vectorizer of the model has analyzer={maker.analyzer!r}, which gives no words to "
            "slide a window over. Pass its counts as the corpus: vectorizer.transform(texts)."
        )
    return lambda document: cut(document) if isinstance(document, str | bytes) else document
