"""What comes out of :func:`tree_instability`: how much trees and forests change with the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.plot import line_style, new_axes
from quire._shared.typing import Floats
from quire.model_selection._tables import aligned

__all__ = ["TreeInstability"]


@dataclass(frozen=True, eq=False, repr=False)
class TreeInstability:
    """How much predictions change between resamples, from :func:`tree_instability`.

    ``print(found)`` shows a table and :meth:`plot` draws it. Rows of the arrays are models: first
    the single tree, then the forest with each number of trees.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of trees of the forests, rising.
    changed : ndarray of shape (1 + n_sizes, n_resamples)
        For each resample, the share of test rows whose predicted class is another one than after
        another resample, on average over these. For numbers, the root mean square of the difference
        of predictions from their mean over the resamples.
    errors : ndarray of shape (1 + n_sizes, n_resamples)
        The share of wrong predictions on the test rows, or the root mean squared error.
    roots : dict from str or int to int
        How often the single tree asked about a column first, the most frequent first. ``None`` is a
        tree that asks nothing.
    task : {"classes", "numbers"}
        What is predicted.
    n_test : int
        How many test rows there are.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import TreeInstability
    >>> found = TreeInstability(
    ...     sizes=np.array([1, 100]),
    ...     changed=np.array([[0.3, 0.2], [0.4, 0.4], [0.1, 0.06]]),
    ...     errors=np.array([[0.2, 0.2], [0.3, 0.2], [0.1, 0.1]]),
    ...     roots={"goal": 1, "rain": 1},
    ...     task="classes",
    ...     n_test=50,
    ... )
    >>> print(found)
    predictions of 50 test rows after 2 resamples
    <BLANKLINE>
    model                 changed  errors
    one tree                0.250   0.200
    forest of 1 tree        0.400   0.250
    forest of 100 trees     0.080   0.100
    <BLANKLINE>
    first question of the tree: goal 1, rain 1
    """

    sizes: NDArray[np.int64]
    changed: Floats
    errors: Floats
    roots: dict[Any, int]
    task: str
    n_test: int

    @property
    def n_resamples(self) -> int:
        """How many resamples there are."""
        return int(self.changed.shape[1])

    @property
    def same_root(self) -> float:
        """The share of resamples after which the tree begins with its most frequent column."""
        return max(self.roots.values()) / self.n_resamples

    def to_frame(self) -> pl.DataFrame:
        """Return the numbers as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each model and resample, with the columns ``model`` ("tree" or "forest"),
            ``n_trees``, ``resample`` (from 0), ``changed`` and ``error``.
        """
        place, resample = (axis.ravel() for axis in np.indices(self.changed.shape))
        kinds = np.array(["tree", *["forest"] * len(self.sizes)], dtype=object)
        return pl.DataFrame(
            {
                "model": kinds[place].tolist(),
                "n_trees": np.append(1, self.sizes)[place],
                "resample": resample,
                "changed": self.changed.ravel(),
                "error": self.errors.ravel(),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw changes and errors against the number of trees; level lines are the single tree.

        Bands reach one standard deviation over the resamples to either side. Needs matplotlib:
        ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        ax = new_axes(ax)
        changes = "changed between resamples" if self.task == "classes" else "spread over resamples"
        for number, (values, what) in enumerate(((self.changed, changes), (self.errors, "error"))):
            style = line_style(number)
            mean, spread = values.mean(axis=1), values.std(axis=1, ddof=1)
            ax.plot(self.sizes, mean[1:], label=f"forest: {what}", markersize=5, **style)
            low, high = mean[1:] - spread[1:], mean[1:] + spread[1:]
            ax.fill_between(self.sizes, low, high, color=style["color"], alpha=0.2, lw=0)
            ax.axhline(
                mean[0], color=style["color"], linestyle=":", lw=1.5, label=f"one tree: {what}"
            )
        ax.set_xscale("log")
        ax.set_xticks(self.sizes, [f"{size:,}" for size in self.sizes])
        ax.minorticks_off()
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel("Trees of the forest")
        ax.set_ylabel("Share of test rows" if self.task == "classes" else "Units of the target")
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
        ax.legend()
        return ax

    def __str__(self) -> str:
        heads = ["changed", "errors"] if self.task == "classes" else ["spread", "error"]
        names = ["one tree"]
        names += [f"forest of {size:,} tree{'s' if size > 1 else ''}" for size in self.sizes]
        pairs = zip(self.changed.mean(axis=1), self.errors.mean(axis=1), strict=True)
        rows = [["model", *heads]]
        rows += [
            [name, *(f"{value:.3f}" for value in pair)]
            for name, pair in zip(names, pairs, strict=True)
        ]
        shown = [f"{_root(name)} {count}" for name, count in list(self.roots.items())[:5]]
        if len(self.roots) > 5:
            rest = sum(list(self.roots.values())[5:])
            shown.append(f"{len(self.roots) - 5} others {rest}")
        return "\n".join(
            [
                f"predictions of {self.n_test:,} test rows after {self.n_resamples} resamples",
                "",
                *aligned(rows, left=1),
                "",
                f"first question of the tree: {', '.join(shown)}",
            ]
        )

    def __repr__(self) -> str:
        return (
            f"TreeInstability(sizes={self.sizes.tolist()}, n_resamples={self.n_resamples}, "
            f"n_test={self.n_test}, task={self.task!r})"
        )


def _root(name: Any) -> str:
    if name is None:
        return "none"
    return f"column {name}" if isinstance(name, int) else str(name)
