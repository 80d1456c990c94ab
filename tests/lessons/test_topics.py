"""The lesson on topics: its states are those of the sampler."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.lessons import embedded, lesson, numbers

from quire.decomposition import LatentDirichletAllocation
from quire.feature_extraction.text import CountVectorizer
from quire.lessons import topics


@pytest.fixture(scope="module")
def model():
    X = CountVectorizer().fit_transform(lesson("topics").given["texts"])
    return LatentDirichletAllocation(
        3,
        doc_topic_prior=0.1,
        topic_word_prior=0.1,
        max_iter=40,
        tol=0,
        random_state=2,
        keep_steps=True,
    ).fit(X)


def test_the_numbers_are_those_of_the_sampler(model):
    for sweep in (0, 1, 5):
        found = numbers("topics", f"Sweep {sweep}" if sweep else "Topics at random")
        step = model.steps_[sweep]
        assert found["assignments"] == step.assignments.tolist()
        assert found["document_topic_counts"] == step.document_topic_counts.tolist()
        assert found["log_likelihood"] == pytest.approx(step.log_likelihood)
    last = numbers("topics", "Shares")
    np.testing.assert_allclose(last["theta"], model.theta_)
    np.testing.assert_allclose(last["phi"], model.phi_)


def test_words_that_go_together_come_together(model):
    phi = np.array(numbers("topics", "Shares")["phi"])
    words = CountVectorizer().fit(lesson("topics").given["texts"]).get_feature_names_out()
    groups = [{words[j] for j in np.argsort(-row)[:5]} for row in phi]
    assert {"flour", "butter", "sugar", "bake", "oven"} in groups
    assert {"moon", "orbit", "rocket", "star", "launch"} in groups


def test_tokens_are_shown_with_their_topics(model):
    page = str(lesson("topics").start.steps[0].picture)
    X = CountVectorizer().fit_transform(lesson("topics").given["texts"])
    assert page.count("<i ") == X.sum()
    first = model.steps_[0].assignments[0]
    assert page.split("<i ")[1].startswith(f'class="t{first + 1}">bake<sub>{first + 1}</sub>')


def test_counts_of_words_and_documents_agree():
    for run in embedded(lesson("topics"))["runs"]:
        for step in run["steps"][:-1]:
            counts = step["numbers"]["document_topic_counts"]
            tokens = step["numbers"]["assignments"]
            assert (
                np.sum(counts, axis=0).tolist()
                == np.bincount(tokens, minlength=len(counts[0])).tolist()
            )


def test_a_file():
    texts = ["cat dog cat <b>", "dog cat bird", "tax vote law", "law tax vote"] * 60
    made = topics(pl.DataFrame({"text": texts}))
    assert "200 texts" in made.html
    assert "<b>" not in str(made.data)
    assert made.to_dict()["runs"][0]["steps"][0]["numbers"].keys() == {"log_likelihood"}
    assert len(made.html) < 2e6
