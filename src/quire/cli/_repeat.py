"""A command that a page or a model file names, run again: on given files, writing nothing else.

What the file says is taken apart by quire's own parser. Each option of each command stands in a
table here: as what it is to read, as what it would write, or as a plain value. Files to read are
those that the caller names; nothing is written but a page or a model in a folder of ours that is
removed again. An option that is not in the table is refused.
"""

from __future__ import annotations

import contextlib
import io
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire.cli._provenance import Running, running

if TYPE_CHECKING:
    from quire.io import Corpus

__all__ = [
    "CANNOT",
    "COMMANDS",
    "CannotRepeatError",
    "Parsed",
    "Repeatable",
    "assigned",
    "parsed",
    "run_again",
    "without_form",
]

CANNOT = 2  # the exit code where a command cannot be run again
_LONGEST = 65_536  # characters of a command
_MOST = {"folds": 1000, "n_topics": 10_000, "chains": 100, "iterations": 1_000_000, "starts": 1000}
_BYTES = ("encoding", "format", "delimiter", "header", "quote", "sheet", "pattern")  # of a file
_READING = (*_BYTES, "as_text", "limits", "missing")
_ROWS = ("min_class", "rare", "missing_labels", "drop_duplicates")
_TERMS = ("ngrams", "analyzer", "tokens", "stemmer", "negation", "min_df", "max_df")
_FITTED = (
    *("text", "label", "columns", "also", "models", "model", "task", "label_separator", "metric"),
    *("class_weight", "calibrate", "threshold", "folds", "groups", "seed"),
    *(*_READING, *_ROWS, *_TERMS),
)
_WHOLE = ("text", "label", "by", "min_df", "max_df", "ngrams", "top", "seed", "drop_duplicates")
_SHOWN = ("as_json", "threads", "escape_formulas", "by_class", "by_slice")


@dataclass(frozen=True)
class Repeatable:
    """What the options of a command are.

    Attributes
    ----------
    reads : tuple of str
        Files that have to be there if they are named.
    may_read : tuple of str
        Either a file or what would stand in it.
    page, model : str or None
        What writes a report, and a model.
    writes : tuple of str
        What else would be written, and is not.
    always_writes_page : bool
        Whether a report is written even if nobody names its file.
    plain : tuple of str
        Values.
    """

    reads: tuple[str, ...]
    plain: tuple[str, ...]
    page: str | None = None
    model: str | None = None
    may_read: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    always_writes_page: bool = False
    shown: tuple[str, ...] = field(default=_SHOWN)


_LABELLED, _INLINE = ("file", "costs"), ("label_names", "stop_words")
COMMANDS: dict[str, Repeatable] = {
    "compare": Repeatable(
        page="report",
        model="save",
        writes=("export",),
        plain=(
            *(
                *_FITTED,
                "split",
                "features",
                "minutes",
                "memory",
                "tune",
                "checks",
                "silence",
                "try_it",
            ),
        ),
        reads=_LABELLED,
        may_read=_INLINE,
    ),
    "fit": Repeatable(model="output", plain=_FITTED, reads=_LABELLED, may_read=_INLINE),
    "report": Repeatable(
        page="output", plain=(*_FITTED, "try_it"), reads=_LABELLED, may_read=_INLINE
    ),
    "topics": Repeatable(
        reads=("file",),
        may_read=("seed_words", "stop_words"),
        page="report",
        model="model",
        writes=("documents_out",),
        plain=(
            *(*_WHOLE, *_READING, "n_topics", "kind", "every", "method", "iterations", "chains"),
            *("alpha", "beta", "coherence", "time_column"),
        ),
    ),
    "cluster": Repeatable(
        reads=("file",),
        may_read=("stop_words",),
        page="report",
        model="model",
        writes=("documents_out",),
        plain=(*_WHOLE, *_READING, "clusters", "metric", "starts", "iterations"),
    ),
    "map": Repeatable(
        reads=("file",),
        may_read=("stop_words",),
        page="report",
        model="model",
        writes=("documents_out",),
        plain=(*_WHOLE, *_READING, "clusters", "points", "characters", "layout", "perplexity"),
        always_writes_page=True,
    ),
    "neighbors": Repeatable(
        reads=("file", "texts"),
        may_read=("stop_words",),
        page="report",
        model="model",
        writes=("out",),
        plain=(
            *("query", "n_neighbors", "text", "label", "row", "duplicates", "metric", "min_df"),
            *("ngrams", *_READING),
        ),
    ),
    "align": Repeatable(
        reads=("source", "target", "pairs", "test_pairs"),
        page="report",
        model="model",
        writes=("translate_all",),
        plain=(
            *("test_share", "method", "retrieval", "refine", "normalize", "center", "limit"),
            *("words", "top", "seed"),
        ),
    ),
    "update": Repeatable(
        reads=("model", "file"), model="output", plain=("text", "label", *_READING)
    ),
    "demo": Repeatable(reads=(), writes=("output",), plain=("models",)),
}


