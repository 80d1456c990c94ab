"""Forests, effects and topics over time on the page: their numbers, and that they answer."""

import json
import re

import numpy as np
import polars as pl
import pytest
from tests.helpers.browser import LOOK, is_readable, look_inside, needs_browser

from quire.report import summarise_topics, topic_report
from quire.topics import prevalence, topic_effects, topics_over_time

from .test_report import CORPUS, TEXTS, fitted

RNG = np.random.default_rng(0)
TABLE = pl.DataFrame(
    {
        "place": np.where(CORPUS.theta[:, 0] > 0.3, "<b>a", RNG.choice(["c&d", "e"], 150)),
        "year": RNG.integers(2000, 2012, 150),
        "day": pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 5, 29), eager=True),
    }
)


@pytest.fixture(scope="module")
def model():
    return fitted(keep_samples=True)


def spec_of(page, name):
    specs = json.loads(re.search(r'id="chart-specs">(.*?)</script>', page, re.DOTALL).group(1))
    return specs[name]


def test_forests_have_the_numbers_of_prevalence(model):
    result = prevalence(model, "place", data=TABLE)
    page = topic_report(model, TEXTS, by=result)
    rows = spec_of(page.html, "chart-forest")["data"]["values"]
    expected = {(row["topic"], row["difference"]): row for row in result.contrasts.to_dicts()}
    assert len(rows) == len(expected) == 12
    for row in rows:
        own = expected[int(row["topic"].split(":")[0]), row["comparison"]]
        assert row["estimate"] == pytest.approx(own["estimate"], rel=1e-3)
        assert row["lower"] <= row["estimate"] <= row["upper"]
        assert row["sure"] == (own["p_corrected"] < 0.05)
    assert "<b>a" not in page.html


def test_effects_have_forests_and_curves(model):
    effects = topic_effects(model, "place * s(year, df=3)", data=TABLE)
    page = topic_report(model, TEXTS, by=effects)
    data = page.data.effects
    assert page.data.prevalence is None
    assert [one.column for one in data.columns] == ["place", "year"]
    assert data.formula == effects.formula
    forest = spec_of(page.html, "chart-effects-1")["data"]["values"]
    own = effects.contrasts("year")
    assert len(forest) == len(own) == 4
    curve = spec_of(page.html, "chart-curve-1")["data"]["values"]
    expected = effects.marginal("year").filter(topic=2)["share"]
    shown = [row["share"] for row in curve if row["topic"] == 2]
    np.testing.assert_allclose(shown, expected, atol=1e-5)


def test_time_has_a_picture_for_each_topic(model):
    found = topics_over_time(model, TABLE["day"], texts=TEXTS)
    page = topic_report(model, TEXTS, time=TABLE["day"])
    data = page.data.over_time
    assert data == summarise_topics(model, TEXTS, time=found).over_time
    assert [one.topic for one in data.topics] == found.clearest()
    assert page.html.count('class="panel"') == 4
    first = data.topics[0]
    shares = found.table.filter(topic=first.topic)["share"]
    np.testing.assert_allclose(first.share, shares, atol=1e-5)
    assert data.places[0] == 0
    assert data.places[-1] == 1
    assert data.periods == [str(period) for period in found.periods]
    line = re.search(r'<polyline points="([^"]+)"', page.html).group(1).split()
    assert len(line) == len(data.periods)
    assert "Data of these pictures" in page.html


STEPS = (
    """
  const found = {{}};
  const choice = inside.querySelector(".forest-choice");
  const heads = () => Array.from(inside.querySelectorAll("#chart-effects-0 svg text"))
    .map((one) => one.textContent).join("|");
  found.before = heads();
  choice.value = choice.options[1].value; choice.dispatchEvent(new view.Event("change"));
  found.signal = view.quireViews["chart-effects-0"].signal("comparison");
  const pick = inside.querySelectorAll(".panel [data-pick]")[1];
  pick.click();
  found.chosen = inside.querySelector(".map .topic[aria-pressed=true]").dataset.topic;
  found.picked = pick.dataset.pick;
  found.topic = view.quireViews["chart-curve-1"].signal("topic");
  found.title = inside.getElementById("chart-curve-1-title").textContent;
  found.panels = Math.max(...Array.from(inside.querySelectorAll(".panel svg"))
    .map((one) => one.getBoundingClientRect().right));
"""
    + LOOK
)


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_they_answer(tmp_path, model, width, dark):
    effects = topic_effects(model, "place + s(year, df=3)", data=TABLE)
    page = topic_report(model, TEXTS, by=effects, time="day", data=TABLE).html
    found, console = look_inside(tmp_path, page, width, STEPS, dark=dark)
    assert console == []
    assert is_readable(found, width, dark)
    assert found["unnamed"] == 0
    assert found["places"] == found["drawn_charts"]
    assert found["signal"] == "e - <b>a"
    assert str(found["topic"]) == found["chosen"] == found["picked"]
    assert found["title"].startswith(f"Topic {found['picked']}")
    assert found["panels"] <= width
