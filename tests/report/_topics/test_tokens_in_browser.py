"""Tokens in the colours of topics, in a browser: told by pointer and by keys, lit, and dark."""

import pytest
from tests.helpers.browser import LOOK, is_readable, look_inside, needs_browser

from quire.report import topic_report

from .test_report import TEXTS, fitted

pytestmark = needs_browser
STEPS = (
    """
  const found = {{}};
  const text = inside.querySelector("[data-documents]:not([hidden]) blockquote.tokens");
  const item = text.closest("li"), said = () => item.querySelector(".token-said").textContent;
  const tokens = Array.from(text.querySelectorAll(".t"));
  found.tokens = tokens.length;
  tokens[1].dispatchEvent(new view.MouseEvent("mouseover", {{bubbles: true}}));
  found.over = said(); found.word = tokens[1].firstChild.textContent;
  found.topic = tokens[1].dataset.t;
  text.dispatchEvent(new view.MouseEvent("mouseleave")); found.left = said();
  text.focus();
  const key = (name) => text.dispatchEvent(
    new view.KeyboardEvent("keydown", {{key: name, bubbles: true, cancelable: true}}));
  key("ArrowRight"); found.first = said(); key("ArrowLeft"); found.last = said();
  found.at = text.querySelectorAll(".at").length;
  found.last_word = tokens[tokens.length - 1].firstChild.textContent;
  const chips = Array.from(item.querySelectorAll(".token-legend button"));
  found.chips = chips.map((one) => one.dataset.t);
  const chip = chips[chips.length - 1];
  chip.dispatchEvent(new view.MouseEvent("mouseenter"));
  const lit = () => Array.from(text.querySelectorAll(".lit"));
  found.lit = lit().every((one) => one.dataset.t === chip.dataset.t); found.n_lit = lit().length;
  chip.dispatchEvent(new view.MouseEvent("mouseleave")); found.dark = lit().length;
  found.numbers = text.querySelectorAll("sup").length;
  found.colours = new Set(tokens.map((one) => view.getComputedStyle(one).backgroundColor)).size;
  chip.click();
  found.chosen = inside.querySelector(".map .topic[aria-pressed=true]").dataset.topic;
  found.right = Math.max(...tokens.map((one) => one.getBoundingClientRect().right));
"""
    + LOOK
)


@pytest.fixture(scope="module")
def page():
    texts = [f"<i>x</i> {one} {other}" for one, other in zip(TEXTS, reversed(TEXTS), strict=True)]
    return topic_report(fitted(texts, max_iter=40), texts)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_tokens_tell_their_topics(tmp_path, page, width, dark):
    found, console = look_inside(tmp_path, page.html, width, STEPS, dark=dark)
    assert console == []
    assert is_readable(found, width, dark)
    assert found["tokens"] > 10
    assert found["over"].startswith(f"{found['word']}: topic {found['topic']}")
    assert found["left"] == ""
    assert found["first"]
    assert found["last"].startswith(f"{found['last_word']}: topic ")
    assert found["at"] == 1
    assert len(found["chips"]) > 1
    assert found["lit"]
    assert 0 < found["n_lit"] < found["tokens"]
    assert found["dark"] == 0
    assert found["numbers"] > 1  # a cue beside colours
    assert found["colours"] > 1
    assert found["chosen"] == found["chips"][-1]
    assert found["right"] <= width


def test_pieces_are_the_text_and_its_tokens(page):
    for one in page.data.documents:
        tokens = [piece for piece in one.pieces if piece.topic is not None]
        assert sum(n for _, n in one.tokens) == len(tokens)
        assert one.tokens[0][0] == one.topic
        assert all(0.25 <= piece.probability <= 1 for piece in tokens)
