"""The figures of a run as plain data: what the report shows and what the JSON files hold.

Everything derived (medians, ratios, verdicts) is computed here and nowhere else. It is written
into the JSON for readers, and computed again when a file is read.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, TypeAlias

__all__ = [
    "ComparisonRecord",
    "FailedRecord",
    "Json",
    "Measured",
    "Point",
    "Quality",
    "Record",
    "ScalingRecord",
    "record_from_json",
]

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Quality:
    """Outcome of a check: whether the sides did the same work, in words and in figures."""

    passed: bool
    summary: str
    figures: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """Times of all runs of one side, and its peak memory above the data, in millions of bytes.

    `fresh` are the times of single calls, each in a process of its own.
    """

    seconds: list[float]
    peak_mb: float | None = None
    fresh: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.seconds)


@dataclass(frozen=True)
class ComparisonRecord:
    """Several sides on the same data. The first side is the subject, the others are its peers."""

    workload: str
    title: str
    data: str
    threads: int
    sides: dict[str, Measured]
    quality: Quality
    mark: float | None = None  # the subject is to be at least so many times faster
    memory_mark: float | None = None  # and is to need at most this share of the peer's memory
    fresh_mark: float | None = None  # and so many times in a single call of a fresh process
    per: str = "run"  # what the seconds are for
    partial: bool = False  # on less data than the marks are meant for
    notes: list[str] = field(default_factory=list)
    measured: str = ""  # date

    @property
    def subject(self) -> str:
        return next(iter(self.sides))

    @property
    def peers(self) -> list[str]:
        return list(self.sides)[1:]

    @property
    def best_peer(self) -> str | None:
        """The fastest peer: the one that the mark is about."""
        return min(self.peers, key=lambda peer: self.sides[peer].median, default=None)

    @property
    def passed(self) -> bool:
        return self.quality.passed

    def ratio(self, peer: str) -> float:
        """How many times faster the subject is than a peer, by medians."""
        return self.sides[peer].median / self.sides[self.subject].median

    def memory_ratio(self, peer: str) -> float | None:
        """Peak memory of the subject as a share of a peer's; None where it was not measured."""
        own, other = self.sides[self.subject].peak_mb, self.sides[peer].peak_mb
        return own / other if own is not None and other else None

    def fresh_ratio(self, peer: str) -> float | None:
        """How many times faster a single call in a fresh process is; None if not measured."""
        own, other = self.sides[self.subject].fresh, self.sides[peer].fresh
        return median(other) / median(own) if own and other else None

    def fresh_verdict(self, peer: str) -> str:
        """Return pass or miss for single calls in fresh processes against the fastest peer."""
        ratio = self.fresh_ratio(peer)
        if self.fresh_mark is None or ratio is None or peer != self.best_peer:
            return ""
        if self.partial:
            return "small data"
        return "pass" if ratio >= self.fresh_mark else "miss"

    def verdict(self, peer: str) -> str:
        """Return pass or miss against the fastest peer, and nothing where no mark applies."""
        if not self.quality.passed:
            return "FAILED"
        if self.mark is None or peer != self.best_peer:
            return ""
        if self.partial:
            return "small data"
        return "pass" if self.ratio(peer) >= self.mark else "miss"

    def memory_verdict(self, peer: str) -> str:
        """Return pass or miss for the memory mark against the fastest peer."""
        ratio = self.memory_ratio(peer)
        if self.memory_mark is None or ratio is None or peer != self.best_peer:
            return ""
        if self.partial:
            return "small data"
        return "pass" if ratio <= self.memory_mark else "miss"

    def to_json(self) -> Json:
        """Return plain data, with the derived figures beside the measured ones."""
        plain: Json = {"kind": "comparison", **asdict(self)}
        for name, side in self.sides.items():
            plain["sides"][name]["median"] = side.median
        plain["ratios"] = {
            peer: {
                "speed": self.ratio(peer),
                "verdict": self.verdict(peer),
                "fresh": self.fresh_ratio(peer),
                "fresh_verdict": self.fresh_verdict(peer),
                "memory": self.memory_ratio(peer),
                "memory_verdict": self.memory_verdict(peer),
            }
            for peer in self.peers
        }
        return plain

    @classmethod
    def from_json(cls, plain: Json) -> ComparisonRecord:
        """Return the record that `to_json` wrote."""
        given = {key: value for key, value in plain.items() if key not in {"kind", "ratios"}}
        given["sides"] = {
            name: Measured(side["seconds"], side["peak_mb"], side.get("fresh", []))
            for name, side in plain["sides"].items()
        }
        given["quality"] = Quality(**plain["quality"])
        return cls(**given)


@dataclass(frozen=True)
class Point:
    """One size of a scaling run."""

    megabytes: float
    seconds: list[float]
    peak_mb: float | None = None

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def speed(self) -> float:
        """Millions of bytes per second."""
        return self.megabytes / self.median


@dataclass(frozen=True)
class ScalingRecord:
    """The subject alone on growing data: time is proportional to size to the power `exponent`."""

    workload: str
    title: str
    data: str
    threads: int
    points: list[Point]
    exponent: float
    mark: float  # the exponent is to be at most this
    partial: bool = False  # on less data than the marks are meant for
    notes: list[str] = field(default_factory=list)
    measured: str = ""

    passed = True  # nothing to compare with

    @property
    def verdict(self) -> str:
        if self.partial:
            return "small data"
        return "pass" if self.exponent <= self.mark else "miss"

    def to_json(self) -> Json:
        """Return plain data, with the derived figures beside the measured ones."""
        plain: Json = {"kind": "scaling", **asdict(self), "verdict": self.verdict}
        for point, written in zip(self.points, plain["points"], strict=True):
            written["mb_per_second"] = point.speed
        return plain

    @classmethod
    def from_json(cls, plain: Json) -> ScalingRecord:
        """Return the record that `to_json` wrote."""
        given = {key: value for key, value in plain.items() if key not in {"kind", "verdict"}}
        given["points"] = [
            Point(point["megabytes"], point["seconds"], point["peak_mb"])
            for point in plain["points"]
        ]
        return cls(**given)


@dataclass(frozen=True)
class FailedRecord:
    """A workload that gave no figures: it was skipped, or it raised."""

    workload: str
    title: str
    reason: str
    skipped: bool = False

    data = ""
    threads = 0

    @property
    def passed(self) -> bool:
        return self.skipped

    def to_json(self) -> Json:
        """Return plain data."""
        return {"kind": "failed", **asdict(self)}

    @classmethod
    def from_json(cls, plain: Json) -> FailedRecord:
        """Return the record that `to_json` wrote."""
        return cls(**{key: value for key, value in plain.items() if key != "kind"})


Record: TypeAlias = ComparisonRecord | ScalingRecord | FailedRecord
_KINDS: dict[str, type[ComparisonRecord] | type[ScalingRecord] | type[FailedRecord]] = {
    "comparison": ComparisonRecord,
    "scaling": ScalingRecord,
    "failed": FailedRecord,
}


def record_from_json(plain: Json) -> Record:
    """Return the record of any kind that its `to_json` wrote."""
    return _KINDS[plain["kind"]].from_json(plain)
