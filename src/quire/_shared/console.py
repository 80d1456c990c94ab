"""A console of rich that shows data: imported only when something is shown with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from quire._shared.terminal import visible

__all__ = ["DataConsole"]


class DataConsole(Console):
    """A console that lets no character of what it shows through that a terminal would obey.

    Its own colours and movements are added after this; those in a text become marks.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a string as text, marked before its width is measured."""
        return super().render_str(visible(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the pieces of what is shown, with marks."""
        for piece in super().render(renderable, options):
            if piece.control or piece.text.isprintable():
                yield piece
            else:
                yield piece._replace(text=visible(piece.text))
