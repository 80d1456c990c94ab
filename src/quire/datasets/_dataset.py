"""What every dataset object shares: frozen fields and a representation that fits on a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Base of the dataset objects: a frozen record whose fields are read by name."""

    def __repr__(self) -> str:
        shown = (f"{field.name}={_brief(getattr(self, field.name))}" for field in fields(self))
        return f"{type(self).__name__}({', '.join(shown)})"


def _brief(value: object) -> str:
    """Describe one field: small values in full, arrays and collections by type and size."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return f"<{type(value).__name__} {'x'.join(map(str, shape))}>"
    if isinstance(value, (list, tuple, Mapping)):
        return f"<{type(value).__name__} of {len(value)}>"
    return repr(value)
