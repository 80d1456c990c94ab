"""Mixtures: rows drawn from several normal densities, which one not being known.

``_steps`` has the E and the M step as the notes write them; a row's distance to a component is one
product with a triangular factor (``mahalanobis``). Squares only add up, so that in a fit
(``responsibilities``) a component is given up as soon as its share of the row is below exp(-80),
starting from the one that was likeliest before; ``predict_proba`` and scores leave nothing out.
"""

from quire.mixture._gaussian_mixture import GaussianMixture
from quire.mixture._mixture_step import MixtureStep

__all__ = ["GaussianMixture", "MixtureStep"]
