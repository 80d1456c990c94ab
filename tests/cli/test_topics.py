"""``quire topics``: topics of a file, what is written, and what goes wrong."""

import json
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest
from tests.helpers.cli import assert_failed

import quire
from quire.cli.topics import _seed_words
from quire.persistence import read_info

PETS = ["cat dog paw", "dog fur cat tail", "paw tail dog"]
LAWS = ["tax vote law", "law court tax judge", "vote judge court"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Half of the documents are about pets and half about law; the years differ."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(120):
        kind = PETS if number % 2 else LAWS
        text = " ".join(rng.choice(kind, 8)) + " the [bold] naïve"
        month = 1 + number % 2 * 6 + rng.integers(0, 6)
        rows.append((number, text, ["law", "pets"][number % 2], f"2024-{month:02d}-15"))
    table = pl.DataFrame(rows, schema=["id", "text", "kind", "date"], orient="row")
    path = tmp_path_factory.mktemp("topics") / "corpus.csv"
    table.write_csv(path)
    return path


def fast(corpus, *more):
    return ["topics", corpus, "--text", "text", "-k", 2, "--iterations", 40, *more]


def test_topics_are_found_and_shown_plainly(run, corpus):
    code, out, err = run(*fast(corpus))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("120 documents, 10 terms, 2 topics, 40 sweeps")
    assert (
        lines[2] == "Terms in 2 or more documents and in at most 50% of them, without English "
        "stop words."
    )
    assert lines[4].split() == ["topic", "share", "npmi", "words"]
    found = [set(line.split()[3:7]) for line in lines[5:7]]
    assert len(found[0] & {"cat", "dog", "paw", "fur", "tail"}) in (0, 4)
    assert not found[0] & found[1]
    assert "diversity" in lines[-1]
    assert "log-likelihood per word" in lines[-1]
    assert "\x1b" not in out


def test_a_formula_and_time(run, corpus, tmp_path):
    page = tmp_path / "t.html"
    options = ["--by", "kind + date", "--time", "date", "--every", "1q", "--report", page]
    code, out, err = run(*fast(corpus, *options))
    assert (code, err) == (0, f"quire: wrote {page}\n")
    assert "The clearest differences by kind + date" in out
    assert "kind: pets - law" in out
    assert "The clearest trends over date" in out
    assert "trend per year" in out
    text = page.read_text(encoding="utf-8")
    assert "Effects of several columns" in text
    assert "Topics over time" in text
    found = json.loads(run(*fast(corpus, "--time", "date", "--every", "1q", "--json"))[1])
    assert found["time"]["periods"] == ["2024-01-01", "2024-04-01", "2024-07-01", "2024-10-01"]
    assert len(found["time"]["trends"]) == 2
    assert len(found["time"]["shares"]) == 8
    assert_failed(run(*fast(corpus, "--by", "kind + knid")), "knid", "'kind'")
    assert_failed(run(*fast(corpus, "--by", "kind +")), "cannot be read at its end")
    assert_failed(run(*fast(corpus, "--time", "kind")), "are no dates")
    assert_failed(run(*fast(corpus, "--time", "when")), "when")


def test_json_has_all_of_it_and_the_same_bits_again(run, corpus):
    arguments = fast(corpus, "--json", "--by", "kind", "--coherence", "umass", "--chains", 2)
    code, out, _ = run(*arguments, "--jobs", 1)
    assert code == 0
    found = json.loads(out)
    again = json.loads(run(*arguments, "--threads", 3)[1])
    assert {**found, "seconds": 0} == {**again, "seconds": 0}
    assert found["coherence"]["measure"] == "umass"
    assert [topic["share"] > 0.4 for topic in found["topics"]] == [True, True]
    assert [topic["documents"] for topic in found["topics"]] == [60, 60]
    assert found["by"]["column"] == "kind"
    assert abs(found["by"]["contrasts"][0]["estimate"]) > 0.8
    assert found["settings"]["min_df"] == 2
    assert found["r_hat"] is not None


def test_files_are_written_and_a_saved_model_gives_topics(run, corpus, tmp_path):
    paths = {name: tmp_path / name for name in ("r.html", "m.quire", "d.parquet")}
    options = ["--report", paths["r.html"], "--model", paths["m.quire"]]
    options += ["--documents-out", paths["d.parquet"], "--by", "date"]
    code, out, err = run(*fast(corpus, *options))
    assert code == 0
    assert err.count("quire: wrote") == 3
    assert "The clearest differences by date" in out
    page = paths["r.html"].read_text(encoding="utf-8")
    assert "Topics of corpus.csv" in page
    assert "quire " in page
    shares = pl.read_parquet(paths["d.parquet"])
    assert shares.columns == ["row", "id", "kind", "date", "topic", "share", "topic 0", "topic 1"]
    np.testing.assert_allclose(shares["topic 0"] + shares["topic 1"], 1)
    assert shares.group_by("kind").agg(pl.col("topic").n_unique())["topic"].to_list() == [1, 1]

    model = quire.load(paths["m.quire"])
    assert model.theta_samples_ is None
    assert model.progress is False
    code, out, _ = run("predict", paths["m.quire"], corpus, "--batch", 50)
    assert code == 0
    (tmp_path / "p.csv").write_text(out, encoding="utf-8")
    found = pl.read_csv(tmp_path / "p.csv")
    assert found.columns[-4:] == ["topic", "share", "topic 0", "topic 1"]
    expected = model.transform(pl.read_csv(corpus)["text"])
    np.testing.assert_array_equal(found.select("topic 0", "topic 1").to_numpy(), expected)
    code, out, _ = run("predict", paths["m.quire"], corpus, "--no-probabilities", "--json")
    assert set(json.loads(out.splitlines()[0])) == {"id", "text", "kind", "date", "topic", "share"}


def test_the_card_of_a_topic_model(run, corpus, tmp_path):
    path = tmp_path / "m.quire"
    seeds = "animals: cat dog; 1: tax"
    assert run(*fast(corpus, "--save", path, "--seed-words", seeds))[0] == 0
    code, out, _ = run("inspect", path, "--top", 3)
    assert code == 0
    for part in ("2 topics", "120 documents of corpus.csv", "npmi", "diversity", "0 animals"):
        assert part in out
    card = json.loads(run("inspect", path, "--json", "--top", 2)[1])
    assert [len(topic["words"]) for topic in card["topics"]] == [2, 2]
    assert sum(topic["share"] for topic in card["topics"]) == pytest.approx(1, abs=1e-5)
    assert read_info(path).metadata["names"] == {"0": "animals"}
    counts = quire.decomposition.LatentDirichletAllocation(2, max_iter=5).fit(np.eye(4, dtype=int))
    quire.save(counts, tmp_path / "plain.quire")
    assert run("inspect", tmp_path / "plain.quire")[0] == 0


def test_seed_words_make_topics(run, corpus, tmp_path):
    (tmp_path / "seeds.txt").write_text("justice: Law, court\n\npets: cat dog\n", encoding="utf-8")
    (tmp_path / "seeds.json").write_text('{"justice": ["law", "court"], "pets": ["cat"]}')
    for given in (tmp_path / "seeds.txt", "justice: law court; pets: cat", tmp_path / "seeds.json"):
        code, out, _ = run(*fast(corpus, "--seed-words", given, "--json"))
        assert code == 0
        words = {topic["name"]: topic["words"] for topic in json.loads(out)["topics"]}
        assert "law" in words["justice"]
        assert "cat" in words["pets"]


def test_seed_words_are_read():
    assert _seed_words("2: tax law; sport: goal, new york") == (
        {2: ["tax", "law"], 0: ["goal", "new york"]},
        {0: "sport"},
    )


@pytest.mark.parametrize("method", ["batch", "online"])
def test_variational_methods(run, corpus, method):
    code, out, _ = run(*fast(corpus, "--method", method, "--alpha", 0.5, "--coherence", "none"))
    assert code == 0
    assert "passes" in out
    assert "npmi" not in out


def test_words_are_chosen(run, corpus, tmp_path):
    (tmp_path / "stop.txt").write_text("cat\ndog\n")
    terms = {}
    for name, options in {
        "all": ["--stop-words", "none", "--max-df", "1.0", "--min-df", "1"],
        "file": ["--stop-words", tmp_path / "stop.txt"],
        "pairs": ["--ngrams", "1,2"],
    }.items():
        code, out, _ = run(*fast(corpus, "--json", "--top", 100, *options))
        assert code == 0
        found = json.loads(out)
        terms[name] = {word for topic in found["topics"] for word in topic["words"]}
    assert {"the", "bold", "naïve", "cat"} <= terms["all"]
    assert not {"cat", "dog", "naïve"} & terms["file"]
    assert any(" " in term for term in terms["pairs"])


def test_what_cannot_be_done_ends_in_one_line(run, corpus, tmp_path):
    assert_failed(run("topics", tmp_path / "nowhere.csv"), "nowhere.csv")
    assert_failed(run(*fast(corpus, "--by", "knid")), "knid", "'kind'")
    assert_failed(run(*fast(corpus, "--seed-words", "a: unicorn")), "'unicorn'")
    assert_failed(run(*fast(corpus, "--report", tmp_path / "no" / "r.html")), "is not there")
    assert_failed(run(*fast(corpus, "--model", tmp_path)), "is a folder")
    assert_failed(run(*fast(corpus, "--min-df", 1000)), "")
    symmetric = run(*fast(corpus, "--method", "batch", "--alpha", "symmetric"))
    assert_failed(symmetric, "--alpha symmetric", "--method gibbs")
    same = tmp_path / "same.csv"
    pl.DataFrame({"text": ["cat dog", "law tax"], "who": ["me", "me"]}).write_csv(same)
    assert_failed(run("topics", same, "--text", "text", "--by", "who"), "--by who has the same")
    many = tmp_path / "many.csv"
    pl.DataFrame(
        {"text": ["cat dog", "law tax"] * 150, "who": [f"author {i}" for i in range(300)]}
    ).write_csv(many)
    assert_failed(run("topics", many, "--text", "text", "--by", "who"), "300 different values")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--method", "em"], "--method"),
        (["--coherence", "cosine"], "--coherence"),
        (["--alpha", "-1"], "--alpha"),
        (["--beta", "much"], "--beta"),
        (["--topics", "0"], "--topics"),
        (["--seed-words", "no colon"], "--seed-words"),
        (["--seed-words", "{broken"], "--seed-words"),
        (["--stop-words", "klingon"], "--stop-words"),
        (["--documents-out", "x.docx"], "--documents-out"),
    ],
)
def test_wrong_use(run, corpus, options, word):
    assert_failed(run("topics", corpus, *options), word, code=2)


