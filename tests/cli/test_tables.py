"""The command line on tables without texts, and on a corpus of a few documents."""

import json
import sys

import polars as pl
import pytest
from tests.helpers.cli import assert_failed
from tests.helpers.tables import credit_cards, intensive_care

import quire


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    credit_cards(300).write_csv(folder / "cards.csv")
    intensive_care(200).write_csv(folder / "icu.csv", null_value="NA")
    (folder / "chinese.csv").write_text(
        "text,label\nChinese Beijing Chinese,yes\nChinese Chinese Shanghai,yes\n"
        "Chinese Macao,yes\nTokyo Japan Chinese,no\nChinese Chinese Chinese Tokyo Japan,?\n"
    )
    return folder


def test_compare_reaches_naive_bayes_over_columns_and_says_what_it_took(run, folder):
    code, out, err = run("compare", folder / "cards.csv", "--label", "decision", "--json")
    assert code == 0, err
    scores = {model["model"]: model["accuracy"] for model in json.loads(out)["models"]}
    assert scores["mixed-nb"] > 0.85
    assert max(scores.values()) >= scores["mixed-nb"]
    assert err.splitlines()[:2] == [
        "quire: a table without texts: 3 numbers ('age', 'income', 'debt'), 2 categories "
        "('marital', 'home'); pass --columns or --text to choose",
        "quire: left out: 'applicant' (another value in nearly every row)",
    ]
    assert "quire: missing values in income" in err


def test_compare_on_measurements_with_gaps(run, folder):
    code, out, err = run("compare", folder / "icu.csv", "--label", "outcome", "--folds", 3)
    assert code == 0, err
    assert out.startswith("200 rows, 2 classes, 3 folds")
    assert "17 numbers ('measure 0'" in err
    assert "quire: 'NA' is a missing number in column 'measure 0'" in err


def test_fit_predict_inspect_and_explain(run, folder, tmp_path):
    model = tmp_path / "cards.quire"
    options = ("--label", "decision", "--model", "mixed-nb", "--folds", 2)
    code, out, err = run("fit", folder / "cards.csv", *options, "-o", model)
    assert code == 0, err
    assert out.startswith("Naive Bayes over columns on 300 rows")
    new = credit_cards(40, seed=8).drop("decision", "applicant")
    new.select(reversed(new.columns)).write_csv(tmp_path / "new.csv")  # columns go by name
    code, out, err = run("predict", model, tmp_path / "new.csv")
    assert code == 0, err
    predicted = pl.read_csv(out.encode())
    assert predicted.columns[-4:] == ["predicted", "probability", "p(approve)", "p(refuse)"]
    assert predicted["predicted"].to_list() == quire.load(model).predict(new).tolist()

    code, out, err = run("inspect", model)
    assert code == 0, err
    assert "300 rows of cards.csv, columns age, income, debt, marital, home, label decision" in out
    assert "home=own" in out

    code, out, err = run("explain", model, '{"age": 54, "home": "own"}')
    assert code == 0, err
    assert "approve rather than refuse" in out
    assert "home=own" in out
    row = run("explain", model, "--file", tmp_path / "new.csv", "--row", 3, "--json")[1]
    assert json.loads(row)["prediction"] == predicted["predicted"][3]


def test_columns_that_do_not_fit_a_model(run, folder, tmp_path):
    model = tmp_path / "cards.quire"
    options = ("--label", "decision", "--columns", "age, home", "--model", "tree", "--folds", 2)
    assert run("fit", folder / "cards.csv", *options, "-o", model)[0] == 0
    assert_failed(run("predict", model, folder / "chinese.csv"), "fitted on a column 'age'")
    assert_failed(run("explain", model, "He is old."), "columns age, home", "--file and --row")
    assert_failed(run("explain", model, '{"agee": 3}'), "no column 'agee'")
    assert_failed(run("explain", model, "--file", folder / "cards.csv", "--row", 300), "300 rows")
    assert_failed(run("explain", model, "--file", folder / "chinese.csv"), "a column 'age'")


def test_the_guess_can_be_changed(run, folder):
    cards = folder / "cards.csv"
    options = ("--label", "decision", "--models", "logistic", "--folds", 2, "--json")
    chosen = json.loads(run("compare", cards, *options, "--columns", "age,home")[1])["settings"]
    assert (chosen["numbers"], chosen["categories"]) == (["age"], ["home"])
    chosen = json.loads(run("compare", cards, *options, "--text", "marital")[1])["settings"]
    assert (chosen["numbers"], chosen["categories"]) == ([], [])
    both = run("compare", cards, *options, "--text", "marital", "--also", "all")
    chosen = json.loads(both[1])["settings"]
    assert (chosen["texts"], chosen["numbers"]) == (["marital"], ["age", "income", "debt"])
    assert_failed(run("compare", cards, "--label", "decision", "--columns", "agee"), "'age'")


