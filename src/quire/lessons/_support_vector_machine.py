"""The lesson on support vector machines: multipliers, two at a time, until the margin stands."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.lessons._classified_plane import classes_legend, draw_points, grid, plane
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._points import LabelledPoints, about_points, points_table, read_points
from quire.lessons._wording import listed, plain, share
from quire.svm import SVC

__all__ = ["support_vector_machine"]

_POINTS = 40
_STEPS = 10  # of the updates that are shown
_ROWS = 9  # of the table
_SETTINGS = [
    Setting("C", "the price of slack", (0.1, 1.0, 10.0), 1.0),
    Setting("kernel", "what is compared with what", ("linear", "poly", "rbf"), "linear"),
]


def support_vector_machine(
    file: Any = None,
    *,
    columns: Sequence[str] | None = None,
    label: str | None = None,
) -> Lesson:
    """Support vector machines: multipliers, two at a time, until the margin stands.

    The steps are updates of sequential minimal optimisation: the two points whose multipliers
    change, the boundary and the edges of its margin, the support vectors and the slack.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with two columns of numbers, which are scaled, and a column of classes; points in
        two bent bands if ``None``. Of more than two classes the most frequent two are used.
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
    >>> from quire.lessons import support_vector_machine
    >>> lesson = support_vector_machine()
    >>> lesson.start.steps[0].numbers["objective"]
    0.0
    >>> lesson.start.steps[1].title
    'Update 1: points 19 and 1'
    """
    if file is None:
        found = _bands()
    else:
        found = read_points(file, columns, label, most=_POINTS, n_classes=2).standardised()

    def run(C: float, kernel: str) -> tuple[list[Step], dict[str, Any]]:
        return _Walk(C, kernel, found).steps()

    return Lesson(
        name="support-vector-machine",
        title="The support vector machine",
        idea=[
            "Among all boundaries between two classes take the one with the widest margin: the "
            "broadest street with no point on it. Only points at its edges matter, the support "
            "vectors; all others could move or leave without changing anything. Where classes "
            "overlap, points may stand in the street or beyond it, but each pays for how far it is "
            "on the wrong side of its edge: its slack, at the price C.",
            "What is solved is the dual problem: a multiplier for every point, zero for most, at "
            "most C. Sequential minimal optimisation picks the two points that break the "
            "conditions most, and sets both multipliers to the best values in one go. A kernel in "
            "the place of the inner product bends the boundary.",
        ],
        formulas=[
            r"\max_\alpha \sum_d \alpha_d - \frac{1}{2} \sum_{d, e} \alpha_d \alpha_e y_d y_e "
            r"k(x_d, x_e), \quad 0 \le \alpha_d \le C, \quad \sum_d \alpha_d y_d = 0",
            r"f(x) = \sum_d \alpha_d y_d k(x_d, x) + b, \qquad "
            r"\xi_d = \max(0, 1 - y_d f(x_d))",
        ],
        symbols=[
            (r"\alpha_d", "the multiplier of point d"),
            ("y_d", "its class, −1 or +1"),
            ("k", "the kernel: the inner product, or a function in its place"),
            ("C", "the price of slack, and the largest multiplier"),
            (r"\xi_d", "the slack of point d"),
            ("f", "the decision: 0 on the boundary, ±1 on the edges of the margin"),
        ],
        about_data=[
            f"{len(found.y)} made-up points in two bent bands that come close to each other: no "
            "straight line divides them without mistakes."
        ]
        if file is None
        else about_points(found),
        data=points_table(found),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.svm import SVC\n"
            'model = SVC(C=1.0, kernel="linear", keep_steps=True).fit(X, y)\n'
            "model.alpha_, model.slack_, model.margin_width_, model.steps_"
        ),
        given={"X": found.X, "y": found.y},
        guide=["Support vector machines"],
    )


def _bands() -> LabelledPoints:
    """Return points in two half circles that reach into each other, with noise."""
    rng = np.random.default_rng(8)
    n = 18
    turn = np.linspace(0.1, np.pi - 0.1, n)
    upper = np.column_stack([np.cos(turn), np.sin(turn)])
    lower = np.column_stack([1.0 - np.cos(turn), 0.1 - np.sin(turn)])
    X = np.vstack([upper, lower]) + rng.normal(scale=0.17, size=(2 * n, 2))
    y = np.repeat(["upper", "lower"], n)
    return LabelledPoints(X.round(2), y, ("x₁", "x₂"), np.empty((0, 2)), np.empty(0))


@dataclass(frozen=True)
class _Walk:
    """The updates of one fit."""

    C: float
    kernel: str
    found: LabelledPoints

    def _fit(self, n_updates: int = -1) -> Any:
        """Return the machine after so many updates, or at the end."""
        model = SVC(
            C=self.C,
            kernel=self.kernel,
            degree=2,
            coef0=1.0,
            max_iter=n_updates,
            n_jobs=1,
            keep_steps=True,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(self.found.X, self.found.y)

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        last = self._fit()
        states = last.steps_
        shown = np.unique(np.geomspace(1, len(states) - 1, _STEPS).round().astype(int))
        steps = [self._start(states[0])]
        for number in shown.tolist():
            is_last = number == len(states) - 1
            model = last if is_last else self._fit(number)
            steps.append(self._update(number, states[number - 1 : number + 1], model, is_last))
        slack = last.slack_
        result = {
            "Updates": len(states) - 1,
            "Support vectors": len(last.support_),
            "At the bound C": int(np.sum(last.alpha_ >= self.C * (1 - 1e-9))),
            "Margin width": plain(float(last.margin_width_[0])),
            "Sum of slack": plain(float(slack.sum())),
            "Right": share(float(last.score(self.found.X, self.found.y))),
        }
        return steps, result

    def _start(self, state: Any) -> Step:
        picture = plane("The points, without a boundary yet", self.found, same_scale=True)
        draw_points(picture, self.found)
        return Step(
            "Begin with nothing",
            "All multipliers are zero: no point holds the boundary, and there is none. The dual "
            f"objective is 0. The two points that break the conditions most miss them by "
            f"{plain(state.gap)}.",
            join([picture.svg(), classes_legend(self.found)]),
            self._table(state, np.ones(len(self.found.y)), None),
            {"alpha": state.alpha, "objective": state.objective, "gap": state.gap},
        )

    def _update(self, number: int, states: Any, model: Any, is_last: bool) -> Step:
        before, now = states
        slack = model.slack_
        changes = listed(
            [
                f"point {row + 1} ({self.found.y[row]}) from {plain(float(before.alpha[row]))} to "
                f"{plain(float(now.alpha[row]))}"
                for row in now.pair
            ]
        )
        caption = (
            f"The multipliers change: {changes}. The objective rises to {plain(now.objective)}; "
            f"the conditions are missed by {plain(now.gap)}."
        )
        names = listed([str(row + 1) for row in now.pair])
        title = f"Update {number}: points {names}"
        if is_last:
            n_support = int(np.sum(now.alpha > 0))
            n_right = float(model.score(self.found.X, self.found.y))
            caption += (
                f" That is near enough: {n_support} points hold a margin of width "
                f"{plain(float(model.margin_width_[0]))}, the slack adds up to "
                f"{plain(float(slack.sum()))}, and {share(n_right)} are on their side."
            )
        return Step(
            title,
            caption,
            join([self._picture(model, now, slack), classes_legend(self.found)]),
            self._table(now, slack, model.decision_function(self.found.X)),
            {
                "pair": list(now.pair),
                "alpha": now.alpha.round(6),
                "objective": now.objective,
                "gap": now.gap,
                "intercept": now.intercept,
                "slack": slack.round(6),
            },
        )

    def _picture(self, model: Any, state: Any, slack: Floats) -> Html:
        picture = plane(
            "The boundary, the edges of its margin and the support vectors",
            self.found,
            same_scale=True,
        )
        xs, ys, values = grid(picture, model.decision_function)
        picture.regions(xs, ys, (values > 0).astype(int), opacity=0.1)
        picture.contour(xs, ys, values, 0.0, "ink", width=2.2)
        for level in (-1.0, 1.0):
            picture.contour(xs, ys, values, level, "soft", width=1.3, dashes="5 4")
        if self.kernel == "linear":
            self._draw_slack(picture, model, slack)
        draw_points(picture, self.found)
        codes = self.found.codes
        support = np.flatnonzero(state.alpha > 0)
        picture.points(
            self.found.X[support],
            codes[support].tolist(),
            shapes=codes[support].tolist(),
            size=4.6,
            outlined=True,
        )
        for row in state.pair:
            x, y = self.found.X[row]
            picture.text(x, y, str(row + 1), bold=True, shift=(0, -12))
        return picture.svg()

    def _draw_slack(self, picture: Picture, model: Any, slack: Floats) -> None:
        """Draw how far points are beyond their edge of the margin."""
        weights = model.coef_[0]
        rows = np.flatnonzero(slack > 1e-6)
        signs = np.where(self.found.codes[rows] == 1, 1.0, -1.0)
        square = float(weights @ weights)
        if not len(rows) or square == 0:
            return
        ends = self.found.X[rows] + np.outer(signs * slack[rows] / square, weights)
        picture.segments(self.found.X[rows], ends, "soft", width=1.0)

    def _table(self, state: Any, slack: Floats, decisions: Floats | None) -> Html:
        """Return the two points of the update, and those with the largest multipliers."""
        order = np.lexsort((-slack, -state.alpha)).tolist()
        chosen = list(dict.fromkeys([*state.pair, *order]))[:_ROWS]
        signs = np.where(self.found.codes == 1, 1.0, -1.0)
        rows = [
            [
                row + 1,
                str(self.found.y[row]),
                plain(float(state.alpha[row])),
                "–" if decisions is None else plain(float(signs[row] * decisions[row])),
                "–" if decisions is None else plain(max(float(slack[row]), 0.0)),
            ]
            for row in chosen
        ]
        heads = ["Point", "Class", "α", "y f(x)", "ξ"]
        return table(heads, rows, "The points of this update, and the largest multipliers")
