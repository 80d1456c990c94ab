"""The words of a topic are the same wherever they are shown; documents without words are not."""

import re

import numpy as np
import polars as pl
import pytest
from tests.helpers.browser import look_inside, needs_browser

import quire
from quire.cli import main
from quire.inspection import model_card
from quire.report import summarise_topics, topic_report
from quire.topics import top_words

from .test_report import TEXTS, fitted

WORDS = """
  const found = {{}};
  const words = () => Array.from(inside.querySelectorAll("#topic-terms button"))
    .map((button) => button.textContent);
  for (const topic of inside.querySelectorAll(".map .topic")) {{
    topic.dispatchEvent(new view.MouseEvent("click", {{bubbles: true}}));
    found[topic.dataset.topic] = words();
  }}
"""


def test_data_card_and_function_have_the_same_words():
    model = fitted()
    expected = top_words(model, n_words=10, by="relevance")
    data = summarise_topics(model, TEXTS)
    assert [topic.words for topic in data.topics] == expected
    assert {one.topic: one.words for one in model_card(model).topics} == dict(enumerate(expected))


@needs_browser
def test_terminal_page_and_card_have_the_same_words(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"text": TEXTS}).write_csv("corpus.csv")
    run = ["topics", "corpus.csv", "-k", "4", "--iterations", "40", "--stop-words", "none"]
    with pytest.raises(SystemExit) as exited:
        main([*run, "--top", "8", "--report", "t.html", "--model", "t.quire"])
    assert exited.value.code == 0
    out = capfd.readouterr().out
    rows = re.findall(r"^ +(\d) +[\d.]+% +-?[\d.]+ +(.+)$", out, re.MULTILINE)
    terminal = {topic: words.split() for topic, words in rows}
    assert len(terminal) == 4
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    shown, _ = look_inside(tmp_path, page, 1200, WORDS)
    assert {topic: words[:8] for topic, words in shown.items()} == terminal
    table = re.findall(r'data-pick="(\d)">.*?<td dir="auto">(.*?)</td>', page)
    assert {topic: words.split() for topic, words in table} == terminal
    card = model_card(quire.load("t.quire"), 8)
    assert {str(one.topic): one.words for one in card.topics} == terminal


def test_documents_without_words_are_in_no_part_of_a_report():
    texts = [*TEXTS, "…", "unknown words alone"] + ["?"] * 50
    model = fitted(texts, vectorizer=None, doc_topic_prior=[5.0, 0.1, 0.1, 0.1], keep_samples=True)
    without = np.asarray(model.vectorizer_.transform(texts).sum(axis=1)).ravel() == 0
    group = np.where(np.arange(len(texts)) % 2, "a", "b")
    page = topic_report(model, texts, by=group)
    data = page.data
    assert data.n_empty == without.sum() >= 51
    assert sum(topic.documents for topic in data.topics) == (~without).sum()
    assert not set(np.flatnonzero(without)) & {one.row for one in data.documents}
    assert data.prevalence.n_empty == without.sum()
    assert f"{without.sum()} documents have no term that counts" in page.html
    assert f"{without.sum()} documents without a known word left out" in page.html
    alone = summarise_topics(model, np.array(texts, dtype=object), theta=model.theta_)
    assert alone.together == data.together


def test_topics_that_go_together_are_next_to_each_other():
    rng = np.random.default_rng(0)
    theta = rng.dirichlet([1, 1, 1, 1], 400)
    both = rng.gamma(1, size=(400, 1)) * [1, 0, 0, 1] + theta * 0.2
    model = fitted(max_iter=5)
    texts = [TEXTS[k % len(TEXTS)] for k in range(400)]
    together = summarise_topics(model, texts, theta=both / both.sum(axis=1, keepdims=True)).together
    places = [together.order.index(k) for k in (0, 3)]
    assert abs(places[0] - places[1]) == 1
    assert sorted(together.order) == [0, 1, 2, 3]


def test_the_heat_map_is_as_strong_as_its_strongest_cell():
    rng = np.random.default_rng(0)
    theta = rng.dirichlet([60, 60, 60, 60], 150)  # weak correlations
    page = topic_report(fitted(max_iter=5), TEXTS, theta=theta)
    matrix = np.array(page.data.together.correlations)
    strongest = np.abs(matrix[np.triu_indices(4, 1)]).max()
    chart = re.search(r'"fillOpacity":\{.*?"domain":\[0,([\d.]+)\]', page.html)
    assert float(chart.group(1)) == strongest
    assert f"The fullest colour is {strongest:.2f}." in page.html


def test_many_topics_are_a_network():
    from quire.report._topics.network import network_of

    rng = np.random.default_rng(0)
    block = np.kron(np.eye(25), np.ones((2, 2)))
    correlations = 0.6 * block + 0.01 * rng.normal(size=(50, 50))
    network = network_of((correlations + correlations.T) / 2)
    assert {(i, j) for i, j, _ in network.ties} == {(2 * k, 2 * k + 1) for k in range(25)}
    points = np.column_stack([network.x, network.y])
    assert np.isfinite(points).all()
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    tied = np.mean([distances[i, j] for i, j, _ in network.ties])
    assert tied < 0.5 * distances[np.triu_indices(50, 1)].mean()
    assert network == network_of((correlations + correlations.T) / 2)
