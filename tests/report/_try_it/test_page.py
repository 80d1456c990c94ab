"""The box in a report: what a reader types is classified, explained, and turned round."""

import html
import json
import re

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.browser import (
    brightness,
    fetched,
    needs_browser,
    on_demand,
    open_page,
    take_pictures,
)
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews

from quire._shared.page.shell import shell
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.linear_model import LogisticRegression, NBLogistic
from quire.model_selection import compare
from quire.report import report
from quire.report._try_it import section
from quire.report._try_it.section import try_it_scripts, try_it_section, try_it_styles
from quire.tree import DecisionTreeClassifier

# Does one step after the other, each when the page has come to rest, and writes down what it saw.
_STEPS = """<script>
(function () {
  const at = (name) => document.getElementById("try-" + name);
  const rest = () => new Promise(function (done) {
    let last = "", same = 0;
    const timer = setInterval(function () {
      const now = document.getElementById("try-it").textContent + at("text").value;
      same = now === last && !at("flip").textContent.startsWith("Looking") ? same + 1 : 0;
      last = now;
      if (same > 5) { clearInterval(timer); done(); }
    }, 60);
  });
  const type = function (text) {
    at("text").value = text;
    at("text").dispatchEvent(new Event("input"));
    return rest();
  };
  const look = () => ({
    verdict: at("verdict").textContent, bound: at("bound").textContent,
    flip: at("flip").textContent, words: JSON.parse(at("flip").dataset.words || "null"),
    least: Number(at("flip").dataset.least), shown: !at("result").hidden,
    total: Number(at("terms").dataset.total), unknown: at("unknown").textContent,
    marks: at("words").querySelectorAll("mark").length,
    solid: at("words").querySelectorAll("[class^=for]").length,
    dotted: at("words").querySelectorAll("[class^=against]").length,
    read: at("words").textContent, off: at("words").querySelectorAll(".off").length,
    terms: Array.from(at("terms").rows, (row) => row.cells[0].textContent),
    problem: at("problem").hidden ? "" : at("problem").textContent,
    said: at("said").textContent, elements: at("words").querySelectorAll("*:not(mark)").length,
  });
  const found = [];
  (async function () {
    STEPS
  })().then(function () {}, function (error) { found.push(String(error)); }).then(function () {
    const place = document.createElement("pre");
    place.id = "seen";
    place.textContent = JSON.stringify(found);
    document.body.append(place);
  });
})();
</script>"""


def seen(folder, page, steps, *options):
    head, end = page.rsplit("</body>", 1)
    page = head + _STEPS.replace("STEPS", steps.replace("</", "<\\/")) + "</body>" + end
    dom, console, log = open_page(folder, page, "--virtual-time-budget=30000", *options)
    assert console == []
    assert fetched(log) == []
    inside = re.search(r'<pre id="seen">(.*?)</pre>', dom, re.DOTALL)
    return json.loads(html.unescape(inside.group(1)))


def blanked(text, spans):
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


@pytest.fixture(scope="module")
def sports():
    texts, y = corpus(300, 3)
    comparison = classified(texts, y)
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression()).fit(texts, y)
    return model, report(comparison, texts, model=model)


def alone(made):
    """Return the box of a report as a page of its own, which a browser opens sooner."""
    box = made.data.try_it
    assert box.reason is None
    sections = [try_it_section(box)]
    return str(
        shell("box", "", sections, styles=try_it_styles(), scripts=try_it_scripts(box))
    )  # fmt: skip


@needs_browser
def test_texts_are_classified_explained_and_turned_round(tmp_path, sports):
    model, made = sports
    texts = [
        "The goal of the match, the season and the law.",
        "vote goal",
        "goal goal match",
        "xyz",
    ]
    steps = "".join(f"await type({json.dumps(text)}); found.push(look());" for text in texts)
    for text, one in zip(texts, seen(tmp_path, alone(made), steps), strict=True):
        label, P = model.predict([text])[0], model.predict_proba([text])[0]
        assert one["verdict"] == f"{label} {100 * P.max():.1f}%"
        first, second = np.sort(model.decision_function([text])[0])[::-1][:2]
        assert abs(one["total"] - (first - second)) < 1e-5
        assert "up to \u00b10.0000" in one["bound"]
        assert one["read"] == text
        assert one["terms"][0] == "before anything is read"
        if one["words"] is None:
            assert "does not change" in one["flip"]
            continue
        without = model.predict([blanked(text, one["words"])])[0]
        assert without != label
        assert without in one["flip"]
        assert one["least"] == len(one["words"])
        if len(one["words"]) == 2:
            spans = [match.span() for match in re.finditer(r"\w+", text)]
            assert all(model.predict([blanked(text, [span])])[0] == label for span in spans)


