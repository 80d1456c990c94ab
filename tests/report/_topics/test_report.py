"""Reports on topics: their numbers against quire.topics, and the page that shows them."""

import json
import re

import numpy as np
import polars as pl
import pytest
from sklearn.decomposition import LatentDirichletAllocation as SkTopics

from quire._shared.topic_models import topic_sizes
from quire.datasets import make_lda_corpus
from quire.decomposition import LatentDirichletAllocation
from quire.feature_extraction.text import CountVectorizer
from quire.report import render_topics, summarise_topics, topic_report
from quire.report._topics.words import RELEVANCE_STEPS
from quire.topics import (
    coherence,
    exclusivity,
    prevalence,
    top_words,
    topic_correlations,
    topic_diversity,
    topic_map,
)

CORPUS = make_lda_corpus(150, n_topics=4, n_words=120, mean_length=60, random_state=3)
COUNTS = CORPUS.X.toarray()
TEXTS = [
    " ".join(word for word, n in zip(CORPUS.vocabulary, row, strict=True) for _ in range(n))
    for row in COUNTS
]
TABLE = pl.DataFrame({"group": np.where(CORPUS.theta[:, 0] > 0.3, "<b>a", "c&d")})


def fitted(data=TEXTS, n_topics=4, **options):
    options = {"random_state": 0, "max_iter": 80, **options}
    return LatentDirichletAllocation(n_topics, **options).fit(data)


@pytest.fixture(scope="module")
def model():
    return fitted(keep_samples=True)


@pytest.fixture(scope="module")
def found(model):
    return summarise_topics(model, TEXTS, by="group", data=TABLE, names={2: "<i>two</i>"})


def test_numbers_are_those_of_the_model(model, found):
    assert (found.n_documents, found.n_words) == (150, len(model.vocabulary_terms_))
    assert found.n_tokens == CORPUS.X.sum()
    shares = np.array([topic.share for topic in found.topics])
    assert shares.sum() == pytest.approx(1)
    tokens = np.bincount(model.topic_assignments_, minlength=4) / CORPUS.X.sum()
    np.testing.assert_allclose(shares, tokens, atol=0.03)  # a mean of samples, and the last state
    main = np.bincount(model.theta_.argmax(axis=1), minlength=4)
    assert [topic.documents for topic in found.topics] == main.tolist()
    np.testing.assert_allclose([t.exclusivity for t in found.topics], exclusivity(model))
    judged = coherence(model, TEXTS)
    assert [topic.coherence for topic in found.topics] == judged.per_topic.tolist()
    assert found.mean_coherence == judged.mean
    assert found.diversity == topic_diversity(model)
    np.testing.assert_allclose([[t.x, t.y] for t in found.topics], topic_map(model))
    np.testing.assert_allclose(
        found.together.correlations, topic_correlations(model.theta_), atol=5e-4
    )
    assert found.traces[0].iterations == model.log_likelihood_trace_["iteration"].tolist()
    assert [topic.name for topic in found.topics] == ["", "", "<i>two</i>", ""]


def relevant(found, topic, weight, n):
    """Do what the script on the page does."""
    one = found.topics[topic]
    all_of_them = np.array(found.terms.frequencies)[one.terms] / found.n_tokens
    own = np.array(one.frequencies) / (one.share * found.n_tokens)
    scores = np.log(own) - (1 - weight) * np.log(all_of_them)
    return [found.terms.words[one.terms[i]] for i in np.argsort(-scores, kind="stable")[:n]]


@pytest.mark.parametrize("step", range(0, RELEVANCE_STEPS + 1, 4))
def test_every_stop_of_the_slider_has_its_words(model, found, step):
    weight = step / RELEVANCE_STEPS
    sizes = topic_sizes(model, model.phi_)
    options = {"by": "relevance", "relevance": weight, "topic_weights": sizes}
    expected = top_words(model, n_words=20, with_scores=True, **options)
    for topic in range(4):
        scores = {one.term: one.weight for one in expected[topic]}
        shown = relevant(found, topic, weight, 20)
        # Equal words may come in any order: their scores are compared.
        assert len(set(shown) - set(scores)) <= 1
        values = [scores[word] for word in shown if word in scores]
        np.testing.assert_allclose(values, sorted(values, reverse=True), atol=2e-3)


def test_words_tell_in_which_topics_they_are(model, found):
    for word, parts in zip(found.terms.words[:20], found.terms.spread[:20], strict=True):
        column = model.vocabulary_terms_.tolist().index(word)
        counts = model.phi_[:, column] * [topic.share for topic in found.topics]
        for topic, part in parts:
            assert part == pytest.approx(counts[topic] / counts.sum(), abs=2e-3)


def test_documents_of_topics(model, found):
    for topic in range(4):
        own = [one for one in found.documents if one.topic == topic]
        order = np.argsort(-model.theta_[:, topic], kind="stable")[:5]
        assert [one.row for one in own] == order.tolist()
        for one in own:
            text = "".join(piece.text for piece in one.pieces)
            assert text == TEXTS[one.row][one.before : len(TEXTS[one.row]) - one.after]
            marked = {piece.text for piece in one.pieces if piece.topic == topic}
            assert one.tokens[0] == (topic, sum(piece.topic == topic for piece in one.pieces))
            strong = {word.term for word in model.top_terms(5)[topic]}
            assert marked & strong


def test_long_documents_are_shown_where_the_topic_is():
    texts = ["cat dog cat", "law tax law"] * 10
    texts[0] = "law tax " * 200 + "cat dog " * 300
    model = fitted(texts, 2)
    cats = int(model.transform(["cat dog"]).argmax())
    document = next(one for one in summarise_topics(model, texts).documents if one.row == 0)
    if document.topic == cats:
        assert document.before > 1000
        assert sum(piece.topic == cats for piece in document.pieces) > 20


