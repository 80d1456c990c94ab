"""A few lines, predicted without polars: written as polars writes them, or left to it."""

import random

import pytest
from sklearn.pipeline import make_pipeline

import quire
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.linear_model import LogisticRegression
from quire.naive_bayes import MultinomialNB
from quire.scoring import load_model, predict_lines
from quire.svm import LinearSVC

TEXTS = ["good film", "bad film", "good plot", "bad plot", "fine", "dull"]
LABELS = {
    "words": ["pos", "neg", "pos", "neg", "pos", "neg"],
    "numbers": [1, -2, 1, -2, 7, 7],
    "sentences": [" so good ", "näh 🎈 it's", "c", "näh 🎈 it's", " so good ", "c"],
    "commas": ["a,b", 'say "no"', "a,b", 'say "no"', "a,b", "a,b"],
}
MODELS = {
    "bayes": lambda: make_pipeline(CountVectorizer(), MultinomialNB()),
    "logistic": lambda: make_pipeline(TfidfVectorizer(), LogisticRegression()),
    "machine": lambda: make_pipeline(TfidfVectorizer(), LinearSVC()),
}
PIECES = [
    "good",
    "bad",
    "film",
    ",",
    '"',
    "'",
    " ",
    "\t",
    "\x1b[1m",
    "\x7f",
    "naïve",
    "🎈",
    "\\",
    "=1+1",
]
PIECES += ["\u2028", "plot", "", "dull", "0.5", "null", "\x0c", "\x85"]


@pytest.fixture(scope="module", params=[(m, k) for m in MODELS for k in LABELS], ids=" ".join)
def path(request, tmp_path_factory):
    model, labels = request.param
    folder = tmp_path_factory.mktemp("lines")
    return quire.save(MODELS[model]().fit(TEXTS, LABELS[labels]), folder / "model.quire")


def by_both(run, monkeypatch, *arguments):
    """What is printed by the short way, if there was one, and by polars."""
    with monkeypatch.context() as patched:
        seen = []
        patched.setattr(
            "quire.scoring.predict_lines",
            lambda *args, **options: seen.append(predict_lines(*args, **options)) or seen[-1],
        )
        short = run("predict", *arguments)
        patched.setattr("quire.scoring.predict_lines", lambda *args, **options: None)
        long = run("predict", *arguments)
    return seen, short, long


@pytest.mark.parametrize("options", [[], ["--json"], ["--no-probabilities"]], ids=" ".join)
def test_lines_are_written_as_polars_writes_them(path, options, run, monkeypatch, tmp_path):
    draw = random.Random(7)
    file = tmp_path / "lines.txt"
    n_short = 0
    for _ in range(8):
        lines = [
            "".join(draw.choice(PIECES) for _ in range(draw.randrange(6)))
            for _ in range(draw.choice([1, 1, 2, 5]))
        ]
        file.write_bytes(draw.choice(["\n", "\r\n"]).join([*lines, ""]).encode())
        seen, short, long = by_both(run, monkeypatch, path, file, "--format", "lines", *options)
        assert short == long
        n_short += seen != [None]
    has_commas = "a,b" in load_model(path)[0].classes_
    assert (n_short == 0) == has_commas


@pytest.mark.parametrize("ending", ["csv", "ndjson", "jsonl", "parquet", "tsv"])
def test_files_are_the_same(ending, run, monkeypatch, tmp_path):
    model = quire.save(MODELS["bayes"]().fit(TEXTS, LABELS["words"]), tmp_path / "model.quire")
    (tmp_path / "lines.txt").write_text('a good, "fine" film\n\nbad\n')
    written = []
    for way in (predict_lines, lambda *args, **options: None):
        monkeypatch.setattr("quire.scoring.predict_lines", way)
        out = tmp_path / f"out.{ending}"
        found = run("predict", model, tmp_path / "lines.txt", "--format", "lines", "-o", out)
        written.append((found, out.read_bytes()))
    assert written[0] == written[1]
    assert "wrote 3 documents" in written[0][0][2]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\n",
        b"\xef\xbb\xbfgood\n",
        b"\x1f\x8bgood\n",
        b"go\0od\n",
        b"good\rbad\n",
        b"good\n" * 20_000,
        "good\n".encode("utf-16"),
        b"good film " * 30 + b"\n",  # too certain to be written without an exponent
    ],
    ids=["empty", "latin", "mark", "gzip", "null", "return", "long", "utf-16", "certain"],
)
def test_what_is_not_plain_is_left_to_polars(data, run, monkeypatch, tmp_path):
    model = quire.save(MODELS["bayes"]().fit(TEXTS, LABELS["words"]), tmp_path / "model.quire")
    file = tmp_path / "lines.txt"
    file.write_bytes(data)
    seen, short, long = by_both(run, monkeypatch, model, file, "--format", "lines")
    assert seen == [None]
    assert short == long


@pytest.mark.parametrize("given", ["missing.txt", "~/missing.txt", "-", "https://a.b/c", "."])
def test_what_is_no_file_is_left_to_polars(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = quire.save(MODELS["bayes"]().fit(TEXTS, LABELS["words"]), tmp_path / "model.quire")
    assert predict_lines(load_model(path)[0], given) is None


def test_an_estimator_is_left_to_polars(tmp_path):
    file = tmp_path / "lines.txt"
    file.write_text("good\n")
    assert predict_lines(MODELS["bayes"]().fit(TEXTS, LABELS["words"]), str(file)) is None


def test_what_else_is_asked_is_left_to_polars(run, monkeypatch, tmp_path):
    path = quire.save(MODELS["bayes"]().fit(TEXTS, LABELS["words"]), tmp_path / "model.quire")
    file = tmp_path / "lines.txt"
    file.write_text("good\n")
    for option in (["--threshold", "0.99"], ["--id", "row"], ["--text", "text"]):
        seen, short, long = by_both(run, monkeypatch, path, file, "--format", "lines", *option)
        assert seen == []
        assert short == long
