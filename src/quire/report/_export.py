"""Every table of a result as CSV, LaTeX and Markdown, and every figure as SVG, PDF and PNG."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quire._shared.replaced_file import replaced_file
from quire.exceptions import MissingExtraError
from quire.inspection import top_evidence
from quire.model_selection import Comparison, Evaluation

__all__ = ["export"]

_TABLES = ("csv", "tex", "md")
_FIGURES = ("svg", "pdf", "png")
_LONG = 500  # rows: longer tables are for programs, and written as CSV alone
_TERMS = 20
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
_UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def export(
    result: Any,
    folder: str | os.PathLike[str],
    *,
    tables: Sequence[str] = _TABLES,
    figures: Sequence[str] = _FIGURES,
    rows: Any = None,
) -> list[Path]:
    """Write the tables and figures of a result to files of their own, for papers and programs.

    Parameters
    ----------
    result : Comparison, Evaluation, mapping of str to DataFrame, or fitted model
        What was found. Of a model, the terms that speak for each class.
    folder : path
        Where to; made if it is not there. Files of the same names are replaced.
    tables : sequence of {"csv", "tex", "md"}, default=("csv", "tex", "md")
        Formats of tables. LaTeX is one ``tabular`` that needs no package. Tables of more than 500
        rows, such as predictions, are written as CSV alone.
    figures : sequence of {"svg", "pdf", "png"}, default=("svg", "pdf", "png")
        Formats of figures.
    rows : array-like of shape (n_documents,), default=None
        Of a comparison, the numbers of the documents in their file (``corpus.rows``), so that
        predictions can be joined back; 0, 1 and so on if ``None``.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    TypeError
        If there is nothing to write of such a thing.
    MissingExtraError
        If figures are asked for and matplotlib is not installed: before anything is written.

    Examples
    --------
    >>> import tempfile
    >>> from quire.datasets import make_text_classification
    >>> from quire.model_selection import compare
    >>> from quire.report import export
    >>> data = make_text_classification(200, n_classes=3, separation=5.0, random_state=1)
    >>> comparison = compare(data.texts, data.y, ["multinomial-nb", "majority"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = export(comparison, folder, tables=["csv"], figures=[])
    >>> [path.name for path in files]
    ['models.csv', 'folds.csv', 'classes.csv', 'confusion.csv', 'predictions.csv']
    """
    _check(tables, _TABLES, "tables")
    _check(figures, _FIGURES, "figures")
    if isinstance(result, Comparison):
        found, drawn = _of_comparison(result, rows)
    elif isinstance(result, Evaluation):
        found, drawn = _of_evaluation(result)
    elif isinstance(result, Mapping):
        found, drawn = dict(result), {}
    else:
        found, drawn = {"terms": _terms(result)}, {}
    if figures and drawn and find_spec("matplotlib") is None:
        raise MissingExtraError(
            "Figures need matplotlib, which is not installed: pip install 'quire[plot]'"
        )
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in found.items():
        for ending in tables:
            if ending != "csv" and table.height > _LONG:
                continue
            written.append(folder / f"{name}.{ending}")
            with replaced_file(written[-1]) as stream:
                stream.write(_WRITERS[ending](table).encode("utf-8"))
    for name, draw in drawn.items():
        written += _draw(name, draw, folder, figures)
    return written


def _check(given: Sequence[str], known: Sequence[str], name: str) -> None:
    wrong = [one for one in given if one not in known]
    if isinstance(given, str) or wrong:
        raise ValueError(f"{name} is {given!r}; expected some of {', '.join(known)}.")


def _of_comparison(
    comparison: Comparison, rows: Any
) -> tuple[dict[str, pl.DataFrame], dict[str, Callable[[Any], Any]]]:
    best = comparison.best
    folds = [
        {"model": trial.name, "fold": number, **{m: float(trial.scores[m][number]) for m in names}}
        for trial in comparison
        if trial.error is None
        for names in [comparison.metrics]
        for number in range(len(comparison.folds))
    ]
    found = {"models": comparison.to_frame(), "folds": pl.DataFrame(folds)}
    predicted = np.asarray(best.predictions, dtype=object).tolist()
    labels = comparison.y.tolist()
    if comparison.classes is not None:
        found["classes"] = comparison.class_table()
        found["confusion"] = _confusion(comparison.classes.tolist(), labels, predicted)
    numbers = range(len(labels)) if rows is None else np.asarray(rows).tolist()
    columns = {"row": numbers, "label": labels, "predicted": predicted}
    found["predictions"] = pl.DataFrame(columns, strict=False)
    return found, {"models": comparison.plot}


def _of_evaluation(
    found: Evaluation,
) -> tuple[dict[str, pl.DataFrame], dict[str, Callable[[Any], Any]]]:
    tables = {"scores": found.to_frame()}
    if found.confusion is None:
        return tables, {}
    tables["classes"] = found.table()
    names = [str(label) for label in found.classes]
    columns = dict(zip(names, found.confusion.T.tolist(), strict=True))
    tables["confusion"] = pl.DataFrame({"label": names, **_free(columns, "label")})
    if found.calibration:
        tables["calibration"] = pl.DataFrame(found.to_dict()["calibration"])
    return tables, {"confusion": found.plot}


def _confusion(classes: list[Any], labels: list[Any], predicted: list[Any]) -> pl.DataFrame:
    """Return documents by label (rows) and prediction (columns); not all may be held out."""
    place = {label: number for number, label in enumerate(classes)}
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for label, other in zip(labels, predicted, strict=True):
        if other is not None:
            counts[place[label], place[other]] += 1
    names = [str(label) for label in classes]
    columns = dict(zip(names, counts.T.tolist(), strict=True))
    return pl.DataFrame({"label": names, **_free(columns, "label")})


def _free(columns: dict[str, Any], taken: str) -> dict[str, Any]:
    """Return columns of which none has the name that is taken."""
    return {f"{name}_" if name == taken else name: values for name, values in columns.items()}


def _terms(model: Any) -> pl.DataFrame:
    rows = [
        {"class": str(label), "rank": rank, "term": str(one.term), "weight": float(one.weight)}
        for label, terms in top_evidence(model, _TERMS).items()
        for rank, one in enumerate(terms, start=1)
    ]
    return pl.DataFrame(rows)


def _draw(
    name: str, draw: Callable[[Any], Any], folder: Path, endings: Sequence[str]
) -> list[Path]:
    """Draw a figure and write it in some formats; the same figure gives the same bytes."""
    if not endings:
        return []
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    draw(figure.subplots())
    written = []
    with mpl.rc_context({"svg.hashsalt": "quire"}):
        for ending in endings:
            written.append(folder / f"{name}.{ending}")
            with replaced_file(written[-1]) as stream:
                figure.savefig(stream, format=ending, dpi=200, metadata=_UNDATED[ending])
    return written


def _as_csv(table: pl.DataFrame) -> str:
    return str(table.write_csv())


def _as_latex(table: pl.DataFrame) -> str:
    def escaped(value: str) -> str:
        return "".join(_LATEX.get(letter, letter) for letter in " ".join(value.split()))

    sides = "".join("r" if dtype.is_numeric() else "l" for dtype in table.dtypes)
    lines = [rf"\begin{{tabular}}{{{sides}}}", r"\hline"]
    lines.append(" & ".join(map(escaped, table.columns)) + r" \\ \hline")
    lines += [" & ".join(escaped(_cell(v)) for v in row) + r" \\" for row in table.iter_rows()]
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def _as_markdown(table: pl.DataFrame) -> str:
    def escaped(value: str) -> str:
        value = " ".join(value.split()).replace("\\", "\\\\")
        return value.replace("|", "\\|").replace("<", "&lt;")

    lines = [" | ".join(map(escaped, table.columns))]
    lines.append(" | ".join("---:" if dtype.is_numeric() else "---" for dtype in table.dtypes))
    lines += [" | ".join(escaped(_cell(value)) for value in row) for row in table.iter_rows()]
    return "".join(f"| {line} |\n" for line in lines)


def _cell(value: Any) -> str:
    """Return a value as people read it; CSV has all of its digits."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4f}" if 0.001 <= abs(value) < 1000 or value == 0 else f"{value:.4g}"


_WRITERS: dict[str, Callable[[pl.DataFrame], str]] = {
    "csv": _as_csv,
    "tex": _as_latex,
    "md": _as_markdown,
}
