"""Texts coloured by topic: probabilities by hand, hostile texts, n-grams, other models."""

import re

import numpy as np
import pytest
from sklearn.decomposition import LatentDirichletAllocation as SkTopics

from quire.decomposition import LatentDirichletAllocation
from quire.feature_extraction.text import CountVectorizer
from quire.topics import TokenTopics, token_topics

TEXTS = ["cat dog cat paw", "dog cat dog", "tax vote law tax", "law tax vote"] * 10


@pytest.fixture(scope="module")
def model():
    return LatentDirichletAllocation(2, random_state=0, max_iter=60).fit(TEXTS)


def test_probabilities_are_bayes_rule(model):
    text, theta = "The cat paid a TAX, cat!", np.array([0.3, 0.7])
    found = token_topics(model, text, theta=theta)
    names = model.vocabulary_terms_.tolist()
    expected = []
    for word in ("cat", "tax", "cat"):
        joint = theta * model.phi_[:, names.index(word)]
        expected.append((int(joint.argmax()), joint.max() / joint.sum()))
    assert found.table["token"].to_list() == ["cat", "TAX", "cat"]
    assert [text[a:b] for a, b in zip(found.start, found.end, strict=True)] == ["cat", "TAX", "cat"]
    assert found.topic.tolist() == [topic for topic, _ in expected]
    np.testing.assert_allclose(found.probability, [p for _, p in expected])
    assert found.topics()[0] == (expected[0][0], 2)


def test_shares_come_from_the_model_if_not_given(model):
    one = token_topics(model, TEXTS[0])
    expected = model.transform([TEXTS[0]])[0]
    np.testing.assert_allclose(one.theta, expected)
    several = token_topics(model, TEXTS[:3])
    assert [type(each) for each in several] == [TokenTopics] * 3
    np.testing.assert_array_equal(several[0].topic, one.topic)
    own = token_topics(model, TEXTS[:3], theta=model.theta_[:3])
    assert own[2].topics()[0][0] != own[0].topics()[0][0]


def test_hostile_and_empty_texts_are_shown_as_they_are(model):
    text = '<script>alert("cat")</script> 😀 هذا tax & "law"'
    found = token_topics(model, text)
    page = found._repr_html_()
    assert "<script" not in page
    shown = re.sub(r"<sup>.*?</sup>|<ul.*|<[^>]*>", "", page)
    import html

    assert html.unescape(shown) == text
    for empty in ("", "...", "unknown words"):
        none = token_topics(model, empty)
        assert len(none.topic) == 0
        assert repr(none) == "<TokenTopics: 0 tokens of 0 topics>"
        assert none.table.columns == ["token", "start", "end", "topic", "probability"]
        assert "<div" in none._repr_html_()
    assert [len(one.topic) for one in token_topics(model, [None, "cat"])] == [0, 1]


def test_words_of_n_grams_have_the_mean_of_theirs():
    vectorizer = CountVectorizer(ngram_range=(1, 2), min_df=1)
    model = LatentDirichletAllocation(2, random_state=0, max_iter=60, vectorizer=vectorizer)
    model.fit(TEXTS)
    theta = np.array([0.5, 0.5])
    found = token_topics(model, "cat dog", theta=theta)
    names = model.vocabulary_terms_.tolist()
    joint = theta[:, None] * model.phi_
    own = joint / joint.sum(axis=0)
    cat, both = own[:, names.index("cat")], own[:, names.index("cat dog")]
    expected = (cat + both / 2) / 1.5
    np.testing.assert_allclose(found.probability[0], expected.max())


def test_models_of_others_and_arrays():
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(TEXTS)
    theirs = SkTopics(2, random_state=0).fit(X)
    found = token_topics(theirs, "cat tax", vectorizer=vectorizer)
    assert len(set(found.topic.tolist())) == 2
    arrays = token_topics(theirs.components_, "cat tax", theta=found.theta, vectorizer=vectorizer)
    np.testing.assert_array_equal(arrays.topic, found.topic)
    with pytest.raises(ValueError, match="pass theta"):
        token_topics(theirs.components_, "cat", vectorizer=vectorizer)
    with pytest.raises(ValueError, match="has no vectorizer_"):
        token_topics(theirs, "cat")


def test_wrong_arguments(model):
    with pytest.raises(ValueError, match=r"theta has shape \(1, 3\)"):
        token_topics(model, "cat", theta=[0.1, 0.2, 0.7])
    custom = CountVectorizer(analyzer=str.split).fit(TEXTS)
    with pytest.raises(ValueError, match="leaves no positions"):
        token_topics(model.phi_, "cat", theta=[0.5, 0.5], vectorizer=custom)
