"""What ``--export FOLDER`` does: tables and figures of a result as files of their own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from quire._shared.how_many import how_many
from quire.cli import _typer as typer
from quire.cli._show import working
from quire.cli._tell import tell

__all__ = ["ExportFolder", "check_export", "export_result"]

ExportFolder = Annotated[
    str | None,
    typer.Option(
        "--export",
        metavar="FOLDER",
        help="Write tables as CSV, LaTeX and Markdown, figures as SVG, PDF and PNG.",
    ),
]


def check_export(folder: str | None) -> None:
    """Raise an error before the work is done, if there can be no such folder."""
    if folder is not None and Path(folder).exists() and not Path(folder).is_dir():
        raise NotADirectoryError(f"{folder} is a file; --export needs a folder.")


def export_result(result: Any, folder: str | None, rows: Any = None) -> None:
    """Write a result to a folder, if one is named; without matplotlib, tables alone."""
    if folder is None:
        return
    with working(f"Writing {folder}"):
        from quire.report import export

        can_draw = find_spec("matplotlib") is not None
        files = export(result, folder, rows=rows, **({} if can_draw else {"figures": ()}))
    if not can_draw:
        tell("no figures: they need matplotlib: pip install 'quire[plot]'")
    tell(f"wrote {how_many(len(files), 'file')} to {folder}")
