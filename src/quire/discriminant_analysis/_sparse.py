"""What scikit-learn's three solvers compute, from a sparse X.

Each function returns the fitted attributes by name. Small problems are solved exactly, with the
matrices that scikit-learn would form; large ones iteratively, without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from quire._shared.class_sums import class_sums
from quire._shared.convergence import warn_not_converged
from quire._shared.design import Design
from quire._shared.typing import Floats
from quire.discriminant_analysis._directions import fisher_directions, shrunk_directions
from quire.discriminant_analysis._exact import between_directions, whitening
from quire.discriminant_analysis._scatter import Scatter, total_scatter, within_scatter
from quire.discriminant_analysis._shrunk_system import ShrunkSystem

__all__ = ["Problem", "solve_eigen", "solve_lsqr", "solve_svd"]

Attributes = dict[str, Any]

EXACT_FEATURES = 2_000  # up to here the covariance matrix is formed
EXACT_SIDE = 4_000  # up to here the smaller side is, where there is no shrinkage

_EPS = float(np.finfo(np.float64).eps)
_REMEDY = (
    'Use shrinkage="auto" or a number between 0 and 1, with solver="lsqr" or "eigen": then no '
    "matrix of that size is formed. Or take fewer features."
)


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked input.

    Parameters
    ----------
    X : CSR matrix of shape (n_samples, n_features)
        The samples.
    codes : ndarray of int32 of shape (n_samples,)
        Their classes.
    priors : ndarray of shape (n_classes,)
        The probabilities of the classes.
    shrinkage : float, "auto" or None
        As in the estimator.
    tol : float
        As in the estimator.
    n_components : int
        Directions wanted.
    store_covariance : bool
        As in the estimator.
    n_threads : int
        Threads to use.
    """

    X: Any
    codes: NDArray[np.int32]
    priors: Floats
    shrinkage: float | str | None
    tol: float
    n_components: int
    store_covariance: bool
    n_threads: int

    def __post_init__(self) -> None:
        p = self.X.shape[1]
        if self.store_covariance and p > EXACT_SIDE:
            raise ValueError(
                f"store_covariance=True asks for a covariance matrix of {p:,} by {p:,} features; "
                f"for sparse X it is stored up to {EXACT_SIDE:,}. Leave store_covariance=False."
            )

    @property
    def counts(self) -> NDArray[np.int64]:
        """Samples of each class."""
        return np.bincount(self.codes, minlength=len(self.priors))

    @property
    def forms_matrix(self) -> bool:
        """Whether the covariance matrix is formed."""
        limit = EXACT_FEATURES if self.shrinkage else EXACT_SIDE
        return bool(self.X.shape[1] <= limit)

    def check_side(self) -> None:
        """Raise an error if there is no shrinkage and neither side is small."""
        n, p = self.X.shape
        if min(n, p) > EXACT_SIDE:
            raise ValueError(
                f"Without shrinkage, discriminants of a sparse X need its samples or its features "
                f"to be at most {EXACT_SIDE:,}; X has {n:,} samples and {p:,} features. {_REMEDY}"
            )

    def design_and_means(self) -> tuple[Design, Floats]:
        """Return X for products, and the means of the classes."""
        sums, _ = class_sums(self.X, self.codes, len(self.priors), None, None, self.n_threads)
        return Design(self.X, self.n_threads), sums / self.counts[:, None]


def solve_svd(problem: Problem) -> Attributes:
    """Whiten the scatter within, then find where the means differ: scikit-learn's "svd".

    Parameters
    ----------
    problem : Problem
        Without shrinkage.
    """
    problem.check_side()
    design, means = problem.design_and_means()
    priors, codes, n = problem.priors, problem.codes, design.shape[0]
    found: Attributes = {"means_": means, "xbar_": priors @ means}
    if problem.store_covariance:
        found["covariance_"] = within_scatter(design, codes, means, priors, None).toarray()
    within = within_scatter(design, codes, means, problem.counts / n, None)
    scale = np.where(within.constant, 1.0, np.sqrt(within.diagonal))
    white = whitening(within, codes, scale, problem.tol, 64 * _EPS)
    if not len(white.singular_values):
        raise ValueError(
            "No feature of X varies within the classes, so there is nothing to tell them apart "
            "by. Check X, or lower tol."
        )
    weights = n * priors / max(1, len(priors) - 1)
    scalings, S = between_directions(white, means, found["xbar_"], weights, problem.tol)
    squares = S**2 / np.sum(S**2) if problem.n_components else np.empty(0)
    found["explained_variance_ratio_"] = squares[: problem.n_components]
    found["scalings_"] = scalings
    scores = (means - found["xbar_"]) @ scalings
    found["coef_"] = (scalings @ scores.T).T
    found["intercept_"] = (
        -0.5 * np.sum(scores**2, axis=1) + np.log(priors) - found["coef_"] @ found["xbar_"]
    )
    return found


