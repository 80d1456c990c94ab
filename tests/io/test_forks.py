"""Reading in processes that were forked: an error instead of waiting for ever."""

import multiprocessing

import pytest
from tests.helpers.processes import run_python

_CHILD = """
import io, multiprocessing, sys
from quire.io import read_batches, read_corpus

def source():
    return io.StringIO("text,label\\nsome words,a\\nmore words,b\\n")

def child(answers):
    for read in (read_corpus, read_batches):
        try:
            found = read(source(), format="csv")
            answers.put(str(len(found if read is read_corpus else next(found))))
        except RuntimeError as error:
            answers.put(f"{type(error).__name__}: {error}")

if __name__ == "__main__":
    how, reads_before = sys.argv[1:]
    if reads_before == "yes":
        read_corpus(source(), format="csv")
    context = multiprocessing.get_context(how)
    answers = context.Queue()
    process = context.Process(target=child, args=(answers,))
    process.start()
    print(answers.get(), answers.get(), sep="\\n")
    process.join()
"""


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="processes cannot be forked here"
)
@pytest.mark.parametrize(("how", "before"), [("fork", "yes"), ("fork", "no"), ("spawn", "yes")])
def test_reading_in_another_process(how: str, before: str, tmp_path) -> None:
    script = tmp_path / "script.py"  # a process that is spawned reads it again
    script.write_text(_CHILD)
    code = (
        "import runpy, sys\nscript, *sys.argv[1:] = sys.argv[1:]\n"
        "sys.argv[0] = script\nrunpy.run_path(script, run_name='__main__')\n"
    )
    answers = run_python(code, script, how, before).splitlines()
    if (how, before) == ("fork", "yes"):
        assert len(answers) == 2
        for answer in answers:
            assert answer.startswith("RuntimeError: this process was forked after polars had begun")
            assert "get_context('spawn')" in answer
    else:
        assert answers == ["2", "2"]
