"""Prevalence: coverage on generated data, regressions against others, columns of all kinds."""

import datetime

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import sparse

from quire.topics import Prevalence, prevalence
from quire.topics._composition import GroupMeans, LeastSquares


class Model:
    """What a fitted model of quire has."""

    def __init__(self, theta=None, alpha=0.1, samples=None):
        self.theta_ = theta
        self.alpha_ = np.full(theta.shape[1] if theta is not None else 2, alpha)
        self.theta_samples_ = samples

    def fit(self, X):
        raise NotImplementedError


def corpus(rng, priors, length):
    """Return the posterior means and lengths of documents whose topics are known."""
    theta = np.stack([rng.dirichlet(prior) for prior in priors])
    lengths = rng.poisson(length, len(theta))
    counts = np.stack([rng.multinomial(n, row) for n, row in zip(lengths, theta, strict=True)])
    prior = priors.mean(axis=0)
    return (counts + prior) / (lengths + prior.sum())[:, None], lengths, prior


def test_intervals_of_groups_cover_the_truth():
    rng = np.random.default_rng(0)
    priors = {"a": [0.9, 0.6, 0.3], "b": [0.5, 0.8, 0.5], "c": [0.3, 0.3, 1.2]}
    truth = {name: np.array(prior) / 1.8 for name, prior in priors.items()}
    inside, compared = [], []
    for seed in range(80):
        group = rng.choice(list("abc"), 150, p=[0.5, 0.3, 0.2])
        theta, lengths, prior = corpus(rng, np.array([priors[name] for name in group]), 100)
        model = Model(theta)
        model.alpha_ = prior
        result = prevalence(
            model,
            group,
            baseline="a",
            lengths=lengths,
            n_samples=10,
            n_draws=500,
            random_state=seed,
        )
        for topic, name, _, lower, upper, _ in result.table.rows():
            inside.append(lower <= truth[name][topic] <= upper)
        for topic, name, _, lower, upper, *_ in result.contrasts.rows():
            difference = truth[name[0]][topic] - truth["a"][topic]
            compared.append(lower <= difference <= upper)
    assert 0.92 < np.mean(inside) < 0.985  # 720 intervals of 95 %
    assert 0.92 < np.mean(compared) < 0.985


def test_intervals_of_slopes_cover_the_truth():
    rng = np.random.default_rng(1)
    inside = []
    for seed in range(150):
        x = rng.uniform(0, 1, 120)
        share = 0.2 + 0.5 * x
        priors = 2 * np.column_stack([share, 1 - share])
        theta, lengths, _ = corpus(rng, priors, 200)
        result = prevalence(theta, x, lengths=lengths, n_samples=10, n_draws=500, random_state=seed)
        _, name, _, lower, upper, *_ = result.contrasts.row(0)
        assert name == "slope per unit"
        inside.append(lower <= 0.5 <= upper)
    assert 0.90 < np.mean(inside) < 0.99


def test_short_documents_are_less_certain():
    theta = np.random.default_rng(0).dirichlet([1, 1], 60)
    group = np.repeat(["a", "b"], 30)
    widths = []
    for length in (3, 1000):
        result = prevalence(theta, group, lengths=np.full(60, length))
        widths.append((result.table["upper"] - result.table["lower"]).mean())
    assert widths[0] > 1.1 * widths[1]


def test_regressions_equal_statsmodels():
    rng = np.random.default_rng(0)
    D = np.column_stack([np.ones(50), rng.normal(size=(50, 2))])
    theta = rng.dirichlet([1, 2, 3], 50)
    coef, roots = LeastSquares(D).estimate(theta)
    for topic in range(3):
        wanted = sm.OLS(theta[:, topic], D).fit(cov_type="HC2")
        np.testing.assert_allclose(coef[:, topic], wanted.params)
        np.testing.assert_allclose(roots[topic] @ roots[topic].T, wanted.cov_params(), atol=1e-12)


def test_means_of_groups_are_a_regression_on_them():
    rng = np.random.default_rng(0)
    codes = np.array([0, 1, 2] * 10 + [1, 1])
    theta = rng.dirichlet([1, 2], 32)
    means, errors = GroupMeans(codes).estimate(theta)
    coef, roots = LeastSquares(np.eye(3)[codes]).estimate(theta)
    np.testing.assert_allclose(means, coef)
    np.testing.assert_allclose(errors**2, [np.diag(root @ root.T) for root in roots])


