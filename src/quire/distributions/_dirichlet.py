r"""The Dirichlet distribution: random proportions, and the prior of everything that is counted.

.. math::

    f(x; \alpha) = \frac{1}{B(\alpha)} \prod_{d=1}^{D} x_d^{\alpha_d - 1},
    \qquad B(\alpha) = \frac{\prod_d \Gamma(\alpha_d)}{\Gamma\left(\sum_d \alpha_d\right)}
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats
from scipy.special import gammaln, logsumexp, psi, xlogy
from sklearn.utils import check_random_state

from quire._shared.notebooks import ShownInNotebooks, listed_cells
from quire._shared.typing import Floats
from quire.distributions._checks import check_alpha, check_counts, check_proportions
from quire.distributions._dirichlet_fit import fit_counts, fit_proportions
from quire.distributions._ternary import plot_ternary

__all__ = ["Dirichlet"]


class Dirichlet(ShownInNotebooks):
    r"""Proportions that sum to one, with parameters :math:`\alpha`.

    The mean of category d is :math:`\alpha_d / \alpha_0` with :math:`\alpha_0 = \sum_d \alpha_d`,
    the concentration. A larger concentration means a smaller variance. With :math:`\alpha_d < 1`
    most draws have most of their weight on few categories, with :math:`\alpha_d > 1` they have some
    on all of them.

    Methods that :data:`scipy.stats.dirichlet` has, have its names and its values. There are more:
    maximum likelihood from proportions (:meth:`fit`) and from counts (:meth:`fit_counts`), the
    probability of counts, and the posterior given counts.

    Parameters
    ----------
    alpha : array-like of shape (n_categories,)
        The parameters, positive.

    Attributes
    ----------
    alpha : ndarray of shape (n_categories,)
        The parameters. They cannot be changed.

    Examples
    --------
    >>> from quire.distributions import Dirichlet
    >>> prior = Dirichlet([2, 3, 5])
    >>> prior.mean()
    array([0.2, 0.3, 0.5])
    >>> prior.pdf([0.2, 0.3, 0.5]).round(3)
    np.float64(8.505)
    >>> prior.posterior([0, 0, 10]).mean()
    array([0.1 , 0.15, 0.75])
    """

    def __init__(self, alpha: Any) -> None:
        self.alpha: Floats = check_alpha(alpha)

    def __repr__(self) -> str:
        shown = np.array2string(self.alpha, precision=4, separator=", ", threshold=6)
        return f"Dirichlet({shown})"

    def _notebook_caption(self) -> str:
        return f"Dirichlet distribution with concentration {self.concentration:.4g}"

    def _notebook_cells(self) -> list[list[str]]:
        mean = self.mean()
        spread = np.sqrt(mean * (1.0 - mean) / (self.concentration + 1.0))
        rows = zip(
            range(len(mean)), self.alpha.tolist(), mean.tolist(), spread.tolist(), strict=True
        )
        return listed_cells(["category", "alpha", "mean", "standard deviation"], rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dirichlet) and np.array_equal(self.alpha, other.alpha)

    def __hash__(self) -> int:
        return hash(self.alpha.tobytes())

    @property
    def n_categories(self) -> int:
        """The number of categories."""
        return len(self.alpha)

    @property
    def concentration(self) -> float:
        """The sum of the parameters: how close proportions are to their mean."""
        return float(self.alpha.sum())

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density.

        Parameters
        ----------
        x : array-like of shape (..., n_categories)
            Proportions along the last axis. The last one may be left out.

        Returns
        -------
        float or ndarray
            One number for each set of proportions. Where a proportion is 0 it is infinite if the
            parameter is below 1, minus infinity if it is above 1, and like elsewhere if it is 1;
            NaN if there are zeros of both kinds, since it then depends on how they are reached.

        Raises
        ------
        ValueError
            If proportions are negative or do not sum to 1.

        Examples
        --------
        >>> Dirichlet([0.5, 1.0, 2.0]).logpdf([[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]])
        array([       inf, 0.28203507,       -inf])
        """
        points = check_proportions(x, self.n_categories)
        with np.errstate(invalid="ignore"):
            return xlogy(self.alpha - 1, points).sum(axis=-1) - self._log_normaliser()

    def pdf(self, x: Any) -> Any:
        """Return the density; `x` is as for :meth:`logpdf`."""
        return np.exp(self.logpdf(x))

    def mean(self) -> Floats:
        """Return the expected proportions."""
        return np.asarray(self.alpha / self.concentration)

    def mean_log(self) -> Floats:
        """Return the expected logarithms of the proportions: psi(alpha_d) - psi(alpha_0)."""
        return np.asarray(psi(self.alpha) - psi(self.concentration))

    def var(self) -> Floats:
        """Return the variances of the proportions."""
        mean = self.mean()
        return mean * (1 - mean) / (self.concentration + 1)

    def cov(self) -> Floats:
        """Return the covariances of the proportions, of shape (n_categories, n_categories)."""
        mean = self.mean()
        scaled = mean / (self.concentration + 1)
        return np.diag(scaled) - np.outer(scaled, mean)

    def mode(self) -> Floats:
        """Return the proportions with the largest density.

        Returns
        -------
        ndarray of shape (n_categories,)
            (alpha - 1) / (alpha_0 - K): a proportion whose parameter is 1 is 0 there.

        Raises
        ------
        ValueError
            If there is none: with a parameter below 1 the density grows without bound where that
            proportion goes to 0, and with all of them 1 it is the same everywhere.

        Examples
        --------
        >>> Dirichlet([2, 3, 5]).mode().round(4)
        array([0.1429, 0.2857, 0.5714])
        """
        if self.n_categories == 1:
            return np.ones(1)
        below = np.flatnonzero(self.alpha < 1)
        if len(below):
            raise ValueError(
                f"alpha[{below[0]}] is {self.alpha[below[0]]:g}: with a parameter below 1 the "
                "density is unbounded where that proportion goes to 0, and there is no mode. Use "
                "mean()."
            )
        if (self.alpha == 1).all():
            raise ValueError(
                "All parameters are 1: the density is the same everywhere, and there is no mode. "
                "Use mean()."
            )
        excess = self.alpha - 1
        return np.asarray(excess / excess.sum())

    def entropy(self) -> float:
        """Return the differential entropy, in nats."""
        total = self.concentration
        rest = (self.n_categories - 1) * psi(total)
        return float(_entropy_term(self.alpha).sum() - _entropy_term(np.array([total]))[0] - rest)

    def rvs(self, size: Any = 1, random_state: Any = None) -> Floats:
        """Draw proportions.

        Parameters
        ----------
        size : int or tuple of int, default=1
            How many.
        random_state : int, RandomState, Generator or None, default=None
            Source of randomness. If all parameters are at least 0.1, the draws are those of SciPy
            with the same source. Otherwise they are made of logarithms, since gamma variates with
            small parameters are too small for floating point.

        Returns
        -------
        ndarray of shape (*size, n_categories)
            Rows that sum to 1.

        Examples
        --------
        >>> Dirichlet([1e-3, 1e-3, 1e-3]).rvs(2, random_state=0).round(3)
        array([[0., 0., 1.],
               [0., 1., 0.]])
        """
        rng = random_state
        if not isinstance(rng, np.random.Generator):
            rng = check_random_state(rng)
        if self.alpha.min() >= 0.1:
            return np.asarray(rng.dirichlet(self.alpha, size))
        shape = (*((size,) if np.ndim(size) == 0 else tuple(size)), self.n_categories)
        # G(a) = G(a + 1) U^(1/a): logarithms of gamma variates, however small.
        logs = np.log(rng.standard_gamma(self.alpha + 1, shape))
        logs -= rng.standard_exponential(shape) / self.alpha
        return np.asarray(np.exp(logs - logsumexp(logs, axis=-1, keepdims=True)))

    def sample(self, n: int = 1, random_state: Any = None) -> Floats:
        """Draw `n` rows of proportions: another name of :meth:`rvs`."""
        return self.rvs(n, random_state)

    def marginal(self, category: int) -> Any:
        """Return the distribution of one proportion: ``scipy.stats.beta``, frozen."""
        own = self.alpha[category]
        if self.n_categories == 1:
            raise ValueError("The proportion of the only category is always 1.")
        return stats.beta(own, np.delete(self.alpha, category).sum())

    def posterior(self, counts: Any) -> Dirichlet:
        """Return the distribution of the proportions once counts are known.

        Parameters
        ----------
        counts : {array-like, sparse matrix} of shape (n_categories,) or (n_rows, n_categories)
            Draws from the proportions; rows are added up.

        Returns
        -------
        Dirichlet
            With the parameters alpha + counts.
        """
        rows = check_counts(counts, self.n_categories)
        return Dirichlet(self.alpha + np.asarray(rows.sum(axis=0)).ravel())

    def counts_logpmf(self, counts: Any, *, coefficient: bool = True) -> Any:
        r"""Return the log probability of counts whose proportions are drawn from this distribution.

        .. math::

            P(n) = \frac{N!}{\prod_d n_d!} \frac{B(\alpha + n)}{B(\alpha)}

        Parameters
        ----------
        counts : {array-like, sparse matrix} of shape (n_categories,) or (n_rows, n_categories)
            Counts; every row has proportions of its own.
        coefficient : bool, default=True
            Include the number of orders in which they may come. Otherwise the result is the
            probability of one such order.

        Returns
        -------
        float or ndarray of shape (n_rows,)
            Log probabilities, as in ``scipy.stats.dirichlet_multinomial``.

        Examples
        --------
        >>> float(np.exp(Dirichlet([1, 1]).counts_logpmf([2, 1])).round(3))
        0.25
        """
        rows = check_counts(counts, self.n_categories)
        own = self.alpha[rows.indices]
        terms = gammaln(own + rows.data) - gammaln(own)
        if coefficient:
            terms -= gammaln(rows.data + 1)
        found = type(rows)((terms, rows.indices, rows.indptr), shape=rows.shape).sum(axis=1)
        totals = np.asarray(rows.sum(axis=1)).ravel()
        found = np.asarray(found).ravel() + gammaln(self.concentration)
        found -= gammaln(self.concentration + totals)
        if coefficient:
            found += gammaln(totals + 1)
        return float(found[0]) if np.ndim(counts) == 1 else found

    @classmethod
    def fit(
        cls,
        proportions: Any,
        sample_weight: Any = None,
        *,
        symmetric: bool = False,
        tol: float = 1e-9,
        max_iter: int = 1000,
    ) -> Dirichlet:
        """Return the distribution under which proportions are most probable.

        Parameters
        ----------
        proportions : array-like of shape (n_rows, n_categories)
            Observed proportions, all of them positive.
        sample_weight : array-like of shape (n_rows,), default=None
            How often each row counts.
        symmetric : bool, default=False
            Whether all parameters are to be equal.
        tol : float, default=1e-9
            Largest relative change of a parameter in the last step.
        max_iter : int, default=1000
            Steps at most.

        Returns
        -------
        Dirichlet
            The maximum-likelihood distribution.

        Raises
        ------
        ValueError
            If a proportion is 0, if there is one category only, or if all rows are equal.

        Examples
        --------
        >>> rows = Dirichlet([2, 3, 5]).rvs(10_000, random_state=0)
        >>> Dirichlet.fit(rows).alpha.round(1)
        array([2. , 3. , 5.1])
        """
        return cls(fit_proportions(proportions, sample_weight, symmetric, tol, max_iter))

    @classmethod
    def fit_counts(
        cls,
        counts: Any,
        sample_weight: Any = None,
        *,
        symmetric: bool = False,
        tol: float = 1e-9,
        max_iter: int = 1000,
    ) -> Dirichlet:
        """Return the distribution under which counts are most probable (Dirichlet-multinomial).

        Every row is drawn with proportions of its own from the distribution. The cost of a step
        depends on how many different counts each category has, not on their size.

        Parameters
        ----------
        counts : {array-like, sparse matrix} of shape (n_rows, n_categories)
            Whole numbers.
        sample_weight : array-like of shape (n_rows,), default=None
            How often each row counts.
        symmetric : bool, default=False
            Whether all parameters are to be equal.
        tol : float, default=1e-9
            Largest relative change of a parameter in the last step.
        max_iter : int, default=1000
            Steps at most.

        Returns
        -------
        Dirichlet
            The maximum-likelihood distribution.

        Raises
        ------
        ValueError
            If a category has no counts at all, since its parameter would be 0, or if no row has
            two counts, since the concentration does not matter then.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> counts = rng.multinomial(50, Dirichlet([0.5, 1.0, 3.0]).rvs(5000, random_state=0))
        >>> Dirichlet.fit_counts(counts).alpha.round(1)
        array([0.5, 1. , 3. ])
        """
        return cls(fit_counts(counts, sample_weight, symmetric, tol, max_iter))

    def plot(self, ax: Any = None, *, labels: Any = None, n_steps: int = 120) -> Any:
        """Draw the density of three proportions over a triangle.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if there are none.
        labels : sequence of str, default=None
            Names of the three categories.
        n_steps : int, default=120
            Points along a side.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ValueError
            If there are not three categories.
        ImportError
            If matplotlib is not installed.
        """
        if self.n_categories != 3:
            raise ValueError(
                f"There are {self.n_categories} categories; the plot is for three. Add parameters "
                "up to three groups: their proportions are Dirichlet too."
            )
        return plot_ternary(self.logpdf, ax=ax, labels=labels, n_steps=n_steps)

    def _log_normaliser(self) -> float:
        return float(gammaln(self.alpha).sum() - gammaln(self.concentration))


def _entropy_term(a: Floats) -> Floats:
    """Return log Gamma(a) - (a - 1) psi(a) + a, by its series where these would cancel."""
    large = np.maximum(a, 1e3)
    series = 0.5 * np.log(2 * np.pi * large) + 0.5 - 1 / (3 * large) - 1 / (12 * large**2)
    small = np.minimum(a, 1e3)
    direct = gammaln(small) - (small - 1) * psi(small) + small
    return np.asarray(np.where(a > 1e3, series - 1 / (90 * large**3), direct))
