"""The lesson on Bernoulli naive Bayes: the textbook's numbers, and those of the estimator."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.lessons import lesson, numbers
from tests.helpers.pages import Page

from quire.datasets import load_chinese_documents
from quire.lessons import bernoulli_naive_bayes
from quire.naive_bayes import BernoulliNB

NAME = "bernoulli_naive_bayes"


def test_the_numbers_are_those_of_the_textbook():
    found = numbers(NAME, "Add alpha")[
        "probabilities"
    ]  # beijing chinese japan macao shanghai tokyo
    np.testing.assert_allclose(found[0], [2 / 5, 4 / 5, 1 / 5, 2 / 5, 2 / 5, 1 / 5])
    np.testing.assert_allclose(found[1], [1 / 3, 2 / 3, 2 / 3, 1 / 3, 1 / 3, 2 / 3])
    last = numbers(NAME, "The posterior")
    in_c = 3 / 4 * 4 / 5 * 1 / 5 * 1 / 5 * (1 - 2 / 5) ** 3
    not_in_c = 1 / 4 * (2 / 3) ** 3 * (1 - 1 / 3) ** 3
    np.testing.assert_allclose(last["joint"], [in_c, not_in_c])
    assert last["class"] == "not c"
    text = " ".join(Page(lesson(NAME).html.split("<template")[0]).text)
    for number in ("4/5", "1/5", "2/3", "0.00518", "0.0219"):
        assert number in text


@pytest.mark.parametrize("alpha", [0, 1, 10])
def test_the_parts_add_up_to_the_log_odds_of_the_estimator(alpha):
    example = load_chinese_documents()
    model = BernoulliNB(alpha=alpha).fit_text(example.texts, example.labels)
    x = model.vectorizer_.transform([example.test_text])
    run = next(r for r in lesson(NAME).runs if r.values == {"alpha": alpha, "prior": "documents"})
    last = run.steps[-2].numbers["log_odds"]
    joint = model.predict_joint_log_proba(x)[0]
    assert last == pytest.approx(joint[0] - joint[1])
    np.testing.assert_allclose(run.steps[-1].numbers["posterior"], model.predict_proba(x)[0])


def test_absent_terms_have_their_steps():
    titles = [step.title for step in lesson(NAME).start.steps]
    assert "Read chinese" in titles
    assert "Read no beijing" in titles


def test_a_file_with_many_terms():
    words = [f"w{k}" for k in range(60)]
    texts = [" ".join(words[k : k + 20]) for k in range(40)]
    frame = pl.DataFrame({"text": texts, "label": ["x", "y"] * 20})
    made = bernoulli_naive_bayes(frame)
    assert made.start.steps[-2].title.endswith("other terms")
    model = BernoulliNB().fit_text(texts[:-1], frame["label"].to_list()[:-1])
    p = model.to_pipeline().predict_proba(texts[-1:])[0]
    np.testing.assert_allclose(made.start.steps[-1].numbers["posterior"], p)
    joint = made.start.steps[-1].numbers["joint"]
    assert made.start.steps[-2].numbers["log_odds"] == pytest.approx(np.log(joint[0] / joint[1]))
