"""The lesson on bias and variance: many samples, many fits, their mean and their spread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, bars, legend
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._reading import Measurements, numbers_table
from quire.lessons._wording import plain, share
from quire.linear_model import LinearRegression
from quire.model_selection import bias_variance
from quire.neighbors import KNeighborsRegressor

__all__ = ["bias_and_variance"]

_POINTS = 20
_SAMPLES = 60
_SHOWN = (1, 2, 3, 5, 10, 20, 60)  # samples after which there is a step
_FAINT = 14  # earlier fits that are drawn
_PLACES = np.linspace(-0.95, 0.95, 39)  # where fits are judged: between the points
_MODELS: dict[str, Callable[[], Any]] = {
    "degree 1": lambda: _polynomial(1),
    "degree 4": lambda: _polynomial(4),
    "degree 9": lambda: _polynomial(9),
    "15 neighbours": lambda: KNeighborsRegressor(15),
    "4 neighbours": lambda: KNeighborsRegressor(4),
    "1 neighbour": lambda: KNeighborsRegressor(1),
}
_SETTINGS = [
    Setting("model", "how much it can bend", tuple(_MODELS), "degree 9"),
    Setting("noise", "its deviation", (0.2, 0.5), 0.5),
]


def bias_and_variance() -> Lesson:
    """Bias and variance: what the mean of many fits misses, and how far fits are from it.

    The steps fit a model to one made-up sample after the other, look at the mean of the fits, at
    their spread, and add both up.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import bias_and_variance
    >>> parts = bias_and_variance().start.steps[-1].numbers
    >>> abs(parts["bias_squared"] + parts["variance"] - parts["squared_error"]) < 1e-12
    True
    """
    x = _where()
    sample = _sampler(_SETTINGS[1].start)(np.random.default_rng(0))

    def run(model: str, noise: float) -> tuple[list[Step], dict[str, Any]]:
        return _Walk(model, noise).steps()

    shown = Measurements(np.column_stack([x, sample]), ["x", "y"], [], [], "")
    return Lesson(
        name="bias-and-variance",
        title="Bias and variance",
        idea=[
            "A model is fitted to the sample that happens to be there. With another sample it "
            "would be another fit. Draw many samples from the same truth and fit the same model to "
            "each: the mean of the fits may be off the truth, which is bias, and single fits are "
            "off their mean, which is variance.",
            "A stiff model, such as a straight line, is wrong in the same way each time: large "
            "bias, small variance. One that bends to every point is right on average and wrong "
            "each time: small bias, large variance. The squared error is the sum of both, and the "
            "noise of a new point comes on top of it.",
        ],
        formulas=[
            r"\frac{1}{R} \sum_r (\hat{f}_r(x) - f(x))^2 = (\bar{f}(x) - f(x))^2 + "
            r"\frac{1}{R} \sum_r (\hat{f}_r(x) - \bar{f}(x))^2",
            r"\text{expected error} = \text{bias}^2 + \text{variance} + \sigma^2",
        ],
        symbols=[
            ("f", "the truth, here a sine curve"),
            (r"\hat{f}_r", "the fit to sample r"),
            (r"\bar{f}", "the mean of all fits"),
            ("R", f"how many samples there are, {_SAMPLES}"),
            (r"\sigma^2", "the variance of the noise"),
        ],
        about_data=[
            f"Made-up samples of {_POINTS} points: the places x are the same in all of them, y is "
            "the sine of πx and normal noise, new in every sample. This is one of them."
        ],
        data=numbers_table(shown),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.model_selection import bias_variance\n"
            "result = bias_variance(fit, truth=truth, sampler=draw, n_resamples=60)\n"
            "result.bias ** 2 + result.variance, result.mse"
        ),
        given={
            "fit": _fitter(_SETTINGS[0].start),
            "truth": _truth(_PLACES),
            "draw": _sampler(_SETTINGS[1].start),
        },
        guide=["Why a model errs: bias, variance and noise"],
    )


def _polynomial(degree: int) -> Any:
    return make_pipeline(PolynomialFeatures(degree, include_bias=False), LinearRegression(tol=0))


def _where() -> Floats:
    """Return the places of the points, half a step inside the edges."""
    half = 1 / _POINTS
    places: Floats = np.linspace(-1 + half, 1 - half, _POINTS)
    return places


def _truth(x: Floats) -> Floats:
    curve: Floats = np.sin(np.pi * x)
    return curve


def _sampler(noise: float) -> Callable[[np.random.Generator], Floats]:
    """Return a function that draws a sample."""

    def draw(rng: np.random.Generator) -> Floats:
        drawn: Floats = _truth(_where()) + rng.normal(0, noise, _POINTS)
        return drawn

    return draw


def _fitter(model: str) -> Callable[[Floats], Floats]:
    """Return a function that fits a model to a sample, and predicts at all places."""

    def fit(sample: Floats) -> Floats:
        fitted = _MODELS[model]().fit(_where()[:, None], sample)
        curve: Floats = np.asarray(fitted.predict(_PLACES[:, None]), dtype=float)
        return curve

    return fit


@dataclass(frozen=True)
class _Walk:
    """The steps of one model."""

    model: str
    noise: float

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        samples: list[Floats] = []
        draw = _sampler(self.noise)

        def kept(rng: np.random.Generator) -> Floats:
            samples.append(draw(rng))
            return samples[-1]

        found = bias_variance(
            _fitter(self.model),
            truth=_truth(_PLACES),
            sampler=kept,
            n_resamples=_SAMPLES,
            random_state=0,
        )
        steps = [self._fits(n, samples, found.estimates) for n in _SHOWN]
        steps += [self._bias(found), self._variance(found), self._sum(found)]
        bias, variance = float(np.mean(found.bias**2)), float(np.mean(found.variance))
        result = {
            "Bias²": plain(bias),
            "Variance": plain(variance),
            "Noise": plain(self.noise**2),
            "Expected error": plain(bias + variance + self.noise**2),
        }
        return steps, result

    def _picture(self, label: str) -> Picture:
        picture = Picture(label, (-1, 1), (-2.1, 2.1), x_title="x", y_title="y", height=320)
        picture.line(_line(_truth(_PLACES)), "ink", width=1.8, dashes="6 4")
        return picture

    def _fits(self, n: int, samples: list[Floats], estimates: Floats) -> Step:
        picture = self._picture(f"Fits to {n} samples")
        for curve in estimates[max(0, n - 1 - _FAINT) : n - 1]:
            picture.line(_line(curve), 0, width=0.9, opacity=0.35)
        picture.points(np.column_stack([_where(), samples[n - 1]]), "soft", size=2.8)
        picture.line(_line(estimates[n - 1]), 0, width=2.2)
        if n > 1:
            picture.line(_line(estimates[:n].mean(axis=0)), 1, width=2.4)
        middle = len(_PLACES) // 4
        now, mean = float(estimates[n - 1, middle]), float(estimates[:n, middle].mean())
        right = float(_truth(_PLACES)[middle])
        said = f"{self.model} on sample {n}. At x = {plain(float(_PLACES[middle]))} it says "
        said += f"{plain(now)}, and the truth is {plain(right)}."
        if n > 1:
            said += f" The mean of {n} fits is {plain(mean)} there."
        drawn = min(n, _FAINT + 1)
        names: list[tuple[int | str, str]] = [
            ("ink", "truth"),
            (0, "fit" if n == 1 else f"the last {drawn} fits" if drawn < n else f"{n} fits"),
        ]
        if n > 1:
            names.append((1, f"mean of {n} fits"))
        rows = [
            [k + 1, plain(float(estimates[k, middle])), plain(float(estimates[k, middle] - right))]
            for k in range(max(0, n - 8), n)
        ]
        heads = ["Sample", f"fit at {plain(float(_PLACES[middle]))}", "off the truth"]
        return Step(
            "Fit one sample" if n == 1 else f"Fit {n} samples",
            said[0].upper() + said[1:],
            join([picture.svg(), legend(names)]),
            table(heads, rows, "Fits at one place"),
            {"fit": estimates[n - 1].round(6), "mean": estimates[:n].mean(axis=0).round(6)},
        )

    def _bias(self, found: Any) -> Step:
        picture = self._picture("The mean of all fits against the truth")
        ahead, back = _line(found.mean), _line(found.truth)[::-1]
        picture.line(np.vstack([ahead, back]), 1, width=0, closed=True, fill=0.3)
        picture.line(ahead, 1, width=2.4)
        squared = float(np.mean(found.bias**2))
        worst = int(np.abs(found.bias).argmax())
        return Step(
            "Bias",
            f"The mean of {found.n_samples} fits against the truth. It is off by up to "
            f"{plain(float(abs(found.bias[worst])))}, at x = {plain(float(_PLACES[worst]))}; the "
            f"mean of its square is {plain(squared)}. More samples would not make it less.",
            join([picture.svg(), legend([("ink", "truth"), (1, "mean of the fits")])]),
            _at_places(["mean", "bias", "bias²"], [found.mean, found.bias, found.bias**2]),
            {"bias": found.bias, "bias_squared": squared},
        )

    def _variance(self, found: Any) -> Step:
        picture = self._picture("The spread of the fits about their mean")
        deviation = np.sqrt(found.variance)
        low, high = np.clip([found.mean - deviation, found.mean + deviation], -2.1, 2.1)
        picture.line(
            np.vstack([_line(low), _line(high)[::-1]]), 0, width=0.8, closed=True, fill=0.22
        )
        picture.line(_line(found.mean), 1, width=2.4)
        mean = float(np.mean(found.variance))
        return Step(
            "Variance",
            "One standard deviation of the fits to either side of their mean. The mean of the "
            f"variance over all places is {plain(mean)}.",
            join(
                [
                    picture.svg(),
                    legend([("ink", "truth"), (1, "mean"), (0, "one deviation of the fits")]),
                ]
            ),
            _at_places(["mean", "deviation", "variance"], [found.mean, deviation, found.variance]),
            {"variance_by_place": found.variance, "variance": mean},
        )

    def _sum(self, found: Any) -> Step:
        bias, variance = float(np.mean(found.bias**2)), float(np.mean(found.variance))
        error, noise = float(np.mean(found.mse)), self.noise**2
        parts = [bias, variance, error, noise, error + noise]
        names = ["bias²", "variance", "their sum", "noise", "expected error"]
        largest = max((bias, "bias²"), (variance, "variance"), (noise, "noise"))
        return Step(
            "They add up",
            f"Bias² {plain(bias)} and variance {plain(variance)} are the squared error about the "
            f"truth, {plain(error)}; the noise of a new point adds {plain(noise)}. The largest "
            f"part is the {largest[1]}: {share(largest[0] / (error + noise))} of the whole.",
            bars("Parts of the error", names, [parts], [[plain(part) for part in parts]]),
            _at_places(["bias²", "variance", "sum"], [found.bias**2, found.variance, found.mse]),
            {
                "bias_squared": bias,
                "variance": variance,
                "squared_error": error,
                "noise": noise,
            },
        )


def _line(values: Floats) -> Floats:
    """Return a curve over all places, kept inside the picture."""
    return np.column_stack([_PLACES, np.clip(values, -2.1, 2.1)])


def _at_places(heads: list[str], columns: list[Floats]) -> Html:
    """Return a table of some places."""
    rows = [
        [plain(float(_PLACES[k])), *[plain(float(column[k])) for column in columns]]
        for k in range(1, len(_PLACES), 4)
    ]
    return table(["x", *heads], rows, "At some places")
