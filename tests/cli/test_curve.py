"""``quire curve``: the curve, what comes after it, and what a score takes."""

import json

import polars as pl
import pytest
from tests.helpers.cli import assert_failed

from quire.datasets import make_text_classification


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    data = make_text_classification(600, n_classes=2, separation=6.0, random_state=1)
    path = tmp_path_factory.mktemp("curve") / "c.csv"
    labels = [f"class {label}" for label in data.y]
    pl.DataFrame({"text": list(data.texts), "label": labels}).write_csv(path)
    return path


def test_curve_prints_scores_and_what_comes_after(run, file):
    code, out, err = run("curve", file, "--model", "multinomial-nb", "--target", 0.8)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("600 documents, ")
    assert lines[2].split() == ["documents", "training", "held", "out", "std.", "error"]
    assert [line.split()[0] for line in lines[3:9]] == ["15", "30", "60", "120", "240", "480"]
    assert lines[10].startswith("960 training documents: about 0.")
    assert lines[11].startswith("2,400 training documents: about 0.")
    assert lines[12].startswith("training documents for 0.8: about ")


def test_curve_json(run, file):
    code, out, err = run("curve", file, "--json", "--model", "multinomial-nb", "--level", 0.5)
    assert code == 0, err
    found = json.loads(out)
    assert found["sizes"] == [15, 30, 60, 120, 240, 480]
    assert found["needed"] is None
    assert [one["documents"] for one in found["expected"]] == [960, 2400]
    assert all(one["low"] <= one["score"] <= one["high"] for one in found["expected"])


def test_what_does_not_fit_is_said(run, file, tmp_path):
    assert_failed(run("curve", file, "--level", 2), "--level", code=2)
    texts = ["one two", "three four", "one four", "two three", "one three"] * 2
    pl.DataFrame({"text": texts, "label": ["x", "y"] * 5}).write_csv(tmp_path / "s.csv")
    code, out, err = run("curve", tmp_path / "s.csv", "--model", "multinomial-nb", "--folds", 2)
    assert code == 0, err
    assert "to draw it further takes at least 4 sizes" in out
