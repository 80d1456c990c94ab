"""The lesson on least-squares classification: points that are right, but too far, pull the line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, legend
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.lessons._classified_plane import half_planes, line_at
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import class_legend
from quire.lessons._reading import Measurements, numbers_table
from quire.lessons._wording import plain, signed
from quire.linear_model import LeastSquaresClassifier, LogisticRegression

__all__ = ["least_squares_classification"]

_EACH = 20  # points of each class
_OUTLIERS = 8
_CLASSES = ("circles", "squares")
_ALONG, _ACROSS = np.array([0.8, 0.6]), np.array([0.6, -0.8])  # the boundary
_SETTINGS = [
    Setting("distance", "how far away the outliers are", (2, 5, 9), 5),
    Setting("side", "of the boundary that they are on", ("right", "wrong"), "right"),
]


def least_squares_classification() -> Lesson:
    """Least-squares classification: points that are right, but too far, pull the line.

    The steps fit a plane to classes coded as -1 and +1, set logistic regression beside it, and then
    add outliers one by one.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import least_squares_classification
    >>> lesson = least_squares_classification()
    >>> {name: lesson.start.result[name] for name in ("Least squares wrong", "Logistic wrong")}
    {'Least squares wrong': 6, 'Logistic wrong': 1}
    """
    points = _points()

    def run(distance: int, side: str) -> tuple[list[Step], dict[str, Any]]:
        return _Walk(points, _outliers(distance, side)).steps()

    y = np.repeat(_CLASSES, _EACH)
    return Lesson(
        name="least-squares-classification",
        title="Least-squares classification",
        idea=[
            "Write −1 for one class and +1 for the other, and fit these numbers with a plane, as "
            "if they were measurements. There is a formula for it, no descent is needed. A new "
            "point gets the class by the sign of the plane; the boundary is where it is zero.",
            "But squares do not know what a class is. A point that is far on its right side has a "
            "value of 3 where +1 was asked for, and pays for it as much as one that has −1. So "
            "outliers turn the boundary, even if they are no mistake. Logistic regression asks "
            "points on the right side for nothing, and stays where it is; only outliers that have "
            "the wrong class turn it, too.",
        ],
        formulas=[
            r"\min_W \frac{1}{2} \lVert X W - t \rVert^2 \quad \text{gives} \quad "
            r"W = (X^\top X)^{-1} X^\top t",
            r"m_d = t_d \, y(x_d), \quad \text{loss} \quad (1 - m_d)^2 \quad \text{or} \quad "
            r"\log(1 + e^{-m_d})",
        ],
        symbols=[
            ("X", "the points, a row each, with a 1 for the intercept"),
            ("t", "the classes, −1 and +1"),
            ("W", "weights and intercept"),
            ("m_d", "the margin of point d: above zero if it is on its side"),
        ],
        about_data=[
            f"{_EACH} made-up points of either class, and {_OUTLIERS} more of the second class "
            "that are far away and come later."
        ],
        data=numbers_table(Measurements(points, ["x₁", "x₂"], y.tolist(), [], "")),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.linear_model import LeastSquaresClassifier, LogisticRegression\n"
            "squares = LeastSquaresClassifier().fit(X, y)\n"
            "logistic = LogisticRegression().fit(X, y)"
        ),
        given={"X": points, "y": y},
        guide=["Least squares and ridge", "Logistic regression"],
    )


def _points() -> Floats:
    """Return the points of both classes."""
    rng = np.random.default_rng(4)
    along = rng.normal(0, 1.1, 2 * _EACH)
    across = rng.normal(np.repeat([-0.65, 0.65], _EACH), 0.32)
    points: Floats = (along[:, None] * _ALONG + across[:, None] * _ACROSS).round(2)
    return points


def _outliers(distance: int, side: str) -> Floats:
    """Return points of the second class that are far away, on either side."""
    towards = (_ACROSS - 0.7 * _ALONG) * (1 if side == "right" else -1)
    noise = np.random.default_rng(5).normal(0, 0.3, (_OUTLIERS, 2))
    outliers: Floats = (0.65 * _ACROSS + distance * towards / np.sqrt(1.49) + noise).round(2)
    return outliers


@dataclass(frozen=True)
class _Fit:
    """A fitted model: its plane, and how it does."""

    name: str
    colour: int
    model: Any

    def weights(self) -> tuple[Floats, float]:
        return self.model.coef_[0], float(self.model.intercept_[0])

    def margins(self, X: Floats, sign: Floats) -> Floats:
        margins: Floats = sign * self.model.decision_function(X)
        return margins


@dataclass(frozen=True)
class _Walk:
    """The steps with one kind of outliers."""

    points: Floats
    outliers: Floats

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        steps = [self._coded(), self._fitted(0, with_logistic=False), self._fitted(0)]
        steps += [self._fitted(n) for n in range(1, _OUTLIERS + 1)]
        squares, logistic = self._fits(_OUTLIERS)
        before = self._fits(0)
        X, sign = self._first()
        result = {
            "Least squares wrong": int(np.sum(squares.margins(X, sign) <= 0)),
            "Logistic wrong": int(np.sum(logistic.margins(X, sign) <= 0)),
            "Least squares turned by": _angle(before[0], squares),
            "Logistic turned by": _angle(before[1], logistic),
        }
        return steps, result

    def _data(self, n_outliers: int) -> tuple[Floats, Floats]:
        X = np.vstack([self.points, self.outliers[:n_outliers]])
        sign = np.repeat([-1.0, 1.0], [_EACH, _EACH + n_outliers])
        return X, sign

    def _first(self) -> tuple[Floats, Floats]:
        """Return the points without outliers, on which both models are compared."""
        return self._data(0)

    def _fits(self, n_outliers: int) -> list[_Fit]:
        X, sign = self._data(n_outliers)
        return [
            _Fit("least squares", 2, LeastSquaresClassifier().fit(X, sign)),
            _Fit("logistic regression", 3, LogisticRegression().fit(X, sign)),
        ]

    def _coded(self) -> Step:
        X, sign = self._first()
        rows = [
            [name, signed(code), plain(float(x)), plain(float(y))]
            for name, code, k in ((_CLASSES[0], -1.0, 0), (_CLASSES[1], 1.0, 1))
            for x, y in [X[k * _EACH : (k + 1) * _EACH].mean(axis=0)]
        ]
        return Step(
            "Code the classes",
            f"The {_CLASSES[0]} get the number −1 and the {_CLASSES[1]} +1. These numbers are what "
            "is fitted.",
            join([self._plane(0, []), class_legend(_CLASSES)]),
            table(["Class", "t", "mean of x₁", "mean of x₂"], rows, "Codes and means"),
            {"targets": sign},
        )

    def _fitted(self, n_outliers: int, *, with_logistic: bool = True) -> Step:
        fits = self._fits(n_outliers)[: 2 if with_logistic else 1]
        X, sign = self._data(n_outliers)
        first_X, first_sign = self._first()
        wrong = [int(np.sum(fit.margins(first_X, first_sign) <= 0)) for fit in fits]
        errors = (1 - fits[0].margins(X, sign)) ** 2
        if not with_logistic:
            title = "Fit a plane"
            caption = (
                f"The boundary is where the plane is zero; {_wrong(wrong[0])} of {2 * _EACH} "
                f"points {_are(wrong[0])} on the wrong side. The squares add up to "
                f"{plain(float(errors.sum()))}."
            )
        elif n_outliers == 0:
            title = "Logistic regression beside it"
            caption = (
                f"Without outliers the two lines nearly agree: {_wrong(wrong[0])} wrong for least "
                f"squares, {_wrong(wrong[1])} for logistic regression."
            )
        else:
            title = f"Outlier {n_outliers}"
            margin = float(self._fits(n_outliers - 1)[0].margins(X[-1:], sign[-1:])[0])
            caption = (
                f"For the line of the last step the new point has the margin {plain(margin)} where "
                f"1 was asked for, and would pay {plain((1 - margin) ** 2)}: so the line turns. Of "
                f"the first {2 * _EACH} points {_wrong(wrong[0])} {_are(wrong[0])} now on the "
                f"wrong side of it, and {_wrong(wrong[1])} on that of logistic regression."
            )
        planes = [fit.weights() for fit in fits]
        rows: list[list[Any]] = [
            ["w₁", *[signed(float(w[0])) for w, _ in planes]],
            ["w₂", *[signed(float(w[1])) for w, _ in planes]],
            ["intercept", *[signed(b) for _, b in planes]],
            [f"wrong, of {2 * _EACH}", *wrong],
        ]
        heads = ["", "least squares", "logistic"][: len(fits) + 1]
        names = [(fit.colour, fit.name) for fit in fits]
        return Step(
            title,
            caption,
            join([self._plane(n_outliers, fits), class_legend(_CLASSES, names)]),
            join([self._losses(fits, X, sign), table(heads, rows, "Both models")]),
            {
                "weights": [fit.weights()[0] for fit in fits],
                "intercepts": [fit.weights()[1] for fit in fits],
                "wrong": wrong,
                "squared_error": float(errors.sum()),
            },
        )

    def _plane(self, n_outliers: int, fits: list[_Fit]) -> Html:
        every = np.vstack([self.points, self.outliers])
        low, high = every.min(axis=0) - 0.5, every.max(axis=0) + 0.5
        picture = Picture(
            "The points and the boundaries",
            (float(low[0]), float(high[0])),
            (float(low[1]), float(high[1])),
            x_title="x₁",
            y_title="x₂",
            height=340,
            same_scale=True,
        )
        if fits:
            w, b = fits[0].weights()
            half_planes(picture, w, -b)
        for fit in fits:
            w, b = fit.weights()
            ends = line_at(picture, w, -b)
            if ends is not None:
                dashes = "" if fit.colour == 2 else "7 4"
                picture.line(ends, fit.colour, width=2.6, dashes=dashes)
        X, sign = self._data(n_outliers)
        codes = (sign > 0).astype(int).tolist()
        picture.points(X, codes, shapes=codes, size=3.6)
        picture.points(X[2 * _EACH :], 1, shapes=1, size=4.2, outlined=True)
        return picture.svg()

    def _losses(self, fits: list[_Fit], X: Floats, sign: Floats) -> Html:
        """Return what points pay by their margin, with both losses."""
        most = max(3.0, *[float(fit.margins(X, sign).max()) for fit in fits[:1]]) + 0.4
        least = min(-1.5, float(fits[0].margins(X, sign).min())) - 0.2
        top = 6.0
        picture = Picture(
            "What a point pays by its margin",
            (least, most),
            (-0.2, top),
            x_title="margin",
            y_title="loss",
            height=200,
        )
        xs = np.linspace(least, most, 90)
        squared = (1 - xs) ** 2
        picture.segments([[0, -0.2]], [[0, top]], "soft")
        for part in np.split(np.arange(len(xs)), np.flatnonzero(np.diff(squared < top)) + 1):
            if (squared[part] < top).all():
                picture.line(np.column_stack([xs, squared])[part], 2, width=2)
        if len(fits) > 1:
            line = np.column_stack([xs, np.log1p(np.exp(-xs))])
            picture.line(line[line[:, 1] < top], 3, width=2, dashes="7 4")
        margins = fits[0].margins(X, sign)
        codes = (sign > 0).astype(int)
        at = np.column_stack([margins, np.minimum((1 - margins) ** 2, top)])
        picture.points(at, codes.tolist(), shapes=codes.tolist(), size=2.8)
        named = legend([(2, "squared"), (3, "logistic")][: len(fits)])
        return join([picture.svg(), named])


def _wrong(n: int) -> str:
    return str(n) if n else "none"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _angle(first: _Fit, second: _Fit) -> str:
    """Return the angle between two boundaries."""
    a, b = first.weights()[0], second.weights()[0]
    cosine = float(a @ b / np.sqrt((a @ a) * (b @ b)))
    return f"{np.degrees(np.arccos(np.clip(cosine, -1, 1))):.0f}°"
