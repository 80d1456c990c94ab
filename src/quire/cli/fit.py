"""``quire fit``: fit one model to a corpus and save it."""

from __future__ import annotations

from typing import Annotated

from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._comparison import run_comparison, save_best
from quire.cli._reading import READING, ROWS, TERMS, Reading, Rows, Terms, read
from quire.cli._show import show, show_json
from quire.cli._tables import check_places
from quire.cli._wording import score_title

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
    rows: Rows = ROWS,
    terms: Terms = TERMS,
    seed: given.Seed = 0,
    threads: given.Threads = None,
    reading: Reading = READING,
    as_json: given.Json = False,
) -> None:
    """Fit a model to a corpus, or to a table without texts, and save it with held-out scores."""
    check_places(None, None, output, inputs=[file])
    corpus = read(
        file, text, label, reading, rows, columns=columns, task=task, separator=label_separator
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
        **terms.options(),
        random_state=seed,
        n_jobs=threads,
    )
    if found.interrupted:
        raise KeyboardInterrupt
    save_best(found, corpus, output)
    sign = -1.0 if found.metric.startswith("neg_") else 1.0
    mean, *ends = (sign * value for value in found.interval(found.best))
    low, high = sorted(ends)
    unit = "documents" if corpus.text_columns else "rows"
    if as_json:
        show_json({"file": file, "model": output, **found.to_dict()})
    else:
        show(
            f"{found.best.title} on {len(corpus):,} {unit}: held-out {score_title(found.metric)} "
            f"{mean:.4f} ({low:.4f} to {high:.4f}); saved to {output}"
        )
