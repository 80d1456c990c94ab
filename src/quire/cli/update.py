"""``quire update``: a saved model learns on from more documents, as a new file."""

from __future__ import annotations

from typing import Annotated

from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._provenance import data_of, read_from, where_from
from quire.cli._reading import KEEP_EMPTY, Reading
from quire.cli._show import as_text, new_table, show, show_json, working
from quire.cli._tables import check_places
from quire.cli._tell import tell, tell_written
from quire.cli._wording import in_options

__all__ = ["update"]


def update(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A .quire file; it stays.")],
    file: given.File,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="The new .quire file.")
    ],
    text: given.Text = None,
    label: given.Label = None,
    reading: Reading = KEEP_EMPTY,
    as_json: given.Json = False,
) -> None:
    """Let a saved model learn on from new documents with labels; write it to a new file.

    Models that count can: naive Bayes. The old documents are not needed. The vocabulary and the
    settings stay, so that new words are not learned, and so do the classes. Scores are not kept,
    since they were those of the old model: quire evaluate.
    """
    check_places(None, None, output, inputs=[model, file])
    with working("Learning"):
        import quire
        from quire.model_selection import update as update_model
        from quire.persistence import load_with_info

        loaded, info = load_with_info(read_from("model", model))
        metadata = dict(info.metadata or {})
        found = update_model(
            loaded,
            read_from("file", file),
            label or metadata.get("label"),
            text=text or metadata.get("text") or None,
            **reading.options(),
        )
    for note in found.notes:
        tell(in_options(note))
    if isinstance(metadata.get("documents"), int):
        metadata["documents"] += found.n_documents
    metadata.pop("terms", None)  # they were counted in other documents
    metadata["updates"] = [*metadata.get("updates", ()), found.to_dict()]
    metadata["provenance"] = where_from(data_of(None), None)
    with working(f"Saving {output}"):
        quire.save(found.model, output, settings=info.settings, metadata=metadata)
    if as_json:
        show_json({"file": file, "model": output, **found.to_dict()})
        return
    table = new_table()
    table.add_column("class", overflow="fold")
    table.add_column("new documents", justify="right", no_wrap=True)
    for name, n in found.by_class.items():
        table.add_row(as_text(name), f"{n:,}")
    noun = "document" if found.n_documents == 1 else "documents"
    parts = [f"Learned from {found.n_documents:,} more {noun}"]
    if found.n_empty:
        parts.append(f"{found.n_empty:,} of them have no word that the model knows")
    show("; ".join(parts), table)
    tell_written(output)
