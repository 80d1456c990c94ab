"""Whole commands from the shell, start included, in fresh processes on both sides.

What a short answer takes, and when the work of a long one begins, stands beside ``import
sklearn.base``, which every program with scikit-learn has to wait for. ``start.fit`` and
``start.compare`` give the file as a named pipe: reading begins when the command opens it, which the
other end sees. ``start.few`` is a comparison of one model on twenty documents: all that is not
work. On 10,000 short documents `quire compare` stands beside programs with scikit-learn alone
(``benchmarks/programs``), which one would start in the same way.

The processes of both sides keep their bytecode in a folder of their own, filled before the clock
starts, so that it is there even where the environment forbids to write it.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
from sklearn.pipeline import make_pipeline

import quire
from benchmarks.comparison import Comparison, Side
from benchmarks.data import imdb
from benchmarks.programs import five_methods, twelve_pipelines
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, SkipWorkload, register
from benchmarks.workloads.compare import as_accurate, sentences
from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.linear_model import LogisticRegression
from quire.naive_bayes import MultinomialNB

_TEXT = "a good film with a fine cast, and not dull at all"
_DOCUMENTS = 10_000


def a_saved_model(make: Callable[[], Any]) -> Callable[[Context], Data]:
    """Return a builder of a model of IMDB in a file, and one line of text."""

    def build(context: Context) -> Data:
        corpus = imdb(context).value
        labels = corpus.labels or ["pos" if n % 2 else "neg" for n in range(len(corpus.texts))]
        folder = _folder()
        quire.save(make().fit(corpus.texts, labels), folder / "model.quire")
        (folder / "line.txt").write_text(_TEXT + "\n", encoding="utf-8")
        size = (folder / "model.quire").stat().st_size
        for work in (explain_line, predict_line, import_scikit_learn):
            work(folder, 1)  # bytecode
        return Data(f"a model of {size / 1e6:,.1f} MB, one line of text", folder)

    return build


def naive_bayes() -> Any:
    """Return naive Bayes of words."""
    return make_pipeline(CountVectorizer(min_df=2), MultinomialNB())


def logistic_of_pairs() -> Any:
    """Return a linear model of words and pairs, of some hundred thousand terms."""
    return make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), LogisticRegression())


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


def twenty_documents(context: Context) -> Data:
    """Twenty short documents in a CSV file, and the name of a pipe."""
    folder = _folder()
    lines = [f"a {'good' if n % 2 else 'bad'} film {n},{n % 2}" for n in range(20)]
    (folder / "few.csv").write_text("text,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    compare_few(folder, 1)  # bytecode
    import_scikit_learn(folder, 1)
    return Data("20 documents", folder)


def compare_few(value: Any, n_jobs: int) -> str:
    """Do ``quire compare FILE`` with one model and few documents in a process of its own."""
    models = ("--models", "multinomial-nb", "--folds", "2", "--features", "words")
    return _python("-m", "quire", "compare", value / "few.csv", *models)


def until_it_reads(*command: str) -> Callable[[Any, int], str]:
    """Return what runs a command until it opens its file, a named pipe, and ends it then."""

    def run(value: Any, n_jobs: int) -> str:
        pipe = value / "pipe.csv"
        os.mkfifo(pipe)
        try:
            options = ("-o", str(value / "out.quire")) if command[0] == "fit" else ()
            given = [command[0], str(pipe), *command[1:], *options]
            process = subprocess.Popen(
                [sys.executable, "-m", "quire", *given],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
            with open(pipe, "wb"):  # waits until somebody reads
                is_there = process.poll() is None
                process.kill()
            process.wait()
        finally:
            pipe.unlink()
        return "reads" if is_there else "has ended"

    return run


def short_documents(context: Context) -> Data:
    """10,000 sentences of reviews in a CSV file; a sentence from each."""
    path = context.path("imdb.parquet")
    if path is None:
        raise SkipWorkload("imdb.parquet is not there")
    return _csv(context, sentences(pl.read_parquet(path)), "sentences of reviews")


def generated_documents(context: Context) -> Data:
    """10,000 generated documents of about 20 words in a CSV file."""
    sample = make_text_classification(_DOCUMENTS, n_classes=2, mean_length=20.0, random_state=0)
    table = pl.DataFrame({"text": sample.texts, "label": [f"class {k}" for k in sample.y]})
    return _csv(context, table, "generated documents")


def _csv(context: Context, table: pl.DataFrame, name: str) -> Data:
    n = min(600 if context.quick else context.limit or _DOCUMENTS, len(table), _DOCUMENTS)
    target = _folder() / "short.csv"
    table.select("text", "label").sample(n, seed=0, shuffle=True).write_csv(target)
    few = twenty_documents(context).value / "few.csv"  # bytecode of both sides
    _python("-m", "quire", "compare", few)
    _python("-c", "import benchmarks.programs.five_methods, benchmarks.programs.twelve_pipelines")
    return Data(f"{n:,} {name}, {target.stat().st_size / 1e6:.1f} MB of CSV", target)


def compared(*options: str) -> Callable[[Any, int], dict[str, float]]:
    """Return what does ``quire compare FILE`` in a process of its own and reads its ranking."""

    def run(value: Any, n_jobs: int) -> dict[str, float]:
        threads = ("--threads", n_jobs) if n_jobs > 0 else ()
        found = json.loads(_python("-m", "quire", "compare", value, *options, *threads, "--json"))
        return {one["model"]: fmean(one["scores"]["accuracy"]) for one in found["models"]}

    return run


def programmed(program: Any) -> Callable[[Any, int], dict[str, float]]:
    """Return what runs a program with scikit-learn in a process of its own."""

    def run(value: Any, n_jobs: int) -> dict[str, float]:
        found: dict[str, float] = json.loads(_python(program.__file__, value, n_jobs))
        return found

    return run


def _python(*arguments: Any) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
        env=_environment(),
    )
    return done.stdout


@cache
def _bytecode() -> Path:
    return _folder()


def _environment() -> dict[str, str]:
    """Return the environment of both sides: bytecode is kept, whatever holds for this process."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(_bytecode())}


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="quire-start-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _has(expected: str) -> Callable[[Mapping[str, Any]], Quality]:
    def check(results: Mapping[str, Any]) -> Quality:
        """Look for what such a line has."""
        passed = expected in results["quire"]
        return Quality(passed, "the answer is there" if passed else "another answer")

    return check


