"""The runner: keeps workers busy, outlives them, and keeps what broke them.

A worker is asked for one input at a time. If it ends, takes too long or grows beyond what is
allowed, it is stopped, the input that it left behind is kept with what it said, and another worker
takes its place.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.memory import held
from fuzz.target import Target, named_target

__all__ = ["Outcome", "Run", "Watch", "replay", "run"]

ROOT = Path(__file__).parents[1]
FAILURES = ROOT / "fuzz" / "failures"
_TICK = 0.1  # seconds between looks at the workers
_START = (
    300.0  # seconds for a worker to become ready: seeds are fitted, and the machine may be busy
)
_KEPT_OF_A_KIND = 3
_STARTS = 3  # how often in a row a worker may end before it is ready: memory may be short


@dataclass
class Outcome:
    """What was wrong with one input."""

    kind: str  # "crash", "hang", "memory", "finding" or the class of an exception
    where: str
    report: str
    source: str  # "SEED INDEX" or a path
    path: Path | None = None  # where the input is kept


@dataclass
class Run:
    """How a run went."""

    target: str
    seed: int
    units: int = 0
    inputs: int = 0
    seconds: float = 0.0
    grown: int = 0  # bytes, the most by one input
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def kinds(self) -> Counter[str]:
        """How often each kind of failure was seen."""
        return Counter(f"{outcome.kind} {outcome.where}".strip() for outcome in self.outcomes)


class Watch:
    """Tells a process that hangs from one that gets no processor, on a busy machine.

    It hangs if it has computed for longer than the limit, or if for so long it has neither computed
    nor wanted to.
    """

    def __init__(self, limit: float, now: float, seconds: float) -> None:
        self.limit = limit
        self.since = self.busy_at = now
        self.seconds_then = self.seconds_seen = seconds

    def hangs(self, now: float, seconds: float, *, wants_more: bool) -> bool:
        """Return whether it does, by the processor time so far and whether it waits for more."""
        if wants_more or seconds > self.seconds_seen:
            self.busy_at, self.seconds_seen = now, seconds
        return seconds - self.seconds_then > self.limit or now - self.busy_at > self.limit


class _Worker:
    """A process that checks inputs, and what is known of it."""

    def __init__(self, target: str, folder: Path, limit: float) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.limit = limit
        with (folder / "errors").open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.worker", target, str(folder)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                bufsize=1,
                start_new_session=True,
            )
        self.ready = False
        self.ended = False  # it will say no more
        self.source: str | None = None
        self.buffer = ""
        self._begin(_START)

    def _begin(self, limit: float) -> None:
        self.watch = Watch(limit, time.monotonic(), self._stat()[1])
        self.allowed = 0

    def ask(self, question: str, source: str) -> None:
        """Ask for one input."""
        self.source = source
        self._begin(self.limit)
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended; that is seen when its answers end
            self.process.stdin.write(question + "\n")

    def answers(self) -> Iterator[dict[str, Any]]:
        """Yield what was said since the last time."""
        assert self.process.stdout is not None
        said = os.read(self.process.stdout.fileno(), 1 << 20)
        self.ended = not said
        self.buffer += said.decode()
        *lines, self.buffer = self.buffer.split("\n")
        for line in lines:
            yield json.loads(line)

    def _stat(self) -> tuple[bool, float]:
        """Return whether the process wants a processor, and how long it has had one."""
        with suppress(OSError, IndexError):
            stat = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            return stat[0] == "R", sum(map(int, stat[11:15])) / os.sysconf("SC_CLK_TCK")
        return False, 0.0

    def trouble(self) -> tuple[str, str] | None:
        """Return what is wrong with a worker that has not answered yet, if anything is."""
        now, watch = time.monotonic(), self.watch
        wants_more, seconds = self._stat()
        if watch.hangs(now, seconds, wants_more=wants_more):
            computed, waited = seconds - watch.seconds_then, now - watch.since
            return "hang", f"{computed:.1f} s of computing, {waited:.1f} s in all"
        if self.allowed and (taken := held(self.process.pid)) > self.allowed:
            return "memory", f"{taken >> 20} MB are held; {self.allowed >> 20} MB are allowed"
        return None

    def stop(self, *, with_traceback: bool = False) -> int:
        """End the process and all it has started; return its exit status."""
        if with_traceback and self.process.poll() is None:
            self.process.send_signal(signal.SIGABRT)  # faulthandler shows where it was
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(2)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        status = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        return status

    def said(self) -> str:
        """Return the end of what the process said, on its way out or before."""
        try:
            text = (self.folder / "errors").read_text(errors="replace")
        except OSError:
            text = ""
        return text[-20_000:]


def _signature(said: str, default: str) -> str:
    """Return where a crash happened, as the report of a sanitizer or of Python has it."""
    summary = re.search(r"SUMMARY: (.*)", said)
    if summary:
        return re.sub(r"0x[0-9a-f]+|/\S*/", "", summary[1])
    runtime = re.search(r"(\S+): runtime error: (.{60})", said)
    if runtime:
        return f"{Path(runtime[1]).name} {runtime[2]}"
    for line in re.findall(r'File "(.*)", line (\d+)', said):
        if "fuzz/" in line[0] or "quire" in line[0]:
            return f"{default} {Path(line[0]).name}:{line[1]}"
    return default


class _Pool:
    """Workers of one target, and the questions that they get."""

    def __init__(
        self, name: str, n_workers: int, questions: Iterator[tuple[str, str]], run: Run
    ) -> None:
        self.name = name
        self.target: Target = named_target(name)
        self.questions = questions
        self.run = run
        self.scratch = Path(tempfile.mkdtemp(prefix="quire-fuzz-"))
        self.selector = selectors.DefaultSelector()
        self.n_started = 0
        self.n_false_starts = 0
        self.workers: set[_Worker] = set()
        self.is_over = False
        self.failures = FAILURES
        for _ in range(n_workers):
            self.start()

    def start(self) -> None:
        folder = self.scratch / str(self.n_started)
        self.n_started += 1
        worker = _Worker(self.name, folder, self.target.seconds)
        self.workers.add(worker)
        assert worker.process.stdout is not None
        self.selector.register(worker.process.stdout, selectors.EVENT_READ, worker)

    def next(self, worker: _Worker) -> None:
        """Give a worker its next question, or let it go."""
        question = None if self.is_over else next(self.questions, None)
        if question is None:
            worker.source = None
            self.remove(worker)
        else:
            worker.ask(*question)

    def remove(self, worker: _Worker, *, with_traceback: bool = False) -> int:
        assert worker.process.stdout is not None
        self.selector.unregister(worker.process.stdout)
        self.workers.discard(worker)
        return worker.stop(with_traceback=with_traceback)

    def lost(self, worker: _Worker, kind: str, report: str) -> None:
        """Note that a worker has ended or had to be stopped, and start another."""
        if kind == "crash":
            with suppress(subprocess.TimeoutExpired):  # its own status, not that of being stopped
                worker.process.wait(10)
        status = self.remove(worker, with_traceback=kind == "hang")
        said = worker.said()
        if not worker.ready:
            self.n_false_starts += 1
            if self.n_false_starts < _STARTS:
                self.start()
                return
            raise RuntimeError(f"A worker of {self.name} did not start: {report}\n{said}")
        where = ""
        if kind == "crash":
            report = f"ended with status {status}"
            if status < 0:
                report = f"ended by {signal.Signals(-status).name}"
            where = _signature(said, report)
        elif kind == "hang":
            where = _signature(said, "")
        with suppress(Exception):  # an input that was not finished
            where = f"{self.target.describe((worker.folder / 'input').read_bytes())} {where}"
        self.note(worker, kind, where, f"{report}\n{said}")
        shutil.rmtree(worker.folder, ignore_errors=True)
        self.start()

    def note(self, worker: _Worker, kind: str, where: str, report: str) -> None:
        outcome = Outcome(kind, where, report, str(worker.source))
        if self.run.kinds[f"{kind} {where}".strip()] < _KEPT_OF_A_KIND:
            outcome.path = self.keep(worker, outcome)
        self.run.outcomes.append(outcome)

    def keep(self, worker: _Worker, outcome: Outcome) -> Path:
        folder = self.failures / self.name.replace(":", "_")
        folder.mkdir(parents=True, exist_ok=True)
        input_path = worker.folder / "input"
        content = input_path.read_bytes() if input_path.exists() else b""
        name = hashlib.sha256(content).hexdigest()[:16]
        path = folder / f"{name}.input"
        path.write_bytes(content)
        head = f"{outcome.kind} {outcome.where}\ntarget {self.name}, input {outcome.source}\n"
        path.with_suffix(".txt").write_text(head + "\n" + outcome.report, encoding="utf-8")
        return path

    def step(self) -> None:
        """Wait a moment for answers, and look at those that have not answered."""
        for key, _ in self.selector.select(_TICK):
            self.hear(key.data)
        for worker in list(self.workers):
            trouble = worker.trouble()
            if trouble is not None:
                self.lost(worker, *trouble)

    def hear(self, worker: _Worker) -> None:
        if worker not in self.workers:
            return
        answers = list(worker.answers())
        if worker.ended:
            self.lost(worker, "crash", "it ended before it was ready")
            return
        for answer in answers:
            if "ready" in answer:
                worker.ready = True
                self.n_false_starts = 0
                self.next(worker)
            elif "made" in answer:
                worker.allowed = answer["allowed"]
            else:
                self.run.inputs += 1
                self.run.units += answer.get("units", 0)
                self.run.grown = max(self.run.grown, answer.get("grown", 0))
                if "wrong" in answer:
                    self.note(worker, answer["wrong"], answer["where"], answer["report"])
                self.next(worker)

    def close(self) -> None:
        for worker in list(self.workers):
            self.remove(worker)
        self.selector.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


def run(
    name: str,
    seed: int,
    *,
    seconds: float | None = None,
    count: int | None = None,
    workers: int = 1,
    failures: Path | None = None,
) -> Run:
    """Make and check inputs until the time is over or so many units are checked."""
    questions = ((f"make {seed} {index}", f"{seed} {index}") for index in range(1 << 62))
    return _run(name, seed, questions, seconds, count, workers, failures)


def replay(name: str, paths: list[Path], *, workers: int = 1, failures: Path | None = None) -> Run:
    """Check inputs that are kept in files."""
    questions = ((f"read {path.resolve()}", str(path)) for path in paths)
    return _run(name, 0, questions, None, None, min(workers, len(paths)), failures)


def _run(
    name: str,
    seed: int,
    questions: Iterator[tuple[str, str]],
    seconds: float | None,
    count: int | None,
    workers: int,
    failures: Path | None,
) -> Run:
    done = Run(name, seed)
    pool = _Pool(name, workers, questions, done)
    pool.failures = failures or FAILURES
    started: float | None = None  # when the first worker was ready: imports do not count
    try:
        while pool.workers:
            pool.step()
            if started is None and any(worker.ready for worker in pool.workers):
                started = time.monotonic()
            done.seconds = time.monotonic() - started if started is not None else 0.0
            late = seconds is not None and done.seconds > seconds
            if late or (count is not None and done.units >= count):
                pool.is_over = True
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    finally:
        pool.close()
    return done
