"""The leaderboard on narrow terminals, its verdict, and what Ctrl-C leaves of a comparison."""

import sys

import polars as pl
import pytest

import quire
from quire import model_selection
from quire._shared.terminal import formatted
from quire.cli import _comparison, _tables
from quire.model_selection._compare import folds as folds_module

LONG = "a-model-with-a-longer-name"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "corpus.csv"
    rows = [(f"{word} film {n}", word) for n in range(20) for word in ("good", "bad", "dull")]
    pl.DataFrame(rows, schema=["text", "label"], orient="row").write_csv(path)
    return path


@pytest.fixture(scope="module")
def comparison(corpus):
    from sklearn.dummy import DummyClassifier

    models = ["multinomial-nb", (LONG, DummyClassifier())]
    return quire.compare(corpus, models=models, cv=2, checks=False, metric="balanced_accuracy")


@pytest.mark.parametrize(
    ("columns", "heads"),
    [
        (40, ["model", "balanced accuracy"]),
        (60, ["model", "balanced accuracy"]),
        (72, ["model", "balanced accuracy", "95% interval"]),
        (80, ["model", "balanced accuracy", "95% interval", "p"]),
        (200, ["model", "balanced accuracy", "95% interval", "p", "fit", "predict"]),
    ],
)
def test_narrow_terminals_lose_times_first_and_scores_never(
    comparison, monkeypatch, columns, heads
):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    table = _comparison.leaderboard(comparison)
    assert [column.header for column in table.columns] == heads
    lines = formatted(table, columns=columns)
    assert max(map(len, lines)) <= columns
    shown = "\n".join(lines)
    for trial in comparison:
        assert f"{trial.scores['balanced_accuracy'].mean():.4f}" in shown
    assert "balanced accuracy" in shown
    assert "…" not in shown


def test_no_model_is_ahead_of_none(corpus, comparison, run):
    code, out, _ = run("compare", corpus, "--models", "majority", "--folds", 2)
    assert code == 0
    assert out.endswith("majority is the only model.\n")
    assert _comparison.verdict(comparison).startswith("multinomial-nb is ahead of every other")


def test_errors_are_shown_without_a_sign_and_small_p_values_as_such():
    texts = [f"word{n % 10} film" for n in range(60)]
    found = quire.compare(
        texts, [float(n % 10) + 0.5 for n in range(60)], ["ridge", "mean"],
        metric="neg_mean_absolute_error", cv=10, checks=False,
    )  # fmt: skip
    shown = str(found)
    assert "neg_" not in shown.split("note:")[0]
    assert " -" not in shown.split("note:")[0]
    assert "<0.001" in shown
    assert "0.000 " not in shown


def stop_at(monkeypatch, number):
    calls = []
    original = folds_module._run_one

    def run(outcome, *arguments, **options):
        calls.append(outcome)
        if len(calls) == number:
            raise KeyboardInterrupt
        original(outcome, *arguments, **options)

    monkeypatch.setattr(folds_module, "_run_one", run)


OPTIONS = ("--models", "multinomial-nb,majority", "--threads", 1)


def test_ctrl_c_keeps_the_best_model_so_far_and_says_so(run, corpus, tmp_path, monkeypatch):
    stop_at(monkeypatch, 8)
    model, page = tmp_path / "model.quire", tmp_path / "report.html"
    code, out, err = run("compare", corpus, *OPTIONS, "--save", model, "--report", page)
    assert code == 130
    assert "3 folds (stopped early)" in out
    assert "multinomial-nb" in out
    assert "quire: stopped: scores are those of 3 folds" in err
    assert f"quire: wrote {model}" in err
    assert f"quire: no report: {page} was not written" in err
    assert not page.exists()
    assert quire.load(model).predict(["good"]).tolist() == ["good"]


def test_ctrl_c_in_the_first_fold_leaves_nothing_and_says_so(run, corpus, tmp_path, monkeypatch):
    stop_at(monkeypatch, 1)
    model = tmp_path / "model.quire"
    code, out, err = run("compare", corpus, *OPTIONS, "--save", model)
    assert (code, out) == (130, "")
    assert "quire: stopped before any model was finished" in err
    assert not model.exists()


def test_ctrl_c_in_the_first_fold_keeps_the_models_that_were_finished(
    run, corpus, tmp_path, monkeypatch
):
    stop_at(monkeypatch, 2)
    model = tmp_path / "model.quire"
    code, out, err = run("compare", corpus, *OPTIONS, "--save", model)
    assert code == 130
    assert "stopped before it was finished" in out
    assert "quire: stopped: scores are those of 1 fold\n" in err
    assert quire.load(model).predict(["good"]).tolist() == ["good"]


def test_a_report_that_cannot_be_made_is_said_before_the_work(run, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(_tables, "find_spec", lambda name: None)
    monkeypatch.setattr(model_selection, "compare", lambda *args, **kw: pytest.fail("worked"))
    page = tmp_path / "report.html"
    code, out, err = run("compare", corpus, "--models", "majority", "--report", page)
    assert (code, out) == (1, "")
    assert "pip install 'quire[report]'" in err
    assert not page.exists()
