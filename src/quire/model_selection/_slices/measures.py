r"""How good predictions of a part of the documents are, and how unlike those of all others.

Every measure is a function of sums over documents, so that all parts of a column, and the rest of
each, are judged in one pass.

The share of documents that are right has Wilson's interval, and its difference to the share of the
rest the p-value of Fisher's exact test, or of the :math:`(n - 1)\,\chi^2` test where at least five
documents are to be expected in each cell. A mean absolute error has Student's interval and Welch's
test. With :math:`r_d` labels that are right of the :math:`t_d` of a document and the :math:`p_d`
that were predicted, F1 of all decisions together is
:math:`F = 2 \sum r_d \,/ \sum (t_d + p_d)`, whose variance is that of the sum of
:math:`2 r_d - F (t_d + p_d)`, over documents, divided by the square of its denominator.

References
----------
-  I. Campbell (2007). Chi-squared and Fisher-Irwin tests of two-by-two tables with small sample
   recommendations. Statistics in Medicine 26, 3661-3675.
-  B. L. Welch (1947). The generalization of "Student's" problem when several different population
   variances are involved. Biometrika 34, 28-35.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.stats import chi2, fisher_exact, norm, t, ttest_ind_from_stats

from quire._shared.shares import Score, wilson
from quire._shared.typing import Bools, Floats, Ints

__all__ = ["MeanError", "Measure", "MicroF1", "ShareOfRight", "sums_of"]

_EXPECTED = 5.0


class Measure(ABC):
    """A score of documents that is made of sums over them.

    Attributes
    ----------
    name : str
        What it is called.
    larger_is_better : bool
        Whether it is no error.
    terms : ndarray of shape (n_documents, n_terms)
        What is summed; the first column is 1.
    """

    name: str
    larger_is_better: bool
    terms: Floats

    @abstractmethod
    def score(self, sums: Floats, level: float) -> Score:
        """Return the score of some documents with its interval, from their sums."""

    @abstractmethod
    def p_value(self, one: Floats, rest: Floats) -> float:
        """Return the two-sided p-value of equal scores of two sets of documents."""


class ShareOfRight(Measure):
    """The share of documents that are right.

    Parameters
    ----------
    right : ndarray of bool of shape (n_documents,)
        Which ones are.
    """

    name = "accuracy"
    larger_is_better = True

    def __init__(self, right: Bools) -> None:
        self.terms = np.column_stack([np.ones(len(right)), right])

    def score(self, sums: Floats, level: float) -> Score:
        """Return the share with Wilson's interval."""
        return wilson(float(sums[1]), float(sums[0]), level)

    def p_value(self, one: Floats, rest: Floats) -> float:
        """Return that of Fisher's test, or of chi-squared where there are enough documents."""
        table = np.array([[one[1], one[0] - one[1]], [rest[1], rest[0] - rest[1]]])
        rows, columns, n = table.sum(axis=1), table.sum(axis=0), table.sum()
        if (columns == 0).any():
            return 1.0
        if np.outer(rows, columns).min() / n < _EXPECTED:
            return float(fisher_exact(table.astype(np.int64))[1])
        determinant = table[0, 0] * table[1, 1] - table[0, 1] * table[1, 0]
        statistic = (n - 1) * determinant**2 / (rows.prod() * columns.prod())
        return float(chi2.sf(statistic, 1))


class MeanError(Measure):
    """The mean absolute error of numbers.

    Parameters
    ----------
    errors : ndarray of shape (n_documents,)
        Absolute errors.
    """

    name = "mean absolute error"
    larger_is_better = False

    def __init__(self, errors: Floats) -> None:
        self.scale = float(errors.mean()) or 1.0  # squares of numbers far from 0 would cancel out
        errors = errors / self.scale
        self.terms = np.column_stack([np.ones(len(errors)), errors, errors**2])

    def score(self, sums: Floats, level: float) -> Score:
        """Return the mean with Student's interval, which does not go below 0."""
        n, mean, deviation = _moments(sums)
        if n < 2:
            return Score(mean * self.scale, np.nan, np.nan)
        half = float(t.ppf(0.5 + 0.5 * level, n - 1)) * deviation / np.sqrt(n)
        return Score(*(self.scale * one for one in (mean, max(0.0, mean - half), mean + half)))

    def p_value(self, one: Floats, rest: Floats) -> float:
        """Return that of Welch's test."""
        (n, mean, deviation), (m, other, spread) = _moments(one), _moments(rest)
        if deviation == 0 and spread == 0:
            return 1.0 if mean == other else 0.0
        found = ttest_ind_from_stats(mean, deviation, n, other, spread, m, equal_var=False)
        return float(found.pvalue)


def _moments(sums: Floats) -> tuple[int, float, float]:
    n, mean = int(sums[0]), float(sums[1] / sums[0])
    variance = max(float(sums[2] - sums[0] * mean**2), 0.0) / max(n - 1, 1)
    return n, mean, float(np.sqrt(variance))


class MicroF1(Measure):
    """F1 of all decisions about labels together.

    Parameters
    ----------
    right : ndarray of shape (n_documents,)
        Labels that are right.
    sizes : ndarray of shape (n_documents,)
        Labels that a document has, and those that were predicted, together.
    """

    name = "F1 of all labels"
    larger_is_better = True

    def __init__(self, right: Ints, sizes: Ints) -> None:
        r, s = right.astype(np.float64), sizes.astype(np.float64)
        self.terms = np.column_stack([np.ones(len(r)), r, s, r * r, r * s, s * s])

    def score(self, sums: Floats, level: float) -> Score:
        """Return F1 with a normal interval, between 0 and 1."""
        value, error = _ratio(sums)
        half = float(norm.ppf(0.5 + 0.5 * level)) * error
        return Score(value, max(0.0, value - half), min(1.0, value + half))

    def p_value(self, one: Floats, rest: Floats) -> float:
        """Return that of the difference, in its standard errors."""
        (value, error), (other, spread) = _ratio(one), _ratio(rest)
        width = float(np.hypot(error, spread))
        if not width > 0:
            return 1.0 if value == other else 0.0
        return float(2 * norm.sf(abs(value - other) / width))


def _ratio(sums: Floats) -> tuple[float, float]:
    n, r, s, rr, rs, ss = sums.tolist()
    if s == 0:
        return 1.0, 0.0  # no label, and none predicted
    value = 2 * r / s
    squares = max(4 * rr - 4 * value * rs + value * value * ss, 0.0)
    return value, float(np.sqrt(squares * n / max(n - 1, 1)) / s)


def sums_of(terms: Floats, codes: Ints, n: int) -> Any:
    """Return the sums of the terms of a measure over each part.

    Parameters
    ----------
    terms : ndarray of shape (n_documents, n_terms)
        Of the measure.
    codes : ndarray of shape (n_documents,)
        The part of each document; -1 for none.
    n : int
        How many parts.
    """
    inside = codes >= 0
    parts = [np.bincount(codes[inside], column[inside], minlength=n) for column in terms.T]
    return np.column_stack(parts)
