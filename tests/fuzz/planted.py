"""Targets with a defect each, to see whether the runner sees it."""

import os
import signal
import time
from contextlib import suppress

from fuzz.target import Finding, Target


class Sound(Target):
    seconds = 5.0
    spare_memory = 200 << 20

    def make(self, random):
        return str(random.random()).encode()

    def check(self, content):
        return 1


class Crash(Sound):
    def check(self, content):
        os.abort()


class Hang(Sound):
    seconds = 1.0

    def check(self, content):
        time.sleep(1000)


class Killed(Sound):
    def check(self, content):
        os.kill(os.getpid(), signal.SIGKILL)


class HalfSaid(Sound):
    """Ends in the middle of an answer."""

    def check(self, content):
        for descriptor in range(3, 20):
            with suppress(OSError):
                os.write(descriptor, b'{"units')
        os._exit(3)


class FalseStart(Sound):
    """Cannot be prepared at first."""

    def prepare(self, folder):
        marks = folder.parent.parent / "starts"
        with marks.open("a") as file:
            file.write("x")
        if len(marks.read_text()) < 3:
            os._exit(1)


class NeverReady(Sound):
    def prepare(self, folder):
        os._exit(1)


class Greedy(Sound):
    def check(self, content):
        return len(bytearray(os.urandom(1 << 20) * 400)) // (400 << 20)


class Wrong(Sound):
    def check(self, content):
        raise Finding("two and two are five")


class Error(Sound):
    def check(self, content):
        raise KeyError("nobody expects this")
