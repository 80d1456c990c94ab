"""What the columns of a fitted transformer are called."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["column_names"]


def column_names(steps: Any) -> list[str] | None:
    """Return the names of the columns that fitted steps make; ``None`` where they have none.

    Parameters
    ----------
    steps : transformer or None
        A vectorizer, another transformer or a pipeline of them.
    """
    if steps is None or not hasattr(steps, "get_feature_names_out"):
        return None
    try:
        return [str(name) for name in np.asarray(steps.get_feature_names_out(), dtype=object)]
    except (AttributeError, ValueError):  # hashed words have no names, nor do some functions
        return None
