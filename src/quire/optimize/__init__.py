"""Optimisers of linear models: losses, penalties and solvers as separate, readable parts."""

__all__: list[str] = []
