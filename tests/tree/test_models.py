"""Trees and forests in comparisons, reports, model files and commands."""

import json

import numpy as np
import polars as pl
import pytest

import quire
from quire.cli import main
from quire.datasets import make_text_classification
from quire.model_selection import compare, model_names
from quire.report import summarise

DATA = make_text_classification(120, n_classes=3, separation=8.0, random_state=1)


@pytest.fixture
def run(capfd):
    """Run a command in this process; return exit code, stdout and stderr."""

    def run(*arguments):
        with pytest.raises(SystemExit) as exited:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return exited.value.code, captured.out, captured.err

    return run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("trees") / "corpus.csv"
    labels = np.array(["goal", "rain", "song"])[DATA.y]
    pl.DataFrame({"text": DATA.texts, "label": labels}).write_csv(path)
    return path


@pytest.fixture(scope="module")
def comparison():
    return compare(DATA.texts, DATA.y, ["tree", "random-forest", "majority"], cv=3)


def test_names():
    names = {"tree", "random-forest", "extra-trees"}
    for task in ("binary", "multiclass", "ordered"):
        assert names <= set(model_names(task))
    assert {f"{name}-regression" for name in names} <= set(model_names("continuous"))


def test_classes_are_compared(comparison):
    assert [trial.error for trial in comparison] == [None] * 3
    assert comparison.best.name in ("tree", "random-forest")
    assert comparison.best.name != "majority"
    tree = next(trial for trial in comparison if trial.name == "tree")
    assert set(tree.settings[0]) == {"ccp_alpha", "min_samples_leaf"}


def test_trees_are_not_among_the_defaults():
    found = compare(DATA.texts[:60], DATA.y[:60], cv=2, tune=False)
    assert not {"tree", "random-forest", "extra-trees"} & {trial.name for trial in found}


def test_numbers_are_compared_by_the_same_names():
    rng = np.random.default_rng(0)
    y = DATA.y * 10.0 + rng.normal(size=len(DATA.y))
    models = ["mean", "tree", "random-forest", "extra-trees"]
    found = compare(DATA.texts, y, models, cv=2, tune=False)
    assert found.task == "continuous"
    assert {trial.name for trial in found} == {
        "mean",
        "tree-regression",
        "random-forest-regression",
        "extra-trees-regression",
    }
    assert [trial.error for trial in found] == [None] * 4
    assert found.best.name != "mean"
    with pytest.raises(ValueError, match="cannot do the task 'continuous'"):
        compare(DATA.texts, y, ["logistic"], cv=2)


def test_report_says_that_terms_are_by_importance(comparison):
    data = summarise(comparison, DATA.texts)
    assert list(data.evidence) == ["importance"]
    weights = [term.weight for term in data.evidence["importance"]]
    assert weights == sorted(weights, reverse=True)
    assert 0 < sum(weights) <= 1 + 1e-9
    assert "not for which class" in data.evidence_note
    if data.mistakes:  # words of mistakes are marked by their paths
        assert any(mistake.terms for mistake in data.mistakes)


def test_commands_with_a_forest(run, corpus, tmp_path):
    path = tmp_path / "forest.quire"
    code, out, err = run("fit", corpus, "-o", path, "--model", "random-forest", "--folds", 3)
    assert code == 0, err
    assert "Random forest on 120 documents" in out
    code, out, err = run("inspect", path)
    assert code == 0, err
    assert "100, with " in out
    assert "leaves (mean " in out
    assert "most important terms" in out
    card = json.loads(run("inspect", path, "--json")[1])
    assert card["trees"]["n_trees"] == 100
    assert card["trees"]["leaves"]["least"] <= card["trees"]["leaves"]["mean"]
    assert "text" not in card["trees"]
    assert len(card["top_evidence"]["importance"]) == 10
    text = DATA.texts[0]
    code, out, err = run("explain", path, text, "--top", 3)
    assert code == 0, err
    first, second, *_ = out.splitlines()
    assert "share of " in first
    assert "before anything is read" in second
    told = json.loads(run("explain", path, text, "--json")[1])
    assert told["score"] == pytest.approx(
        max(one["probability"] for one in told["probabilities"]), abs=1e-12
    )
    code, out, err = run("explain", path, text, "--target", "rain", "--against", "song")
    assert "rain rather than song" in out


def test_inspect_writes_a_small_tree(run, tmp_path):
    from sklearn.pipeline import make_pipeline

    from quire.feature_extraction.text import CountVectorizer
    from quire.tree import DecisionTreeClassifier

    texts = ["a goal", "no goal", "late goal", "rain", "more rain", "[bold]rain"]
    model = make_pipeline(CountVectorizer(), DecisionTreeClassifier(random_state=0))
    path = tmp_path / "tree.quire"
    quire.save(model.fit(texts, ["s", "s", "s", "w", "w", "w"]), path)
    code, out, err = run("inspect", path)
    assert code == 0, err
    assert "1, with 2 leaves, depth 1" in out
    assert "<= 0.500" in out
    assert "class: " in out
    assert ("|--- goal" in out) or ("|--- rain" in out)
    stump = DecisionTreeClassifier().fit(np.zeros((2, 1)), [0, 1])
    quire.save(stump, path)
    assert "1, with 1 leaf, depth 0" in run("inspect", path)[1]
