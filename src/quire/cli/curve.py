"""``quire curve``: what more documents would bring, and how many a score takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire._shared.terminal import is_terminal
from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._comparison import run_comparison
from quire.cli._label_sets import has_several
from quire.cli._loading import loading
from quire.cli._reading import READING, ROWS, TERMS, Reading, Rows, Terms, read
from quire.cli._show import new_table, show, show_json

if TYPE_CHECKING:
    from quire.model_selection import Comparison, LearningCurve

__all__ = ["curve"]

_TIMES = (2, 5)  # the documents that there are


def curve(
    file: given.File,
    text: given.Text = None,
    label: given.Label = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="A model that quire compare knows.")
    ] = "linear",
    target: Annotated[
        float | None,
        typer.Option(metavar="SCORE", help="Tell how many documents this score takes."),
    ] = None,
    level: Annotated[
        float, typer.Option(metavar="SHARE", help="How often intervals should be right.")
    ] = 0.95,
    folds: given.Folds = 5,
    groups: given.Groups = None,
    rows: Rows = ROWS,
    terms: Terms = TERMS,
    seed: given.Seed = 0,
    reading: Reading = READING,
    as_json: given.Json = False,
) -> None:
    """Measure how a model gets better with more documents, and draw the curve further.

    Scores are of held-out documents; those of more documents than there are come from an inverse
    power law, with an interval that is wide where the data say little.
    """
    if not 0 < level < 1:
        raise typer.BadParameter(
            f"expected a share between 0 and 1; got {level}.", param_hint="--level"
        )
    corpus = read(file, text, label, reading, rows, needs_texts=True, task="auto")
    if has_several(corpus, "auto", None):
        raise ValueError(
            f"{file}: column {corpus.label_column!r} has several labels for a row, and a curve is "
            "for one. Choose another column with --label."
        )
    found = run_comparison(
        corpus,
        models=model,
        cv=folds,
        groups=groups,
        **terms.options(),
        refit=False,
        checks=False,
        random_state=seed,
    )
    with loading():
        from quire.model_selection import learning_curve
    measured = learning_curve(
        found.best.estimator,
        corpus.texts if found.counted is None else found.counted,
        found.y,
        cv=found.folds,
        scoring="r2" if found.task == "continuous" else "accuracy",
        random_state=seed,
        verbose=is_terminal(stderr=True),
    )
    further = _further(measured, target, level)
    if as_json:
        show_json({"file": file, **_as_plain(found, measured, further)})
        return
    show(
        f"{how_many(len(corpus), 'document')}, {found.best.title}",
        _table(measured),
        *further["lines"],
    )


def _further(measured: LearningCurve, target: float | None, level: float) -> dict[str, Any]:
    """Return what the curve says beyond its end, as lines and as data."""
    most = int(measured.sizes[-1])
    try:
        expected = [measured.expected(times * most, level=level) for times in _TIMES]
        needed = None if target is None else measured.needed(target, level=level)
    except ValueError as error:
        if target is not None:
            raise
        return {"expected": [], "needed": None, "lines": [str(error)]}
    lines = [str(one) for one in expected] + ([] if needed is None else [str(needed)])
    return {"expected": expected, "needed": needed, "lines": ["\n".join(lines)]}


def _table(measured: LearningCurve) -> Any:
    table = new_table()
    for name in ("documents", "training", "held out", "std. error"):
        table.add_column(name, justify="right", no_wrap=True)
    train, test, errors = measured.mean("train"), measured.mean(), measured.standard_error()
    for size, *scores in zip(measured.sizes.tolist(), train, test, errors, strict=True):
        table.add_row(f"{size:,}", *(f"{score:.4f}" for score in scores))
    return table


def _as_plain(
    found: Comparison, measured: LearningCurve, further: dict[str, Any]
) -> dict[str, Any]:
    needed = further["needed"]
    return {
        "model": found.best.name,
        "score": measured.scoring,
        "sizes": measured.sizes.tolist(),
        "training": measured.mean("train").tolist(),
        "held_out": measured.mean().tolist(),
        "standard_error": measured.standard_error().tolist(),
        "expected": [
            {"documents": one.documents, "score": one.score, "low": one.low, "high": one.high}
            for one in further["expected"]
        ],
        "needed": None if needed is None else needed.to_dict(),
    }
