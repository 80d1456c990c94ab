"""When and with what a report was made, for those who want to repeat it."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from quire._shared.page.html import Html, html
from quire._shared.page.sections import Section, section, titled
from quire._shared.page.tables import table

__all__ = ["changed_parameters", "installed_versions", "now", "repeat_section", "setting"]

_PACKAGES = ("quire", "scikit-learn", "numpy", "scipy", "polars")


def now() -> str:
    """Return the time in words."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def changed_parameters(estimator: Any) -> dict[str, Any]:
    """Return the class of an estimator, and its parameters that are not defaults.

    Parameters
    ----------
    estimator : object
        With scikit-learn's ``get_params``.
    """
    own = type(estimator)
    try:
        defaults = own().get_params(deep=False)
        current = estimator.get_params(deep=False)
    except (AttributeError, TypeError):
        return {"class": own.__name__}
    left_out = ("progress", "vectorizer", "verbose", "n_jobs")
    changed = {
        name: value
        for name, value in current.items()
        if name not in left_out and repr(value) != repr(defaults[name])
    }
    return {"class": own.__name__, **changed}


def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers depend on."""
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {**versions, "platform": platform.platform()}


def repeat_section(settings: dict[str, Any], versions: dict[str, str], *more: Html) -> Section:
    """Return the section that says how a report was made; all reports end with it.

    Parameters
    ----------
    settings : dict
        What was set, and ``"command"`` where a command made it.
    versions : dict
        Packages.
    *more : Html
        What stands between the two.
    """
    parts = []
    command = settings.get("command")
    if command:
        code = html('<pre tabindex="0"><code>{}</code></pre>', command)
        parts.append(titled("Command", code))
    rows = [[key, setting(value)] for key, value in settings.items() if key != "command"]
    if rows:
        parts.append(titled("Settings", table(["Setting", "Value"], rows, "Settings")))
    parts.extend(more)
    packages = [[name, version] for name, version in versions.items()]
    parts.append(titled("Versions", table(["Package", "Version"], packages, "Versions")))
    return section("repeat", "To repeat it", *parts)


def setting(value: object) -> str:
    """Return a setting as it is written down."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
