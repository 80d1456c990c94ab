"""``quire fit``: fit one model to a corpus and save it."""

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
    MinDf,
    Missing,
    Ngrams,
    Seed,
    Task,
    Text,
    Threads,
    read,
    tell_notes,
)
from quire.cli._results import run_comparison, save_best
from quire.cli._show import show, show_json

__all__ = ["fit"]


def fit(
    file: File,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="The .quire file to write.")
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The model; see quire compare for names.")
    ] = "logistic",
    text: Text = None,
    label: Label = None,
    also: Also = None,
    task: Task = "auto",
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
    """Fit a model to a corpus and save it with its cross-validated scores."""
    corpus = read(file, text, label, encoding=encoding, format=format, missing=missing)
    found = run_comparison(
        corpus,
        also,
        models=model,
        task=task,
        cv=folds,
        groups=groups,
        ngram_range=ngrams,
        min_df=min_df,
        random_state=seed,
        n_jobs=threads,
    )
    if found.interrupted:
        raise KeyboardInterrupt
    save_best(found, corpus, output)
    tell_notes(corpus)
    mean, low, high = found.interval(found.best)
    if as_json:
        show_json({"file": file, "model": output, **found.to_dict()})
    else:
        show(
            f"{found.best.title} on {len(corpus):,} documents: held-out {found.metric} "
            f"{mean:.4f} ({low:.4f} to {high:.4f}); saved to {output}"
        )
