"""Solvers that the models of :mod:`quire.linear_model` use in earnest."""
