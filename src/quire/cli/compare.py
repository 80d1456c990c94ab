"""``quire compare``: which model is best for a corpus, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from quire._shared.how_many import how_many
from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._comparison import (
    class_scores,
    leaderboard,
    run_comparison,
    save_best,
    slice_scores,
    slices_of,
    verdict,
    write_report,
)
from quire.cli._document_options import ReportPath
from quire.cli._export import ExportFolder, check_export, export_result
from quire.cli._reading import READING, ROWS, TERMS, Reading, Rows, Terms, read
from quire.cli._show import show, show_json
from quire.cli._tables import check_places
from quire.cli._tell import INTERRUPTED, tell, tell_written

if TYPE_CHECKING:
    from quire.model_selection import Comparison

__all__ = ["compare"]


def compare(
    file: given.File,
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
    split: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column that says train or test, not folds."),
    ] = None,
    groups: given.Groups = None,
    rows: Rows = ROWS,
    terms: Terms = TERMS,
    features: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="How texts are cut into terms: auto; words, tokens, tokens-2, tokens-3, "
            "characters, commas between.",
        ),
    ] = "auto",
    minutes: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="N", help="About how long: the most promising go on."),
    ] = None,
    memory: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="GB", help="What counts may take; half of the machine."),
    ] = None,
    tune: Annotated[
        bool, typer.Option(help="Choose smoothing and penalties inside each fold.")
    ] = True,
    checks: given.Checks = True,
    silence: given.Silence = "",
    seed: given.Seed = 0,
    threads: given.Threads = None,
    save: Annotated[
        str | None, typer.Option(metavar="PATH", help="Save the best model to this .quire file.")
    ] = None,
    report: ReportPath = None,
    try_it: given.TryIt = True,
    export: ExportFolder = None,
    reading: Reading = READING,
    by_class: Annotated[
        bool, typer.Option("--by-class", help="Show precision, recall and F1 of each class, too.")
    ] = False,
    by_slice: Annotated[
        bool,
        typer.Option(
            "--by-slice", help="Show where the best model errs: by length, language and columns."
        ),
    ] = False,
    as_json: given.Json = False,
) -> None:
    """Compare models on a corpus, or on a table without texts, by cross-validation.

    All models are fitted on the same folds and scored on documents that were held out. Intervals
    and p-values (against the best model) allow for the overlap of the folds' training documents.
    What the quick checks of quire check find is said first.
    """
    check_export(export)
    check_places(report, None, save, inputs=[file])
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
        split=split,
        features=features if features == "auto" else [part.strip() for part in features.split(",")],
        minutes=minutes,
        memory=None if memory is None else memory * 1e9,
        groups=groups,
        **terms.options(),
        tune=tune,
        refit="always" if save is not None else report is not None,
        checks=checks,
        silence=silence,
        random_state=seed,
        n_jobs=threads,
    )
    if save is not None and found.model is not None:
        save_best(found, corpus, save)
        tell_written(save)
    elif save is not None:
        tell(f"no model: {save} was not written")
    if report is not None and not found.interrupted:
        write_report(found, corpus, report, try_it=try_it)
    elif report is not None:
        tell(f"no report: {report} was not written")
    export_result(found, export, corpus.rows)
    if as_json:
        classes_of_best = {"by_class": found.class_table().to_dicts()} if by_class else {}
        slices = {"by_slice": slices_of(found, corpus).to_dict()} if by_slice else {}
        show_json({"file": file, **found.to_dict(), **classes_of_best, **slices})
        _end(found)
        return
    unit = "documents" if corpus.text_columns else "rows"
    noun = "labels" if found.task == "multilabel" else "classes"
    classes = "" if found.classes is None else f", {len(found.classes)} {noun}"
    n_folds = how_many(len(found.folds), "fold")
    done = "one split" if split is not None else n_folds
    done += " (stopped early)" if found.interrupted else ""
    show(
        f"{len(corpus):,} {unit}{classes}, {done}, {found.seconds:.1f} s",
        leaderboard(found),
        verdict(found),
        *([class_scores(found)] if by_class else []),
        *(slice_scores(slices_of(found, corpus)) if by_slice else []),
    )
    if not found.interrupted:
        tell_written(report)
    _end(found)


def _end(found: Comparison) -> None:
    """Exit as shells expect of a program that was stopped, if it was."""
    if found.interrupted:
        raise typer.Exit(INTERRUPTED)
