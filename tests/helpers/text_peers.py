"""The same work by scikit-learn and by quire, and whether the results are equal."""

import warnings
from functools import lru_cache
from itertools import pairwise

import numpy as np
import sklearn.feature_extraction.text as sklearn_text

import quire.feature_extraction.text as quire_text
from quire.datasets import load_docstrings

CORPUS = [
    "This is the first document.",
    "This document is the second document, and it is not the first.",
    "And this is the third one: one, two, three!",
    "Is this the first document? Is it?",
    "",
    "NA\u00cfVE caf\u00e9 \u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03a3 \u0130stanbul",
    "... x\u00b2 \ud55c\uad6d\uc5b4",
    "the the the the third",
]


@lru_cache(maxsize=1)
def docstrings() -> list[str]:
    """A few hundred real documents."""
    return load_docstrings().texts[::7][:400].to_list()


def both(name: str, **parameters):
    """A vectorizer of scikit-learn's and ours, with the same parameters."""
    theirs = getattr(sklearn_text, name)(**parameters)
    return theirs, getattr(quire_text, name)(**parameters)


def assert_same_matrix(ours, theirs, *, n_roundings: int = 0) -> None:
    """Ours has sorted columns; in scikit-learn's they are as they came."""
    assert type(ours) is type(theirs)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    assert ours.indices.dtype == theirs.indices.dtype
    assert ours.indptr.dtype == theirs.indptr.dtype
    assert all(
        (np.diff(ours.indices[start:stop]) > 0).all() for start, stop in pairwise(ours.indptr)
    )
    assert ours.has_sorted_indices
    theirs = theirs.copy()
    theirs.sort_indices()
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    if n_roundings and ours.dtype.kind == "f":
        rtol = n_roundings * np.finfo(ours.dtype).eps
        np.testing.assert_allclose(ours.data, theirs.data, rtol=rtol)
    else:
        np.testing.assert_array_equal(ours.data, theirs.data)


def outcome(function, *arguments):
    """What a call returns, or its exception; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*arguments)
        except Exception as error:
            result = error
    return result, [(warning.category, str(warning.message)) for warning in caught]


def assert_same_fit(name: str, parameters: dict, documents, others=None):
    """Fit and transform with both; also the same exception, if there is one, and warnings.

    Returns our fitted vectorizer, or ``None`` if there was an exception.
    """
    theirs, ours = both(name, **parameters)
    expected, expected_warnings = outcome(theirs.fit_transform, documents)
    X, our_warnings = outcome(ours.fit_transform, documents)
    assert our_warnings == expected_warnings
    if isinstance(expected, Exception):
        assert isinstance(X, type(expected)), X
        assert str(X).startswith(str(expected))
        return None
    if isinstance(X, Exception):
        raise X
    # Norms: scikit-learn adds up a row in the order of the text, quire in that of the columns.
    n_roundings = 0 if name == "CountVectorizer" else 64
    assert_same_matrix(X, expected, n_roundings=n_roundings)
    others = documents if others is None else others
    fitted_apart = outcome(getattr(quire_text, name)(**parameters).fit, documents)[0]
    for vectorizer in (ours, fitted_apart):
        X, expected = vectorizer.transform(others), theirs.transform(others)
        assert_same_matrix(X, expected, n_roundings=n_roundings)
    if hasattr(theirs, "vocabulary_"):
        assert ours.vocabulary_ == theirs.vocabulary_ == fitted_apart.vocabulary_
        assert ours.fixed_vocabulary_ == theirs.fixed_vocabulary_
        names, expected_names = ours.get_feature_names_out(), theirs.get_feature_names_out()
        assert names.dtype == expected_names.dtype
        np.testing.assert_array_equal(names, expected_names)
    if name == "TfidfVectorizer" and theirs.use_idf:
        assert ours.idf_.dtype == theirs.idf_.dtype
        np.testing.assert_array_equal(ours.idf_, theirs.idf_)
        np.testing.assert_array_equal(fitted_apart.idf_, theirs.idf_)
    return ours