for _name, _what, _work, _expected, _make in (
    ("explain", "quire explain of one line", explain_line, "rather than", naive_bayes),
    ("predict", "quire predict of one line", predict_line, "predicted", naive_bayes),
    ("explain-pairs", "quire explain of one line", explain_line, "rather than", logistic_of_pairs),
    ("predict-pairs", "quire predict of one line", predict_line, "predicted", logistic_of_pairs),
):
    register(
        Comparison(
            name=f"start.{_name}",
            title=f"{_what} from the shell, beside importing sklearn.base",
            data=a_saved_model(_make),
            sides={"quire": Side(_work), "importing scikit-learn": Side(import_scikit_learn)},
            check=_has(_expected),
            mark=4.0,  # at most a quarter
            memory=False,
        )
    )

for _name, _what, _until, _expected in (
    ("fit", "until quire fit reads", until_it_reads("fit", "--format", "csv"), "reads"),
    ("compare", "until quire compare reads", until_it_reads("compare", "--format", "csv"), "reads"),
    ("few", "all that is not work in quire compare", compare_few, "multinomial-nb"),
):
    register(
        Comparison(
            name=f"start.{_name}",
            title=f"{_what}, from the shell, beside importing sklearn.base",
            data=twenty_documents,
            sides={"quire": Side(_until), "importing scikit-learn": Side(import_scikit_learn)},
            check=_has(_expected),
            memory=False,
        )
    )

_FIVE = ("--models", ",".join(five_methods.NAMES), "--features", "words", "--min-df", "2")
for _name, _data in (("sentences", short_documents), ("generated", generated_documents)):
    for _program, _options, _title in (
        (five_methods, _FIVE, "five methods of words, the same settings chosen"),
        (twelve_pipelines, (), "without options, against twelve pipelines"),
    ):
        register(
            Comparison(
                name=f"start.compare-{_name}{'' if _options else '-default'}",
                title=f"quire compare from the shell, {_title}",
                data=_data,
                sides={
                    "quire": Side(compared(*_options)),
                    "scikit-learn": Side(programmed(_program), repeats=3),
                },
                check=as_accurate,
                mark=8.0,
                memory=False,
            )
        )
