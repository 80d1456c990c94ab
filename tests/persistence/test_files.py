"""Model files: replaced whole or not at all, and what they say of themselves."""

import errno
import io
import os
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import quire
from quire import persistence
from quire.feature_extraction.text import CountVectorizer
from quire.linear_model import Ridge
from quire.naive_bayes import MultinomialNB
from quire.persistence import ModelFileError, ModelVersionWarning, _container, read_info

KILLED = """
import os, random, signal, sys, time
import numpy as np
import quire
from quire.linear_model import Ridge

path, rounds = sys.argv[1], int(sys.argv[2])
def model(value):
    numbers = np.full(300_000, value) + np.random.default_rng(0).normal(size=300_000)
    counts = np.full(300_000, int(value))
    return {"model": Ridge(alpha=value), "numbers": numbers, "counts": counts}

quire.save(model(1.0), path)
quire.load(path)
random.seed(0)
done = caught = 0
while done < rounds or (not caught and done < 20 * rounds):
    done += 1
    child = os.fork()
    if child == 0:
        for value in range(10_000):
            quire.save(model(value), path)
    time.sleep(random.uniform(0.02, 0.12))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    loaded = quire.load(path)
    assert (loaded["counts"] == loaded["model"].alpha).all()
    left = [name for name in os.listdir(os.path.dirname(path)) if ".tmp-" in name]
    assert len(left) <= 1, left
    caught += len(left)
print(done, caught)
quire.save(model(1.0), path)
"""


@pytest.fixture
def model():
    documents = ["good film", "bad film", "a good plot", "no plot"]
    return MultinomialNB().fit_text(documents, ["pos", "neg", "pos", "neg"]).to_pipeline()


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_save_returns_the_path_and_leaves_one_file(model, tmp_path):
    assert quire.save(model, str(tmp_path / "m.quire")) == tmp_path / "m.quire"
    assert files(tmp_path) == ["m.quire"]
    with zipfile.ZipFile(tmp_path / "m.quire") as archive:
        assert archive.testzip() is None
        assert archive.namelist()[0] == "mimetype"
        assert archive.namelist()[-1] == "manifest.json"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_any_moment_the_old_file_is_whole(tmp_path):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "m.quire"), "12"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    rounds, caught = map(int, done.stdout.split())
    assert rounds >= 12
    assert caught > 0  # some were killed while they wrote, and the next save tidied up
    assert files(tmp_path) == ["m.quire"]


