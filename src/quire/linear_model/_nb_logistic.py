r"""Logistic regression on features that naive Bayes has weighted.

Each feature is multiplied by its log-count ratio, the weight that naive Bayes would give it, before
logistic regression learns how much of that to believe. (S. Wang, C. D. Manning, 2012, with the
logistic loss in place of the hinge.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from quire._shared.decisions import one_vs_rest_decisions, one_vs_rest_logarithms
from quire._shared.nb_weighted import NBWeighted, Separation, Separator
from quire._shared.threads import effective_threads
from quire._shared.typing import Codes, Floats
from quire.linear_model._engines.logistic_fit import Fitted, Fitter
from quire.linear_model._naming import named_columns

__all__ = ["NBLogistic"]


class NBLogistic(NBWeighted):
    r"""Logistic regression on features times their log-count ratios.

    For two classes, with the numbers p of samples of the second class that have a feature, the
    numbers q of the first, and x the presence of features,

    .. math::

        r_i = \log \frac{\alpha + p_i}{\sum_j (\alpha + p_j)}
              - \log \frac{\alpha + q_i}{\sum_j (\alpha + q_j)}, \qquad
        \min_{v, b} \; \tfrac12 \|v\|^2 + C \sum_d s_d \, \ell(y_d, v'(r \circ x_d) + b),

    with the logistic loss :math:`\ell`. The weights of x are :math:`r \circ v'`, and :math:`v' =
    (1 - \beta) \overline{|v|} + \beta v` lies between v and the mean magnitude of its entries, for
    which the model is naive Bayes but for a factor and the intercept. More classes have such a
    model each, against the rest, with ratios of its own.

    Parameters
    ----------
    alpha : float, default=1.0
        What is added to the count of every feature that occurs, in both classes.
    C : float, default=1.0
        Inverse strength of the penalty.
    beta : float, default=1.0
        Share of the learned weights, between 0 (the ratios alone, times a number) and 1.
    binarize : float or None, default=0.0
        A feature is present where X is above this. ``None`` takes X as it is: counts, in ratios and
        in the model.
    fit_intercept : bool, default=True
        Whether there is a b. It is not penalised.
    class_weight : dict or "balanced", default=None
        Weights of the classes. Samples count by them in ratios, too.
    tol : float, default=1e-4
        Stop as soon as no component of the gradient of the mean objective is above it. Small data
        are more precise.
    max_iter : int, default=100
        Newton steps at most.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used. The result does not depend on it for sparse
        X.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of x, the ratios included; one row for two classes. Zero where a feature never
        occurred.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b.
    n_iter_ : int
        Newton steps at `C`, the most of any problem. Large problems are solved at stronger
        penalties first, and may need none after that.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    LogisticRegression : Without ratios, and one model for all classes together.
    quire.svm.NBSVM : The same with a margin.
    quire.naive_bayes.MultinomialNB : Ratios alone.

    Notes
    -----
    The penalty is low for features whose ratio is large: what tells the classes apart on its own
    gets its weight cheaply. Presence of words, pairs and triples of words, with one-letter words
    and punctuation, is what it is best at.

    Probabilities of more than two classes are those of each class against the rest, divided by
    their sum. Interpolated weights (`beta` below 1) keep the intercept, as in the paper, and are no
    estimate of probabilities. They have lost accuracy on all corpora that we tried, most where the
    classes differ in size.

    X is not copied for the ratios: a class has the stored values of its weighted features in memory
    while it is fitted, beside the rows and columns of X.

    References
    ----------
    S. Wang, C. D. Manning, "Baselines and bigrams: simple, good sentiment and topic
    classification", ACL 2012. G. Mesnil, T. Mikolov, M. Ranzato, Y. Bengio, "Ensemble of generative
    and discriminative techniques for sentiment analysis of movie reviews", ICLR 2015 workshop.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.linear_model import NBLogistic
    >>> texts = ["a good film", "not a bad film", "not a good film", "a bad film"]
    >>> model = make_pipeline(CountVectorizer(ngram_range=(1, 2)), NBLogistic())
    >>> model = model.fit(texts, ["pos", "pos", "neg", "neg"])
    >>> model.predict(["not good", "not bad"])
    array(['neg', 'pos'], dtype='<U3')
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        C: float = 1.0,
        beta: float = 1.0,
        binarize: float | None = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-4,
        max_iter: int = 100,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.C = C
        self.beta = beta
        self.binarize = binarize
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit_path(
        self, X: Any, y: Any, Cs: Sequence[float], *, tol: float = 1e-3
    ) -> Iterator[NBLogistic]:
        """Fit at several penalties, one after the other, each from the one before.

        For choosing among penalties: fits are as precise as that takes, and features are counted
        once.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts, or anything else where binarize tells presence.
        y : array-like of shape (n_samples,)
            Their classes, at least two.
        Cs : sequence of float
            Inverse strengths of the penalty, from the smallest up.
        tol : float, default=1e-3
            How near an objective is to its minimum, relatively, by Newton's estimate.

        Yields
        ------
        NBLogistic
            A fitted model for each penalty; this one is left as it is.

        Examples
        --------
        >>> from quire.linear_model import NBLogistic
        >>> X, y = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]], ["a", "a", "b", "b"]
        >>> for model in NBLogistic().fit_path(X, y, [0.1, 1.0]):
        ...     print(model.C, model.coef_.round(2))
        0.1 [[-0.09  0.    0.02]]
        1.0 [[-0.72  0.    0.12]]
        """
        yield from self._models(X, y, Cs, tol)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        return self._codes_and_probabilities(X)[1]

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the log probabilities of the classes, with their digits where they are near 0.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities, in the order of ``classes_``.
        """
        return one_vs_rest_logarithms(self.decision_function(X))

    def _codes_and_probabilities(self, X: Any) -> tuple[Any, Floats]:
        return one_vs_rest_decisions(self.decision_function(X))

    def _separator(
        self, X: Any, is_second: Codes, weights: Floats | None, n_alike: int, tol: float | None
    ) -> Separator:
        fitter = Fitter(
            X,
            is_second,
            2,
            weights,
            solver="auto",
            fit_intercept=self.fit_intercept,
            intercept_scaling=1.0,
            tol=self.tol if tol is None else min(self.tol, 1e-3),
            max_iter=self.max_iter,
            verbose=0,
            n_threads=effective_threads(self.n_jobs),
            name=type(self).__name__,
            gap_tol=tol,
            is_path=tol is not None,
            describe=partial(named_columns, self, verb=False),
            n_alike=n_alike,
        )

        def separate(C: float, start: Fitted | None) -> Separation:
            fitted = fitter.fit(C, 0.0, start)
            return Separation(fitted.coef[:, 0], float(fitted.intercept[0]), fitted.n_iter, fitted)

        return separate
