"""Parts that all reports have: facts in a row, what to be careful about, how to repeat it."""

from __future__ import annotations

import json
from typing import Any

from quire.report._html import duration, esc, section, table

__all__ = ["facts", "repeat_section", "setting", "time_fact", "warning_box"]


def facts(shown: list[tuple[str, str]]) -> str:
    """Return names and numbers, each in a small box."""
    items = "".join(f"<div><dt>{esc(k)}</dt><dd>{esc(v)}</dd></div>" for k, v in shown)
    return f'<dl class="facts">{items}</dl>'


def time_fact(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Return how long the work took, for :func:`facts`, if the settings say so."""
    seconds = settings.get("seconds")
    return [("Time", duration(seconds))] if isinstance(seconds, float) else []


def warning_box(sentences: list[str]) -> str:
    """Return what to be careful about; nothing if there is nothing."""
    if not sentences:
        return ""
    items = "".join(f"<li>{esc(text)}</li>" for text in sentences)
    return f'<div class="warn"><h3>Careful</h3><ul>{items}</ul></div>'


def repeat_section(settings: dict[str, Any], versions: dict[str, str], *more: str) -> str:
    """Return the section that says how a report was made.

    Parameters
    ----------
    settings : dict
        What was set, and ``"command"`` where a command made it.
    versions : dict
        Packages.
    *more : str
        HTML to put between the two.
    """
    parts = []
    command = settings.get("command")
    if command:
        parts.append(f'<h3>Command</h3><pre tabindex="0"><code>{esc(command)}</code></pre>')
    rows = [[key, setting(value)] for key, value in settings.items() if key != "command"]
    if rows:
        parts.append("<h3>Settings</h3>" + table(["Setting", "Value"], rows, "Settings"))
    parts.extend(more)
    listed = [[name, version] for name, version in versions.items()]
    parts.append("<h3>Versions</h3>" + table(["Package", "Version"], listed, "Versions"))
    return section("repeat", "To repeat it", *parts)


def setting(value: object) -> str:
    """Return a setting as it is written down."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
