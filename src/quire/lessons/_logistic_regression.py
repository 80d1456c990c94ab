"""The lesson on logistic regression: the boundary moves until the probabilities fit best."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, legend, span
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.lessons._classified_plane import (
    classes_legend,
    draw_points,
    grid,
    half_planes,
    line_at,
    plane,
)
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._points import (
    LabelledPoints,
    about_points,
    card_points,
    points_table,
    read_points,
)
from quire.lessons._wording import plain, share, signed
from quire.linear_model import LogisticRegression
from quire.optimize import LogisticLoss

__all__ = ["logistic_regression"]

_POINTS = 60
_STEPS = 12  # iterations that are shown
_SETTINGS = [
    Setting("solver", "how to go down", ("gradient-descent", "newton"), "gradient-descent"),
    Setting("C", "the larger, the weaker the penalty", (0.01, 1.0, 100.0), 1.0),
]


def logistic_regression(
    file: Any = None,
    *,
    columns: Sequence[str] | None = None,
    label: str | None = None,
) -> Lesson:
    """Logistic regression: the boundary moves until the probabilities fit best.

    The steps are iterations of gradient descent or of Newton's method: the boundary in the plane,
    and the points on the sigmoid curve.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with two columns of numbers, which are scaled, and a column of classes; made-up
        applications for a credit card if ``None``. Of more than two classes the most frequent two
        are used.
    columns : sequence of two str, default=None
        The columns of numbers; the first two if ``None``.
    label : str, default=None
        The column of classes; guessed if clear.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import logistic_regression
    >>> lesson = logistic_regression()
    >>> start, first = lesson.start.steps[:2]
    >>> print(f"{start.numbers['objective']:.1f} {first.numbers['objective']:.1f}")
    41.6 32.4
    """
    if file is None:
        found = card_points(_POINTS).standardised()
    else:
        found = read_points(file, columns, label, most=_POINTS, n_classes=2).standardised()

    def run(solver: str, C: float) -> tuple[list[Step], dict[str, Any]]:
        model = LogisticRegression(C=C, solver=solver, max_iter=500, keep_steps=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return _Walk(model.fit(found.X, found.y), found).steps()

    return Lesson(
        name="logistic-regression",
        title="Logistic regression",
        idea=[
            "Give every point a score, a weighted sum of its numbers, and turn the score into a "
            "probability with the S-shaped logistic function: score 0 is one half, large scores "
            "come near 1, very negative ones near 0. The score is the logarithm of the odds.",
            "Learning is finding the weights that make the classes that were seen as probable as "
            "possible. There is no formula for them, so one goes downhill: gradient descent along "
            "the steepest way, Newton's method to the lowest point of a parabola that touches the "
            "loss here, which takes far fewer steps. The penalty keeps the weights from growing "
            "without end; C says how little it counts. One picture shows the way down, over lines "
            "of equal objective.",
        ],
        formulas=[
            r"P(y = 1 \mid x) = \sigma(w^\top x + b) = \frac{1}{1 + e^{-(w^\top x + b)}}",
            r"\min_{w, b} \sum_d \log(1 + e^{-t_d (w^\top x_d + b)}) "
            r"+ \frac{1}{2 C} \lVert w \rVert^2",
            r"w \leftarrow w - \eta \nabla L \quad \text{or} \quad "
            r"w \leftarrow w - \eta H^{-1} \nabla L",
        ],
        symbols=[
            (r"\sigma", "the logistic function, or sigmoid"),
            ("w, b", "weights and intercept"),
            ("t_d", "the class of point d, −1 or +1"),
            ("C", "one over the strength of the penalty"),
            (r"\nabla L, H", "gradient and Hessian of what is minimised"),
            (r"\eta", "the length of the step, by line search"),
        ],
        about_data=[
            f"{len(found.y)} made-up applications for a credit card: salary and debts, both scaled "
            f"to mean 0 and deviation 1. What is predicted is {found.classes[1]!r}."
        ]
        if file is None
        else about_points(found),
        data=points_table(found),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.linear_model import LogisticRegression\n"
            'model = LogisticRegression(C=1.0, solver="newton", keep_steps=True).fit(X, y)\n'
            "model.coef_, model.intercept_, model.predict_proba(X[:5]), model.steps_"
        ),
        given={"X": found.X, "y": found.y},
        guide=["Logistic regression", "Optimisers"],
    )


@dataclass(frozen=True)
class _Walk:
    """The iterations of one fit."""

    model: Any
    found: LabelledPoints

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        states = self.model.steps_
        last = len(states) - 1
        shown = np.unique(np.geomspace(1, max(last, 1), _STEPS).round().astype(int))
        places = [0, *[place for place in shown.tolist() if place <= last]]
        surface = self._surface()
        steps = [self._step(place, surface) for place in places]
        w, b = self._weights(states[-1])
        rest = self.found.score_rest(self.model)
        result = {
            "Iterations": last,
            "w": f"{signed(float(w[0]))}, {signed(float(w[1]))}",
            "b": signed(b),
            "Objective": plain(states[-1].value),
            "Right, of those learned from": share(self.model.score(self.found.X, self.found.y)),
            "Right, of those kept out": None if rest is None else share(rest),
        }
        return steps, result

    @staticmethod
    def _weights(state: Any) -> tuple[Floats, float]:
        point = state.point.ravel()
        return point[:2], float(point[2])

    def _step(self, place: int, surface: tuple[Any, ...]) -> Step:
        states = self.model.steps_
        state = states[place]
        w, b = self._weights(state)
        scores = self.found.X @ w + b
        right = float(np.mean((scores > 0) == (self.found.codes == 1)))
        second = self.found.classes[1]
        if place == 0:
            title = "Begin"
            caption = (
                "Both weights are zero, and every point has the same probability of "
                f"{second!r}: {share(float(expit(b)))}. "
                + (
                    "This solver begins with the intercept that fits the shares of the classes."
                    if b
                    else "There is no boundary yet."
                )
            )
        else:
            title = f"Iteration {place}"
            caption = (
                f"A step of length {plain(state.step_size)} times the "
                f"{'gradient' if self.model.solver == 'gradient-descent' else 'Newton direction'}; "
                f"the objective falls from {plain(states[place - 1].value, 5)} to "
                f"{plain(state.value, 5)}. {share(right)} of the points are on their side."
            )
            if place == len(states) - 1:
                caption += " The gradient is nearly zero: this is the minimum."
        state_table = table(
            ["", "Here"],
            [
                [f"weight of {self.found.names[0]}", signed(float(w[0]))],
                [f"weight of {self.found.names[1]}", signed(float(w[1]))],
                ["intercept", signed(b)],
                ["objective", plain(state.value)],
                ["length of the gradient", plain(state.gradient_norm)],
            ],
            "Where the optimiser stands",
        )
        return Step(
            title,
            caption,
            join([self._plane(w, b), classes_legend(self.found), self._sigmoid(scores)]),
            join([self._way(place, surface), state_table]),
            {
                "weights": w,
                "intercept": b,
                "objective": state.value,
                "gradient_norm": state.gradient_norm,
                "step_size": state.step_size,
            },
        )

    def _plane(self, w: Floats, b: float) -> Html:
        picture = plane("The boundary between the classes", self.found)
        if w.any():
            half_planes(picture, w, -b)
            for p in (0.1, 0.5, 0.9):
                ends = line_at(picture, w, float(np.log(p / (1 - p))) - b)
                if ends is not None:
                    picture.line(
                        ends,
                        "ink" if p == 0.5 else "soft",
                        width=2.4 if p == 0.5 else 1.2,
                        dashes="" if p == 0.5 else "5 4",
                    )
                    top = int(np.argmax(ends[:, 1]))
                    x, y = 0.86 * ends[top] + 0.14 * ends[1 - top]
                    picture.text(float(x), float(y), f"{p:g}", shift=(-14, -5))
        draw_points(picture, self.found)
        return picture.svg()

    def _surface(self) -> tuple[Any, ...]:
        """Return a plane of weights that holds the way down, and the objective on it.

        The intercept is where it is best.
        """
        way = np.array([self._weights(state)[0] for state in self.model.steps_])
        _, b = self._weights(self.model.steps_[-1])
        picture = self._weights_plane(span(way[:, 0], 0.25), span(way[:, 1], 0.25))
        loss = LogisticLoss(self.found.X, self.found.codes)
        n, C = len(self.found.y), self.model.C

        def objective(points: Floats) -> Floats:
            return np.array(
                [n * loss.value(np.array([*w, b])) + float(w @ w) / (2 * C) for w in points]
            )

        return picture.x, picture.y, *grid(picture, objective, 30, 24)

    def _weights_plane(self, x: tuple[float, float], y: tuple[float, float]) -> Picture:
        return Picture(
            "The way of the weights over lines of equal objective",
            x,
            y,
            x_title=f"weight of {self.found.names[0]}",
            y_title=f"weight of {self.found.names[1]}",
            height=280,
        )

    def _way(self, place: int, surface: tuple[Any, ...]) -> Html:
        x, y, xs, ys, values = surface
        picture = self._weights_plane(x, y)
        least, most = float(values.min()), float(values.max())
        for part in (0.01, 0.04, 0.12, 0.28, 0.5, 0.75):
            picture.contour(xs, ys, values, least + part * (most - least), "soft", width=0.8)
        way = np.array([self._weights(state)[0] for state in self.model.steps_])
        picture.line(way[: place + 1], 2, width=1.8)
        picture.points(way[: place + 1], 2, size=2.6)
        picture.points(way[[-1]], "soft", size=5, shapes=3)
        picture.points(way[[place]], 2, size=5.5, outlined=True)
        return join([picture.svg(), legend([(2, "the weights"), ("soft", "equal objective")])])

    def _sigmoid(self, scores: Floats) -> Html:
        """Return the curve from scores to probabilities, and where the points are on it."""
        w, b = self._weights(self.model.steps_[-1])
        widest = span(np.concatenate([self.found.X @ w + b, [-3.0, 3.0]]))
        picture = Picture(
            "The probability of the points by their score",
            widest,
            (-0.06, 1.06),
            x_title="score: the log-odds",
            y_title=f"P({self.found.classes[1]})",
            height=220,
            y_ticks=(0, 0.5, 1),
        )
        xs = np.linspace(*widest, 80)
        picture.line(np.column_stack([xs, expit(xs)]), "ink", width=1.6)
        codes = self.found.codes
        at = np.column_stack([scores, expit(scores)])
        picture.segments(at, np.column_stack([scores, codes]), "soft", width=0.6, opacity=0.7)
        picture.points(
            np.column_stack([scores, codes]), codes.tolist(), shapes=codes.tolist(), size=3.2
        )
        return picture.svg()
