r"""Deciding by naive Bayes: from what was learned to scores, classes, probabilities and evidence.

.. math:: \log P(y=k \mid x) = \log P(k) + \log P(x \mid k) - \log \sum_j P(j) P(x \mid j)

Models of counts have scores that are linear in counts or presence, with classes that a term can
rule out:

.. math:: s_{dk} = o_k + \sum_i x_{di} w_{ik}

Without smoothing some weights are infinite. Zero times infinity would be no number, so infinite
weights are kept apart: the finite part is a product of matrices, and a second product counts, for
each document and class, the reasons why the class is impossible (or certain). A model without
smoothing can hold a document impossible in every class. It then learned nothing from the document,
and the answer is the prior.

The estimators of :mod:`quire.naive_bayes` decide so, and what is scored from a model file.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.evidence import Evidence
from quire._shared.evidence_terms import LinearTerms
from quire._shared.fitted import check_is_fitted
from quire._shared.sparse import as_csr, csr_like, is_sparse
from quire._shared.term_weights import TermWeight, feature_names_of, rank_terms
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats

__all__ = [
    "BernoulliScores",
    "ComplementScores",
    "CountDecisions",
    "LinearScores",
    "MultinomialScores",
    "NaiveBayesDecisions",
    "is_above",
    "log_of",
    "normalized",
    "settle",
]

_LEAST = -1e300  # the logarithm of a prior of zero where every row must have a finite one


class NaiveBayesDecisions:
    """Predictions from ``_joint_log_likelihood`` and ``_log_prior``."""

    classes_: NDArray[Any]

    @abstractmethod
    def _check_X(self, X: Any) -> Any:
        """Return rows that were checked."""

    @abstractmethod
    def _joint_log_likelihood(self, X: Any) -> Floats:
        """Return log P(x, k) for each of these rows and each class."""

    @abstractmethod
    def _log_prior(self) -> Floats:
        """Return log P(k) of each class."""

    def _returned(self, scores: Floats, X: Any) -> Floats:
        """Return scores of rows as the caller gets them."""
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Documents. One that no class can produce (``alpha=0``) goes to the class that is most
            probable without looking at it.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes; of equally probable ones the first.
        """
        check_is_fitted(self)
        labels: NDArray[Any] = self.classes_[self._best_classes(self._check_X(X))]
        return labels

    def _best_classes(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the most probable class of each row."""
        return self._best_of(self._joint_log_likelihood(X))

    def _best_of(self, scores: Floats) -> NDArray[np.int64]:
        best: NDArray[np.int64] = scores.argmax(axis=1)
        if np.isinf(scores[np.arange(len(scores)), best]).any():
            best = settle(scores, self._log_prior()).argmax(axis=1)
        return best

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log P(x, k) for each row x and class k.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Documents.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Joint log probabilities, in the order of ``classes_``; ``-inf`` where a class cannot
            produce a document.
        """
        check_is_fitted(self)
        X = self._check_X(X)
        return self._returned(self._joint_log_likelihood(X), X)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(k | x) for each row x and class k.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Documents. One that no class can produce (``alpha=0``) gets the prior.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self)
        X = self._check_X(X)
        return self._log_proba_of(self._joint_log_likelihood(X), X)

    def _log_proba_of(self, scores: Floats, X: Any) -> Floats:
        return self._returned(normalized(settle(scores, self._log_prior())), X)

    def predict_proba(self, X: Any) -> Floats:
        """Return P(k | x) for each row x and class k.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Documents. One that no class can produce (``alpha=0``) gets the prior.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        return np.exp(self.predict_log_proba(X))

    def _codes_and_probabilities(self, X: Any) -> tuple[NDArray[np.int64], Floats]:
        """Return the number of each row's class and the probabilities, from the same scores."""
        check_is_fitted(self)
        X = self._check_X(X)
        scores = self._joint_log_likelihood(X)
        return self._best_of(scores), np.exp(self._log_proba_of(scores, X))


