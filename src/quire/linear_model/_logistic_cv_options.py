"""The options of LogisticRegressionCV that scikit-learn is about to change, and their warnings."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Options", "read_options"]


@dataclass(frozen=True)
class Options:
    """What the parameters ask for.

    Attributes
    ----------
    penalty : {"l1", "l2", "elasticnet"}
        The penalty.
    given_ratios : sequence or None
        `l1_ratios`, as given.
    scoring : str, callable or None
        What is best.
    legacy : bool
        Whether the attributes have their old shapes.
    """

    penalty: str
    given_ratios: Any
    scoring: Any
    legacy: bool

    @property
    def l1_ratios(self) -> Sequence[Any]:
        """The values to try."""
        return [None] if self.given_ratios is None else self.given_ratios

    def share(self, l1_ratio: Any) -> float:
        """Return the share of the L1 penalty that is meant by one of these values."""
        if self.penalty == "elasticnet":
            return float(l1_ratio)
        return 1.0 if self.penalty == "l1" else 0.0

    def check_l1_ratios(self, penalty: str) -> None:
        """Raise or warn if `l1_ratios` does not go with the parameter `penalty`."""
        ratios = self.given_ratios
        if self.penalty == "elasticnet":
            is_right = ratios is not None and len(ratios) > 0
            if not is_right or any(
                not isinstance(ratio, numbers.Number) or ratio < 0 or ratio > 1  # type: ignore[operator]
                for ratio in ratios
            ):
                raise ValueError(
                    "l1_ratios must be an array-like of numbers between 0 and 1; got "
                    f"(l1_ratios={ratios!r})"
                )
        elif ratios is not None and penalty != "deprecated":
            warnings.warn(
                "l1_ratios parameter is only used when penalty is 'elasticnet'. Got "
                f"(penalty={self.penalty})",
                stacklevel=4,
            )


def read_options(estimator: Any) -> Options:
    """Read `penalty`, `l1_ratios`, `scoring` and `use_legacy_attributes`, with their warnings.

    Parameters
    ----------
    estimator : LogisticRegressionCV
        The estimator.
    """
    l1_ratios, scoring = estimator.l1_ratios, estimator.scoring
    if isinstance(l1_ratios, str) and l1_ratios == "warn":
        l1_ratios = None
        _warn(
            "The default value for l1_ratios will change from None to (0.0,) in version 1.10. From "
            "version 1.10 onwards, only array-like with values in [0, 1] will be allowed, None "
            "will be forbidden. To avoid this warning, explicitly set a value, e.g. l1_ratios=(0,)."
        )
    penalty = estimator.penalty
    if penalty == "deprecated":
        if estimator.l1_ratios is None:
            _warn(
                "'l1_ratios=None' was deprecated in version 1.8 and will trigger an error in 1.10. "
                "Use an array-like with valuesin [0, 1] instead."
            )
        penalty = "elasticnet"
        for name, value in (("l2", 0), ("l1", 1)):
            if l1_ratios is not None and np.all(np.asarray(l1_ratios) == value):
                penalty = name
                break
        if l1_ratios is None:
            penalty = "l2"
    else:
        _warn(
            "'penalty' was deprecated in version 1.8 and will be removed in 1.10. To avoid this "
            "warning, leave 'penalty' set to its default value and use 'l1_ratios' and 'Cs' "
            "instead. Use l1_ratios=(0,) instead of penalty='l2', l1_ratios=(1,) instead of "
            "penalty='l1', l1_ratios set to floats between 0 and 1 instead of "
            "penalty='elasticnet', and Cs=(np.inf,) instead of penalty=None."
        )
    if isinstance(scoring, str) and scoring == "warn":
        scoring = None
        _warn(
            "The default value of the parameter 'scoring' will change from None, i.e. accuracy, to "
            "'neg_log_loss' in version 1.11. To silence this warning, explicitly set the scoring "
            "parameter: scoring='neg_log_loss' for the new, scoring='accuracy' or scoring=None for "
            "the old default."
        )
    legacy = estimator.use_legacy_attributes
    if isinstance(legacy, str):
        legacy = True
        name = type(estimator).__name__
        _warn(
            f"The fitted attributes of {name} will be simplified in scikit-learn 1.10 to remove "
            "redundancy. Set`use_legacy_attributes=False` to enable the new behavior now, or set "
            "it to `True` to silence this warning during the transition period while keeping the "
            "deprecated behavior for the time being. The default value of use_legacy_attributes "
            f"will change from True to False in scikit-learn 1.10. See the docstring of {name} for "
            "more details."
        )
    return Options(penalty, l1_ratios, scoring, bool(legacy))


def _warn(message: str) -> None:
    warnings.warn(message, FutureWarning, stacklevel=5)
