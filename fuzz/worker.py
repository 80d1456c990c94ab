"""A worker: makes the inputs that it is told to, checks them and says how it went.

``python -m fuzz.worker TARGET FOLDER`` reads lines from its standard input: ``make SEED INDEX`` or
``read PATH``. It answers each with two lines of JSON: when the input is made and lies in
``FOLDER/input``, and when it is checked. What targets print goes to ``FOLDER/printed``; what the
interpreter and sanitizers say at the end is for the runner to keep.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import traceback
from pathlib import Path
from random import Random
from typing import Any

from fuzz.memory import forget_peak, held, limit_data, peak
from fuzz.target import Finding, Target, named_target

__all__ = ["main"]

_SOURCES = (str(Path(__file__).parent), str(Path(__file__).parents[1] / "src"))
_LAST_RESORT = 3 << 30  # beyond what a target may take, where the kernel refuses


def checked(target: Target, content: bytes) -> dict[str, Any]:
    """Check one input and return what is to be told of it."""
    bound = target.memory_bound(content) + target.spare_memory
    limit_data(bound + _LAST_RESORT)
    forget_peak()
    before = held()
    try:
        units = target.check(content)
    except (Exception, SystemExit) as error:
        return {"wrong": _kind(error), "where": _place(error), "report": _report(error)}
    except BaseException as error:  # Rust's panics are no exceptions to Python
        if isinstance(error, KeyboardInterrupt):
            raise
        return {"wrong": _kind(error), "where": _place(error), "report": _report(error)}
    grown = peak() - before
    if grown > bound:
        return {
            "wrong": "memory",
            "where": "",
            "report": f"{grown >> 20} MB were taken; {bound >> 20} MB are allowed",
        }
    return {"units": units, "grown": grown}


def _kind(error: BaseException) -> str:
    return "finding" if isinstance(error, Finding) else type(error).__name__


def _place(error: BaseException) -> str:
    """Return the last line of our own that the error passed."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(_SOURCES)] or frames
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    if isinstance(error, Finding):  # the first words say which
        place += " " + " ".join(str(error).split()[:4])
    return place


def _report(error: BaseException) -> str:
    with_text = "".join(traceback.format_exception(error))
    return with_text if len(with_text) < 20_000 else with_text[:5_000] + "..." + with_text[-15_000:]


def main(name: str, folder: Path) -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    questions = os.fdopen(os.dup(0), "r")
    nothing = os.open(os.devnull, os.O_RDONLY)
    printed = os.open(folder / "printed", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(nothing, 0)
    os.dup2(printed, 1)
    faulthandler.enable(2)
    target = named_target(name)
    (folder / "own").mkdir(exist_ok=True)
    target.prepare(folder / "own")
    print(json.dumps({"ready": held()}), file=answers)
    for line in questions:
        os.ftruncate(1, 0)
        kind, _, rest = line.strip().partition(" ")
        if kind == "make":
            seed, index = rest.split()
            try:
                content = target.make(Random(f"{name} {seed} {index}"))
            except MemoryError:  # what may be taken is limited already, and making takes it, too
                print(json.dumps({"made": 0, "allowed": held()}), file=answers)
                print(json.dumps({"units": 0, "grown": 0}), file=answers)
                continue
        else:
            content = Path(rest).read_bytes()
        (folder / "input").write_bytes(content)
        bound = target.memory_bound(content) + target.spare_memory
        print(json.dumps({"made": len(content), "allowed": held() + bound}), file=answers)
        print(json.dumps(checked(target, content)), file=answers)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