def test_a_report_on_a_table(run, folder, tmp_path):
    page = tmp_path / "report.html"
    options = ("--label", "decision", "--models", "mixed-nb,logistic", "--folds", 2)
    code, _, err = run("report", folder / "cards.csv", *options, "-o", page)
    assert code == 0, err
    text = page.read_text(encoding="utf-8")
    assert "Columns that were learned from" in text
    assert "Words in a document" not in text


@pytest.mark.parametrize("command", ["topics", "cluster", "map", "terms"])
def test_commands_for_texts_say_that_there_are_none(run, folder, command):
    label = ("--label", "decision") if command == "terms" else ()
    assert_failed(run(command, folder / "cards.csv", *label), "has no texts", "--text")


def test_a_model_of_texts_says_that_there_are_none(run, folder, tmp_path):
    model = tmp_path / "m.quire"
    assert run("fit", folder / "chinese.csv", "--model", "multinomial-nb", "-o", model)[0] == 0
    assert_failed(run("predict", model, folder / "cards.csv"), "takes texts", "--text")


def test_the_worked_example_of_naive_bayes(run, folder, tmp_path):
    """Joint probabilities of the worked example: 0.000301 for yes, 0.000135 for no."""
    model = tmp_path / "m.quire"
    code, out, err = run("fit", folder / "chinese.csv", "--model", "multinomial-nb", "-o", model)
    assert code == 0, err
    assert "Multinomial naive Bayes on 4 documents" in out
    assert (
        "quire: 1 row is left out: no label, or '?'; --missing-labels keep makes a class of it"
        in err
    )
    code, out, err = run("predict", model, folder / "chinese.csv")
    assert code == 0, err
    last = pl.read_csv(out.encode()).row(4, named=True)
    yes, no = 3 / 4 * (3 / 7) ** 3 * (1 / 14) ** 2, 1 / 4 * (2 / 9) ** 5
    assert (round(yes, 6), round(no, 6)) == (0.000301, 0.000135)
    assert last["predicted"] == "yes"
    assert last["p(yes)"] == pytest.approx(yes / (yes + no))
    assert last["p(no)"] == pytest.approx(no / (yes + no))


def test_few_documents_are_compared_by_leaving_one_out(run, folder):
    code, out, err = run("compare", folder / "chinese.csv")
    assert code == 0, err
    assert out.startswith("4 documents, 2 classes, 4 folds")
    assert "each of the 4 documents is held out by itself" in err


def test_a_narrow_terminal_loses_times_before_scores(monkeypatch, folder):
    from quire.cli import _comparison

    found = quire.compare(folder / "cards.csv", "decision", ["logistic", "majority"], cv=2)
    heads = {}
    for width in (40, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        heads[width] = [column.header for column in _comparison.leaderboard(found).columns]
    assert heads[40] == ["model", "accuracy", "95% interval"]
    assert heads[80][:4] == ["model", "accuracy", "95% interval", "p"]
    assert heads[200] == ["model", "accuracy", "95% interval", "p", "fit", "predict"]


def test_fit_takes_the_linear_model_of_the_task(run, folder, tmp_path):
    options = ("--folds", 2, "-o", tmp_path / "m.quire")
    code, out, err = run("fit", folder / "cards.csv", "--label", "debt", *options)
    assert code == 0, err
    assert out.startswith("Ridge regression on 300 rows")


def test_small_classes_can_be_left_out(run, tmp_path):
    path = tmp_path / "small.csv"
    rows = [f"some words {n},a" for n in range(9)] + [f"more words {n},b" for n in range(9)]
    path.write_text("\n".join(["text,label", *rows, "odd words,c"]))
    code, out, err = run("compare", path, "--models", "majority", "--min-class", 5)
    assert code == 0, err
    assert out.startswith("18 documents, 2 classes, 5 folds")
    assert "1 document of 1 class with fewer than 5 left out: c" in err
    code, out, err = run("compare", path, "--models", "majority")
    assert out.startswith("19 documents, 3 classes, 5 folds")
    assert "1 class with fewer documents than the 5 folds" in err
