"""``quire fit``: fit one model to a corpus and save it."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import _arguments as given
from quire.cli._comparison import run_comparison, save_best
from quire.cli._show import show, show_json
from quire.cli._tables import check_places
from quire.cli._tell import tell
from quire.cli._wording import in_options, score_title

__all__ = ["fit"]


def fit(
    file: given.File,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="The .quire file to write.")
    ],
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The model; see quire compare for names. linear: logistic, or ridge for numbers.",
        ),
    ] = "linear",
    text: given.Text = None,
    label: given.Label = None,
    columns: given.Columns = None,
    also: given.Also = None,
    task: given.Task = "auto",
    label_separator: given.LabelSeparator = None,
    metric: given.Metric = None,
    costs: given.Costs = None,
    class_weight: given.ClassWeight = None,
    calibrate: given.Calibrate = None,
    threshold: given.Threshold = None,
    folds: given.Folds = 5,
    groups: given.Groups = None,
    min_class: given.MinClass = 1,
    ngrams: given.Ngrams = "1",
    tokens: given.Tokens = None,
    stemmer: given.Stemmer = None,
    negation: given.Negation = None,
    min_df: given.MinDf = None,
    seed: given.Seed = 0,
    threads: given.Threads = None,
    encoding: given.Encoding = "utf-8",
    format: given.FileFormat = None,
    limits: given.Limits = None,
    missing: given.Missing = "error",
    as_json: given.Json = False,
) -> None:
    """Fit a model to a corpus, or to a table without texts, and save it with held-out scores."""
    check_places(None, None, output)
    corpus = given.read(
        file,
        text,
        label,
        encoding=encoding,
        format=format,
        limits=limits,
        missing=missing,
        columns=columns,
        min_class=min_class,
        task=task,
        separator=label_separator,
    )
    found = run_comparison(
        corpus,
        also,
        models=model,
        task=task,
        label_separator=label_separator,
        metric=metric,
        costs=given.costs_of(costs),
        class_weight=class_weight,
        calibrate=calibrate,
        threshold=threshold,
        cv=folds,
        groups=groups,
        ngram_range=ngrams,
        min_df=min_df,
        tokens=tokens,
        stemmer=stemmer,
        negation=negation,
        random_state=seed,
        n_jobs=threads,
    )
    if found.interrupted:
        raise KeyboardInterrupt
    save_best(found, corpus, output)
    for note in found.notes:
        tell(in_options(note))
    sign = -1.0 if found.metric.startswith("neg_") else 1.0
    mean, *ends = (sign * value for value in found.interval(found.best))
    low, high = sorted(ends)
    rows = "documents" if corpus.text_columns else "rows"
    if as_json:
        show_json({"file": file, "model": output, **found.to_dict()})
    else:
        show(
            f"{found.best.title} on {len(corpus):,} {rows}: held-out {score_title(found.metric)} "
            f"{mean:.4f} ({low:.4f} to {high:.4f}); saved to {output}"
        )
