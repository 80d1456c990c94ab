"""Frequencies and keyness: counted in plain Python, tested with SciPy's tests."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from scipy import stats

from quire.corpus import Tokens, frequencies, keyness

TEXTS = ["a rose is a rose", "A dog", "", "the dog is the dog", "one rose"]
YEARS = [1, 2, 1, 2, None]


def test_counts_shares_and_documents():
    found = frequencies(TEXTS)
    table = found.to_frame()
    words = Counter(word for text in TEXTS for word in text.lower().split())
    assert dict(zip(table["term"], table["count"], strict=True)) == words
    assert table["rank"].to_list() == list(range(1, len(words) + 1))
    assert table["count"].to_list() == sorted(words.values(), reverse=True)
    rose = table.filter(pl.col("term") == "rose").row(0, named=True)
    assert (rose["documents"], rose["document_share"]) == (2, 0.4)
    assert rose["share"] == pytest.approx(3 / sum(words.values()))
    assert found.n_documents == 5


def test_groups():
    found = frequencies(pl.DataFrame({"text": TEXTS, "year": YEARS}), by="year")
    table = found.to_frame()
    assert table["group"].unique().sort().to_list() == [1, 2]
    first = table.filter(pl.col("group") == 1)
    assert dict(zip(first["term"], first["count"], strict=True)) == {"a": 2, "rose": 2, "is": 1}
    assert first["document_share"].to_list() == [0.5, 0.5, 0.5]
    assert found.n_documents == 4
    assert found.top(1)["term"].to_list() == ["a", "dog"]
    assert len(frequencies([], by=[])) == len(frequencies([])) == 0


def test_lines_of_zipf():
    pytest.importorskip("matplotlib")
    ax = frequencies(TEXTS, by=["x", "y", "x", "y", "x"]).plot()
    assert [line.get_label() for line in ax.get_lines()] == ["x", "y"]
    assert ax.get_xscale() == ax.get_yscale() == "log"


def drawn(seed=0):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(12, 0.5), 2)
    groups = rng.integers(0, 2, 40)
    texts = [" ".join(f"w{k}" for k in rng.choice(12, 30, p=shares[g])) for g in groups]
    return texts, np.array(["old", "new"])[groups]


def tables(texts, groups, target):
    tokens = Tokens(texts)
    counts = tokens.to_matrix().toarray()
    a, b = (counts[groups == target].sum(axis=0), counts[groups != target].sum(axis=0))
    return {
        word: np.array([[x, a.sum() - x], [y, b.sum() - y]])
        for word, x, y in zip(tokens.types, a, b, strict=True)
    }


@pytest.mark.parametrize(
    ("measure", "test"),
    [
        ("g2", lambda t: stats.chi2_contingency(t, correction=False, lambda_="log-likelihood")[:2]),
        ("chi2", lambda t: stats.chi2_contingency(t, correction=False)[:2]),
        ("exact", lambda t: (-np.log10(stats.fisher_exact(t)[1]), stats.fisher_exact(t)[1])),
    ],
)
def test_measures_are_those_of_scipy(measure, test):
    texts, groups = drawn()
    found = keyness(texts, by=groups, target="new", measure=measure).to_frame()
    expected = tables(texts, groups, "new")
    assert len(found) == len(expected)
    for row in found.iter_rows(named=True):
        table = expected[row["term"]]
        size, p = test(table)
        more = table[0, 0] / table[0].sum() > table[1, 0] / table[1].sum()
        assert row[measure] == pytest.approx(size if more else -size, rel=1e-9, abs=1e-9)
        assert row["p"] == pytest.approx(p, rel=1e-7)
        assert (row["count_target"], row["count_reference"]) == tuple(table[:, 0])
    assert found[measure].to_list() == sorted(found[measure], reverse=True)
    by_others = stats.false_discovery_control(found["p"].to_numpy())
    np.testing.assert_allclose(found["q"], by_others)


def test_the_worked_example_of_rayson_and_garside():
    # 12,000 and 9,000 words, a word 120 and 30 times: 2 (120 ln(120/85.714) + 30 ln(30/64.286))
    texts = ["hit " * 120 + "other " * 11_880, "hit " * 30 + "other " * 8_970]
    row = keyness(texts, by=[0, 1], target=0, measure="rayson").to_frame().row(0, named=True)
    assert row["term"] == "hit"
    assert row["rayson"] == pytest.approx(
        2 * (120 * np.log(120 / (150 * 12 / 21)) + 30 * np.log(30 / (150 * 9 / 21)))
    )
    percent = keyness(texts, by=[0, 1], target=0, measure="difference").to_frame()
    assert percent.row(0, named=True)["difference"] == pytest.approx(200.0)
    ratio = keyness(texts, by=[0, 1], target=0, measure="log_ratio").to_frame()
    assert ratio.row(0, named=True)["log_ratio"] == pytest.approx(
        np.log2(120.5 / 12_001) - np.log2(30.5 / 9_001)
    )


def test_each_value_against_the_others():
    texts, groups = drawn(1)
    each = keyness(texts, by=groups)
    alone = keyness(texts, by=groups, target="old").to_frame()
    part = each.to_frame().filter(pl.col("group") == "old").drop("group")
    assert part.equals(alone)
    assert each.target == "each"
    named = keyness(texts, by=groups, target="old", reference="new").to_frame()
    assert named.equals(alone)
    mask = keyness(texts, target=groups == "old").to_frame()
    assert mask.equals(alone)
    assert len(keyness(texts, by=groups, target="old", min_count=10**6)) == 0


def test_both_sides_are_drawn():
    pytest.importorskip("matplotlib")
    texts, groups = drawn()
    ax = keyness(texts, by=groups, target="new").plot(3)
    assert len(ax.patches) == 6
    with pytest.raises(ValueError, match="several targets"):
        keyness(texts, by=groups).plot()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "nothing"}, "no column 'nothing'"),
        ({"by": [1, 2]}, "2 values for 5 documents"),
        ({"by": YEARS, "target": 9}, "target is 9"),
        ({"by": YEARS, "target": 1, "reference": 9}, "reference is 9"),
        ({"by": ["x", "x", "y", "x", "x"], "target": "y"}, "no words in y"),
        ({"by": YEARS, "target": 1, "measure": "size"}, "measure is 'size'"),
        ({}, "Name a column"),
        ({"target": [1, 0, 0, 0, 0]}, "True or False"),
    ],
)
def test_what_cannot_be_compared(arguments, message):
    with pytest.raises(ValueError, match=message):
        keyness(TEXTS, **arguments)
