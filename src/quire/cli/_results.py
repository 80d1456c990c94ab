"""What `compare`, `fit`, `report` and `demo` share: running a comparison and keeping its model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire.cli._show import working
from quire.cli._tell import this_command

if TYPE_CHECKING:
    from quire.io import Corpus
    from quire.model_selection import Comparison

__all__ = ["column_of", "run_comparison", "save_best", "write_report"]


def run_comparison(corpus: Corpus, also: list[str] | None = None, **options: Any) -> Comparison:
    """Compare models on a corpus, with a progress bar on a terminal.

    Parameters
    ----------
    corpus : Corpus
        Documents and labels.
    also : list of str, default=None
        Other columns to learn from.
    **options
        Of :func:`quire.model_selection.compare`.
    """
    with working("Loading"):
        from quire.model_selection import compare
    models = options.get("models")
    if isinstance(models, str) and models not in ("default", "all"):
        options["models"] = [name.strip() for name in models.split(",") if name.strip()]
    if isinstance(options.get("groups"), str):
        options["groups"] = column_of(corpus, options["groups"])
    data: Any = corpus
    if also:
        for name in also:
            column_of(corpus, name)
        data = corpus.frame.select([*corpus.text_columns, *also])
        options.update(y=corpus.labels, text=list(corpus.text_columns))
    return compare(data, verbose=sys.stderr.isatty(), **options)


def column_of(corpus: Corpus, name: str) -> Any:
    """Return a column of a corpus by its name; an error says what there is."""
    if name not in corpus.frame.columns:
        import difflib

        close = difflib.get_close_matches(name, corpus.frame.columns, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"{corpus.source} has no column {name!r}.{hint} It has: "
            f"{', '.join(corpus.frame.columns)}."
        )
    return corpus.frame[name]


def save_best(comparison: Comparison, corpus: Corpus, path: str) -> None:
    """Save the best model of a comparison, with what a model card says.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    corpus : Corpus
        What it was found on.
    path : str
        Where to save it.
    """
    import quire

    best = comparison.best
    intervals = {metric: comparison.interval(best, metric) for metric in comparison.metrics}
    with working(f"Saving {path}"):
        quire.save(
            comparison.model,
            path,
            scores={
                metric: {"mean": mean, "low": low, "high": high}
                for metric, (mean, low, high) in intervals.items()
                if mean == mean
            },
            settings=comparison.settings,
            metadata={
                "name": best.name,
                "title": best.title,
                "task": comparison.task,
                "metric": comparison.metric,
                "documents": len(comparison.y),
                "source": Path(corpus.source).name,
                "text": list(corpus.text_columns),
                "label": corpus.label_column,
                "compared_with": [trial.name for trial in comparison],
            },
        )


def write_report(
    comparison: Comparison, corpus: Corpus, path: str, title: str | None = None
) -> None:
    """Write the report of a comparison.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    corpus : Corpus
        What it was found on.
    path : str
        Where to write it.
    title : str, default=None
        Its heading; the name of the file by default.
    """
    with working(f"Writing {path}"):
        from quire.report import report

        comparison.settings["command"] = this_command()

        report(
            comparison,
            corpus.texts,
            model=comparison.model,
            path=path,
            title=title or (f"Report on {Path(corpus.source).name}" if corpus.source else None),
            learning_curve="auto",
            regularization_path="auto",
        )
