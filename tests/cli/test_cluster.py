"""``quire cluster`` and ``quire map``: what they find, what is written, and what goes wrong."""

import json
import sys

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.helpers.cli import assert_failed

import quire
from quire.cli.cluster import _numbers
from quire.persistence import read_info

PETS = ["cat dog paw", "dog fur cat tail", "paw tail dog"]
LAWS = ["tax vote law", "law court tax judge", "vote judge court"]
FOOD = ["bread cheese wine", "wine olive bread", "cheese olive soup"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A third of the documents each about pets, law and food; the last two have no words."""
    rng = np.random.default_rng(0)
    kinds = {"pets": PETS, "law": LAWS, "food": FOOD}
    rows = []
    for number in range(148):
        name = list(kinds)[number % 3]
        text = " ".join(rng.choice(kinds[name], 4)) + " the [bold] naïve"
        rows.append((number, text, name, f"2024-{1 + number % 12:02d}-15", number / 10))
    rows += [(148, "", "law", "2024-01-01", None), (149, "🎉 !", None, "2024-01-02", 1.0)]
    table = pl.DataFrame(rows, schema=["id", "text", "kind", "date", "size"], orient="row")
    path = tmp_path_factory.mktemp("clusters") / "corpus.parquet"
    table.write_parquet(path)
    return path


def cluster(corpus, *more):
    return ["cluster", corpus, "--text", "text", "-k", 3, *more]


def in_map(corpus, *more):
    return ["map", corpus, "--text", "text", *more]


def test_clusters_are_found_and_shown_plainly(run, corpus):
    code, out, err = run(*cluster(corpus, "--label", "kind", "--missing", "empty"))
    assert (code, err) == (0, "quire: some labels are missing (null) in column 'kind'\n")
    lines = out.splitlines()
    assert lines[0].startswith("150 documents, 15 terms, 3 clusters (as asked for), ")
    assert lines[2].startswith("Terms in 2 or more documents and in at most 50% of them")
    assert lines[4].split() == "cluster documents share kind terms central document".split()
    assert {line.split()[3] for line in lines[5:8]} == {"pets", "law", "food"}
    assert [int(line.split()[1]) for line in lines[5:8]] == [50, 49, 49]
    assert "adjusted Rand 1.000" in lines[-2]
    assert "purity 1.000" in lines[-2]
    assert "2 documents have no term that counts, and so no cluster." in lines[-1]
    assert "\x1b" not in out


def test_json_has_all_of_it_and_the_same_bits_again(run, corpus):
    arguments = ["cluster", corpus, "--text", "text", "-k", "2-4,6", "--json", "--label", "kind"]
    code, out, _ = run(*arguments, "--jobs", 1)
    assert code == 0
    found = json.loads(out)
    again = json.loads(run(*arguments, "--threads", 3)[1])
    assert {**found, "seconds": 0} == {**again, "seconds": 0}
    assert [one["n_clusters"] for one in found["tried"]] == [2, 3, 4, 6]
    assert len(found["clusters"]) == 3
    assert found["chosen"] == "the largest silhouette of 2, 3, 4, 6"
    values = {one["n_clusters"]: one["silhouette"] for one in found["tried"]}
    assert max(values, key=values.get) == 3
    assert values[3] == found["silhouette"]
    inertia = [one["inertia"] for one in found["tried"]]
    assert inertia == sorted(inertia, reverse=True)
    assert found["empty"] == 2
    assert sum(one["documents"] for one in found["clusters"]) == 148
    assert found["agreement"]["adjusted_rand"] == pytest.approx(1)
    assert found["agreement"]["documents"] == 148
    text = pl.read_parquet(corpus)["text"][found["clusters"][0]["central_row"]]
    assert found["clusters"][0]["central"] == text


def test_what_was_tried_is_shown(run, corpus):
    out = run("cluster", corpus, "--text", "text", "--clusters", "2,3,5")[1]
    tried = [line.split() for line in out.splitlines()[4:8]]
    assert tried[0] == ["clusters", "inertia", "silhouette", "smallest"]
    assert [line[0] for line in tried[1:]] == ["2", "3", "5"]
    assert tried[2][-1] == "taken"


def test_the_number_by_default(run, corpus):
    out = run("cluster", corpus, "--text", "text")[1]
    assert "9 clusters (a rule of thumb for 148 documents)" in out


def test_numbers_are_read():
    assert _numbers("20") == [20]
    assert _numbers("5, 2") == [2, 5]
    assert _numbers("2-200")[0] == 2
    assert _numbers("2-200")[-1] == 200
    assert len(_numbers("2-200")) == 12


def test_files_are_written_and_a_saved_model_gives_clusters(run, corpus, tmp_path):
    paths = {name: tmp_path / name for name in ("r.html", "m.quire", "d.parquet")}
    options = ["--report", paths["r.html"], "--model", paths["m.quire"], "--label", "kind"]
    code, _, err = run(*cluster(corpus, *options, "--documents-out", paths["d.parquet"]))
    assert code == 0
    assert err.count("quire: wrote") == 3
    page = paths["r.html"].read_text(encoding="utf-8")
    assert "Clusters of corpus.parquet" in page
    assert "Adjusted Rand index" in page
    table = pl.read_parquet(paths["d.parquet"])
    assert table.columns == ["row", "id", "kind", "date", "size", "cluster", "distance"]
    assert table["cluster"][-2:].to_list() == table["distance"][-2:].to_list() == [None, None]
    assert adjusted_rand_score(table["kind"][:148], table["cluster"][:148]) == 1
    assert table["distance"][:148].is_between(0, 1).all()

    code, out, _ = run("predict", paths["m.quire"], corpus, "--batch", 40)
    assert code == 0
    (tmp_path / "p.csv").write_text(out, encoding="utf-8")
    found = pl.read_csv(tmp_path / "p.csv")
    assert found.columns[-2:] == ["cluster", "distance"]
    assert found["cluster"].to_list() == table["cluster"].to_list()
    np.testing.assert_allclose(found["distance"][:148], table["distance"][:148], atol=1e-12)
    model = quire.load(paths["m.quire"])
    assert model.predict(["a dog and a cat"])[0] == table["cluster"][0]


@pytest.mark.parametrize("suffix", ["csv", "ndjson"])
def test_other_tables(run, corpus, tmp_path, suffix):
    path = tmp_path / f"d.{suffix}"
    assert run(*cluster(corpus, "--documents-out", path))[0] == 0
    table = pl.read_csv(path) if suffix == "csv" else pl.read_ndjson(path)
    assert table["cluster"].null_count() == 2


def test_the_card_of_clusters(run, corpus, tmp_path):
    path = tmp_path / "m.quire"
    assert run(*cluster(corpus, "--save", path, "--label", "kind"))[0] == 0
    code, out, _ = run("inspect", path, "--top", 3)
    assert code == 0
    for part in ("3 clusters", "150 documents of corpus.parquet", "mean silhouette"):
        assert part in out
    assert "adjusted Rand 1.000 with kind" in out
    card = json.loads(run("inspect", path, "--json", "--top", 2)[1])
    assert [one["documents"] for one in card["clusters"]] == [50, 49, 49]
    assert all(len(one["terms"]) == 2 for one in card["clusters"])
    assert card["top_evidence"] == {}
    assert read_info(path).metadata["task"] == "clusters"
    plain = tmp_path / "plain.quire"
    quire.save(quire.cluster.KMeans(2).fit(np.eye(4)), plain)
    assert run("inspect", plain)[0] == 0
    assert run("inspect", path, "--top", 0)[0] == 0


def test_words_and_distances_are_chosen(run, corpus, tmp_path):
    (tmp_path / "stop.txt").write_text("cat\ndog\n")
    options = ["--metric", "euclidean", "--starts", 1, "--stop-words", tmp_path / "stop.txt"]
    found = json.loads(run(*cluster(corpus, "--json", "--ngrams", "1,2", *options))[1])
    terms = {term for one in found["clusters"] for term in one["terms"]}
    assert found["metric"] == "euclidean"
    assert not {"cat", "dog"} & terms
    assert found["settings"]["ngrams"] == [1, 2]


def test_more_clusters_than_different_documents(run, tmp_path):
    path = tmp_path / "same.csv"
    pl.DataFrame({"text": ["cat dog", "law tax"] * 4}).write_csv(path)
    code, out, err = run("cluster", path, "--text", "text", "-k", 4)
    assert code == 0
    assert "smaller than n_clusters" in err
    assert "2 of 4 clusters have no documents" in out
    one = tmp_path / "one.csv"
    pl.DataFrame({"text": ["cat dog"]}).write_csv(one)
    assert (
        "1 document, 2 terms, 1 cluster (a rule of thumb for 1 document)"
        in run("cluster", one, "--text", "text", "--max-df", "1.0")[1]
    )


def test_a_map_of_a_file(run, corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_map = in_map(corpus, "--layout", "pca", "--label", "kind", "--label", "date")
    code, out, err = run(*run_map)
    assert code == 0
    assert err == "quire: wrote corpus-map.html\n"
    lines = out.splitlines()
    assert lines[0].startswith("150 documents, 2 without words, 15 terms; two axes with ")
    assert lines[4].split() == ["axis", "variance", "end", "terms"]
    assert [line.split()[0] for line in lines[5:9]] == ["x", "right", "y", "upper"]
    first, second = (set(line.split()[-3:]) for line in lines[5:7])
    kinds = [set(" ".join(kind).split()) for kind in (PETS, LAWS, FOOD)]
    assert any(first <= kind for kind in kinds)
    assert not first & second
    page = (tmp_path / "corpus-map.html").read_text(encoding="utf-8")
    assert "Map of corpus.parquet" in page
    assert "the [bold] naïve</td>" in page  # a document at the end of an axis
    assert "the [bold] na\\u00efve" in page  # what the script reads is ASCII


def test_what_a_map_is_coloured_by(run, corpus, tmp_path):
    page = tmp_path / "m.html"
    options = ["--label", "id", "--label", "kind", "--by", "date", "--by", "size"]
    assert run(*in_map(corpus, "-o", page, *options))[0] == 0
    text = page.read_text(encoding="utf-8")
    found = json.loads(text.split('id="map-data">')[1].split("</script>")[0])
    kinds = [(one["name"], one["kind"]) for one in found["colours"]]
    assert kinds == [
        ("id", "groups"),
        ("kind", "groups"),
        ("date", "dates"),
        ("size", "numbers"),
        ("place", "groups"),
    ]
    assert found["colours"][0]["groups"][-1] == "117 others"


def test_json_of_a_map_writes_no_page(run, corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*in_map(corpus, "--json", "--clusters", 3, "--layout", "pca"))
    assert (code, err) == (0, "")
    assert list(tmp_path.iterdir()) == []
    found = json.loads(out)
    assert len(found["points"]) == 150
    assert found["points"][-2:] == [None, None]
    assert found["colours"] == ["cluster"]
    assert found["variance"] == pytest.approx(sum(axis["share"] for axis in found["axes"]))
    assert found["axes"][0]["share"] >= found["axes"][1]["share"] > 0
    weights = [one["weight"] for one in found["axes"][0]["high"]]
    assert weights == sorted(weights, reverse=True)


def test_a_map_by_neighbours(run, corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*in_map(corpus, "--layout", "tsne", "--perplexity", 10))
    assert (code, err) == (0, "quire: wrote corpus-map.html\n")
    assert "150 documents, 2 without words, 15 terms; placed by neighbours (t-SNE)" in out
    assert "2 documents have no term that counts, and so no place." in out
    assert "axis" not in out
    first = json.loads(run(*in_map(corpus, "--layout", "tsne", "--json"))[1])
    again = json.loads(run(*in_map(corpus, "--json", "--jobs", 1))[1])
    assert (first["layout"], first["axes"], first["variance"]) == ("tsne", [], None)
    assert first["points"] == again["points"]
    assert first["points"][-2:] == [None, None]
    told = run(*in_map(corpus, "--layout", "tsne", "--model", tmp_path / "m.quire"))
    assert_failed(told, "--layout pca", code=2)


def test_a_map_without_the_package_is_of_components(run, corpus, tmp_path, monkeypatch):
    from quire.decomposition import _document_map

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_document_map, "can_place_by_neighbors", lambda: False)
    assert "two axes with" in run(*in_map(corpus))[1]
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    assert_failed(run(*in_map(corpus, "--layout", "tsne")), "pip install 'quire[map]'")


def test_a_saved_map_gives_places(run, corpus, tmp_path):
    paths = {name: tmp_path / name for name in ("m.html", "m.quire", "d.parquet")}
    options = ["--out", paths["m.html"], "--model", paths["m.quire"], "--clusters", 3]
    code, _, err = run(*in_map(corpus, *options, "--documents-out", paths["d.parquet"]))
    assert code == 0
    assert err.count("quire: wrote") == 3
    table = pl.read_parquet(paths["d.parquet"])
    assert table.columns == ["row", "id", "kind", "date", "size", "x", "y", "cluster"]
    assert table["x"][-2:].to_list() == [None, None]
    code, out, _ = run("predict", paths["m.quire"], corpus, "--json")
    found = pl.DataFrame([json.loads(line) for line in out.splitlines()])
    np.testing.assert_allclose(found["x"][:148], table["x"][:148], atol=1e-12)
    assert found["y"].null_count() == 2
    code, out, _ = run("inspect", paths["m.quire"])
    assert code == 0
    assert "map of documents" in out
    assert "of the variance" in out
    card = json.loads(run("inspect", paths["m.quire"], "--json")[1])
    assert [len(axis["low"]) > 0 for axis in card["axes"]] == [True, True]


def test_texts_can_be_kept_out_of_a_map(run, corpus, tmp_path):
    page = tmp_path / "m.html"
    assert run(*in_map(corpus, "-o", page, "--characters", 0, "--points", 50))[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "[bold]" not in text
    assert 'id="map-search"' not in text
    assert "A random sample of 50 of 148 documents is drawn" in text


def test_what_cannot_be_done_ends_in_one_line(run, corpus, tmp_path):
    assert_failed(run("cluster", tmp_path / "nowhere.csv"), "nowhere.csv")
    assert_failed(run(*cluster(corpus, "--label", "knid")), "knid")
    many = run("cluster", corpus, "--text", "text", "-k", 149)
    assert_failed(many, "149", "148 documents with terms")
    assert_failed(run(*cluster(corpus, "--report", tmp_path / "no" / "r.html")), "is not there")
    assert_failed(run(*cluster(corpus, "--model", tmp_path)), "is a folder")
    assert_failed(run(*cluster(corpus, "--min-df", 1000)), "")
    assert_failed(run(*in_map(corpus, "--label", "knid")), "knid", "'kind'")
    assert_failed(run(*in_map(corpus, "--out", tmp_path)), "is a folder")
    few = tmp_path / "few.csv"
    pl.DataFrame({"text": ["cat dog", "law tax"]}).write_csv(few)
    assert_failed(run("map", few, "--text", "text", "--json"), "at least three")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["cluster", "--metric", "manhattan"], "--metric"),
        (["cluster", "--clusters", "0"], "--clusters"),
        (["cluster", "--clusters", "9-3"], "--clusters"),
        (["cluster", "--clusters", "many"], "--clusters"),
        (["cluster", "--stop-words", "klingon"], "--stop-words"),
        (["cluster", "--documents-out", "x.docx"], "--documents-out"),
        (["map", "--documents-out", "x.docx"], "--documents-out"),
        (["map", "--clusters", "0"], "--clusters"),
        (["map", "--layout", "umap"], "--layout"),
        (["map", "--perplexity", "1"], "--perplexity"),
        (["map", "--points", "1000000"], "--points"),
    ],
)
def test_wrong_use(run, corpus, options, word):
    command, *rest = options
    assert_failed(run(command, corpus, *rest), word, code=2)


def test_ctrl_c_leaves_nothing_behind(run, corpus, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("quire.cluster._documents.KMeans.fit", interrupted)
    assert_failed(run(*cluster(corpus, "--report", tmp_path / "r.html")), "stopped", code=130)
    assert list(tmp_path.iterdir()) == []