class CannotRepeatError(ValueError):
    """A command that cannot be run again; the message says why."""


@dataclass
class Parsed:
    """A command, taken apart by quire's parser, before any of it was done."""

    name: str
    arguments: list[str]
    context: Any
    command: Any

    @property
    def options(self) -> dict[str, Any]:
        """Values by the names of parameters."""
        values: dict[str, Any] = self.context.params
        return values

    @property
    def table(self) -> Repeatable:
        """What its options are."""
        return COMMANDS[self.name]


def parsed(line: str, group: Any) -> Parsed:
    """Take a command line apart; nothing is run and nothing is opened.

    Parameters
    ----------
    line : str
        From a file that anybody may have written.
    group : click.Group
        All commands of quire.

    Raises
    ------
    CannotRepeatError
        If it is no command that can be run again, or has an option that is not known.
    """
    if len(line) > _LONGEST:
        raise CannotRepeatError("the command is too long")
    try:
        program, *arguments = shlex.split(line) or [""]
    except ValueError as error:
        raise CannotRepeatError(f"the command is not sound: {error}") from None
    if program != "quire" or not arguments:
        raise CannotRepeatError("the command is not one of quire")
    name, *rest = arguments
    if name not in COMMANDS:
        raise CannotRepeatError(f"quire {name[:40]} makes nothing that could be checked")
    command = group.commands[name]
    try:
        with _quiet(io.StringIO()):
            context = command.make_context(name, list(rest))
    except Exception as error:
        message = error.format_message() if hasattr(error, "format_message") else "it asks for help"
        raise CannotRepeatError(f"the command is not one of this quire: {message}") from None
    found = Parsed(name, arguments, context, command)
    _check_options(found)
    return found


def _check_options(command: Parsed) -> None:
    table, options = command.table, command.options
    known = {
        *(*table.reads, *table.may_read, *table.writes, *table.plain, *table.shown),
        *filter(None, (table.page, table.model)),
    }
    defaults = _defaults(command)
    unknown = {name for name in options.keys() - known if options[name] != defaults.get(name)}
    if unknown:
        raise CannotRepeatError(f"option {min(unknown)!r} is not one that is run again")
    for name, most in _MOST.items():
        value = options.get(name)
        if isinstance(value, int) and value > most:
            raise CannotRepeatError(f"{name} is {value:,}; nothing over {most:,} is run again")
    if options.get("query") == "-":
        raise CannotRepeatError("the text came from standard input, and is not known")


def _defaults(command: Parsed) -> dict[str, Any]:
    return {one.name: one.get_default(command.context) for one in command.command.params}


