"""Which of many steps to show: those in which most happens."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["shown_steps"]


def shown_steps(values: Sequence[float], n_panels: int) -> list[int]:
    """Return the numbers of at most `n_panels` steps, the first and the last among them.

    Parameters
    ----------
    values : sequence of float
        What the algorithm changes, at the start and after each step. Steps at the end that change
        nothing are not shown.
    n_panels : int
        How many to show.

    Returns
    -------
    list of int
        Rising numbers: the first ones, some between, the last.
    """
    if n_panels < 2:
        raise ValueError(f"n_panels is {n_panels}; expected 2 or more, the start and the end.")
    last = len(values) - 1
    while last > 1 and values[last] == values[last - 1]:
        last -= 1
    if last + 1 <= n_panels:
        return list(range(last + 1))
    # Steps come closer to each other where the algorithm is fast: at the start.
    ratio = last ** (1 / (n_panels - 2)) if n_panels > 2 else 0
    wanted = [0] + [round(ratio**k) for k in range(n_panels - 1)] if n_panels > 2 else [0, last]
    for place in range(1, len(wanted)):
        wanted[place] = max(wanted[place], wanted[place - 1] + 1)
    wanted[-1] = last
    return wanted
