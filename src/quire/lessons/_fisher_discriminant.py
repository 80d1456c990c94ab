"""The lesson on Fisher's discriminant: the direction that keeps classes apart and together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, legend, span
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.discriminant_analysis import fisher_criterion, fisher_direction, scatter_matrices
from quire.lessons._classified_plane import (
    classes_legend,
    draw_points,
    half_planes,
    line_at,
    plane,
)
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._points import LabelledPoints, about_points, points_table, read_points
from quire.lessons._wording import plain, share

__all__ = ["fisher_discriminant"]

_POINTS = 120
_EACH = 40
_BARS = 14  # of a histogram
_DIRECTION = Setting("direction", "what the points are projected on", ("fisher", "means"), "fisher")
_CORRELATION = Setting("correlation", "of the columns within a class", (0.0, 0.6, 0.9), 0.9)


def fisher_discriminant(
    file: Any = None,
    *,
    columns: Sequence[str] | None = None,
    label: str | None = None,
) -> Lesson:
    """Fisher's discriminant: the direction that keeps classes apart and each of them together.

    The steps find the means, the scatter between and within the classes, a direction, what is left
    of the points on it, and a threshold; once for Fisher's direction and once for that of the
    means.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with two columns of numbers, which are scaled, and a column of classes; made-up
        points if ``None``. Of more than two classes the most frequent two are used.
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
    >>> from quire.lessons import fisher_discriminant
    >>> lesson = fisher_discriminant()
    >>> [step.title for step in lesson.start.steps][-1]
    'Choose a threshold'
    >>> lesson.start.result["Right"]
    '98.8 %'
    """
    data = None
    if file is not None:
        data = read_points(file, columns, label, most=_POINTS, n_classes=2).standardised()
    settings = [_DIRECTION] if data is not None else [_DIRECTION, _CORRELATION]

    def run(direction: str, correlation: float = 0.0) -> tuple[list[Step], dict[str, Any]]:
        return _Walk(data if data is not None else _example(correlation), direction).steps()

    shown = data if data is not None else _example(_CORRELATION.start)
    return Lesson(
        name="fisher-discriminant",
        title="Fisher's discriminant",
        idea=[
            "Look at the points from the side, so that all of them fall on one line: from which "
            "side are the classes best told apart? The line through both means keeps the means as "
            "far apart as they can be, but classes that are long in an oblique direction may "
            "overlap on it all the same.",
            "Fisher asks for two things at once: means that are far apart, compared with how much "
            "each class scatters on the line. The best direction is the difference of the means, "
            "turned by the inverse of the scatter within the classes. A threshold on the line then "
            "divides the plane.",
        ],
        formulas=[
            r"J(w) = \frac{(w^\top m_2 - w^\top m_1)^2}{s_1^2 + s_2^2} = "
            r"\frac{w^\top S_B w}{w^\top S_W w}",
            r"S_B = (m_2 - m_1)(m_2 - m_1)^\top, \quad "
            r"S_W = \sum_k \sum_{n \in C_k} (x_n - m_k)(x_n - m_k)^\top",
            r"w \propto S_W^{-1} (m_2 - m_1)",
        ],
        symbols=[
            ("m_1, m_2", "the means of the classes"),
            ("w", "the direction; it points from the first class to the second"),
            ("s_k^2", "the sum of squares of class k on the line"),
            ("S_B, S_W", "scatter between and within the classes"),
        ],
        about_data=[
            f"{_EACH} made-up points of either class. Both classes have the same shape; how long "
            "and oblique it is can be changed below."
        ]
        if data is None
        else about_points(data),
        data=points_table(shown),
        settings=settings,
        runs=runs_over(settings, run),
        code=(
            "from quire.discriminant_analysis import fisher_criterion, fisher_direction\n"
            "w = fisher_direction(X, y)\n"
            "fisher_criterion(X, y, w)"
        ),
        given={"X": shown.X, "y": shown.y},
        guide=["Discriminants"],
    )


def _example(correlation: float) -> LabelledPoints:
    """Return two classes of the same shape beside each other."""
    rng = np.random.default_rng(6)
    drawn = rng.normal(size=(2 * _EACH, 2))
    second = correlation * drawn[:, 0] + np.sqrt(1 - correlation**2) * drawn[:, 1]
    X = np.column_stack([drawn[:, 0], second])
    X += np.repeat([[-0.9, -0.1], [0.9, 0.1]], _EACH, axis=0)
    y = np.repeat(["first", "second"], _EACH)
    return LabelledPoints(X, y, ("x₁", "x₂"), np.empty((0, 2)), np.empty(0))


@dataclass(frozen=True)
class _Walk:
    """The steps of one direction."""

    found: LabelledPoints
    direction: str

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        X, y = self.found.X, self.found.y
        scatter = scatter_matrices(X, y)
        w = fisher_direction(X, y, direction=self.direction)
        threshold = float(w @ scatter.means.mean(axis=0))
        right = float(np.mean((X @ w > threshold) == (self.found.codes == 1)))
        steps = [
            self._means(scatter),
            self._between(scatter),
            self._within(scatter),
            self._direction(scatter, w),
            self._around(scatter, w),
            self._projected(scatter, w),
            self._histograms(scatter, w),
            self._threshold(scatter, w, threshold, right),
        ]
        result = {
            "w": f"({plain(float(w[0]))}, {plain(float(w[1]))})",
            "J(w)": plain(fisher_criterion(X, y, w)),
            "Means apart on the line": plain(float(w @ (scatter.means[1] - scatter.means[0]))),
            "Right": share(right),
        }
        return steps, result

    def _plane(self, label: str) -> Picture:
        return plane(label, self.found, same_scale=True)

    def _marked(self, picture: Picture, scatter: Any) -> None:
        """Draw the means."""
        picture.points(scatter.means, [0, 1], shapes=[0, 1], size=7, outlined=True)

    def _with_legend(self, picture: Picture, *more: tuple[int | str, str]) -> Html:
        parts = [picture.svg(), classes_legend(self.found)]
        return join([*parts, legend(list(more))] if more else parts)

    def _means(self, scatter: Any) -> Step:
        picture = self._plane("The points and the means of their classes")
        draw_points(picture, self.found, opacity=0.6)
        picture.arrow(scatter.means[0], scatter.means[1])
        self._marked(picture, scatter)
        rows = [
            [name, int(n), plain(float(mean[0])), plain(float(mean[1]))]
            for name, n, mean in zip(
                self.found.classes, np.bincount(self.found.codes), scatter.means, strict=True
            )
        ]
        difference = scatter.means[1] - scatter.means[0]
        return Step(
            "Find the means",
            f"From the mean of {self.found.classes[0]!r} to that of {self.found.classes[1]!r} it "
            f"is {_vector(difference)}: the arrow.",
            self._with_legend(picture),
            table(["Class", "Points", *self.found.names], rows, "Means of the classes"),
            {"means": scatter.means, "difference": difference},
        )

    def _between(self, scatter: Any) -> Step:
        picture = self._plane("The means and what lies between them")
        draw_points(picture, self.found, opacity=0.25)
        picture.line(scatter.means, "ink", width=2)
        self._marked(picture, scatter)
        return Step(
            "Scatter between the classes",
            "The matrix S_B is the difference of the means times itself. On a direction w the "
            "squared distance of the means is wᵀ S_B w; the longest is along the arrow.",
            self._with_legend(picture),
            self._matrix("S_B", scatter.between),
            {"between": scatter.between},
        )

    def _within(self, scatter: Any) -> Step:
        picture = self._plane("How far the classes scatter about their means")
        n = len(self.found.y)
        for k in (0, 1):
            for deviations in (1.0, 2.0):
                picture.ellipse(
                    scatter.means[k], scatter.within / n, k, deviations=deviations, fill=0.08
                )
        draw_points(picture, self.found, opacity=0.7)
        self._marked(picture, scatter)
        return Step(
            "Scatter within the classes",
            "The matrix S_W adds up how far all points are from the mean of their own class. The "
            "ellipses show it, one and two deviations wide: where they are long, the points of a "
            "class are far from each other.",
            self._with_legend(picture),
            self._matrix("S_W", scatter.within),
            {"within": scatter.within},
        )

    def _matrix(self, name: str, matrix: Floats) -> Html:
        rows = [
            [row_name, *map(plain, row)]
            for row_name, row in zip(self.found.names, matrix.tolist(), strict=True)
        ]
        return table([name, *self.found.names], rows, name)

    def _both(self, scatter: Any) -> list[list[Any]]:
        """Return both directions and how good they are."""
        rows = []
        for name in ("fisher", "means"):
            w = fisher_direction(self.found.X, self.found.y, direction=name)
            apart = float(w @ (scatter.means[1] - scatter.means[0]))
            rows.append([name, _vector(w), plain(apart), plain(scatter.criterion(w))])
        return rows

    def _direction(self, scatter: Any, w: Floats) -> Step:
        picture = self._plane("The direction")
        draw_points(picture, self.found, opacity=0.4)
        middle = scatter.means.mean(axis=0)
        reach = 0.35 * (picture.y[1] - picture.y[0])
        for name, colour in (("means", "soft"), (self.direction, "ink")):
            towards = fisher_direction(self.found.X, self.found.y, direction=name)
            picture.arrow(middle - reach * towards, middle + reach * towards, colour, width=2.4)
        self._marked(picture, scatter)
        if self.direction == "fisher":
            said = (
                f"Solve S_W w = m₂ − m₁: w is in proportion to {_vector(w)}. It turns away from "
                "the direction in which the classes are long."
            )
        else:
            said = (
                f"Take the difference of the means itself: w is in proportion to {_vector(w)}. No "
                "other direction keeps the means further apart."
            )
        said += f" Fisher's criterion is J(w) = {plain(scatter.criterion(w))}."
        heads = ["Direction", "w", "means apart", "J(w)"]
        return Step(
            "Find the direction",
            said,
            self._with_legend(picture, ("ink", "w"), ("soft", "the means")),
            table(heads, self._both(scatter), "Both directions"),
            {"w": w, "criterion": scatter.criterion(w)},
        )

    def _around(self, scatter: Any, w: Floats) -> Step:
        angles = np.linspace(-90, 90, 121)
        turn = np.radians(angles)
        values = np.array(
            [scatter.criterion(one) for one in np.column_stack([np.cos(turn), np.sin(turn)])]
        )
        picture = Picture(
            "Fisher's criterion in every direction",
            (-90, 90),
            (0, float(values.max()) * 1.12),
            x_title="angle of the direction",
            y_title="J(w)",
            height=260,
            x_ticks=[(a, f"{a}°".replace("-", "−")) for a in (-90, -45, 0, 45, 90)],
        )
        picture.line(np.column_stack([angles, values]), 2, width=2)
        for name, colour in (("fisher", 3), ("means", 6)):
            towards = fisher_direction(self.found.X, self.found.y, direction=name)
            at = float(np.degrees(np.arctan(towards[1] / towards[0]))) if towards[0] else 90.0
            value = scatter.criterion(towards)
            picture.points([[at, value]], colour, size=6, outlined=name == self.direction)
        best = float(angles[values.argmax()])
        return Step(
            "Look in every direction",
            f"J(w) for every angle. The largest of {len(angles)} angles is at "
            f"{plain(best)}°, where Fisher's direction is; the direction of the means is a "
            "compromise with only half of the question.",
            join([picture.svg(), legend([(3, "fisher"), (6, "means")])]),
            table(
                ["Direction", "w", "means apart", "J(w)"], self._both(scatter), "Both directions"
            ),
            {"angles": angles, "criterion": values},
        )

    def _projected(self, scatter: Any, w: Floats) -> Step:
        picture = self._plane("Every point falls on the line")
        X = self.found.X
        middle = scatter.means.mean(axis=0)
        feet = middle + np.outer((X - middle) @ w, w)
        ends = line_at(picture, [-w[1], w[0]], float(np.array([-w[1], w[0]]) @ middle))
        if ends is not None:
            picture.line(ends, "ink", width=1.4)
        picture.segments(X, feet, "soft", width=0.6, opacity=0.7)
        draw_points(picture, self.found, opacity=0.35)
        codes = self.found.codes.tolist()
        picture.points(feet, codes, shapes=codes, size=3)
        z = X @ w
        rows = []
        for k, name in enumerate(self.found.classes):
            own = z[self.found.codes == k]
            squares = float(((own - own.mean()) ** 2).sum())
            rows.append([name, plain(float(own.mean())), plain(squares)])
        return Step(
            "Project the points",
            "Every point goes to the place on the line that is nearest to it: its number is wᵀx. "
            "Two numbers have become one.",
            self._with_legend(picture),
            table(["Class", "mean of wᵀx", "sum of squares"], rows, "On the line"),
            {"projected": z},
        )

    def _histograms(self, scatter: Any, w: Floats) -> Step:
        picture, edges, counts = self._on_the_line(w, self.direction)
        other = "means" if self.direction == "fisher" else "fisher"
        others = fisher_direction(self.found.X, self.found.y, direction=other)
        beside, _, other_counts = self._on_the_line(others, other)
        overlap, other_overlap = (int(np.minimum(*c).sum()) for c in (counts, other_counts))
        rows = [
            [self.direction, overlap, plain(scatter.criterion(w))],
            [other, other_overlap, plain(scatter.criterion(others))],
        ]
        return Step(
            "See what is left",
            f"The two classes on the line: their bars overlap by {overlap} of "
            f"{len(self.found.y)} points. Beside it, the same for the direction "
            f"{'of the means' if other == 'means' else 'of Fisher'}: {other_overlap}.",
            self._with_legend(picture),
            join([beside.svg(), table(["Direction", "Overlap", "J(w)"], rows, "Both directions")]),
            {"edges": edges, "counts": counts},
        )

    def _on_the_line(self, w: Floats, name: str) -> tuple[Picture, Floats, list[Any]]:
        """Return histograms of both classes on a direction, their edges and their counts."""
        z = self.found.X @ w
        limits = span(z, 0.05)
        edges = np.linspace(*limits, _BARS + 1)
        counts = [np.histogram(z[self.found.codes == k], edges)[0] for k in (0, 1)]
        picture = Picture(
            f"How the classes lie on the line, direction: {name}",
            limits,
            (0, float(np.max(counts)) * 1.1),
            x_title=f"wᵀx, direction: {name}",
            y_title="points",
            height=260,
        )
        for k in (0, 1):
            for count, left, right in zip(counts[k], edges[:-1], edges[1:], strict=True):
                if count:
                    corners = [[left, 0], [right, 0], [right, count], [left, count]]
                    picture.line(corners, k, width=1, closed=True, fill=0.35)
        return picture, edges, counts

    def _threshold(self, scatter: Any, w: Floats, threshold: float, right: float) -> Step:
        picture = self._plane("The plane, divided at the threshold")
        half_planes(picture, w, threshold)
        ends = line_at(picture, w, threshold)
        if ends is not None:
            picture.line(ends, "ink", width=2.4)
        draw_points(picture, self.found)
        self._marked(picture, scatter)
        guesses = self.found.X @ w > threshold
        truth = self.found.codes == 1
        rows = [
            [name, int(np.sum(~guesses[truth == k])), int(np.sum(guesses[truth == k]))]
            for k, name in enumerate(self.found.classes)
        ]
        return Step(
            "Choose a threshold",
            f"Half-way between the means on the line, at {plain(threshold)}: above it the answer "
            f"is {self.found.classes[1]!r}. {share(right)} of the points are right.",
            self._with_legend(picture),
            table(
                ["Is", *[f"said {name}" for name in self.found.classes]],
                rows,
                "What is said about each class",
            ),
            {"threshold": threshold, "right": right},
        )


def _vector(v: Floats) -> str:
    return f"({plain(float(v[0]))}, {plain(float(v[1]))})"
