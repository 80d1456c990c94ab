"""The lesson on ordered outcomes: a score that nobody sees, and thresholds that cut it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import logistic, norm
from sklearn.exceptions import ConvergenceWarning

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, bars, legend, span
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.datasets import RegimeRatings, make_regimes
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import thinned
from quire.lessons._reading import Measurements, numbers_table
from quire.lessons._wording import listed, plain, share, signed
from quire.linear_model import OrdinalRegression

__all__ = ["ordered_outcomes"]

_LEARNED = 120
_ITERATIONS = 6  # that are shown
_SETTINGS = [
    Setting("link", "the distribution of the error", ("logit", "probit"), "logit"),
    Setting("C", "the larger, the weaker the penalty", (0.01, 0.1, 10.0), 10.0),
]


def ordered_outcomes() -> Lesson:
    """Ordered outcomes: a score that nobody sees, and thresholds that cut it into ratings.

    The steps find weights and thresholds by Newton's method, look at single regimes and the
    probabilities of their ratings, and judge the model by regimes that were kept out.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import ordered_outcomes
    >>> lesson = ordered_outcomes()
    >>> rated = lesson.start.steps[0].numbers["counts"]
    >>> int(sum(rated))
    120
    """
    data = make_regimes(300, random_state=0)
    X, y = data.X[:_LEARNED], data.rating[:_LEARNED]

    def run(link: str, C: float) -> tuple[list[Step], dict[str, Any]]:
        return _Walk(data, link, C).steps()

    some = [0, 2, 6, 7]
    shown = Measurements(
        np.column_stack([X[:, some], y]),
        [*[data.indicators[k] for k in some], "rating"],
        [],
        [],
        "",
    )
    return Lesson(
        name="ordered-outcomes",
        title="Ordered outcomes",
        idea=[
            "Ratings have an order, but no distances: from 1 to 2 may be a longer way than from 4 "
            "to 5. So think of a score behind the rating, a weighted sum of what is known, that "
            "nobody sees. Experts see it with an error, and write down between which thresholds "
            "they saw it.",
            "Learning is finding weights and thresholds together, so that the ratings that were "
            "given become as probable as possible. One set of weights serves all ratings: it says "
            "what moves a regime up or down the scale, and the thresholds say where it is cut.",
        ],
        formulas=[
            r"P(y \le j \mid x) = F(\theta_j - w^\top x)",
            r"P(y = j \mid x) = F(\theta_j - w^\top x) - F(\theta_{j-1} - w^\top x)",
            r"\min_{w, \theta} - C \sum_d \log P(y_d \mid x_d) + \frac{1}{2} \lVert w \rVert^2",
        ],
        symbols=[
            ("w^\\top x", "the score"),
            (r"\theta_j", "the thresholds, rising"),
            ("C", "how much the ratings count beside the penalty"),
            ("F", "the distribution of the error: logistic (logit) or normal (probit)"),
        ],
        about_data=[
            f"{_LEARNED} made-up political regimes with a rating from 1 (closed) to 5 (open), and "
            f"{len(data.rating) - _LEARNED} that are kept out. There are eight indicators with "
            "mean 0 and variance 1, half of them in the table; two count nothing. The true "
            "weights and thresholds are known, as the data is drawn from the model with logistic "
            "errors."
        ],
        data=numbers_table(shown),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.linear_model import OrdinalRegression\n"
            'model = OrdinalRegression(link="logit", C=10).fit(X, y)\n'
            "model.coef_, model.thresholds_, model.latent(X[:3]), model.predict_proba(X[:3])"
        ),
        given={"X": X, "y": y},
        guide=["Ordered outcomes"],
    )


@dataclass(frozen=True)
class _Walk:
    """The steps of one model."""

    data: RegimeRatings
    link: str
    C: float

    @property
    def X(self) -> Floats:
        """The regimes that are learned from."""
        return self.data.X[:_LEARNED]

    @property
    def y(self) -> Any:
        """Their ratings."""
        return self.data.rating[:_LEARNED]

    def _fit(self, n_iterations: int = 100) -> Any:
        link: Literal["logit", "probit"] = "logit" if self.link == "logit" else "probit"
        model = OrdinalRegression(
            link=link, C=self.C, solver="newton", max_iter=n_iterations, n_jobs=1
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(self.X, self.y)

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        last = self._fit()
        n = int(last.n_iter_)
        steps = [self._ratings(last)]
        for place in thinned(n, _ITERATIONS):
            is_last = place == n - 1
            steps.append(self._iteration(place + 1, last if is_last else self._fit(place + 1), n))
        order = np.argsort(last.latent(self.X))
        for what, at in (("low", 0.08), ("middle", 0.5), ("high", 0.9)):
            steps.append(self._regime(last, int(order[int(at * _LEARNED)]), what))
        steps.append(self._judged(last))
        unseen, truth = self.data.X[_LEARNED:], self.data.rating[_LEARNED:]
        said = last.predict(unseen)
        seen = float(np.corrcoef(last.latent(unseen), self.data.score[_LEARNED:])[0, 1])
        result = {
            "w of elections": signed(float(last.coef_[0])),
            "Thresholds": ", ".join(plain(float(t)) for t in last.thresholds_),
            "Right, of those kept out": share(float(np.mean(said == truth))),
            "Off by one at most": share(float(np.mean(np.abs(said - truth) <= 1))),
            "Correlation with the truth": plain(seen),
        }
        return steps, result

    def _ratings(self, model: Any) -> Step:
        classes = [str(one) for one in model.classes_]
        counts = np.array([np.sum(self.y == one) for one in model.classes_])
        below = np.cumsum(counts) / counts.sum()
        rows = [
            [name, int(n), share(float(part))]
            for name, n, part in zip(classes, counts, below, strict=True)
        ]
        return Step(
            "Count the ratings",
            f"{int(counts[0])} of {_LEARNED} regimes have the lowest rating, and "
            f"{int(counts[-1])} the highest. What is modelled is the share of ratings up to each "
            "one, for a given score.",
            bars("Ratings", classes, [counts], [[str(n) for n in counts]]),
            table(["Rating", "Regimes", "Up to here"], rows, "Ratings"),
            {"counts": counts},
        )

    def _loss(self, model: Any) -> float:
        chances = model.predict_proba(self.X)
        places = np.searchsorted(model.classes_, self.y)
        return float(-np.mean(np.log(chances[np.arange(len(places)), places])))

    def _iteration(self, number: int, model: Any, n: int) -> Step:
        thresholds = listed([plain(float(t)) for t in model.thresholds_])
        loss = self._loss(model)
        objective = self.C * len(self.y) * loss + float(model.coef_ @ model.coef_) / 2
        said = (
            f"The thresholds are now {thresholds}; the objective, with the penalty on the "
            f"weights, is {plain(objective)}, and the mean of −log P(y | x) is {plain(loss)}. "
            "Every point is a regime, at its score and in the row of its rating."
        )
        if self.link == "probit":
            said += " A normal error has deviation 1, a logistic one 1.8: all numbers are smaller."
        if number == n:
            said += " This is the best place for all of them."
        values = [float(w) for w in model.coef_]
        true = [float(w) for w in self.data.weights]
        weights = bars(
            "Weights of the indicators",
            self.data.indicators,
            [values, true],
            [[signed(w) for w in values], [signed(w) for w in true]],
            colours=[0, "soft"],
        )
        return Step(
            f"Iteration {number}",
            said,
            join([self._scores(model), legend([("ink", "thresholds")])]),
            join([weights, legend([(0, "weight"), ("soft", "truth")])]),
            {
                "weights": model.coef_,
                "thresholds": model.thresholds_,
                "loss": loss,
                "objective": objective,
            },
        )

    def _scores(self, model: Any) -> Html:
        scores = model.latent(self.X)
        n = len(model.classes_)
        picture = Picture(
            "Scores of the regimes by their rating, and the thresholds",
            span([*scores, *model.thresholds_], 0.06),
            (0.4, n + 0.6),
            x_title="score",
            y_title="rating",
            height=300,
            y_ticks=list(range(1, n + 1)),
        )
        edges = [picture.x[0], *[float(t) for t in model.thresholds_], picture.x[1]]
        for k in range(n):
            left, right = edges[k], edges[k + 1]
            corners = [[left, 0.4], [right, 0.4], [right, n + 0.6], [left, n + 0.6]]
            picture.line(corners, k, width=0, closed=True, fill=0.1)
        rows = np.asarray(self.y, dtype=float)
        away = 0.32 * (np.arange(len(rows)) % 7 - 3) / 3  # so that points are apart
        picture.points(
            np.column_stack([scores, rows + away]), [int(k) - 1 for k in self.y], size=2.8
        )
        for threshold in model.thresholds_:
            at = float(threshold)
            picture.line([[at, 0.4], [at, n + 0.6]], "ink", width=1.6)
        return picture.svg()

    def _regime(self, model: Any, row: int, what: str) -> Step:
        x = self.X[[row]]
        score = float(model.latent(x)[0])
        chances = model.predict_proba(x)[0]
        classes = [str(one) for one in model.classes_]
        best = int(chances.argmax())
        density = (logistic if self.link == "logit" else norm).pdf
        reach = 5.0 if self.link == "logit" else 3.2
        low = min(score - reach, float(model.thresholds_[0]) - 1)
        high = max(score + reach, float(model.thresholds_[-1]) + 1)
        top = float(density(0)) * 1.15
        picture = Picture(
            "Where experts may see the regime, and the thresholds",
            (low, high),
            (0, top),
            x_title="score as it is seen",
            height=260,
            y_ticks=[],
        )
        edges = [low, *[float(t) for t in model.thresholds_], high]
        for k in range(len(classes)):
            xs = np.linspace(edges[k], edges[k + 1], 30)
            line = np.column_stack([xs, density(xs - score)])
            area = np.vstack([line, [[edges[k + 1], 0], [edges[k], 0]]])
            picture.line(area, k, width=1, closed=True, fill=0.4)
            if edges[k + 1] - edges[k] > 0.04 * (high - low):
                picture.text((edges[k] + edges[k + 1]) / 2, top, classes[k], shift=(0, 8))
        for threshold in model.thresholds_:
            picture.line([[float(threshold), 0], [float(threshold), top]], "ink", width=1.2)
        rows = [
            [name, share(float(p)), "given" if name == str(self.y[row]) else ""]
            for name, p in zip(classes, chances, strict=True)
        ]
        return Step(
            f"A regime with a {what} score",
            f"Its score is {plain(score)}. Experts see it with an error, so that it may fall "
            f"between other thresholds: the areas are the probabilities. Most probable is "
            f"{classes[best]}, with {share(float(chances[best]))}; {self.y[row]} was given.",
            picture.svg(),
            table(["Rating", "Probability", ""], rows, "Probabilities of the ratings"),
            {"score": score, "probabilities": chances},
        )

    def _judged(self, model: Any) -> Step:
        unseen, truth = self.data.X[_LEARNED:], self.data.rating[_LEARNED:]
        said = model.predict(unseen)
        classes = [int(one) for one in model.classes_]
        counts = np.array(
            [[int(np.sum((truth == a) & (said == b))) for b in classes] for a in classes]
        )
        right = float(np.mean(said == truth))
        near = float(np.mean(np.abs(said - truth) <= 1))
        found, score = model.latent(unseen), self.data.score[_LEARNED:]
        picture = Picture(
            "The score that was found against the true one",
            span(score),
            span(found),
            x_title="true score",
            y_title="score found",
            height=300,
        )
        picture.points(np.column_stack([score, found]), [int(k) - 1 for k in truth], size=3)
        rows = [[str(a), *row] for a, row in zip(classes, counts.tolist(), strict=True)]
        return Step(
            "Judge by others",
            f"Of {len(truth)} regimes that were kept out {share(right)} get their rating, and "
            f"{share(near)} are off by one at most. The score that was found follows the true one, "
            "which the model has never seen.",
            join([picture.svg(), legend([(k, f"rating {one}") for k, one in enumerate(classes)])]),
            table(["Is", *[f"said {b}" for b in classes]], rows, "Ratings given and predicted"),
            {"counts": counts, "right": right, "near": near},
        )
