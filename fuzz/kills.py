"""A save that is killed at a random moment leaves the old file or the new one, whole.

An input is a delay. A child of the worker saves two models over each other without end and is
killed after the delay; then the file must be one of the two, and the next save must work.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from random import Random

import numpy as np

import quire
from fuzz.target import Finding, Target
from quire.linear_model import Ridge

__all__ = ["Kills"]


class Kills(Target):
    """SIGKILL during `quire.save`."""

    unit = "kills"

    def prepare(self, folder: Path) -> None:
        """Make two models whose files differ in size."""
        self.path = folder / "model.quire"
        self.models = []
        for size in (2_000, 60_000):
            X = np.random.default_rng(size).normal(size=(2, size))
            self.models.append(Ridge().fit(X, [0.0, 1.0]))
        quire.save(self.models[0], self.path)

    def make(self, random: Random) -> bytes:
        """Return a delay in microseconds."""
        return str(random.randrange(30_000)).encode()

    def check(self, content: bytes) -> int:
        """Kill a child that saves, and look at what it left."""
        child = os.fork()
        if child == 0:
            while True:
                for model in self.models:
                    quire.save(model, self.path)
        time.sleep(int(content) / 1e6)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WTERMSIG(status) != signal.SIGKILL:
            raise Finding(f"the child ended by itself with status {status}")
        self._look("after a kill")
        for model in self.models:
            quire.save(model, self.path)
            if quire.load(self.path).coef_.tobytes() != model.coef_.tobytes():
                raise Finding("the next save was not kept")
        left = [entry.name for entry in self.path.parent.iterdir() if entry != self.path]
        if left:
            raise Finding(f"the next save left {left}")
        return 1

    def _look(self, when: str) -> None:
        try:
            loaded = quire.load(self.path)
        except Exception as error:
            raise Finding(f"the file is damaged {when}: {error}") from error
        if all(loaded.coef_.tobytes() != model.coef_.tobytes() for model in self.models):
            raise Finding(f"the file is neither the old nor the new one {when}")
