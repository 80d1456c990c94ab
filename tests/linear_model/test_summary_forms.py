"""A summary as text, table, HTML and pickle."""

import pickle
import re
import sys
from dataclasses import FrozenInstanceError, replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from sklearn import linear_model

from quire.linear_model import Summary
from quire.linear_model._summary.least_squares import LeastSquaresSummary
from quire.linear_model._summary.logistic import LogisticSummary


class LinearRegression(LeastSquaresSummary, linear_model.LinearRegression):
    pass


class LogisticRegression(LogisticSummary, linear_model.LogisticRegression):
    pass


RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = X @ [1.0, 0.0, -2.0] + 3 + RNG.normal(size=80)
NAMES = ["age", "<script>alert('x')</script> & more", "語の頻度がとても高い列の名前 " * 4]
MODEL = LinearRegression().fit(X, Y)
SUMMARY = MODEL.summary(X, Y, feature_names=NAMES)


def of_classes(labels=("<no>", "yes", "&c")):
    y = np.array(labels)[RNG.integers(len(labels), size=80)]
    model = LogisticRegression(C=np.inf, tol=1e-10, solver="newton-cg").fit(X, y)
    return model.summary(X, y, feature_names=NAMES)


def columns(line):
    import unicodedata

    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)


@pytest.mark.parametrize("width", [None, 72, 80, 120])
def test_text_keeps_within_the_width(width):
    lines = SUMMARY.as_text(width).splitlines()
    assert max(map(columns, lines)) <= (width or 80)
    table = lines[lines.index("") + 1 :]
    table = table[table.index("") + 1 :]
    assert table[0].split() == "estimate std. error t P>|t| lower 95% upper 95%".split()
    assert len(table) == 1 + 4
    assert len({columns(line) for line in table}) == 1  # aligned to the right
    assert str(SUMMARY) == SUMMARY.as_text(80)


def test_text_says_what_the_numbers_are():
    text = str(SUMMARY)
    assert text.startswith("Least squares (LinearRegression)\n")
    found = SUMMARY.equations[0]
    row = next(line for line in text.splitlines() if line.startswith("age")).split()
    decimals = len(row[2].split(".")[1])
    assert row[1] == f"{found.estimates[1]:.{decimals}f}"
    assert row[2] == f"{found.standard_errors[1]:.{decimals}f}"
    assert row[3] == f"{found.statistics[1]:.2f}"
    assert row[4] == "<0.001"
    assert re.search(rf"log-likelihood\s+{SUMMARY.log_likelihood:.3f}", text)
    assert re.search(rf"adjusted R2\s+{SUMMARY.adjusted_r2:.4f}", text)
    assert "…" in text  # long names lose their middle


def test_narrow_text_puts_the_measures_below_each_other():
    lines = SUMMARY.as_text(40).splitlines()
    assert "samples" in lines[2]
    assert len(lines[2]) < 40


def test_large_and_small_numbers_stay_readable():
    scaled = X * [1e6, 1e-6, 1.0]
    text = str(LinearRegression(tol=1e-14).fit(scaled, Y).summary(scaled, Y))
    assert re.search(r"x0\s+\d\.\d{3}e-0\d\s+\d\.\d{3}e-0\d", text)
    assert re.search(r"x1\s+-?\d+\.\d+\s+\d+\.\d+|x1\s+-?\d\.\d{3}e\+0\d", text)
    assert max(map(len, text.splitlines())) <= 80


def test_long_tables_are_cut():
    wide = RNG.normal(size=(200, 60))
    y = wide[:, 0] + RNG.normal(size=200)
    summary = LinearRegression().fit(wide, y).summary(wide, y)
    assert "... 11 more: to_frame() has all" in str(summary)
    assert "x58" not in str(summary)
    assert "x59" in summary.as_text(max_terms=100)
    assert "11 more: to_frame() has all" in summary.as_html()
    assert summary.to_frame().height == 61


def test_frame():
    frame = SUMMARY.to_frame()
    assert frame.columns == ["term", "estimate", "std_error", "t", "p_value", "lower", "upper"]
    assert frame["term"].to_list() == ["intercept", *NAMES]
    found = SUMMARY.equations[0]
    np.testing.assert_array_equal(frame["estimate"], found.estimates)
    np.testing.assert_array_equal(frame["std_error"], found.standard_errors)
    np.testing.assert_array_equal(frame["t"], found.statistics)
    np.testing.assert_array_equal(frame["upper"], found.upper)
    classes = of_classes().to_frame()
    assert classes["equation"].to_list() == ["<no>"] * 4 + ["yes"] * 4
    assert "z" in classes.columns


def test_pandas():
    frame = of_classes().to_pandas()
    assert frame.index.names == ["equation", "term"]
    assert frame.loc[("yes", "age"), "estimate"] == of_classes_estimate(frame)
    assert SUMMARY.to_pandas().index.name == "term"


def of_classes_estimate(frame):
    return frame.reset_index().query("equation == 'yes' and term == 'age'")["estimate"].item()


def test_pandas_that_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'quire\[pandas\]'"):
        SUMMARY.to_pandas()


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("make", [lambda: SUMMARY, of_classes], ids=["least squares", "logistic"])
def test_html_is_one_table_with_names_escaped(make):
    summary = make()
    html = summary._repr_html_()
    assert html == summary.as_html()
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    names = [tag for tag, _ in tags.seen]
    assert names.count("table") == names.count("caption") == 1
    assert "script" not in names
    assert not {"src", "href"} & {key for _, attributes in tags.seen for key in attributes}
    assert "&lt;script&gt;" in html
    for name in NAMES:
        assert " ".join(name.split()) in tags.text
    headers = [attributes for tag, attributes in tags.seen if tag == "th"]
    assert all(attributes["scope"] in {"col", "row", "rowgroup"} for attributes in headers)


def test_html_names_classes():
    html = of_classes().as_html()
    assert "class &lt;no&gt; against &amp;c" in html


def test_frozen_and_picklable():
    copy = pickle.loads(pickle.dumps(SUMMARY))
    assert isinstance(copy, Summary)
    assert str(copy) == str(SUMMARY)
    assert copy.to_frame().equals(SUMMARY.to_frame())
    with pytest.raises(FrozenInstanceError):
        SUMMARY.r2 = 1.0
    with pytest.raises(FrozenInstanceError):
        SUMMARY.equations[0].terms = ()


def test_short_form():
    expected = "Summary(model='LinearRegression', n_samples=80, n_parameters=4, n_equations=1)"
    assert repr(SUMMARY) == expected


def test_least_squares_have_no_odds():
    with pytest.raises(ValueError, match="Least squares has no odds ratios"):
        SUMMARY.odds_ratios()


def test_odds_beyond_all_numbers_are_infinite():
    summary = of_classes()
    first = replace(summary.equations[0], estimates=np.full(4, 1e4), upper=np.full(4, 1e4))
    ratios = replace(summary, equations=(first,)).odds_ratios()
    assert ratios.select(pl.col("odds_ratio").is_infinite().all()).item()


def test_names_seen_in_fit():
    frame = pl.DataFrame(X, schema=["a", "b", "c"])
    summary = LinearRegression().fit(frame, Y).summary(frame, Y)
    assert summary.equations[0].terms == ("intercept", "a", "b", "c")
