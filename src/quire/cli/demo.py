"""``quire demo``: the main job on a corpus that is already here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from quire.cli import _typer as typer
from quire.cli._arguments import Json, Models
from quire.cli._comparison import leaderboard, run_comparison, save_best, verdict, write_report
from quire.cli._show import show, show_json, working
from quire.cli._tell import tell

__all__ = ["demo"]

_SAMPLE = "Return the eigenvalues and eigenvectors of a symmetric matrix."


def demo(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write its files.")
    ] = "quire-demo",
    models: Models = "all",
    as_json: Json = False,
) -> None:
    """Show quire at work on a corpus that is already here.

    The corpus is the documentation inside Python and the packages that quire uses; the class of a
    document is its package. All models are compared on it, one prediction is explained, and the
    best model and a report are written. Nothing is downloaded.
    """
    with working("Reading documentation"):
        corpus = _corpus()
    found = run_comparison(corpus, models=models, cv=5, tell=None)
    if found.interrupted:
        raise KeyboardInterrupt
    with working("Explaining"):
        from quire.inspection import explain

        explanation = explain(found.model, _SAMPLE, n_terms=6)
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    files = {"model": str(folder / "model.quire"), "report": str(folder / "report.html")}
    save_best(found, corpus, files["model"])
    try:
        write_report(found, corpus, files["report"], "Docstrings by package")
    except ImportError as error:  # the charts are an extra
        tell(f"no report: {error}")
        del files["report"]
    if as_json:
        show_json({**found.to_dict(), "explanation": explanation.to_dict(), "files": files})
        return
    classes = "" if found.classes is None else f", {len(found.classes)} packages"
    show(
        f"{len(corpus):,} docstrings{classes}, 5 folds, {found.seconds:.1f} s",
        leaderboard(found),
        verdict(found),
        "",
        f'Why "{_SAMPLE}" is {explanation.prediction}:',
        explanation.to_rich(),
        "",
        _next_steps(files),
    )


def _corpus() -> Any:
    import polars as pl

    from quire.datasets import load_docstrings
    from quire.io import read_corpus

    data = load_docstrings()
    table = pl.DataFrame({"text": data.texts, "package": data.labels})
    corpus = read_corpus(table, text="text", label="package")
    return corpus


def _next_steps(files: dict[str, str]) -> str:
    lines = ["Wrote " + " and ".join(files.values()) + ". Try next:"]
    model = files["model"]
    lines.append(f"  quire inspect {model}")
    lines.append(f'  quire explain {model} "Parse a string as XML"')
    lines.append("  quire compare YOUR.csv --report report.html   (columns text and label)")
    return "\n".join(lines)
