"""Where a model errs: parts, scores, intervals, p-values against SciPy, sklearn and plain loops."""

import dataclasses
import datetime
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import chi2_contingency, fisher_exact, t, ttest_ind
from sklearn.metrics import f1_score
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews

from quire._shared.shares import wilson
from quire.datasets import make_multilabel_texts
from quire.io import read_corpus
from quire.model_selection import compare, error_slices
from quire.model_selection._slices.measures import MeanError, MicroF1, ShareOfRight, sums_of
from quire.model_selection._slices.parts import parts_of


@pytest.fixture(scope="module")
def made():
    texts, y = corpus(600, 3, seed=5)
    comparison = classified(texts, y)
    rng = np.random.default_rng(0)
    right = comparison.best.predictions == comparison.y
    hard = ~right & (rng.random(600) < 0.7)
    table = pl.DataFrame(
        {
            "text": texts,
            "label": y,
            "source": np.where(hard | (rng.random(600) < 0.05), "scan", "web"),
            "pages": np.where(rng.random(600) < 0.1, np.nan, rng.gamma(2, 3, 600)),
            "rating": rng.integers(1, 6, 600),
            "day": [
                datetime.date(2001, 1, 1) + datetime.timedelta(int(d))
                for d in rng.integers(0, 900, 600)
            ],
            "id": np.arange(600),
            "author": [f"person {k}" for k in range(600)],
        }
    )
    return comparison, table, right


def by_name(found):
    return {(one.column, one.value): one for one in found}


def test_scores_of_parts_are_those_of_plain_loops(made):
    comparison, table, right = made
    found = error_slices(comparison, table)
    assert found.measure == "accuracy"
    assert found.score == wilson(int(right.sum()), 600)
    columns = {one.column for one in found}
    assert columns == {"length of the text", "source", "pages", "rating", "day"}
    for name in ("source", "rating"):
        for value in table[name].unique().to_list():
            rows = (table[name] == value).to_numpy()
            one = by_name(found)[name, str(value)]
            assert one.documents == rows.sum()
            assert (one.score, one.low, one.high) == pytest.approx(
                wilson(right[rows].sum(), rows.sum())
            )
            assert one.rest == pytest.approx(right[~rows].mean())
            assert one.difference == pytest.approx(right[rows].mean() - right[~rows].mean())


def test_bins_of_numbers_hold_as_many_each_and_missing_is_a_part(made):
    comparison, table, _ = made
    found = error_slices(comparison, table, columns=["pages"], n_bins=4)
    sizes = [one.documents for one in found if one.column == "pages" and one.value != "missing"]
    missing = by_name(found)["pages", "missing"]
    assert missing.documents == table["pages"].is_nan().sum()
    assert len(sizes) == 4
    assert sum(sizes) + missing.documents == 600
    assert max(sizes) - min(sizes) <= 1
    for one in found:
        if one.column == "length of the text":
            low, high = one.value.removesuffix(" words").split(" to ")
            words = table["text"].str.split(" ").list.len()
            assert one.documents == words.is_between(int(low), int(high)).sum()