class CountDecisions(NaiveBayesDecisions):
    """Predictions and evidence of models of counts, from a linear form."""

    feature_log_prob_: Floats
    class_log_prior_: Floats
    n_features_in_: int
    n_jobs: int | None
    _feature_count: NDArray[Any]

    @abstractmethod
    def _scores(self) -> LinearScores:
        """Return the linear form that the counts make."""

    @abstractmethod
    def _term_weights(self) -> Floats:
        """Return what one occurrence adds to the score of each class: (n_classes, n_features)."""

    def _threshold(self) -> float | None:
        """Return above which value a term is present, or ``None`` if values count as they are."""
        return None

    def _threads(self) -> int:
        """Return the number of threads to use."""
        return effective_threads(self.n_jobs)

    def _counts(self) -> NDArray[Any]:
        """Return ``feature_count_`` as it is kept: whole numbers of 32 bits, or float64."""
        try:
            counts: NDArray[Any] = self._feature_count
        except AttributeError:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'feature_count_'"
            ) from None
        return counts

    def _log_prior(self) -> Floats:
        return self.class_log_prior_

    def _joint_log_likelihood(self, X: Any) -> Floats:
        return self._scores().of(X, self._threshold(), self._threads())

    def _best_classes(self, X: Any) -> NDArray[np.int64]:
        best = self._scores().best(X, self._threshold(), self._threads())
        return super()._best_classes(X) if best is None else best

    def _feature_major(self) -> Floats:
        """Return ``feature_log_prob_`` as the kernels read it: (n_features, n_classes)."""
        return np.ascontiguousarray(self.feature_log_prob_.T, dtype=np.float64)

    def evidence(self, X: Any, *, feature_names: Sequence[str] | None = None) -> Evidence:
        """Say what each term of each document adds to the decision.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Documents.
        feature_names : sequence of str, default=None
            The terms of the columns. Known after :meth:`fit_text` and after a fit on a DataFrame;
            otherwise columns are numbered.

        Returns
        -------
        Evidence
            Contributions that add up to the difference of the joint log probabilities of any two
            classes.
        """
        check_is_fitted(self)
        X = self._check_X(X)
        form, threshold = self._scores(), self._threshold()
        n_threads = self._threads()
        scores = form.of(X, threshold, n_threads)
        offsets: Floats = form.offset
        if form.ruling is not None and form.required is not None and form.required.any():
            # Terms that must be there and are not count against a class, whatever is there.
            absent = LinearScores(
                form.weights, form.offset, np.minimum(form.ruling, 0.0), form.required
            ).reasons(X, threshold, n_threads)
            offsets = np.where(absent > 0, form.settled, form.offset)
        return Evidence(
            self.classes_,
            scores,
            offsets,
            LinearTerms(is_above(X, threshold), self._term_weights()),
            prior=self.class_log_prior_,
            feature_names=feature_names_of(self, feature_names, self.n_features_in_),
        )

    def top_terms(
        self, n_terms: int = 10, *, feature_names: Sequence[str] | None = None
    ) -> dict[Any, list[TermWeight]]:
        """Return the terms that speak most for each class.

        Parameters
        ----------
        n_terms : int, default=10
            How many for each class.
        feature_names : sequence of str, default=None
            As for :meth:`evidence`.

        Returns
        -------
        dict from class to list of TermWeight
            From the heaviest down: by how much one occurrence adds to the score of the class, above
            the mean of what it adds to those of the other classes.
        """
        check_is_fitted(self)
        names = feature_names_of(self, feature_names, self.n_features_in_)
        return rank_terms(self.classes_, self._term_weights(), n_terms, names)


