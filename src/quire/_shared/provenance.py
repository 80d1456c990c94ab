"""Where a result comes from: data, command, seed, versions, and what the machine ran.

It stands in pages and in model files as JSON, and is read from files that anybody may have written.
Reading checks it against what it may be: kinds, lengths, depth. Nothing in it is ever run.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any

__all__ = [
    "PROVENANCE_FORMAT",
    "check_plain",
    "checked_provenance",
    "installed_versions",
    "provenance",
    "working_options",
]

PROVENANCE_FORMAT = 1
_PACKAGES = ("quire", "scikit-learn", "numpy", "scipy", "polars")
_DIGEST = re.compile("[0-9a-f]{64}")
_LONGEST = 65_536  # characters of a command, and of any text in settings
_MOST_INPUTS, _MOST_COLUMNS = 100, 20_000
_DEEPEST, _MOST_VALUES = 30, 200_000


def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers depend on."""
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {**versions, "platform": platform.platform()}


def working_options() -> dict[str, Any]:
    """Return how kernels work here: threads and instructions. Numbers do not depend on it."""
    from quire._core.base import simd_level
    from quire._shared.threads import effective_threads

    return {"threads": effective_threads(None), "instructions": simd_level()}


def provenance(
    *,
    command: str | None = None,
    inputs: list[dict[str, Any]] | None = None,
    rows: dict[str, Any] | None = None,
    seed: int | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return where a result comes from, ready for JSON.

    Parameters
    ----------
    command : str, default=None
        The command line; None for what was made in Python.
    inputs : list of dict, default=None
        The files: ``role``, ``name`` and ``sha256`` of each, the last one None if not known.
    rows : dict, default=None
        From :func:`~quire._shared.digests.rows_digest`.
    seed : int, default=None
        Of the random numbers.
    **more : object
        ``settings`` and ``versions``, where they do not stand beside it, and ``kind``.
    """
    return {
        "format": PROVENANCE_FORMAT,
        **more,
        "command": command,
        "inputs": list(inputs or ()),
        "rows": rows,
        "seed": seed,
        "working": working_options(),
    }


def checked_provenance(value: Any) -> dict[str, Any]:
    """Return provenance from a file, if it is what it may be.

    Parameters
    ----------
    value : object
        From JSON.

    Returns
    -------
    dict
        The same, with all entries.

    Raises
    ------
    ValueError
        If it is not; the message names the entry.
    """
    if not isinstance(value, Mapping):
        raise ValueError("provenance is not a dictionary")
    number = value.get("format")
    if type(number) is not int or number < 1:
        raise ValueError("provenance has no format")
    if number > PROVENANCE_FORMAT:
        raise ValueError(
            f"provenance has format {min(number, 10**6)}; this quire knows {PROVENANCE_FORMAT}"
        )
    check_plain(value)
    found = {
        "format": number,
        "kind": None,
        "command": None,
        "inputs": [],
        "rows": None,
        "seed": None,
        "settings": {},
        "versions": {},
        "working": {},
        **value,
    }
    checks: dict[str, Callable[[Any], bool]] = {
        "kind": _is_name_or_none,
        "command": lambda one: one is None or isinstance(one, str),
        "inputs": _are_inputs,
        "rows": lambda one: one is None or _are_rows(one),
        "seed": lambda one: one is None or type(one) is int,
        "settings": lambda one: isinstance(one, dict),
        "versions": _are_texts,
        "working": lambda one: isinstance(one, dict),
    }
    unknown = found.keys() - checks.keys() - {"format"}
    if unknown:
        raise ValueError(f"provenance has {ascii(min(unknown))[:40]}, which is not known")
    for name, is_one in checks.items():
        if not is_one(found[name]):
            raise ValueError(f"{name} of provenance is not what it has to be")
    return found


def check_plain(value: Any, most: int = _MOST_VALUES, longest: int = _LONGEST) -> None:
    """Refuse data from JSON that is nested too deeply, has too many values or too long texts.

    Parameters
    ----------
    value : object
        From JSON.
    most : int
        Values in it, at most.
    longest : int
        Characters of a text, at most.
    """
    n, waiting = 0, [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        n += 1
        if depth > _DEEPEST:
            raise ValueError(f"it is nested more than {_DEEPEST} deep")
        if isinstance(one, str) and len(one) > longest:
            raise ValueError(f"it has a text of {len(one):,} characters")
        if isinstance(one, dict):
            n += len(one)
            if any(len(key) > longest for key in one):
                raise ValueError("it has a name that is too long")
            waiting += [(inner, depth + 1) for inner in one.values()]
        elif isinstance(one, list):
            waiting += [(inner, depth + 1) for inner in one]
        if n + len(waiting) > most:
            raise ValueError(f"it has more than {most:,} values")


def _is_name_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= 40)


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _are_inputs(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= _MOST_INPUTS
        and all(
            isinstance(one, dict)
            and one.keys() == {"role", "name", "sha256"}
            and isinstance(one["role"], str)
            and isinstance(one["name"], str)
            and (one["sha256"] is None or _is_digest(one["sha256"]))
            for one in value
        )
    )


def _are_rows(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"n", "texts", "labels", "columns", "sha256"}
        and type(value["n"]) is int
        and 0 <= value["n"] < 2**63
        and all(value[name] is None or _is_digest(value[name]) for name in ("texts", "labels"))
        and isinstance(value["columns"], dict)
        and len(value["columns"]) <= _MOST_COLUMNS
        and all(map(_is_digest, value["columns"].values()))
        and _is_digest(value["sha256"])
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
