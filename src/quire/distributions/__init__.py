"""Distributions that models of text are made of."""

from quire.distributions._dirichlet import Dirichlet

__all__ = ["Dirichlet"]
