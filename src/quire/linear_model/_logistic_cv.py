r"""Logistic regression whose penalty is chosen by cross-validation.

Every fold walks along the penalties from strong to weak, and starts each fit at the last one's
weights; its matrix is prepared once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegressionCV as SklearnLogisticRegressionCV
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.labels import class_codes
from quire._shared.linear import LogisticClassifier
from quire._shared.negative_weights import check_total
from quire._shared.sklearn import (
    StrOptions,
    check_method_params,
    check_sample_weight,
    fit_context,
    manual_routing,
    raise_for_params,
    routing_enabled,
)
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import validate_data
from quire.linear_model._engines.logistic_fit import Fitted, Fitter, check_solver
from quire.linear_model._logistic import (
    SOLVERS,
    LogisticRegression,
    check_classes,
)
from quire.linear_model._logistic_cv_options import Options, read_options
from quire.linear_model._logistic_reading import LogisticReading
from quire.linear_model._naming import named_columns

__all__ = ["LogisticRegressionCV"]


class LogisticRegressionCV(LogisticReading, LogisticClassifier, SklearnLogisticRegressionCV):
    r"""Logistic regression with `C` and `l1_ratio` chosen by cross-validation.

    .. math:: \min_{W, b} \; C \sum_i s_i \ell(y_i, W x_i + b)
              + \rho \|W\|_1 + \frac{1 - \rho}{2} \|W\|^2

    Parameters
    ----------
    Cs : int or array-like of shape (n_cs,), default=10
        Values of C; a number means so many between 1e-4 and 1e4, on a logarithmic scale.
    l1_ratios : array-like of shape (n_l1_ratios,), default=None
        Values of :math:`\rho`. As in scikit-learn, ``None`` means L2 and is deprecated.
    fit_intercept : bool, default=True
        Whether there is a b.
    cv : int or cross-validation generator, default=None
        The folds; stratified, five of them, if ``None``.
    dual : bool, default=False
        Accepted with ``solver="liblinear"`` and L2.
    penalty : {"l1", "l2", "elasticnet"}, default="deprecated"
        As in scikit-learn, which has deprecated it: use `l1_ratios`.
    scoring : str or callable, default=None
        What is best; accuracy if ``None``. As in scikit-learn, the default warns.
    solver, tol, max_iter, class_weight, intercept_scaling, random_state
        As for :class:`LogisticRegression`.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used. Folds run side by side, and share out the
        threads that are left over.
    verbose : int, default=0
        Print a line for each fit if positive.
    refit : bool, default=True
        Whether to fit the best penalty on all samples; otherwise the best weights of the folds are
        averaged.
    use_legacy_attributes : bool, default=True
        Shapes of the attributes below, as in scikit-learn; ``False`` gives those listed here.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        W; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b, zero without `fit_intercept`.
    Cs_ : ndarray of shape (n_cs,)
        Values of C that were tried.
    l1_ratios_ : ndarray of shape (n_l1_ratios,)
        Values of l1_ratio that were tried.
    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_cs, n_classes or 1, n_features (+ 1))
        Weights of all fits; the intercept is last.
    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Scores on the held-out folds.
    C_, l1_ratio_ : float
        The best values.
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Iterations of the optimiser.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    LogisticRegression : The model at one penalty.

    Notes
    -----
    See :class:`LogisticRegression` for cost and determinism. The transpose of a fold's matrix is
    made once, and fits go from small to large C whatever the order of `Cs`, each from the best
    linear combination of the three before. Fits of folds, which are only compared, stop within
    about `10 * tol` of the minimum, relatively; so does the last one, and it is as precise as that
    of :class:`LogisticRegression` at least.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.linear_model import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV(
    ...     Cs=[0.1, 1, 10], l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False
    ... ).fit(X, y)
    >>> model.C_
    10.0
    >>> model.scores_.shape
    (5, 1, 3)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnLogisticRegressionCV._parameter_constraints,
        "solver": [StrOptions(SOLVERS)],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> LogisticRegressionCV:
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.
        **params : dict
            Parameters of the splitter and the scorer.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        raise_for_params(params, self, "fit")
        options = read_options(self)
        check_solver(self.solver, options.penalty, self.dual)
        options.check_l1_ratios(self.penalty)
        check_random_state(self.random_state)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            accept_large_sparse=self.solver not in ("liblinear", "sag", "saga"),
        )
        classes, codes = class_codes(y)
        check_classes(classes, self.solver, X, end=".")
        routed = self._routed(sample_weight, params)
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y, **routed.splitter.split))
        samples = _Samples(
            X,
            np.asarray(y),
            classes,
            codes,
            None if sample_weight is None else check_sample_weight(sample_weight, X),
            self._class_weights(classes, y, sample_weight),
        )
        Cs = np.logspace(-4, 4, self.Cs) if np.ndim(self.Cs) == 0 else np.asarray(self.Cs)
        paths = _Paths.empty(len(folds), options.l1_ratios, Cs, samples, self.fit_intercept)
        n_threads = effective_threads(self.n_jobs)
        stop = Event()  # for folds that are still at work when Ctrl-C ends the call

        def fit_fold(fold: int, threads_of_fold: int) -> None:
            fitter = self._fitter(samples, folds[fold][0], threads_of_fold)
            self._fit_fold(fitter, options, paths, fold, stop)

        try:
            for rounds in _rounds(len(folds), n_threads):
                side_by_side = min(n_threads, len(rounds))
                run = Parallel(n_jobs=side_by_side, require="sharedmem")
                run(delayed(fit_fold)(fold, n_threads // side_by_side) for fold in rounds)
                for fold in rounds:  # here, since scorers of users need not be safe in threads
                    score = _scorer(options.scoring, samples, folds[fold][1], routed.scorer.score)
                    self._score_fold(samples, score, paths, fold)
        finally:
            stop.set()

        self.classes_ = classes
        self.Cs_ = Cs
        self._choose(samples, options, paths)
        self._store(options, paths)
        return self

    def _routed(self, sample_weight: Any, params: dict[str, Any]) -> Any:
        if routing_enabled():
            return process_routing(self, "fit", sample_weight=sample_weight, **params)
        of_score = dict(params)
        if sample_weight is not None:
            of_score["sample_weight"] = sample_weight
        return manual_routing({"splitter": {}, "scorer": {"score": of_score}})

    def _class_weights(self, classes: NDArray[Any], y: Any, sample_weight: Any) -> Any:
        """Return a weight for each class, of all samples together, or ``None``."""
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, dict) and not set(self.class_weight) <= set(classes):
            raise ValueError(
                "The given class_weight dict must have the class labels as keys; "
                f"classes={classes} but key={self.class_weight.keys()}"
            )
        return compute_class_weight(
            self.class_weight, classes=classes, y=y, sample_weight=sample_weight
        )

    def _fitter(self, samples: _Samples, rows: Any, n_threads: int) -> Fitter:
        weights = samples.weights()
        if rows is not None and weights is not None:
            weights = weights[rows]
        check_total(weights)
        return Fitter(
            samples.X if rows is None else samples.X[rows],
            samples.codes if rows is None else samples.codes[rows],
            len(samples.classes),
            weights,
            solver=self.solver,
            fit_intercept=self.fit_intercept,
            intercept_scaling=self.intercept_scaling,
            tol=self.tol,
            max_iter=self.max_iter,
            verbose=self.verbose,
            n_threads=n_threads,
            name=type(self).__name__,
            gap_tol=10 * self.tol,
            is_path=rows is not None,
            describe=partial(named_columns, self, verb=False),
        )

    def _fit_fold(
        self, fitter: Fitter, options: Options, paths: _Paths, fold: int, stop: Event
    ) -> None:
        """Fit all penalties on one fold."""
        for i, l1_ratio in enumerate(options.l1_ratios):
            start = None
            for c in np.argsort(paths.Cs, kind="stable"):
                if stop.is_set():
                    return
                start = found = fitter.fit(float(paths.Cs[c]), options.share(l1_ratio), start)
                weights = paths.weights[fold, i, c].T
                weights[: len(found.coef)] = found.coef
                if self.fit_intercept:
                    weights[-1] = found.intercept
                paths.n_iter[fold, i, c] = found.n_iter

    def _score_fold(
        self,
        samples: _Samples,
        score: Callable[[LogisticRegression], float],
        paths: _Paths,
        fold: int,
    ) -> None:
        """Score all penalties on the samples that a fold has held out."""
        model = LogisticRegression(solver=self.solver, n_jobs=self.n_jobs)
        model.classes_ = samples.classes
        n_features = samples.X.shape[1]
        for i, c in np.ndindex(paths.scores.shape[1:]):
            weights = paths.weights[fold, i, c]
            model.C = paths.Cs[c]
            model.coef_ = weights[:, :n_features]
            model.intercept_ = weights[:, -1] if self.fit_intercept else np.zeros(len(weights))
            paths.scores[fold, i, c] = score(model)

    def _choose(self, samples: _Samples, options: Options, paths: _Paths) -> None:
        """Set the best penalty and the weights."""
        n_features = samples.X.shape[1]
        if self.refit:
            total = paths.scores.sum(axis=0).T  # n_cs x n_l1_ratios
            c, i = np.unravel_index(np.argmax(total), total.shape)
            best_C, best_ratio = paths.Cs[c], options.l1_ratios[int(i)]
            mean = paths.weights[:, i, c].mean(axis=0)
            intercept = mean[:, -1] if self.fit_intercept else np.zeros(len(mean))
            start = Fitted(mean[:, :n_features].T, intercept, np.inf, 0, "")
            fitter = self._fitter(samples, None, effective_threads(self.n_jobs))
            found = fitter.fit(float(best_C), options.share(best_ratio), start)
            self.coef_ = found.coef.T
            self.intercept_ = found.intercept
        else:
            n_folds, n_ratios, n_cs = paths.scores.shape
            flat = paths.scores.transpose(0, 2, 1).reshape(n_folds, -1).argmax(axis=1)
            cs, ratios = np.unravel_index(flat, (n_cs, n_ratios))
            mean = paths.weights[np.arange(n_folds), ratios, cs].mean(axis=0)
            best_C = np.mean(paths.Cs[cs])
            best_ratio = 0.0
            if options.penalty == "elasticnet":
                best_ratio = np.mean(np.asarray(options.l1_ratios)[ratios])
            self.coef_ = mean[:, :n_features]
            self.intercept_ = mean[:, -1] if self.fit_intercept else np.zeros(len(mean))
        self.C_, self.l1_ratio_ = best_C, best_ratio

    def _store(self, options: Options, paths: _Paths) -> None:
        """Set the attributes about all fits, in the shapes that were asked for."""
        self.l1_ratios_ = np.asarray(options.l1_ratios)
        n_rows = paths.weights.shape[3]
        if not options.legacy:
            self.C_ = float(self.C_)
            if options.given_ratios is None:
                self.l1_ratio_ = 1.0 if self.penalty == "l1" else 0.0
            else:
                self.l1_ratio_ = float(self.l1_ratio_)
            self.coefs_paths_: Any = paths.weights
            self.scores_: Any = paths.scores
            self.n_iter_ = paths.n_iter
            return
        self.C_ = np.tile(np.asarray([self.C_]), n_rows)
        self.l1_ratio_ = np.tile(np.asarray([self.l1_ratio_]), n_rows)
        weights = paths.weights.transpose(3, 0, 2, 1, 4)  # classes, folds, Cs, ratios, features
        scores, n_iter = paths.scores.swapaxes(1, 2), paths.n_iter.swapaxes(1, 2)[None]
        if options.given_ratios is None:
            weights, scores, n_iter = weights[:, :, :, 0], scores[:, :, 0], n_iter[..., 0]
        labels = self.classes_[1:] if n_rows == 1 else self.classes_
        self.scores_ = {label: scores.copy() for label in labels}
        self.coefs_paths_ = dict(zip(labels, weights, strict=True))
        self.n_iter_ = n_iter

    predict_log_proba = LogisticRegression.predict_log_proba


@dataclass(frozen=True)
class _Samples:
    """All samples of a fit."""

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    codes: NDArray[np.int32]
    sample_weight: Floats | None
    class_weight: Floats | None

    def weights(self) -> Floats | None:
        """Return sample weights times class weights."""
        if self.class_weight is None:
            return self.sample_weight
        weights: Floats = self.class_weight[self.codes]
        return weights if self.sample_weight is None else weights * self.sample_weight


@dataclass(frozen=True)
class _Paths:
    """Weights, scores and iterations of all fits."""

    Cs: Floats
    weights: Floats  # folds, ratios, Cs, rows, features (and the intercept); stored by features
    scores: Floats  # folds, ratios, Cs
    n_iter: NDArray[np.int32]

    @classmethod
    def empty(
        cls, n_folds: int, l1_ratios: Any, Cs: Floats, samples: _Samples, fit_intercept: bool
    ) -> _Paths:
        shape = (n_folds, len(l1_ratios), len(Cs))
        n_rows = 1 if len(samples.classes) == 2 else len(samples.classes)
        n_columns = samples.X.shape[1] + int(fit_intercept)
        weights = np.empty((*shape, n_columns, n_rows)).swapaxes(-1, -2)
        return cls(Cs, weights, np.empty(shape), np.empty(shape, dtype=np.int32))


def _rounds(n_folds: int, n_threads: int) -> list[range]:
    """Return the folds that keep all threads busy with one each, and the rest, which share them."""
    whole = n_folds - n_folds % n_threads
    return [rounds for rounds in (range(whole), range(whole, n_folds)) if rounds]


def _scorer(
    scoring: Any, samples: _Samples, test: Any, score_params: Any
) -> Callable[[LogisticRegression], float]:
    """Return the score of a model on held-out samples."""
    X, y = samples.X[test], samples.y[test]
    scorer = get_scorer(scoring)
    if scorer is None:
        weights = samples.sample_weight
        of_test = None if weights is None else weights[test]
        return lambda model: float(model.score(X, y, sample_weight=of_test))
    params = check_method_params(X=samples.X, params=score_params or {}, indices=test)
    if "labels" in inspect.signature(getattr(scorer, "_score_func", len)).parameters:
        # Held-out samples may lack a class, so the score is told which there are.
        known: dict[str, Any] = {"labels": samples.classes}
        if (
            len(samples.classes) <= 2
            and "pos_label" in inspect.signature(scorer._score_func).parameters
        ):
            known["pos_label"] = samples.classes[-1]
        scorer = make_scorer(
            scorer._score_func,
            greater_is_better=scorer._sign == 1,
            response_method=scorer._response_method,
            **{**getattr(scorer, "_kwargs", {}), **known},
        )
    return lambda model: scorer(model, X, y, **params)
