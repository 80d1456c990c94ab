r"""Support vector machines with kernels, for classes: one machine for every pair of them."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.svm import SVC as SklearnSVC
from sklearn.utils import compute_class_weight

from quire._shared.labels import class_codes
from quire._shared.sigmoid import fit_sigmoid
from quire._shared.typing import Floats
from quire._shared.validation import looks_first
from quire.exceptions import NotSeparableError
from quire.svm._calibration import (
    N_FOLDS,
    coupled,
    fold_numbers,
    pair_probabilities,
)
from quire.svm._dual import Box, DualSolution, DualState
from quire.svm._kernels import GivenKernel, RowSource
from quire.svm._machine import KernelMachine, not_separable, products_by_class
from quire.svm._steps import N_STEPS, SmoStep

__all__ = ["SVC"]


_BLOCK = 1 << 22  # kernel values between folds that are held at a time


class SVC(KernelMachine, SklearnSVC):
    r"""Support vector machine for classes, with a kernel.

    .. math:: \max_\alpha \sum_i \alpha_i
              - \tfrac12 \sum_{ij} \alpha_i \alpha_j y_i y_j k(x_i, x_j),
              \qquad 0 \le \alpha_i \le C c_i, \quad \sum_i \alpha_i y_i = 0

    for every pair of classes, which then vote. A drop-in replacement for scikit-learn's class of
    this name.

    Parameters
    ----------
    C : float, default=1.0
        What a sample inside the margin costs. ``np.inf`` is the hard margin: an error if the
        classes cannot be told apart.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel: :math:`x'z`, :math:`(\gamma x'z + r)^d`, :math:`\exp(-\gamma \|x - z\|^2)`,
        :math:`\tanh(\gamma x'z + r)`, a symmetric matrix in the place of X, or a function of two
        matrices.
    degree : int, default=3
        d.
    gamma : {"scale", "auto"} or float, default="scale"
        :math:`\gamma`; "scale" is 1 / (n_features * X.var()), "auto" is 1 / n_features.
    coef0 : float, default=0.0
        r.
    shrinking : bool, default=True
        Accepted; working sets do the same here.
    probability : bool, default="deprecated"
        Whether there is :meth:`predict_proba`, at the cost of five more fits: Platt's sigmoid, as
        in LIBSVM. Probabilities are those of the training data also with weights of classes, which
        move the decisions; the most probable class need then not be that of :meth:`predict`.
        scikit-learn deprecates the parameter, and here it gives the same warning.
        ``CalibratedClassifierCV(SVC(), ensemble=False)`` is the other way.
    tol : float, default=1e-3
        By how much the optimality conditions may be missed.
    cache_size : float, default=200
        Megabytes for kernel values, and 512 if it is less: a kernel matrix that fits (11,000
        samples) is made once for all pairs.
    class_weight : dict or "balanced", default=None
        Weights of the classes.
    verbose : bool, default=False
        Accepted.
    max_iter : int, default=-1
        Iterations for each pair at most; -1 for no limit but that of rounding.
    decision_function_shape : {"ovo", "ovr"}, default="ovr"
        Whether :meth:`decision_function` gives a column for each pair or each class.
    break_ties : bool, default=False
        Whether classes with equally many votes are told apart by their decision values.
    random_state : int, RandomState instance or None, default=None
        Of the folds for `probability`; nothing else is random.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used. The result does not depend on it.
    keep_steps : bool, default=False
        Whether to keep the first thousand updates of each pair of classes in ``steps_``. For small
        data: at most 6,144 samples of a pair, and memory for the multipliers of each update.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    support_ : ndarray of shape (n_support,)
        Rows of the support vectors, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors; empty for precomputed kernels.
    n_support_ : ndarray of shape (n_classes,)
        How many each class has.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_support)
        :math:`\alpha_i y_i` of every support vector against every other class.
    alpha_ : ndarray of shape (n_samples,) or (n_pairs, n_samples)
        :math:`\alpha_d` of every training row, zero where it is no support vector; for more than
        two classes a row for each pair, zero for samples of other classes.
    slack_ : ndarray of shape (n_samples,) or (n_pairs, n_samples)
        :math:`\xi_d = \max(0, 1 - y_d f(x_d))` of every training row: how far it is on the wrong
        side of its edge of the margin, with the kernel in single precision. Shaped as `alpha_`.
    intercept_ : ndarray of shape (n_pairs,)
        Intercepts.
    coef_ : ndarray or sparse matrix of shape (n_pairs, n_features)
        Weights, for the linear kernel.
    margin_width_ : ndarray of shape (n_pairs,)
        :math:`2 / \|w\|`, the distance between the edges of the margin, in the space of the kernel.
    dual_objective_ : ndarray of shape (n_pairs,)
        The maximum above: its value at the multipliers that were found, in double precision. It is
        computed when it is first asked for.
    fit_status_ : int
        0, or 1 if `max_iter` was reached.
    n_iter_ : ndarray of shape (n_pairs,)
        Iterations.
    probA_, probB_ : ndarray of shape (n_pairs,)
        If `probability`: A and B in the probability 1 / (1 + exp(A f + B)) of the first class of a
        pair with decision f, above zero for the first class; otherwise empty.
    steps_ : list of SmoStep
        If `keep_steps`: the start, and the state after each update; one pair of classes after
        another. Copies and files do not hold it.
    class_weight_ : ndarray of shape (n_classes,)
        Weights of the classes.
    shape_fit_ : tuple of int
        Shape of X.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    LinearSVC : For many samples, if the kernel is linear.

    Notes
    -----
    Sequential minimal optimisation with second-order working sets, kernel values in single
    precision and everything else in double. Where the kernel matrix does not fit `cache_size`,
    a thousand variables are optimised at a time, and only their rows of the kernel are made.

    Probabilities are Platt's: a sigmoid of the decisions about samples that were held out in one of
    five folds, fitted by maximum likelihood with the weights of the samples, not with those of
    classes. Where the two classes of a pair are equally frequent it is one half, which is decision
    0 only if neither weights nor frequencies move it. With two classes the probability rises with
    the decision. More classes are coupled by the second method of Wu, Lin and Weng.

    References
    ----------
    R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order information for
    training support vector machines", Journal of Machine Learning Research 6, 2005.

    T.-F. Wu, C.-J. Lin, R. C. Weng, "Probability estimates for multi-class classification by
    pairwise coupling", Journal of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> from quire.svm import SVC
    >>> X = [[-1, 0], [1, 0], [0, -1], [0, 1]]
    >>> model = SVC(kernel="poly", degree=2, gamma=1).fit(X, ["wide", "wide", "tall", "tall"])
    >>> model.predict([[-2, 0.5], [0.1, 3]])
    array(['wide', 'tall'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnSVC._parameter_constraints,
        "n_jobs": [None, Integral],
        "keep_steps": ["boolean"],
    }

    keep_steps: bool = False  # as in model files that were written before there was the parameter
    steps_: list[SmoStep]
    _slack: Any  # sparse, of shape (n_pairs, n_samples)

    fit = looks_first(SklearnSVC.fit)

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        keep_steps: bool = False,
    ) -> None:
        super().__init__(
            C=C,
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            shrinking=shrinking,
            probability=probability,
            tol=tol,
            cache_size=cache_size,
            class_weight=class_weight,
            verbose=verbose,
            max_iter=max_iter,
            decision_function_shape=decision_function_shape,
            break_ties=break_ties,
            random_state=random_state,
        )
        self.n_jobs = n_jobs
        self.keep_steps = keep_steps

    @property
    def alpha_(self) -> Floats:
        """The multipliers of all training rows."""
        if "_dual_coef_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no alpha_ before it is fitted")
        coef = self._dual_coef_
        coef = np.abs(coef.toarray() if sparse.issparse(coef) else coef)
        edges = np.concatenate([[0], np.cumsum(self._n_support)])
        pairs = list(combinations(range(len(self.classes_)), 2))
        found = np.zeros((len(pairs), self.shape_fit_[0]))
        for row, (i, j) in zip(found, pairs, strict=True):
            ours, theirs = slice(*edges[i : i + 2]), slice(*edges[j : j + 2])
            row[self.support_[ours]] = coef[j - 1, ours]
            row[self.support_[theirs]] = coef[i, theirs]
        return self._by_pair(found)

    @property
    def slack_(self) -> Floats:
        """By how much training rows miss their edge of the margin."""
        if "_slack" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no slack_ before it is fitted")
        return self._by_pair(self._slack.toarray())

    @cached_property
    def dual_objective_(self) -> Floats:
        """The maximum of the dual, with the kernel of support vectors in double precision."""
        if "_dual_coef_" not in vars(self):
            raise AttributeError(
                f"{type(self).__name__} has no dual_objective_ before it is fitted"
            )
        return self._objectives(self.support_vectors_)

    def _objectives(self, rows: Any) -> Floats:
        """Return the dual objectives of pairs; `rows` are the support vectors, or their kernel."""
        coef = self._dual_coef_
        coef = coef.toarray() if sparse.issparse(coef) else coef
        edges = np.concatenate([[0], np.cumsum(self._n_support)])
        products = self._class_products(rows)
        found = []
        for i, j in combinations(range(len(self.classes_)), 2):
            scores = products[i][:, j - 1] + products[j][:, i]
            total = 0.0
            for of_class, row in ((slice(*edges[i : i + 2]), j - 1), (slice(*edges[j : j + 2]), i)):
                beta = coef[row, of_class]
                total += float(np.abs(beta).sum()) - 0.5 * float(beta @ scores[of_class])
            found.append(total)
        return np.array(found)

    def _by_pair(self, found: Floats) -> Floats:
        return found[0] if len(self.classes_) == 2 else found

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("steps_", None)
        return state

    def _validate_targets(self, y: Any) -> Floats:
        classes, codes = class_codes(y)
        labels = classes[codes]
        weights = compute_class_weight(self.class_weight, classes=classes, y=labels)
        if len(classes) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class. Give samples of "
                "another class, too."
            )
        self.class_weight_, self.classes_ = weights, classes
        return codes.astype(np.float64)

    def _fit_dual(self, X: Any, y: Any, sample_weight: Any, kernel: str, seed: int) -> None:
        codes = y.astype(np.intp)
        weights = self._weights(sample_weight, len(codes))
        kept = np.flatnonzero(weights > 0)
        if len(kept) == 0:
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        if len(np.unique(codes[kept])) < 2:
            raise ValueError(
                "Invalid input - all samples with positive weights belong to the same class."
            )
        order = kept[np.argsort(codes[kept], kind="stable")]  # the classes one after another
        upper = self.C * weights[order] * self.class_weight_[codes[order]]
        source = self._source(
            X[np.ix_(order, order)] if kernel == "precomputed" else X[order], kernel
        )
        if self._effective_probability and 4 * source.n**2 <= self._budget:
            source = GivenKernel(source.matrix())  # once for all folds
        self.__dict__.pop("steps_", None)
        n_states = N_STEPS + 1 if self.keep_steps else 0
        coef, solutions = self._solve_pairs(source, codes[order], upper, n_states)
        ends = np.cumsum(np.bincount(codes[order], minlength=len(self.classes_)))
        self._keep_slack(solutions, np.split(order, ends[:-1]), len(codes))
        support = np.flatnonzero(coef.any(axis=0))
        n_support = np.bincount(codes[order[support]], minlength=len(self.classes_))
        self._keep_support(X, kernel, coef[:, support], order[support], n_support)
        self.intercept_ = np.array([found.intercept for found in solutions])
        self.__dict__.pop("dual_objective_", None)
        if kernel == "precomputed":  # it will not be there later
            self.dual_objective_ = self._objectives(X[self.support_])
        squares = np.array([found.square for found in solutions])
        norms = np.sqrt(squares)
        self.margin_width_ = np.divide(2.0, norms, out=np.full(len(norms), np.inf), where=norms > 0)
        self._keep_iterations(solutions)
        if self._effective_probability:
            self._probA, self._probB = self._calibrate(
                source, codes[order], upper, weights[order], seed
            )

    def _solve_pairs(
        self, source: RowSource, codes: NDArray[np.intp], upper: Floats, n_states: int = 0
    ) -> tuple[Floats, list[DualSolution]]:
        """Solve the problems of all pairs of classes.

        Parameters
        ----------
        source : RowSource
            The kernel of the samples, sorted by class.
        codes : ndarray of shape (n_samples,)
            Their classes.
        upper : ndarray of shape (n_samples,)
            Bounds of their multipliers.
        n_states : int, default=0
            How many states on the way to keep.

        Returns
        -------
        coef : ndarray of shape (n_classes - 1, n_samples)
            As `dual_coef_`, for all samples.
        solutions : list of DualSolution
            Of the pairs.
        """
        n_classes = len(self.classes_)
        sizes = np.bincount(codes, minlength=n_classes)
        first = np.concatenate([[0], np.cumsum(sizes)])
        pairs = list(combinations(range(n_classes), 2))
        problems = []
        for i, j in pairs:
            ranges = [(int(first[k]), int(sizes[k])) for k in (i, j)]
            ours, theirs = upper[first[i] : first[i + 1]], upper[first[j] : first[j + 1]]
            problems.append((ranges, self._pair_box(ours, theirs)))
        try:
            solutions = self._solve_all(source, problems, n_states)
        except NotSeparableError:
            message = "the classes cannot be told apart without error"
            raise not_separable(type(self).__name__, message) from None
        coef = np.zeros((n_classes - 1, len(codes)))
        for (i, j), found in zip(pairs, solutions, strict=True):
            coef[j - 1, first[i] : first[i + 1]] = found.beta[: sizes[i]]
            coef[i, first[j] : first[j + 1]] = found.beta[sizes[i] :]
        return coef, solutions

    def _keep_slack(
        self, solutions: list[DualSolution], rows_of: list[NDArray[np.intp]], n_samples: int
    ) -> None:
        """Store the slack of the samples of every pair, and the states on the way, if any.

        Parameters
        ----------
        solutions : list of DualSolution
            Of the pairs.
        rows_of : list of ndarray
            Rows of the training data, by class.
        n_samples : int
            How many there are.
        """
        values, places, ends, steps = [], [], [0], []
        pairs = combinations(rows_of, 2)
        for problem, (found, (ours, theirs)) in enumerate(zip(solutions, pairs, strict=True)):
            rows = np.concatenate([ours, theirs])
            missed = found.slack - found.intercept  # 1 - y f, but for the sign
            missed[len(ours) :] *= -1.0
            some = np.flatnonzero(missed > 0.0)
            values.append(missed[some])
            places.append(rows[some])
            ends.append(ends[-1] + len(some))
            steps += [self._step(state, rows, n_samples, problem) for state in found.states]
        self._slack = sparse.csr_array(
            (np.concatenate(values), np.concatenate(places), np.array(ends)),
            shape=(len(values), n_samples),
        )
        if self.keep_steps:
            self.steps_ = steps

    def _step(
        self, state: DualState, rows: NDArray[np.intp], n_samples: int, problem: int
    ) -> SmoStep:
        """Return a state of the solver in terms of the training rows."""
        alpha = np.zeros(n_samples)
        alpha[rows] = np.abs(state.beta)
        return SmoStep(
            pair=tuple(rows[state.changed].tolist()),
            alpha=alpha,
            objective=state.objective,
            gap=state.gap,
            # scikit-learn turns the sign for two classes: above zero is the second one.
            intercept=-state.intercept if len(self.classes_) == 2 else state.intercept,
            problem=problem,
        )

    def _calibrate(
        self,
        source: RowSource,
        codes: NDArray[np.intp],
        upper: Floats,
        weights: Floats,
        seed: int,
    ) -> tuple[Floats, Floats]:
        """Return A and B of all pairs, from decisions about samples that were held out."""
        n_classes = len(self.classes_)
        pairs = list(combinations(range(n_classes), 2))
        folds = fold_numbers(codes, seed)
        decisions = np.full((len(codes), len(pairs)), np.nan)  # nan: a class was held out whole
        for fold in range(N_FOLDS):
            test, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
            sizes = np.bincount(codes[train], minlength=n_classes)
            if len(test) == 0 or np.count_nonzero(sizes) < 2:
                continue
            coef, solutions = self._solve_pairs(source.part(train), codes[train], upper[train])
            found = np.array([solution.intercept for solution in solutions])
            is_known = np.array([sizes[i] > 0 and sizes[j] > 0 for i, j in pairs])
            step = max(1, _BLOCK // source.n)
            for start in range(0, len(test), step):
                rows = test[start : start + step]
                products = products_by_class(source.rows(rows)[:, train], coef, sizes)
                held_out = _of_pairs(products) + found
                decisions[rows] = np.where(is_known, held_out, np.nan)
        a, b = np.empty(len(pairs)), np.empty(len(pairs))
        for pair, (i, j) in enumerate(pairs):
            mine = np.isin(codes, (i, j)) & ~np.isnan(decisions[:, pair])
            held_out = decisions[mine, pair]
            a[pair], b[pair] = fit_sigmoid(held_out, codes[mine] == i, weights[mine])
        return a, b

    def _pair_box(self, ours: Floats, theirs: Floats) -> Box:
        q = np.concatenate([np.ones(len(ours)), -np.ones(len(theirs))])
        low = np.concatenate([np.zeros(len(ours)), -theirs])
        high = np.concatenate([ours, np.zeros(len(theirs))])
        return Box(q, low, high, self.tol, self.max_iter)

    def _decisions(self, X: Any) -> Floats:
        """Return the decision of every pair, above zero for its first class."""
        return _of_pairs(self._class_products(X)) + self._intercept_

    def _votes(self, decisions: Floats) -> NDArray[np.intp]:
        """Return the number of the class with most votes; the first one of several."""
        n_classes = len(self.classes_)
        votes = np.zeros((len(decisions), n_classes), dtype=np.int64)
        rows = np.arange(len(decisions))
        for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
            votes[rows, np.where(decisions[:, pair] > 0, i, j)] += 1
        return np.asarray(votes.argmax(axis=1), dtype=np.intp)

    def _probabilities(self, X: Any) -> Floats:
        decisions = self._decisions(X)
        pairs = pair_probabilities(decisions, self._probA, self._probB)
        return coupled(pairs, len(self.classes_))

    def _dense_predict(self, X: Any) -> Floats:
        return self._votes(self._decisions(self._compute_kernel(X))).astype(np.float64)

    def _sparse_predict(self, X: Any) -> Floats:
        return self._votes(self._decisions(X)).astype(np.float64)

    def _dense_predict_proba(self, X: Any) -> Floats:
        return self._probabilities(self._compute_kernel(X))

    def _sparse_predict_proba(self, X: Any) -> Floats:
        return self._probabilities(X)


def _of_pairs(products: list[Floats]) -> Floats:
    """Return the sums of every pair of classes, from `products_by_class`."""
    pairs = combinations(range(len(products)), 2)
    return np.column_stack([products[i][:, j - 1] + products[j][:, i] for i, j in pairs])