def test_odd_documents(run, tmp_path):
    path = tmp_path / "odd.csv"
    texts = ["", "🎉 🎉", "cat dog", "law tax", "<b>dog</b>", " "] * 5
    pl.DataFrame({"text": texts, "when": [None, "2024-01-01", "2025-05-05"] * 10}).write_csv(path)
    options = ["--text", "text", "-k", 3, "--iterations", 10, "--missing", "empty"]
    code, out, _ = run("topics", path, *options, "--by", "when", "--report", tmp_path / "r.html")
    assert code == 0
    assert "30 documents" in out
    assert "<b>dog" not in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_ctrl_c_keeps_what_was_learned(run, corpus, tmp_path, monkeypatch):
    @contextmanager
    def reporting(*_):
        def tell(chain):
            if chain.trace[-1][0] >= 20:
                raise KeyboardInterrupt

        yield tell

    monkeypatch.setattr("quire.decomposition._lda_sampling._reporting", reporting)
    model, page = tmp_path / "m.quire", tmp_path / "r.html"
    arguments = fast(corpus, "--chains", 2, "--model", model, "--report", page)
    code, out, err = run(*arguments)
    assert code == 0, err
    assert "20 sweeps (stopped early)" in out
    assert "stopped after 20 sweeps" in err
    assert "resume" not in err
    assert quire.load(model).n_iter_ == 20
    assert "interrupted" in page.read_text(encoding="utf-8")


def test_ctrl_c_before_anything_was_learned(run, corpus, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("quire.feature_extraction.text.CountVectorizer.fit_transform", interrupted)
    assert_failed(run(*fast(corpus)), "stopped", code=130)
