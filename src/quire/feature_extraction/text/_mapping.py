"""A ``dict`` that can tell whether it was changed: what ``vocabulary_`` hands out.

Programs edit ``vocabulary_`` in place now and then, and expect ``transform`` to follow.
"""

from __future__ import annotations

from typing import Any

__all__ = ["TermMapping"]


class TermMapping(dict[Any, Any]):
    """Term to column. ``changed`` is set by every method that can change it."""

    changed = False

    def __setitem__(self, term: Any, column: Any) -> None:
        self.changed = True
        super().__setitem__(term, column)

    def __delitem__(self, term: Any) -> None:
        self.changed = True
        super().__delitem__(term)

    def __ior__(self, other: Any) -> TermMapping:  # type: ignore[misc]
        self.update(other)
        return self

    def clear(self) -> None:
        """Remove all terms."""
        self.changed = True
        super().clear()

    def pop(self, *args: Any) -> Any:
        """Remove a term and return its column."""
        self.changed = True
        return super().pop(*args)

    def popitem(self) -> tuple[Any, Any]:
        """Remove and return the last term and its column."""
        self.changed = True
        return super().popitem()

    def setdefault(self, term: Any, column: Any = None) -> Any:
        """Return the column of a term, which is added if it is not there."""
        self.changed = True
        return super().setdefault(term, column)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Add the terms of another mapping."""
        self.changed = True
        super().update(*args, **kwargs)

    def __reduce__(self) -> Any:
        """Make copies and pickles plain."""
        return dict, (dict(self),)
