"""``quire evaluate``: what it prints, and what it says of labels that are missing or not known."""

import json

import polars as pl
import pytest
from tests.helpers.cli import assert_failed
from tests.helpers.tables import credit_cards

import quire
from quire.model_selection import compare, evaluate


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    found = compare(credit_cards(200), "decision", "mixed-nb", cv=2)
    metadata = {"label": "decision", "title": "Naive Bayes", "text": []}
    quire.save(found.model, folder / "m.quire", metadata=metadata)
    test = credit_cards(100, seed=3)
    labels = ["later", None, *test["decision"][2:]]
    test.with_columns(pl.Series("decision", labels)).write_csv(folder / "test.csv")
    return folder


def test_evaluate_prints_scores_classes_and_notes(run, folder):
    code, out, err = run("evaluate", folder / "m.quire", folder / "test.csv")
    assert code == 0, err
    assert out.startswith("Naive Bayes on 99 rows\n")
    expected = evaluate(folder / "m.quire", folder / "test.csv")
    value, low, high = expected.scores["accuracy"]
    assert f"{value:.4f}  {low:.4f} - {high:.4f}" in out
    for word in ("balanced accuracy", "log loss", "precision", "label \\ predicted", "observed"):
        assert word in out
    assert "quire: left out, since they have no label: 1 of 100" in err
    assert "quire: labels that the model does not know count as wrong: 'later' (1)" in err


def test_evaluate_json(run, folder):
    command = ("evaluate", folder / "m.quire", folder / "test.csv", "--json")
    code, out, err = run(*command, "--label", "decision")
    assert code == 0, err
    found = json.loads(out)
    assert found["documents"] == 99
    assert found["unseen"] == {"later": 1}
    assert [one["label"] for one in found["classes"]] == ["approve", "refuse", "later"]
    assert out == run(*command)[1]


def test_evaluate_with_more_scores(run, folder, tmp_path):
    (tmp_path / "costs.json").write_text(json.dumps({"approve": {"refuse": 5}}))
    command = ("evaluate", folder / "m.quire", folder / "test.csv", "--metric", "f1_weighted")
    code, out, err = run(*command, "--metric", "mcc", "--costs", tmp_path / "costs.json", "--json")
    assert code == 0, err
    scores = json.loads(out)["scores"]
    assert {"f1_weighted", "matthews_corrcoef", "mean_cost"} <= set(scores)
    assert scores["mean_cost"]["low"] >= 0
    assert "weighted F1" in run(*command)[1]


def test_evaluate_numbers(run, folder, tmp_path):
    train = credit_cards(200).drop("decision")
    model = compare(train, "debt", "ridge", cv=2).model
    quire.save(model, tmp_path / "r.quire")
    credit_cards(50, seed=2).write_csv(tmp_path / "new.csv")
    code, out, err = run("evaluate", tmp_path / "r.quire", tmp_path / "new.csv", "--label", "debt")
    assert code == 0, err
    assert "RMS error" in out
    assert "class" not in out


def test_what_does_not_fit_is_said_in_one_line(run, folder, tmp_path):
    model, test = folder / "m.quire", folder / "test.csv"
    assert_failed(run("evaluate", model, test, "--label", "decide"), "'decision'")
    assert_failed(run("evaluate", model, tmp_path / "no.csv"), "no.csv")
    assert_failed(run("evaluate", test, test), "test.csv")
    (tmp_path / "other.csv").write_text("text,label\nsome words,a\n")
    assert_failed(run("evaluate", model, tmp_path / "other.csv"), "a column 'age'")
