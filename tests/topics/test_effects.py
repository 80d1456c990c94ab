"""Effects of several columns: against statsmodels, with coverage on generated data, formulas."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.formula.api as smf
from statsmodels.stats.multitest import multipletests

from quire.decomposition import LatentDirichletAllocation
from quire.topics import TopicEffects, prevalence, topic_effects
from quire.topics._composition import corrected
from quire.topics._formula import read_formula
from quire.topics._splines import Spline


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "party": rng.choice(["green", "left", "right"], 300, p=[0.2, 0.3, 0.5]),
            "year": rng.integers(1990, 2020, 300),
            "age": rng.normal(50, 10, 300),
        }
    )


@pytest.fixture(scope="module")
def theta(data):
    rng = np.random.default_rng(1)
    left = (data["party"] == "left").to_numpy()
    year = (data["year"].to_numpy() - 1990) / 30
    first = 0.2 + 0.3 * left * year
    prior = 6 * np.column_stack([first, 0.4 * (1 - first), 0.6 * (1 - first)])
    return np.stack([rng.dirichlet(row) for row in prior])


def effects_of(theta, formula, data, **options):
    return topic_effects(theta[None], formula, data=data, **options)


@pytest.mark.parametrize(("ours", "theirs"), [("classical", "nonrobust"), ("HC2", "HC2")])
@pytest.mark.parametrize(
    "formula", ["party + year + age", "party * year", "party * age + year", "party*year*age"]
)
def test_without_composition_it_is_least_squares(data, theta, formula, ours, theirs):
    effects = effects_of(theta, formula, data, covariance=ours)
    for topic in range(3):
        table = data.to_pandas().assign(theta=theta[:, topic])
        fit = smf.ols(f"theta ~ {formula}", table).fit(cov_type=theirs, use_t=True)
        own = effects.coefficients.filter(topic=topic)
        names = {name: name.replace("[T.", "=").replace("]", "") for name in fit.params.index}
        own = {row["term"]: row for row in own.to_dicts()}
        for theirs_, name in names.items():
            row = own["(intercept)" if name == "Intercept" else name]
            assert row["estimate"] == pytest.approx(fit.params[theirs_], rel=1e-6, abs=1e-9)
            assert row["error"] == pytest.approx(fit.bse[theirs_], rel=1e-6)
            assert row["p"] == pytest.approx(fit.pvalues[theirs_], rel=1e-5, abs=1e-12)
            low, high = fit.conf_int().loc[theirs_]
            assert (row["lower"], row["upper"]) == pytest.approx((low, high), rel=1e-5, abs=1e-8)
        assert len(own) == len(names)


@pytest.mark.parametrize("df", [3, 4, 7])
def test_b_splines_are_those_of_others(data, theta, df):
    effects = effects_of(theta, f"bs(age, df={df})", data, covariance="classical")
    age = data["age"].sort()
    table = data.to_pandas().assign(theta=theta[:, 0])
    fit = smf.ols(f"theta ~ bs(age, df={df})", table).fit()
    expected = fit.get_prediction(pd.DataFrame({"age": age.to_numpy()})).summary_frame(0.05)
    curve = effects.marginal("age", age).filter(topic=0)
    np.testing.assert_allclose(curve["share"], expected["mean"], atol=1e-9)
    np.testing.assert_allclose(curve["error"], expected["mean_se"], atol=1e-9)
    np.testing.assert_allclose(curve["lower"], expected["mean_ci_lower"], atol=1e-8)


@pytest.mark.parametrize("df", [2, 3, 5])
def test_natural_splines_are_straight_at_the_ends_and_those_of_others(data, df):
    x = data["age"].to_numpy()
    spline = Spline.fit(x, df, is_natural=True)
    ends = np.array([x.min(), x.max()])
    step = 0.01
    for end, sign in zip(ends, (1, -1), strict=True):
        near = spline.columns(end + sign * step * np.arange(3))
        bend = (near[0] - 2 * near[1] + near[2]) / step**2
        assert np.abs(bend).max() < 1e-3
    inside = spline.columns(x)
    assert inside.shape == (300, df)
    # Of all natural cubic splines with these knots: patsy's span the same space.
    from patsy import dmatrix

    own = np.column_stack([np.ones(300), inside])
    knots = list(spline.knots[4:-4])
    theirs = np.asarray(dmatrix("cr(x, knots=knots)", {"x": x, "knots": knots}))
    target = np.sin(x / 7)
    fits = [D @ np.linalg.lstsq(D, target, rcond=None)[0] for D in (own, theirs)]
    np.testing.assert_allclose(fits[0], fits[1], atol=1e-6)


def generated(seed, n=160, length=80):
    """Return posterior means, lengths and columns of documents whose true effects are known."""
    rng = np.random.default_rng(seed)
    group, x = rng.choice(["a", "b"], n), rng.uniform(0, 1, n)
    share = 0.2 + 0.15 * (group == "b") + 0.2 * x + 0.2 * x * (group == "b")
    prior = 3 * np.column_stack([share, 0.5 - 0.5 * share, 0.5 - 0.5 * share])
    theta = np.stack([rng.dirichlet(row) for row in prior])
    lengths = rng.poisson(length, n) + 5
    counts = np.stack([rng.multinomial(m, row) for m, row in zip(lengths, theta, strict=True)])
    means = (counts + prior.mean(axis=0)) / (lengths + prior.mean(axis=0).sum())[:, None]
    return means, lengths, {"group": group, "x": x}


@pytest.mark.parametrize("covariance", ["HC2", "classical"])
def test_intervals_cover_the_truth_over_many_draws(covariance):
    truth = {"group=b": 0.15, "x": 0.2, "group=b:x": 0.2, "(intercept)": 0.2}
    inside = {name: [] for name in [*truth, "b - a", "at"]}
    for seed in range(200):
        means, lengths, data = generated(seed)
        effects = topic_effects(
            means, "group * x", data=data, lengths=lengths, n_samples=12, covariance=covariance
        )
        for row in effects.coefficients.filter(topic=0).to_dicts():
            inside[row["term"]].append(row["lower"] <= truth[row["term"]] <= row["upper"])
        row = effects.contrasts("group").filter(topic=0).row(0, named=True)
        mean = 0.15 + 0.2 * data["x"].mean()
        inside["b - a"].append(row["lower"] <= mean <= row["upper"])
        row = effects.marginal("x", [0.5], at={"group": "b"}).filter(topic=0).row(0, named=True)
        inside["at"].append(row["lower"] <= 0.55 <= row["upper"])
    for name, found in inside.items():
        assert 0.90 < np.mean(found) < 0.99, name  # 200 intervals of 95 %: 0.92 to 0.98 by chance


def test_short_documents_are_less_certain_than_least_squares():
    means, lengths, data = generated(0, length=8)
    options = {"data": data, "formula": "group + x"}
    exact = topic_effects(means[None], **options).coefficients["error"]
    composed = topic_effects(means, lengths=lengths, **options).coefficients["error"]
    assert (composed > 1.05 * exact).mean() > 0.6


def test_one_column_agrees_with_prevalence(data, theta):
    effects = effects_of(theta, "party", data)
    means = prevalence(theta[None], data["party"], n_draws=100).table
    shares = effects.marginal("party")
    np.testing.assert_allclose(shares["share"], means["share"])
    assert shares["value"].to_list() == means["value"].to_list()


def test_marginal_effects_are_means_over_the_documents(data, theta):
    effects = effects_of(theta, "party * s(year, df=3) + age", data)
    table = data.to_pandas()
    for party in ("left", "right"):
        # By hand: every document gets the party, and predictions are averaged.
        coefs = effects._moments.coef
        from quire.topics._formula import terms_of_formula

        changed = pl.from_pandas(table.assign(party=party))
        both = pl.concat([data, changed])
        terms = terms_of_formula(
            read_formula("party * s(year, df=3) + age"), both, 600, np.ones(600, dtype=bool)
        )
        expected = (terms.matrix[300:] @ coefs).mean(axis=0)
        found = effects.marginal("party", [party])["share"]
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_contrasts_are_differences_of_marginals(data, theta):
    effects = effects_of(theta, "party * year", data)
    shares = {
        (row["topic"], row["value"]): row["share"] for row in effects.marginal("party").to_dicts()
    }
    for row in effects.contrasts("party", baseline="right").to_dicts():
        one, other = row["difference"].split(" - ")
        assert other == "right"
        wanted = shares[row["topic"], one] - shares[row["topic"], other]
        assert row["estimate"] == pytest.approx(wanted)
    assert effects.contrasts("party")["p"].is_sorted()
    assert set(effects.contrasts()["column"]) == {"party", "year"}


@pytest.mark.parametrize(("ours", "theirs"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_corrections_are_those_of_statsmodels(ours, theirs):
    p = np.random.default_rng(0).uniform(size=(4, 5)) ** 3
    expected = multipletests(p.ravel(), method=theirs)[1].reshape(p.shape)
    np.testing.assert_allclose(corrected(p, ours), expected)
    np.testing.assert_array_equal(corrected(p, "none"), p)


def test_corrected_p_values_find_nothing_where_nothing_is():
    rng = np.random.default_rng(0)
    false = 0
    for _ in range(100):
        theta = rng.dirichlet(np.full(8, 0.5), 100)
        data = {"a": rng.choice(["x", "y"], 100), "b": rng.normal(size=100)}
        table = topic_effects(theta[None], "a + b", data=data).contrasts()
        false += bool((table["p_corrected"] < 0.05).any())
    assert false <= 12


def test_dates_missing_values_and_wordless_documents():
    texts = ["cat dog cat", "tax law tax", "…", "dog cat dog", "law tax law"] * 12
    model = LatentDirichletAllocation(2, random_state=0, max_iter=40, keep_samples=True).fit(texts)
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=30 * k) for k in range(60)]
    kind = [None if k % 10 == 0 else ["a", "b"][k % 2] for k in range(60)]
    data = {"day": days, "kind": kind, "home town": [True, False] * 30}
    effects = topic_effects(model, "s(day, df=3) + kind", data=data)
    assert (effects.n_documents, effects.n_missing, effects.n_empty) == (42, 6, 12)
    assert "6 with missing values, 12 without words left out" in str(effects)
    curve = effects.marginal("day")
    assert curve["value"].dtype == pl.Date
    other = topic_effects(model, ["home town", "day"], data=data)
    assert other.formula == "`home town` + day"
    assert "home town: True - False" in str(other)
    assert "&lt;" not in other._repr_html_() or "<table" in other._repr_html_()


def test_the_same_seed_gives_the_same_bits():
    means, lengths, data = generated(3)
    options = {"data": data, "lengths": lengths}
    one, two = (topic_effects(means, "group * s(x)", **options) for _ in range(2))
    assert one.coefficients.equals(two.coefficients)
    three = topic_effects(means, "group * s(x)", random_state=1, **options)
    assert not one.coefficients.equals(three.coefficients)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("party +", "cannot be read at its end"),
        ("party + + year", "cannot be read at '\\+'"),
        ("party - year", "cannot be read at '- year'"),
        ("party:year + party", "interaction of year without year itself"),
        ("party + nothing", "data has no column 'nothing'"),
        ("s(party)", "has words; s\\(party\\) needs numbers"),
        ("s(year, df=1)", "needs df of 2 or more"),
        ("s(flag, df=4)", "has 2"),
        ("year + s(year)", "a column in two ways"),
        ("year:year + year", "a column twice"),
        ("year + twice", "say the same"),
        ("factor(age)", "300 groups"),
        ("", "cannot be read at its end"),
        ("s(year, df=x)", "cannot be read at 'x'"),
        ("one", "only 1"),
    ],
)
def test_what_cannot_be_done_is_said(data, theta, formula, message):
    table = data.with_columns(twice=2 * pl.col("year"), flag=pl.int_range(300) % 2, one=pl.lit(1))
    with pytest.raises(ValueError, match=message):
        effects_of(theta, formula, table)


def test_wrong_arguments(data, theta):
    effects = effects_of(theta, "party + year", data)
    with pytest.raises(ValueError, match="is not in the formula"):
        effects.marginal("age")
    with pytest.raises(ValueError, match="party has no value 'blue'"):
        effects.marginal("party", ["blue"])
    with pytest.raises(ValueError, match="baseline is 'blue'"):
        effects.contrasts("party", baseline="blue")
    with pytest.raises(ValueError, match="covariance is 'HC9'"):
        effects_of(theta, "party", data, covariance="HC9")
    with pytest.raises(ValueError, match="correction is"):
        effects_of(theta, "party", data, correction="bonferoni")
    with pytest.raises(ValueError, match="more documents"):
        effects_of(theta[:3], "party * year", data[[0, 1, 2]])
    with pytest.raises(ValueError, match="topic_effects takes several"):
        prevalence(theta[None], data.select("party", "year"))


def test_formulas():
    assert str(read_formula("y ~ a*b*c")) == "a + b + c + a:b + a:c + b:c + a:b:c"
    assert str(read_formula("~ a + a")) == "a"
    assert str(read_formula("bs(a, 5) + `b c`:d + d + `b c`")) == (
        "bs(a, df=5) + d + `b c` + `b c`:d"
    )
    assert str(read_formula("naïve + C(jahr)")) == "naïve + factor(jahr)"


def test_forest_and_curves_are_drawn(data, theta):
    effects = effects_of(theta, "party + s(year, df=3)", data)
    assert isinstance(effects, TopicEffects)
    ax = effects.forest("party", n=4)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert len(labels) == 4
    assert labels[0].startswith("topic ")
    ax = effects.plot("year", at={"party": "left"})
    assert ax.get_xlabel() == "year"
    assert len(ax.get_lines()) == 3
    ax = effects.plot("party", [0])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["green", "left", "right"]
