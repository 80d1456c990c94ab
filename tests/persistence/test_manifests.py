"""What a file says of its model, and what its model is: they have to agree."""

import io

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.forged_files import rebuilt

import quire
from quire.feature_extraction.text import CountVectorizer
from quire.linear_model import LogisticRegression, Ridge
from quire.naive_bayes import MultinomialNB
from quire.persistence import ModelFileError, read_info

FILE = io.BytesIO()
quire.save(
    make_pipeline(CountVectorizer(), MultinomialNB()).fit(["good film", "bad film"], ["a", "b"]),
    FILE,
)


def with_entries(**entries):
    def change(parts):
        for name, value in entries.items():
            if value is None:
                del parts.manifest[name]
            else:
                parts.manifest[name] = value

    return io.BytesIO(rebuilt(FILE.getvalue(), change))


def test_the_file_is_sound():
    assert quire.load(with_entries()).predict(["good"]) == ["a"]
    info = read_info(with_entries())
    assert info.labels == ("a", "b")
    assert info.n_features == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", "quire.naive_bayes.MultinomialNB"),
        ("model", "quire.linear_model.Ridge"),
        ("parts", []),
        ("parts", ["sklearn.pipeline.Pipeline"]),
        ("parts", ["quire.linear_model.Ridge"]),
        ("labels", ["good", "bad"]),
        ("labels", ["b", "a"]),
        ("labels", ["a", "b", "c"]),
        ("labels", [["a", "b"]]),
        ("n_features", 4),
        ("n_features", 0),
    ],
)
def test_a_manifest_of_another_model(name, value):
    with pytest.raises(ModelFileError, match=f"manifest says other {name} than"):
        quire.load(with_entries(**{name: value}))


def test_parts_are_compared_in_order():
    parts = list(read_info(with_entries()).parts)
    with pytest.raises(ModelFileError, match="other parts"):
        quire.load(with_entries(parts=[parts[0], *parts[:0:-1]]))
    with pytest.raises(ModelFileError, match="other parts"):
        quire.load(with_entries(parts=[*parts, "sklearn.preprocessing.MaxAbsScaler"]))


def test_what_is_not_said_is_not_wrong():
    assert quire.load(with_entries(labels=[])).predict(["good"]) == ["a"]


@pytest.mark.parametrize("model", [None, {"a": 1}, [1, 2], 3.5], ids=repr)
def test_files_without_a_class(model):
    file = io.BytesIO()
    quire.save(model, file)
    file.seek(0)
    assert read_info(file).parts == ()
    file.seek(0)
    assert quire.load(file) == model


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", True),
        ("format", 1.0),
        ("format", "1"),
        ("model", 3),
        ("model", None),
        ("parts", "abc"),
        ("parts", [1]),
        ("parts", {"a": 1}),
        ("labels", "ab"),
        ("labels", [{"a": 1}]),
        ("labels", [["a"], "b"]),
        ("n_features", -1),
        ("n_features", 3.0),
        ("n_features", True),
        ("n_features", "3"),
        ("scores", []),
        ("settings", 1),
        ("metadata", "a"),
        ("versions", {}),
        ("versions", {"python": "3", "quire": 1, "numpy": "2", "scipy": "1", "scikit_learn": "1"}),
        ("created", "yesterday"),
        ("created", 5),
        ("compact", 1),
        ("signature", "ok"),
    ],
)
def test_entries_of_another_type(name, value):
    for read in (quire.load, read_info):
        with pytest.raises(
            ModelFileError, match=r"incomplete manifest|format .* not known"
        ) as caught:
            read(with_entries(**{name: value}))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "receipt",
    [None, 3, {}, {"size": 1}, {"size": "1", "sha256": "a"}, {"size": -1, "sha256": "a"},
     {"size": True, "sha256": "a"}, {"size": 1, "sha256": "a", "more": 1}],
    ids=repr,
)  # fmt: skip
def test_receipts(receipt, tmp_path):
    import hashlib
    import json
    import zipfile

    with zipfile.ZipFile(FILE) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest["members"]["model.json"] = receipt
    members["manifest.json"] = json.dumps(manifest).encode()
    path = tmp_path / "m"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        digest = hashlib.sha256(members["manifest.json"]).hexdigest()
        archive.comment = f"quire model, manifest sha256 {digest}".encode()
    with pytest.raises(ModelFileError, match="are not sizes and checksums"):
        quire.load(path)


def test_names_and_versions_of_a_file_stay_on_one_short_line(tmp_path):
    path = tmp_path / "m"
    path.write_bytes(with_entries(format=9, versions={"quire": "9\n\x1b[31m" + "x" * 9000}).read())
    with pytest.raises(ModelFileError, match="written by quire a later one in format 9") as caught:
        quire.load(path)
    assert str(caught.value).isprintable()

    def change(parts):
        parts.tree = {"t": "function", "name": "a\n\x1b[31m" + "x" * 9000}

    with pytest.raises(ModelFileError, match="is not on the list") as caught:
        quire.load(io.BytesIO(rebuilt(FILE.getvalue(), change)))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


def test_labels_of_many_kinds_are_those_of_the_model():
    X = np.random.default_rng(0).normal(size=(30, 2))
    up = X[:, 0] > 0
    for y in (
        up,
        up.astype(np.int8),
        np.where(up, 1.0, 2.0),
        np.where(up, "ä", "b").astype(object),
    ):
        file = io.BytesIO()
        quire.save(LogisticRegression().fit(X, y), file)
        file.seek(0)
        assert len(read_info(file).labels) == 2
        file.seek(0)
        assert quire.load(file).predict(X).shape == (30,)
    file = io.BytesIO()
    quire.save(Ridge().fit(X, X[:, 0]), file)
    file.seek(0)
    assert quire.load(file).coef_.shape == (2,)


@pytest.mark.parametrize("said", ["of my own", {"by": "me"}, ["x"], None])
def test_provenance_of_the_owner_is_no_provenance(said):
    file = io.BytesIO()
    quire.save(Ridge(), file, metadata={"provenance": said})
    file.seek(0)
    assert read_info(file).provenance is None
    file.seek(0)
    assert isinstance(quire.load(file), Ridge)


def test_forged_provenance_is_refused_and_does_no_harm():
    file = io.BytesIO()
    forged = {"format": 1, "command": "quire fit a.csv", "inputs": [{"role": "x"}]}
    quire.save(Ridge(), file, metadata={"provenance": forged})
    file.seek(0)
    info = read_info(file)
    with pytest.raises(ModelFileError, match="inputs of provenance"):
        _ = info.provenance
    assert "Ridge" in str(info)
    file.seek(0)
    assert isinstance(quire.load(file), Ridge)
