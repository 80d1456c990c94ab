"""Made-up political regimes: indicators, a latent score behind a rating, and the rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from quire.datasets._dataset import Dataset
from quire.datasets._random import generator_of
from quire.datasets._tokens import IntArray

__all__ = ["RegimeRatings", "make_regimes"]

FloatArray = npt.NDArray[np.float64]

# An indicator: what it has of the common factor, and its weight in the score.
_INDICATORS: dict[str, tuple[float, float]] = {
    "elections": (0.8, 1.5),
    "parties": (0.7, 0.8),
    "press": (0.8, 1.0),
    "courts": (0.6, 0.6),
    "assembly": (0.5, 0.4),
    "income": (0.4, 0.0),
    "armed_forces": (-0.3, -0.8),
    "area": (0.0, 0.0),
}
_THRESHOLDS = (-3.0, -1.0, 1.0, 3.5)


@dataclass(frozen=True, eq=False, repr=False)
class RegimeRatings(Dataset):
    """Regimes, their ratings and what these were made from, returned by :func:`make_regimes`.

    Attributes
    ----------
    X : ndarray of shape (n_samples, 8)
        Indicators, each of mean 0 and variance 1.
    indicators : list of str
        Their names.
    rating : ndarray of int of shape (n_samples,)
        From 1 (closed) to 5 (open).
    score : ndarray of shape (n_samples,)
        The latent score, which nobody sees.
    weights : ndarray of shape (8,)
        What each indicator counts in the score.
    thresholds : ndarray of shape (4,)
        Where the score is cut into ratings.
    """

    X: FloatArray
    indicators: list[str]
    rating: IntArray
    score: FloatArray
    weights: FloatArray
    thresholds: FloatArray


def make_regimes(
    n_samples: int = 300, *, link: str = "logit", random_state: Any = 0
) -> RegimeRatings:
    r"""Draw regimes whose rating is an ordered outcome of a latent score.

    A regime has a score :math:`s = w'x`, the sum of its indicators by their weights. Experts see it
    with an error, and write down between which thresholds they saw it:

    .. math:: y = 1 + \#\{j : s + \varepsilon > \theta_j\}, \qquad
              P(y \le j \mid x) = F(\theta_j - w'x)

    with F the logistic or the normal distribution, that of the error. This is the model of
    :class:`quire.linear_model.OrdinalRegression`, with known weights and thresholds. The indicators
    go together, by one common factor; two of the eight count nothing.

    Parameters
    ----------
    n_samples : int, default=300
        Number of regimes.
    link : {"logit", "probit"}, default="logit"
        The distribution of the error.
    random_state : int, RandomState instance or None, default=0
        The same number and arguments give the same regimes.

    Returns
    -------
    RegimeRatings
        Indicators, ratings, and the truth behind them.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.datasets import make_regimes
    >>> from quire.linear_model import OrdinalRegression
    >>> data = make_regimes()
    >>> data.X.shape, np.bincount(data.rating)[1:]
    ((300, 8), array([85, 42, 50, 55, 68]))
    >>> model = OrdinalRegression(C=10).fit(data.X, data.rating)
    >>> float(np.corrcoef(model.latent(data.X), data.score)[0, 1].round(3))
    0.997
    """
    if link not in ("logit", "probit"):
        raise ValueError(f"link is {link!r}; it must be 'logit' or 'probit'.")
    rng = generator_of(random_state)
    shared, weights = np.array(list(_INDICATORS.values())).T
    factor = rng.normal(size=(n_samples, 1))
    own = rng.normal(size=(n_samples, len(shared)))
    X = factor * shared + own * np.sqrt(1 - shared**2)
    score = X @ weights
    error = rng.logistic(size=n_samples) if link == "logit" else rng.normal(size=n_samples)
    thresholds = np.array(_THRESHOLDS)
    rating = 1 + np.searchsorted(thresholds, score + error)
    return RegimeRatings(X, list(_INDICATORS), rating.astype(np.int64), score, weights, thresholds)
