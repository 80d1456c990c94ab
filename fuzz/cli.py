"""Random command lines: the exit code is 0, 1, 2 or 130, and nobody is shown control characters.

An input is a list of arguments. Commands run in the worker, in a folder of small files, some of
them with escape sequences in texts, labels and names of columns.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import unicodedata
import warnings
from pathlib import Path
from random import Random
from typing import Any

import typer

import quire
from fuzz.target import Finding, Target
from quire.cli import app, main

__all__ = ["CommandLine"]

_HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x1b[31mred\x9b1m\x08\x7f\u202e[red][link=x]"
_CSV = "text,label,size\n" + "".join(
    f"good film number {i} plot,pos,{i}\nbad dull story {i} cast,neg,{i % 3}\n" for i in range(12)
)
_FILES = {
    "plain.csv": _CSV,
    "hostile.csv": _CSV.replace("pos", f"po{_HOSTILE}s").replace("dull", f"dull {_HOSTILE} "),
    "names.csv": _CSV.replace("text,label", f"te{_HOSTILE}xt,label"),
    "empty.csv": "",
    "broken.csv": 'text,label\n"open,pos\n',
    f"na{_HOSTILE}\nme.csv": _CSV.replace("good", "=cmd()"),
    "hostile.ndjson": "".join(
        json.dumps({"text": f"good film {_HOSTILE} {i}", "label": f"a\n{_HOSTILE}{i % 2}"}) + "\n"
        for i in range(12)
    ),
    "hostile.mbox": f"From a b\nSubject: {_HOSTILE[2:9]}\nFrom: x\n\ngood {_HOSTILE} film\n\n" * 6,
    "one.vec": f"4 2\nein 1 0\nzwei 0 1\ndrei 1 1\n{_HOSTILE} 0.5 -1\n",
    "two.vec": f"4 2\none 1 0\ntwo 0 1\nthree 1 1\n{_HOSTILE} 0.5 -1\n",
    "pairs.csv": f"ein,one\nzwei,two\ndrei,three\n{_HOSTILE},{_HOSTILE}\nno{_HOSTILE},two\n",
}
_USUAL = {  # what makes a command do its work
    "compare": ["--models", "majority,multinomial-nb", "--folds", "2"],
    "curve": ["--model", "multinomial-nb", "--folds", "2"],
    "fit": ["-o", "out.quire", "--model", "multinomial-nb", "--folds", "2"],
    "topics": ["--topics", "2", "--iterations", "5"],
    "cluster": ["--clusters", "2"],
    "map": ["-o", "out.html"],
    "align": ["--pairs", "pairs.csv", "--words", _HOSTILE],
    "report": ["-o", "out.html", "--models", "majority", "--folds", "2"],
}
_VALUES = ["", "0", "1", "2", "-1", "3.5", "nan", "1e999", "text", "label", "size", "csv", "json",
           "multinomial-nb", "majority", "nosuch", _HOSTILE, "\ud800", "out.csv", "out.html",
           "nowhere/out.csv", ".", "accuracy", "--", "a,b", "\u0130", "x" * 300, "10",
           f"te{_HOSTILE}xt", f"la{_HOSTILE}bel", "all", "english", "-", "record=10", "columns=1",
           f"out{_HOSTILE}.csv", "out.ndjson", "good film"]  # fmt: skip
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CODES = {0, 1, 2, 130}


class _Screen(io.StringIO):
    """A terminal that remembers what it is shown."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def _controls(shown: str) -> set[str]:
    odd = {c for c in shown if unicodedata.category(c) == "Cc" and c not in "\n\t"}
    return odd | {c for c in shown if c in _TURNING}


class CommandLine(Target):
    """`quire.cli.main` with arguments of all kinds."""

    unit = "command lines"
    seconds = 60.0  # a command may fit a dozen models

    def prepare(self, folder: Path) -> None:
        """Write the files, and one model."""
        from sklearn.pipeline import make_pipeline

        from quire.feature_extraction.text import CountVectorizer
        from quire.naive_bayes import MultinomialNB

        self.sound = folder / "sound"
        self.place = folder / "place"
        self.sound.mkdir()
        for name, content in _FILES.items():
            (self.sound / name).write_text(content, encoding="utf-8", newline="")
        model = make_pipeline(CountVectorizer(), MultinomialNB())
        model.fit(["good film", "bad plot"], ["pos", f"ne{_HOSTILE}g"])
        said = {"title": _HOSTILE, "source": _HOSTILE, "label": _HOSTILE, "documents": 2}
        quire.save(model, self.sound / "model.quire", metadata=said)
        self.group: Any = typer.main.get_command(app)
        os.environ |= {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "100"}
        for name in ("COLORTERM", "FORCE_COLOR"):
            os.environ.pop(name, None)

    def make(self, random: Random) -> bytes:
        """Return arguments: a command, files, and options that it has or has not."""
        # Lessons and the demonstration take no input of their own and work for many seconds.
        names = sorted(name for name in self.group.commands if name not in ("demo", "lesson"))
        name = random.choice(names)
        files = [*_FILES, "model.quire", "plain.csv", "plain.csv", "hostile.csv", "nosuch.csv"]
        arguments = [name]
        for parameter in self.group.commands[name].params:
            if parameter.param_type_name == "argument" and random.random() < 0.95:
                is_model = "model" in (parameter.name or "") and random.random() < 0.8
                arguments.append("model.quire" if is_model else random.choice(files))
        if name == "align" and random.random() < 0.7:
            arguments[1:] = ["one.vec", "two.vec"]
        if random.random() < 0.7:
            arguments += _USUAL.get(name, [])
        options = [p for p in self.group.commands[name].params if p.param_type_name == "option"]
        for option in random.sample(options, min(len(options), random.choice([0, 1, 1, 2, 4]))):
            arguments.append(random.choice([*option.opts, *option.secondary_opts]))
            if not option.is_flag and random.random() < 0.95:
                choices = list(getattr(getattr(option, "type", None), "choices", ()))
                arguments.append(str(random.choice(choices or _VALUES)))
        if random.random() < 0.1:
            arguments.insert(random.randrange(len(arguments) + 1), random.choice(_VALUES))
        head = {"arguments": arguments, "terminal": random.random() < 0.7}
        return json.dumps(head).encode()

    def describe(self, content: bytes) -> str:
        """Return the command."""
        return str(json.loads(content)["arguments"][:1])

    def check(self, content: bytes) -> int:
        """Run the command line."""
        given = json.loads(content)
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.sound, self.place)
        before = Path.cwd()
        streams = sys.stdout, sys.stderr
        screen = _Screen() if given["terminal"] else io.StringIO()
        os.chdir(self.place)
        sys.stdout = sys.stderr = screen
        code: object = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                main(given["arguments"])
        except SystemExit as ended:
            code = ended.code
        finally:
            sys.stdout, sys.stderr = streams
            os.chdir(before)
        if code not in _CODES:
            raise Finding(f"exit code {code!r}")
        shown = screen.getvalue()
        if "Traceback (most recent call last)" in shown:
            raise Finding(f"a traceback was shown: {shown[-2000:]}")
        is_data = "predict" in given["arguments"] and not given["terminal"]
        if not is_data and (controls := _controls(shown)):
            raise Finding(f"control characters were shown: {sorted(controls)} in {shown[-2000:]!r}")
        return 1
