"""quire demo: from a corpus that is here to a model and a report."""

import json
import os

import polars as pl
import pytest

from quire.datasets import load_docstrings
from quire.persistence import load

_PACKAGES, _EACH = ("numpy", "rich", "stdlib"), 40


@pytest.fixture
def few_docstrings(monkeypatch):
    """Leave the demonstration a part of its corpus: all of its models take seconds then."""
    corpus = load_docstrings()
    table = pl.DataFrame({"text": corpus.texts, "label": corpus.labels, "name": corpus.names})
    parts = [table.filter(pl.col("label") == name).head(_EACH) for name in _PACKAGES]
    few = pl.concat(parts)
    small = type(corpus)(few["text"], few["label"], few["name"], corpus.versions)
    monkeypatch.setattr("quire.datasets.load_docstrings", lambda: small)


def test_demo_with_its_own_models_ends_in_a_report(run, few_docstrings, tmp_path):
    code, out, err = run("demo", "-o", tmp_path, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["documents"] == _EACH * len(_PACKAGES)
    assert not [one["model"] for one in found["models"] if one.get("error")]
    names = {one["model"] for one in found["models"]}
    assert {"average", "nb-svm", "nb-logistic", "relevance-svm", "random-forest"} <= names
    assert sorted(os.listdir(tmp_path)) == ["model.quire", "report.html"]
    page = (tmp_path / "report.html").read_text()
    assert "Docstrings by package" in page
    assert load(tmp_path / "model.quire").predict(["Parse a string."])[0] in _PACKAGES


@pytest.mark.parametrize("models", ["average,complement-nb,logistic", "nb-svm,relevance-svm"])
def test_demo_of_some_models_ends_in_a_report(run, few_docstrings, tmp_path, models):
    code, out, err = run("demo", "--models", models, "-o", tmp_path)
    assert (code, err) == (0, "")
    for part in (models.split(",")[-1], "rather than", "quire inspect", "quire explain"):
        assert part in out
    assert sorted(os.listdir(tmp_path)) == ["model.quire", "report.html"]
