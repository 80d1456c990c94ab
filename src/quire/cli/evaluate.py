"""``quire evaluate``: how good a saved model is on documents whose labels are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._export import ExportFolder, check_export, export_result
from quire.cli._reading import KEEP_EMPTY, Reading
from quire.cli._show import as_text, new_table, show, show_json, working
from quire.cli._tell import tell
from quire.cli._wording import in_options, score_title

if TYPE_CHECKING:
    from quire.model_selection import Evaluation

__all__ = ["evaluate"]

_MOST_CLASSES = 12  # of a confusion matrix that fits a terminal


def evaluate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A .quire file.")],
    file: given.File,
    text: given.Text = None,
    label: given.Label = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A score beside the usual ones, such as f1_weighted; repeatable."
        ),
    ] = None,
    costs: given.Costs = None,
    label_separator: given.LabelSeparator = None,
    export: ExportFolder = None,
    reading: Reading = KEEP_EMPTY,
    as_json: given.Json = False,
) -> None:
    """Score a saved model on documents, or rows of a table, whose labels are known.

    The file should hold documents that the model was not fitted to. Those without a label are left
    out; labels that the model does not know count as wrong. Both are said.
    """
    check_export(export)
    with working("Evaluating"):
        from quire.model_selection import evaluate as evaluate_model

        options = {**reading.options(), "metric": metric, "costs": given.costs_of(costs)}
        options["label_separator"] = label_separator
        try:
            found = evaluate_model(model, file, label, text=text or None, **options)
        except TypeError as error:  # a model that predicts nothing, such as a map
            raise ValueError(f"{model}: {error}") from error
    for note in found.notes:
        tell(in_options(note))
    export_result(found, export)
    if as_json:
        show_json({"file": file, **found.to_dict()})
        return
    show(*_shown(found))


def _shown(found: Evaluation) -> list[Any]:
    shown: list[Any] = [found.heading]
    scores = new_table()
    scores.add_column("score", no_wrap=True)
    scores.add_column("value", justify="right", no_wrap=True)
    scores.add_column(f"{found.level:.0%} interval", justify="right", no_wrap=True)
    for name, (value, low, high) in found.scores.items():
        interval = "" if low != low else f"{low:.4f} - {high:.4f}"
        scores.add_row(score_title(name), f"{value:.4f}", interval)
    shown.append(scores)
    if found.class_scores:
        shown.append(_class_table(found))
    if found.confusion is not None and len(found.classes) <= _MOST_CLASSES:
        confusion = new_table()
        confusion.add_column("label \\ predicted", overflow="fold")
        for name in found.classes:
            confusion.add_column(as_text(name), justify="right", overflow="fold")
        for name, row in zip(found.classes, found.confusion, strict=True):
            confusion.add_row(as_text(name), *(f"{n:,}" for n in row))
        shown.append(confusion)
    if found.calibration:
        shown.append(_calibration_table(found))
    return shown


def _class_table(found: Evaluation) -> Any:
    table = new_table()
    table.add_column("label" if found.task == "labels" else "class", overflow="fold")
    for name in ("precision", "recall", "F1", "documents", "predicted"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found.class_scores:
        scores = [one.precision.value, one.recall.value, one.f1.value]
        table.add_row(
            as_text(one.label),
            *("" if value != value else f"{value:.4f}" for value in scores),
            f"{one.support:,}",
            f"{one.predicted:,}",
        )
    return table


def _calibration_table(found: Evaluation) -> Any:
    seen = [label for label in found.classes if label not in found.unseen]
    whose = f"of {seen[1]}" if len(seen) == 2 else "of the prediction"
    table = new_table()
    table.add_column(f"probability {whose}", overflow="fold")
    for name in ("documents", "mean", "observed"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found.calibration:
        table.add_row(
            f"{one.low:.3f} to {one.high:.3f}",
            f"{one.documents:,}",
            f"{one.predicted:.3f}",
            f"{one.observed:.3f}",
        )
    return table