def assigned(
    command: Parsed, inputs: Sequence[Mapping[str, Any]], files: Sequence[str]
) -> dict[str, str]:
    """Return which of the files that the caller named takes the place of which that was read.

    Files are told by their SHA-256, then by their names; what is left goes in order.

    Parameters
    ----------
    command : Parsed
        The command.
    inputs : sequence of mapping
        Role, name and digest of what was read then.
    files : sequence of str
        What the caller named.

    Raises
    ------
    CannotRepeatError
        If there are too few, or too many.
    """
    from quire.io import Origin

    table, options = command.table, command.options
    said = {one["role"]: one for one in inputs}
    roles = [name for name in table.reads if options.get(name) is not None]
    roles += [name for name in table.may_read if name in said and options.get(name) is not None]
    digests = {path: Origin.of(path).sha256() for path in files}
    found: dict[str, str] = {}
    for role in roles:
        then = said.get(role, {}).get("sha256")
        same = [path for path in files if then is not None and digests[path] == then]
        if same:
            found[role] = same[0]
    for role in roles:
        left = [path for path in files if path not in found.values()]
        name = said.get(role, {}).get("name")
        named = [path for path in left if Path(path).name == name]
        if role not in found and named:
            found[role] = named[0]
    for role in roles:
        left = [path for path in files if path not in found.values()]
        if role not in found and left:
            found[role] = left[0]
        elif role not in found:
            name = said.get(role, {}).get("name") or str(options[role])
            raise CannotRepeatError(
                f"{Path(name).name!r} was read as {role.replace('_', ' ')}; name it, too"
            )
    left = [path for path in files if path not in found.values()]
    if left:
        raise CannotRepeatError(f"{left[0]!r} has no place in the command")
    return found


def without_form(command: Parsed, path: str, name: str | None) -> list[str]:
    """Take away how a file is read, where it is of another format; return what was taken away."""
    if name is None or Path(path).suffix.lower() == Path(name).suffix.lower() or name == "-":
        return []
    defaults = _defaults(command)
    changed = []
    for option in _BYTES:
        if option in command.options and command.options[option] != defaults.get(option):
            command.options[option] = defaults.get(option)
            changed.append(option)
    return changed


def run_again(
    command: Parsed,
    files: Mapping[str, str],
    folder: Path,
    *,
    kind: str,
    threads: int | None = None,
    on_corpus: Callable[[str, Corpus], None] | None = None,
) -> Path:
    """Run a command on given files; return the page or the model that it made.

    Parameters
    ----------
    command : Parsed
        The command.
    files : mapping
        Files by the names of parameters, from :func:`assigned`.
    folder : Path
        Where it may write.
    kind : {"page", "model"}
        Which of the two is wanted.
    threads : int, default=None
        Threads.
    on_corpus : callable, default=None
        What is told of each corpus that is read.

    Raises
    ------
    CannotRepeatError
        If the command fails.
    """
    table, options = command.table, command.options
    made = folder / ("page.html" if kind == "page" else "model.quire")
    if command.name == "demo":
        options["output"] = str(folder)
        made = folder / ("report.html" if kind == "page" else "model.quire")
    else:
        if options.get("layout") == "auto" and table.model and options[table.model] is not None:
            options["layout"] = "pca"  # a map that is kept is one of components
        for name in (*table.writes, *filter(None, (table.page, table.model))):
            options[name] = None
        place = table.page if kind == "page" else table.model
        if place is None:
            raise CannotRepeatError(f"quire {command.name} writes no {kind}")
        options[place] = str(made)
        if table.always_writes_page and table.page is not None and kind == "model":
            options[table.page] = str(folder / "page.html")  # not to a place of its own choice
    for name, path in files.items():
        options[name] = path
    for name, value in (("threads", threads), ("as_json", False), ("escape_formulas", False)):
        if name in options:
            options[name] = value
    allowed = frozenset(Path(path) for path in files.values())
    said = io.StringIO()
    with running(Running(command.arguments, allowed, on_corpus)), _quiet(said):
        try:
            with command.context:
                command.command.invoke(command.context)
        except (OSError, ValueError, ImportError) as error:
            raise CannotRepeatError(_one_line(str(error))) from error
        except Exception as error:
            if hasattr(error, "format_message"):
                raise CannotRepeatError(_one_line(error.format_message())) from error
            if not hasattr(error, "exit_code"):
                raise
    if not made.is_file():
        last = said.getvalue().strip().rpartition("\n")[2]
        raise CannotRepeatError(_one_line(last) or f"no {kind} was made")
    return made


@contextlib.contextmanager
def _quiet(said: io.StringIO) -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        yield


def _one_line(text: str) -> str:
    return " ".join(text.split())[:1000]
