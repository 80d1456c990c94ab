"""Made-up tables without texts: applications for credit cards, measurements of patients."""

import numpy as np
import polars as pl


def credit_cards(n=400, *, seed=0, missing=0.03):
    """Return applications: an identifier, numbers, categories with gaps, and the decision."""
    rng = np.random.default_rng(seed)
    good = rng.random(n) < 0.5
    any_status = rng.choice(["single", "married", "divorced"], n)
    any_home = rng.choice(["own", "rent", "family"], n)
    income = np.exp(rng.normal(np.where(good, 10.8, 10.1), 0.45)).round(2)
    home = np.where(rng.random(n) < 0.6, np.where(good, "own", "rent"), any_home)
    gaps = rng.random((n, 2)) < missing
    return pl.DataFrame(
        {
            "applicant": [f"A{k:05}" for k in range(n)],
            "age": np.round(rng.normal(np.where(good, 46, 36), 10)).clip(18),
            "marital": np.where(
                rng.random(n) < 0.5, np.where(good, "married", "single"), any_status
            ),
            "income": [None if gap else v for gap, v in zip(gaps[:, 0], income, strict=True)],
            "debt": rng.gamma(np.where(good, 2, 4), 2000).round(2),
            "home": [None if gap else v for gap, v in zip(gaps[:, 1], home.tolist(), strict=True)],
            "decision": np.where(good, "approve", "refuse"),
        }
    )


def intensive_care(n=300, n_measurements=17, *, seed=0):
    """Return measurements of patients, some of them missing, and whether they lived a month."""
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=n)
    weights = np.linspace(1.5, 0.0, n_measurements)
    X = risk[:, None] * weights + rng.normal(size=(n, n_measurements))
    X = X * np.geomspace(0.01, 1000, n_measurements) + 50
    X[rng.random(X.shape) < 0.02] = np.nan
    table = pl.DataFrame({f"measure {j}": X[:, j] for j in range(n_measurements)})
    died = risk + 0.5 * rng.normal(size=n) > 0.8
    return table.with_columns(
        pl.all().fill_nan(None), outcome=pl.Series(np.where(died, "died", "lived"))
    )