def test_a_group_of_one_document_has_an_interval():
    theta = np.random.default_rng(0).dirichlet([1, 1], 21)
    result = prevalence(theta[None], ["a"] * 10 + ["b"] * 10 + ["c"])
    alone = result.table.row(2)
    assert alone[1] == "c"
    assert alone[4] - alone[3] > 0.5
    assert result.table["n_documents"].to_list() == [10, 10, 1] * 2


def test_estimates_are_means_of_samples():
    rng = np.random.default_rng(0)
    samples = rng.dirichlet([1, 2], (4, 30)).astype(np.float32)
    group = np.array(["x", "y"])[rng.integers(0, 2, 30)]
    result = prevalence(Model(samples=samples), group)
    mean = samples.astype(np.float64).mean(axis=0)
    wanted = [mean[group == name, topic].mean() for topic in (0, 1) for name in "xy"]
    np.testing.assert_allclose(result.table["share"], wanted)
    assert result.contrasts["difference"].to_list() == ["x - y", "x - y"]
    np.testing.assert_allclose(result.contrasts["estimate"][0], wanted[0] - wanted[1])
    again = prevalence(samples, group)
    assert again.table.equals(result.table)
    assert not prevalence(samples, group, random_state=1).table.equals(result.table)


def test_each_group_against_all_other_documents():
    theta = np.array([[0.2, 0.8], [0.4, 0.6], [0.5, 0.5], [0.9, 0.1], [0.6, 0.4], [0.5, 0.5]])
    group = ["a", "a", "a", "b", "b", "c"]
    result = prevalence(theta[None], group)
    first = result.contrasts.filter(pl.col("topic") == 0)
    assert first["difference"].to_list() == ["a - others", "b - others", "c - others"]
    wanted = [
        np.mean([0.2, 0.4, 0.5]) - np.mean([0.9, 0.6, 0.5]),
        np.mean([0.9, 0.6]) - np.mean([0.2, 0.4, 0.5, 0.5]),
        0.5 - np.mean([0.2, 0.4, 0.5, 0.9, 0.6]),
    ]
    np.testing.assert_allclose(first["estimate"], wanted)


DAYS = [datetime.date(2020, 1, 1) + datetime.timedelta(days=30 * i) for i in range(40)]
THETA = np.random.default_rng(0).dirichlet([1, 1], 40)


@pytest.mark.parametrize(
    "column",
    [
        DAYS,
        pl.Series("when", DAYS),
        np.array(DAYS, dtype="datetime64[D]"),
        np.array(DAYS, dtype="datetime64[ns]"),
    ],
)
def test_dates(column):
    result = prevalence(THETA[None], column, every="1y")
    assert result.kind == "binned"
    years = result.table.filter(pl.col("topic") == 0)
    assert years["value"].to_list() == [datetime.date(year, 1, 1) for year in range(2020, 2024)]
    assert years["n_documents"].sum() == 40
    assert result.contrasts["difference"][0] == "last - first"
    months = {(day.year, day.month) for day in DAYS}
    assert prevalence(THETA[None], column).table.height == 2 * len(months)
    line = prevalence(THETA[None], column, kind="linear")
    assert line.contrasts["difference"][0] == "slope per year"
    assert line.table["value"][0] == datetime.date(2020, 1, 1)
    assert line.table["value"][39] == DAYS[-1]


def test_a_line_through_dates_has_its_slope_in_years():
    years = np.array([day.toordinal() for day in DAYS]) / 365.2425
    share = 0.1 + 0.2 * (years - years[0])
    result = prevalence(np.column_stack([share, 1 - share])[None], DAYS, kind="linear")
    assert result.contrasts["estimate"].to_list() == pytest.approx([0.2, -0.2])


def test_numbers_in_ranges():
    x = np.concatenate([np.zeros(20), np.arange(1, 21)])
    result = prevalence(THETA[None], x, kind="binned", n_bins=4)
    part = result.table.filter(pl.col("topic") == 0)
    assert part["n_documents"].to_list() == [20, 10, 10]
    assert part["value"].to_list() == [0, 5.5, 15.5]
    rare = prevalence(THETA[None], [0] * 39 + [1], kind="binned")
    assert rare.table.height == 4