def solve_lsqr(problem: Problem) -> Attributes:
    """Solve with the covariance for the means: scikit-learn's "lsqr".

    Parameters
    ----------
    problem : Problem
        The problem.
    """
    design, means = problem.design_and_means()
    if not problem.shrinkage:
        problem.check_side()
    within = within_scatter(design, problem.codes, means, problem.priors, problem.shrinkage)
    found: Attributes = {"means_": means}
    if problem.forms_matrix:
        found["covariance_"] = within.toarray()
        Z = _solve_formed(found["covariance_"], means.T, max(design.shape) * _EPS)
    elif problem.shrinkage:
        _, Z = _solve_means(problem, within, means)
    else:
        ones = np.ones(design.shape[1])
        white = whitening(within, problem.codes, ones, 0.0, max(design.shape) * _EPS)
        Z = white.combine(white.project(means).T)
    found["coef_"] = Z.T
    return found | _intercept(means, found["coef_"], problem.priors)


def solve_eigen(problem: Problem) -> Attributes:
    """Find the generalised eigenvectors of the scatters: scikit-learn's "eigen".

    Parameters
    ----------
    problem : Problem
        The problem.
    """
    if not problem.shrinkage:
        problem.check_side()
        if not problem.forms_matrix:
            n, p = problem.X.shape
            raise np.linalg.LinAlgError(
                f"With {p:,} features and {n:,} samples the covariance within the classes has no "
                f"inverse, which solver='eigen' needs. {_REMEDY}"
            )
    design, means = problem.design_and_means()
    priors, shrinkage, wanted = problem.priors, problem.shrinkage, problem.n_components
    within = within_scatter(design, problem.codes, means, priors, shrinkage)
    found: Attributes = {"means_": means}
    if problem.forms_matrix:
        found["covariance_"] = within.toarray()
        between = total_scatter(design, shrinkage).minus(within)
        values, vectors = linalg.eigh(between.toarray(), found["covariance_"])
        values, vectors = values[::-1], vectors[:, ::-1]
        Z = vectors @ (vectors.T @ means.T)
    else:
        system, Z = _solve_means(problem, within, means)
        values, vectors = fisher_directions(Z, means, priors, min(len(priors) - 1, design.shape[1]))
        if shrinkage != "auto":
            between = total_scatter(design, shrinkage).minus(within)
            refined = shrunk_directions(between, within, system, vectors)
            if not refined.converged:
                warn_not_converged(
                    "LinearDiscriminantAnalysis",
                    refined.n_iter,
                    "relative residual of the directions",
                    refined.residual,
                    1e-6,
                    remedy="use another shrinkage",
                )
            values, vectors = refined.values, refined.V
    shares = values / np.sum(values) if wanted else np.empty(0)
    found["explained_variance_ratio_"] = shares[:wanted]
    found["scalings_"] = vectors
    found["coef_"] = Z.T
    return found | _intercept(means, found["coef_"], priors)


def _solve_formed(covariance: Floats, B: Floats, cut: float) -> Floats:
    """Solve by Cholesky's decomposition, or with the pseudo-inverse where that is not safe."""
    try:
        factor = linalg.cho_factor(covariance)
        pivots = np.diag(factor[0])
        if pivots.min() > 1e-6 * pivots.max():
            Z: Floats = linalg.cho_solve(factor, B)
            return Z
    except linalg.LinAlgError:
        pass
    Z, *_ = linalg.lstsq(covariance, B, cond=cut)
    return Z


def _solve_means(problem: Problem, within: Scatter, means: Floats) -> tuple[ShrunkSystem, Floats]:
    """Solve with the shrunk scatter for the means, iteratively."""
    if not within.added.min() > 0:
        raise ValueError(
            "Shrinkage came out as 0, and the covariance within the classes has no inverse. Pass "
            "a number above 0 as shrinkage."
        )
    system = ShrunkSystem(within, problem.codes)
    solution = system.solve(np.ascontiguousarray(means.T))
    if not solution.converged:
        warn_not_converged(
            "LinearDiscriminantAnalysis",
            solution.n_iter,
            "relative residual",
            solution.residual,
            1e-9,
            remedy="use a larger shrinkage",
        )
    return system, solution.Z


def _intercept(means: Floats, coef: Floats, priors: Floats) -> Attributes:
    return {"intercept_": -0.5 * np.einsum("kj,kj->k", means, coef) + np.log(priors)}
