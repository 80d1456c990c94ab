"""Two made-up tables of the kind that decisions are made from: card applications and patients.

Nobody is in them. Rows are drawn from the models that the docstrings state, with a fixed seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

__all__ = ["load_credit_cards", "load_icu"]

_STATUS = ("single", "married", "divorced", "widowed")
_WORK = ("employed", "self-employed", "retired", "student", "unemployed")
_RATING = ("poor", "fair", "good", "excellent")
# By class (not approved, approved): means and deviations, or shares of the categories.
_AGE = (36.0, 13.0), (44.0, 12.0)
_SALARY = (29_000.0, 9_000.0), (47_000.0, 13_000.0)
_DEBTS = (13_000.0, 6_000.0), (7_500.0, 4_500.0)
_STATUS_SHARES = (0.50, 0.27, 0.18, 0.05), (0.27, 0.53, 0.13, 0.07)
_WORK_SHARES = (0.42, 0.16, 0.08, 0.16, 0.18), (0.66, 0.15, 0.13, 0.04, 0.02)
_RATING_SHARES = (0.38, 0.36, 0.19, 0.07), (0.08, 0.24, 0.40, 0.28)

# Name, digits, mean and deviation at low risk, and how many deviations high risk moves it.
_MEASUREMENTS: tuple[tuple[str, int, float, float, float], ...] = (
    ("age", 0, 58.0, 14.0, 0.7),
    ("systolic_pressure", 0, 128.0, 17.0, -1.1),
    ("diastolic_pressure", 0, 74.0, 11.0, -0.8),
    ("heart_rate", 0, 84.0, 14.0, 1.0),
    ("respiratory_rate", 0, 18.0, 3.5, 1.1),
    ("temperature", 1, 37.0, 0.6, 0.3),
    ("oxygen_saturation", 0, 96.0, 2.0, -1.2),
    ("ph", 2, 7.40, 0.05, -0.9),
    ("sodium", 0, 139.0, 3.5, -0.2),
    ("potassium", 1, 4.2, 0.4, 0.4),
    ("creatinine", 1, 1.0, 0.3, 1.2),
    ("urea", 0, 20.0, 8.0, 1.0),
    ("glucose", 0, 125.0, 32.0, 0.5),
    ("haematocrit", 0, 38.0, 5.0, -0.4),
    ("white_cells", 1, 9.5, 3.0, 0.7),
    ("bilirubin", 1, 0.8, 0.3, 0.8),
    ("coma_scale", 0, 14.0, 1.3, -1.3),
)


def load_credit_cards() -> pl.DataFrame:
    """Return a thousand made-up applications for a credit card, and how they were decided.

    The table mixes numbers and categories. It is drawn as naive Bayes thinks of it: first the
    decision (approved with probability 0.55), then every attribute by itself, given the decision.
    Ages, salaries and debts are normal, cut off at 18 years, 6,000 and 0; status, work and rating
    have shares of their own in either class. The best possible rule is right about nine times out
    of ten.

    Returns
    -------
    polars.DataFrame
        1,000 rows with the columns ``age``, ``marital_status``, ``annual_salary``,
        ``outstanding_debts``, ``work``, ``credit_rating`` and the class, ``decision``:
        "approved" or "not approved".

    Examples
    --------
    >>> from quire.datasets import load_credit_cards
    >>> from quire.naive_bayes import MixedNB
    >>> table = load_credit_cards()
    >>> X, y = table.drop("decision"), table["decision"]
    >>> model = MixedNB().fit(X[:700], y[:700])
    >>> round(model.score(X[700:], y[700:]), 2)
    0.89
    """
    rng = np.random.default_rng(26)
    n = 1000
    yes = (rng.random(n) < 0.55).astype(int)

    def normal(parameters: Any, least: float, digits: int) -> Any:
        mean, deviation = np.array(parameters)[yes].T
        return np.maximum(rng.normal(mean, deviation), least).round(digits)

    def category(names: tuple[str, ...], shares: Any) -> list[str]:
        edges = np.cumsum(shares, axis=1)[yes]
        edges[:, -1] = 1.0
        return [names[k] for k in (rng.random(n)[:, None] > edges).sum(axis=1)]

    return pl.DataFrame(
        {
            "age": normal(_AGE, 18, 0).astype(np.int64),
            "marital_status": category(_STATUS, _STATUS_SHARES),
            "annual_salary": normal(_SALARY, 6_000, -2),
            "outstanding_debts": normal(_DEBTS, 0, -2),
            "work": category(_WORK, _WORK_SHARES),
            "credit_rating": category(_RATING, _RATING_SHARES),
            "decision": [("not approved", "approved")[k] for k in yes],
        }
    )


def load_icu() -> pl.DataFrame:
    r"""Return six hundred made-up patients of an emergency room: 17 measurements and their risk.

    A patient is at high risk with probability 0.3. With :math:`r` the risk (0 or 1), :math:`u` how
    ill the patient is besides, and noise :math:`e_j`, all of them standard normal, measurement j is

    .. math:: m_j + s_j (d_j r + 0.5\,\operatorname{sign}(d_j)\, u + 0.85\, e_j)

    so that measurements of a class go together, as they do in people: naive Bayes counts some
    evidence twice. Values stay within what is possible. One in twenty was not taken and is missing.

    Returns
    -------
    polars.DataFrame
        600 rows with 17 columns of numbers, from ``age`` and ``systolic_pressure`` to
        ``coma_scale``, some values missing (null), and the class, ``risk``: "high" or "low".

    Examples
    --------
    >>> from quire.datasets import load_icu
    >>> table = load_icu()
    >>> table.shape
    (600, 18)
    >>> table["risk"].value_counts(sort=True).rows()
    [('low', 417), ('high', 183)]
    >>> int(table.null_count().sum_horizontal()[0])
    509
    """
    rng = np.random.default_rng(17)
    n = 600
    high = rng.random(n) < 0.3
    ill = rng.normal(size=n)
    limits = {"oxygen_saturation": (60, 100), "coma_scale": (3, 15), "age": (18, 99)}
    columns: dict[str, Any] = {}
    for name, digits, mean, deviation, move in _MEASUREMENTS:
        drawn = move * high + 0.5 * np.sign(move) * ill + 0.85 * rng.normal(size=n)
        low_limit, high_limit = limits.get(name, (0.1, np.inf))
        values = np.clip(mean + deviation * drawn, low_limit, high_limit).round(digits)
        missing = rng.random(n) < 0.05
        columns[name] = pl.Series(values).set(pl.Series(missing), None)
    return pl.DataFrame({**columns, "risk": np.where(high, "high", "low")})
