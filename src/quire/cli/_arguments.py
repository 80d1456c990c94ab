"""Arguments that several commands share: the file, its columns, how it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from quire.cli import _typer as typer
from quire.cli._provenance import read_from
from quire.cli._tell import tell
from quire.cli._wording import in_options

if TYPE_CHECKING:
    from quire.io import Corpus

__all__ = [
    "Also",
    "Calibrate",
    "Checks",
    "ClassWeight",
    "Columns",
    "Costs",
    "DropDuplicates",
    "Encoding",
    "EscapeFormulas",
    "File",
    "FileFormat",
    "Folds",
    "Groups",
    "Json",
    "Label",
    "Limits",
    "Metric",
    "MinClass",
    "MinDf",
    "Missing",
    "Models",
    "Negation",
    "Ngrams",
    "Seed",
    "Silence",
    "Stemmer",
    "Task",
    "Text",
    "Threads",
    "Threshold",
    "Tokens",
    "TryIt",
    "check_choice",
    "check_texts",
    "column_of",
    "costs_of",
    "frequency",
    "read_text",
    "tell_notes",
]


_LONGEST = 2**26  # bytes of one text, as when corpora are read


def _ngram_range(text: str) -> tuple[int, int]:
    """Read "2" as (2, 2) and "1,2" as (1, 2)."""
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if len(sizes) not in {1, 2} or sizes[0] < 1 or sizes[-1] < sizes[0]:
        raise typer.BadParameter(f"expected a number or two, such as 1,2; got {text!r}.")
    return sizes[0], sizes[-1]


def frequency(text: str) -> int | float:
    """Read a whole number as a number of documents and a fraction as a share of them."""
    try:
        value = int(text) if text.isdigit() else float(text)
    except ValueError:
        value = -1
    if value < 0 or (isinstance(value, float) and not value <= 1):
        raise typer.BadParameter(f"expected documents (5) or a share of them (0.01); got {text!r}.")
    return value


def _class_weight(text: str) -> str | dict[str, float]:
    """Read "balanced", "choose" or "spam=5,ham=1"."""
    if "=" not in text:
        return text
    try:
        pairs = [part.rsplit("=", 1) for part in text.split(",")]
        return {label: float(weight) for label, weight in pairs}
    except ValueError:
        raise typer.BadParameter(
            f"expected balanced, choose, or classes and weights, as in spam=5,ham=1; got {text!r}."
        ) from None


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="Corpus: CSV, Parquet, JSON, Excel, a folder; - for stdin."
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Column with the text; repeat to join several; guessed if clear."
    ),
]
Label = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column with the class; guessed if clear.")
]
Ngrams = Annotated[
    Any,
    typer.Option(parser=_ngram_range, metavar="N[,M]", help="Words in a term: 1; 2; 1,2 for both."),
]
Tokens = Annotated[
    str | None,
    typer.Option(
        metavar="KINDS",
        help="What to count: words, punctuation, emoji, hashtags, mentions, urls, joined by +.",
    ),
]
Stemmer = Annotated[
    str | None, typer.Option(metavar="LANGUAGE", help="Count stems of words: english, german ...")
]
Negation = Annotated[
    str | None,
    typer.Option(metavar="LANGUAGE", help="Mark words behind negations: english."),
]
MinDf = Annotated[
    Any,
    typer.Option(
        parser=frequency,
        metavar="N",
        help="Leave out terms in fewer documents: 5, or a share such as 0.01.",
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Learn from these columns of numbers and categories, commas between, not from texts.",
    ),
]
MinClass = Annotated[
    int, typer.Option(min=1, metavar="N", help="Leave out classes with fewer documents.")
]
Encoding = Annotated[
    str, typer.Option(metavar="NAME", help="Encoding of the file; auto detects it.")
]
FileFormat = Annotated[
    str | None, typer.Option(metavar="NAME", help="Format of the file; from its name.")
]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="Put ' before texts in CSV that a spreadsheet would take for a formula.",
    ),
]
Limits = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Raise limits of reading: record=1GB,columns=20000,expansion=1000.",
    ),
]
DropDuplicates = Annotated[
    bool, typer.Option("--drop-duplicates", help="Keep the first of rows with the same text.")
]
Missing = Annotated[
    str, typer.Option(metavar="WHAT", help="Rows without text: error, drop or empty.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]

Models = Annotated[
    str,
    typer.Option(metavar="NAMES", help="Models: default, all, or names with commas between."),
]
Task = Annotated[
    str,
    typer.Option(metavar="TASK", help="auto, binary, multiclass, multilabel, ordered, continuous."),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Several labels in a field, with this between them; else |."),
]
Metric = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Score to rank by: any of scikit-learn's, such as f1_macro or roc_auc."
    ),
]
Costs = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="What mistakes cost: CSV with true classes as rows, predicted ones as columns; JSON.",
    ),
]
ClassWeight = Annotated[
    Any,
    typer.Option(
        parser=_class_weight,
        metavar="WHAT",
        help="Weights of classes: balanced; choose, inside each fold; or spam=5,ham=1.",
    ),
]
Calibrate = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        help="Calibrate probabilities on held-out documents: sigmoid, isotonic or temperature.",
    ),
]
Threshold = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|P",
        help="Of two classes, choose the threshold for this score: f1, cost, balanced_accuracy; or "
        "the probability of the second from which on it is predicted, such as 0.3.",
    ),
]
Folds = Annotated[int, typer.Option(min=2, metavar="N", help="Number of folds.")]
Groups = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Rows with the same value here are held out together."),
]
Also = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Learn from this column, too; repeat for several; all for all."
    ),
]
Checks = Annotated[bool, typer.Option(help="Look for copies, leaks and damage first.")]
TryIt = Annotated[
    bool,
    typer.Option(help="Let readers of the report try the model: its vocabulary is in the page."),
]
Silence = Annotated[
    str, typer.Option(metavar="CODES", help="Leave out these checks, such as QT003,QT007.")
]
Seed = Annotated[int, typer.Option(metavar="N", help="How documents are shuffled into folds.")]
Threads = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Threads; as many as may be used by default.")
]


def costs_of(path: str | None) -> Any:
    """Return what mistakes cost, from a file: a table, or what JSON says of true classes.

    Parameters
    ----------
    path : str or None
        A CSV file whose first column has the true classes and whose other columns are the predicted
        ones, or JSON: ``{"spam": {"ham": 5}}``.
    """
    if path is None:
        return None
    import json
    from pathlib import Path

    text = Path(read_from("costs", path)).read_text(encoding="utf-8-sig")
    if path.lower().endswith(".json"):
        try:
            costs = json.loads(text)
        except ValueError as error:
            raise ValueError(f"{path} is not JSON: {error}") from error
        if not isinstance(costs, dict):
            raise ValueError(
                f'{path} holds a {type(costs).__name__}; expected {{"true class": {{"predicted '
                'class": 5}}.'
            )
        return costs
    import csv

    rows = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    if len(rows) < 2 or any(len(row) != len(rows[0]) or len(row) < 2 for row in rows):
        raise ValueError(
            f"{path} is no table of costs: it needs a line with the predicted classes, and a line "
            "for each true class with its name and as many numbers."
        )
    return {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[1:]}


def read_text(path: str) -> str:
    """Return what a small file of text holds.

    Parameters
    ----------
    path : str
        A file, or a pipe.

    Raises
    ------
    ValueError
        If it is a device, is not UTF-8 or is very long.
    """
    import stat
    from pathlib import Path

    if stat.S_ISCHR(Path(path).stat().st_mode):
        raise ValueError(f"{path} is a device. Give a file of text.")
    with Path(path).open("rb") as file:
        data = file.read(_LONGEST + 1)
    if len(data) > _LONGEST:
        raise ValueError(f"{path} is longer than {_LONGEST:,} bytes. Give a part of it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 (byte {error.start:,}). Convert it to UTF-8 first."
        ) from None


def check_texts(corpus: Corpus) -> None:
    """Raise an error if a corpus is a table without texts.

    Parameters
    ----------
    corpus : Corpus
        What was read.
    """
    if corpus.kind == "table":
        raise ValueError(
            f"{corpus.source} has no texts: none of its columns is prose. Name one with --text; "
            f"there are: {', '.join(corpus.frame.columns)}."
        )


def check_choice(value: str, known: Sequence[str], option: str) -> None:
    """Raise an error if the value of an option is not one of those that are known."""
    if value not in known:
        raise typer.BadParameter(
            f"expected one of {', '.join(known)}; got {value!r}.", param_hint=option
        )


def tell_notes(corpus: Corpus) -> None:
    """Say on standard error what was guessed about a corpus.

    Parameters
    ----------
    corpus : Corpus
        What was read.
    """
    for note in corpus.notes:
        tell(in_options(note))


def column_of(corpus: Corpus, name: str) -> Any:
    """Return a column of a corpus by its name; an error says what there is."""
    if name not in corpus.frame.columns:
        import difflib

        close = difflib.get_close_matches(name, corpus.frame.columns, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"{corpus.source} has no column {name!r}.{hint} It has: "
            f"{', '.join(corpus.frame.columns)}."
        )
    return corpus.frame[name]
