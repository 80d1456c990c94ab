"""Joining what two fitted models have learned, without a change to either."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

__all__ = ["MergedMixin"]


class MergedMixin:
    """Adds ``merged`` to a class that has ``merge``."""

    def merged(self, other: Any) -> Self:
        """Return a new model with what this one and another have learned.

        What :meth:`merge` does, as a function of its inputs: neither model is changed, and the same
        two models give the same bits as often as it is called. Tasks that may run twice, as on a
        cluster, need this one.

        Parameters
        ----------
        other : object
            A fitted model of the same class. It is not changed.

        Returns
        -------
        object
            A model of this class that equals one fitted on the documents of both.
        """
        joined: Any = deepcopy(self)
        result: Self = joined.merge(other)
        return result
