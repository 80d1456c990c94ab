r"""Linear support vector machines on features that naive Bayes has weighted.

Each feature is multiplied by its log-count ratio, the weight that naive Bayes would give it, before
the machine learns how much of that to believe. (S. Wang, C. D. Manning, 2012.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from quire._shared.nb_weighted import NBWeighted, Separation, Separator
from quire._shared.threads import effective_threads
from quire._shared.typing import Codes, Floats
from quire.svm._linear_fit import LinearFit

__all__ = ["NBSVM"]


class NBSVM(NBWeighted):
    r"""Linear support vector machine on features times their log-count ratios.

    For two classes, with the numbers p of samples of the second class that have a feature, the
    numbers q of the first, and x the presence of features,

    .. math::

        r_i = \log \frac{\alpha + p_i}{\sum_j (\alpha + p_j)}
              - \log \frac{\alpha + q_i}{\sum_j (\alpha + q_j)}, \qquad
        \min_{v, b} \; \tfrac12 \|v\|^2 + \tfrac12 b^2
              + C \sum_d s_d \max(0, 1 - y_d (v'(r \circ x_d) + b))^2

    with :math:`y_d = \pm 1`. The weights of x are :math:`r \circ v'`, and :math:`v' = (1 - \beta)
    \overline{|v|} + \beta v` lies between v and the mean magnitude of its entries, for which the
    model is naive Bayes but for a factor and the intercept. More classes have such a model each,
    against the rest, with ratios of its own.

    Parameters
    ----------
    alpha : float, default=1.0
        What is added to the count of every feature that occurs, in both classes.
    C : float, default=0.03
        What a sample inside the margin costs.
    beta : float, default=1.0
        Share of the learned weights, between 0 (the ratios alone, times a number) and 1.
    binarize : float or None, default=0.0
        A feature is present where X is above this. ``None`` takes X as it is: counts, in ratios and
        in the model.
    fit_intercept : bool, default=True
        Whether there is a b.
    class_weight : dict or "balanced", default=None
        Weights of the classes. Samples count by them in ratios, too.
    tol : float, default=1e-4
        As for :class:`LinearSVC`.
    max_iter : int, default=1000
        Passes over the samples, or Newton steps, at most.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders in which coordinate descent visits the samples.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used. The result does not depend on it.

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
        Passes or steps, the most of any problem.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    LinearSVC : Without ratios.
    quire.linear_model.NBLogistic : The same with probabilities.

    Notes
    -----
    The penalty is low for features whose ratio is large: what tells the classes apart on its own
    gets its weight cheaply. Rows are not brought to one length, so that margins grow with documents
    and with ratios, and C is smaller than for tf-idf. In the paper C is 1, and `beta` 0.25; on all
    corpora that we tried interpolation lost accuracy, most where the classes differ in size.

    References
    ----------
    S. Wang, C. D. Manning, "Baselines and bigrams: simple, good sentiment and topic
    classification", ACL 2012.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.svm import NBSVM
    >>> texts = ["a good film", "not a bad film", "not a good film", "a bad film"]
    >>> model = make_pipeline(CountVectorizer(ngram_range=(1, 2)), NBSVM(C=1.0, random_state=0))
    >>> model = model.fit(texts, ["pos", "pos", "neg", "neg"])
    >>> model.predict(["not good", "not bad"])
    array(['neg', 'pos'], dtype='<U3')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **NBWeighted._parameter_constraints,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        C: float = 0.03,
        beta: float = 1.0,
        binarize: float | None = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-4,
        max_iter: int = 1000,
        random_state: Any = None,
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
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit_path(self, X: Any, y: Any, Cs: Sequence[float]) -> Iterator[NBSVM]:
        """Fit at several penalties, with one reading of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts, or anything else where binarize tells presence.
        y : array-like of shape (n_samples,)
            Their classes, at least two.
        Cs : sequence of float
            What a sample inside the margin costs.

        Yields
        ------
        NBSVM
            A fitted model for each; this one is left as it is.

        Examples
        --------
        >>> from quire.svm import NBSVM
        >>> X, y = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]], ["a", "a", "b", "b"]
        >>> for model in NBSVM(random_state=0).fit_path(X, y, [0.1, 1.0]):
        ...     print(model.C, model.coef_.round(2))
        0.1 [[-0.28  0.    0.06]]
        1.0 [[-1.15  0.01  0.24]]
        """
        yield from self._models(X, y, Cs, None)

    def _separator(
        self, X: Any, is_second: Codes, weights: Floats | None, n_alike: int, tol: float | None
    ) -> Separator:
        n_samples, n_features = X.shape
        ones = np.ones(n_samples) if weights is None else weights
        seed = int(check_random_state(self.random_state).randint(np.iinfo("i").max))
        n_threads = effective_threads(self.n_jobs)

        def separate(C: float, start: Any) -> Separation:
            fit = LinearFit(
                X,
                C * ones,
                squared=True,
                bias=1.0 if self.fit_intercept else 0.0,
                primal=n_samples > n_features,
                tol=self.tol,
                max_iter=self.max_iter,
                seed=seed,
                n_threads=n_threads,
            )
            found = fit.classes(is_second, 2, np.ones(2))
            return Separation(found.coef[0], float(np.ravel(found.intercept)[0]), found.n_iter)

        return separate
