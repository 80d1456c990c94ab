"""``quire fit``: fit one model to a corpus and save it."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import _arguments as given
from quire.cli._comparison import run_comparison, save_best
from quire.cli._show import show, show_json

__all__ = ["fit"]


def fit(
    file: given.File,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="The .quire file to write.")
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The model; see quire compare for names.")
    ] = "logistic",
    text: given.Text = None,
    label: given.Label = None,
    also: given.Also = None,
    task: given.Task = "auto",
    folds: given.Folds = 5,
    groups: given.Groups = None,
    ngrams: given.Ngrams = "1",
    min_df: given.MinDf = "2",
    seed: given.Seed = 0,
    threads: given.Threads = None,
    encoding: given.Encoding = "utf-8",
    format: given.FileFormat = None,
    missing: given.Missing = "error",
    as_json: given.Json = False,
) -> None:
    """Fit a model to a corpus and save it with its cross-validated scores."""
    corpus = given.read(file, text, label, encoding=encoding, format=format, missing=missing)
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
    given.tell_notes(corpus)
    mean, low, high = found.interval(found.best)
    if as_json:
        show_json({"file": file, "model": output, **found.to_dict()})
    else:
        show(
            f"{found.best.title} on {len(corpus):,} documents: held-out {found.metric} "
            f"{mean:.4f} ({low:.4f} to {high:.4f}); saved to {output}"
        )
