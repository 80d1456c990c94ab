"""The commands around models: compare, fit, predict, explain, inspect, report."""

import json
import os
import resource
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from tests.helpers.cli import assert_failed

import quire
from quire.cli import main
from quire.datasets import make_text_classification


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A corpus as CSV and a model that was fitted on it."""
    folder = tmp_path_factory.mktemp("models")
    data = make_text_classification(160, n_classes=2, separation=6.0, random_state=3)
    labels = np.array(["neg", "pos"])[data.y]
    sizes = [len(text) for text in data.texts]
    table = pl.DataFrame({"id": range(160), "text": data.texts, "label": labels, "size": sizes})
    table.write_csv(folder / "corpus.csv")
    with pytest.raises(SystemExit) as exited:
        main(["fit", str(folder / "corpus.csv"), "-o", str(folder / "model.quire"), "--folds", "3"])
    assert exited.value.code == 0
    return folder


def test_compare_needs_nothing_but_a_file(run, folder):
    code, out, err = run("compare", folder / "corpus.csv")
    assert code == 0
    assert "160 documents, 2 classes, 5 folds" in out
    assert "multinomial-nb" in out
    assert "majority" in out
    assert "accuracy" in out
    assert "--text" in err


def test_compare_as_json_with_other_columns_and_groups(run, folder):
    arguments = ["--also", "size", "--groups", "id", "--models", "logistic,majority", "--folds", 3]
    code, out, _ = run("compare", folder / "corpus.csv", *arguments, "--json")
    assert code == 0
    found = json.loads(out)
    assert [model["model"] for model in found["models"]] == ["logistic", "majority"]
    assert found["settings"]["numbers"] == ["size"]
    assert len(found["models"][0]["scores"]["accuracy"]) == 3


def test_compare_writes_the_model_and_the_report(run, folder, tmp_path):
    paths = ["--save", tmp_path / "best.quire", "--report", tmp_path / "report.html"]
    code, _, err = run("compare", folder / "corpus.csv", "--models", "complement-nb", *paths)
    assert code == 0
    assert err.count("wrote") == 2
    model = quire.load(tmp_path / "best.quire")
    table = pl.read_csv(folder / "corpus.csv")
    assert (model.predict(table["text"]) == table["label"].to_numpy()).mean() > 0.9
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_scores_costs_and_weights(run, folder, tmp_path):
    corpus = folder / "corpus.csv"
    labels = sorted(set(pl.read_csv(corpus)["label"].to_list()))
    first, last = labels[0], labels[-1]
    lines = [",".join(["", *labels])]
    lines += [
        ",".join([one, *("0" if one == other else "3" for other in labels)]) for one in labels
    ]
    (tmp_path / "costs.csv").write_text("\n".join(lines))
    (tmp_path / "costs.json").write_text(json.dumps({first: {last: 3}, last: {first: 3}}))
    quick = ("compare", corpus, "--models", "logistic,majority", "--folds", 2)
    code, out, err = run(*quick, "--costs", tmp_path / "costs.csv", "--by-class", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["metric"] == "neg_mean_cost"
    assert found["costs"][0][1] == 3
    assert [one["label"] for one in found["by_class"]] == labels
    assert found["by_class"][0]["recall_low"] < found["by_class"][0]["recall"]
    code, out, err = run(*quick, "--costs", tmp_path / "costs.json", "--metric", "f1_weighted")
    assert code == 0, err
    assert "weighted F1" in out
    weighted = (*quick, "--class-weight", f"{first}=5", "--by-class")
    code, out, err = run(*weighted)
    assert code == 0, err
    assert [word in out for word in ("precision", "recall", "F1")] == [True] * 3
    assert "without weights of classes, which they do not take: majority" in err
    (tmp_path / "bad.csv").write_text("a,b\n1,2,3\n")
    assert_failed(run(*quick, "--costs", tmp_path / "bad.csv"), "no table of costs")
    (tmp_path / "bad.json").write_text("[1]")
    assert_failed(run(*quick, "--costs", tmp_path / "bad.json"), "holds a list")
    (tmp_path / "worse.json").write_text("{")
    assert_failed(run(*quick, "--costs", tmp_path / "worse.json"), "is not JSON")
    assert_failed(run(*quick, "--costs", tmp_path / "none.csv"), "none.csv")
    assert_failed(run(*quick, "--class-weight", "even"), "expected 'balanced'")
    assert_failed(run(*quick, "--class-weight", "a=b"), "spam=5", code=2)
    assert_failed(run(*quick, "--metric", "f1_makro"), "'f1_macro'")


def test_fit_calibrated_with_a_threshold(run, folder, tmp_path):
    rows = pl.read_csv(folder / "corpus.csv")
    rows = rows.with_columns(label=pl.col("label") == rows["label"][0])
    rows.with_columns(pl.col("label").cast(pl.String)).write_csv(tmp_path / "two.csv")
    model = tmp_path / "m.quire"
    told = ("--calibrate", "sigmoid", "--threshold", "f1", "--metric", "f1", "--folds", 2)
    code, out, err = run("fit", tmp_path / "two.csv", "-o", model, *told)
    assert code == 0, err
    assert "held-out F1" in out
    other = tmp_path / "other.quire"
    code, out, err = run("fit", tmp_path / "two.csv", "-o", other, "--metric", "log_loss")
    assert code == 0, err
    assert "held-out log loss 0." in out
    last = quire.load(model)[-1]
    assert last.pos_label_
    code, out, err = run("explain", model, rows["text"][0])
    assert code == 0, err
    assert "from a probability for it of" in " ".join((out + err).split())
    assert_failed(
        run("fit", tmp_path / "two.csv", "-o", model, "--threshold", "auc"), "--threshold"
    )


def test_predict_keeps_the_columns_and_their_order(run, folder, tmp_path):
    code, out, err = run("predict", folder / "model.quire", folder / "corpus.csv", "--batch", 50)
    assert (code, err) == (0, "")
    (tmp_path / "out.csv").write_text(out)
    found = pl.read_csv(tmp_path / "out.csv")
    table = pl.read_csv(folder / "corpus.csv")
    assert found.columns == [*table.columns, "predicted", "probability", "p(neg)", "p(pos)"]
    assert found.select(table.columns).equals(table)
    model = quire.load(folder / "model.quire")
    assert found["predicted"].to_list() == model.predict(table["text"]).tolist()
    np.testing.assert_array_equal(found["p(pos)"], model.predict_proba(table["text"])[:, 1])


def test_predict_and_fit_take_a_threshold(run, folder, tmp_path):
    model, corpus = folder / "model.quire", folder / "corpus.csv"
    code, out, err = run("predict", model, corpus, "--threshold", "0.9")
    assert code == 0, err
    found = pl.read_csv(out.encode())
    expected = np.where(found["p(pos)"].to_numpy() >= 0.9, "pos", "neg")
    assert found["predicted"].to_list() == expected.tolist()
    own = np.where(expected == "pos", found["p(pos)"], found["p(neg)"])
    np.testing.assert_array_equal(found["probability"], own)
    code, out, _ = run("predict", model, corpus, "--threshold", "0.9", "--no-probabilities")
    assert pl.read_csv(out.encode())["predicted"].to_list() == expected.tolist()
    assert_failed(run("predict", model, corpus, "--threshold", "1.2"), "from 0 to 1")
    fixed = tmp_path / "fixed.quire"
    code, _, err = run("fit", corpus, "-o", fixed, "--threshold", "0.9")
    assert code == 0, err
    table = pl.read_csv(corpus)
    strict = quire.load(fixed)
    p = strict.predict_proba(table["text"])[:, 1]
    assert strict.predict(table["text"]).tolist() == np.where(p >= 0.9, "pos", "neg").tolist()
    code, out, _ = run("predict", model, corpus, "--threshold", "0.9", "--json", "--batch", "7")
    assert [json.loads(line)["predicted"] for line in out.splitlines()] == expected.tolist()


def test_predict_writes_lists_and_structures_as_json(run, folder, tmp_path):
    rows = [
        {"text": "one two", "tags": ["ä", "b"], "more": {"n": 1}},
        {"text": "three", "tags": [], "more": None},
    ]
    path = tmp_path / "nested.ndjson"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    code, out, err = run("predict", folder / "model.quire", path)
    assert (code, err) == (0, "")
    table = pl.read_csv(out.encode())
    assert table["tags"].to_list() == ['["ä", "b"]', "[]"]
    assert json.loads(table["more"][0]) == {"n": 1}


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_predict_stops_in_silence_when_its_reader_has_gone(folder, unbuffered):
    table = pl.read_csv(folder / "corpus.csv")
    pl.concat([table] * 50).write_csv(folder / "long.csv")
    command = [sys.executable, "-m", "quire.cli", "predict"]
    process = subprocess.Popen(
        [*command, str(folder / "model.quire"), str(folder / "long.csv")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 1


def test_predict_from_stdin_to_a_file(folder, tmp_path):
    target = tmp_path / "out.ndjson"
    command = [sys.executable, "-m", "quire.cli", "predict", str(folder / "model.quire"), "-"]
    done = subprocess.run(
        [*command, "--format", "lines", "-o", str(target)],
        input="some words\n\nother words\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "")
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert [set(row) >= {"text", "predicted", "p(neg)"} for row in rows] == [True] * len(rows)
    assert len(rows) >= 2


def test_explain_and_inspect(run, folder, tmp_path):
    text = pl.read_csv(folder / "corpus.csv")["text"][0]
    code, out, _ = run("explain", folder / "model.quire", text, "--top", 3)
    assert code == 0
    assert "rather than" in out
    (tmp_path / "text.txt").write_text(text)
    arguments = ["--file", tmp_path / "text.txt", "--target", "pos", "--json"]
    code, out, _ = run("explain", folder / "model.quire", *arguments)
    found = json.loads(out)
    assert code == 0
    assert found["target"] == "pos"
    code, out, _ = run("inspect", folder / "model.quire")
    assert code == 0
    for part in ("Logistic regression", "neg, pos", "160 documents", "accuracy", "TfidfVectorizer"):
        assert part in out
    code, out, _ = run("inspect", folder / "model.quire", "--json", "--top", 2)
    card = json.loads(out)
    assert [len(terms) for terms in card["top_evidence"].values()] == [2, 2]
    assert card["metadata"]["documents"] == 160


def test_report_command(run, folder, tmp_path):
    target = tmp_path / "r.html"
    arguments = ["--models", "complement-nb,majority", "--folds", 3, "-o", target]
    code, out, _ = run("report", folder / "corpus.csv", *arguments)
    assert code == 0
    assert str(target) in out
    assert "</html>" in target.read_text(encoding="utf-8")


def corpus_of(path, rows, header="text,label"):
    path.write_bytes("\n".join([header, *rows, ""]).encode("utf-8"))
    return path


def test_bad_input_ends_in_one_line(run, folder, tmp_path):
    fine = folder / "corpus.csv"
    assert_failed(run("compare", tmp_path / "nowhere.csv"), "nowhere.csv")
    assert_failed(run("compare", fine, "--text", "txet"), "txet", "'text'")
    assert_failed(run("compare", fine, "--label", "lable"), "lable", "'label'")
    assert_failed(run("compare", fine, "--also", "sise"), "'sise'", "'size'")
    (tmp_path / "empty.csv").touch()
    assert_failed(run("compare", tmp_path / "empty.csv"), "empty")
    one = corpus_of(tmp_path / "one.csv", ["some words,a", "more words,a"])
    assert_failed(run("compare", one), "All 2 labels are 'a'")
    assert_failed(run("compare", fine, "--min-class", 10_000), "No class has 10000 documents")
    blank = corpus_of(tmp_path / "blank.csv", ['"",a', '" ",b'] * 9)
    assert_failed(run("compare", blank), "empty")
    (tmp_path / "latin.csv").write_bytes("text,label\ncafé,a\nthé,b\n".encode("latin-1"))
    assert_failed(run("compare", tmp_path / "latin.csv"), "line 2", "--encoding auto")
    (tmp_path / "a folder").mkdir()
    assert_failed(run("compare", tmp_path / "a folder"), "a folder")
    words = corpus_of(tmp_path / "words.csv", ["some words,a", "more words,b"] * 9)
    assert_failed(run("compare", words, "--task", "continuous"), "needs numbers", "'a'")
    assert_failed(run("compare", fine, "--models", "logistik"), "'logistic'")
    assert_failed(run("compare", fine, "--metric", "r2"), "r2")
    assert_failed(run("compare", fine, "--folds", "1"), code=2)


def test_bad_model_files_end_in_one_line(run, folder, tmp_path):
    fine = folder / "corpus.csv"
    other = tmp_path / "other.quire"
    other.write_bytes(b"\x80\x04 a pickle, perhaps")
    for command in (["predict", other, fine], ["inspect", other]):
        assert_failed(run(*command), "other.quire")
    assert_failed(run("predict", tmp_path / "none.quire", fine), "none.quire")
    whole = (folder / "model.quire").read_bytes()
    (tmp_path / "cut.quire").write_bytes(whole[: len(whole) // 2])
    assert_failed(run("explain", tmp_path / "cut.quire", "text"), "cut.quire")
    assert_failed(run("inspect", tmp_path), str(tmp_path))
    assert_failed(run("explain", folder / "model.quire", "text", "--target", "maybe"), "maybe")
    nowhere = tmp_path / "no" / "model.quire"
    assert_failed(run("fit", fine, "-o", nowhere, "--folds", 2), "model.quire")
    assert_failed(run("fit", fine, "-o", tmp_path, "--folds", 2), str(tmp_path))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_ends_in_one_line(folder, tmp_path):
    command = [sys.executable, "-m", "quire.cli", "predict", str(folder / "model.quire")]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*command, str(folder / "corpus.csv")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("quire: ")
    assert done.stderr.count("\n") == 1
    target = tmp_path / "out.csv"
    target.write_text("old")
    done = subprocess.run(
        [*command, str(folder / "corpus.csv"), "-o", str(target)],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_demo(run, tmp_path):
    arguments = ["--models", "complement-nb,majority", "-o", tmp_path / "demo"]
    code, out, err = run("demo", *arguments, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["documents"] > 5000
    assert found["models"][0]["model"] == "complement-nb"
    assert found["models"][0]["accuracy"] > 0.8
    assert sorted(os.listdir(tmp_path / "demo")) == ["model.quire", "report.html"]
    code, out, err = run("demo", *arguments)
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    for part in ("complement-nb", "rather than", "quire inspect", "quire explain"):
        assert part in out


def test_files_of_one_text_end_and_are_utf8(run, folder, tmp_path, monkeypatch):
    model, path = folder / "model.quire", tmp_path / "x.txt"
    assert_failed(run("explain", model, "--file", "/dev/zero"), "/dev/zero is a device")
    path.write_bytes("Schöne Grüße".encode("cp1252"))
    assert_failed(run("explain", model, "--file", path), "x.txt is not UTF-8 (byte 3)")
    corpus = folder / "corpus.csv"
    failed = run("topics", corpus, "--text", "text", "--stop-words", path)
    assert_failed(failed, "x.txt is not UTF-8 (byte 3). Convert it")
    monkeypatch.setattr("quire.cli._arguments._LONGEST", 9)
    path.write_text("some words that are long")
    assert_failed(run("explain", model, "--file", path), "x.txt is longer than 9 bytes")