def test_the_worst_come_first_and_p_values_are_corrected(made):
    comparison, table, _ = made
    found = error_slices(comparison, table)
    first = found[0]
    assert (first.column, first.value, first.is_worse) == ("source", "scan", True)
    assert first in found.worse
    clear = [one.is_worse for one in found]
    assert clear == sorted(clear, reverse=True)
    rest = [one.difference for one in found if not one.is_worse]
    assert rest == sorted(rest)
    p = np.array([one.p_value for one in found])
    order = np.argsort(p)  # Benjamini and Hochberg: the least of p n / rank from here on
    steps = np.minimum.accumulate((p[order] * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]
    expected = np.empty(len(p))
    expected[order] = np.minimum(steps, 1)
    assert [one.p_corrected for one in found] == pytest.approx(expected)
    for one in found:
        assert one.is_worse == (one.p_corrected < 0.05 and one.difference < 0)
    assert not by_name(found)["source", "web"].is_worse  # as unlike the rest, and better


@pytest.mark.parametrize(("right", "n", "others", "m"), [(30, 60, 400, 500), (3, 9, 190, 200)])
def test_p_value_of_shares(right, n, others, m):
    measure = ShareOfRight(np.ones(1, dtype=bool))
    found = measure.p_value(np.array([n, right]), np.array([m, others]))
    table = [[right, n - right], [others, m - others]]
    if n > 20:
        statistic, expected, *_ = chi2_contingency(table, correction=False)
        assert found == pytest.approx(expected, rel=0.2)
        assert statistic > 3
        assert found > expected  # n - 1 in the place of n
    else:
        assert found == pytest.approx(fisher_exact(table)[1])
    assert measure.p_value(np.array([5.0, 5.0]), np.array([9.0, 9.0])) == 1


def test_mean_errors_have_students_interval_and_welchs_test():
    rng = np.random.default_rng(1)
    errors = np.abs(rng.normal(1e6, 3, 80))
    codes = np.repeat([0, 1, 0], [20, 30, 30])
    measure = MeanError(errors)
    sums = sums_of(measure.terms, codes, 2)
    one = errors[codes == 1]
    score = measure.score(sums[1], 0.9)
    half = t.ppf(0.95, 29) * one.std(ddof=1) / np.sqrt(30)
    assert score == pytest.approx((one.mean(), one.mean() - half, one.mean() + half), rel=1e-9)
    expected = ttest_ind(one, errors[codes == 0], equal_var=False).pvalue
    assert measure.p_value(sums[1], sums[0]) == pytest.approx(expected, rel=1e-3)
    same = MeanError(np.ones(9))
    assert same.p_value(same.terms[:4].sum(0), same.terms[4:].sum(0)) == 1


def test_f1_of_all_labels_is_that_of_sklearn_with_the_error_of_many_draws():
    rng = np.random.default_rng(2)
    true = rng.random((400, 5)) < 0.4
    guessed = true ^ (rng.random((400, 5)) < rng.uniform(0, 0.3, (400, 1)))
    measure = MicroF1((true & guessed).sum(1), true.sum(1) + guessed.sum(1))
    score = measure.score(measure.terms.sum(0), 0.95)
    assert score.value == pytest.approx(f1_score(true, guessed, average="micro"))
    drawn = []
    for _ in range(400):
        rows = rng.integers(0, 400, 400)
        drawn.append(f1_score(true[rows], guessed[rows], average="micro"))
    assert (score.high - score.low) / 2 == pytest.approx(1.96 * np.std(drawn), rel=0.15)
    half = np.arange(400) < 200
    sums = [measure.terms[rows].sum(0) for rows in (half, ~half)]
    assert 0.01 < measure.p_value(*sums) <= 1
    worse = measure.terms[true.sum(1) != (true & guessed).sum(1)].sum(0)
    assert measure.p_value(worse, measure.terms.sum(0) - worse) < 1e-6
    nothing = MicroF1(np.zeros(3, dtype=int), np.zeros(3, dtype=int))
    assert nothing.score(nothing.terms.sum(0), 0.95) == (1, 1, 1)


def test_numbers_are_judged_by_their_errors():
    texts, y = reviews(300)
    comparison = predicted_numbers(texts, y)
    side = np.where(np.arange(300) % 3 == 0, "left", "right")
    found = error_slices(comparison, texts, columns={"side": side})
    assert (found.measure, found.larger_is_better) == ("mean absolute error", False)
    errors = np.abs(y - comparison.best.predictions)
    assert found.score.value == pytest.approx(errors.mean())
    one = by_name(found)["side", "left"]
    assert one.score == pytest.approx(errors[side == "left"].mean())
    assert one.p_value == pytest.approx(
        ttest_ind(errors[side == "left"], errors[side == "right"], equal_var=False).pvalue
    )
    rest = [one.difference for one in found if not one.is_worse]
    assert rest == sorted(rest, reverse=True)  # a larger error is worse


def test_several_labels():
    data = make_multilabel_texts(240, random_state=0)
    comparison = compare(data.texts, data.labels, ["linear-svm"], cv=2, checks=False)
    found = error_slices(comparison, data.texts)
    assert found.measure == "F1 of all labels"
    true, guessed = (Y.toarray() for Y in (comparison.codes, comparison.best.predicted))
    assert found.score.value == pytest.approx(f1_score(true, guessed, average="micro"))
    assert len(found) == 5


def test_languages_are_parts_where_there_are_several():
    english = "the {} was in the house and it is not for you but for them"
    german = "der {} war nicht in dem Haus und es ist auch nicht für dich"
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    words = np.array([["goal", "match"], ["law", "vote"]])
    texts = [
        (german if k % 4 == 0 else english).format(" ".join(rng.choice(words[y[k]], 2)))
        for k in range(200)
    ]
    comparison = classified(texts, np.array(["a", "b"])[y])
    found = by_name(error_slices(comparison, texts))
    assert found["language of the text", "English"].documents == 150
    assert found["language of the text", "German"].documents == 50


def test_dates_are_parted_by_periods_whatever_they_are_given_as(made):
    comparison, table, _ = made
    as_text = table["day"].dt.strftime("%Y-%m-%dT10:00:00")
    at_times = table["day"].cast(pl.Datetime)
    for values in (table["day"], as_text, at_times):
        found = error_slices(comparison, columns={"day": values})
        names = {one.value for one in found if one.column == "day"}
        quarters = {f"{year}-Q{k}" for year in (2001, 2002) for k in range(1, 5)}
        assert names == quarters | {"2003-Q1", "2003-Q2"}
    years = pl.Series("day", [datetime.date(1700 + 3 * k % 300, 1, 1) for k in range(600)])
    found = error_slices(comparison, columns={"day": years})
    assert {one.value for one in found if one.column == "day"} == {"1700s", "1800s", "1900s"}


def test_many_categories_are_pooled_and_small_ones_are_too():
    values = pl.Series("x", ["a"] * 50 + ["b"] * 40 + ["c"] * 3 + [None] * 5 + ["d"] * 30)
    parts = parts_of(values, 5, most=2, least=20)
    assert parts.names == ["a", "b", "other values", "missing"]
    assert np.bincount(parts.codes).tolist() == [50, 40, 33, 5]
    assert parts_of(pl.Series("id", range(100)), 5, 20, 20) is None
    assert parts_of(pl.Series("lists", [[1], [2]] * 50), 5, 20, 20) is None
    assert parts_of(pl.Series("same", ["a"] * 50), 5, 20, 20) is None


def test_a_corpus_brings_its_columns_but_not_texts_and_labels(made):
    comparison, table, _ = made
    given = read_corpus(table, text="text", label="label")
    found = error_slices(comparison, given)
    assert {one.column for one in found} == {
        "length of the text",
        "source",
        "pages",
        "rating",
        "day",
    }
    frame = error_slices(comparison, pd.DataFrame(table.to_dict(as_series=False)))
    assert by_name(frame)["source", "scan"] == by_name(found)["source", "scan"]


def test_texts_may_be_missing_or_damaged(made):
    comparison, table, _ = made
    texts = [None, float("nan"), "\ud800 lone", *table["text"][3:].to_list()]
    for given in (texts, np.array(texts, dtype=object), pd.Series(texts, dtype=object)):
        found = error_slices(comparison, given)
        lengths = [one.documents for one in found]
        assert len(lengths) == 5
        assert sum(lengths) == 600


def test_without_texts_or_columns_there_is_nothing(made):
    comparison, _, _ = made
    bare = dataclasses.replace(comparison, counted=None)
    found = error_slices(bare)
    assert len(found) == 0
    assert "no part" in str(found)
    assert found.to_frame().height == 0


def test_folds_that_were_not_finished_are_left_out(made):
    comparison, table, right = made
    best = comparison.best
    scores = {name: values.copy() for name, values in best.scores.items()}
    scores["accuracy"][0] = np.nan
    changed = dataclasses.replace(
        comparison, trials=(dataclasses.replace(best, scores=scores), *comparison.trials[1:])
    )
    found = error_slices(changed, table)
    rows = np.concatenate([test for _, test in comparison.folds[1:]])
    assert found.documents == len(rows)
    assert found.score.value == pytest.approx(right[rows].mean())


def test_what_it_gives_to_programs_and_people(made):
    comparison, table, _ = made
    found = error_slices(comparison, table)
    frame = found.to_frame()
    assert frame.height == len(found)
    assert frame["value"].to_list() == [one.value for one in found]
    assert json.loads(json.dumps(found.to_dict()))["slices"][0]["value"] == "scan"
    assert str(found).splitlines()[2].startswith("* source: scan")
    hostile = error_slices(comparison, columns={"<b>x": ["<script>"] * 300 + ["\x1b[5m"] * 300})
    assert "<script>" not in hostile._repr_html_()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["none"]}, "There is no column 'none'; there are: no table was given"),
        ({"columns": {"x": [1, 2]}}, "x has 2 values; the comparison has 600 documents"),
        ({"data": ["a text"]}, "texts has 1 values"),
        ({"n_bins": 1}, "n_bins is 1; expected a whole number, 2 or more"),
        ({"min_documents": True}, "min_documents is True"),
        ({"level": 1.0}, "level is 1.0"),
    ],
)
def test_bad_arguments(made, options, message):
    with pytest.raises(ValueError, match=message):
        error_slices(made[0], **options)
