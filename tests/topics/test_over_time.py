"""Topics over time: shares, trends and words against plain ways to compute them; what is a time."""

import datetime

import numpy as np
import polars as pl
import pytest

from quire.decomposition import LatentDirichletAllocation
from quire.topics import prevalence, topics_over_time

TEXTS = ["cat dog cat paw", "dog cat dog fur", "tax vote law tax", "law tax vote court"] * 30
RNG = np.random.default_rng(0)
YEARS = np.sort(RNG.integers(2018, 2026, 120))
SHARES = 0.1 + 0.8 * (YEARS - 2018) / 7
THETA = np.column_stack([SHARES, 1 - SHARES])


@pytest.fixture(scope="module")
def model():
    return LatentDirichletAllocation(2, random_state=0, max_iter=60, keep_samples=True).fit(TEXTS)


def test_shares_are_means_of_the_periods(model):
    found = topics_over_time(model, YEARS)
    assert found.periods == sorted(set(YEARS.tolist()))
    samples = model.theta_samples_.mean(axis=0)
    for row in found.table.to_dicts():
        own = samples[row["period"] == YEARS]
        assert row["share"] == pytest.approx(own[:, row["topic"]].mean())
        assert row["lower"] <= row["share"] <= row["upper"]
        assert row["n_documents"] == len(own)
    assert found.words is None


def test_trends_are_slopes_of_all_documents():
    found = topics_over_time(THETA[None], pl.Series("year", YEARS))
    assert (found.by, found.unit) == ("year", "year")
    slope = np.polyfit(YEARS, SHARES, 1)[0]
    assert found.trends["estimate"].to_list() == pytest.approx([slope, -slope])
    assert (found.trends["p_corrected"] < 0.001).all()
    line = prevalence(THETA[None], YEARS, kind="linear").contrasts
    np.testing.assert_array_equal(found.trends["estimate"], line["estimate"])
    still = topics_over_time(RNG.dirichlet([1, 1], 120)[None], YEARS)
    assert (still.trends["p_corrected"] > 0.01).all()


def test_words_are_expected_counts_of_the_period(model):
    texts = TEXTS[:60] + ["cat kitten kitten dog"] * 10
    model = LatentDirichletAllocation(2, random_state=0, max_iter=60).fit(texts)
    years = [2020] * 60 + [2021] * 10
    found = topics_over_time(model, years, texts=texts, n_words=2).words
    pets = int(model.transform(["cat dog paw"]).argmax())
    words = {(row["topic"], row["period"]): row["words"] for row in found.to_dicts()}
    assert words[pets, 2021][0] == "kitten"
    assert "kitten" not in words[pets, 2020]
    assert words[1 - pets, 2021] == []
    X = model.vectorizer_.transform(texts)
    again = topics_over_time(model, years, counts=X, n_words=2).words
    assert again.equals(found)
    # By hand: n(d, w) p(z | w, d), added up over the documents of the year.
    counts = X.toarray()[60:]
    joint = model.theta_[60:, :, None] * model.phi_
    expected = (counts[:, None] * joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
    best = model.vocabulary_terms_[expected[pets].argmax()]
    assert best in words[pets, 2021]


@pytest.mark.parametrize(
    ("values", "every", "first", "n"),
    [
        ([datetime.date(2020, 1 + k % 12, 5) for k in range(120)], None, "2020-01-01", 12),
        ([datetime.date(2020, 1 + k % 12, 5) for k in range(120)], "1q", "2020-01-01", 4),
        ([f"2020-{1 + k % 12:02d}-05" for k in range(120)], "1q", "2020-01-01", 4),
        ([f"05.{1 + k % 12:02d}.2020" for k in range(120)], "1mo", "2020-01-01", 12),
        ([f"2020-{1 + k % 12:02d}" for k in range(120)], "1mo", "2020-01-01", 12),
        ([f"2020-{1 + k % 12:02d}-05T10:00:00" for k in range(120)], "1y", "2020-01-01", 1),
        ([str(2000 + k % 7) for k in range(120)], None, "2000", 7),
        ([2000 + k % 100 for k in range(120)], None, "2000", 20),
        ([2001 + k % 100 for k in range(120)], 10, "2000", 11),
        ([k / 120 for k in range(120)], 0.25, "0.0", 4),
    ],
)
def test_what_is_a_time(values, every, first, n):
    if n == 1:
        with pytest.raises(ValueError, match="has one period"):
            topics_over_time(THETA[None], values, every=every)
        return
    found = topics_over_time(THETA[None], values, every=every)
    assert str(found.periods[0]) == first
    if every is not None or n != 12:
        assert len(found.periods) == n
    assert found.n_documents == 120


def test_missing_times_and_words_are_counted():
    texts = [*TEXTS[:40], "…", ""]
    model = LatentDirichletAllocation(2, random_state=0, max_iter=30).fit(texts)
    years = [None if k % 10 == 0 else 2000 + k % 4 for k in range(42)]
    found = topics_over_time(model, years)
    assert (found.n_documents, found.n_missing, found.n_empty) == (36, 5, 1)
    assert "5 without it, 1 without words left out" in str(found)
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize(
    ("values", "every", "message"),
    [
        (["red", "blue"] * 60, None, "are no dates"),
        (
            [datetime.date(2020, 1, 1)] * 60 + [datetime.date(2021, 1, 1)] * 60,
            "1x",
            "every is '1x'",
        ),
        (YEARS, -1, "every is -1"),
        (YEARS, "1mo", "every is '1mo'"),
        ([None] * 120, None, "no date|no value|expected"),
        (YEARS[:3], None, "has 3 values"),
    ],
)
def test_what_is_no_time_is_said(values, every, message):
    with pytest.raises((ValueError, TypeError), match=message):
        topics_over_time(THETA[None], values, every=every)


def test_it_is_drawn():
    found = topics_over_time(RNG.dirichlet([1] * 5, 120)[None], YEARS)
    figure = found.plot()
    assert len([ax for ax in figure.axes if ax.get_visible()]) == 5
    assert len(found.plot([1]).axes) == 1
    with pytest.raises(ValueError, match="topics has 9"):
        found.plot([9])
