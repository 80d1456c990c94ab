"""``quire align``: maps, their precision, translations, saved maps, and what goes wrong."""

import json
import re

import numpy as np
import polars as pl
import pytest

from quire.alignment import VectorMap, WordVectors, compare_maps


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two spaces that differ by a rotation and some noise, in files of two kinds."""
    path = tmp_path_factory.mktemp("align")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 10)).astype(np.float32)
    turn = np.linalg.qr(rng.normal(size=(10, 10)))[0]
    Y = (X @ turn + 0.3 * rng.normal(size=X.shape)).astype(np.float32)
    WordVectors([f"s{i}" for i in range(150)], X).save(path / "s.vec")
    WordVectors([f"t{i}" for i in range(150)], Y).save(path / "t.parquet")
    both = [*(f"c{i}" for i in range(60)), *(f"k{i}" for i in range(60))]
    WordVectors(both, np.vstack([X[:60], (X[:60] @ turn).astype(np.float32)])).save(
        path / "both.npy"
    )
    lines = [f"s{i} t{i}" for i in range(90)]
    (path / "pairs.txt").write_text("\n".join(lines) + "\n")
    (path / "more.csv").write_text("source,target\n" + "s100,t100\ns101,t101\nzz,t3\n")
    (path / "within.csv").write_text("\n".join(f"c{i},k{i}" for i in range(45)))
    return path


def basic(folder, *more):
    return ["align", folder / "s.vec", folder / "t.parquet", "--pairs", folder / "pairs.txt", *more]


def test_precision_is_shown(run, folder):
    code, out, err = run(*basic(folder))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "150 words of 10 dimensions, 60 pairs to learn from, 30 to judge by"
    assert lines[2].split() == ["method", "retrieval", "P@1", "P@5", "P@10"]
    assert lines[3].split()[:2] == ["orthogonal", "csls"]
    assert float(lines[3].split()[4]) > 0.9
    assert lines[5] == "Some words that were held out"
    assert lines[7].split() == ["word", "found", "right"]
    assert "\x1b" not in out


def test_all_methods_are_those_of_the_library(run, folder):
    code, out, err = run(*basic(folder, "--method", "all", "--json", "--seed", 3))
    assert (code, err) == (0, "")
    found = json.loads(out)
    source = WordVectors.load(folder / "s.vec")
    target = WordVectors.load(folder / "t.parquet")
    pairs = [(f"s{i}", f"t{i}") for i in range(90)]
    expected = compare_maps(source, target, pairs, random_state=3, test_share=0.3333)
    assert found["scores"] == expected.to_frame().drop("seconds").to_dicts()
    assert found["best"]["method"] == expected.best.method
    assert len(found["held_out"]) == 30
    assert found["settings"]["seed"] == 3
    shown = run(*basic(folder, "--method", "all", "--seed", 3))[1]
    assert shown.count("best") == 1
    again = run(*basic(folder, "--method", "all", "--json", "--seed", 3, "--threads", 1))[1]
    assert again == out


def test_words_are_translated_by_a_map_of_all_pairs(run, folder):
    code, out, _ = run(*basic(folder, "--words", "s120, s7", "-k", 2, "--json"))
    assert code == 0
    found = json.loads(out)["translations"]
    source = WordVectors.load(folder / "s.vec")
    target = WordVectors.load(folder / "t.parquet")
    model = VectorMap().fit(source, target, [(f"s{i}", f"t{i}") for i in range(90)])
    listed = model.translate(["s120", "s7"], k=2)
    for one, near in zip(found, listed, strict=True):
        assert [item["word"] for item in one["found"]] == [word for word, _ in near]
        np.testing.assert_allclose([item["score"] for item in one["found"]], [s for _, s in near])
    shown = run(*basic(folder, "--words", "s120"))[1]
    assert f"s120  {listed[0][0][0]} {listed[0][0][1]:.3f}, " in shown


def test_test_pairs_and_missing_words(run, folder):
    code, out, err = run(*basic(folder, "--test-pairs", folder / "more.csv", "--json"))
    assert code == 0
    assert err == "quire: 1 word of the pairs has no vector in s.vec and is left out: zz\n"
    found = json.loads(out)
    assert (found["train_pairs"], found["test_pairs"]) == (90, 2)
    assert found["missing"] == {"source": ["zz"], "target": []}
    _, _, err = run(*basic(folder, "--limit", 80))
    assert "10 words of the pairs have no vector in s.vec and are left out: s80, s81" in err
    assert "s87 and 2 more" in err


def test_files_are_written_and_a_saved_map_translates(run, folder, tmp_path):
    paths = {name: tmp_path / name for name in ("m.quire", "a.csv", "r.html")}
    code, out, err = run(
        *basic(folder, "--model", paths["m.quire"], "--translate-all", paths["a.csv"]),
        *("--report", paths["r.html"], "--retrieval", "nearest", "--words", "s3", "--json"),
    )
    assert code == 0
    assert err.count("quire: wrote") == 3
    table = pl.read_csv(paths["a.csv"])
    assert table.columns == ["word", "rank", "found", "score"]
    assert table.height == 150 * 5
    own = json.loads(out)["translations"][0]["found"]
    assert table.filter(pl.col("word") == "s3")["found"].to_list() == [o["word"] for o in own]
    saved = json.loads(run("align", paths["m.quire"], "--words", "s3", "--json")[1])
    assert saved["retrieval"] == "nearest"
    assert saved["translations"][0]["found"] == own
    page = paths["r.html"].read_text(encoding="utf-8")
    assert "A map from s.vec to t.parquet" in page
    assert "chart-after" in page
    code, out, _ = run("inspect", paths["m.quire"])
    assert code == 0
    assert "Map from s.vec to t.parquet" in out
    assert "precision@1" in out
    assert run("align", paths["m.quire"], "--translate-all", tmp_path / "b.ndjson")[0] == 0
    assert pl.read_ndjson(tmp_path / "b.ndjson").height == 750


def test_pairs_within_one_file(run, folder, tmp_path):
    arguments = ["align", folder / "both.npy", folder / "both.npy"]
    arguments += ["--pairs", folder / "within.csv", "--no-normalize", "--method", "least_squares"]
    path = tmp_path / "m.quire"
    code, out, _ = run(*arguments, "--words", "c50", "--json", "--model", path)
    assert code == 0
    found = json.loads(out)
    assert found["train_pairs"] == 30
    words = [one["word"] for one in found["translations"][0]["found"]]
    assert "c50" not in words
    assert "k50" in words
    again = json.loads(run("align", path, "--words", "c50", "--json")[1])
    assert [one["word"] for one in again["translations"][0]["found"]] == words


def test_refinement_and_centring(run, folder):
    code, out, _ = run(*basic(folder, "--refine", 2, "--center", "--json"))
    assert code == 0
    found = json.loads(out)
    assert len(found["dictionary_sizes"]) > 1
    assert found["dictionary_sizes"][-1] > 60
    assert found["settings"]["center"] is True
    assert "Refined " in run(*basic(folder, "--refine", 2))[1]


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--method", "best"], 2, "expected one of orthogonal"),
        (["--retrieval", "cosine"], 2, "expected csls, nearest or both"),
        (["--test-share", "1.5"], 2, "expected a share between 0 and 1"),
        (["--words", "S2"], 1, "'S2' is not among the 150 words; close to it are 's2'"),
        (["--translate-all", "x.html"], 2, "should end in .csv"),
    ],
)
def test_wrong_use(run, folder, more, code, message):
    found, out, err = run(*basic(folder, *more))
    assert (found, out) == (code, "")
    assert message in err


def test_wrong_files(run, folder, tmp_path):
    code, _, err = run("align", folder / "s.vec", folder / "t.parquet")
    assert code == 2
    assert "expected SOURCE, TARGET and --pairs FILE" in err
    code, _, err = run("align", "no.vec", folder / "t.parquet", "--pairs", folder / "pairs.txt")
    assert code == 1
    assert "no.vec is not there" in err
    code, _, err = run("align", folder / "t.parquet", folder / "s.vec", "--pairs", "none.txt")
    assert code == 1
    assert "none.txt" in err
    code, _, err = run(
        "align", folder / "t.parquet", folder / "s.vec", "--pairs", folder / "pairs.txt"
    )
    assert code == 1
    assert "None of the 90 pairs (s0 t0" in err
    code, _, err = run(*basic(folder, "--model", tmp_path / "m.quire"))
    assert code == 0
    code, _, err = run("align", tmp_path / "m.quire")
    assert code == 2
    assert "nothing to translate" in err
    code, _, err = run("align", tmp_path / "m.quire", folder / "s.vec")
    assert code == 2
    assert "is a map already" in err
    code, _, err = run("neighbors", tmp_path / "m.quire", "word")
    assert code == 1
    assert "holds a VectorMap" in err


@pytest.mark.parametrize("columns", [46, 80])
def test_reading_is_counted_on_a_terminal(run, folder, monkeypatch, columns):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes standard error for a terminal
    monkeypatch.setenv("COLUMNS", str(columns))
    plain = folder / "plain [en] of a long name.txt"
    WordVectors.load(folder / "s.vec").save(plain, format="glove")
    _, _, err = run(*basic(folder, "--limit", 120))
    assert "Reading s.vec" in err
    assert "120/120" in err
    (folder / "own.csv").write_text("\n".join(f"s{i},s{i + 1}" for i in range(40)))
    _, _, err = run("align", plain, plain, "--pairs", folder / "own.csv")
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", err).splitlines()
    bar = [line.split("\r")[-1] for line in shown if "150" in line][-1]
    assert len(bar) <= columns
    assert "Reading plain [en] of " in bar
    assert ("…" in bar) is (columns == 46)
    assert bar.split("━")[-1].split()[0] == "150"  # the file does not say how many there are


def test_words_without_a_vector_are_said_and_the_others_translated(run, folder):
    code, out, err = run(*basic(folder, "--words", "s3,S2,nothing-like-it", "--json"))
    assert code == 0
    assert [one["word"] for one in json.loads(out)["translations"]] == ["s3"]
    assert "quire: --words: 'S2' is not among the 150 words; close to it are 's2'; left out" in err
    assert "'nothing-like-it' is not among the 150 words" in err
