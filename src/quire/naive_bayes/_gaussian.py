r"""Continuous columns: a normal density for each class and column.

The columns are taken as independent given the class, so that a class is described by the mean and
the variance of each. Both are joined from parts by the formulas of Chan, Golub and LeVeque (1979).
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB as SklearnGaussianNB
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from quire._shared.evidence import Evidence
from quire._shared.evidence_terms import AdditiveTerms
from quire._shared.labels import class_codes, codes_among
from quire._shared.naive_bayes import log_of
from quire._shared.sklearn import (
    StrOptions,
    check_partial_fit_first_call,
    check_sample_weight,
    fit_context,
)
from quire._shared.term_weights import feature_names_of, plain
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import validate_data
from quire.naive_bayes._array_api import OtherArraysMixin, is_foreign
from quire.naive_bayes._base import NaiveBayesMixin
from quire.naive_bayes._class_statistics import PRIOR_ALPHA, smoothed_shares
from quire.naive_bayes._mergeable import check_mergeable
from quire.naive_bayes._moments import Moments, Sums, kernel_ready
from quire.naive_bayes._normal import NormalDensities

__all__ = ["GaussianNB"]


class GaussianNB(OtherArraysMixin, NaiveBayesMixin, SklearnGaussianNB):
    r"""Naive Bayes for continuous columns.

    .. math::
        \log P(k \mid x) = \log P(k) + \sum_j \log N(x_j; \theta_{kj}, \sigma^2_{kj}) - \log P(x),
        \qquad \sigma^2_{kj} = \operatorname{var}_k(x_j) + \epsilon

    with :math:`\epsilon` the `var_smoothing` of the largest variance of a column. It answers to
    scikit-learn's class of the same name and adds :meth:`merge`, :meth:`log_likelihood`,
    :meth:`evidence` and `n_jobs`.

    Parameters
    ----------
    priors : {"documents", "uniform"} or array-like of shape (n_classes,), default=None
        Probabilities of the classes. ``None`` and ``"documents"``: the share of each class in the
        weights of the rows. ``"uniform"``: the same for all.
    var_smoothing : float, default=1e-9
        The share of the largest variance of all columns that is added to every variance. Where
        this is more than the variance of a smaller column within a class, there is a warning: scale
        the columns first, or use :class:`MixedNB`, which smooths each column by itself.
    n_jobs : int, default=None
        Number of threads; ``None`` and -1 mean all that may be used.
    prior_alpha : float, default=0.0
        What is added to the count of every class before their shares are taken, where the prior
        comes from counts: :math:`P(k) = (N_k + \lambda) / (N + K \lambda)` with :math:`N_k` the
        rows of class :math:`k` and :math:`K` the number of classes. With it
        a class without rows has a prior above zero; as it has no density, it stays impossible.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    theta_ : ndarray of shape (n_classes, n_features)
        Mean of each column in each class.
    var_ : ndarray of shape (n_classes, n_features)
        Variance of each column in each class, with what smoothing adds.
    epsilon_ : float
        What smoothing adds to every variance; in :meth:`partial_fit`, that of the last batch.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all of them are strings.

    See Also
    --------
    sklearn.naive_bayes.GaussianNB : The same model.

    Notes
    -----
    *Cost.* :meth:`fit` reads `X` once, and once more if there are weights or if the first row of a
    class lies far outside the others. `X` is read where it is, be it stored by rows or by columns;
    only values that are neither float32 nor float64 are copied. Sums are in double precision and
    keep their digits also where the means are large and the deviations small; only what is
    returned for float32 data is float32. The number of threads does not change a bit.

    *Without smoothing.* Where a variance is zero (``var_smoothing=0``, or all the columns are
    constant), the column is a certainty: its one value adds nothing to the log probability of the
    class, any other value makes the class impossible. A column that is the same everywhere
    therefore says nothing. A row that is impossible in every class gets the prior.

    *Without rows.* A class that :meth:`partial_fit` was told of and has not yet seen is impossible,
    whatever its prior.

    References
    ----------
    T. F. Chan, G. H. Golub and R. J. LeVeque (1979), Updating formulae and a pairwise algorithm for
    computing sample variances. Stanford University, STAN-CS-79-773.

    Examples
    --------
    >>> X = [[1.0, 5.0], [1.5, 4.0], [2.0, 6.0], [7.0, 5.0], [8.0, 5.5], [9.0, 4.5]]
    >>> model = GaussianNB().fit(X, ["low", "low", "low", "high", "high", "high"])
    >>> model.theta_
    array([[8. , 5. ],
           [1.5, 5. ]])
    >>> model.predict([[2.5, 5.0]])
    array(['low'], dtype='<U4')

    Which column decided, and by how much:

    >>> print(model.evidence([[2.5, 5.0]], feature_names=["size", "age"])[0])
      +19.6875  low rather than high
       +0.0000  before any term
      +20.3806  size = 2.5
       -0.6931  age = 5
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SklearnGaussianNB._parameter_constraints,
        "priors": ["array-like", StrOptions({"documents", "uniform"}), None],
        "n_jobs": [Integral, None],
        "prior_alpha": PRIOR_ALPHA,
    }

    def __init__(
        self,
        *,
        priors: Any = None,
        var_smoothing: float = 1e-9,
        n_jobs: int | None = None,
        prior_alpha: float = 0.0,
    ) -> None:
        super().__init__(priors=priors, var_smoothing=var_smoothing)
        self.n_jobs = n_jobs
        self.prior_alpha = prior_alpha

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from all rows at once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights; 1 if not given.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if is_foreign(X):
            return self._fit_foreign(super().fit, X, y, sample_weight=sample_weight)
        X, y = validate_data(self, X, y, ensure_all_finite=False)
        classes, codes = class_codes(y)
        return self._learn(X, codes, unique_labels(classes), sample_weight, first=True)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows.

        Means and counts are those of one fit on all the rows. Variances differ from it, as
        scikit-learn's do, by what smoothing adds: `epsilon_` is that of the last batch.
        :meth:`merge` has no such difference.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All classes that can ever occur; must be given in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; 1 if not given.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        first = not hasattr(self, "theta_")
        if is_foreign(X) or not (first or hasattr(self, "_sums")):
            return self._fit_foreign(
                super().partial_fit, X, y, classes=classes, sample_weight=sample_weight
            )
        if first:
            self.__dict__.pop("classes_", None)  # a first call that failed does not count
        check_partial_fit_first_call(self, classes)
        X, y = validate_data(self, X, y, ensure_all_finite=False, reset=first)
        codes = codes_among(y, self.classes_)
        return self._learn(X, codes, self.classes_, sample_weight, first=first)

    def merge(self, other: GaussianNB) -> Self:
        """Join what another model learned from other rows.

        The result is that of one :meth:`fit` on the rows of both, up to rounding, so that parts of
        the data can be learned in different places. For this, the moments of the classes before
        smoothing are kept with the model, and those of the columns without weights, from which
        `epsilon_` is taken.

        Parameters
        ----------
        other : GaussianNB
            A fitted model of the same columns and with the same `priors`, `prior_alpha` and
            `var_smoothing`. It may have other classes. It is not changed.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_mergeable(self, other, ("var_smoothing", "priors", "prior_alpha"))
        for model in (self, other):
            if not hasattr(model, "_sums"):
                raise ValueError(
                    "A model that was fitted on arrays of another library than NumPy keeps no sums "
                    "to merge. Fit it on NumPy arrays."
                )
        classes = unique_labels(self.classes_, other.classes_)
        n_classes = len(classes)
        dtype = np.result_type(self.theta_, other.theta_)
        if self._priors_are_listed() and n_classes > len(self.classes_):
            raise ValueError(
                f"priors lists {len(self.classes_)} probabilities, and the two models have "
                f"{n_classes} classes together. Give both models the same classes, or use "
                "priors='documents' or 'uniform'."
            )
        prior = self._given_prior(n_classes, dtype)
        ours, theirs = (
            model._sums.classes.spread(np.searchsorted(classes, model.classes_), n_classes)
            for model in (self, other)
        )
        columns = self._sums.columns.join(other._sums.columns)
        epsilon = self._epsilon(columns)
        self.classes_ = classes
        self.epsilon_ = dtype.type(epsilon)
        self._store(Sums(ours.join(theirs), columns, np.full(n_classes, epsilon)), prior, dtype)
        self._warn_of_drowned_columns()
        return self

    def log_likelihood(self, X: Any) -> Floats:
        """Return log P(x | k) for each row x and class k: what the rows say without the prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of densities, which may be above zero; ``-inf`` where a class cannot produce
            a row.

        Examples
        --------
        >>> model = GaussianNB(priors=[0.9, 0.1]).fit([[-1.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
        >>> model.log_likelihood([[0.0], [5.0]]).round(4)
        array([[ -0.9189, -13.4189],
               [-13.4189,  -0.9189]])
        """
        check_is_fitted(self)
        X = self._check_X(X)
        return self._returned(self._scores(X, np.zeros(len(self.classes_))), X)

    def evidence(self, X: Any, *, feature_names: Any = None) -> Evidence:
        """Return what each column of each row says for one class and against another.

        A column adds the difference of the logarithms of its two densities; the offset is that of
        the prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        feature_names : sequence of str, default=None
            Names of the columns, if not those of the data that the model learned from.

        Returns
        -------
        Evidence
            Parts that add up to the differences of :meth:`predict_joint_log_proba`.
        """
        check_is_fitted(self)
        X = self._check_X(X)
        densities = self._densities()
        return Evidence(
            self.classes_,
            self._joint_log_likelihood(X),
            self._log_prior(),
            AdditiveTerms(X, densities.parts),
            feature_names=feature_names_of(self, feature_names, self.n_features_in_),
        )

    def sample(
        self, n_samples: int = 1, *, random_state: Any = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Draw rows from the model: a class from the prior, then each column from its density.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows.
        random_state : int, RandomState instance or None, default=None
            An integer gives the same rows every time.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Values.
        y : ndarray of shape (n_samples,)
            The classes that they were drawn from.

        Raises
        ------
        ValueError
            If a class that was drawn has no rows, and so no density.

        Examples
        --------
        >>> model = GaussianNB().fit([[1.0], [2.0], [7.0], [9.0]], ["low", "low", "high", "high"])
        >>> X, y = model.sample(4, random_state=2)
        >>> X.round(1).ravel(), y
        (array([6.2, 7.2, 1.8, 6.8]), array(['high', 'high', 'low', 'high'], dtype='<U4'))
        """
        rng, codes = self._draw_classes(n_samples, random_state)
        counts, classes = np.asarray(self.class_count_), np.asarray(self.classes_)
        for k in np.flatnonzero(counts[codes] <= 0)[:1]:
            raise ValueError(
                f"The class {plain(classes[codes[k]])!r} has no rows, so that there is no density "
                "to draw from. Learn from rows of it, or give it a prior of zero."
            )
        theta, variance = np.asarray(self.theta_), np.asarray(self.var_)
        noise = rng.standard_normal((len(codes), theta.shape[1]))
        X = theta[codes] + np.sqrt(variance[codes]) * noise
        return X.astype(theta.dtype, copy=False), classes[codes]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "theta_")

    def _check_X(self, X: Any) -> Any:
        # NaN and infinity show in the scores, which saves a pass.
        return validate_data(self, X, reset=False, ensure_all_finite=is_foreign(X))

    def _joint_log_likelihood(self, X: Any) -> Floats:
        if is_foreign(X):
            joint: Floats = SklearnGaussianNB._joint_log_likelihood(self, X)
            return joint
        return self._scores(X, self._log_prior())

    def _log_prior(self) -> Floats:
        return log_of(np.asarray(self.class_prior_, np.float64))

    def _densities(self) -> NormalDensities:
        return NormalDensities.of(self.theta_, self.var_, np.asarray(self.class_count_) > 0)

    def _scores(self, X: NDArray[Any], prior: Floats) -> Floats:
        """Return prior + log P(x | k), or the error about NaN and infinity in X."""
        scores = self._densities().scores(X, prior, effective_threads(self.n_jobs))
        if not np.isfinite(scores).all():
            self._check_finite(X)
        return scores

    def _returned(self, scores: Floats, X: NDArray[Any]) -> Floats:
        """Return scores as float32 where scikit-learn does: if model and rows are."""
        if is_foreign(X):
            return scores
        with np.errstate(over="ignore"):  # what is too small for float32 is -inf there
            return scores.astype(np.result_type(X.dtype, self.theta_.dtype), copy=False)

    def _check_finite(self, X: NDArray[Any]) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # the check adds all the values up
            assert_all_finite(X, estimator_name=type(self).__name__, input_name="X")

    def _learn(
        self,
        X: NDArray[Any],
        codes: NDArray[np.int32],
        classes: NDArray[Any],
        sample_weight: Any,
        *,
        first: bool,
    ) -> Self:
        """Take the moments of the rows and join them to those there are, if any."""
        batch_dtype = X.dtype.newbyteorder("=") if X.dtype.kind == "f" else np.dtype(np.float64)
        weights = None
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, X, dtype=batch_dtype).astype(np.float64)
        n_classes = len(classes)
        dtype = batch_dtype if first else self.theta_.dtype
        prior = self._given_prior(n_classes, dtype) if first else self._kept_prior()

        moments = self._moments(X, codes, n_classes, weights)
        if weights is None:
            columns = moments.pooled()
        else:
            columns = self._moments(X, np.zeros_like(codes), 1, None)
        epsilon = self._epsilon(columns)
        sums = Sums(moments, columns, np.full(n_classes, epsilon))
        if not first:
            sums = self._sums.then(sums)
        if (sums.classes.count < 0).any() or (sums.classes.ssd < 0).any():
            raise ValueError(
                "The negative values in sample_weight leave a class with a negative weight or "
                "variance. Pass weights that are not negative."
            )

        self.classes_ = classes
        self.epsilon_ = batch_dtype.type(epsilon)
        self._store(sums, prior, dtype)
        self._warn_of_drowned_columns()
        return self

    def _moments(
        self, X: NDArray[Any], codes: NDArray[np.int32], n_classes: int, weights: Floats | None
    ) -> Moments:
        """Return the moments of each class, or the error about NaN and infinity in X."""
        n_threads = effective_threads(self.n_jobs)
        moments = Moments.of_classes(kernel_ready(X), codes, n_classes, weights, n_threads)
        if moments.is_finite():
            return moments
        self._check_finite(X)
        return moments.without_nan()

    def _store(self, sums: Sums, prior: NDArray[Any] | None, dtype: np.dtype[Any]) -> None:
        """Set the attributes that follow from the sums."""
        self._sums = sums
        count = sums.classes.count
        with np.errstate(over="ignore"):
            self.theta_ = sums.classes.mean.astype(dtype)
            self.var_ = (sums.classes.variance() + sums.smoothing[:, None]).astype(dtype)
            self.class_count_ = count.astype(dtype)
        if prior is None:
            prior = smoothed_shares(count, self.prior_alpha).astype(dtype)
        self.class_prior_ = prior

    def _warn_of_drowned_columns(self) -> None:
        """Warn if smoothing by the largest variance is what the variances of a column consist of.

        A column that smoothing by its own variance would change as well is not meant: there the
        user asked for it, or a class hardly varies.
        """
        added = float(self._sums.smoothing.max(initial=0.0))
        if not 0 < added < np.inf:
            return
        variance = self._sums.classes.variance()
        least = np.where(variance > 0, variance, np.inf).min(axis=0, initial=np.inf)
        own = self.var_smoothing * self._sums.columns.variance()[0]
        drowned = (least < added) & (own <= 0.1 * least)
        if not drowned.any():
            return
        names = getattr(self, "feature_names_in_", np.arange(len(drowned)))[drowned]
        shown = ", ".join(repr(plain(name)) for name in names[:3])
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        warnings.warn(
            f"var_smoothing={self.var_smoothing:g} adds {added:.3g}, a share "
            "of the largest variance of all columns, to every variance, and drowns the smaller "
            f"variances of column {shown}{more}: scale the columns first "
            "(make_pipeline(StandardScaler(), GaussianNB())), or use MixedNB, which smooths each "
            "column by itself.",
            UserWarning,
            stacklevel=4,
        )

    def _epsilon(self, columns: Moments) -> float:
        if self.var_smoothing == 0:
            return 0.0  # also where a variance is infinite
        return float(self.var_smoothing * columns.variance().max())

    def _priors_are_listed(self) -> bool:
        return self.priors is not None and not isinstance(self.priors, str)

    def _given_prior(self, n_classes: int, dtype: np.dtype[Any]) -> NDArray[Any] | None:
        """Return the prior that does not come from the data; ``None`` if it does."""
        if not self._priors_are_listed():
            uniform = np.full(n_classes, 1 / n_classes, dtype)
            return uniform if self.priors == "uniform" else None
        priors = np.array(self.priors, dtype=dtype)
        if priors.shape != (n_classes,):
            raise ValueError("Number of priors must match number of classes.")
        if not np.isclose(priors.sum(), 1.0):
            raise ValueError("The sum of the priors should be 1.")
        if (priors < 0).any():
            raise ValueError("Priors must be non-negative.")
        return priors

    def _kept_prior(self) -> NDArray[Any] | None:
        """Return the prior that more rows do not change; ``None`` if they do."""
        from_data = not self._priors_are_listed() and self.priors != "uniform"
        return None if from_data else self.class_prior_
