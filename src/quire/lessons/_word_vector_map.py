"""The lesson on maps between word vectors: countries move to their capitals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, legend, span
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.alignment import VectorMap
from quire.datasets import WordPairs, load_capitals
from quire.decomposition import PCA
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import thinned
from quire.lessons._wording import plain, share

__all__ = ["word_vector_map"]

_STEPS = 11  # of the descent that are shown
_MOST_STEPS = 10_000
_WATCHED = 4  # countries of either kind that are drawn
_JUDGED = 38  # pairs that are kept out
_SETTINGS = [
    Setting(
        "method",
        "how the map is found",
        ("gradient", "least_squares", "ridge", "orthogonal"),
        "gradient",
    ),
    Setting("pairs", "that are learned from", (25, 75), 75),
]


def word_vector_map() -> Lesson:
    """Word vectors of two kinds: one matrix takes countries to their capitals.

    The steps are those of gradient descent: countries move towards their capitals, and with those
    that were learned from move those that were not. The other methods find their map at once.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import word_vector_map
    >>> lesson = word_vector_map()
    >>> losses = [step.numbers["loss"] for step in lesson.start.steps[1:-1]]
    >>> losses == sorted(losses, reverse=True)
    True
    """
    capitals = load_capitals()
    plane = _plane_of(capitals)

    def run(method: str, pairs: int) -> tuple[list[Step], dict[str, Any]]:
        return _Walk(capitals, plane, method, pairs).steps()

    learn = capitals.pairs[:75]
    rows = [[country, capital] for country, capital in learn[:6]]
    return Lesson(
        name="word-vector-map",
        title="A map between word vectors",
        idea=[
            "Words become vectors in such a way that words of a kind lie together. Then a relation "
            "between words, such as that of a country to its capital, or of a word to its "
            "translation, is nearly the same movement everywhere. So look for one matrix R that "
            "takes the vectors of countries near to those of their capitals, from some pairs that "
            "are known.",
            "It takes all other countries along, and the word that is nearest to where a country "
            "arrives is the guess of its capital. What is made small is the squared Frobenius norm "
            "of what the map misses: downhill step by step, or by a formula at once. A rotation "
            "leaves all distances as they are.",
        ],
        formulas=[
            r"\min_R \lVert A R - B \rVert_F^2",
            r"R \leftarrow R - \eta \, 2 A^\top (A R - B)",
            r"R = (A^\top A)^{-1} A^\top B \quad \text{or} \quad R = U W^\top, \; "
            r"A^\top B = U S W^\top",
        ],
        symbols=[
            ("A", "vectors of the countries, a row each"),
            ("B", "vectors of their capitals, in the same order"),
            ("R", "the map"),
            (r"\eta", "the length of a step"),
            ("U, S, W", "a singular value decomposition: the best rotation"),
        ],
        about_data=[
            "113 countries and their capitals. The pairs are facts; the vectors, of 20 numbers "
            "each, are made up so that they behave as those learned from texts do. "
            f"{_JUDGED} pairs are kept out, to judge the map by.",
            "Pictures show two directions of the 20, the principal components of the capitals.",
        ],
        data=table(["Country", "Capital"], rows, "Some pairs"),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.alignment import VectorMap\n"
            'model = VectorMap("gradient", keep_steps=True).fit(source, target, learn)\n'
            'model.translate(["Italy"], k=3), model.precision_at_k(judge), model.loss_'
        ),
        given={
            "source": capitals.source,
            "target": capitals.target,
            "learn": learn,
            "judge": capitals.pairs[-_JUDGED:],
        },
        guide=["Maps between spaces of word vectors"],
    )


def _unit(vectors: Any) -> Floats:
    """Return rows of length 1, as the map sees them."""
    rows = np.asarray(vectors, dtype=float)
    units: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return units


def _plane_of(capitals: WordPairs) -> Any:
    """Return the two directions in which capitals vary most."""
    words = [capital for _, capital in capitals.pairs]
    return PCA(2).fit(_unit(capitals.target[words]))


@dataclass(frozen=True)
class _Walk:
    """The steps of one method."""

    capitals: WordPairs
    plane: Any  # a fitted PCA
    method: str
    n_pairs: int

    @property
    def learn(self) -> list[tuple[str, str]]:
        """The pairs that are learned from."""
        return self.capitals.pairs[: self.n_pairs]

    @property
    def judge(self) -> list[tuple[str, str]]:
        """The pairs that are kept out."""
        return self.capitals.pairs[-_JUDGED:]

    def _fit(self, n_steps: int | None = None) -> Any:
        """Return the map, of descent after so many steps."""
        is_descent = self.method == "gradient"
        model = VectorMap(
            self.method, max_iter=n_steps or _MOST_STEPS, keep_steps=is_descent, n_jobs=1
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(self.capitals.source, self.capitals.target, self.learn)

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        last = self._fit()
        steps = [self._pairs()]
        if self.method == "gradient":
            states = last.steps_
            losses = [state.loss for state in states]
            for place in thinned(len(states), _STEPS):
                is_last = place == len(states) - 1
                model = last if is_last or place == 0 else self._fit(place)
                steps.append(self._moved(place, states, losses, model))
        else:
            steps.append(self._at_once(last))
        steps.append(self._translated(last))
        found = last.precision_at_k(self.judge, ks=(1, 5))
        result = {
            "Steps": int(last.n_iter_) if self.method == "gradient" else 1,
            "Loss": plain(float(last.loss_)),
            "Loss per pair": plain(float(last.loss_) / self.n_pairs),
            "Nearest is right": share(found[1]),
            "Among five": share(found[5]),
        }
        return steps, result

    def _watched(self) -> list[tuple[str, str, bool]]:
        """Return countries that are drawn, capitals far from each other, and who was learned."""
        chosen: list[tuple[str, str, bool]] = []
        taken: list[Floats] = []
        for pairs, is_learned in ((self.capitals.pairs[:25], True), (self.judge, False)):
            left = [pair for pair in pairs if len(pair[1]) < 10]
            for _ in range(_WATCHED):
                places = self.plane.transform(_unit(self.capitals.target[[c for _, c in left]]))
                if taken:
                    away = np.min(
                        [np.hypot(*((places - one) * [1, 1.6]).T) for one in taken], axis=0
                    )
                else:
                    away = np.hypot(*places.T)
                best = int(away.argmax())
                taken.append(places[best])
                chosen.append((*left.pop(best), is_learned))
        return chosen

    def _picture(self, label: str, arrived: Any) -> Html:
        """Return the plane, with where the countries are that are watched.

        Parameters
        ----------
        label : str
            What there is to see.
        arrived : callable
            From countries to their vectors, mapped or not.
        """
        every = self.plane.transform(
            _unit(self.capitals.target[[capital for _, capital in self.capitals.pairs]])
        )
        watched = self._watched()
        countries = self.plane.transform(_unit(self.capitals.source[[c for c, _, _ in watched]]))
        picture = Picture(
            label,
            span(np.concatenate([every[:, 0], countries[:, 0]]), 0.12),
            span(np.concatenate([every[:, 1], countries[:, 1]])),
            height=340,
            x_ticks=[],
            y_ticks=[],
            x_title="first component",
            y_title="second component",
        )
        picture.points(every, "soft", size=1.8, opacity=0.5)
        goals = self.plane.transform(_unit(self.capitals.target[[c for _, c, _ in watched]]))
        now = self.plane.transform(arrived([c for c, _, _ in watched]))
        colours = [0 if is_learned else 1 for _, _, is_learned in watched]
        picture.segments(now, goals, "soft", dashes="3 3")
        picture.points(goals, colours, size=5, shapes=3)
        picture.points(now, colours, size=4, shapes=colours)
        for (_, capital, _), goal, at in zip(watched, goals, now, strict=True):
            shift = -12 if goal[1] >= at[1] else 12  # away from the country
            picture.text(float(goal[0]), float(goal[1]), capital, shift=(0, shift))
        marks = legend([(0, "country learned from"), (1, "country kept out")], shapes=True)
        return join([picture.svg(), marks, legend([("soft", "other capitals")])])

    def _pairs(self) -> Step:
        rows = [
            [country, capital, "learned from" if is_learned else "kept out"]
            for country, capital, is_learned in self._watched()
        ]
        return Step(
            "Countries and capitals",
            f"{self.n_pairs} pairs are learned from. Countries lie together by continent, and so "
            "do capitals; from every country to its capital, a diamond, it is a similar way.",
            self._picture(
                "Countries and their capitals", lambda words: _unit(self.capitals.source[words])
            ),
            table(["Country", "Capital", ""], rows, "The countries in the picture"),
            {"n_pairs": self.n_pairs},
        )

    def _moved(self, place: int, states: Any, losses: list[float], model: Any) -> Step:
        state = states[place]

        def arrived(words: list[str]) -> Floats:
            if place == 0:
                moved: Floats = _unit(self.capitals.source[words]) @ state.R
            else:
                moved = model.transform(np.asarray(self.capitals.source[words]))
            return moved

        right = model.precision_at_k(self.judge, ks=(1,))[1] if place else 0.0
        if place == 0:
            title = "Begin with zeros"
            caption = (
                "The map of zeros takes every country to the origin. The loss is "
                f"{plain(losses[0])}: one for each pair, as all vectors have length 1."
            )
        else:
            title = f"Step {place}"
            caption = (
                f"One more step against the gradient, {plain(state.step_size)} long for each unit "
                f"of it. The loss is {plain(state.loss)}, and {share(right)} of the countries kept "
                "out are nearest to their capital."
            )
            if place == len(states) - 1:
                caption += " The gradient is nearly zero: this is the least-squares map."
        rows = [
            ["loss", plain(state.loss)],
            ["length of the gradient", plain(state.gradient_norm)],
            ["nearest is right", share(right)],
        ]
        return Step(
            title,
            caption,
            self._picture("Where the map takes countries", arrived),
            join([_curve(place, losses), table(["", "Here"], rows, "Where the descent is")]),
            {
                "loss": state.loss,
                "gradient_norm": state.gradient_norm,
                "step_size": state.step_size,
                "precision": right,
            },
        )

    def _at_once(self, model: Any) -> Step:
        how = {
            "least_squares": "The least-squares map has the smallest loss on these pairs.",
            "ridge": "With a penalty on large numbers in R the loss on these pairs is larger.",
            "orthogonal": "The best rotation leaves the distances between countries as they were; "
            "its loss on these pairs is larger.",
        }[self.method]
        right = model.precision_at_k(self.judge, ks=(1,))[1]
        sizes = np.linalg.svd(model.R_, compute_uv=False)
        rows = [
            ["loss", plain(float(model.loss_))],
            ["largest stretch", plain(float(sizes[0]))],
            ["smallest stretch", plain(float(sizes[-1]))],
            ["nearest is right", share(right)],
        ]
        return Step(
            "The map at once",
            f"{how} It is {plain(float(model.loss_))}, and {share(right)} of the countries kept "
            "out are nearest to their capital.",
            self._picture(
                "Where the map takes countries",
                lambda words: model.transform(np.asarray(self.capitals.source[words])),
            ),
            table(["", "Here"], rows, "The map"),
            {"loss": float(model.loss_), "precision": right},
        )

    def _translated(self, model: Any) -> Step:
        asked = self.judge[:12]
        found = model.translate([country for country, _ in asked], k=3)
        rows = [
            [country, words[0][0], "yes" if words[0][0] == capital else f"no: {capital}"]
            for (country, capital), words in zip(asked, found, strict=True)
        ]
        precision = model.precision_at_k(self.judge, ks=(1, 5))
        return Step(
            "Ask for capitals",
            f"Of {len(self.judge)} countries kept out, {share(precision[1])} arrive nearest to "
            f"their capital, and {share(precision[5])} have it among the five nearest words.",
            self._picture(
                "Where the map takes countries",
                lambda words: model.transform(np.asarray(self.capitals.source[words])),
            ),
            table(["Country", "Nearest word", "Right?"], rows, "Countries that were kept out"),
            {"precision": {str(k): value for k, value in precision.items()}},
        )


def _curve(place: int, losses: list[float]) -> Html:
    """Return the loss by step, as far as it is known; steps on a scale of powers."""
    last = len(losses) - 1
    known = np.unique(np.concatenate([np.geomspace(1, last, 60).astype(int), [0, place]]))
    line = np.column_stack([np.log10(known + 1), np.array(losses)[known]])
    marks = [k for k in (0, 1, 3, 10, 30, 100, 300, 1000, 3000) if k <= last]
    picture = Picture(
        "The loss by step",
        span(line[:, 0], 0.04),
        (0.0, max(losses) * 1.08),
        x_title="step, on a scale of powers",
        y_title="loss",
        height=190,
        x_ticks=[(float(np.log10(k + 1)), f"{k:,}") for k in marks],
    )
    picture.line(line, 2, width=1, opacity=0.35)
    picture.line(line[known <= place], 2, width=2.2)
    picture.points(line[known == place], 2, size=4.5, outlined=True)
    return picture.svg()
