"""Predicting what is in a file: the columns of the input, the label and its probabilities.

What the columns are depends on the kind of the model: see :mod:`quire.kinds`.

Sources larger than memory are read, predicted and handed on part by part.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from quire._shared.forks import check_threads_are_here
from quire._shared.tables import with_columns
from quire.io import Corpus, read_batches
from quire.kinds import outputs_of, rows_for, steps_of, takes_of

__all__ = ["escape_formulas", "predict_batches", "predict_table"]

# What makes a formula of a field: these at its start, also in the wide forms of Chinese keyboards,
# and characters before which a spreadsheet begins anew.
_FORMULA = "^[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"


def predict_table(
    model: Any,
    corpus: Corpus,
    *,
    probabilities: bool = True,
    keep: Sequence[str] | None = None,
    threshold: float | None = None,
) -> pl.DataFrame:
    """Predict the documents of a corpus, or the rows of a table.

    Parameters
    ----------
    model : estimator
        A fitted pipeline that takes texts, or a table with the columns it was fitted on; or a topic
        model that was fitted to texts. The last step may also be k-means or a PCA, and anything
        else that :mod:`quire.kinds` knows.
    corpus : Corpus
        Documents, with all columns of their source.
    probabilities : bool, default=True
        Whether to add the probability of every class, where the model has them, or the share of
        every topic.
    keep : sequence of str, default=None
        Columns of the source to keep beside what is added, such as a key; ``"row"`` is the number
        of the row in the source, from 0, unless it has a column of that name. All columns if
        ``None``.
    threshold : float, default=None
        Of two classes, the probability of the second from which on it is predicted; a score of a
        model that has no probabilities. As the model decides if ``None``.

    Returns
    -------
    polars.DataFrame
        The columns of the source; ``predicted``; ``probability`` of that; and ``p(class)`` for each
        of the classes, if there are not more than a hundred. Of a topic model: ``topic``, its
        ``share``, and ``topic 0`` and so on. Of clusters: ``cluster`` and ``distance``, empty for
        documents without a word that the model knows. Of a PCA with two components: ``x`` and
        ``y``. A name that is taken already gets an underscore.

    Raises
    ------
    ValueError
        If the model needs a column that the source does not have, or predicts nothing, or a
        threshold does not fit it.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.io import read_corpus
    >>> from quire.naive_bayes import MultinomialNB
    >>> from quire.prediction import predict_table
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(CountVectorizer(), MultinomialNB())
    >>> model = model.fit(["good film", "bad film"], ["pos", "neg"])
    >>> new = read_corpus(pl.DataFrame({"id": [7], "text": ["good good"]}))
    >>> predicted = predict_table(model, new)
    >>> predicted.columns
    ['id', 'text', 'predicted', 'probability', 'p(neg)', 'p(pos)']
    >>> predicted.row(0)[2:4]
    ('pos', 0.8)
    """
    check_threads_are_here()
    outputs = outputs_of(model, threshold=threshold)
    documents = rows_for(model, corpus)
    steps, answering = steps_of(model)
    for step in steps:  # texts become numbers only once
        documents = step.transform(documents)
    added = outputs.values(answering, documents, probabilities=probabilities)
    return with_columns(_kept(corpus, keep), added)


def _kept(corpus: Corpus, keep: Sequence[str] | None) -> pl.DataFrame:
    """Return the columns of the source that stay."""
    if keep is None:
        return corpus.frame
    columns = []
    for name in dict.fromkeys(keep):
        if name not in corpus.frame.columns and name != "row":
            raise ValueError(
                f"{corpus.source} has no column {name!r} to keep; it has: "
                f"{', '.join(corpus.frame.columns)}."
            )
        columns.append(corpus.frame[name] if name in corpus.frame.columns else corpus.rows)
    return pl.DataFrame(columns)


def escape_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Keep texts of a table from being formulas when it is opened in a spreadsheet.

    A spreadsheet computes the fields of a CSV file that begin with ``=``, ``+``, ``-`` or ``@``,
    and a formula can send what else is in the file to somebody, or start a program. An apostrophe
    before them makes them text. That changes the data: do it for files that people open, and not
    for those that programs read.

    Parameters
    ----------
    table : polars.DataFrame
        What is to be written. Columns of numbers are left alone.

    Returns
    -------
    polars.DataFrame
        The table with an apostrophe before texts and names of columns that would be formulas.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.prediction import escape_formulas
    >>> escape_formulas(pl.DataFrame({"text": ["=1+1", "1+1"], "n": [-1, 1]})).rows()
    [("'=1+1", -1), ('1+1', 1)]
    """
    texts = pl.col(pl.String, pl.Categorical, pl.Enum).cast(pl.String)
    escaped = table.with_columns(texts.str.replace(_FORMULA, "'$0"))
    names = pl.Series(table.columns, dtype=pl.String).str.replace(_FORMULA, "'$0").to_list()
    taken: set[str] = set()
    for place, name in enumerate(names):
        while name in taken:
            name = f"'{name}"
        taken.add(name)
        names[place] = name
    escaped.columns = names
    return escaped


def predict_batches(
    model: Any,
    source: Any,
    *,
    batch_size: int = 10_000,
    probabilities: bool = True,
    keep: Sequence[str] | None = None,
    threshold: float | None = None,
    **options: Any,
) -> Generator[pl.DataFrame, None, None]:
    """Predict a source part by part, with memory for two parts at a time.

    While a part of a file is predicted, a thread reads the next one.

    Parameters
    ----------
    model : estimator
        As for `predict_table`.
    source : path, "-", file object, or data frame
        As for :func:`quire.io.read_batches`.
    batch_size : int, default=10_000
        Documents of a part.
    probabilities, keep, threshold
        As for `predict_table`.
    **options
        As for :func:`quire.io.read_batches`: ``text``, ``format``, ``encoding`` and so on.

    Returns
    -------
    iterator of polars.DataFrame
        As from `predict_table`, in the order of the source.
    """
    takes = takes_of(model)
    predict = partial(
        predict_table, model, probabilities=probabilities, keep=keep, threshold=threshold
    )
    if takes.what == "table" and options.get("columns") is None:
        options["default_columns"] = takes.columns
    corpora = read_batches(source, batch_size=batch_size, **options)
    if not _is_stored(source):
        for one in corpora:
            yield predict(one)
        return
    with closing(_read_ahead(corpora)) as ahead:  # at once, not when it is collected
        for corpus in ahead:
            yield predict(corpus)


def _is_stored(source: Any) -> bool:
    """Return whether reading never waits for somebody: a thread that does cannot be stopped."""
    if not isinstance(source, str | os.PathLike) or source == "-":
        return False
    path = Path(source).expanduser()
    return path.is_file() or path.is_dir()


def _read_ahead(corpora: Iterator[Corpus]) -> Generator[Corpus, None, None]:
    """Yield the parts of a source; a thread reads the next one in the meantime."""
    with ThreadPoolExecutor(1, thread_name_prefix="quire-read") as pool:
        following = pool.submit(next, corpora, None)
        while (corpus := following.result()) is not None:
            following = pool.submit(next, corpora, None)
            yield corpus
