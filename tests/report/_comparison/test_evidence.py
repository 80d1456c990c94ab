"""The terms of a report: ranked by weight times use, with counts; a list to choose a class."""

import numpy as np
import pytest
from tests.helpers.browser import look_inside, needs_browser
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews
from tests.helpers.pages import Page

from quire.inspection import top_evidence
from quire.report import render, report, summarise


@pytest.fixture(scope="module")
def made():
    texts, y = corpus(400, 6, seed=8)
    texts[0] = "<script>alert(1)</script> goal <b>"
    comparison = classified(texts, y)
    return texts, comparison, report(comparison, texts, model="best", top_terms=6)


def test_terms_are_those_of_top_evidence(made):
    texts, comparison, page = made
    model = comparison.best.estimator.fit(texts, comparison.y)
    expected = top_evidence(model, 6, texts, comparison.y)
    for label, terms in page.data.evidence.items():
        assert [(t.term, t.documents, t.share) for t in terms] == [
            (t.term, t.documents, t.share) for t in expected[label]
        ]
        assert [t.contribution for t in terms] == pytest.approx(
            [t.contribution for t in expected[label]]
        )


def test_weights_counts_and_shares_stand_beside_each_term(made):
    texts, comparison, page = made
    shown = " ".join("".join(Page(page.html).text).split())
    label, terms = next(iter(page.data.evidence.items()))
    for term in terms:
        has_it = np.array([term.term in text.lower().split() for text in texts])
        share = (comparison.y[has_it] == label).mean()
        assert f"{term.term}{term.weight:#.3g}".rstrip(".") in shown
        assert f"{has_it.sum()}{share:.0%}" in shown
    titles = [a["title"] for tag, a in Page(page.html).tags if tag == "tr" and "title" in a]
    assert len(titles) == sum(map(len, page.data.evidence.values()))
    assert all("documents" in title or "1 document" in title for title in titles)
    assert all(term.weight > 0 for terms in page.data.evidence.values() for term in terms)


def test_numbers_have_what_moves_them():
    texts, y = reviews(120)
    data = summarise(predicted_numbers(texts, y), texts, model="best", top_terms=4)
    assert set(data.evidence) == {"higher", "lower"}
    assert "standard deviation" in data.evidence_note
    assert all(term.weight < 0 for term in data.evidence["lower"])
    assert "In class" not in render(data)


PICK = """
  const found = {{}};
  const shown = () => Array.from(inside.querySelectorAll("#evidence .card"))
    .filter((card) => view.getComputedStyle(card).display !== "none")
    .map((card) => card.querySelector("h3").textContent);
  found.all = shown();
  const list = inside.getElementById("evidence-of");
  list.selectedIndex = 2; list.dispatchEvent(new view.Event("change"));
  found.one = shown(); found.asked = list.selectedOptions[0].textContent;
  list.selectedIndex = 0; list.dispatchEvent(new view.Event("change"));
  found.again = shown();
  const items = () => Array.from(inside.querySelectorAll("#mistakes li[data-is]"))
    .filter((one) => view.getComputedStyle(one).display !== "none")
    .filter((one) => !one.closest("details:not([open])"));
  found.mistakes = items().length;
  const other = inside.getElementById("mistakes-of");
  other.selectedIndex = 1; other.dispatchEvent(new view.Event("change"));
  found.label = other.selectedOptions[0].textContent;
  found.of_label = items().map((one) => [one.dataset.is, one.dataset.or]);
  found.wide = root.scrollWidth; found.view = view.innerWidth;
"""


@needs_browser
@pytest.mark.parametrize("width", [1280, 390])
def test_a_class_is_chosen(tmp_path, made, width):
    _, _, page = made
    found, console = look_inside(tmp_path, page.html, width, PICK)
    assert console == []
    assert found["all"] == found["again"] == list(page.data.evidence)
    assert found["one"] == [found["asked"]] == [list(page.data.evidence)[1]]
    mistakes = page.data.mistakes
    assert len(mistakes) == 30
    assert found["mistakes"] == 10  # the others are asked for
    expected = [
        [m.truth, m.predicted] for m in mistakes if found["label"] in (m.truth, m.predicted)
    ]
    assert found["of_label"] == expected
    assert found["wide"] <= found["view"] == width