@needs_browser
def test_words_are_left_out_and_taken_again(tmp_path, sports):
    model, made = sports
    text = "goal vote goal law"
    steps = f"""
      await type({json.dumps(text)}); found.push(look());
      const word = () => at("words").querySelector('[data-word="1"]');
      word().click(); await rest(); found.push(look());
      word().dispatchEvent(new KeyboardEvent("keydown", {{ key: "Enter", bubbles: true }}));
      await rest(); found.push(look());
      word().dispatchEvent(new KeyboardEvent("keydown", {{ key: "ArrowRight", bubbles: true }}));
      found.push(document.activeElement.dataset.word);
      word().click(); await rest();
      at("all").click(); await rest(); found.push(look());
      at("asked").value = "0"; at("asked").dispatchEvent(new Event("change")); await rest();
      found.push(look());
      await new Promise((done) => setTimeout(done, 1200)); found.push(look());
      document.querySelectorAll("[data-example]")[1].click(); await rest(); found.push(look());
    """
    first, without, again, focus, all_again, asked, later, example = seen(
        tmp_path, alone(made), steps
    )
    scores = model.decision_function([blanked(text, [(5, 9)])])[0]
    assert without["off"] == 1
    assert abs(without["total"] - np.subtract(*np.sort(scores)[::-1][:2])) < 1e-5
    assert again == first | {"said": again["said"]}
    assert focus == "2"
    assert all_again["off"] == 0
    assert asked["terms"][-1].startswith(f"together: {model.classes_[0]}")
    assert later["said"] == later["verdict"]
    assert example["verdict"].startswith(made.data.try_it.examples[1].label)


@needs_browser
def test_hostile_and_long_texts(tmp_path, sports):
    _, made = sports
    hostile = "</script><img src=x onerror=alert(1)> goal \u202e \U0001f600 <b>vote</b> \x00 \ud800"
    steps = f"""
      await type({json.dumps(hostile)}); found.push(look());
      await type("goal law ".repeat(12000)); found.push(look());
      await type("x".repeat(40000)); found.push(look());
      await type("law ".repeat(100000)); found.push(look());
      await type("  "); found.push(look());
    """
    one, long, word, longest, empty = seen(tmp_path, alone(made), steps)
    assert one["elements"] == 0
    assert "<b>vote</b>" in one["read"]
    assert long["marks"] == 3000
    assert "21,000 more words" in long["read"]
    assert "too long" in long["flip"]
    assert "1 word more" in word["read"]
    assert word["marks"] == 0
    assert "first 300,000" in longest["problem"]
    assert empty["shown"] is False


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(1300, False), (500, True)])
def test_wide_and_narrow(tmp_path, sports, width, dark):
    steps = """
      await type("goal law vote " + "averylongword".repeat(20));
      const box = document.querySelector(".try");
      found.push({ wide: document.documentElement.scrollWidth, view: window.innerWidth,
        paper: getComputedStyle(at("text")).backgroundColor,
        ink: getComputedStyle(at("text")).color,
        unnamed: Array.from(box.querySelectorAll("button, select, textarea")).filter((one) =>
          !one.textContent.trim() && !(one.labels && one.labels.length)).length });
    """
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    (found,) = seen(tmp_path, alone(sports[1]), steps, f"--window-size={width},900", scheme)
    assert found["wide"] <= found["view"] <= width
    assert (brightness(found["paper"]) < 60) is dark
    assert abs(brightness(found["paper"]) - brightness(found["ink"])) > 150
    assert found["unnamed"] == 0


@needs_browser
def test_numbers_and_labels(tmp_path):
    texts, z = reviews(200)
    made = report(predicted_numbers(texts, z), texts, model="best")
    (one,) = seen(tmp_path, alone(made), 'await type("goal win law"); found.push(look());')
    assert one["flip"] == ""
    assert abs(float(one["verdict"]) - one["total"]) < 1e-3
    sets = [[w for w in ("goal", "team", "law") if w in text.split()] for text in texts]
    comparison = compare(texts, sets, ["logistic"], task="multilabel", cv=3)
    made = report(comparison, texts)
    model = comparison.model
    (one,) = seen(tmp_path, alone(made), 'await type("goal and team"); found.push(look());')
    assert one["verdict"] == ", ".join(model[-1].predict_labels(model[:-1].transform(
        ["goal and team"]))[0])  # fmt: skip
    assert "it would be without" in one["flip"]


def test_a_model_that_does_not_fit_is_cut_to_what_matters(monkeypatch, sports):
    page = sports[1].html
    payload = len(sports[1].data.try_it.payload)
    assert len(page.encode()) - payload + section._LETTERS < 2_900_000
    monkeypatch.setattr(section, "_LETTERS", 50_000)
    texts, y = corpus(300, 4)
    rng = np.random.default_rng(0)
    texts = [f"{text} {' '.join(f'w{n}' for n in rng.integers(9_000, size=40))}" for text in texts]
    model = make_pipeline(CountVectorizer(ngram_range=(1, 2)), NBLogistic()).fit(texts, y)
    made = report(classified(texts, y), texts, model=model)
    box = made.data.try_it
    assert len(box.payload) <= 50_000
    assert 500 <= box.n_kept < box.n_terms
    assert box.agreement.same <= box.agreement.documents
    assert f"{box.n_kept:,} of {box.n_terms:,} terms" in made.html


def test_without_the_box():
    texts, y = corpus(80, 2)
    comparison = classified(texts, y)
    made = report(comparison, texts, model="best", try_it=False)
    assert made.data.try_it is None
    assert 'id="try-it"' not in made.html
    assert "quireClassifier" not in made.html
    assert report(comparison, texts).data.try_it is None  # there is no model
    tree = make_pipeline(CountVectorizer(), DecisionTreeClassifier()).fit(texts, y)
    made = report(comparison, texts, model=tree)
    assert "its decisions are no sums over terms" in made.html
    assert "quireClassifier" not in made.html


@needs_browser
@on_demand
def test_pictures(tmp_path, sports):
    take_pictures(tmp_path, sports[1].html, "try-it", 9000)
