"""What every dataset object shares: frozen fields and a representation that fits on a line."""

from __future__ import annotations

from dataclasses import dataclass, fields

from quire._shared.notebooks import ShownInNotebooks, brief

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(ShownInNotebooks):
    """Base of the dataset objects: a frozen record whose fields are read by name."""

    def __repr__(self) -> str:
        shown = (f"{field.name}={brief(getattr(self, field.name))}" for field in fields(self))
        return f"{type(self).__name__}({', '.join(shown)})"