class MultinomialScores(CountDecisions):
    """How often a term is there, times the logarithm of its share."""

    binarize: float | None
    _is_smooth: bool

    def _threshold(self) -> float | None:
        return self.binarize

    def _scores(self) -> LinearScores:
        return self._form(self.class_log_prior_)

    def _form(self, offset: Floats) -> LinearScores:
        weights = self._feature_major()
        if self._is_smooth:
            return LinearScores(weights, offset)
        return LinearScores.from_infinite(weights, offset, -np.inf)

    def _term_weights(self) -> Floats:
        return self.feature_log_prob_


class ComplementScores(CountDecisions):
    """How often a term is there, times what its share in all other classes says."""

    norm: bool
    _is_smooth: bool

    def _threshold(self) -> float | None:
        return None

    def _scores(self) -> LinearScores:
        weights = self._feature_major()
        offset = np.zeros(len(self.classes_))
        if len(self.classes_) == 1:
            offset += self.class_log_prior_
        if self._is_smooth or self.norm:
            return LinearScores(weights, offset)
        return LinearScores.from_infinite(weights, offset, np.inf)

    def _term_weights(self) -> Floats:
        return self.feature_log_prob_


class BernoulliScores(CountDecisions):
    """Whether terms are there: present ones correct what a document without any has."""

    binarize: float | None
    class_count_: Floats
    _alpha: Any
    _counted: Floats
    _is_smooth: bool
    _presence: Any

    def _threshold(self) -> float | None:
        threshold: float | None = self.binarize
        return threshold

    def _scores(self) -> LinearScores:
        return self._form(self.class_log_prior_)

    def _form(self, offset: Floats) -> LinearScores:
        weights, base = self._presence_weights()
        if self._is_smooth:
            return LinearScores(weights, base + offset)
        log_p = self._feature_major()
        always = self._is_always().T
        ruling = np.where(always, -1.0, log_p == -np.inf)
        return LinearScores(weights, base + offset, ruling, always.sum(axis=0).astype(float))

    def _presence_weights(self) -> tuple[Floats, Floats]:
        """Return log(p / (1 - p)) feature-major and the sums of log(1 - p), made when needed."""
        kept, log_prob = self._presence, self.feature_log_prob_
        if kept.log_prob is not log_prob:
            if log_prob is self._counted:
                n_threads = self._threads()
                kept.weights = _core.counts.bernoulli_weights(
                    self._counts(), self.class_count_, self._alpha, n_threads
                )
            else:
                log_p = self._feature_major()
                log_absent = np.log1p(-np.exp(log_p))
                kept.weights = log_p - log_absent, log_absent.sum(axis=0)
            kept.log_prob = log_prob
        weights: tuple[Floats, Floats] = kept.weights
        return weights

    def _is_always(self) -> NDArray[np.bool_]:
        """Mark terms that every document of a class must have: (n_classes, n_features)."""
        n = self.class_count_[:, None]
        always: NDArray[np.bool_] = (n > 0) & (self._counts() == n) & (self._alpha == 0)
        return always

    def _term_weights(self) -> Floats:
        weights = self._presence_weights()[0].T
        if self._is_smooth:
            return weights
        return np.where(self.feature_log_prob_ == -np.inf, log_of(0.0), weights)


