"""Files from elsewhere: what is no whole model is one clear error, and nothing in a file is run."""

import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest

import quire
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.linear_model import Ridge
from quire.naive_bayes import MultinomialNB
from quire.persistence import ModelFileError, _account, _container, read_info


class Evil:
    def __reduce__(self):
        return exec, ("import os; os.environ['QUIRE_RAN'] = '1'",)


@pytest.fixture
def path(tmp_path):
    documents = ["good film", "bad film"]
    model = MultinomialNB().fit_text(documents, ["pos", "neg"]).to_pipeline()
    return quire.save(model, tmp_path / "m.quire")


def forge(path, tree=None, edit=None, **arrays):
    """Write a file with right checksums around another tree."""
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        found = {name: archive.read(name) for name in manifest["members"]}
    if tree is None:
        tree = json.loads(found["model.json"])
    if edit is not None:
        edit(tree)
    members = {**found, **{f"arrays/{name}.npy": array for name, array in arrays.items()}}
    members["model.json"] = json.dumps(tree).encode()
    with path.open("w+b") as file:
        _container.write_container(file, members, {**manifest, "format": manifest["format"]})
    return path


def assert_refused(path, match):
    with pytest.raises(ModelFileError, match=match) as caught:
        quire.load(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message


def zipped(name, content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "it is empty"),
        (pickle.dumps(Ridge()), "looks like a pickle, which can run code"),
        (b"text,label\na,b\n", r"it starts with b'text,label"),
        (os.urandom(3000).replace(b"\x80", b"a"), "is not a model saved by quire"),
        (zipped("word/document.xml", "<w/>" * 99), "it is another zip archive"),
        (b"PK", "is not a model saved by quire"),
        (b"\x93NUMPY\x01\x00", "is not a model saved by quire"),
    ],
)
def test_files_of_other_programs(tmp_path, content, match):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    assert_refused(path, match)
    with pytest.raises(ModelFileError, match=match):
        read_info(path)


def test_missing_files_and_folders(tmp_path):
    for read in (quire.load, read_info):
        with pytest.raises(FileNotFoundError, match=r"none\.quire does not exist"):
            read(tmp_path / "none.quire")
        with pytest.raises(IsADirectoryError, match="is a folder, not a model file"):
            read(tmp_path)


def test_every_truncation(path):
    content = path.read_bytes()
    for size in range(1, len(content), 7):
        path.write_bytes(content[:size])
        with pytest.raises(ModelFileError, match=r"truncated or damaged|is not a model"):
            quire.load(path)


def test_flipped_bytes(path):
    content = path.read_bytes()
    expected = quire.load(path).predict_proba(["good", "bad plot"]).tobytes()
    rng = np.random.default_rng(0)
    refused = 0
    for place in rng.choice(len(content), 400, replace=False):
        damaged = bytearray(content)
        damaged[place] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        try:
            loaded = quire.load(path)
        except ModelFileError:
            refused += 1
        else:  # the date of a member, say
            assert loaded.predict_proba(["good", "bad plot"]).tobytes() == expected
    assert refused > 200


def test_a_damaged_member_is_named(tmp_path):
    numbers = np.random.default_rng(0).normal(size=1000)
    path = quire.save([Ridge(), numbers], tmp_path / "m")
    content = path.read_bytes()
    place = content.index(numbers.tobytes()[:64])
    path.write_bytes(content[:place] + b"\x00" * 8 + content[place + 8 :])
    assert_refused(path, r"arrays/0.npy|Bad CRC")


def test_checksums_are_compared(path):
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
        comment = archive.comment
    changed = contents["model.json"].replace(b"alpha", b"alpho")
    assert changed != contents["model.json"]
    contents["model.json"] = changed
    with zipfile.ZipFile(path, "w") as archive:  # a whole archive of the same sizes
        for name, content in contents.items():
            archive.writestr(name, content)
        archive.comment = comment
    assert_refused(path, "model.json is damaged: it does not have the checksum")


def test_members_must_be_those_of_the_manifest(path):
    with zipfile.ZipFile(path, "a") as archive:
        comment = archive.comment
        archive.writestr("extra", b"")
        archive.comment = comment
    assert_refused(path, "members of the archive are not those of its manifest")


