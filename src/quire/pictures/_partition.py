"""A tree, and how it divides the plane: every leaf is a rectangle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from quire._shared.plot import (
    dressed,
    hatch,
    ink,
    line_style,
    new_panels,
    paper,
    themed,
)
from quire._shared.typing import Floats
from quire.pictures._samples import draw_classes, given_or_example, names_of, plane
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["tree_partition"]


def _example_of_classes() -> tuple[Floats, NDArray[Any]]:
    """Return three classes that rectangles tell apart."""
    rng = np.random.default_rng(4)
    X = rng.uniform(0, 10, size=(160, 2))
    right = np.where(X[:, 1] > 6, "high", "low")
    return X, np.where(X[:, 0] < 4, np.where(X[:, 1] > 3, "low", "mixed"), right)


def _example_of_numbers() -> tuple[Floats, NDArray[Any]]:
    """Return a noisy surface."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 10, size=(160, 2))
    return X, X[:, 0] / 2 + np.where(X[:, 1] > 5, 6.0, 0.0) + rng.normal(size=160)


@dataclass(frozen=True)
class _Leaf:
    number: int
    node: int
    low: tuple[float, float]
    high: tuple[float, float]


def tree_partition(
    X: Any = None,
    y: Any = None,
    *,
    model: Any = None,
    task: str = "auto",
    max_leaves: int = 5,
    axes: Any = None,
    theme: str = "light",
) -> Any:
    """Draw a tree, and beside it the rectangles that its leaves are in the plane.

    The leaves are called R₁, R₂ and so on, in both. A classification tree predicts the most
    frequent class of a rectangle, a regression tree the mean of its targets.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Samples; an example if neither `X` nor `y` is given.
    y : array-like of shape (n_samples,), default=None
        Their classes, or numbers.
    model : DecisionTreeClassifier or DecisionTreeRegressor, default=None
        A tree that was fitted to two columns of numbers; one is fitted if not given.
    task : {"auto", "classes", "numbers"}, default="auto"
        What `y` is; "auto" takes fractions and more than 20 different numbers for numbers, and
        shows classes in the example.
    max_leaves : int, default=5
        The most leaves of a tree that is fitted here.
    axes : sequence of two matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of two matplotlib.axes.Axes
        The tree and the plane. The rectangles are patches whose ``get_gid()`` is ``R1``, ``R2`` and
        so on.

    Raises
    ------
    ValueError
        If there are not two columns of numbers.
    TypeError
        If the model is not a tree.

    See Also
    --------
    quire.tree.tree_picture : A tree of any number of columns, to be read.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import tree_partition
    >>> left, right = tree_partition(task="numbers", max_leaves=3)
    >>> sorted(patch.get_gid() for patch in right.patches)
    ['R1', 'R2', 'R3']
    """
    if task not in ("auto", "classes", "numbers"):
        raise ValueError(f"task is {task!r}; expected 'auto', 'classes' or 'numbers'.")
    example = _example_of_numbers if task == "numbers" else _example_of_classes
    X, y = given_or_example(X, y, example)
    points, targets = plane(X), np.asarray(y)
    if targets.shape != (len(points),):
        raise ValueError(f"y has shape {targets.shape}; expected one value for {len(points)} rows.")
    if model is None:
        kind = DecisionTreeRegressor if _is_numbers(targets, task) else DecisionTreeClassifier
        model = kind(max_leaf_nodes=max(2, int(max_leaves)), random_state=0).fit(points, targets)
    check_is_fitted(model)
    if not hasattr(model, "tree_"):
        raise TypeError(f"{type(model).__name__} is not a tree.")
    if model.n_features_in_ != 2:
        raise ValueError(
            f"The tree was fitted on {model.n_features_in_} columns; a picture of the plane needs "
            "two."
        )
    low, high = _frame(points)
    leaves = _leaves(model.tree_, low, high)
    with themed(theme):
        panels = new_panels(axes, 2, size=(4.6, 3.8))
        _draw_tree(panels[0], model, leaves, names_of(X))
        _draw_plane(panels[1], model, leaves, points, targets, (low, high))
        names = names_of(X)
        panels[1].set(xlabel=names[0], ylabel=names[1])
        for ax in panels:
            dressed(ax)
        return panels


def _is_numbers(targets: NDArray[Any], task: str) -> bool:
    if task != "auto":
        return task == "numbers"
    if targets.dtype.kind == "f" and not np.all(targets == np.round(targets)):
        return True
    return targets.dtype.kind in "fiu" and len(np.unique(targets)) > 20


def _frame(points: Floats) -> tuple[Floats, Floats]:
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.05 * np.where(high > low, high - low, 1.0)
    return low - room, high + room


