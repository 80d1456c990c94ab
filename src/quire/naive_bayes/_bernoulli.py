r"""Presence of terms: each term of the vocabulary is in a document or not.

.. math::

    P(x \mid k) = \prod_i p_{ki}^{x_i} (1 - p_{ki})^{1 - x_i},
    \qquad p_{ki} = \frac{N_{ki} + \alpha}{N_k + 2 \alpha}
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import BernoulliNB as SklearnBernoulliNB
from sklearn.utils.validation import check_is_fitted

from quire import _core
from quire._shared.drawn_documents import presence_matrix
from quire._shared.naive_bayes import BernoulliScores
from quire._shared.sklearn import Interval
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire.naive_bayes._counts import COUNTS_CONSTRAINTS, CountsNB

__all__ = ["BernoulliNB"]


class BernoulliNB(BernoulliScores, CountsNB, SklearnBernoulliNB):
    r"""Naive Bayes on which terms a document has, and which it has not.

    A drop-in replacement for scikit-learn's class of this name. With :math:`N_{ki}` the documents
    of class :math:`k` that contain term :math:`i`, and :math:`N_k` all of them,

    .. math::

        P(x \mid k) = \prod_i p_{ki}^{x_i} (1 - p_{ki})^{1 - x_i},
        \qquad p_{ki} = \frac{N_{ki} + \alpha}{N_k + 2 \alpha}.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        What is added to the documents with a term and to those without. 0 is maximum likelihood:
        a term that no document of a class had, or that all of them had, then rules the class out
        where it is present, or absent. A document that no class can produce gets the prior.
    force_alpha : bool, default=True
        If ``False``, `alpha` is at least 1e-10.
    binarize : float or None, default=0.0
        A term is present where its count is above this. ``None`` if X holds only 0 and 1.
    fit_prior : bool, default=True
        If ``False`` and `class_prior` is ``None``, all classes are equally probable.
    class_prior : array-like of shape (n_classes,), {"documents", "tokens", "uniform"}, default=None
        Probabilities of the classes, or what they are in proportion to: the documents of a class
        (as with ``None``), the terms present in them, or nothing at all.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    prior_alpha : float, default=0.0
        What is added to the count of every class before their shares are taken, where the prior
        comes from counts: :math:`P(k) = (N_k + \lambda) / (N + K \lambda)` with :math:`N_k` the
        documents or terms of class :math:`k` and :math:`K` the number of classes. With it
        a class that nothing is known of has a prior above zero.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Documents of each class, weighted.
    class_log_prior_ : ndarray of shape (n_classes,)
        log P(k).
    feature_count_ : ndarray of shape (n_classes, n_features)
        Documents of each class with each term, weighted.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        The logarithm of p. In column-major order.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.
    vectorizer_ : CountVectorizer or HashingVectorizer
        After :meth:`fit_text`.

    See Also
    --------
    MultinomialNB : How often a term occurs matters; absent terms do not.

    Notes
    -----
    Absent terms cost nothing: the product over all terms for a document without any is worked out
    once, and present terms correct it. In :meth:`evidence` that product is part of the offset, and
    the contribution of a term is what its presence says beyond its absence.

    Examples
    --------
    >>> from quire.naive_bayes import BernoulliNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 3]]
    >>> model = BernoulliNB().fit(X, ["a", "a", "b"])
    >>> model.predict_proba([[1, 0, 0]]).round(3)
    array([[0.938, 0.062]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **COUNTS_CONSTRAINTS,
        "binarize": [None, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        n_jobs: int | None = None,
        prior_alpha: float = 0.0,
    ) -> None:
        super().__init__(
            alpha=alpha,
            force_alpha=force_alpha,
            binarize=binarize,
            fit_prior=fit_prior,
            class_prior=class_prior,
        )
        self.n_jobs = n_jobs
        self.prior_alpha = prior_alpha

    def log_likelihood(self, X: Any) -> Floats:
        """Return log P(x | k): how probable a document is in each class, whatever the prior.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Documents.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log likelihoods, in the order of ``classes_``.
        """
        check_is_fitted(self)
        form = self._form(np.zeros(len(self.classes_)))
        return form.of(self._check_X(X), self._threshold(), effective_threads(self.n_jobs))

    def sample(self, n_samples: int = 1, *, random_state: Any = None) -> tuple[Any, NDArray[Any]]:
        """Draw documents from the model: a class from the prior, then each term, there or not.

        Parameters
        ----------
        n_samples : int, default=1
            How many documents.
        random_state : int, RandomState instance or None, default=None
            An integer gives the same documents every time.

        Returns
        -------
        X : sparse matrix of shape (n_samples, n_features)
            Ones where a term is present.
        y : ndarray of shape (n_samples,)
            The classes that they were drawn from.

        Examples
        --------
        >>> from quire.naive_bayes import BernoulliNB
        >>> model = BernoulliNB().fit([[1, 1, 0], [0, 1, 1]], ["a", "b"])
        >>> X, y = model.sample(2, random_state=1)
        >>> X.toarray(), y
        (array([[1, 1, 1],
               [1, 1, 1]]), array(['a', 'b'], dtype='<U1'))
        """
        rng, codes = self._draw_classes(n_samples, random_state)
        X = presence_matrix(rng, codes, np.exp(self.feature_log_prob_))
        return X, self.classes_[codes]

    def _update_parameters(self, token_count: Floats, alpha: Floats) -> None:
        if self.binarize is None and np.any(self._counts() > self.class_count_[:, None]):
            raise ValueError(
                "BernoulliNB with binarize=None takes X as presence, and X has values above 1: a "
                "term would be in more documents than there are. Use binarize=0.0."
            )
        n_threads = effective_threads(self.n_jobs)
        self.feature_log_prob_ = _core.counts.bernoulli_log_prob(
            self._counts(), self.class_count_, alpha, n_threads
        ).T
        self._alpha = alpha
        self._counted = self.feature_log_prob_  # what the counts gave, if someone sets another
        self._presence = _Presence()


class _Presence:
    """Weights that are as large as the model: kept between predictions, not pickled."""

    log_prob: Floats | None = None  # what the weights belong to
    weights: tuple[Floats, Floats]

    def __reduce__(self) -> tuple[Any, ...]:
        return _Presence, ()
