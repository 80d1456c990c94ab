"""``quire update``: a model learns on, into a new file."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.cli import assert_failed

import quire
from quire.feature_extraction.text import CountVectorizer
from quire.linear_model import LogisticRegression
from quire.model_selection import update
from quire.naive_bayes import MultinomialNB
from quire.persistence import read_info

OLD = ["good film", "fine good film", "bad film", "dull bad plot"]
NEW = ["dull film", "good plot", "dull dull", "unheard"]
Y, MORE = ["pos", "pos", "neg", "neg"], ["neg", "pos", "neg", "pos"]


@pytest.fixture
def model():
    return make_pipeline(CountVectorizer(), MultinomialNB()).fit(OLD, Y)


@pytest.fixture
def saved(model, tmp_path):
    path = tmp_path / "old.quire"
    metadata = {"text": ["text"], "label": "label", "documents": 4}
    quire.save(model, path, metadata=metadata, scores={"accuracy": 1.0})
    return path


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "new.csv"
    pl.DataFrame({"text": [*NEW, "x"], "label": [*MORE, "NA"]}).write_csv(path)
    return path


def test_what_is_learned_is_what_all_documents_give(model):
    found = update(model, NEW, MORE)
    vocabulary = model[0].vocabulary_
    together = make_pipeline(CountVectorizer(vocabulary=vocabulary), MultinomialNB())
    together.fit(OLD + NEW, Y + MORE)
    np.testing.assert_array_equal(found.model.predict_proba(NEW), together.predict_proba(NEW))
    assert (found.n_documents, found.n_empty, found.n_missing) == (4, 1, 0)
    assert found.by_class == {"neg": 2, "pos": 2}


def test_the_old_model_stays(model):
    before = model.predict_proba(NEW)
    update(model, NEW, MORE)
    np.testing.assert_array_equal(model.predict_proba(NEW), before)


def test_labels_are_found_among_classes_by_what_they_are_called():
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(OLD, [1, 1, 2, 2])
    assert update(model, NEW, ["1", "2", "1", "1"]).by_class == {1: 3, 2: 1}


def test_what_cannot_learn_on_is_said(model):
    linear = make_pipeline(CountVectorizer(), LogisticRegression()).fit(OLD, Y)
    with pytest.raises(ValueError, match="LogisticRegression cannot learn on"):
        update(linear, NEW, MORE)
    with pytest.raises(ValueError, match=r"no class for 1 of 4 documents: 'odd' \(1\)"):
        update(model, NEW, ["pos", "neg", "odd", "pos"])


def test_a_new_file_is_written_and_the_old_one_kept(run, saved, file, tmp_path):
    before, new = saved.read_bytes(), tmp_path / "new.quire"
    code, out, err = run("update", saved, file, "-o", new)
    assert code == 0, err
    assert out.startswith("Learned from 4 more documents; 1 of them have no word")
    assert saved.read_bytes() == before
    info = read_info(new)
    assert info.metadata["documents"] == 8
    assert info.scores == {}
    assert [one["documents"] for one in info.metadata["updates"]] == [4]
    code, out, _ = run("update", new, file, "-o", tmp_path / "third.quire", "--json")
    assert json.loads(out)["by_class"] == {"neg": 2, "pos": 2}
    assert read_info(tmp_path / "third.quire").metadata["documents"] == 12


def test_neither_the_model_nor_the_file_is_replaced(run, saved, file):
    for output in (saved, file):
        before = output.read_bytes()
        assert_failed(run("update", saved, file, "-o", output), "would be replaced")
        assert output.read_bytes() == before
