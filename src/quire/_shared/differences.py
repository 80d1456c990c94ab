"""Two versions of the same data, compared value by value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Compared", "Difference", "compared", "takes_time"]

_SHOWN = 80  # characters of a value in a difference
_NOTHING = object()
_TIMED = ("seconds", "time", "times")
_MEMORY = ("mb",)


@dataclass(frozen=True)
class Difference:
    """One place where two versions differ.

    Attributes
    ----------
    place : str
        Where it is, as in ``leaderboard[0].mean``.
    then, now : str
        What stood there, and what stands there now; short.
    """

    place: str
    then: str
    now: str


@dataclass
class Compared:
    """What was found.

    Attributes
    ----------
    n_values : int
        Values that were compared.
    differences : list of Difference
        Places that differ, in their order.
    left_out : list of str
        Names of what was not compared: times and memory.
    """

    n_values: int = 0
    differences: list[Difference] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def add(self, other: Compared) -> None:
        """Take in what was found elsewhere."""
        self.n_values += other.n_values
        self.differences += other.differences
        self.left_out += [name for name in other.left_out if name not in self.left_out]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "values": self.n_values,
            "differences": [asdict(one) for one in self.differences],
            "left_out": self.left_out,
        }


def takes_time(name: str) -> bool:
    """Return whether a value is a time or an amount of memory, by its name.

    Examples
    --------
    >>> takes_time("fit_seconds"), takes_time("mean_fit_time"), takes_time("peak_mb")
    (True, True, True)
    >>> takes_time("times_seen"), takes_time("mean")
    (False, False)
    """
    last = name.rstrip("_").rpartition("_")[2]
    return last in _TIMED or last in _MEMORY


def compared(
    then: Any,
    now: Any,
    place: str = "",
    *,
    is_left_out: Callable[[str], bool] = takes_time,
) -> Compared:
    """Compare plain data, bit for bit.

    Parameters
    ----------
    then, now : object
        Made of dict, list, str, int, float, bool and None; checked for their depth.
    place : str, default=""
        Where they stand.
    is_left_out : callable
        Whether what has this name in a dictionary is not compared.

    Examples
    --------
    >>> found = compared({"mean": 0.5, "seconds": 1.0}, {"mean": 0.25, "seconds": 2.0})
    >>> found.differences, found.left_out
    ([Difference(place='mean', then='0.5', now='0.25')], ['seconds'])
    """
    found = Compared()
    waiting = [(then, now, place)]
    while waiting:
        one, other, where = waiting.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            names = [*one, *(name for name in other if name not in one)]
            for name in reversed(names):
                if is_left_out(name):
                    if name not in found.left_out:
                        found.left_out.append(name)
                    continue
                inner = f"{where}.{name}" if where else name
                waiting.append((one.get(name, _NOTHING), other.get(name, _NOTHING), inner))
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            places = range(len(one) - 1, -1, -1)
            waiting += [(one[k], other[k], f"{where}[{k}]") for k in places]
        else:
            found.n_values += 1
            if not _same(one, other):
                where = where or "the data"
                found.differences.append(Difference(where, _shown(one), _shown(other)))
    return found


def _same(one: Any, other: Any) -> bool:
    """Return whether two leaves are the same; of numbers, to the last bit and the sign of zero."""
    return type(one) is type(other) and (one is other or repr(one) == repr(other))


def _shown(value: Any) -> str:
    if value is _NOTHING:
        return "nothing"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, dict):
        if value.keys() == {"items", "sha256"}:
            return f"{value['items']:,} items, SHA-256 {str(value['sha256'])[:12]}..."
        return f"{len(value):,} entries"
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
