"""What is counted, chosen on the command line: kinds of tokens, stems, marks behind negations."""

import json

import pytest
from tests.helpers.cli import assert_failed

import quire

ROWS = ["don't love cats,bad", "loved #cat walks,good", "not a loving dog,bad", "dogs love us,good"]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.csv"
    path.write_text("\n".join(["text,label", *ROWS * 6]), encoding="utf-8")
    return path


def vectorizer_of(model):
    return next(step for step in model if hasattr(step, "vocabulary_"))


def test_fit_and_predict(run, corpus, tmp_path):
    model = tmp_path / "model.quire"
    options = "--tokens", "words+hashtags", "--stemmer", "english", "--negation", "english"
    code, _, err = run("fit", corpus, "-o", model, "--folds", 2, *options)
    assert code == 0, err
    vectorizer = vectorizer_of(quire.load(model))
    assert vectorizer.engine_ == "native"
    assert {"#cat", "not_love", "don't", "love", "dog"} <= set(vectorizer.vocabulary_)
    code, out, _ = run("predict", model, corpus)
    assert code == 0
    assert "good" in out


def test_compare_and_terms(run, corpus):
    options = "--models", "multinomial-nb", "--folds", 2, "--tokens", "words", "--json"
    code, out, err = run("compare", corpus, *options)
    assert code == 0, err
    assert json.loads(out)["models"]
    code, out, err = run("terms", corpus, "--negation", "english", "--stemmer", "english", "--json")
    assert code == 0, err
    assert "not_love" in out


@pytest.mark.parametrize("command", ["fit", "compare", "terms"])
@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--tokens", "syllables", "tokens must be some of"),
        ("--stemmer", "klingon", "there is no stemmer 'klingon'"),
        ("--negation", "german", "no negating words of 'german'"),
    ],
)
def test_unknown_names(run, corpus, tmp_path, command, option, value, said):
    output = ["-o", tmp_path / "model.quire"] if command == "fit" else []
    assert_failed(run(command, corpus, *output, option, value), said)
