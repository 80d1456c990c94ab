"""The lesson on naive Bayes: the numbers of the textbook, and those of the estimator."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.lessons import lesson, numbers
from tests.helpers.pages import Page

from quire.datasets import load_chinese_documents
from quire.lessons import naive_bayes
from quire.naive_bayes import MultinomialNB


@pytest.fixture(scope="module")
def model():
    example = load_chinese_documents()
    return MultinomialNB().fit_text(example.texts, example.labels)


def test_the_numbers_are_those_of_the_textbook():
    text = " ".join(Page(lesson("naive_bayes").html.split("<template")[0]).text)
    for number in ("3/4", "3/7", "1/14", "2/9", "0.000301", "0.000135", "69.0 %"):
        assert number in text
    example = load_chinese_documents()
    found = numbers("naive_bayes", "Divide")["probabilities"]
    expected = [[float(p) for p in example.likelihoods[k].values()] for k in ("c", "not c")]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    last = numbers("naive_bayes", "The posterior")
    np.testing.assert_allclose(last["joint"], [float(p) for p in example.joint.values()])
    assert last["class"] == example.test_label


def test_the_numbers_are_those_of_the_estimator(model):
    example = load_chinese_documents()
    x = model.vectorizer_.transform([example.test_text])
    assert numbers("naive_bayes", "Count the words")["counts"] == model.feature_count_.tolist()
    ratio = numbers("naive_bayes", "Compare")["log_ratio"]
    np.testing.assert_allclose(ratio, model.feature_log_prob_[0] - model.feature_log_prob_[1])
    posterior = numbers("naive_bayes", "The posterior")["posterior"]
    np.testing.assert_allclose(posterior, model.predict_proba(x)[0])
    evidence = model.evidence(x)[0]
    assert numbers("naive_bayes", "Read tokyo")["log_odds"] == pytest.approx(evidence.log_odds)


def test_alpha_and_prior_change_the_result():
    uniform = numbers("naive_bayes", "The posterior", prior="uniform")
    assert uniform["class"] == "not c"
    none = numbers("naive_bayes", "The posterior", alpha=0)
    assert none["posterior"] == [0.0, 1.0]
    captions = [step.caption for run in lesson("naive_bayes").runs[:1] for step in run.steps]
    assert any("never used" in caption for caption in captions)
    assert "−∞" in lesson("naive_bayes").html


def test_a_file_with_three_classes(tmp_path):
    texts = ["goal match team", "vote law", "rain wind cold", "goal goal", "vote senate", "rain"]
    path = tmp_path / "x.csv"
    frame = pl.DataFrame({"text": texts * 3, "topic": ["sport", "law", "weather"] * 6})
    frame.write_csv(path)
    made = naive_bayes(path, label="topic", document="goal vote vote")
    text = " ".join(Page(made.html).text)
    assert "Of 3 classes, the two most probable are shown" in text
    assert "18 documents" in text
    model = MultinomialNB().fit_text(frame["text"].to_list(), frame["topic"].to_list())
    p = model.to_pipeline().predict_proba(["goal vote vote"])[0]
    np.testing.assert_allclose(made.start.steps[-1].numbers["posterior"], p)
    kept_out = naive_bayes(path, label="topic")
    assert "17 documents" in " ".join(Page(kept_out.html).text)


def test_a_document_that_no_class_can_produce():
    frame = pl.DataFrame({"text": ["a1 b1", "c1 d1", "a1"], "label": ["x", "y", "x"]})
    made = naive_bayes(frame, document="a1 c1")
    run = next(run for run in made.runs if run.values == {"alpha": 0, "prior": "documents"})
    assert "No class can produce" in run.steps[-1].caption
    assert "both classes are ruled out" in run.steps[-2].caption


def test_a_file_without_classes_is_an_error():
    frame = pl.DataFrame({"text": ["a b", "c d"], "when": [1, 2]})
    with pytest.raises(ValueError, match="label"):
        naive_bayes(frame)
    frame = pl.DataFrame({"text": ["a b", "c d"], "label": ["x", "x"]})
    with pytest.raises(ValueError, match="needs two"):
        naive_bayes(frame, document="a")


def test_the_numbers_of_a_large_vocabulary_are_those_that_are_shown():
    texts = [" ".join(f"w{k + j}" for j in range(30)) for k in range(60)]
    frame = pl.DataFrame({"text": texts, "label": ["x", "y", "z"] * 20})
    made = naive_bayes(frame, document="w1 w2 w3 w3")
    model = MultinomialNB().fit_text(texts, frame["label"].to_list())
    columns = model.vectorizer_.vocabulary_
    found = made.start.steps[3].numbers
    rows = [model.classes_.tolist().index(name) for name in found["classes"]]
    terms = [columns[term] for term in found["terms"]]
    expected = np.exp(model.feature_log_prob_[np.ix_(rows, terms)])
    np.testing.assert_allclose(found["probabilities"], expected)
    assert {"w1", "w2", "w3"} < set(found["terms"])
