"""``quire compare``: which model is best for a corpus, and how sure that is."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import _arguments as given
from quire.cli._comparison import leaderboard, run_comparison, save_best, verdict, write_report
from quire.cli._document_options import ReportPath
from quire.cli._show import show, show_json
from quire.cli._tables import check_places
from quire.cli._tell import tell, tell_written
from quire.cli._wording import in_options

__all__ = ["compare"]


def compare(
    file: given.File,
    text: given.Text = None,
    label: given.Label = None,
    columns: given.Columns = None,
    also: given.Also = None,
    models: given.Models = "default",
    task: given.Task = "auto",
    metric: given.Metric = None,
    folds: given.Folds = 5,
    groups: given.Groups = None,
    min_class: given.MinClass = 1,
    ngrams: given.Ngrams = "1",
    tokens: given.Tokens = None,
    stemmer: given.Stemmer = None,
    negation: given.Negation = None,
    min_df: given.MinDf = None,
    tune: Annotated[
        bool, typer.Option(help="Choose smoothing and penalties inside each fold.")
    ] = True,
    seed: given.Seed = 0,
    threads: given.Threads = None,
    save: Annotated[
        str | None, typer.Option(metavar="PATH", help="Save the best model to this .quire file.")
    ] = None,
    report: ReportPath = None,
    encoding: given.Encoding = "utf-8",
    format: given.FileFormat = None,
    limits: given.Limits = None,
    missing: given.Missing = "error",
    as_json: given.Json = False,
) -> None:
    """Compare models on a corpus, or on a table without texts, by cross-validation.

    All models are fitted on the same folds and scored on documents that were held out. Intervals
    and p-values (against the best model) allow for the overlap of the folds' training documents.
    """
    check_places(report, None, save)
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
    )
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
        tokens=tokens,
        stemmer=stemmer,
        negation=negation,
        tune=tune,
        refit=save is not None or report is not None,
        random_state=seed,
        n_jobs=threads,
    )
    if save is not None and not found.interrupted:
        save_best(found, corpus, save)
    if report is not None and not found.interrupted:
        write_report(found, corpus, report)
    for note in found.notes:
        tell(in_options(note))
    if as_json:
        show_json({"file": file, **found.to_dict()})
        return
    rows = "documents" if corpus.text_columns else "rows"
    classes = "" if found.classes is None else f", {len(found.classes)} classes"
    done = f"{len(found.folds)} folds" + (" (stopped early)" if found.interrupted else "")
    show(
        f"{len(corpus):,} {rows}{classes}, {done}, {found.seconds:.1f} s",
        leaderboard(found),
        verdict(found),
    )
    if not found.interrupted:
        tell_written(save, report)
