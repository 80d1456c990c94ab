"""The lesson on principal components: the directions in which the data varies most."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, bars, legend, span
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.decomposition import PCA, PCAStep
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import plane
from quire.lessons._reading import Measurements, numbers_table, read_numbers, sentences
from quire.lessons._wording import listed, plain, share

__all__ = ["principal_components"]

_SETTINGS = [
    Setting("columns", "of the data that are looked at", ("two", "all"), "two"),
    Setting("scaled", "each column to deviation 1 first", ("no", "yes"), "no"),
]
_ANGLES = (0, 30, 90, 135)
_MOST = 8  # components that have a step of their own


def principal_components(file: Any = None, *, columns: list[str] | None = None) -> Lesson:
    """Principal components: the directions in which the data varies most, one after the other.

    In two columns the steps try directions, and then show those that
    :class:`quire.decomposition.PCA` finds; in more, they take out one component after the other
    (``keep_steps=True``) and say how much variance is left.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with two columns of numbers or more.
    columns : list of str, default=None
        Columns of it; all of numbers.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import principal_components
    >>> lesson = principal_components()
    >>> [step.title for step in lesson.start.steps][-3:]
    ['The first component', 'The second component', 'Keep one']
    """
    if file is None:
        found = _example()
        about = [
            "Marks of forty made-up pupils in four subjects. Who is good at algebra tends to be "
            "good at physics; history is marked out of a hundred, the others out of twenty."
        ]
    else:
        found = read_numbers(file, columns, n_columns=None)
        about = [f"{len(found.X):,} rows of {found.source}.", *sentences(found.notes)]

    def run(columns: str, scaled: str) -> tuple[list[Step], dict[str, Any]]:
        X = found.X[:, :2] if columns == "two" else found.X
        names = found.names[: X.shape[1]]
        if scaled == "yes":
            deviation = X.std(axis=0)
            X = X / np.where(deviation > 0, deviation, 1)
        model = PCA(keep_steps=True).fit(X)
        first = model.components_[0]
        result = {
            "First component": ", ".join(
                f"{plain(float(w), 2)} {name}" for w, name in zip(first, names, strict=True)
            ),
            "Share of variance": share(float(model.explained_variance_ratio_[0])),
            "with two": share(min(1.0, float(model.explained_variance_ratio_[:2].sum()))),
        }
        steps = _two(model, X, names) if columns == "two" else _all(model, X, names)
        return steps, result

    return Lesson(
        name="principal-components",
        title="Principal components",
        idea=[
            "Put a line through the middle of the data and let every point fall onto it at a "
            "right angle. How widely the fallen points are spread depends on the direction of the "
            "line. The first principal component is the direction in which they are spread most; "
            "the second is the best one at a right angle to it, and so on.",
            "A few components often keep most of the variance of many columns, so that rows can "
            "be drawn on a plane or described by a few numbers. Variance depends on units: a "
            "column in grams varies more than the same in kilograms. Scale columns first, unless "
            "they have the same unit.",
        ],
        formulas=[
            r"w_1 = \arg \max_{\lVert w \rVert = 1} "
            r"\frac{1}{N - 1} \sum_d (w^\top (x_d - \bar{x}))^2",
            r"S w_j = \lambda_j w_j, \quad \lambda_1 \ge \lambda_2 \ge \ldots",
        ],
        symbols=[
            (r"\bar{x}", "the mean of the rows"),
            ("w_j", "component j, a direction of length one"),
            ("S", "the covariance matrix of the columns"),
            (r"\lambda_j", "the variance along component j"),
        ],
        about_data=list(about),
        data=numbers_table(found),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.decomposition import PCA\n"
            "model = PCA(2, keep_steps=True).fit(X)\n"
            "model.transform(X), model.explained_variance_ratio_, model.steps_"
        ),
        given={"X": found.X},
        guide=["Principal components"],
    )


def _example() -> Measurements:
    """Return marks: two abilities, and what each subject asks of them."""
    draw = np.random.default_rng(12)
    abilities = draw.normal(size=(40, 2)) @ np.array([[1.0, 0.35], [0.0, 0.94]])
    asked = np.array([[3.0, 2.6, 0.4, 4.0], [0.2, 0.6, 2.8, 13.0]])
    noise = draw.normal(size=(40, 4)) * np.array([1.0, 1.3, 1.2, 5.0])
    marks = np.array([11, 11, 12, 58]) + abilities @ asked + noise
    X = np.clip(marks, 0, [20, 20, 20, 100]).round()
    return Measurements(X, ["algebra", "physics", "poetry", "history"], [], [], "")


def _two(model: Any, X: Floats, names: list[str]) -> list[Step]:
    """Return the steps of two columns: directions that are tried, and the best ones."""
    centred = X - model.mean_
    total = float(np.var(X, axis=0, ddof=1).sum())
    spread = [plain(float(v)) for v in np.var(X, axis=0, ddof=1)]
    steps = [
        Step(
            "The data",
            f"The variance is {listed([f'{v} in {n}' for v, n in zip(spread, names, strict=True)])}"
            f", together {plain(total)}.",
            _cloud(X, X, names, None),
            table(["Column", "Variance"], list(zip(names, spread, strict=True)), "Variances"),
            {"variances": np.var(X, axis=0, ddof=1)},
        ),
        Step(
            "Centre it",
            "Subtract the mean of each column. The middle of the data is now at zero, and lines "
            "through zero are all that is needed.",
            _cloud(centred, centred, names, None),
            table(
                ["Column", "Mean"],
                [[n, plain(float(m))] for n, m in zip(names, model.mean_, strict=True)],
                "Means",
            ),
            {"mean": model.mean_},
        ),
    ]
    tried: list[list[Any]] = []
    for angle in _ANGLES:
        direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        along = float(np.var(centred @ direction, ddof=1))
        tried.append([f"{angle}°", plain(along), share(along / total)])
        steps.append(
            Step(
                f"Try {angle}°",
                f"Let the points fall onto a line at {angle}°. Their variance along it is "
                f"{plain(along)}, {share(along / total)} of all.",
                _cloud(centred, centred, names, direction),
                table(["Direction", "Variance", "Share"], tried, "Directions that were tried"),
                {"angle": angle, "variance": along},
            )
        )
    for number, step in enumerate(model.steps_):
        degrees = float(np.degrees(np.arctan2(step.component[1], step.component[0])) % 180)
        tried.append([f"{plain(degrees)}°", plain(step.variance), share(step.variance / total)])
        said = (
            f"The best line lies at {plain(degrees)}°, with a variance of {plain(step.variance)}: "
            f"{share(step.variance / total)} of all. {plain(step.remaining)} is left."
        )
        if number:
            said = (
                f"What is left lies at a right angle, at {plain(degrees)}°, with a variance of "
                f"{plain(step.variance)}. The two add up to all there was."
            )
        steps.append(
            Step(
                ("The first component", "The second component")[number],
                said,
                _cloud(centred, centred, names, step.component, colour=1 + number),
                table(["Direction", "Variance", "Share"], tried, "Directions that were tried"),
                _numbers(step),
            )
        )
    first = model.components_[0]
    kept = np.outer(centred @ first, first)
    lost = float(((centred - kept) ** 2).sum() / (len(X) - 1))
    ratio = float(model.explained_variance_ratio_[0])
    steps.append(
        Step(
            "Keep one",
            f"One number for each row instead of two: where it falls on the first component. That "
            f"keeps {share(ratio)} of the variance; {plain(lost)} is lost, the variance of the "
            "second.",
            _cloud(centred, kept, names, first, colour=1),
            table(
                ["Component", "Variance", "Share"],
                [
                    [f"{j + 1}", plain(step.variance), share(step.variance / total)]
                    for j, step in enumerate(model.steps_)
                ],
                "Variance of each component",
            ),
            {"explained_variance_ratio": model.explained_variance_ratio_, "lost": lost},
        )
    )
    return steps


def _numbers(step: PCAStep) -> dict[str, Any]:
    return {
        "component": step.component,
        "variance": step.variance,
        "remaining": step.remaining,
    }


def _cloud(
    X: Floats, shown: Floats, names: list[str], direction: Floats | None, colour: int = 1
) -> Html:
    """Return points, and how they fall onto a line."""
    picture = plane("Points, and where they fall on a line", X, names)
    if direction is not None:
        far = np.abs(X @ direction).max() * 1.15
        picture.line([-far * direction, far * direction], colour, width=2.5)
        fallen = np.outer(X @ direction, direction)
        picture.segments(X, fallen, "soft", opacity=0.6)
        picture.points(X, 0, size=3.5, opacity=0.45 if shown is not X else 0.9)
        picture.points(fallen, colour, size=3, shapes=3)
        marks = [(0, "rows"), (colour, "where they fall")]
        return join([picture.svg(), legend(marks)])
    picture.points(X, 0, size=3.5)
    picture.points([X.mean(axis=0)], 1, size=6, shapes=3, outlined=True)
    return join([picture.svg(), legend([(0, "rows"), (1, "the mean")])])


def _all(model: Any, X: Floats, names: list[str]) -> list[Step]:
    """Return the steps of many columns: one component after the other is taken out."""
    variances = np.var(X, axis=0, ddof=1)
    total = float(variances.sum())
    shown = [plain(float(v)) for v in variances]
    largest = int(np.argmax(variances))
    steps = [
        Step(
            "The columns",
            f"The variances of all columns add up to {plain(total)}; {names[largest]} has "
            f"{share(float(variances[largest]) / total)} of it.",
            bars("Variance of each column", names, [variances], [shown]),
            table(["Column", "Variance"], list(zip(names, shown, strict=True)), "Variances"),
            {"variances": variances},
        )
    ]
    left = [["before", "", plain(total)]]
    for number, step in enumerate(model.steps_[:_MOST]):
        left.append([f"{number + 1}", plain(step.variance), plain(max(step.remaining, 0.0))])
        weights = [plain(float(w)) for w in step.component]
        strongest = np.argsort(-np.abs(step.component), kind="stable")[:2]
        steps.append(
            Step(
                f"Component {number + 1}",
                f"It has a variance of {plain(step.variance)}, {share(step.variance / total)} of "
                f"all, and leaves {share(max(step.remaining, 0.0) / total)}. It is mostly "
                f"{listed([names[k] for k in strongest])}.",
                join(
                    [
                        bars(
                            f"Weights of component {number + 1}",
                            names,
                            [step.component],
                            [weights],
                            colours=[0, 1],
                            limits=(-1, 1),
                        ),
                        legend([(0, "above zero"), (1, "below zero")]),
                    ]
                ),
                table(["Component", "Variance", "Left"], left, "Variance, and what is left"),
                _numbers(step),
            )
        )
    steps.append(_map(model, X, names))
    return steps


def _named_ends(picture: Picture, ends: Floats, names: list[str]) -> None:
    """Write a name beside the end of each arrow, one below the other where they are close."""
    floor = {"start": -np.inf, "end": -np.inf}
    for k in np.argsort(-ends[:, 1], kind="stable"):
        side = "start" if ends[k, 0] >= 0 else "end"
        _, place = picture.at(ends[k, 0], ends[k, 1])
        lower = max(0.0, floor[side] + 14 - place)
        floor[side] = place + lower
        shift = (6.0 if side == "start" else -6.0, lower)
        picture.text(ends[k, 0], ends[k, 1], names[k], anchor=side, shift=shift, bold=True)


def _map(model: Any, X: Floats, names: list[str]) -> Step:
    """Return the rows on the first two components, and the columns as arrows."""
    places = model.transform(X)[:, :2]
    both = float(model.explained_variance_ratio_[:2].sum())
    size = float(np.abs(places).max())
    longest = float(np.linalg.norm(model.components_[:2], axis=0).max())
    scale = 0.95 * size / longest
    ends = model.components_[:2].T * scale
    corners = np.vstack([places, ends, -0.2 * ends])
    picture = Picture(
        "Rows and columns on the first two components",
        span(corners[:, 0], 0.2),
        span(corners[:, 1], 0.12),
        x_title="first component",
        y_title="second component",
        same_scale=True,
    )
    picture.points(places, 0, size=3.5, opacity=0.7)
    for end in ends:
        picture.arrow((0, 0), end, 1, width=1.8)
    _named_ends(picture, ends, names)
    rows = [
        [f"{j + 1}", share(float(r)), share(min(1.0, float(c)))]
        for j, (r, c) in enumerate(
            zip(
                model.explained_variance_ratio_[:_MOST],
                np.cumsum(model.explained_variance_ratio_)[:_MOST],
                strict=True,
            )
        )
    ]
    return Step(
        "Rows on two components",
        f"Each row at its places on the first two components, which keep {share(min(1.0, both))} "
        "of the variance. An arrow says in which direction a column grows.",
        picture.svg(),
        table(["Component", "Share", "So far"], rows, "Shares of the variance"),
        {"explained_variance_ratio": model.explained_variance_ratio_, "places": places},
    )
