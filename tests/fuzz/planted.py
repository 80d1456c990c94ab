"""Targets with a defect each, to see whether the runner sees it."""

import os
import time

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


class Greedy(Sound):
    def check(self, content):
        return len(bytearray(os.urandom(1 << 20) * 400)) // (400 << 20)


class Wrong(Sound):
    def check(self, content):
        raise Finding("two and two are five")


class Error(Sound):
    def check(self, content):
        raise KeyError("nobody expects this")
