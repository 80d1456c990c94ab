"""What an answer imports: the core and NumPy, and nothing that takes longer than the answer."""

import json

import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.processes import run_python

import quire
from quire.feature_extraction.text import CountVectorizer, words_and_characters
from quire.linear_model import LogisticRegression
from quire.naive_bayes import MultinomialNB

HEAVY = {"joblib", "pandas", "polars", "pyarrow", "scipy", "sklearn"}
LOADED = (
    "import sys, json\nprint(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))\n"
)
COMMAND = (
    "import sys\n"
    "from quire.cli import main\n"
    "try:\n"
    "    main(sys.argv[1:])\n"
    "except SystemExit as ended:\n"
    "    assert not ended.code\n"
)


@pytest.fixture(params=["counts", "words and characters"])
def path(request, tmp_path):
    counts = make_pipeline(CountVectorizer(stop_words="english"), MultinomialNB())
    union = make_pipeline(words_and_characters(), LogisticRegression())
    model = counts if request.param == "counts" else union
    model.fit(["good film", "bad film", "good plot", "bad plot"], ["pos", "neg"] * 2)
    return quire.save(model, tmp_path / "model.quire")


def loaded_by(code, *arguments):
    return set(json.loads(run_python(code + LOADED, *arguments).splitlines()[-1]))


def test_a_scorer_imports_no_library_but_numpy(path):
    code = (
        "import sys\n"
        "from quire.scoring import load_scorer\n"
        "scorer = load_scorer(sys.argv[1])\n"
        "scorer.predict(['a good film'])\n"
        "scorer.predict_proba(['a good film'])\n"
        "str(scorer.explain('a good film'))\n"
    )
    loaded = loaded_by(code, path)
    assert "numpy" in loaded
    assert not loaded & {*HEAVY, "rich", "typer"}


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["explain", "MODEL", "a good film"], set()),
        (["explain", "MODEL", "a good film", "--json"], set()),
        (["inspect", "MODEL"], {"rich"}),
        (["predict", "MODEL", "TEXTS", "--format", "lines"], set()),
    ],
)
def test_commands_that_ask_a_model_import_no_library_but_numpy(arguments, allowed, path, tmp_path):
    texts = tmp_path / "texts"
    texts.write_text("a good film\n")
    given = [{"MODEL": path, "TEXTS": texts}.get(one, one) for one in arguments]
    loaded = loaded_by(COMMAND, *given)
    assert "numpy" in loaded
    assert not loaded & ({*HEAVY, "pydantic", "rich", "typer"} - allowed)


def test_the_commands_say_the_same_as_the_estimators(path, tmp_path, run):
    texts = tmp_path / "texts"
    texts.write_text("a good film\nnot a bad plot\n\n")
    code, out, _ = run("predict", path, texts, "--format", "lines", "--json")
    whole = quire.load(path)
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    asked = ["a good film", "not a bad plot", ""][: len(rows)]
    assert [row["predicted"] for row in rows] == whole.predict(asked).tolist()
    assert [row["p(pos)"] for row in rows] == whole.predict_proba(asked)[:, 1].tolist()
    code, out, _ = run("explain", path, "a good film")
    assert (code, out) == (0, str(quire.explain(whole, "a good film", n_terms=10)) + "\n")
