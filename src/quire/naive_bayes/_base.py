r"""From joint log probabilities to decisions: what all naive Bayes models share.

.. math:: \log P(y=k \mid x) = \log P(k) + \log P(x \mid k) - \log \sum_j P(j) P(x \mid j)

A model without smoothing can hold a document impossible in every class. It then learned nothing
from the document, and the answer is the prior.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from quire._shared.draws import check_n_samples, draw_words
from quire._shared.merging import MergedMixin
from quire._shared.typing import Floats

__all__ = ["NaiveBayesMixin", "log_of", "normalized", "settle"]


_LEAST = -1e300  # the logarithm of a prior of zero where every row must have a finite one


class NaiveBayesMixin(MergedMixin):
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

    def _draw_classes(self, n_samples: Any, random_state: Any) -> tuple[Any, NDArray[np.int64]]:
        """Return a source of randomness and the numbers of classes drawn from the prior."""
        check_is_fitted(self)
        n_samples, rng = check_n_samples(n_samples), check_random_state(random_state)
        prior = np.exp(self._log_prior())[np.newaxis]
        return rng, draw_words(rng, np.zeros(n_samples, dtype=np.int64), prior)

    def _codes_and_probabilities(self, X: Any) -> tuple[NDArray[np.int64], Floats]:
        """Return the number of each row's class and the probabilities, from the same scores."""
        check_is_fitted(self)
        X = self._check_X(X)
        scores = self._joint_log_likelihood(X)
        return self._best_of(scores), np.exp(self._log_proba_of(scores, X))


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
