"""``quire report``: compare models on a corpus and write all about it into one HTML file."""

from __future__ import annotations

from typing import Annotated

from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._comparison import run_comparison, verdict, write_report
from quire.cli._reading import READING, ROWS, TERMS, Reading, Rows, Terms, read
from quire.cli._show import show, show_json
from quire.cli._tables import check_places

__all__ = ["report"]


def report(
    file: given.File,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="The HTML file to write.")
    ] = "report.html",
    text: given.Text = None,
    label: given.Label = None,
    columns: given.Columns = None,
    also: given.Also = None,
    models: given.Models = "default",
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
    try_it: given.TryIt = True,
    reading: Reading = READING,
    as_json: given.Json = False,
) -> None:
    """Write a report on a corpus and the models compared on it: one HTML file, for any browser."""
    check_places(output, None, inputs=[file])
    corpus = read(
        file, text, label, reading, rows, columns=columns, task=task, separator=label_separator
    )
    found = run_comparison(
        corpus,
        also,
        models=models,
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
    write_report(found, corpus, output, try_it=try_it)
    if as_json:
        show_json({"file": file, "report": output, **found.to_dict()})
    else:
        show(f"Wrote {output}. {verdict(found)}")
