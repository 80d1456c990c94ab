"""Distances that lose their contrast: in many dimensions all points are about equally far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.plot import dressed, grid, line_style, new_axes, themed, whole_numbers
from quire._shared.typing import Floats, Ints
from quire.neighbors import NearestNeighbors
from quire.pictures._samples import plane

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DistanceContrast", "distance_contrast"]

_DIMENSIONS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False)
class DistanceContrast(ShownInNotebooks):
    """How far the nearest and the farthest of many points are, over the number of dimensions.

    Attributes
    ----------
    dimensions : ndarray of shape (n_dimensions,)
        The numbers of dimensions.
    nearest, farthest : ndarray of shape (n_dimensions, n_queries)
        Distances from each query to its nearest and its farthest point.
    n_points : int
        Points that each query is compared with.
    metric : str
        The distance.
    """

    dimensions: Ints
    nearest: Floats = field(repr=False)
    farthest: Floats = field(repr=False)
    n_points: int
    metric: str

    @property
    def contrast(self) -> Floats:
        """The relative contrast, (farthest - nearest) / nearest, of each query."""
        return (self.farthest - self.nearest) / self.nearest

    def to_frame(self) -> pl.DataFrame:
        """Return the medians over the queries.

        Returns
        -------
        polars.DataFrame
            A row for each number of dimensions, with the columns ``dimension``, ``nearest``,
            ``farthest`` and ``contrast``.
        """
        import polars as pl

        return pl.DataFrame(
            {
                "dimension": self.dimensions,
                "nearest": np.median(self.nearest, axis=1),
                "farthest": np.median(self.farthest, axis=1),
                "contrast": np.median(self.contrast, axis=1),
            }
        )

    def plot(self, ax: Any = None, *, theme: str = "light") -> Any:
        """Draw the contrast over the number of dimensions, both on logarithmic axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if not given.
        theme : {"light", "dark"}, default="light"
            Colours for a light or a dark background.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; the line is the median of the queries, and the band holds the middle 80 %.
        """
        with themed(theme):
            ax = new_axes(ax)
            style = line_style(0)
            low, middle, high = np.quantile(self.contrast, [0.1, 0.5, 0.9], axis=1)
            ax.plot(self.dimensions, middle, label="median query", **style)
            ax.fill_between(
                self.dimensions,
                low,
                high,
                color=style["color"],
                alpha=0.2,
                linewidth=0,
                label="80 % of queries",
            )
            ax.set(xscale="log", yscale="log", xlabel="dimensions")
            ax.set_ylabel("(farthest - nearest) / nearest")
            ax.set_title(f"{self.metric} distances to {self.n_points:,} points")
            whole_numbers(ax.xaxis)
            whole_numbers(ax.yaxis)
            grid(ax)
            ax.legend(loc="best")
            return dressed(ax)


def distance_contrast(
    X: Any = None,
    *,
    dimensions: Any = None,
    n_points: int = 1000,
    n_queries: int = 100,
    distribution: str = "uniform",
    metric: str = "euclidean",
    random_state: int = 0,
) -> DistanceContrast:
    r"""Measure how much farther the farthest point is than the nearest, over the dimension.

    The relative contrast of a query, with the distances :math:`d_i` to all points, is

    .. math:: \frac{\max_i d_i - \min_i d_i}{\min_i d_i} .

    For independent columns it tends to 0 as their number grows: "nearest" comes to mean little,
    and whatever rests on similarity with it. Data of which few directions matter keep their
    contrast, which is one reason to reduce the dimension.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_columns), default=None
        Your data: queries and points are rows of them, and a dimension is so many columns, drawn at
        random. Random numbers if not given.
    dimensions : sequence of int, default=None
        Numbers of dimensions; 1, 2, 3, 5, 10 and so on up to 1,000, or to the columns of `X`, if
        not given.
    n_points : int, default=1000
        Points that a query is compared with, at most all other rows of `X`.
    n_queries : int, default=100
        Queries.
    distribution : {"uniform", "normal"}, default="uniform"
        What random numbers are drawn from: 0 to 1, or the standard normal distribution.
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        The distance.
    random_state : int, default=0
        Seed of all that is drawn.

    Returns
    -------
    DistanceContrast
        The distances, with a table and a plot.

    Raises
    ------
    ValueError
        If a number or a name does not fit.

    References
    ----------
    K. Beyer, J. Goldstein, R. Ramakrishnan and U. Shaft, "When is nearest neighbor meaningful?",
    ICDT, 1999.

    Examples
    --------
    >>> from quire.pictures import distance_contrast
    >>> found = distance_contrast(dimensions=[1, 10, 100], n_points=200, n_queries=50)
    >>> found.to_frame()["contrast"].round(1).to_list()
    [415.9, 2.0, 0.4]
    """
    data = None if X is None else plane(X, n_columns=None)
    most = _DIMENSIONS[-1] if data is None else data.shape[1]
    wanted = [d for d in _DIMENSIONS if d <= most] if dimensions is None else list(dimensions)
    if not wanted or any(int(d) != d or not 1 <= d for d in wanted):
        raise ValueError(f"dimensions is {dimensions}; expected whole numbers from 1.")
    if data is not None and max(wanted) > most:
        raise ValueError(f"dimensions goes to {max(wanted)}; X has {most} columns.")
    if n_points < 2 or n_queries < 1:
        raise ValueError(f"n_points={n_points}, n_queries={n_queries}: expected 2 and 1 or more.")
    if distribution not in ("uniform", "normal"):
        raise ValueError(f"distribution is {distribution!r}; expected 'uniform' or 'normal'.")
    if metric not in ("euclidean", "manhattan", "cosine"):
        raise ValueError(f"metric is {metric!r}; expected 'euclidean', 'manhattan' or 'cosine'.")
    rng = np.random.default_rng(random_state)
    if data is not None:
        n_queries = min(n_queries, max(len(data) // 2, 1))
        n_points = min(n_points, len(data) - n_queries)
        if n_points < 2:
            raise ValueError(f"X has {len(data)} rows; expected three or more.")
    ends = []
    for dimension in sorted(int(d) for d in wanted):
        sample = _sample(rng, data, n_points + n_queries, dimension, distribution)
        search = NearestNeighbors(n_neighbors=n_points, metric=metric).fit(sample[n_queries:])
        distances, _ = search.kneighbors(sample[:n_queries])
        ends.append((distances[:, 0], distances[:, -1]))
    nearest, farthest = np.array(ends).transpose(1, 0, 2)
    nearest = np.maximum(nearest, np.finfo(float).tiny)
    return DistanceContrast(np.sort(np.array(wanted, int)), nearest, farthest, n_points, metric)


def _sample(
    rng: np.random.Generator, data: Floats | None, n: int, dimension: int, distribution: str
) -> Floats:
    if data is not None:
        columns = rng.choice(data.shape[1], dimension, replace=False)
        return data[rng.permutation(len(data))[:n]][:, columns]
    if distribution == "uniform":
        return rng.uniform(size=(n, dimension))
    return rng.normal(size=(n, dimension))
