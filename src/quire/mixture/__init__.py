"""Mixtures: rows drawn from several normal densities, which one not being known."""

from quire.mixture._gaussian_mixture import GaussianMixture

__all__ = ["GaussianMixture"]