def test_a_curve_follows_a_curve():
    x = np.linspace(0, 1, 400)
    share = 0.5 + 0.4 * np.sin(2 * np.pi * x)
    theta = np.column_stack([share, 1 - share])
    result = prevalence(theta, x, kind="smooth", lengths=np.full(400, 500))
    part = result.table.filter(pl.col("topic") == 0)
    wanted = 0.5 + 0.4 * np.sin(2 * np.pi * part["value"].to_numpy())
    np.testing.assert_allclose(part["share"], wanted, atol=0.04)
    with pytest.raises(ValueError, match="too few different values"):
        prevalence(theta, np.repeat([1, 2], 200), kind="smooth", lengths=np.full(400, 9))


def test_tables_and_missing_values():
    pandas = pytest.importorskip("pandas")
    group = ["a", None, "b"] * 10 + ["a"] * 10
    wanted = prevalence(THETA[None], group)
    assert wanted.n_missing == 10
    assert wanted.n_documents == 30
    assert "(10 without it)" in str(wanted)
    for data in (pl.DataFrame({"g": group}), pandas.DataFrame({"g": group}), {"g": group}):
        found = prevalence(THETA[None], "g", data=data)
        assert found.by == "g"
        assert found.table.equals(wanted.table)
    numbers = prevalence(THETA[None], [1.0, np.nan, 2.0] * 10 + [3.0] * 10)
    assert (numbers.kind, numbers.n_missing) == ("linear", 10)
    for column in (
        pandas.Series([1, None, 2] * 10 + [3] * 10, dtype="Int64"),
        pandas.array([1, None, 2] * 10 + [3] * 10, dtype="Int64"),
    ):
        assert prevalence(THETA[None], column).table.equals(numbers.table)
    strings = prevalence(THETA[None], pandas.Series(group, dtype="string"))
    assert strings.table.equals(wanted.table)
    truth = prevalence(THETA[None], np.arange(40) % 3 == 0)
    assert truth.contrasts["difference"][0] == "False - True"


def test_ordered_categories_keep_their_order():
    pandas = pytest.importorskip("pandas")
    words = ["low", "high", "middle", "low"] * 10
    order = ["low", "middle", "high", "unseen"]
    for column in (
        pl.Series(words, dtype=pl.Enum(order)),
        pandas.Series(pandas.Categorical(words, order, ordered=True)),
    ):
        found = prevalence(THETA[None], column).table.filter(pl.col("topic") == 0)
        assert found["value"].to_list() == order[:3]
    unordered = prevalence(THETA[None], pl.Series(words, dtype=pl.Categorical))
    assert unordered.table["value"].to_list()[:3] == ["high", "low", "middle"]


def test_lengths_from_counts_and_empty_documents():
    counts = np.random.default_rng(0).poisson(1.0, (40, 9))
    counts[3] = 0
    theta = THETA.copy()
    theta[3] = 0
    group = ["a", "b"] * 20
    wanted = prevalence(theta, group, lengths=counts.sum(axis=1))
    for form in (counts, sparse.csr_matrix(counts), sparse.csr_array(counts)):
        assert prevalence(theta, group, lengths=form).table.equals(wanted.table)
    assert wanted.table["upper"].is_finite().all()
    knowing = Model(theta, alpha=0.0)
    knowing._lengths = counts.sum(axis=1)
    assert prevalence(knowing, group).table.equals(wanted.table)


def test_surely_large_differences_come_first():
    contrasts = pl.DataFrame(
        {
            "topic": [0, 1, 2, 3],
            "difference": ["a - b"] * 4,
            "estimate": [0.01, -0.3, 0.5, 0.2],
            "lower": [0.009, -0.4, -0.1, 0.1],
            "upper": [0.011, -0.2, 1.1, 0.3],
            "positive": [1.0, 0.0, 0.9, 1.0],
        }
    )
    result = Prevalence("g", "categorical", contrasts, contrasts, 9, 0, 0.95)
    assert result.clearest()["topic"].to_list() == [1, 3, 0, 2]
    assert result.clearest(1)["topic"].to_list() == [1]


