"""What a terminal is sent by a command: a pseudo-terminal, and data that would take it over."""

import os
import pty
import re
import struct
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

# Copying to the clipboard, the bell, blinking, a C1 control, backspace, delete, turning.
HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x1b[5;35mred\x9b1m\x08\x7f\u202e[red][link=x]"
MARKED = "␛]52;c;ZXZpbA==␇␛[5;35mred\\x9b1m␈␡\\u202e[red][link=x]"
OWN_MOVES = re.compile(r"\x1b\[(?:\?25[lh]|[0-9]*[ABCDGK]|[0-9;]*m)")  # that rich makes
_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BLINKING = "\x1b[5"


def on_a_terminal(code: str, folder: Path, columns: int = 140, status: int = 0) -> str:
    """Run Python code whose standard output and error are a terminal; return what that is sent."""
    control, terminal = pty.openpty()
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    hidden = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "CI")
    settings = {key: value for key, value in os.environ.items() if key not in hidden}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        cwd=folder,
        env=settings | {"TERM": "xterm-256color"},
    )
    os.close(terminal)
    sent = bytearray()
    try:
        while part := os.read(control, 1 << 16):
            sent += part
    except OSError:  # Linux says so that the last writer has gone
        pass
    os.close(control)
    assert process.wait() == status, sent.decode()
    return sent.decode()


def obeyed(sent: str) -> set[str]:
    """Return the characters that a terminal would obey, but for those of the program itself."""
    found = set(_OBEYED.findall(OWN_MOVES.sub("", sent)))
    return found | ({_BLINKING} if _BLINKING in sent else set())