@dataclass(frozen=True, eq=False)
class LinearScores:
    """A linear form for each class.

    Parameters
    ----------
    weights : ndarray of shape (n_features, n_classes)
        Finite, in row-major order.
    offset : ndarray of shape (n_classes,)
        What every document gets.
    ruling : ndarray of shape (n_features, n_classes) or None
        1 where the presence of a term settles the matter, -1 where its absence does.
    required : ndarray of shape (n_classes,)
        How many terms must be present: the number of -1 in each column of `ruling`.
    settled : float, default=-inf
        The score where `ruling` settled the matter.
    """

    weights: Floats
    offset: Floats
    ruling: Floats | None = None
    required: Floats | None = None
    settled: float = -np.inf

    @classmethod
    def from_infinite(cls, weights: Floats, offset: Floats, settled: float) -> LinearScores:
        """Take infinite weights apart."""
        ruling = np.ascontiguousarray(weights == settled, dtype=np.float64)
        finite = np.where(np.isinf(weights), 0.0, weights)
        return cls(finite, offset, ruling, None, settled)

    def of(self, X: Any, threshold: float | None, n_threads: int) -> Floats:
        """Return the scores of documents.

        Parameters
        ----------
        X : CSR matrix or ndarray of shape (n_documents, n_features)
            The documents.
        threshold : float or None
            If given, a term is present where X is above it, and how much does not matter.
        n_threads : int
            Threads to use.
        """
        scores = _product(X, self.weights, self.offset, threshold, n_threads)
        if self.ruling is not None:
            scores[self.reasons(X, threshold, n_threads) > 0] = self.settled
        return scores

    def best(self, X: Any, threshold: float | None, n_threads: int) -> NDArray[np.int64] | None:
        """Return the class with the largest score for each document, without making the scores.

        ``None`` if they are needed: the documents are dense, or some scores are not finite.

        Parameters
        ----------
        X, threshold, n_threads
            As for :meth:`of`.
        """
        if self.ruling is not None or not is_sparse(X):
            return None
        arrays = csr_arrays(X, n_threads, once=threshold is not None)
        best, is_finite = _core.sparse.csr_argmax(
            arrays, self.weights, self.offset, threshold, n_threads
        )
        return best if is_finite else None

    def reasons(self, X: Any, threshold: float | None, n_threads: int) -> Floats:
        """Count, for each document and class, what settles the matter."""
        assert self.ruling is not None
        offset = np.zeros(len(self.offset)) if self.required is None else self.required
        return _product(X, self.ruling, offset, threshold or 0.0, n_threads)


def _product(X: Any, W: Floats, offset: Floats, threshold: float | None, n_threads: int) -> Floats:
    if is_sparse(X):
        arrays = csr_arrays(X, n_threads, once=threshold is not None)
        return _core.sparse.csr_matmul(arrays, W, offset, threshold, n_threads)
    product: Floats = is_above(X, threshold) @ W
    product += offset
    return product


def is_above(X: Any, threshold: float | None) -> Any:
    """Return X, or 1 where it is above a threshold and 0 elsewhere; a copy of the shape of X."""
    if threshold is None:
        return X
    if not is_sparse(X):
        return (X > threshold).astype(np.float64)
    present = as_csr(X)
    data = (present.data > threshold).astype(np.float64)
    return csr_like(present, data)


def settle(scores: Floats, log_prior: Floats) -> Floats:
    """Let the prior decide where the scores do not.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Joint log probabilities.
    log_prior : ndarray of shape (n_classes,)
        Log probabilities of the classes.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        The same, but for rows in which the largest score is infinite: in them, the classes that
        have it get their prior and the others ``-inf``.
    """
    best = scores.max(axis=1, initial=-np.inf)
    endless = np.isinf(best)
    if endless.any():
        scores = scores.copy()
        tied = scores[endless] == best[endless, None]
        scores[endless] = np.where(tied, np.maximum(log_prior, _LEAST), -np.inf)
    return scores


def normalized(scores: Floats) -> Floats:
    """Subtract from each row the logarithm of the sum of its exponentials.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        As :func:`settle` returns them: the largest of each row is finite.
    """
    rows, best = np.arange(len(scores)), scores.argmax(axis=1)
    shifted: Floats = scores - scores[rows, best][:, None]
    others = np.exp(shifted)
    others[rows, best] = 0  # a one that would swallow the digits of the rest
    shifted -= np.log1p(others.sum(axis=1, keepdims=True))
    return shifted


def log_of(values: Any) -> Floats:
    """Return the logarithm, ``-inf`` for zero, without a warning.

    Parameters
    ----------
    values : array-like
        Not negative.
    """
    with np.errstate(divide="ignore"):
        logarithm: Floats = np.log(np.asarray(values, dtype=np.float64))
    return logarithm