def _leaves(tree: Any, low: Floats, high: Floats) -> list[_Leaf]:
    """Return the leaves from left to right, with the rectangles that their questions leave."""
    found: list[_Leaf] = []

    def visit(node: int, below: tuple[float, float], above: tuple[float, float]) -> None:
        if tree.children_left[node] < 0:
            found.append(_Leaf(len(found) + 1, node, below, above))
            return
        column, threshold = int(tree.feature[node]), float(tree.threshold[node])
        edge = (threshold, above[1]) if column == 0 else (above[0], threshold)
        visit(int(tree.children_left[node]), below, edge)
        edge = (threshold, below[1]) if column == 0 else (below[0], threshold)
        visit(int(tree.children_right[node]), edge, above)

    visit(0, (float(low[0]), float(low[1])), (float(high[0]), float(high[1])))
    return found


def _answer(model: Any, node: int) -> str:
    value = np.asarray(model.tree_.value[node, 0])
    if is_classifier(model):
        return str(model.classes_[int(np.argmax(value))])
    return f"{float(value[0]):.3g}"


def _draw_tree(ax: Any, model: Any, leaves: list[_Leaf], names: list[str]) -> None:
    tree = model.tree_
    places: dict[int, tuple[float, float]] = {}
    numbers = {leaf.node: leaf.number for leaf in leaves}

    def place(node: int, depth: int) -> float:
        if node in numbers:
            x = float(numbers[node])
        else:
            x = 0.5 * (
                place(int(tree.children_left[node]), depth + 1)
                + place(int(tree.children_right[node]), depth + 1)
            )
        places[node] = (x, -float(depth))
        return x

    place(0, 0)
    box = {"boxstyle": "round,pad=0.35", "facecolor": paper(), "edgecolor": ink()}
    for node, at in places.items():
        if node in numbers:
            text = f"$R_{{{numbers[node]}}}$\n{_answer(model, node)}"
        else:
            text = f"{names[int(tree.feature[node])]} ≤ {tree.threshold[node]:.3g}"
            for child, said in ((tree.children_left, "yes"), (tree.children_right, "no")):
                end = places[int(child[node])]
                ax.plot(*zip(at, end, strict=True), color=ink(), linewidth=1, zorder=1)
                middle = np.mean([at, end], axis=0)
                side = "right" if end[0] < at[0] else "left"
                shift = (-4 if side == "right" else 4, 2)
                ax.annotate(said, middle, shift, textcoords="offset points", ha=side)
        ax.text(*at, text, ha="center", va="center", bbox=box, zorder=2)
    deepest = min(y for _, y in places.values())
    ax.set(xlim=(0.4, len(leaves) + 0.6), ylim=(deepest - 0.5, 0.5))
    ax.set_title(f"{len(leaves)} leaves")
    ax.axis("off")


def _draw_plane(
    ax: Any,
    model: Any,
    leaves: list[_Leaf],
    points: Floats,
    targets: NDArray[Any],
    frame: tuple[Floats, Floats],
) -> None:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.patches import Rectangle

    of_classes = is_classifier(model)
    span: Any = None if of_classes else Normalize(float(targets.min()), float(targets.max()))
    for leaf in leaves:
        size = np.subtract(leaf.high, leaf.low)
        value = np.asarray(model.tree_.value[leaf.node, 0])
        if of_classes:
            number = int(np.argmax(value))
            look: dict[str, Any] = {
                "facecolor": (*_rgb(line_style(number)["color"]), 0.22),
                "hatch": hatch(number),
                "edgecolor": (*_rgb(line_style(number)["color"]), 0.45),
            }
        else:
            look = {"facecolor": colormaps["cividis"](span(float(value[0])))}
        ax.add_patch(Rectangle(leaf.low, *size, linewidth=0, gid=f"R{leaf.number}", **look))
        edge = np.array(
            [leaf.low, (leaf.high[0], leaf.low[1]), leaf.high, (leaf.low[0], leaf.high[1])]
        )
        ax.plot(*np.vstack([edge, edge[:1]]).T, color=ink(), linewidth=1)
        ax.text(
            *np.mean([leaf.low, leaf.high], axis=0),
            f"$R_{{{leaf.number}}}$",
            ha="center",
            va="center",
            fontsize=11,
            bbox={"facecolor": paper(), "alpha": 0.8, "linewidth": 0, "pad": 1.5},
            zorder=5,
        )
    if of_classes:
        codes = np.searchsorted(model.classes_, targets)
        draw_classes(ax, points, codes.astype(np.intp), model.classes_, size=16, legend=None)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    else:
        colours = colormaps["cividis"](span(targets))
        ax.scatter(*points.T, c=colours, s=18, edgecolors="white", linewidths=0.6, zorder=3)
        bar = ScalarMappable(norm=span, cmap="cividis")
        ax.figure.colorbar(bar, ax=ax, label="target; mean in a rectangle")
    (low, high) = frame
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), title="the plane")


def _rgb(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return float(red), float(green), float(blue)
