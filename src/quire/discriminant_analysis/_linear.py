r"""Linear discriminant analysis: normal classes with one covariance matrix, dense and sparse.

Fisher (1936) asked for the direction in which two classes lie furthest apart for their spread; Rao
(1948) for several such directions between several classes. The same matrices give Bayes' rule for
classes that are normal with a common covariance. Text makes that matrix large and its estimate
poor, so that it is shrunk (Ledoit and Wolf 2004) and never formed.
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from sklearn import discriminant_analysis as sk
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from quire._shared.decisions import largest
from quire._shared.exponentials import log_expit, log_softmax
from quire._shared.labels import class_codes, codes_among
from quire._shared.linear import LogisticClassifier, linear_scores
from quire._shared.sklearn import class_cov, fit_context
from quire._shared.threads import effective_threads
from quire._shared.typing import Codes, Floats
from quire._shared.validation import validate_data
from quire.discriminant_analysis._dense import whitened_svd
from quire.discriminant_analysis._sparse import Problem, solve_eigen, solve_lsqr, solve_svd

__all__ = ["LinearDiscriminantAnalysis"]

_SOLVERS = {"svd": solve_svd, "lsqr": solve_lsqr, "eigen": solve_eigen}


class LinearDiscriminantAnalysis(LogisticClassifier, sk.LinearDiscriminantAnalysis):
    r"""Linear discriminant analysis, as a classifier and as a projection.

    Class k has probability :math:`\pi_k`, mean :math:`m_k` and the covariance S that it shares with
    the others. A sample goes to the class with the largest

    .. math:: \log P(k \mid x) + c = x' S^{-1} m_k - \tfrac12 m_k' S^{-1} m_k + \log \pi_k,
              \qquad S = \sum_k \pi_k [(1 - s) C_k + s\, \tfrac{\mathrm{tr}\, C_k}{p} I]

    with :math:`C_k` the covariance of the samples of class k and s the shrinkage. For two classes
    the weights are Fisher's :math:`S^{-1} (m_2 - m_1)`. `transform` projects on the directions w of
    the largest :math:`w' S_b w / w' S w`, of which K classes have at most K - 1.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd" takes no shrinkage and drops directions in which no class varies. "lsqr" is the
        fastest, and only classifies. "eigen" also projects. The last two take shrinkage.
    shrinkage : "auto" or float, default=None
        How far to move the covariance of each class towards a multiple of the identity matrix,
        from 0 to 1. "auto": as far as Ledoit and Wolf's lemma says, for standardised features.
    priors : array-like of shape (n_classes,), default=None
        The probabilities of the classes; None: their shares of the samples.
    n_components : int, default=None
        Directions of `transform`, at most ``min(n_classes - 1, n_features)``, which is the default.
    store_covariance : bool, default=False
        Keep the covariance matrix with the "svd" solver too.
    tol : float, default=1e-4
        Singular values of the standardised samples up to this count as zero; of solver "svd".
    covariance_estimator : estimator, default=None
        Estimates the covariance in place of `shrinkage`, for dense X and the solvers "lsqr" and
        "eigen".
    n_jobs : int, default=None
        Threads to use on sparse X; None: all cores. The result does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; of the second class against the first if there are two.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        What is added.
    means_ : ndarray of shape (n_classes, n_features)
        The means of the classes.
    priors_ : ndarray of shape (n_classes,)
        Their probabilities.
    covariance_ : ndarray of shape (n_features, n_features)
        The matrix S. With solver "svd" only if `store_covariance`, and on sparse X with more than
        2,000 features not at all.
    scalings_ : ndarray of shape (n_features, n_directions)
        The directions, best first; `transform` uses the first ``n_components``. With solver "svd",
        and "eigen" on sparse X with more than 2,000 features, there are at most
        ``n_classes - 1``; otherwise "eigen" gives as many as there are features, of which those
        beyond ``n_classes - 1`` do not tell the classes apart. Not with solver "lsqr".
    eigenvalues_ : ndarray of shape (n_components,)
        Fisher's criterion :math:`v' S_b v / v' S v` of these directions, with
        :math:`S_b = \sum_k \pi_k (m_k - m)(m_k - m)'`: without shrinkage and with the shares of the
        samples as priors, the eigenvalues of :math:`S_b v = \lambda S v`. Computed when it is asked
        for. Not with solver "lsqr".
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Their shares of the variance between the classes. Not with solver "lsqr".
    xbar_ : ndarray of shape (n_features,)
        The mean of the classes, with solver "svd".
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Features seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they have any.

    See Also
    --------
    scatter_matrices : :math:`S_B` and :math:`S_W` themselves.
    fisher_criterion : The criterion of any direction, sparse X of any size.
    fisher_direction : The best direction for two classes, or that of the means.

    Notes
    -----
    Parameters and results are scikit-learn's; sparse X, which scikit-learn refuses, gives the
    result of the dense one. With shrinkage, sparse X with more than 2,000 features takes an
    iterative road: X is only multiplied, by all classes at once, and memory is a small multiple of
    ``(n_samples + n_features) * n_classes`` and of 16 million numbers. Then `covariance_` is not
    stored, `scalings_` has only the columns that `transform` can use, and
    `explained_variance_ratio_` are shares of their sum. Without shrinkage, X may have at most 4,000
    samples or 4,000 features; if both are more, an error says so.

    scikit-learn's solver "eigen" takes as :math:`S_b` the shrunk covariance of all samples less S.
    With ``shrinkage="auto"`` the two are shrunk by different amounts, and for text most of their
    difference is not between classes. On the iterative road "auto" therefore means Fisher's own
    :math:`S_b`, the scatter of the means. Weights and predictions do not depend on it.

    ``shrinkage="auto"`` costs a Gram matrix for each class, by blocks: time grows with the square
    of its samples or of the features, whichever are fewer. A fixed shrinkage costs nothing.

    Dense X with solvers "lsqr" and "eigen" and arrays of other libraries than NumPy go to
    scikit-learn's code.

    References
    ----------
    R. A. Fisher (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics
    7, 179-188.

    C. R. Rao (1948). The utilization of multiple measurements in problems of biological
    classification. Journal of the Royal Statistical Society B 10, 159-203.

    O. Ledoit and M. Wolf (2004). Honey, I shrunk the sample covariance matrix. Journal of Portfolio
    Management 30, 110-119.

    Z. Frangella, J. A. Tropp and M. Udell (2023). Randomized Nyström preconditioning. SIAM Journal
    on Matrix Analysis and Applications 44, 718-752.

    Examples
    --------
    >>> from quire.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> texts = ["a warm and funny film", "funny and moving", "a dull plot", "dull, wooden acting"]
    >>> labels = ["good", "good", "bad", "bad"]
    >>> vectorizer = TfidfVectorizer()
    >>> model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5)
    >>> model = model.fit(vectorizer.fit_transform(texts), labels)
    >>> model.predict(vectorizer.transform(["so dull", "moving, and warm"]))
    array(['bad', 'good'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **sk.LinearDiscriminantAnalysis._parameter_constraints,
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: float | str | None = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            solver=solver,
            shrinkage=shrinkage,
            priors=priors,
            n_components=n_components,
            store_covariance=store_covariance,
            tol=tol,
            covariance_estimator=covariance_estimator,
        )
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn means, covariance and discriminants.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if not sparse.issparse(X):
            super().fit(X, y)
            return self
        X, y = validate_data(
            self, X, y, accept_sparse="csr", ensure_min_samples=2, dtype=[np.float64, np.float32]
        )
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        self.classes_, codes = class_codes(y)
        self._check_parameters(X, codes)

        problem = Problem(
            X=X,
            codes=codes,
            priors=self.priors_.astype(np.float64),
            shrinkage=self.shrinkage,
            tol=self.tol,
            n_components=self._max_components,
            store_covariance=self.store_covariance,
            n_threads=effective_threads(self.n_jobs),
        )
        found = _SOLVERS[self.solver](problem)
        self._store(found, X.dtype)
        return self

    def _check_parameters(self, X: Any, codes: Codes) -> None:
        """Set `priors_` and `_max_components`; messages are scikit-learn's where it has them."""
        n_samples, n_features = X.shape
        n_classes = self.classes_.shape[0]
        if n_samples == n_classes:
            raise ValueError("The number of samples must be more than the number of classes.")
        if self.priors is None:
            self.priors_ = np.bincount(codes).astype(X.dtype) / float(n_samples)
        else:
            self.priors_ = np.asarray(self.priors, dtype=X.dtype)
        if self.priors_.shape != (n_classes,):
            raise ValueError(
                f"priors has shape {self.priors_.shape}; expected one number for each of the "
                f"{n_classes} classes in y."
            )
        if np.any(self.priors_ < 0):
            raise ValueError("priors must be non-negative")
        if abs(np.sum(self.priors_) - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=3)
            self.priors_ = self.priors_ / self.priors_.sum()
        self._max_components = min(n_classes - 1, n_features)
        if self.n_components is not None:
            if self.n_components > self._max_components:
                raise ValueError(
                    "n_components cannot be larger than min(n_features, n_classes - 1)."
                )
            self._max_components = self.n_components
        if self.solver == "svd":
            if self.shrinkage is not None:
                raise NotImplementedError("shrinkage not supported with 'svd' solver.")
            if self.covariance_estimator is not None:
                raise ValueError(
                    "covariance estimator is not supported with svd solver. Try another solver"
                )
        elif self.covariance_estimator is not None:
            raise ValueError(
                "covariance_estimator needs a dense X; X is sparse. Use shrinkage, or pass "
                "X.toarray()."
            )

    def _store(self, found: dict[str, Any], dtype: Any) -> None:
        """Set the fitted attributes, in the precisions that scikit-learn gives them."""
        if self.classes_.shape[0] == 2:
            low, high = found["coef_"]
            found["coef_"] = (high - low)[None, :].astype(dtype, copy=False)
            found["intercept_"] = np.diff(found["intercept_"]).astype(dtype, copy=False)
        for name, value in found.items():
            single = self.solver == "svd" and name != "covariance_"
            if single or name == "means_":
                value = value.astype(dtype, copy=False)
            setattr(self, name, value)
        self._n_features_out = self._max_components

    def _solve_svd(self, X: Any, y: Any) -> None:
        """Fit dense X: scikit-learn's algorithm, less the left singular vectors it does not use."""
        if not isinstance(X, np.ndarray):
            super()._solve_svd(X, y)
            return
        if self.store_covariance:
            self.covariance_ = class_cov(X, y, self.priors_)
        codes = codes_among(y, self.classes_)
        found = whitened_svd(X, codes, self.priors_, self.tol, self._max_components)
        for name, value in found.items():
            setattr(self, name, value)

    def _solve_eigen(self, X: Any, y: Any, shrinkage: Any, covariance_estimator: Any) -> None:
        """Fit dense X: scikit-learn's code. One class has shares of nothing, which is no error."""
        with np.errstate(invalid="ignore" if self.classes_.shape[0] == 1 else "warn"):
            super()._solve_eigen(X, y, shrinkage, covariance_estimator)

    def predict(self, X: Any) -> Any:
        """Return the class with the largest score for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self)
        if self.classes_.shape[0] == 1:
            return np.repeat(self.classes_, len(self.decision_function(X)))
        return super().predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows add up to 1.
        """
        check_is_fitted(self)
        if self.classes_.shape[0] == 1:
            return np.ones_like(self.decision_function(X))[:, None]
        return super().predict_proba(X)

    def _codes_and_probabilities(self, X: Any) -> tuple[Any, Any]:
        if self.classes_.shape[0] == 1:
            return largest(self.predict_proba(X))
        return super()._codes_and_probabilities(X)

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            From the scores, so that near certainties keep their digits and small probabilities
            do not end at the smallest number.
        """
        check_is_fitted(self)
        if not isinstance(self.coef_, np.ndarray):
            return super().predict_log_proba(X)
        scores = self.decision_function(X)
        if self.classes_.shape[0] == 1:
            return np.zeros_like(scores)[:, None]
        if self.classes_.shape[0] == 2:
            return log_expit(np.column_stack([-scores, scores]))
        return log_softmax(scores)

    def transform(self, X: Any) -> Any:
        """Project samples on the discriminant directions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The samples in the space in which the classes lie furthest apart.
        """
        if self.solver == "lsqr" or not sparse.issparse(X):
            return super().transform(X)
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        scalings = self.scalings_[:, : self._max_components]
        offset = -self.xbar_ @ scalings if self.solver == "svd" else np.zeros(scalings.shape[1])
        return linear_scores(X, scalings.T, offset, effective_threads(self.n_jobs))

    @property
    def eigenvalues_(self) -> Floats:
        """Fisher's criterion of the directions that `transform` uses, largest first."""
        if "scalings_" not in vars(self):
            raise AttributeError(
                "eigenvalues_ belong to directions, which there are after fit with "
                "solver='svd' or 'eigen'."
            )
        means = np.asarray(self.means_, dtype=np.float64)
        scores = means @ self.scalings_[:, : self._max_components]  # v' S v = 1 for each
        scores -= self.priors_ @ scores
        return np.asarray(self.priors_ @ scores**2, dtype=np.float64)

    def sample(
        self, n_samples: int = 1, *, random_state: Any = None
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Draw samples from the fitted model: a class by its prior, then a normal vector.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState instance or None, default=None
            The seed.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples, dense.
        y : ndarray of shape (n_samples,)
            Their classes.

        Examples
        --------
        >>> from quire.discriminant_analysis import LinearDiscriminantAnalysis
        >>> model = LinearDiscriminantAnalysis(store_covariance=True)
        >>> model = model.fit([[0.0], [1.0], [8.0], [9.0]], ["low", "low", "high", "high"])
        >>> X, y = model.sample(4, random_state=2)
        >>> X.round(1).ravel(), y
        (array([7.6, 8.1, 0.8, 7.9]), array(['high', 'high', 'low', 'high'], dtype='<U4'))
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"n_samples is {n_samples}; it must be at least 1.")
        if not isinstance(getattr(self, "covariance_", None), np.ndarray):
            raise ValueError(
                "sample() needs covariance_, which this model did not store. Fit with "
                "store_covariance=True, or with solver='lsqr' or 'eigen'; of a sparse X with more "
                "than 2,000 features it is not formed."
            )
        rng = check_random_state(random_state)
        priors = np.asarray(self.priors_, dtype=np.float64)
        codes = rng.choice(len(priors), size=n_samples, p=priors / priors.sum())
        values, vectors = linalg.eigh(np.asarray(self.covariance_, dtype=np.float64))
        root = vectors * np.sqrt(np.maximum(values, 0.0))  # of a singular matrix as well
        X = self.means_[codes] + rng.standard_normal((n_samples, len(root))) @ root.T
        return np.asarray(X, dtype=np.float64), self.classes_[codes]

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags, with sparse input allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
