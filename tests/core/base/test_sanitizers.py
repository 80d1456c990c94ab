"""The build with sanitizers sees mistakes, and its reports say where they are."""

import re
import subprocess
import sys

import pytest
from fuzz.memory import is_sanitized

from quire import _core

CALL = "import ctypes, sys; from quire import _core; ctypes.CDLL(_core.__file__)"


@pytest.mark.skipif(not is_sanitized(), reason="the build without sanitizers")
@pytest.mark.parametrize(
    ("mistake", "number", "line", "words"),
    [
        ("quire_read_beside", 4, 9, "heap-buffer-overflow"),
        ("quire_add_beyond", 1, 13, "signed integer overflow"),
    ],
)
def test_reports_name_the_mistake_its_function_and_line(mistake, number, line, words):
    code = f"{CALL}.{mistake}({number})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode != 0
    assert words in done.stderr
    assert re.search(rf"{mistake}\b.*sanitizer_probe\.cpp:{line}\b", done.stderr)
    subprocess.run([sys.executable, "-c", f"{CALL}.{mistake}(0)"], check=True)


def test_the_build_for_users_has_no_mistakes_on_purpose():
    import ctypes

    core = ctypes.CDLL(_core.__file__)
    assert hasattr(core, "quire_get_thread_limit")
    assert hasattr(core, "quire_read_beside") is is_sanitized()
