"""One answer from the shell, start included, beside what it takes to import scikit-learn."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sklearn.pipeline import make_pipeline

import quire
from benchmarks.comparison import Comparison, Side
from benchmarks.data import imdb
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from quire.feature_extraction.text import CountVectorizer
from quire.naive_bayes import MultinomialNB

_TEXT = "a good film with a fine cast, and not dull at all"


def a_saved_model(context: Context) -> Data:
    """Naive Bayes of IMDB in a file, and one line of text."""
    corpus = imdb(context).value
    folder = Path(tempfile.mkdtemp(prefix="quire-start-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    model = make_pipeline(CountVectorizer(min_df=2), MultinomialNB())
    quire.save(model.fit(corpus.texts, corpus.labels), folder / "model.quire")
    (folder / "line.txt").write_text(_TEXT + "\n", encoding="utf-8")
    size = (folder / "model.quire").stat().st_size
    return Data(f"a model of {size / 1e6:,.1f} MB, one line of text", folder)


def explain_line(value: Any, n_jobs: int) -> str:
    """Do ``quire explain MODEL TEXT`` in a process of its own."""
    return _python("-m", "quire", "explain", value / "model.quire", _TEXT)


def predict_line(value: Any, n_jobs: int) -> str:
    """Do ``quire predict MODEL FILE --format lines`` in a process of its own."""
    file = value / "line.txt"
    return _python("-m", "quire", "predict", value / "model.quire", file, "--format", "lines")


def import_scikit_learn(value: Any, n_jobs: int) -> str:
    """Import what every estimator derives from, in a process of its own."""
    return _python("-c", "import sklearn.base")


def _python(*arguments: Any) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return done.stdout


def _names_the_class(expected: str) -> Callable[[Mapping[str, Any]], Quality]:
    def check(results: Mapping[str, Any]) -> Quality:
        """Look for what such a line has."""
        passed = expected in results["quire"]
        return Quality(passed, "the answer is there" if passed else "another answer")

    return check


for _name, _what, _work, _expected in (
    ("start.explain", "quire explain of one line", explain_line, "rather than"),
    ("start.predict", "quire predict of one line", predict_line, "predicted"),
):
    register(
        Comparison(
            name=_name,
            title=f"{_what} from the shell, beside importing sklearn.base",
            data=a_saved_model,
            sides={"quire": Side(_work), "importing scikit-learn": Side(import_scikit_learn)},
            check=_names_the_class(_expected),
            mark=4.0,  # at most a quarter
        )
    )