def test_result_and_plots():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for arguments in (
        {"by": ["a", "b", "c", "d"] * 10},
        {"by": DAYS, "every": "1q"},
        {"by": DAYS, "kind": "linear"},
        {"by": np.arange(40), "kind": "smooth"},
    ):
        result = prevalence(THETA[None], **arguments)
        assert isinstance(result, Prevalence)
        axes = result.plot()
        assert [text.get_text() for text in axes.get_legend().get_texts()] == [
            f"topic {k}" for k in result.clearest()["topic"].unique(maintain_order=True)
        ]
        assert len(result.plot([1], ax=axes).get_legend().get_texts()) == 3
        pyplot.close("all")
    with pytest.raises(ValueError, match="expected 0 to 1"):
        result.plot([2])
    assert repr(result) == "Prevalence(by='group', kind='smooth', n_topics=2, n_documents=40)"
    many = prevalence(np.random.default_rng(0).dirichlet(np.ones(30), (2, 40)), ["a", "b"] * 20)
    assert str(many).endswith("... 10 more")
    assert many._repr_html_().count("<tr>") == 21


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": ["a", "b"]}, "has 2 values; expected 40"),
        ({"by": ["a"] * 40}, "has only 'a'"),
        ({"by": [None] * 40}, "has no value"),
        ({"by": "party"}, "pass its table as data="),
        ({"by": "party", "data": {"text": ["x"] * 40}}, "no column 'party'; it has 'text'"),
        ({"by": ["a", "b"] * 20, "baseline": "c"}, "baseline is 'c'; group has 'a', 'b'"),
        ({"by": ["a", "b"] * 20, "kind": "linear"}, "has words"),
        ({"by": ["a", "b"] * 20, "kind": "binned"}, "cannot be binned"),
        ({"by": [0.0, np.inf] * 20}, "infinite"),
        ({"by": DAYS, "every": "soon"}, "every is 'soon'"),
        ({"by": [f"{i}" for i in range(40)]}, "every group of group has one document"),
        ({"by": ["a", "b"] * 20, "kind": "group"}, "kind is 'group'"),
        ({"by": ["a", "b"] * 20, "confidence": 95}, "confidence is 95"),
        ({"by": ["a", "b"] * 20, "n_draws": 0}, "n_draws is 0"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        prevalence(THETA[None], **arguments)


def test_theta_alone_does_not_say_how_certain_it_is():
    for topics in (THETA, Model(THETA)):
        with pytest.raises(ValueError, match="keep_samples=True, or pass lengths="):
            prevalence(topics, ["a", "b"] * 20)
    with pytest.raises(ValueError, match="lengths has 3 values; expected 40"):
        prevalence(THETA, ["a", "b"] * 20, lengths=[1, 2, 3])
    with pytest.raises(TypeError, match="expected words, numbers or dates"):
        prevalence(THETA[None], [[1], [2]] * 20)
    with pytest.raises(TypeError, match="not of one kind"):
        prevalence(THETA[None], [1, "a"] * 20)


def test_dates_with_a_time_zone_or_missing():
    pandas = pytest.importorskip("pandas")
    wanted = prevalence(THETA[None], [None, None, *DAYS[2:]], every="1y")
    dates = pandas.to_datetime(pandas.Series([None, None, *DAYS[2:]], name="group"))
    for column in (
        dates,
        dates.dt.tz_localize("UTC"),
        pl.Series([None, None, *DAYS[2:]]).cast(pl.Datetime).dt.replace_time_zone("UTC"),
    ):
        found = prevalence(THETA[None], column, every="1y")
        assert found.n_missing == 2
        assert found.table.equals(wanted.table)


@pytest.mark.parametrize("form", ["names", "frame", "rows", "array"])
def test_several_columns_are_refused_in_words(form):
    table = {"party": ["left", "right"] * 10, "year": list(range(20))}
    theta = np.random.default_rng(0).dirichlet([1, 1], 20)
    by, data = {
        "names": (["party", "year"], table),
        "frame": (pl.DataFrame(table), None),
        "rows": (list(zip(*table.values(), strict=True)), None),
        "array": (np.column_stack([table["year"], table["year"]]), None),
    }[form]
    with pytest.raises(ValueError, match="by has 2 columns; prevalence relates shares to one"):
        prevalence(theta, by, data=data, lengths=np.full(20, 50))
