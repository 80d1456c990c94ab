"""Gradient descent and Newton's method on the contours of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from quire._shared.plot import dressed, ink, line_style, middle, new_axes, themed
from quire._shared.typing import Floats
from quire.optimize import LogisticLoss, gradient_descent, newton

__all__ = ["descent_paths"]

_PENALTY = 0.02


def _example() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any], Floats]:
    """Return the penalised logistic loss of two columns of unlike spread, and a start."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) * [2.0, 0.7]
    y = (X @ [0.8, 1.6] + rng.logistic(size=80) > 0).astype(np.int64)
    loss = LogisticLoss(X, y, fit_intercept=False)

    def value(w: Floats) -> float:
        return float(loss.at(w).value + _PENALTY * w @ w)

    def gradient(w: Floats) -> Floats:
        return np.asarray(loss.at(w).gradient + 2 * _PENALTY * w)

    def hessian(w: Floats) -> Floats:
        return np.asarray(loss.at(w).hessian() + 2 * _PENALTY * np.eye(2))

    return value, gradient, hessian, np.array([2.4, -0.9])


def descent_paths(
    f: Any = None,
    grad: Any = None,
    hess: Any = None,
    x0: Any = None,
    *,
    max_iter: int = 200,
    tol: float = 1e-6,
    ax: Any = None,
    theme: str = "light",
) -> Any:
    r"""Draw the ways of gradient descent and of Newton's method to the minimum of a function.

    Descent goes against the gradient, at a right angle to the contours,
    :math:`w \leftarrow w - t \nabla f(w)`; Newton's method goes to the minimum of the parabola that
    fits where it stands, :math:`w \leftarrow w - t \, (\nabla^2 f(w))^{-1} \nabla f(w)`. Both find
    t by a line search.

    Parameters
    ----------
    f : callable, default=None
        A function of an array of two numbers. The penalised logistic loss of an example if not
        given.
    grad : callable, default=None
        Its gradient.
    hess : callable, default=None
        Its Hessian; without one there is no Newton's method.
    x0 : array-like of two numbers, default=None
        Where to start; zeros if not given with a function.
    max_iter : int, default=200
        The most steps of either.
    tol : float, default=1e-6
        Norm of the gradient to reach.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. The two lines are the ways, with a marker at every step.

    Raises
    ------
    ValueError
        If a function has no gradient, or the start is not two numbers.

    See Also
    --------
    quire.optimize.gradient_descent : Descent, with its steps.
    quire.optimize.newton : Newton's method, with its steps.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import descent_paths
    >>> ax = descent_paths(
    ...     lambda x: x[0] ** 2 + 8 * x[1] ** 2,
    ...     lambda x: [2 * x[0], 16 * x[1]],
    ...     lambda x: [[2, 0], [0, 16]],
    ...     [3.0, 1.0],
    ... )
    >>> ax.lines[1].get_label()
    "Newton's method: 1 step"
    """
    if f is None:
        if not (grad is None and hess is None):
            raise ValueError("grad or hess is given without f.")
        f, grad, hess, start = _example()
        start = start if x0 is None else np.asarray(x0, dtype=np.float64)
    elif grad is None:
        raise ValueError("f is given without grad, the function that returns its gradient.")
    else:
        start = np.zeros(2) if x0 is None else np.asarray(x0, dtype=np.float64)
    if start.shape != (2,) or not np.isfinite(start).all():
        raise ValueError(f"x0 has shape {start.shape}; expected two finite numbers.")
    settings: Any = {"max_iter": max_iter, "tol": tol, "keep_steps": True}
    ways = {"gradient descent": gradient_descent(f, grad, start, **settings)}
    if hess is not None:
        ways["Newton's method"] = newton(f, grad, hess, start, **settings)
    paths = {name: np.array([s.point for s in way.steps]) for name, way in ways.items()}
    with themed(theme):
        ax = new_axes(ax)
        _draw_contours(ax, f, np.vstack(list(paths.values())), min(w.value for w in ways.values()))
        for number, (name, path) in enumerate(paths.items()):
            n = len(path) - 1
            ax.plot(
                *path.T,
                label=f"{name}: {n} step{'' if n == 1 else 's'}",
                markersize=4,
                zorder=3,
                **line_style(number),
            )
        best = min(ways.values(), key=lambda way: way.value).x
        ax.scatter(*start, s=60, color=ink(), marker="o", zorder=4, label="start")
        ax.scatter(*best, s=110, color=ink(), marker="*", zorder=4, label="minimum")
        ax.set(xlabel="$w_1$", ylabel="$w_2$", aspect="equal")
        ax.legend(loc="upper right")
        return dressed(ax)


def _draw_contours(ax: Any, f: Any, points: Floats, lowest: float) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    middle_of, half = (low + high) / 2, 0.65 * float(max((high - low).max(), 1e-3))
    steps = [np.linspace(c - half, c + half, 121) for c in middle_of]
    first, second = np.meshgrid(*steps)
    places = np.column_stack([first.ravel(), second.ravel()])
    values = np.array([float(f(w)) for w in places]).reshape(first.shape)
    above = np.maximum(values - lowest, 0.0)
    top = float(np.quantile(above, 0.97))
    levels = lowest + top * np.linspace(0.06, 1.0, 12) ** 2
    ax.contour(first, second, values, levels=levels, colors=[middle()], linewidths=0.7)
    ax.set(xlim=steps[0][[0, -1]], ylim=steps[1][[0, -1]])
