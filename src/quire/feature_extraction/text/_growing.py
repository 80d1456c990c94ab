"""Vocabularies that grow and join: ``partial_fit``, ``merge`` and ``compact``.

What a fit counts adds up. A vectorizer therefore keeps the frequencies of all terms, also of those
that are left out, and works out its vocabulary again when it is asked for after more documents.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Self

from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer

from quire._shared.merging import MergedMixin
from quire._shared.sklearn import fit_context
from quire._shared.threads import effective_threads
from quire.feature_extraction.text._engine import analyzer_options
from quire.feature_extraction.text._growth import FixedGrowth, TermGrowth
from quire.feature_extraction.text._kernels import KernelMixin

__all__ = ["GrowingVectorizer"]

_TEXT_PARAMETERS = (
    "strip_accents",
    "lowercase",
    "preprocessor",
    "tokenizer",
    "stop_words",
    "token_pattern",
    "tokens",
    "negation",
    "stemmer",
    "ngram_range",
    "analyzer",
)


class GrowingVectorizer(MergedMixin, KernelMixin, SklearnCountVectorizer):
    """The part of a vectorizer that learns more terms after it was fitted."""

    fixed_vocabulary_: bool
    _growth: TermGrowth | FixedGrowth | None
    _grown_with: dict[str, Any]

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Let the vocabulary grow by more documents.

        After any number of calls the vectorizer equals one that was fitted on all documents at
        once. Columns move as terms come in between: matrices made before do not fit any more.

        Parameters
        ----------
        raw_documents : iterable
            More documents.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._grow(raw_documents)
        return self

    def merge(self, other: GrowingVectorizer) -> Self:
        """Join the vocabulary and frequencies of another vectorizer, fitted on other documents.

        Afterwards this vectorizer equals one that was fitted on the documents of both.

        Parameters
        ----------
        other : CountVectorizer
            Fitted, with the same settings for cutting up texts. It is not changed.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if not isinstance(other, GrowingVectorizer):
            raise TypeError(f"merge expects a fitted CountVectorizer, got {type(other).__name__}.")
        mine, theirs = self._text_settings(), other._text_settings()
        if mine != theirs:
            self._raise_different("merge", mine, theirs)
        # Whoever is not fitted says so, or takes the given vocabulary.
        if not self.__sklearn_is_fitted__():
            self._check_vocabulary()
        if not other.__sklearn_is_fitted__():
            other = copy(other)
            other._check_vocabulary()
        if self.fixed_vocabulary_ != other.fixed_vocabulary_ or (
            self.fixed_vocabulary_ and self.vocabulary_ != other.vocabulary_
        ):
            raise ValueError("Cannot merge vectorizers with different given vocabularies.")
        kind = FixedGrowth if self.fixed_vocabulary_ else TermGrowth
        self._growth = self._own_growth(kind).plus(other._own_growth(kind))
        self._grown_with = mine
        self._is_stale = True
        return self

    def compact(self) -> Self:
        """Forget what only growing needs: terms that were pruned, and all frequencies.

        A vectorizer with ``min_df=5`` may remember ten times more terms than it has columns.
        Afterwards :meth:`partial_fit` and :meth:`merge` are errors.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_vocabulary()
        self._growth = None
        self._is_compact = True
        return self

    def _grow(self, raw_documents: Any) -> None:
        self._check_fit_input(raw_documents)
        if self.vocabulary is not None:
            growth = self._own_growth(FixedGrowth)
            if "_vocabulary" not in vars(self):
                self._validate_vocabulary()
                self._warn_for_upper_case(stacklevel=5)
            X = self._count_known(raw_documents)
            self._growth = growth.plus(FixedGrowth.from_matrix(X, effective_threads(self.n_jobs)))
        else:
            growth = self._own_growth(TermGrowth)
            settings = self._text_settings()
            before: dict[str, Any] = getattr(self, "_grown_with", settings)
            if growth.parts and settings != before:
                self._raise_different("grow", settings, before)
            counts = self._count_new(raw_documents, keep_rows=False)
            self.fixed_vocabulary_ = False
            self._grown_with = settings
            grown = growth.plus(TermGrowth([counts.terms], counts.n_documents))
            grown.settle(self._merge_options(), effective_threads(self.n_jobs))
            self._growth = grown
        self._is_stale = True

    def _own_growth(self, kind: Any) -> Any:
        """Return the state that can grow, or an error if there is none any more."""
        growth = getattr(self, "_growth", None)
        given = kind is FixedGrowth and not getattr(self, "_is_compact", False)
        if growth is None and "_vocabulary" in vars(self) and not given:
            raise ValueError(
                f"This {type(self).__name__} cannot grow: its frequencies were dropped by "
                "compact(), or its vocabulary_ was set by hand. Fit it again, or use partial_fit "
                "before compact."
            )
        return growth if isinstance(growth, kind) else kind.empty()

    def _text_settings(self) -> dict[str, Any]:
        """Return the parameters that say how texts are cut up."""
        return {name: getattr(self, name) for name in _TEXT_PARAMETERS}

    @staticmethod
    def _raise_different(what: str, mine: dict[str, Any], theirs: dict[str, Any]) -> None:
        name = next(name for name in mine if mine[name] != theirs[name])
        raise ValueError(
            f"Cannot {what} vectorizers that cut up texts differently: {name} is {mine[name]!r} "
            f"here and {theirs[name]!r} there."
        )

    def _merge_options(self) -> Any:
        """Return the kernels' options for joining what was counted, or ``None``."""
        settings = self._text_settings()
        if settings != self._grown_with:
            self._raise_different("join the parts of", settings, self._grown_with)
        return analyzer_options(self) if self._is_native() else None
