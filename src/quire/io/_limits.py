"""How much of anything a source may hold before reading stops: what is past it is no corpus.

A few kilobytes can unfold into terabytes, and a file without line breaks into one record. Reading
such a thing ends with an error that names the limit and how to raise it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What a source may hold at most.

    Parameters
    ----------
    record : int, default=67_108_864
        Bytes of one record: a row of CSV, a line of NDJSON, a text of a folder, a mail.
    columns : int, default=10_000
        Columns of a table.
    expansion : int, default=200
        How many times as large compressed data may become, counted past the first 64 MiB. The
        memory for an Excel file goes by it as well.

    Examples
    --------
    >>> from quire.io import Limits
    >>> Limits(record=10**9).record
    1000000000
    >>> Limits.parse("record=1GB, columns=20000")
    Limits(record=1000000000, columns=20000, expansion=200)
    """

    record: int = 2**26
    columns: int = 10_000
    expansion: int = 200

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(
                    f"the limit {field.name} must be a whole number of at least 1; got {value!r}"
                )

    @classmethod
    def parse(cls, text: str) -> "Limits":
        """Read limits as people write them: ``record=1GB,columns=20000``."""
        changes: dict[str, int] = {}
        known = [field.name for field in fields(cls)]
        for item in filter(None, (part.strip() for part in text.split(","))):
            name, _, value = (part.strip().lower() for part in item.partition("="))
            digits = value.rstrip("bgikm")
            if name not in known or not digits.isdecimal() or value[len(digits) :] not in _UNITS:
                raise ValueError(
                    f"{item!r} is no limit. There are {', '.join(known)}; write them as in "
                    "record=1GB,columns=20000,expansion=1000"
                )
            changes[name] = int(digits[:18]) * _UNITS[value[len(digits) :]]
        return replace(cls(), **changes)


def limits_of(given: "Limits | Mapping[str, int] | str | None") -> Limits:
    """Return the limits that a caller gave in one of the ways there are."""
    if given is None:
        return Limits()
    if isinstance(given, Limits):
        return given
    return Limits.parse(given) if isinstance(given, str) else Limits(**given)


def too_long(name: str, what: str, limits: Limits, hint: str = "") -> str:
    """Write the message for a record past the limit."""
    return (
        f"{name}: {what} is longer than {limits.record:,} bytes.{hint} If it is meant to be so "
        f"long, pass limits='record={_twice(limits.record)}' or more."
    )


def _twice(size: int) -> str:
    """Give twice the size, rounded up, as an example that is easy to type."""
    return f"{max(1, -(-2 * size // 10**6))}MB"
