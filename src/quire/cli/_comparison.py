"""What `compare`, `fit`, `report` and `demo` share: a comparison run, kept, written and shown."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire._shared.how_many import how_many
from quire._shared.terminal import is_terminal, width
from quire.cli._arguments import column_of
from quire.cli._loading import loading
from quire.cli._provenance import data_of, this_command, where_from
from quire.cli._show import as_text, new_table, working
from quire.cli._tell import tell
from quire.cli._wording import in_options, score_title

if TYPE_CHECKING:
    from rich.table import Table

    from quire.io import Corpus
    from quire.model_selection import Comparison, ErrorSlices

__all__ = [
    "class_scores",
    "leaderboard",
    "run_comparison",
    "save_best",
    "slice_scores",
    "slices_of",
    "verdict",
    "write_report",
]

_KEPT_TERMS, _ALL_KEPT = 30, 3000  # terms of a class, and of all, that a model file keeps
_MOST_COUNTED = 100_000  # documents in which they are counted


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
    with loading():
        from quire.model_selection import compare
    models = options.get("models")
    if isinstance(models, str):
        options["models"] = [name.strip() for name in models.split(",") if name.strip()]
    options.setdefault("tell", lambda note: tell(in_options(note)))
    if isinstance(options.get("groups"), str):
        column_of(corpus, options["groups"])
    try:
        found = compare(_beside_texts(corpus, also), verbose=is_terminal(stderr=True), **options)
    except KeyboardInterrupt:
        tell("stopped before any model was finished: nothing was learned that could be kept")
        raise
    if found.interrupted:
        folds = how_many(len(found.folds), "fold")
        tell(f"stopped: scores are those of {folds}")
    return found


def _beside_texts(corpus: Corpus, also: list[str] | None) -> Corpus:
    """Return the corpus with columns more to learn from."""
    if not also:
        return corpus
    if also == ["all"] and "all" not in corpus.frame.columns:
        from quire._shared.column_kinds import kinds_of_columns

        known = (*corpus.text_columns, corpus.label_column)
        also = kinds_of_columns(corpus.frame.drop(name for name in known if name)).usable
    for name in also:
        column_of(corpus, name)
    return replace(corpus, feature_columns=tuple(dict.fromkeys((*corpus.feature_columns, *also))))


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
                "columns": _columns(comparison),
                "label": corpus.label_column,
                **({"labels": "several"} if comparison.task == "multilabel" else {}),
                **_terms_of(comparison, corpus),
                "compared_with": [trial.name for trial in comparison],
                "provenance": where_from(
                    _data(comparison, corpus), comparison.settings["random_state"]
                ),
            },
        )


def _data(comparison: Comparison, corpus: Corpus) -> dict[str, Any]:
    """Return what identifies the files and the rows of a comparison."""
    if "data" not in comparison.settings:
        columns = {name: corpus.frame[name] for name in _columns(comparison)}
        return data_of(corpus, columns)
    data: dict[str, Any] = comparison.settings["data"]
    return data


def _terms_of(comparison: Comparison, corpus: Corpus) -> dict[str, Any]:
    """Return the terms that add most to each class over the documents, for the card of the model.

    A model file has no documents: what a report says of them is written down with the model.
    """
    if corpus.kind != "texts" or len(corpus) > _MOST_COUNTED:
        return {}
    from quire.inspection import UsedTerm, top_evidence

    n_classes = 2 if comparison.classes is None else len(comparison.classes)
    n_terms = max(5, min(_KEPT_TERMS, _ALL_KEPT // n_classes))
    documents = corpus.texts if comparison.counted is None else comparison.counted
    try:
        found = top_evidence(comparison.model, n_terms, documents, comparison.y)
    except (TypeError, ValueError):  # terms have no weights in such a model
        return {}
    rows = [
        [str(label), [list(asdict(one).values()) for one in terms if isinstance(one, UsedTerm)]]
        for label, terms in found.items()
    ]
    return {"terms": rows} if all(terms for _, terms in rows) else {}


def _columns(comparison: Comparison) -> list[str]:
    """Return the columns of numbers and categories that models have learned from."""
    return [*comparison.settings["numbers"], *comparison.settings["categories"]]


def write_report(
    comparison: Comparison,
    corpus: Corpus,
    path: str,
    title: str | None = None,
    *,
    try_it: bool = True,
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
    try_it : bool, default=True
        Put the model into the page.
    """
    with working(f"Writing {path}"):
        from quire.report import report

        comparison.settings["command"] = this_command()
        comparison.settings["data"] = _data(comparison, corpus)
        report(
            comparison,
            corpus,
            model=comparison.model,
            path=path,
            title=title or (f"Report on {Path(corpus.source).name}" if corpus.source else None),
            learning_curve="auto",
            regularization_path="auto",
            try_it=try_it,
        )


