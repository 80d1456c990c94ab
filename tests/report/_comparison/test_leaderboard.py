"""The leaderboard and the sentences above it: scores, intervals and p; times stand elsewhere."""

import dataclasses
import re

import pytest
from tests.helpers.browser import needs_browser
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews
from tests.helpers.devtools import browser_tab
from tests.helpers.pages import Page

from quire.report import render, summarise
from quire.report._comparison.cost import cost_section
from quire.report._comparison.leaderboard import leaderboard_section
from quire.report._comparison.short import short_section

LONG = "Linear support vector machine of characters, weighted by class"


@pytest.fixture(scope="module")
def data():
    texts, y = corpus(120, 3)
    found = summarise(classified(texts, y), texts)
    rows = [
        dataclasses.replace(row, title=LONG) if k in (1, 2) else row
        for k, row in enumerate(found.leaderboard)
    ]
    last = dataclasses.replace(rows[2], name="majority", title="Most frequent class", mean=0.2)
    last = dataclasses.replace(last, low=0.19, high=0.21, p_value=0.0001)
    return dataclasses.replace(found, leaderboard=[rows[0], rows[1], last, rows[3]])


def words_of(section):
    return " ".join("".join(Page(str(section.body)).text).split())


def test_scores_are_in_one_section_and_costs_in_another(data):
    board, costs = leaderboard_section(data).body, cost_section(data).body
    heads = re.findall(r"<th scope=\"col\"[^>]*>(?:<button[^>]*>)?([^<]*)", str(board))
    assert heads[:3] == ["Model", "accuracy", "95% interval"]
    assert heads[4] == "p"
    for name in ("Tune", "Fit", "Predict", "Memory"):
        assert f">{name}</button>" not in str(board)
        assert f">{name}</button>" in str(costs)
    assert "Broken model" in str(board)
    assert "41.5 MB" in str(costs)


def test_small_pictures_are_on_the_scale_of_models_that_learn(data):
    pictures = re.findall(
        r'<span style="--a:(.*?);--b:(.*?);--m:(.*?)"', str(leaderboard_section(data).body)
    )
    assert len(pictures) == 2
    ends = [(float(a), float(b)) for a, b, _ in pictures]
    assert min(a for a, _ in ends) == 0
    assert max(b for _, b in ends) == 1
    assert all(float(a) <= float(m) <= float(b) for a, b, m in pictures)
    assert str(leaderboard_section(data).body).count('class="lower"') == 1


def test_in_short_reads_as_people_say_it(data):
    said = words_of(short_section(data))
    best = data.leaderboard[0]
    assert (
        f"{best.title} is best: {best.mean:.1%} of documents right on average over 4 folds" in said
    )
    assert f"(95% interval {best.low:.1%} to {best.high:.1%})." in said
    assert "To compare with: Most frequent class 20.0% of documents right." in said


@pytest.mark.parametrize(
    ("ps", "sentence"),
    [
        ((0.5, 0.2), "A and B are not clearly worse (p ≥ 0.05)."),
        ((0.5, 0.001), "A is not clearly worse (p ≥ 0.05). The others are."),
        ((0.01, 0.001), "All others are clearly worse (p < 0.05)."),
    ],
)
def test_which_others_are_clearly_worse(data, ps, sentence):
    rows = [
        dataclasses.replace(row, title=title, name=title, p_value=p)
        for row, title, p in zip(data.leaderboard[1:3], "AB", ps, strict=True)
    ]
    board = [data.leaderboard[0], *rows]
    assert sentence in words_of(short_section(dataclasses.replace(data, leaderboard=board)))


def test_errors_are_said_without_their_sign():
    texts, z = reviews(80)
    data = summarise(predicted_numbers(texts, z), texts)
    data = dataclasses.replace(data, metric="neg_mean_absolute_error")
    row = dataclasses.replace(data.leaderboard[0], mean=-1.374, low=-1.5, high=-1.25)
    data = dataclasses.replace(data, leaderboard=[row, *data.leaderboard[1:]])
    said = words_of(short_section(data))
    assert "is best: wrong by 1.37 on average over 4 folds (95% interval 1.25 to 1.50)." in said
    text = "".join(Page(render(data)).text)
    assert f"Predictions are wrong by {data.regression.mae:#.3g} on average." in text
    assert "2 models, numbers, 4 folds" in text


def test_classes_are_counted():
    texts, y = corpus(300, 27)
    text = "".join(Page(render(summarise(classified(texts, y, n_folds=2), texts))).text)
    assert "4 models, 27 classes, 2 folds" in text


@needs_browser
@pytest.mark.parametrize("width", [1400, 1100, 800])
def test_names_have_room_and_nothing_is_clipped(tmp_path, data, width):
    look = """(function () {
      const names = Array.from(document.querySelectorAll("table.board tbody th"));
      const line = parseFloat(getComputedStyle(names[0]).lineHeight);
      return {
        lines: Math.max(...names.map((one) => Math.round((one.clientHeight - 10) / line))),
        main: document.querySelector("main").clientWidth,
        clipped: Array.from(document.querySelectorAll("#leaderboard .box, #cost .box")).filter(
          (box) => box.scrollWidth > box.clientWidth + 1).length,
      };
    })()"""
    with browser_tab(tmp_path, render(data), width=width) as tab:
        found = tab.run(look)
    assert found["lines"] <= 2
    assert found["clipped"] == 0
    if width == 1400:
        assert 1100 <= found["main"] <= 1150
