"""The threshold panel: its counts against scikit-learn's, its page in a browser, its commands."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import confusion_matrix, f1_score, precision_recall_curve
from tests.helpers.browser import is_readable, look_inside, needs_browser
from tests.helpers.comparisons import classified, corpus

from quire._shared.shares import f1_score as f1_interval
from quire._shared.shares import wilson
from quire.datasets import make_multilabel_texts, make_text_classification
from quire.io import read_corpus
from quire.model_selection import compare
from quire.prediction import predict_table
from quire.report import render, summarise
from quire.report._comparison import thresholds as subject


@pytest.fixture(scope="module")
def binary():
    texts, y = corpus(160, 2)
    return texts, classified(texts, y)


def _drawn(n, seed=0, digits=None):
    """Return a comparison of many documents with scores that are drawn."""
    texts, y = corpus(40, 2)
    comparison = classified(texts, y)
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.15).astype(int)
    p = 1 / (1 + np.exp(-(3 * truth - 2.5) - rng.normal(size=n)))
    p = p if digits is None else p.round(digits)
    trial = dataclasses.replace(
        comparison.best,
        predicted=(p >= 0.5).astype(np.int32),
        probabilities=np.column_stack([1 - p, p]),
    )
    rows = np.arange(n)
    folds = [(rows[rows % 4 != k], rows[rows % 4 == k]) for k in range(4)]
    large = dataclasses.replace(
        comparison, y=comparison.classes[truth], folds=folds, trials=(trial,)
    )
    return large, p, truth


def _thresholds(comparison, model=None):
    codes = comparison.codes
    return subject.thresholds_of(comparison, comparison.best, codes, ["a", "b"], model)


@pytest.mark.parametrize(("n", "digits"), [(60, None), (60, 1), (5000, None), (5000, 2)])
def test_every_step_is_what_its_threshold_does(n, digits):
    comparison, p, truth = _drawn(n, digits=digits)
    found = _thresholds(comparison)
    question = found.questions[0]
    assert found.n_possible == len(np.unique(p)) + 1
    assert len(question.thresholds) <= 260
    assert (np.diff(question.thresholds) > 0).all()
    for threshold, right, wrong in zip(
        question.thresholds, question.right, question.wrong, strict=True
    ):
        written = float(subject._written(threshold))
        (tn, fp), (fn, tp) = confusion_matrix(truth, p >= written)
        assert (tp, fp) == (right, wrong)
        assert (tn, fn) == (question.others - wrong, question.documents - right)
    precision, recall, at = precision_recall_curve(truth, p)
    for k, threshold in enumerate(question.thresholds[:-1]):
        place = np.searchsorted(at, threshold)
        done = subject._at(found, question, k)
        assert done.recall.value == pytest.approx(recall[place])
        if question.right[k] + question.wrong[k]:
            assert done.precision.value == pytest.approx(precision[place])
    assert question.thresholds[question.usual] == 0.5
    assert question.chosen is None


def test_few_thresholds_are_all_there():
    comparison, p, _ = _drawn(60)
    found = _thresholds(comparison)
    assert len(found.questions[0].thresholds) == found.n_possible == len(np.unique(p)) + 1


@pytest.mark.parametrize("costs", [(1, 1), (20, 1), (1, 50), (3.5, 0.7), (0, 1)])
def test_the_marks_are_the_best_of_all_thresholds(costs):
    comparison, p, truth = _drawn(4000, seed=1)
    miss, alarm = costs
    matrix = np.array([[0.25, 0.25 + alarm], [miss, 0.0]])
    found = _thresholds(dataclasses.replace(comparison, costs=matrix))
    assert (found.miss, found.false_alarm, found.fixed) == (miss, alarm, 0.25 * (truth == 0).sum())
    question = found.questions[0]
    marks = subject._marks(found, question)
    every = [*np.unique(p), 2.0]
    best = max(f1_score(truth, p >= t) for t in every)
    assert subject._at(found, question, marks["f1"]).f1.value == pytest.approx(best)
    rest = max(f1_score(1 - truth, p < t) for t in every)
    of_rest = subject._f1(
        question.others - np.array(question.wrong),
        question.documents - np.array(question.right),
        question.others,
    )
    assert of_rest.max() == pytest.approx(rest)
    prices = [matrix[truth, (p >= t).astype(int)].mean() for t in every]
    assert subject._at(found, question, marks["cost"]).cost == pytest.approx(min(prices))


def test_thresholds_are_short():
    assert subject._shortest(0.30001, 0.309) == 0.305
    assert subject._shortest(0.2, 0.4) == 0.3
    assert subject._shortest(1e-9, 3e-9) == 2e-9
    assert subject._shortest(np.nextafter(0.1, 1), np.nextafter(0.1, 1)) == np.nextafter(0.1, 1)
    values = np.array([0.0, 1.0])
    assert subject._threshold(values, 0) <= 0.0
    assert 0.0 < subject._threshold(values, 1) <= 1.0
    assert subject._threshold(values, 2) > 1.0


def test_scores_where_there_are_no_probabilities():
    data = make_text_classification(200, n_classes=2, separation=3.0, random_state=0)
    comparison = compare(data.texts, data.y, ["linear-svm", "majority"], cv=3, tune=False)
    found = summarise(comparison, data.texts).thresholds
    assert not found.are_probabilities
    question = found.questions[0]
    scores, truth = comparison.best.decisions, data.y == 1
    assert question.thresholds[question.usual] == 0
    for k, threshold in enumerate(question.thresholds):
        assert question.right[k] == (truth & (scores >= threshold)).sum()
        assert question.wrong[k] == (~truth & (scores >= threshold)).sum()
    # What the page says to do does it.
    threshold = question.thresholds[3]
    table = read_corpus(pl.DataFrame({"text": data.texts}))
    predicted = predict_table(comparison.model, table, threshold=threshold)
    decided = comparison.model.decision_function(data.texts)
    assert predicted["predicted"].to_list() == (decided >= threshold).astype(int).tolist()


def test_a_threshold_that_was_chosen_is_marked():
    data = make_text_classification(300, n_classes=2, separation=3.0, random_state=0)
    for models in (["logistic"], ["linear-svm"], ["multinomial-nb"]):
        comparison = compare(data.texts, data.y, models, cv=3, tune=False, threshold="recall")
        found = summarise(comparison, data.texts).thresholds
        question, own = found.questions[0], comparison.model[-1]
        chosen = question.thresholds[question.chosen]
        scale = own.best_threshold_
        expected = 1 / (1 + np.exp(-scale)) if found.are_probabilities else scale
        assert chosen == pytest.approx(expected)
        page = render(summarise(comparison, data.texts))
        assert "a threshold that was chosen for it" in page


def test_nothing_to_choose():
    texts, y = corpus(90, 3)
    assert summarise(classified(texts, y), texts).thresholds is None
    comparison, _, _ = _drawn(50)
    one_class = dataclasses.replace(comparison, y=np.repeat(comparison.classes[:1], 50))
    assert _thresholds(one_class) is None
    blind = dataclasses.replace(comparison.best, probabilities=None)
    assert _thresholds(dataclasses.replace(comparison, trials=(blind,))) is None


def test_each_of_several_labels_has_a_question():
    data = make_multilabel_texts(200, random_state=0)
    comparison = compare(data.texts, data.labels, ["logistic"], cv=3, tune=False)
    report = summarise(comparison, data.texts)
    P, Y = comparison.best.probabilities, comparison.codes.toarray()
    assert [one.documents for one in report.thresholds.questions] == sorted(
        Y.sum(axis=0).tolist(), reverse=True
    )
    names = [str(label) for label in comparison.classes]
    for question in report.thresholds.questions:
        k = names.index(question.name)
        for threshold, right, wrong in zip(
            question.thresholds, question.right, question.wrong, strict=True
        ):
            flagged = P[:, k] >= threshold
            has_label = Y[:, k] == 1
            assert (right, wrong) == ((has_label & flagged).sum(), (~has_label & flagged).sum())
    page = render(report)
    assert "The best F1 of each label" in page
    assert "quire predict model.quire" not in page


def test_without_a_script_there_is_a_table_of_ten(binary):
    texts, comparison = binary
    report = summarise(comparison, texts)
    page = render(report)
    table = page.split("Ten thresholds for", 1)[1].split("</table>", 1)[0]
    assert table.count("<tr>") == 11
    for name in ("usual", "best F1", "least cost"):
        assert name in table


STEPS = """
  const at = (name) => inside.getElementById("threshold-" + name);
  const event = (place, name) => place.dispatchEvent(new view.Event(name));
  const read = () => {{
    const shown = {{}};
    for (const name of ["precision", "recall", "f1", "flagged", "wrong", "missed", "cost"]) {{
      shown[name] = [at(name).textContent, at(name).nextElementSibling.textContent];
    }}
    shown.now = at("now").textContent; shown.place = Number(at("place").value);
    shown.command = at("command").textContent;
    shown.spoken = at("place").getAttribute("aria-valuetext");
    shown.turned = at("turned").hidden ? null : at("turned").textContent;
    shown.pressed = all("[data-threshold][aria-pressed=true]").map((one) => one.dataset.threshold);
    shown.title = inside.getElementById("chart-threshold-title").textContent;
    return shown;
  }};
  const found = {{}};