@pytest.mark.parametrize("call", range(1, 6))
def test_a_full_disk(model, tmp_path, monkeypatch, call):
    path = quire.save(Ridge(alpha=7), tmp_path / "m.quire")
    real, calls = _container.write_payload, []

    def write(file, payload):
        calls.append(payload)
        if len(calls) == call:
            file.write(b"half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(file, payload)

    monkeypatch.setattr(_container, "write_payload", write)
    whole = {"model": model, "more": [np.arange(1000), np.arange(2000.0)]}
    with pytest.raises(OSError, match=r"m\.quire cannot be written: No space left") as caught:
        quire.save(whole, path)
    assert caught.value.errno == errno.ENOSPC
    assert "\n" not in str(caught.value)
    assert files(tmp_path) == ["m.quire"]
    assert quire.load(path).alpha == 7


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of the size of files")
def test_a_limit_of_the_system(tmp_path):
    import resource

    path = quire.save(Ridge(alpha=7), tmp_path / "m.quire")
    large = np.random.default_rng(0).normal(size=200_000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(OSError, match="cannot be written: File too large"):
            quire.save(large, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files(tmp_path) == ["m.quire"]
    assert quire.load(path).alpha == 7


def test_interrupted_by_hand(model, tmp_path, monkeypatch):
    path = quire.save(Ridge(alpha=7), tmp_path / "m.quire")

    def stop(file, payload):
        raise KeyboardInterrupt

    monkeypatch.setattr(_container, "write_payload", stop)
    with pytest.raises(KeyboardInterrupt):
        quire.save(model, path)
    assert files(tmp_path) == ["m.quire"]
    assert quire.load(path).alpha == 7


def test_temporary_files_of_others(model, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "m.quire.tmp-0123").write_bytes(b"abandoned")
    (tmp_path / "other.quire.tmp-0123").write_bytes(b"of another target")
    with (tmp_path / "m.quire.tmp-4567").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        quire.save(model, tmp_path / "m.quire")
        assert files(tmp_path) == ["m.quire", "m.quire.tmp-4567", "other.quire.tmp-0123"]


def test_many_savers_of_one_file(model, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: quire.save(model, tmp_path / "m.quire"), range(40)))
    assert quire.load(tmp_path / "m.quire").predict(["good"]) == ["pos"]
    assert files(tmp_path) == ["m.quire"]


def test_targets_that_are_no_files(model, tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; give the path of a file in it"):
        quire.save(model, tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        quire.save(model, tmp_path / "none" / "m.quire")
    if Path("/dev/full").exists():
        with pytest.raises(OSError, match="/dev/full is not a regular file"):
            quire.save(model, "/dev/full")
    assert files(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs rights and links of POSIX")
def test_rights_and_links_are_kept(model, tmp_path):
    path = quire.save(model, tmp_path / "m.quire")
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask
    path.chmod(0o640)
    (tmp_path / "link").symlink_to(path)
    quire.save(Ridge(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert isinstance(quire.load(path), Ridge)


def test_info(model, tmp_path):
    path = quire.save(
        model,
        tmp_path / "m.quire",
        scores={"accuracy": np.float64(0.9), "folds": np.array([0.8, np.nan])},
        settings={"alpha": 1, "grams": (1, 2)},
        metadata={"author": "Zoë", 3: None},
    )
    info = read_info(path)
    assert info.model == "sklearn.pipeline.Pipeline"
    assert info.parts[1:3] == (
        "quire.feature_extraction.text.CountVectorizer",
        "quire.feature_extraction.text.Vocabulary",
    )
    assert "quire.naive_bayes.MultinomialNB" in info.parts
    assert info.labels == ("neg", "pos")
    assert info.n_features == 5
    assert info.scores == {"accuracy": 0.9, "folds": [0.8, None]}
    assert info.settings == {"alpha": 1, "grams": [1, 2]}
    assert info.metadata == {"author": "Zoë", "3": None}
    assert info.versions["quire"] == quire.__version__
    assert info.versions["numpy"] == np.__version__
    assert timedelta(0) <= datetime.now(UTC) - info.created < timedelta(minutes=5)
    assert info.size == path.stat().st_size
    assert info.format == 1
    assert info.compact
    text = str(info)
    assert "accuracy = 0.9" in text
    assert "neg, pos" in text
    assert "MultinomialNB" in text


def test_file_objects(model, tmp_path):
    file = io.BytesIO()
    assert quire.save(model, file) is None
    file.seek(0)
    assert read_info(file).labels == ("neg", "pos")
    file.seek(0)
    assert quire.load(file).predict(["good"]) == ["pos"]
    with pytest.raises(ModelFileError, match=r"The file is not a model saved by quire.*is empty"):
        quire.load(file)
    with (tmp_path / "m.quire").open("wb") as opened:
        quire.save(model, opened)
    with (tmp_path / "m.quire").open("rb") as opened:
        assert quire.load(opened).predict(["bad"]) == ["neg"]
    for wrong in (io.StringIO(), 3, None):
        with pytest.raises(TypeError, match="path must be a path or a binary file object to write"):
            quire.save(model, wrong)
        with pytest.raises(TypeError, match="path must be a path or a binary file object to read"):
            quire.load(wrong)


def test_info_of_vectorizers_and_regressors(tmp_path):
    vectorizer = CountVectorizer().fit(["a few words"])
    info = read_info(quire.save(vectorizer, tmp_path / "v"))
    assert (info.labels, info.n_features) == ((), 2)
    info = read_info(quire.save(Ridge(), tmp_path / "r"))
    assert (info.labels, info.n_features) == ((), None)


@pytest.mark.parametrize("name", ["scores", "settings", "metadata"])
def test_what_is_kept_beside_must_be_plain(model, tmp_path, name):
    with pytest.raises(TypeError, match=rf"{name}\['a'\]\[1\] must be text, numbers"):
        quire.save(model, tmp_path / "m", **{name: {"a": [1, object()]}})
    with pytest.raises(TypeError, match=f"{name} must be a dictionary, got list"):
        quire.save(model, tmp_path / "m", **{name: [1]})
    assert files(tmp_path) == []


def test_another_scikit_learn_is_warned_of_only_if_it_matters(model, tmp_path, monkeypatch):
    path = quire.save(make_pipeline(MaxAbsScaler(), Ridge()), tmp_path / "m")
    own = quire.save(Ridge(), tmp_path / "own")
    monkeypatch.setattr(persistence._save, "version", lambda name: "1.99.3")
    with pytest.warns(ModelVersionWarning, match=r"parts of scikit-learn 1\..* and 1\.99\.3"):
        quire.load(path)
    quire.load(own)  # warnings are errors here


def test_equal_models_are_equal_members(model, tmp_path):
    contents = []
    for name in ("a", "b"):
        with zipfile.ZipFile(quire.save(model, tmp_path / name)) as archive:
            names = [name for name in archive.namelist() if name != "manifest.json"]
            contents.append({name: archive.read(name) for name in names})
    assert contents[0] == contents[1]


def test_names_of_the_package():
    assert quire.save is persistence.save
    assert quire.load is persistence.load
    assert {"load", "save"} <= set(dir(quire))
    with pytest.raises(AttributeError, match="no attribute 'safe'"):
        _ = quire.safe


def test_importing_quire_is_light():
    code = "import sys, quire; assert not {'numpy', 'sklearn'} & set(sys.modules); quire.save"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