def test_a_newer_format(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(_container, "FORMAT", 9)
        path = quire.save(Ridge(), tmp_path / "m")
    match = rf"written by quire {quire.__version__} in format 9; this quire reads formats up to 1"
    assert_refused(path, match)
    with pytest.raises(ModelFileError, match=match):
        read_info(path)


@pytest.mark.parametrize(
    "name",
    [
        "builtins.eval",
        "os.system",
        "subprocess.Popen",
        "quire.cli.main",
        "quire.cli._show.Table",
        "quire._shared.replaced_file.Path",
        "quire.io.read_corpus",
        "quire._core.text.TextLookup",
        "quire.feature_extraction.text.os.system",
        "numpy.fromfile",
        "sklearn.linear_model",
        "sklearn.datasets.load_files",
        "sklearn.pipeline.joblib",
        "",
        ".",
        7,
    ],
)
def test_names_that_are_not_allowed(path, name):
    for node in (
        {"t": "object", "class": name, "state": {}},
        {"t": "function", "name": name},
        {"t": "class", "name": name},
        {"t": "enum", "class": name, "name": "A"},
    ):
        assert_refused(forge(path, node), "is not on the list|where a name belongs")


@pytest.mark.parametrize(
    "node",
    [
        {"t": "unknown"},
        {"t": "type", "name": "builtins.eval"},
        {"t": "ref", "id": 3},
        {"t": "list", "items": {"t": "strings", "text": "arrays/none.npy", "lengths": "x"}},
        {"t": "dtype", "text": "O"},
        {"t": "sparse", "kind": "issparse", "shape": [1], "parts": {}},
        {"t": "random", "kind": "RandomState", "state": {"t": "dict", "keys": [], "values": []}},
        {"t": "array", "dtype": "O", "shape": [1], "order": "C", "base64": "AAAAAAAAAAA="},
        {"t": "array", "dtype": "<f8", "shape": [9], "order": "C", "base64": "AAAAAAAAAAA="},
        {"t": "enum", "class": "quire.linear_model.Ridge", "name": "A"},
        {"t": "object", "class": "quire.linear_model.Ridge", "state": {"predict": 1}},
        {"t": "object", "class": "quire.linear_model.Ridge", "state": {"__class__": 1}},
        {"t": "object", "class": "quire.linear_model.Ridge"},
        [1, 2],
        [[[[]]]],
    ],
)
def test_trees_that_make_no_sense(path, node):
    with pytest.raises(ModelFileError, match=str(path)):
        quire.load(forge(path, node))


def test_a_deep_tree(path):
    node = "0"
    for _ in range(5000):
        node = f'{{"t":"list","items":[{node}]}}'
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    with path.open("w+b") as file:
        _container.write_container(file, {"model.json": node.encode()}, manifest)
    assert_refused(path, "RecursionError|deeper than 100 nodes")


def test_arrays_of_objects_are_not_unpickled(path, monkeypatch):
    monkeypatch.delenv("QUIRE_RAN", raising=False)
    content = io.BytesIO()
    np.save(content, np.array([Evil()], dtype=object), allow_pickle=True)
    forge(path, {"t": "array", "member": "arrays/99.npy"}, **{"99": content.getvalue()})
    assert_refused(path, "array of Python objects, which could hold code")
    assert "QUIRE_RAN" not in os.environ
    content.seek(0)
    np.load(content, allow_pickle=True)
    assert os.environ["QUIRE_RAN"] == "1"  # so the file was dangerous


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("word_offsets", np.array([0, 3, 1 << 40])),
        ("word_offsets", np.array([0, 5, 3])),
        ("word_offsets", np.array([0.0, 1.0])),
        ("width", 2),
        ("words", np.zeros(2, dtype=np.uint8)),
        ("document_frequency", np.zeros(99, dtype=np.int64)),
    ],
)
@pytest.mark.parametrize("cls", [CountVectorizer, TfidfVectorizer])
def test_vocabularies_that_point_outside(tmp_path, cls, name, value):
    vectorizer = cls().fit(["good film"])
    path = quire.save(vectorizer, tmp_path / "m")
    encoder = quire.persistence._encode.Encoder(quire.persistence._registry.Registry(), True)
    node = encoder.encode(value)

    def edit(tree):
        tree["state"]["_vocabulary"]["state"]["terms"]["state"][name] = node

    assert_refused(forge(path, edit=edit), r"NativeTerms(:|\.)")


@pytest.mark.parametrize(
    "grams",
    [
        [0, -1, 1, -1, 0, 77],
        [-1, 0, 1, -1, 0, 1],  # no first word: the kernel would look for it
        [-1, -1, 1, -1, 0, 1],
        [0, -2, 1, -1, 0, 1],
    ],
)
def test_grams_that_point_outside(tmp_path, grams):
    path = quire.save(CountVectorizer(ngram_range=(1, 2)).fit(["good film"]), tmp_path / "m")
    grams = np.array(grams, dtype=np.int32)
    encoder = quire.persistence._encode.Encoder(quire.persistence._registry.Registry(), True)
    node = encoder.encode(grams)

    def edit(tree):
        tree["state"]["_vocabulary"]["state"]["terms"]["state"]["grams"] = node

    assert_refused(forge(path, edit=edit), "grams are not numbers of 2 words")


@pytest.mark.parametrize("key", ["versions", "parts", "labels", "created"])
@pytest.mark.parametrize("value", [None, 3])
def test_manifests_that_lack_something(path, key, value):
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        tree = archive.read("model.json")
    with path.open("w+b") as file:
        _container.write_container(file, {"model.json": tree}, {**manifest, key: value})
    assert_refused(path, "has an incomplete manifest")


def test_an_archive_that_would_fill_the_memory(path, monkeypatch):
    zeros = np.zeros(3_000_000, dtype=np.uint8)
    quire.save({"zeros": zeros}, path)
    assert quire.load(path)["zeros"].size == 3_000_000
    monkeypatch.setattr(_account, "_ALWAYS", 1 << 20)
    assert_refused(path, "would unpack to .*, as no model does")


def test_what_shrinks_too_much_is_not_compressed(tmp_path, monkeypatch):
    monkeypatch.setattr(_account, "_ALWAYS", 1 << 20)
    path = quire.save([Ridge(), np.zeros(1_000_000)], tmp_path / "m")
    assert path.stat().st_size > 8_000_000
    assert quire.load(path)[1].shape == (1_000_000,)