""" + """
  const all = (selector) => Array.from(inside.querySelectorAll(selector));
  found.wide = root.scrollWidth; found.view = view.innerWidth;
  found.paper = view.getComputedStyle(inside.body).backgroundColor;
  found.ink = view.getComputedStyle(inside.body).color;
  found.first = read();
  at("place").value = 2; event(at("place"), "input"); found.moved = read();
  at("miss").value = "25"; event(at("miss"), "input");
  inside.querySelector("[data-threshold=cost]").click(); found.cheap = read();
  at("miss").value = "-3"; event(at("miss"), "input");
  found.invalid = at("miss").getAttribute("aria-invalid"); found.refused = read();
  at("miss").value = "1"; event(at("miss"), "input");
  inside.querySelector("[data-threshold=f1]").click(); found.best = read();
  at("question").value = "1"; event(at("question"), "change"); found.turned = read();
  found.still = view.getComputedStyle(inside.querySelector(".still")).display;
  found.lines = view.quireViews["chart-threshold"].data("steps").length;
""".replace("{", "{{").replace("}", "}}")


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_the_slider_says_what_a_threshold_does(tmp_path, binary, width, dark):
    texts, comparison = binary
    report = summarise(comparison, texts)
    seen, console = look_inside(tmp_path, render(report), width, STEPS, dark=dark)
    assert console == []
    assert is_readable(seen, width, dark)
    found = report.thresholds
    question = found.questions[0]
    n = question.documents + question.others
    p = comparison.best.probabilities[:, 1]
    truth = comparison.y == comparison.classes[1]

    def check(shown, flagged, truth, miss=1.0):
        tp, fp, fn = (flagged & truth).sum(), (flagged & ~truth).sum(), (~flagged & truth).sum()
        for name, share in (
            ("precision", wilson(tp, tp + fp)),
            ("recall", wilson(tp, tp + fn)),
            ("f1", f1_interval(tp, fp + fn)),
        ):
            assert shown[name] == [f"{share.value:.3f}", f"{share.low:.3f} to {share.high:.3f}"]
        assert float(shown["flagged"][0]) == pytest.approx(1000 * flagged.mean(), rel=5e-3)
        assert shown["wrong"][1] == f"of 1,000 ({fp} in all)"
        assert shown["missed"][1] == f"of 1,000 ({fn} in all)"
        cost = 1000 * (miss * fn + fp) / n
        assert float(shown["cost"][0].replace(",", "")) == pytest.approx(cost, rel=5e-3)

    usual = seen["first"]
    assert (usual["now"], usual["place"]) == ("0.5", question.usual)
    assert "usual" in usual["pressed"]
    assert usual["command"].splitlines()[0].endswith("--threshold 0.5")
    assert usual["turned"] is None
    check(usual, p >= 0.5, truth)
    moved = seen["moved"]
    threshold = question.thresholds[2]
    assert moved["command"].splitlines()[0].endswith(f"--threshold {subject._written(threshold)}")
    assert moved["spoken"].startswith(subject._written(threshold) + ": precision 0.")
    check(moved, p >= threshold, truth)
    # The least cost of all thresholds that there are, at costs that were typed.
    prices = [(25 * (truth & (p < t)).sum() + (~truth & (p >= t)).sum()) / n for t in [*p, 2]]
    assert float(seen["cheap"]["cost"][0].replace(",", "")) == pytest.approx(
        1000 * min(prices), rel=5e-3
    )
    check(seen["cheap"], p >= float(seen["cheap"]["now"]), truth, miss=25)
    assert seen["invalid"] == "true"
    check(seen["refused"], p >= float(seen["refused"]["now"]), truth)
    best = max(f1_score(truth, p >= t) for t in p)
    assert seen["best"]["f1"][0] == f"{best:.3f}"
    # The other class is the same decision, seen from the other side.
    threshold = float(seen["best"]["now"])
    turned = seen["turned"]
    assert float(turned["now"]) == pytest.approx(1 - threshold)
    assert turned["command"] == seen["best"]["command"]
    assert turned["turned"] is not None
    assert turned["title"] == "Thresholds for politics"
    check(turned, p < threshold, ~truth)
    assert seen["still"] == "none"
    assert seen["lines"] > 2 * len(question.thresholds)
