"""The last section of a report: the command, the settings and the versions behind it."""

from __future__ import annotations

import json
from typing import Any

from quire.report._html import esc, section, table

__all__ = ["repeat_section"]


def repeat_section(settings: dict[str, Any], versions: dict[str, str]) -> str:
    """Return what is needed to make a report again.

    Parameters
    ----------
    settings : dict
        By name; ``command`` is shown by itself.
    versions : dict
        Packages and their versions.
    """
    parts = []
    command = settings.get("command")
    if command:
        parts.append(f'<h3>Command</h3><pre tabindex="0"><code>{esc(command)}</code></pre>')
    rows = [
        [key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]
        for key, value in settings.items()
        if key != "command"
    ]
    if rows:
        parts.append("<h3>Settings</h3>" + table(["Setting", "Value"], rows, "Settings"))
    listed = [[name, version] for name, version in versions.items()]
    parts.append("<h3>Versions</h3>" + table(["Package", "Version"], listed, "Versions"))
    return section("repeat", "To repeat it", *parts)
