"""The lesson on ridge and lasso: two coefficients shrink, one of them perhaps to zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, legend, span
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.io import read_corpus
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._reading import (
    Measurements,
    numbers_table,
    read_numbers,
    scaled,
    sentences,
    source_name,
)
from quire.lessons._wording import plain, share, signed
from quire.linear_model import ElasticNet, Lasso, LinearRegression, Ridge

__all__ = ["ridge_and_lasso"]

_PENALTIES = 12  # strengths, besides none
_PENALTY = Setting(
    "penalty", "what a large coefficient costs", ("lasso", "elastic net", "ridge"), "lasso"
)
_SHAPES = {"lasso": "diamond", "elastic net": "round diamond", "ridge": "disc"}
_CORRELATION = Setting("correlation", "of the two columns", (0.0, 0.6, 0.9), 0.6)


def ridge_and_lasso(
    file: Any = None,
    *,
    columns: Sequence[str] | None = None,
    label: str | None = None,
) -> Lesson:
    """Ridge and lasso: two coefficients shrink, one of them perhaps to zero.

    The steps go from no penalty to a strong one: the disc or the diamond that the coefficients must
    stay in, the ellipses on which the error is the same, and the path of the coefficients.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with columns of numbers: two to predict from, which are scaled, and one to predict.
        Made-up numbers if ``None``.
    columns : sequence of two str, default=None
        What is predicted from; the first two columns of numbers if ``None``.
    label : str, default=None
        The column of numbers that is predicted; the last one if ``None``.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import ridge_and_lasso
    >>> lesson = ridge_and_lasso()
    >>> lesson.start.steps[-1].numbers["coefficients"].tolist()
    [0.0, 0.0]
    """
    data = _read(file, columns, label) if file is not None else None
    settings = [_PENALTY] if data is not None else [_PENALTY, _CORRELATION]

    def run(penalty: str, correlation: float = 0.0) -> tuple[list[Step], dict[str, Any]]:
        found = data if data is not None else _example(correlation)
        compared = 1.0 if data is None else _largest(found) / 3
        walk = _Walk(penalty, found.X[:, :2], found.X[:, 2], found.names, _largest(found))
        return walk.steps(compared)

    shown = data if data is not None else _example(_CORRELATION.start)
    n = len(shown.X)
    return Lesson(
        name="ridge-and-lasso",
        title="Ridge and lasso",
        idea=[
            "Least squares takes the coefficients with the smallest error, however large they are. "
            "With little data, or columns that go together, they follow the noise. A penalty makes "
            "large coefficients cost something, and its strength, lambda, says how much. It is the "
            "same as a limit on the coefficients: they must stay in a disc (ridge, squares) or in "
            "a diamond (lasso, absolute values), and the smaller it is, the stronger the penalty.",
            "The best coefficients are where an ellipse of equal error first touches the disc or "
            "the diamond. A disc is touched anywhere, so ridge shrinks all coefficients and makes "
            "none zero. A diamond is often touched at a corner, where one coefficient is exactly "
            "zero: the lasso chooses. The elastic net takes half of each penalty: its diamond has "
            "corners and round sides, and columns that go together stay together longer.",
        ],
        formulas=[
            r"\text{ridge} \quad \min_w \frac{1}{n} \sum_d (y_d - w^\top x_d)^2 + \lambda "
            r"\sum_j w_j^2",
            r"\text{lasso} \quad \min_w \frac{1}{n} \sum_d (y_d - w^\top x_d)^2 + \lambda "
            r"\sum_j |w_j|",
        ],
        symbols=[
            ("w", "the coefficients"),
            (r"\lambda", "how strong the penalty is"),
            ("n", f"the number of rows, here {n}"),
        ],
        about_data=[
            f"{n} made-up rows with two columns of mean 0 and deviation 1. What is predicted is "
            "1.2 times the first and 0.7 times the second, and noise with deviation 1 that goes "
            "with neither of them: least squares finds these two numbers."
        ]
        if data is None
        else [f"{n:,} rows of {data.source}.", *sentences(data.notes)],
        data=numbers_table(shown),
        settings=settings,
        runs=runs_over(settings, run),
        code=(
            "from quire.linear_model import Lasso, Ridge\n"
            "lasso = Lasso(alpha=lam / 2).fit(X, y)\n"
            "ridge = Ridge(alpha=len(y) * lam).fit(X, y)"
        ),
        given={"X": shown.X[:, :2], "y": shown.X[:, 2], "lam": 0.5},
        guide=["Lasso and elastic net", "Least squares and ridge"],
    )


def _example(correlation: float) -> Measurements:
    """Return three columns: two that go together as asked, and what is predicted."""
    parts = np.random.default_rng(2).normal(size=(40, 3))
    parts -= parts.mean(axis=0)
    parts = np.linalg.qr(parts)[0] * np.sqrt(len(parts))  # uncorrelated, mean 0, deviation 1
    second = correlation * parts[:, 0] + np.sqrt(1 - correlation**2) * parts[:, 1]
    y = 1.2 * parts[:, 0] + 0.7 * second + parts[:, 2]
    return Measurements(np.column_stack([parts[:, 0], second, y]), ["x₁", "x₂", "y"], [], [], "")


def _read(file: Any, columns: Sequence[str] | None, label: str | None) -> Measurements:
    """Return the two columns, scaled, and what is predicted, centred."""
    corpus = read_corpus(file, label=False, missing="drop")
    numeric = [name for name in corpus.frame.columns if corpus.frame[name].dtype.is_numeric()]
    names = list(columns or [])
    target = label or next((name for name in reversed(numeric) if name not in names), None)
    names = names or [name for name in numeric if name != target][:2]
    if target not in numeric or len(names) != 2:
        raise ValueError(
            f"The lesson needs two columns of numbers and one more to predict; the numbers in "
            f"{corpus.source} are {', '.join(numeric) or 'none'}."
        )
    found = read_numbers(corpus.frame, [*names, target], n_columns=3)
    notes = [f"what is predicted is {target}, from {names[0]} and {names[1]}", *found.notes]
    two = scaled(Measurements(found.X[:, :2], names, [], notes, source_name(corpus)))
    y = found.X[:, 2] - found.X[:, 2].mean()
    if not y.any():
        raise ValueError(f"{target} of {corpus.source} has one value: nothing to predict.")
    return Measurements(np.column_stack([two.X, y]), [*names, target], [], two.notes, two.source)


def _largest(found: Measurements) -> float:
    """Return the penalty from which on the lasso has no coefficient left."""
    return float(2 * np.abs(found.X[:, :2].T @ found.X[:, 2]).max() / len(found.X))


@dataclass(frozen=True)
class _Walk:
    """The path of one penalty."""

    penalty: str
    X: Floats
    y: Floats
    names: Sequence[str]
    largest: float  # penalty of the lasso that is of use

    def steps(self, compared: float) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out; `compared` is a penalty that all runs show."""
        strengths = self._strengths()
        path = np.array([self._coefficients(one) for one in strengths])
        steps = [self._step(k, strengths, path) for k in range(len(strengths))]
        zero = np.flatnonzero((path == 0).any(axis=1))
        first_zero = plain(float(strengths[zero[0]])) if len(zero) else "never"
        result = {
            "Least squares": _pair(path[0]),
            f"λ = {plain(compared)}": _pair(self._coefficients(compared)),
            "First λ here with a zero": first_zero,
            "Error, least squares": plain(self._error(path[0])),
        }
        return steps, result

    def _strengths(self) -> Floats:
        """Return no penalty, and from a weak one to where the lasso has no coefficient left."""
        top = self.largest * {"lasso": 1, "elastic net": 2, "ridge": 10}[self.penalty]
        return np.concatenate([[0.0], np.geomspace(top / 60, top, _PENALTIES)])

    def _coefficients(self, strength: float) -> Floats:
        model: Any
        if strength == 0:
            model = LinearRegression()
        elif self.penalty == "lasso":
            model = Lasso(alpha=strength / 2, tol=1e-12, max_iter=100_000)
        elif self.penalty == "elastic net":  # half of it each
            model = ElasticNet(alpha=0.75 * strength, l1_ratio=1 / 3, tol=1e-12, max_iter=100_000)
        else:
            model = Ridge(alpha=len(self.y) * strength)
        coefficients: Floats = model.fit(self.X, self.y).coef_ + 0.0
        return coefficients

    def _error(self, w: Floats) -> float:
        return float(np.mean((self.y - self.X @ w) ** 2))

    def _size(self, w: Floats) -> float:
        sizes = {"lasso": np.abs(w).sum(), "ridge": w @ w}
        sizes["elastic net"] = (sizes["lasso"] + sizes["ridge"]) / 2
        return float(sizes[self.penalty])

    def _step(self, place: int, strengths: Floats, path: Floats) -> Step:
        strength, w = float(strengths[place]), path[place]
        size, error = self._size(w), self._error(w)
        if place == 0:
            title = "No penalty"
            caption = (
                f"Least squares: the coefficients are {_pair(w)}, at the centre of the ellipses; "
                f"the mean squared error is {plain(error)}. The "
                f"{_SHAPES[self.penalty]} is as large as they need."
            )
        else:
            title = f"λ = {plain(strength)}"
            sizes = share(size / self._size(path[0]))
            what = {
                "lasso": "absolute values add up to",
                "ridge": "squares add up to",
                "elastic net": "absolute values and squares, half of each, add up to",
            }[self.penalty]
            caption = (
                f"The coefficients are {_pair(w)}: their {what} "
                f"{plain(size)}, {sizes} of what they were. The error has grown from "
                f"{plain(self._error(path[0]))} to {plain(error)}."
            )
            zeros = [self.names[k] for k in (0, 1) if w[k] == 0]
            if len(zeros) == 1:
                caption += f" The ellipse touches a corner: {zeros[0]} has left the model."
            elif zeros:
                caption += " Both are zero: nothing is left but the mean."
        rows = [
            [f"coefficient of {self.names[0]}", signed(float(w[0]))],
            [f"coefficient of {self.names[1]}", signed(float(w[1]))],
            ["mean squared error", plain(error)],
            ["penalty", plain(size)],
            ["error + λ · penalty", plain(error + strength * size)],
        ]
        return Step(
            title,
            caption,
            join([self._plane(place, path), self._plane_legend()]),
            join([self._path(place, strengths, path), table(["", "Here"], rows, "The fit")]),
            {"lambda": strength, "coefficients": w, "error": error, "penalty": size},
        )

    def _plane_legend(self) -> Html:
        limit = f"the {_SHAPES[self.penalty]}: no larger a penalty"
        return legend([(1, limit), ("soft", "equal error"), (0, "coefficients")])

    def _plane(self, place: int, path: Floats) -> Html:
        w, best = path[place], path[0]
        reach = 1.1 * float(np.abs(best).sum()) or 1.0
        picture = Picture(
            "Coefficients, ellipses of equal error, and the limit of the penalty",
            (-reach, reach),
            (-reach, reach),
            x_title=f"coefficient of {self.names[0]}",
            y_title=f"coefficient of {self.names[1]}",
            height=330,
            same_scale=True,
        )
        turn = np.linspace(0, 2 * np.pi, 73)[:-1]
        circle = np.column_stack([np.cos(turn), np.sin(turn)])
        if self.penalty == "lasso":
            radius = np.abs(w).sum() / np.abs(circle).sum(axis=1)
        elif self.penalty == "ridge":
            radius = np.full(len(circle), np.sqrt(w @ w))
        else:  # half r |u| + half r² = size
            along = np.abs(circle).sum(axis=1) / 2
            radius = np.sqrt(along**2 + 2 * self._size(w)) - along
        corners = radius[:, None] * circle
        picture.line(corners, 1, width=1.6, closed=True, fill=0.16)
        shape: Any = np.linalg.pinv(self.X.T @ self.X / len(self.y))
        beyond = self._error(w) - self._error(best)
        outside = self._error(np.zeros(2)) - self._error(best)
        for part in (0.05, 0.25, 0.6, 1.0):
            self._ellipse(picture, best, shape * part * outside, 0.8)
        if beyond > 0:
            self._ellipse(picture, best, shape * beyond, 2.0)
        (left, right), (low, high) = picture.x, picture.y
        picture.segments([[left, 0], [0, low]], [[right, 0], [0, high]])
        picture.line(path[: place + 1], 0, width=1.8)
        picture.points(path[: place + 1], 0, size=2.6)
        picture.points([best], "soft", size=4.5, shapes=3)
        picture.points([w], 0, size=6, outlined=True)
        return picture.svg()

    @staticmethod
    def _ellipse(picture: Picture, center: Floats, covariance: Any, width: float) -> None:
        values, vectors = np.linalg.eigh(covariance)
        turn = np.linspace(0, 2 * np.pi, 73)
        around = np.column_stack([np.cos(turn), np.sin(turn)]) * np.sqrt(np.maximum(values, 0))
        for part in _parts_inside(picture, around @ vectors.T + center):
            picture.line(part, "soft", width=width)

    def _path(self, place: int, strengths: Floats, path: Floats) -> Html:
        xs = np.log10(strengths[1:])
        step = xs[1] - xs[0]
        xs = np.concatenate([[xs[0] - 2 * step], xs])
        marks = [k for k in range(-6, 7) if xs[1] <= k <= xs[-1]]
        powers = [(float(k), f"{10.0**k:g}") for k in marks]
        picture = Picture(
            "The coefficients by the strength of the penalty",
            span(xs, 0.05),
            span([*path.ravel(), 0.0]),
            x_title="λ, on a scale of powers",
            height=210,
            x_ticks=[(float(xs[0]), "0"), *powers],
        )
        picture.segments([[picture.x[0], 0]], [[picture.x[1], 0]], "soft")
        for k in (0, 1):
            line = np.column_stack([xs, path[:, k]])
            picture.line(line, (2, 3)[k], width=1.2, opacity=0.4)
            picture.line(line[: place + 1], (2, 3)[k], width=2.4)
            picture.points(line[[place]], (2, 3)[k], size=4.5, shapes=k)
        names = legend([(2, self.names[0]), (3, self.names[1])], shapes=True)
        return join([picture.svg(), names])


def _pair(w: Floats) -> str:
    return f"({signed(float(w[0]))}, {signed(float(w[1]))})"


def _parts_inside(picture: Picture, line: Floats) -> list[Floats]:
    """Return the parts of a line that are inside a picture."""
    low, high = np.array([picture.x, picture.y]).T
    inside = ((line >= low) & (line <= high)).all(axis=1)
    cuts = np.flatnonzero(np.diff(inside.astype(int))) + 1
    parts = np.split(np.arange(len(line)), cuts)
    return [line[part] for part in parts if inside[part[0]] and len(part) > 1]
