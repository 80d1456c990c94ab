"""The lesson on random forests: samples of samples, trees that disagree, and their vote."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture
from quire._shared.page.tables import table
from quire._shared.typing import Floats, Ints
from quire.ensemble import RandomForestClassifier
from quire.lessons._classified_plane import classes_legend, draw_points, grid, plane
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import thinned
from quire.lessons._points import (
    LabelledPoints,
    about_points,
    card_points,
    points_table,
    read_points,
)
from quire.lessons._tree_boxes import draw_boxes, leaf_boxes
from quire.lessons._wording import listed, share

__all__ = ["random_forest"]

_POINTS = 70
_STEPS = 9  # trees that are shown
_SETTINGS = [
    Setting("n_estimators", "how many trees vote", (5, 25, 100), 25),
    Setting("max_features", "columns that a question may choose from", (1, 2), 1),
]


def random_forest(
    file: Any = None,
    *,
    columns: Sequence[str] | None = None,
    label: str | None = None,
) -> Lesson:
    """Random forests: each tree sees another sample, and all of them vote.

    The steps draw bootstrap samples, grow a tree on each, and add its vote: the votes in the plane,
    and the error on points that trees have not seen.

    Parameters
    ----------
    file : path or data frame, default=None
        A table with two columns of numbers and a column of classes; made-up applications for a
        credit card if ``None``.
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
    >>> from quire.lessons import random_forest
    >>> lesson = random_forest()
    >>> [step.title for step in lesson.start.steps][:3]
    ['Draw a sample', 'Tree 1', 'Tree 2']
    """
    found = card_points(_POINTS)
    if file is not None:
        found = read_points(file, columns, label, most=_POINTS)

    def run(n_estimators: int, max_features: int) -> tuple[list[Step], dict[str, Any]]:
        return _Walk(found, n_estimators, max_features).steps()

    return Lesson(
        name="random-forest",
        title="A random forest votes",
        idea=[
            "A single tree is unstable: with a few other points it would have asked other "
            "questions. So grow many trees, each on a sample of its own, drawn from the same "
            "points with replacement: some points are in it twice or more, about a third not at "
            "all. That is bagging. A random forest also lets every question choose from a few "
            "columns only, drawn anew each time, so that the trees differ more.",
            "Then all trees vote, and what only one of them believes is outvoted. The points that "
            "a tree has not seen are a test for free: the out-of-bag error lets only those trees "
            "vote on a point that have not seen it.",
        ],
        formulas=[
            r"\hat{p}_k(x) = \frac{1}{B} \sum_{b=1}^{B} \hat{p}_k^{(b)}(x)",
            r"\hat{p}_k^{\text{oob}}(x_d) = \frac{1}{|B_d|} \sum_{b \in B_d} "
            r"\hat{p}_k^{(b)}(x_d), \quad B_d = \{ b : d \notin \text{sample} \; b \}",
        ],
        symbols=[
            ("B", "the number of trees"),
            (r"\hat{p}_k^{(b)}(x)", "the share of class k in the leaf of tree b where x falls"),
            ("B_d", "the trees that have not seen point d"),
        ],
        about_data=[
            f"{len(found.y)} made-up applications for a credit card: salary and debts, and how "
            "they were decided. Others are kept out, to see what the forest is worth."
        ]
        if file is None
        else about_points(found),
        data=points_table(found),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.ensemble import RandomForestClassifier\n"
            "forest = RandomForestClassifier(25, max_features=1, oob_score=True, random_state=0)\n"
            "forest.fit(X, y).oob_score_"
        ),
        given={"X": found.X, "y": found.y},
        guide=["Trees and forests"],
    )


@dataclass(frozen=True)
class _Walk:
    """A forest, tree by tree."""

    found: LabelledPoints
    n_trees: int
    max_features: int

    def _forest(self, n_trees: int) -> Any:
        """Return the first trees of the forest, which are the same however many follow."""
        forest = RandomForestClassifier(
            n_trees, max_features=self.max_features, oob_score=True, random_state=0, n_jobs=1
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # some points are in all samples so far
            return forest.fit(self.found.X, self.found.y)

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        numbers = [place + 1 for place in thinned(self.n_trees, _STEPS)]
        forests = {number: self._forest(number) for number in numbers}
        errors = {number: self._out_of_bag(forest)[0] for number, forest in forests.items()}
        last = forests[numbers[-1]]
        steps = [self._sample(last)]
        steps += [self._tree(number, forests[number], errors) for number in numbers]
        rest, alone = self.found.score_rest(last), self.found.score_rest(forests[1])
        result = {
            "Out-of-bag error": share(errors[self.n_trees]),
            "Right, of those learned from": share(last.score(self.found.X, self.found.y)),
            "Right, of those kept out": None if rest is None else share(rest),
            "One tree alone": None if alone is None else share(alone),
        }
        return steps, result

    def _times(self, forest: Any, place: int) -> Ints:
        """Return how often each point is in the sample of a tree."""
        times: Ints = np.bincount(forest.estimators_samples_[place], minlength=len(self.found.y))
        return times

    def _out_of_bag(self, forest: Any) -> tuple[float, int]:
        """Return the error of points by trees that have not seen them, and how many there are."""
        shares = np.nan_to_num(forest.oob_decision_function_)
        judged = shares.sum(axis=1) > 0
        wrong = shares.argmax(axis=1)[judged] != self.found.codes[judged]
        return float(wrong.mean()) if judged.any() else float("nan"), int(judged.sum())

    def _sample(self, forest: Any) -> Step:
        times = self._times(forest, 0)
        picture = plane("The sample of the first tree", self.found)
        self._draw_sample(picture, times)
        n = len(times)
        rows = [
            [f"{k} times" if k != 1 else "once", int(np.sum(times == k))]
            for k in range(int(times.max()) + 1)
        ]
        return Step(
            "Draw a sample",
            f"Draw {n} of {n} points with replacement. {int(np.sum(times > 0))} different points "
            f"are in the sample of the first tree, the larger the more often; the "
            f"{int(np.sum(times == 0))} faint ones are out of the bag.",
            join([picture.svg(), classes_legend(self.found)]),
            table(["In the sample", "Points"], rows, "How often points are in the sample"),
            {"times": times},
        )

    def _draw_sample(self, picture: Picture, times: Ints) -> None:
        codes = self.found.codes
        draw_points(picture, self.found, size=3.2, opacity=0.3)
        for k in range(1, int(times.max()) + 1):
            rows = np.flatnonzero(times == k)
            kinds = codes[rows].tolist()
            picture.points(self.found.X[rows], kinds, shapes=kinds, size=2.4 + 1.3 * k)

    def _tree(self, number: int, forest: Any, errors: dict[int, float]) -> Step:
        tree = forest.estimators_[-1].tree_
        times = self._times(forest, number - 1)
        picture = plane(f"Tree {number} and its sample", self.found)
        draw_boxes(picture, tree, leaf_boxes(tree))
        self._draw_sample(picture, times)
        error, n_judged = self._out_of_bag(forest)
        asked = self._asked()
        votes = self._votes(forest, asked)
        said = listed(
            [f"{n} for {name!r}" for n, name in zip(votes, self.found.classes, strict=True)]
        )
        one = "tree" if number == 1 else "trees"
        caption = (
            f"Tree {number} in the first picture has {tree.n_leaves} leaves for its sample. In the "
            f"second, {number} {one} vote: {said} on the new point, the large diamond. Out of the "
            f"bag, {share(error)} of {n_judged} points are wrong."
        )
        return Step(
            f"Tree {number}",
            caption,
            join([picture.svg(), classes_legend(self.found)]),
            join([self._voted(forest, asked), self._curve(number, errors)]),
            {
                "votes": votes,
                "n_leaves": int(tree.n_leaves),
                "times": times,
                "out_of_bag_error": error,
                "judged": n_judged,
            },
        )

    def _asked(self) -> Floats:
        """Return a new point that is voted on: between the means of the first two classes."""
        means = [self.found.X[self.found.codes == k].mean(axis=0) for k in (0, 1)]
        middle: Floats = np.mean(means, axis=0)
        return middle

    def _votes(self, forest: Any, asked: Floats) -> list[int]:
        answers = [int(tree.predict([asked])[0]) for tree in forest.estimators_]
        return [answers.count(k) for k in range(len(self.found.classes))]

    def _voted(self, forest: Any, asked: Floats) -> Html:
        picture = plane("The vote of all trees so far", self.found)
        xs, ys, winners = grid(
            picture, lambda points: forest.predict_proba(points).argmax(axis=1), 44, 34
        )
        picture.regions(xs, ys, winners, opacity=0.16)
        draw_points(picture, self.found, size=2.6, opacity=0.7)
        picture.points([asked], "ink", size=6, shapes=3)
        return picture.svg()

    def _curve(self, number: int, errors: dict[int, float]) -> Html:
        known = np.array([[k, error] for k, error in errors.items()])
        picture = Picture(
            "Out-of-bag error by the number of trees",
            (0.5, max(errors) + 0.5),
            (0.0, max(0.3, float(np.nanmax(known[:, 1])) * 1.15)),
            x_title="trees",
            y_title="error",
            height=150,
            x_ticks=_whole(max(errors)),
        )
        seen = known[known[:, 0] <= number]
        picture.line(known, 2, width=1, opacity=0.35)
        picture.line(seen, 2, width=2)
        picture.points(seen, 2, size=2.6)
        picture.points(seen[-1:], 2, size=4.5, outlined=True)
        return picture.svg()


def _whole(last: int) -> list[int]:
    """Return whole numbers for an axis."""
    step = max(1, last // 5)
    return list(range(step, last + 1, step))
