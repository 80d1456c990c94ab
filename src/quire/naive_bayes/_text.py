"""From documents straight to a model of counts: one pass, and never a matrix."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from quire._shared.sklearn import fit_context
from quire.feature_extraction.text import (
    ClassCounts,
    CountVectorizer,
    count_by_class,
    merge_class_counts,
)

__all__ = ["FromText", "check_unsigned"]


class FromText:
    """The part of a model of counts that reads documents."""

    vectorizer_: Any
    n_features_in_: int
    n_jobs: int | None
    _text_counts: ClassCounts

    @abstractmethod
    def _threshold(self) -> float | None:
        """Return above which value a term is present, or ``None`` if values count as they are."""

    @abstractmethod
    def _set_counts(self, classes: Any, class_count: Any, feature_count: NDArray[Any]) -> None:
        """Learn from the counts of each class."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit_text(
        self, documents: Any, y: Any = None, *, vectorizer: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn the vocabulary and the counts of each class in one pass over documents.

        Equal to ``fit(vectorizer.fit_transform(documents), y)``, but the matrix is never made:
        memory is for the terms and the classes, however many documents there are. The documents may
        be a generator that reads them from files. ``vectorizer_`` makes matrices for the model,
        and :meth:`to_pipeline` joins the two.

        Parameters
        ----------
        documents : iterable
            Texts; or (text, class) pairs; or batches as from :func:`quire.io.read_batches`. The
            last two bring their classes with them.
        y : iterable, default=None
            The classes of texts.
        vectorizer : CountVectorizer or HashingVectorizer, default=None
            How texts are cut up and which terms are kept; ``CountVectorizer()`` if not given. It is
            not changed: what is fitted is a copy, ``vectorizer_``.
        sample_weight : array-like of shape (n_documents,), default=None
            How much each document counts; 1 if not given.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> from quire.naive_bayes import MultinomialNB
        >>> model = MultinomialNB().fit_text(["good film", "bad film"], ["pos", "neg"])
        >>> model.to_pipeline().predict(["a good one"])
        array(['pos'], dtype='<U3')
        """
        if vectorizer is None:
            vectorizer = CountVectorizer(n_jobs=self.n_jobs)
        else:
            self._check_signs(vectorizer)
            vectorizer = clone(vectorizer)
        counts = count_by_class(
            vectorizer, documents, y, weights=sample_weight, threshold=self._threshold()
        )
        self._set_text_counts(vectorizer, counts)
        return self

    def to_pipeline(self) -> Pipeline:
        """Return a fitted pipeline from texts to classes, after :meth:`fit_text`.

        Returns
        -------
        Pipeline
            Of ``vectorizer_`` and this model; both are shared, not copied.
        """
        check_is_fitted(self)
        if not hasattr(self, "vectorizer_"):
            raise ValueError(
                "This model was fitted on a matrix and knows no vectorizer. Fit it with fit_text, "
                "or make a pipeline from the vectorizer that made the matrix."
            )
        return Pipeline([("vectorizer", self.vectorizer_), ("classifier", self)])

    def compact(self) -> Self:
        """Forget what only :meth:`merge` needs: the counts of terms that were left out.

        With ``CountVectorizer(min_df=5)`` a model of :meth:`fit_text` may remember ten times more
        terms than it has columns; afterwards it is small, and can be merged only with models of the
        same vocabulary.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_is_fitted(self)
        self._forget_pruned()
        if hasattr(getattr(self, "vectorizer_", None), "compact"):
            self.vectorizer_.compact()
        return self

    def _set_text_counts(self, vectorizer: Any, counts: ClassCounts) -> None:
        self.vectorizer_ = vectorizer
        self._text_counts = counts
        self.n_features_in_ = counts.feature_count.shape[1]
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._set_counts(counts.classes, counts.class_count, counts.feature_count)

    def _merge_text(self, other: Any) -> bool:
        """Merge vocabularies and counts; ``False`` if neither model has a vocabulary."""
        mine, theirs = (getattr(model, "_text_counts", None) for model in (self, other))
        if mine is None and theirs is None:
            if hasattr(self, "vectorizer_") or hasattr(other, "vectorizer_"):
                self._check_same_terms(other)
            return False
        if mine is None or theirs is None:
            raise ValueError(
                "Cannot merge a model of fit_text with one whose columns may stand for other "
                "terms. Fit both with fit_text."
            )
        _check_same_settings(self.vectorizer_, other.vectorizer_)
        vectorizer = copy(self.vectorizer_)  # an error leaves the model as it was
        counts = merge_class_counts(mine, theirs, vectorizer)
        if counts.terms is None and hasattr(vectorizer, "merge"):
            vectorizer.merge(other.vectorizer_)  # frequencies in a given vocabulary
        self._set_text_counts(vectorizer, counts)
        return True

    def _check_signs(self, vectorizer: Any) -> None:
        """Raise if counts could be negative, which the model may not be able to use."""

    def _check_same_terms(self, other: Any) -> None:
        """Raise unless columns that can no longer be moved are the same in both models."""
        here, there = (getattr(model, "vectorizer_", None) for model in (self, other))
        if here is not None and there is not None:
            _check_same_settings(here, there)
            if np.array_equal(_names(here), _names(there)):
                return
        raise ValueError(
            "Cannot merge models whose columns stand for different terms. Merge models of fit_text "
            "before partial_fit or compact."
        )

    def _forget_text(self) -> None:
        """Forget vocabulary and counts of texts: the columns are others now."""
        for name in ("vectorizer_", "_text_counts"):
            if hasattr(self, name):
                delattr(self, name)

    def _forget_pruned(self) -> None:
        """Forget the counts of terms that are not columns."""
        if hasattr(self, "_text_counts"):
            del self._text_counts


def _names(vectorizer: Any) -> NDArray[Any]:
    """Return the terms of the columns; none where hashing leaves them unknown."""
    known = hasattr(vectorizer, "get_feature_names_out")
    return np.asarray(vectorizer.get_feature_names_out() if known else [])


def _check_same_settings(mine: Any, theirs: Any) -> None:
    """Raise unless two vectorizers cut up texts in the same way."""
    if isinstance(mine, CountVectorizer) and isinstance(theirs, CountVectorizer):
        here = {**mine._text_settings(), "binary": mine.binary}
        there = {**theirs._text_settings(), "binary": theirs.binary}
    else:
        here, there = mine.get_params(), theirs.get_params()
        here.pop("n_jobs", None), there.pop("n_jobs", None)
    if here != there:
        raise ValueError(f"Cannot merge models that cut up texts differently: {mine} and {theirs}.")


def check_unsigned(vectorizer: Any, model: str) -> None:
    """Raise for hashing with signs.

    Parameters
    ----------
    vectorizer : object
        Makes the counts.
    model : str
        The name of the class that cannot use negative ones.
    """
    if getattr(vectorizer, "alternate_sign", False):
        raise ValueError(
            f"{model} needs counts that are not negative, and HashingVectorizer gives half of the "
            "terms a minus sign. Use HashingVectorizer(alternate_sign=False)."
        )
