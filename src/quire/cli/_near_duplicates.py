"""What ``quire neighbors --duplicates`` shows and writes: groups of documents nearly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quire._shared.progress import counted
from quire.cli._show import new_table, show, show_json, working
from quire.cli._tables import write_table
from quire.cli._tell import tell_written

if TYPE_CHECKING:
    import polars as pl

    from quire.neighbors import TextSearch

__all__ = ["tell_duplicates"]

_ROWS = 3  # of a group
_SHORT = 120  # characters of a text


def tell_duplicates(
    search: TextSearch, file: str, threshold: float, shown: int, out: str | None, *, as_json: bool
) -> None:
    """Find near-duplicates, write them and show the most similar."""
    with counted("Comparing documents") as tell:
        found = search.duplicates(threshold, progress=tell)
    n_groups = found["group"].n_unique()
    in_groups = len(set(found["row"]) | set(found["other"]))
    if out is not None:
        with working(f"Writing {out}"):
            write_table(_with_texts(search, found), out)
    if as_json:
        show_json(
            {
                "file": file,
                "documents": len(search.texts_),
                "threshold": threshold,
                "pairs": len(found),
                "groups": n_groups,
                "documents_in_groups": in_groups,
                "found": found.to_dicts(),
            }
        )
    else:
        show(*_duplicate_parts(search, found, threshold, n_groups, in_groups, shown))
    tell_written(out)


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _with_texts(search: TextSearch, found: pl.DataFrame) -> pl.DataFrame:
    return found.with_columns(
        search.texts_.gather(found["row"]).alias("text"),
        search.texts_.gather(found["other"]).alias("other_text"),
    )


def _duplicate_parts(
    search: TextSearch,
    found: pl.DataFrame,
    threshold: float,
    n_groups: int,
    in_groups: int,
    shown: int,
) -> list[Any]:
    if not len(found):
        return [f"{len(search.texts_):,} documents, no two with a cosine of {threshold:g} or more"]
    head = (
        f"{len(search.texts_):,} documents, {_count(len(found), 'pair')} with a cosine of "
        f"{threshold:g} or more: {_count(n_groups, 'group')} of {in_groups:,} documents. With one "
        f"of each group kept, {in_groups - n_groups:,} could go."
    )
    from rich.text import Text

    table = new_table()
    for name in ("documents", "similarity", "rows"):
        table.add_column(
            name, justify="right" if name != "rows" else "left", no_wrap=name != "rows"
        )
    table.add_column("text", overflow="fold")
    few = found.filter(found["group"] < shown).sort("group", maintain_order=True)
    groups = few.partition_by("group", maintain_order=True)
    for pairs in groups:
        rows = sorted(set(pairs["row"]) | set(pairs["other"]))
        values = pairs["similarity"].to_list()
        least, most = min(values), max(values)
        spread = f"{least:.3f}" if least == most else f"{least:.3f}-{most:.3f}"
        listed = ", ".join(map(str, rows[:_ROWS])) + (" …" if len(rows) > _ROWS else "")
        plain = " ".join(search.texts_[rows[0]].split())
        cut = plain[:_SHORT] + ("…" if len(plain) > _SHORT else "")
        table.add_row(f"{len(rows):,}", spread, listed, Text(cut))
    rest = n_groups - shown
    more = f"... and {rest:,} more groups; --out writes all pairs." if rest > 0 else ""
    return [head, table, *([more] if more else [])]
