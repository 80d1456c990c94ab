"""The lesson on decision trees: the plane is divided, one question after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.lessons._classified_plane import classes_legend, draw_points, plane
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._points import (
    LabelledPoints,
    about_points,
    card_points,
    points_table,
    read_points,
)
from quire.lessons._tree_boxes import draw_boxes, leaf_boxes
from quire.lessons._wording import listed, plain, share
from quire.tree import DecisionTreeClassifier

__all__ = ["decision_tree"]

_POINTS = 90
_SHOWN = 8  # leaves up to which their counts are written below them
_SETTINGS = [
    Setting("max_depth", "how many questions on the way to a leaf", (1, 2, 3, 5), 3),
    Setting("criterion", "how impurity is measured", ("gini", "entropy"), "gini"),
]


def decision_tree(
    file: Any = None,
    *,
    columns: Sequence[str] | None = None,
    label: str | None = None,
) -> Lesson:
    """Decision trees: the plane is divided by one question after the other.

    The steps are the divisions in the order in which the tree grew: the rectangles of the plane,
    the tree that they belong to, and the impurity that is left.

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
    >>> from quire.lessons import decision_tree
    >>> lesson = decision_tree()
    >>> [step.title for step in lesson.start.steps][:2]
    ['One leaf', 'Ask for salary (thousand)']
    >>> lesson.start.steps[1].numbers["n_leaves"]
    2
    """
    found = (
        card_points(_POINTS) if file is None else read_points(file, columns, label, most=_POINTS)
    )

    def run(max_depth: int, criterion: str) -> tuple[list[Step], dict[str, Any]]:
        model = DecisionTreeClassifier(
            criterion=criterion, max_depth=max_depth, random_state=0, keep_steps=True
        ).fit(found.X, found.y)
        return _Walk(model, found).steps()

    return Lesson(
        name="decision-tree",
        title="A decision tree grows",
        idea=[
            "A tree asks one question after the other, each about one number: is it at most a "
            "threshold? Every answer leads to a smaller part of the plane, and in the end to a "
            "leaf. A leaf answers with the class that most of its points have.",
            "To grow, try every column and every threshold, and take the question whose two sides "
            "are purest: where impurity, weighted by the number of points, falls most. Then do the "
            "same on both sides. A tree that may ask often enough learns every point by heart, and "
            "noise with them; the number of leaves measures how complex it is.",
        ],
        formulas=[
            r"\hat{p}_{mk} = \frac{1}{N_m} \sum_{x_d \in R_m} 1\{y_d = k\}",
            r"\text{Gini} = \sum_k \hat{p}_{mk} (1 - \hat{p}_{mk})",
            r"\text{entropy} = - \sum_k \hat{p}_{mk} \log_2 \hat{p}_{mk}",
            r"\min_{j, t} \frac{N_L}{N_m} i(L) + \frac{N_R}{N_m} i(R)",
        ],
        symbols=[
            ("R_m", "the part of the plane that belongs to node m"),
            ("N_m", "how many points are in it"),
            (r"\hat{p}_{mk}", "the share of class k among them"),
            ("j, t", "the column that is asked about, and the threshold"),
            ("i(L), i(R)", "impurity of the left and the right side"),
        ],
        about_data=[
            f"{len(found.y)} made-up applications for a credit card, and how they were decided: "
            "annual salary and outstanding debts. Others are kept out, to see what the tree is "
            "worth on people it has not met."
        ]
        if file is None
        else about_points(found),
        data=points_table(found),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.tree import DecisionTreeClassifier\n"
            "model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)\n"
            "model.predict_proba(X[:5])"
        ),
        given={"X": found.X, "y": found.y},
        guide=["Trees and forests"],
    )


@dataclass(frozen=True)
class _Walk:
    """The growth of one fitted tree."""

    model: Any
    found: LabelledPoints

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        splits = self.model.steps_
        numbers = {step.node: k for k, step in enumerate(splits[1:], start=1)}
        steps = [self._step(k, numbers) for k in range(len(splits))]
        rest = self.found.score_rest(self.model)
        result = {
            "Leaves": splits[-1].n_leaves,
            "Depth": int(self.model.get_depth()),
            "Impurity": plain(splits[-1].impurity),
            "Right, of those learned from": share(self.model.score(self.found.X, self.found.y)),
            "Right, of those kept out": None if rest is None else share(rest),
        }
        return steps, result

    def _counts(self, node: int) -> list[int]:
        """Return the points of each class in a node."""
        tree = self.model.tree_
        shares = tree.value[node, 0] / tree.value[node, 0].sum()
        return [round(one) for one in shares * tree.n_node_samples[node]]

    def _answer(self, node: int) -> int:
        return int(np.argmax(self.model.tree_.value[node, 0]))

    def _question(self, node: int) -> str:
        tree = self.model.tree_
        return f"{self.found.names[tree.feature[node]]} ≤ {plain(float(tree.threshold[node]))}"

    def _step(self, last: int, numbers: dict[int, int]) -> Step:
        split = self.model.steps_[last]
        grown = {node: k for node, k in numbers.items() if k <= last}
        leaves = leaf_boxes(self.model.tree_, grown)
        if last == 0:
            counts = self._counts(0)
            said = ", ".join(
                f"{n} {name}" for n, name in zip(counts, self.found.classes, strict=True)
            )
            title = "One leaf"
            caption = (
                f"Before any question all {sum(counts)} points are in one leaf: {said}, written "
                f"{' : '.join(map(str, counts))} from here on. Its impurity "
                f"({self.model.criterion}) is {plain(split.impurity)}, and its answer is "
                f"always {self.found.classes[self._answer(0)]}."
            )
        else:
            before = self.model.steps_[last - 1].impurity
            title = f"Ask for {self.found.names[split.feature]}"
            sides = listed(
                [
                    f"{' : '.join(map(str, self._counts(child)))} on the {side}"
                    for child, side in ((split.left, "left"), (split.right, "right"))
                ]
            )
            caption = (
                f"Question {last}: {self._question(split.node)}? It divides "
                f"{' : '.join(map(str, self._counts(split.node)))} points into {sides}. The "
                f"impurity of the whole tree falls from {plain(before)} to "
                f"{plain(split.impurity)}; it has {split.n_leaves} leaves."
            )
            if last == len(self.model.steps_) - 1:
                caption += " Here the tree ends."
        state = join([self._tree(grown, leaves), self._table(last)])
        return Step(
            title,
            caption,
            join([self._partition(leaves, grown, split.node), classes_legend(self.found)]),
            state,
            {
                "node": split.node,
                "feature": split.feature,
                "threshold": split.threshold,
                "impurity": split.impurity,
                "n_leaves": split.n_leaves,
            },
        )

    def _partition(
        self, leaves: list[tuple[int, Floats]], grown: dict[int, int], newest: int
    ) -> Html:
        picture = plane(f"The plane in {len(leaves)} parts", self.found)
        tree = self.model.tree_
        boxes = draw_boxes(picture, tree, leaves)
        draw_points(picture, self.found)
        if newest in grown:  # the line of the newest question
            sides = [
                box
                for child in (int(tree.children_left[newest]), int(tree.children_right[newest]))
                for node, box in boxes.items()
                if node == child
            ]
            box = np.array([np.min(sides, axis=0)[:, 0], np.max(sides, axis=0)[:, 1]]).T
            axis, at = int(tree.feature[newest]), float(tree.threshold[newest])
            ends = np.array([box[:, 0], box[:, 1]])
            ends[:, axis] = at
            picture.line(ends, "ink", width=2.5)
        return picture.svg()

    def _tree(self, grown: dict[int, int], leaves: list[tuple[int, Floats]]) -> Html:
        """Return a picture of the tree: questions with their numbers, leaves with their class."""
        tree = self.model.tree_
        depth = self._depths()
        places = {node: float(k) for k, (node, _) in enumerate(leaves)}
        for node in sorted(grown, reverse=True):  # children have larger numbers than their parent
            left, right = int(tree.children_left[node]), int(tree.children_right[node])
            places[node] = (places[left] + places[right]) / 2
        deepest = max(depth.values())
        picture = Picture(
            f"The tree with {len(leaves)} leaves",
            (-0.6, max(len(leaves) - 0.4, 0.6)),
            (-deepest - 0.6, 0.4),
            width=400,
            height=60 + 46 * deepest,
            axes=False,
        )
        for node in grown:
            for child in (int(tree.children_left[node]), int(tree.children_right[node])):
                picture.segments(
                    [[places[node], -depth[node]]], [[places[child], -depth[child]]], "soft"
                )
        for node, number in grown.items():
            at = places[node], -float(depth[node])
            picture.points([at], "panel", size=10, outlined=number == max(grown.values()))
            picture.text(*at, str(number), bold=True)
        for node, _ in leaves:
            at = places[node], -float(depth[node])
            answer = self._answer(node)
            picture.points([at], answer, size=7 if len(leaves) <= _SHOWN else 5, shapes=answer)
            if len(leaves) <= _SHOWN:
                counts = ":".join(map(str, self._counts(node)))
                picture.text(*at, counts, "soft", shift=(0, 18), size=11)
        return picture.svg()

    def _depths(self) -> dict[int, int]:
        tree = self.model.tree_
        depths = {0: 0}
        for node in range(tree.node_count):
            if tree.children_left[node] >= 0:
                depths[int(tree.children_left[node])] = depths[node] + 1
                depths[int(tree.children_right[node])] = depths[node] + 1
        return depths

    def _table(self, last: int) -> Html:
        first = self.model.steps_[0]
        rows: list[list[Any]] = [["", "no question", plain(first.impurity)]]
        for k, step in enumerate(self.model.steps_[1 : last + 1], start=1):
            rows.append([k, self._question(step.node), plain(step.impurity)])
        return table(["No.", "Question", "Impurity"], rows, "The questions so far")
