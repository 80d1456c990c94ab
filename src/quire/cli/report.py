"""``quire report``: compare models on a corpus and write all about it into one HTML file."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli._arguments import (
    Also,
    Encoding,
    File,
    FileFormat,
    Folds,
    Groups,
    Json,
    Label,
    Metric,
    MinDf,
    Missing,
    Models,
    Ngrams,
    Seed,
    Task,
    Text,
    Threads,
    read,
    tell_notes,
)
from quire.cli._leaderboard import verdict
from quire.cli._results import run_comparison, write_report
from quire.cli._show import show, show_json

__all__ = ["report"]


def report(
    file: File,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="The HTML file to write.")
    ] = "report.html",
    text: Text = None,
    label: Label = None,
    also: Also = None,
    models: Models = "default",
    task: Task = "auto",
    metric: Metric = None,
    folds: Folds = 5,
    groups: Groups = None,
    ngrams: Ngrams = "1",
    min_df: MinDf = "2",
    seed: Seed = 0,
    threads: Threads = None,
    encoding: Encoding = "utf-8",
    format: FileFormat = None,
    missing: Missing = "error",
    as_json: Json = False,
) -> None:
    """Write a report on a corpus and the models compared on it: one HTML file, for any browser."""
    corpus = read(file, text, label, encoding=encoding, format=format, missing=missing)
    found = run_comparison(
        corpus,
        also,
        models=models,
        task=task,
        metric=metric,
        cv=folds,
        groups=groups,
        ngram_range=ngrams,
        min_df=min_df,
        random_state=seed,
        n_jobs=threads,
    )
    if found.interrupted:
        raise KeyboardInterrupt
    write_report(found, corpus, output)
    tell_notes(corpus)
    if as_json:
        show_json({"file": file, "report": output, **found.to_dict()})
    else:
        show(f"Wrote {output}. {verdict(found)}")
