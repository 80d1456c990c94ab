"""Python in a process of its own, for what could hang, abort or take all memory."""

import subprocess
import sys

LONG = 240  # seconds: past any pause of a busy machine, far below what a hang takes


def run_python(code: str, *arguments: object, memory: int | None = None) -> str:
    """Run code that must end by itself; return what it printed.

    ``memory`` limits the address space, in bytes, on top of what is imported.
    """
    if memory is not None:
        code = (
            "import resource, polars, quire.io\n"
            "def _limit(more):\n"
            "    used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
            "    resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))\n"
            f"_limit({memory})\n" + code
        )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LONG,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout
