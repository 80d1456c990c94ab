"""What scores are called in an evaluation, where errors are as large as they are.

A score that is ranked by has a minus sign if it is an error, and a name to say so. Here "log_loss"
is the log loss.
"""

from __future__ import annotations

from collections.abc import Iterable

from quire._shared.shares import Score, wilson
from quire.model_selection._scores.catalogue import measures_of
from quire.model_selection._scores.held_out import HeldOut, Measure

__all__ = ["natural_measures", "natural_name", "not_certain"]

_NAMES = {
    "neg_brier_score": "brier",
    "neg_mean_absolute_error": "mae",
    "neg_root_mean_squared_error": "rmse",
}


def natural_name(metric: str) -> str:
    """Return what a score is called where errors are not negative.

    Examples
    --------
    >>> natural_name("neg_log_loss"), natural_name("neg_brier_score"), natural_name("r2")
    ('log_loss', 'brier', 'r2')
    """
    return _NAMES.get(metric, metric.removeprefix("neg_"))


def natural_measures(metrics: Iterable[str], held: HeldOut) -> dict[str, Measure]:
    """Return scores by these names, as functions of how often every document counts.

    Parameters
    ----------
    metrics : iterable of str
        Names with signs.
    held : HeldOut
        The predictions.
    """
    found = measures_of(metrics, held)
    return {
        natural_name(name): _negative(measure) if name.startswith("neg_") else measure
        for name, measure in found.items()
    }


def _negative(measure: Measure) -> Measure:
    return lambda w: -measure(w)


def not_certain(score: Score, scale: tuple[float, float], trials: float, level: float) -> Score:
    """Return a score at an end of its scale, which every draw repeats, with a share's interval.

    Parameters
    ----------
    score : Score
        With the percentiles of draws.
    scale : tuple of float
        Its least and largest value, in any order.
    trials : float
        How many documents it is a share of; 0 if that is not known.
    level : float
        How often the interval should cover it.
    """
    least, most = sorted(scale)
    if not trials or not least < most or score.value not in (least, most):
        return score
    ends = wilson(trials * (score.value == most), trials, level)
    return Score(*(least + end * (most - least) for end in ends))