def test_prevalence_is_that_of_topics(model, found):
    expected = prevalence(model, "group", data=TABLE)
    given = found.prevalence
    assert given.by == "group"
    assert sorted(given.values) == ["<b>a", "c&d"]
    for one in given.series:
        rows = expected.table.filter(pl.col("topic") == one.topic)
        np.testing.assert_allclose(one.share, rows["share"], atol=1e-5)
    same = summarise_topics(model, TEXTS, by=expected, coherence=None)
    assert same.prevalence.series == given.series
    assert same.measure is None


@pytest.mark.parametrize(
    "values",
    [
        pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 5, 29), eager=True),
        np.linspace(0, 9, 150),
        [f"group {i % 60}" for i in range(150)],
    ],
    ids=["dates", "numbers", "many groups"],
)
def test_columns_of_all_kinds_make_pages(model, values):
    data = summarise_topics(model, TEXTS, by=values, coherence=None)
    page = render_topics(data)
    assert data.prevalence.left_out == (20 if isinstance(values, list) else 0)
    assert "chart-selected" in specs(page)


def specs(page):
    inside = re.search(r'id="chart-specs">(.*?)</script>', page, re.DOTALL)
    return json.loads(inside.group(1))


def test_the_page_is_whole_and_escaped(found):
    page = render_topics(found)
    for name in ("explore", "table", "prevalence", "quality", "together", "convergence", "repeat"):
        assert f'<section id="{name}"' in page
        assert f'href="#{name}"' in page
    assert set(specs(page)) == {
        "chart-forest",
        "chart-selected",
        "chart-clearest",
        "chart-quality",
        "chart-correlations",
        "chart-trace",
    }
    body = page[: page.index('<script type="application/json" id="chart-specs"')]
    assert "<i>two" not in body
    assert "<b>a" not in body
    assert body.count('class="topic"') == 4
    data = json.loads(re.search(r'id="topic-data">(.*?)</script>', page, re.DOTALL).group(1))
    assert [topic["share"] for topic in data["topics"]] == sorted(
        (topic.share for topic in found.topics), reverse=True
    )


def test_it_is_saved_shown_and_given_to_programs(model, tmp_path):
    page = topic_report(model, TEXTS, path=tmp_path / "topics.html", title="A & B")
    assert (tmp_path / "topics.html").read_text(encoding="utf-8") == page.html
    assert repr(page).startswith("<TopicReport 'A & B': 4 topics, 150 documents")
    assert "A &amp;amp; B" in page._repr_html_()
    assert json.loads(page.to_json())["topics"][0]["topic"] == 0


def test_models_of_counts_and_of_others():
    counts = fitted(CORPUS.X, learning_method="batch", max_iter=10)
    data = summarise_topics(counts, counts=CORPUS.X)
    assert data.topics[0].words[0].startswith("column ")
    assert data.documents == []
    assert data.traces == []
    assert data.mean_coherence == coherence(counts, CORPUS.X).mean
    render_topics(data)
    other = SkTopics(3, random_state=0, max_iter=5).fit(COUNTS)
    with pytest.raises(ValueError, match="theta=model"):
        summarise_topics(other)
    data = summarise_topics(other, TEXTS, counts=CORPUS.X, by=TABLE["group"])
    assert len(data.documents) == 15
    assert "Topics" in render_topics(data)


def test_other_documents_than_those_of_the_fit(model):
    data = summarise_topics(model, TEXTS[:40])
    assert data.n_documents == 40
    assert "not fitted on" in data.notes[0]
    given = summarise_topics(model, TEXTS[:40], theta=model.theta_[:40], by=["a", "b"] * 20)
    assert given.notes == []
    assert given.prevalence.n_documents == 40


def test_what_does_not_fit_is_named(model):
    with pytest.raises(TypeError, match="one string"):
        topic_report(model, "a text")
    with pytest.raises(ValueError, match="measure is 'nice'"):
        topic_report(model, TEXTS, coherence="nice")
    with pytest.raises(ValueError, match="n_terms"):
        topic_report(model, TEXTS, n_terms=0)
    with pytest.raises(TypeError, match="Call fit first"):
        topic_report(LatentDirichletAllocation(), TEXTS)


def test_one_topic_few_words_empty_and_odd_documents():
    texts = ["", "naïve 🎉🎉 word", None, "word", "</script><b>word</b>", "   "]
    vectorizer = CountVectorizer(min_df=1)
    model = fitted([text or "" for text in texts], 1, vectorizer=vectorizer)
    page = topic_report(model, texts, by=["a", "b", "a", "b", "a", "b"])
    assert "3 documents have no term that counts, and so no topic" in page.html
    assert "</script><b>" not in page.html
    assert page.data.together.pairs == []


def test_texts_can_stay_at_home(model):
    page = topic_report(model, TEXTS, n_documents=0)
    assert page.data.documents == []
    assert "Documents with most of it" not in page.html


def test_many_topics_and_words_stay_small():
    rng = np.random.default_rng(0)
    n_topics, n_words = 100, 20_000
    phi = rng.dirichlet(np.full(n_words, 0.01), n_topics)

    class Known:
        components_ = phi * 5000
        beta_ = 0.0

    theta = rng.dirichlet(np.full(n_topics, 0.05), 300)
    texts = ["word " * 300] * 300
    page = topic_report(Known(), texts, theta=theta, coherence=None)
    assert len(page.html) < 3e6
    assert page.data.together.correlations is None
    assert len(page.data.together.pairs) == 20
