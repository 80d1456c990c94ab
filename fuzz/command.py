"""The command: ``python -m fuzz [TARGET ...]``."""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from fuzz.memory import is_sanitized
from fuzz.runner import FAILURES, ROOT, Run, replay, run
from fuzz.target import TARGETS, named_target

__all__ = ["main"]

LOG = ROOT / "fuzz" / "results.tsv"
_SHOWN = 6_000  # of an input and of a report
_COLUMNS = "date commit build target seed workers units seconds findings".split()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run targets one after the other; 1 if anything was found."""
    parser = argparse.ArgumentParser(
        prog="python -m fuzz",
        description="Check quire with random and hostile input. Seeds are fresh unless given.",
        epilog="Targets: " + ", ".join(TARGETS) + ". All of them by default.",
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="which targets")
    parser.add_argument("--seconds", type=float, help="for all targets together (default: 180)")
    parser.add_argument("--count", type=int, help="units for each target instead of a time")
    parser.add_argument("--seed", type=int, help="repeat a run")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--replay", type=Path, nargs="+", help="check kept inputs of one target")
    parser.add_argument("--failures", type=Path, default=FAILURES, help="where failing inputs go")
    parser.add_argument("--log", type=Path, default=LOG, help="where a line for each run is added")
    parser.add_argument("--reports", action="store_true", help="print what is found in full")
    given = parser.parse_args(arguments)
    names = given.targets or list(TARGETS)
    for name in names:
        if name not in TARGETS and ":" not in name:
            parser.error(f"{name!r} is not a target; there are {', '.join(TARGETS)}")
    if given.replay and len(names) != 1:
        parser.error("--replay needs one target")
    seconds = given.seconds
    if seconds is None and given.count is None:
        seconds = 180.0
    share = None if seconds is None else seconds / len(names)
    n_findings = 0
    for name in names:
        if given.replay:
            done = replay(name, given.replay, workers=given.workers, failures=given.failures)
        else:
            seed = secrets.randbits(32) if given.seed is None else given.seed
            print(f"{name}: seed {seed}", flush=True)
            commit = _commit()  # what runs, not what may be there when it ends
            done = run(
                name,
                seed,
                seconds=share,
                count=given.count,
                workers=given.workers,
                failures=given.failures,
            )
            _log(given.log, done, given.workers, commit)
        show(done, reports=given.reports)
        n_findings += len(done.outcomes)
    return 1 if n_findings else 0


def show(done: Run, *, reports: bool = False) -> None:
    """Print how a run went, and on request what it kept of each kind of failure."""
    unit = named_target(done.target).unit
    rate = done.units / done.seconds if done.seconds else 0.0
    print(
        f"{done.target}: {done.units:,} {unit} in {done.inputs:,} inputs, {done.seconds:.0f} s "
        f"({rate:,.0f} a second), at most {done.grown >> 20} MB taken, "
        f"{len(done.outcomes)} findings",
        flush=True,
    )
    for kind, times in done.kinds.most_common():
        kept = [o.path for o in done.outcomes if o.path and f"{o.kind} {o.where}".strip() == kind]
        print(f"  {times} x {kind}: {', '.join(str(path) for path in kept)}", flush=True)
    for outcome in done.outcomes if reports else []:
        if outcome.path is not None:
            print(f"\n{outcome.path}:", outcome.path.read_bytes()[:_SHOWN], flush=True)
            print(outcome.path.with_suffix(".txt").read_text(encoding="utf-8")[:_SHOWN], flush=True)


def _commit() -> str:
    with suppress(OSError, subprocess.CalledProcessError):
        return subprocess.check_output(
            ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True, stderr=subprocess.DEVNULL
        ).strip()
    return "unknown"


def _log(path: Path, done: Run, workers: int, commit: str) -> None:
    row = (
        datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        commit,
        "sanitized" if is_sanitized() else "release",
        done.target,
        done.seed,
        workers,
        done.units,
        round(done.seconds),
        len(done.outcomes),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text("\t".join(_COLUMNS) + "\n", encoding="utf-8")
    with path.open("a", encoding="utf-8") as file:
        file.write("\t".join(map(str, row)) + "\n")
