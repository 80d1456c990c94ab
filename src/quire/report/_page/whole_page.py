"""The page of a report: its sections in the shell, and last how to repeat it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from quire._shared.page.html import NOTHING, Html
from quire._shared.page.sections import Section
from quire._shared.page.shell import shell
from quire.report._page.numbers_for_programs import data_scripts
from quire.report._page.provenance import repeat_section

__all__ = ["ReportData", "whole_page"]


class ReportData(Protocol):
    """What the data of every report has."""

    @property
    def title(self) -> str:
        """The heading of the page."""

    @property
    def created(self) -> str:
        """When the report was made."""

    @property
    def settings(self) -> dict[str, Any]:
        """What was set, ``"command"`` where a command made it, and ``"data"``."""

    @property
    def versions(self) -> dict[str, str]:
        """Packages."""


def whole_page(
    data: ReportData,
    about: str,
    sections: Iterable[Section],
    *,
    styles: Iterable[Html] = (),
    scripts: Iterable[Html] = (),
    more_settings: Html = NOTHING,
) -> Html:
    """Return the page of a report.

    Parameters
    ----------
    data : ReportData
        What the page is called, when and how it was made.
    about : str
        What it is about, for the line below its heading.
    sections : iterable of Section
        Those that are empty are left out; the one that says how to repeat the report comes last.
    styles, scripts : iterable of Html, default=()
        Of its own, as :func:`shell` takes them.
    more_settings : Html, default=NOTHING
        What else to say about how it was made.
    """
    repeat = repeat_section(data.settings, data.versions, more_settings)
    line = f"{about}. {data.created}."
    scripts = [*scripts, *data_scripts(data)]
    return shell(data.title, line, [*sections, repeat], styles=styles, scripts=scripts)