def leaderboard(comparison: Comparison) -> Table:
    """Return the ranking as a table.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    """
    sign = -1.0 if comparison.metric.startswith("neg_") else 1.0
    rows = []
    for place, trial in enumerate(comparison):
        if trial.error is not None:
            rows.append([trial.name, "failed", trial.error, "", "", ""])
            continue
        mean, low, high = comparison.interval(trial)
        ends = sorted((sign * low, sign * high))
        rows.append(
            [
                trial.name,
                f"{sign * mean:.4f}",
                f"{ends[0]:.4f} - {ends[1]:.4f}" if low == low else "",
                "" if place == 0 else _p(comparison.p_value(trial)),
                _seconds(trial.fit_seconds.mean()),
                _seconds(trial.predict_seconds.mean()),
            ]
        )
    heads = ["model", score_title(comparison.metric), "95% interval", "p", "fit", "predict"]
    table = new_table()
    for place, head in enumerate(heads[: _columns_that_fit([heads, *rows])]):
        # A score is never cut; a name folds before that.
        table.add_column(
            head,
            justify="right" if place else "left",
            no_wrap=place > 0,
            overflow="fold" if place == 0 else "ellipsis",
            min_width=max(len(row[1]) for row in [heads, *rows]) if place == 1 else None,
        )
    for row in rows:
        table.add_row(*row[: len(table.columns)])
    return table


def class_scores(comparison: Comparison) -> Table:
    """Return precision, recall and F1 of each class, of the best model, as a table.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    """
    table = new_table()
    what = "label" if comparison.task == "multilabel" else "class"
    table.add_column(what, overflow="fold")
    for name in ("precision", "recall", "F1", "documents", "predicted"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in comparison.class_table().to_dicts():
        shares = (row[name] for name in ("precision", "recall", "f1"))
        table.add_row(
            as_text(row["label"]),
            *("" if share is None else f"{share:.4f}" for share in shares),
            f"{row['documents']:,}",
            f"{row['predicted']:,}",
        )
    return table


def slices_of(comparison: Comparison, corpus: Corpus) -> ErrorSlices:
    """Return where the best model errs.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    corpus : Corpus
        What it was found on.
    """
    from quire.model_selection import error_slices

    return error_slices(comparison, corpus)


def slice_scores(slices: ErrorSlices) -> list[Any]:
    """Return how good a model is on parts of the documents, as a table and a line about it.

    Parameters
    ----------
    slices : ErrorSlices
        Where it errs.
    """
    if not slices.slices:
        return ["No part of the documents is large enough to be looked at."]
    table = new_table()
    table.add_column("part", overflow="fold")
    for name in ("documents", slices.measure, "95% interval", "others", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in slices:
        table.add_row(
            as_text(f"{one.column}: {one.value}{' (worse)' if one.is_worse else ''}"),
            f"{one.documents:,}",
            f"{one.score:.4g}",
            f"{one.low:.4g} - {one.high:.4g}",
            f"{one.rest:.4g}",
            _p(one.p_corrected),
        )
    n = len(slices.worse)
    parts = "1 part" if n == 1 else f"{n} parts" if n else "no part"
    said = f"Clearly worse on {parts} of {len(slices)} (p < 0.05, corrected for all of them)."
    return [table, said]


def _columns_that_fit(rows: list[list[str]]) -> int:
    """Return how many columns a terminal has room for; elsewhere there is room for all.

    The columns stand in the order of what they are worth: times go first, then p, then the
    interval. The name and the score always stay.
    """
    if not is_terminal():
        return len(rows[0])
    done = [row for row in rows if row[1] != "failed"]  # the error of a model is cut
    widths = [max(map(len, column)) for column in zip(*done, strict=True)]
    room = width()
    ends = [sum(widths[: n + 1]) + 3 * n + 2 for n in range(len(widths))]
    return max(2, sum(end <= room for end in ends))


def verdict(comparison: Comparison) -> str:
    """Return in a sentence how clear the first place is.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    """
    close = [
        trial.name
        for trial in comparison.trials[1:]
        if trial.error is None and not comparison.p_value(trial) < 0.05
    ]
    best = comparison.best.name
    done = [trial for trial in comparison if trial.error is None]
    if len(done) == 1:
        return f"{best} is the only model."
    if not close:
        return f"{best} is ahead of every other model (p < 0.05)."
    return f"{best} is first; not clearly behind it (p >= 0.05): {', '.join(close)}."


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _seconds(value: Any) -> str:
    seconds = float(value)
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
