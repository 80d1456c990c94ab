r"""Counts of terms in all classes but one: the complement model of Rennie et al. (2003).

.. math::

    w_{ki} = -\log \frac{\sum_{j \ne k} N_{ji} + \alpha}
                        {\sum_{j \ne k} \sum_l (N_{jl} + \alpha_l)}
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.naive_bayes import ComplementNB as SklearnComplementNB
from sklearn.utils.validation import check_non_negative

from quire import _core
from quire._shared.naive_bayes import ComplementScores
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire.naive_bayes._counts import COUNTS_CONSTRAINTS, CountsNB
from quire.naive_bayes._text import check_unsigned

__all__ = ["ComplementNB"]


class ComplementNB(ComplementScores, CountsNB, SklearnComplementNB):
    r"""Naive Bayes on how little a term occurs outside a class.

    A drop-in replacement for scikit-learn's class of this name. The weight of term :math:`i` for
    class :math:`k` comes from the documents of all other classes,

    .. math::

        w_{ki} = -\log \frac{\sum_{j \ne k} N_{ji} + \alpha}{\sum_{j \ne k} N_j + I \alpha},

    of which there are more, so that small classes are not at a disadvantage. The score of a class
    is :math:`\sum_i X_{di} w_{ki}`; it is no probability, and there is no prior in it. The model is
    not generative: it has no distribution of documents in a class, and hence no ``sample``.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        What is added to every count. With 0, a term that only one class has used decides for it;
        where several classes are certain in this way, the prior chooses among them.
    force_alpha : bool, default=True
        If ``False``, `alpha` is at least 1e-10.
    fit_prior : bool, default=True
        If ``False`` and `class_prior` is ``None``, all classes are equally probable.
    class_prior : array-like of shape (n_classes,), {"documents", "tokens", "uniform"}, default=None
        As for :class:`MultinomialNB`; used only if there is one class, and to break ties.
    norm : bool, default=False
        Divide the weights of each class by their sum.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    prior_alpha : float, default=0.0
        What is added to the count of every class before their shares are taken, where the prior
        comes from counts: :math:`P(k) = (N_k + \lambda) / (N + K \lambda)` with :math:`N_k` the
        documents or tokens of class :math:`k` and :math:`K` the number of classes. With it
        a class that nothing is known of has a prior above zero.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Documents of each class, weighted.
    class_log_prior_ : ndarray of shape (n_classes,)
        log P(k).
    feature_all_ : ndarray of shape (n_features,)
        Occurrences of each term, weighted.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Occurrences of each term in each class, weighted.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        The weights. In column-major order, which is how predictions read it.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.
    vectorizer_ : CountVectorizer or HashingVectorizer
        After :meth:`fit_text`.

    See Also
    --------
    MultinomialNB : The model that this one corrects.

    References
    ----------
    Rennie, Shih, Teevan and Karger (2003), "Tackling the poor assumptions of naive Bayes text
    classifiers", ICML.

    Examples
    --------
    >>> from quire.naive_bayes import ComplementNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 3]]
    >>> ComplementNB().fit(X, ["a", "a", "b"]).predict([[0, 0, 1]])
    array(['b'], dtype='<U1')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **COUNTS_CONSTRAINTS,
        "norm": ["boolean"],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        n_jobs: int | None = None,
        prior_alpha: float = 0.0,
    ) -> None:
        super().__init__(
            alpha=alpha,
            force_alpha=force_alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
            norm=norm,
        )
        self.n_jobs = n_jobs
        self.prior_alpha = prior_alpha

    def _check_values(self, X: Any) -> None:
        check_non_negative(X, "ComplementNB (input X)")

    def _check_signs(self, vectorizer: Any) -> None:
        check_unsigned(vectorizer, "ComplementNB")

    def _update_parameters(self, token_count: Floats, alpha: Floats) -> None:
        weights, self.feature_all_ = _core.counts.complement_weights(
            self._counts(), token_count, alpha, effective_threads(self.n_jobs)
        )
        self.feature_log_prob_ = (_normed(weights) if self.norm else weights).T


def _normed(weights: Floats) -> Floats:
    """Divide the weights of each class by their sum, or by its limit where some are infinite.

    As alpha goes to zero, the infinite ones grow alike and all others fade beside them. The sign is
    that of scikit-learn, which divides one sum of logarithms by another.
    """
    endless = np.isinf(weights)
    total = np.where(endless, 0.0, weights).sum(axis=0)
    n_endless = endless.sum(axis=0)
    limit = endless / np.maximum(n_endless, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        normed: Floats = np.where(n_endless > 0, limit, weights / total)
    return normed
