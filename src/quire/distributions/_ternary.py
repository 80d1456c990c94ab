"""A density of three proportions, drawn over the triangle of all proportions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from quire._shared.plot import ink, new_axes
from quire._shared.typing import Floats

__all__ = ["plot_ternary"]

# Where all of one category is: left, right, top.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def plot_ternary(
    logpdf: Callable[[Any], Any],
    *,
    ax: Any = None,
    labels: Sequence[str] | None = None,
    n_steps: int = 120,
) -> Any:
    """Draw a density of three proportions.

    Parameters
    ----------
    logpdf : callable
        The log density of an array of shape (n, 3).
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
    """
    names = ["1", "2", "3"] if labels is None else [str(label) for label in labels]
    if len(names) != 3:
        raise ValueError(f"labels has {len(names)} names; expected three, one for each category.")
    if n_steps < 3:
        raise ValueError(f"n_steps is {n_steps}; expected 3 or more.")
    axes = new_axes(ax)
    # Points in the middle of cells: no proportion is 0, where densities may be infinite.
    i, j = np.meshgrid(np.arange(n_steps), np.arange(n_steps))
    inside = i + j < n_steps
    first, second = (i[inside] + 1 / 3) / n_steps, (j[inside] + 1 / 3) / n_steps
    points = np.column_stack([first, second, 1 - first - second])
    density = np.exp(logpdf(points))
    _fill(axes, points, density)
    outline = np.vstack([_CORNERS, _CORNERS[:1]])
    axes.plot(outline[:, 0], outline[:, 1], color=ink(), linewidth=1)
    for name, (x, y), (dx, dy), align in zip(
        names, _CORNERS, [(-8, -4), (8, -4), (0, 6)], ["right", "left", "center"], strict=True
    ):
        axes.annotate(name, (x, y), (dx, dy), textcoords="offset points", ha=align)
    axes.set_aspect("equal")
    axes.axis("off")
    return axes


def _fill(axes: Any, points: Floats, density: Floats) -> None:
    """Colour the triangle, and say beside it what the colours mean.

    A density that grows without bound towards a side would leave one colour for all the rest: there
    steps of colour are equal factors, and what is beyond them has the colours of the ends.
    """
    from matplotlib.ticker import MaxNLocator

    low, high = float(density.min()), float(density.max())
    if high - low <= 1e-9 * high:  # the same everywhere: one colour says it
        axes.fill(*_CORNERS.T, color="#5d5d66", linewidth=0)
        at = (0.5, 0.12)
        axes.annotate(f"{high:.3g}\neverywhere", at, ha="center", va="center", color="white")
        return
    at_border = points[np.argmax(density)].min() < 2 * points.min()
    grows = bool(at_border and high > 20 * float(np.median(density)))
    if grows:
        ends = np.quantile(density, [0.02, 0.995])
        levels = np.geomspace(max(ends[0], 1e-3 * ends[1]), ends[1], 21)
    else:
        levels = np.linspace(low, high, 21)
    drawn = axes.tricontourf(
        *(points @ _CORNERS).T,
        np.clip(density, levels[0], levels[-1]),
        levels=levels,
        cmap="cividis",
        norm="log" if grows else "linear",
    )
    drawn.set_rasterized(True)  # thousands of corners in a file of lines
    bar = axes.figure.colorbar(drawn, ax=axes, label="density", shrink=0.8)
    if grows:
        bar.set_ticks(levels[::5], labels=[f"{level:.2g}" for level in levels[::5]])
        bar.ax.minorticks_off()
    else:
        bar.locator = MaxNLocator(5)
        bar.update_ticks()
