"""Options of reading that all commands share: how a file is read, which rows, what a term is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._groups import OptionGroup
from quire.cli._label_sets import check_one_label, has_several, large_labels, named_sets, with_sets
from quire.cli._loading import loading
from quire.cli._provenance import corpus_was_read, is_file, read_from
from quire.cli._show import working
from quire.cli._tell import tell

if TYPE_CHECKING:
    import polars as pl

    from quire.io import Corpus

__all__ = [
    "KEEP_EMPTY",
    "READING",
    "ROWS",
    "TERMS",
    "LabelNames",
    "Reading",
    "Rows",
    "StopWords",
    "Terms",
    "labelled",
    "languages_of",
    "named",
    "names_of_codes",
    "read",
    "read_documents",
    "read_stop_words",
    "with_labels",
    "without_copies",
]

# What is left of "don't" and "we'll" when a text is cut at its apostrophes.
_PIECES = """ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn shan shouldn ve wasn
weren won wouldn""".split()
_OTHER = "other"  # the class that small ones are merged into
_CHARACTERS = (3, 5)  # in a row, where nothing is said
_MARKS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "bar": "|"}


def _character(text: str) -> str:
    r"""Read one character, or its name: "tab", "\t", ";"."""
    mark = _MARKS.get(text.lower(), text)
    if len(mark) != 1 or not mark.isascii():
        raise typer.BadParameter(f"expected one character, or tab; got {text!r}.")
    return mark


def _quote(text: str) -> str | None:
    return None if text.lower() == "none" else _character(text)


StopWords = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Words to leave out: a language (english, german ...), none or a file."
    ),
]


LabelNames = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Names of codes: 1=Economy,2=Health; or a CSV file of codes and names.",
    ),
]


@dataclass(frozen=True)
class Reading(OptionGroup):
    """How a file is read."""

    encoding: given.Encoding = "utf-8"
    format: given.FileFormat = None
    delimiter: Annotated[
        Any,
        typer.Option(
            parser=_character,
            metavar="C",
            help="What parts the fields of a CSV file: ';', tab ... Found if clear.",
        ),
    ] = None
    header: Annotated[
        bool,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line of a CSV file names columns; else they are 1, 2 ...",
        ),
    ] = True
    quote: Annotated[
        Any,
        typer.Option(
            parser=_quote, metavar="C", help="What encloses fields of a CSV file; or none."
        ),
    ] = '"'
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="Sheet of an Excel file; the first.")
    ] = None
    pattern: Annotated[
        str | None,
        typer.Option(metavar="GLOB", help="Which files of a folder: '*.md'; '*.txt' by default."),
    ] = None
    as_text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Read this column as text, not as numbers; repeatable."
        ),
    ] = None
    limits: given.Limits = None
    missing: given.Missing = "error"

    def options(self) -> dict[str, Any]:
        """Return what :func:`quire.io.read_corpus` takes; what says nothing is left out."""
        import polars as pl

        found = {
            "encoding": self.encoding,
            "format": self.format,
            "missing": self.missing,
            "limits": self.limits,
            "delimiter": self.delimiter,
            "sheet": self.sheet,
            "pattern": self.pattern,
        }
        if not self.header:
            found["header"] = False
        if self.quote != '"':
            found["quotechar"] = self.quote
        if self.as_text:
            found["schema_overrides"] = dict.fromkeys(self.as_text, pl.String())
        return found


@dataclass(frozen=True)
class Rows(OptionGroup):
    """Which rows are learned from."""

    min_class: given.MinClass = 1
    rare: Annotated[
        str,
        typer.Option(
            metavar="WHAT", help="Classes below --min-class: drop, or merge into one called other."
        ),
    ] = "drop"
    missing_labels: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="Rows whose label is empty, ?, NA, NaN or null: drop, or keep as a class.",
        ),
    ] = "drop"
    drop_duplicates: given.DropDuplicates = False
    label_names: LabelNames = None


@dataclass(frozen=True)
class Terms(OptionGroup):
    """What of a text is counted."""

    ngrams: given.Ngrams = None
    analyzer: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What terms are made of: word; char, characters in a row; char_wb, inside words.",
        ),
    ] = "word"
    tokens: given.Tokens = None
    stemmer: given.Stemmer = None
    negation: given.Negation = None
    stop_words: StopWords = "none"
    min_df: given.MinDf = None
    max_df: Annotated[
        Any,
        typer.Option(
            parser=given.frequency,
            metavar="N",
            help="Leave out terms in more documents: a share such as 0.5, or a number.",
        ),
    ] = "1.0"

    def options(self) -> dict[str, Any]:
        """Return what :func:`quire.model_selection.compare` and vectorizers take."""
        given.check_choice(self.analyzer, ("word", "char", "char_wb"), "--analyzer")
        usual = (1, 1) if self.analyzer == "word" else _CHARACTERS
        return {
            "ngram_range": usual if self.ngrams is None else self.ngrams,
            "analyzer": self.analyzer,
            "tokens": self.tokens,
            "stemmer": self.stemmer,
            "negation": self.negation,
            "stop_words": read_stop_words(self.stop_words),
            "min_df": self.min_df,
            "max_df": self.max_df,
        }


READING = Reading()
KEEP_EMPTY = Reading(missing="empty")
ROWS = Rows()
TERMS = Terms()


def read(
    file: str,
    text: list[str] | None,
    label: str | None,
    reading: Reading,
    rows: Rows = ROWS,
    *,
    columns: str | None = None,
    needs_texts: bool = False,
    task: str = "multiclass",
    separator: str | None = None,
) -> Corpus:
    """Read a corpus that must have labels, and say what was guessed before work begins.

    Rows without a label are left out, with their number.

    Parameters
    ----------
    file : str
        Path, or "-".
    text, label, columns
        Options of the command.
    reading, rows : Reading, Rows
        How to read it, and which rows.
    needs_texts : bool, default=False
        Whether a table without texts is of no use.
    task, separator : str
        What is predicted: of several labels, rows may have none. By default a row has one.
    """
    given.check_choice(rows.rare, ("drop", "merge"), "--rare")
    given.check_choice(rows.missing_labels, ("drop", "keep"), "--missing-labels")
    with loading():
        from quire.io import read_corpus
    with working(f"Reading {file}"):
        options = reading.options()
        if columns is not None:
            options["columns"] = [name.strip() for name in columns.split(",") if name.strip()]
        corpus = read_corpus(read_from("file", file), text=text or None, label=label, **options)
    if needs_texts:
        given.check_texts(corpus)
    if corpus.labels is None:
        raise ValueError(
            f"{file} has no column that is clearly the label. Name it with --label; there are: "
            f"{', '.join(corpus.frame.columns)}."
        )
    given.tell_notes(corpus)
    corpus = _rows_to_use(corpus, rows, task, separator)
    corpus_was_read("file", corpus)
    return corpus


def _rows_to_use(corpus: Corpus, rows: Rows, task: str, separator: str | None) -> Corpus:
    """Return the rows that are learned from, with the labels that they have there."""
    if rows.drop_duplicates:
        corpus = without_copies(corpus)
    if has_several(corpus, task, separator):
        corpus = with_sets(corpus)
        if rows.label_names is not None:
            corpus = named_sets(corpus, names_of_codes(rows.label_names), separator)
        return large_labels(corpus, rows.min_class, separator)
    check_one_label(corpus)
    corpus = labelled(corpus, keep=rows.missing_labels == "keep")
    if rows.label_names is not None:
        corpus = named(corpus, rows.label_names)
    return _large_classes(corpus, rows.min_class, merge=rows.rare == "merge")


def read_documents(
    file: str,
    text: list[str] | None,
    label: str | None,
    reading: Reading,
    *,
    drop_duplicates: bool = False,
    role: str = "file",
) -> Corpus:
    """Read a corpus; no label is read unless one is named.

    Parameters
    ----------
    file : str
        Path, or "-".
    text, label, drop_duplicates
        Options of the command.
    reading : Reading
        How to read it.
    role : str, default="file"
        What the file is to the command.
    """
    with loading():
        from quire.io import read_corpus
    with working(f"Reading {file}"):
        options = reading.options()
        path = read_from(role, file)
        corpus = read_corpus(path, text=text or None, label=label or False, **options)
    given.check_texts(corpus)
    check_one_label(corpus)
    if drop_duplicates:
        corpus = without_copies(corpus)
    corpus_was_read(role, corpus)
    return corpus


def without_copies(corpus: Corpus) -> Corpus:
    """Return the first of all rows with the same text, and say how many are left out.

    Parameters
    ----------
    corpus : Corpus
        Texts; of a table without any, rows that are the same in the columns to learn from.
    """
    import polars as pl

    is_table = not corpus.text_columns
    seen = corpus.frame.select(corpus.feature_columns) if is_table else corpus.texts.to_frame()
    numbered = seen.with_row_index("row_")
    kept = numbered.unique(pl.exclude("row_"), keep="first", maintain_order=True)["row_"]
    n = len(corpus) - len(kept)
    if n == 0:
        return corpus
    copies = "1 copy is" if n == 1 else f"{n:,} copies are"
    tell(f"{copies} left out: the same text stands in an earlier row{_other_labels(corpus, seen)}")
    return corpus.filter(numbered["row_"].is_in(kept.to_list()))


def _other_labels(corpus: Corpus, seen: Any) -> str:
    """Say how many texts are there with several labels, of which the first is kept."""
    if corpus.labels is None or corpus.labels.dtype.is_nested():
        return ""
    pairs = seen.with_columns(corpus.labels.alias("label_")).unique()
    n = pairs.drop("label_").height - pairs.drop("label_").unique().height
    texts = "1 text has" if n == 1 else f"{n:,} texts have"
    return f"; {texts} another label there" if n else ""


def labelled(corpus: Corpus, *, keep: bool = False) -> Corpus:
    """Return the documents that have a label, and say how many have none.

    Parameters
    ----------
    corpus : Corpus
        Documents and labels.
    keep : bool, default=False
        Whether marks of missing labels, such as NA, are a class; a null never is.
    """
    import polars as pl

    from quire._shared.texts import MISSING_MARKS

    labels = corpus.labels
    assert labels is not None
    is_known, marks = labels.is_not_null(), ""
    if labels.dtype.is_float():
        is_known &= ~labels.is_nan().fill_null(False)
    if labels.dtype == pl.String and not keep:
        lower = labels.str.strip_chars().str.to_lowercase()
        is_mark = lower.is_in(sorted(MISSING_MARKS)).fill_null(False)
        is_known &= ~is_mark
        found = sorted({repr(one) for one in labels.filter(is_mark).unique().to_list()})
        marks = f", or {', '.join(found)}; --missing-labels keep makes a class of it" * bool(found)
    n = len(corpus) - int(is_known.sum())
    if n == 0:
        return corpus
    if n == len(corpus):
        raise ValueError(f"{corpus.source}: no row has a label in column {corpus.label_column!r}.")
    rows = "1 row is" if n == 1 else f"{n:,} rows are"
    tell(f"{rows} left out: no label{marks}")
    return corpus.filter(is_known)


def names_of_codes(option: str) -> dict[str, str]:
    """Return names by code, from a file or from the option itself.

    Parameters
    ----------
    option : str
        ``1=Economy,2=Health``, or the path of a CSV file whose first column has codes and whose
        second has names, with or without a header.

    Examples
    --------
    >>> names_of_codes("1=Economy,2=Health")
    {'1': 'Economy', '2': 'Health'}
    """
    wrong = typer.BadParameter(
        f"expected codes and names, as in 1=Economy,2=Health, or a CSV file; got {option!r}.",
        param_hint="--label-names",
    )
    if is_file(option):
        import csv

        text = given.read_text(read_from("label_names", option))
        rows = [row for row in csv.reader(text.splitlines()) if row]
        if any(len(row) < 2 for row in rows) or not rows:
            raise ValueError(f"{option} is no table of codes and names: it needs two columns.")
        pairs = [(row[0], row[1]) for row in rows]
    else:
        parts = [part.partition("=") for part in option.split(",") if part.strip()]
        if not parts or any(not equals for _, equals, _ in parts):
            raise wrong
        pairs = [(code, name) for code, _, name in parts]
    return {code.strip(): name.strip() for code, name in pairs}


def named(corpus: Corpus, option: str) -> Corpus:
    """Return a corpus with names in the place of codes; a code without a name stays, and is said.

    Parameters
    ----------
    corpus : Corpus
        Documents and labels.
    option : str
        As for :func:`names_of_codes`.
    """
    import polars as pl

    assert corpus.labels is not None
    names = names_of_codes(option)
    codes = corpus.labels
    if codes.dtype.is_float() and bool((codes == codes.floor()).all()):
        codes = codes.cast(pl.Int64)
    codes = codes.cast(pl.String)
    known = codes.unique().drop_nulls().sort().to_list()
    if not any(code in names for code in known):
        raise ValueError(
            f"--label-names has none of the labels of column {corpus.label_column!r}: "
            f"{', '.join(known[:10])}{', ...' if len(known) > 10 else ''}."
        )
    nameless = [code for code in known if code not in names]
    if nameless:
        one = len(nameless) == 1
        has = "has no name and stays" if one else "have no name and stay"
        which = f"{how_many(len(nameless), 'label')} {has}"
        tell(f"{which}: {', '.join(nameless[:10])}")
    return with_labels(corpus, codes.replace(names).alias(codes.name))


def with_labels(corpus: Corpus, labels: pl.Series) -> Corpus:
    """Return a corpus with other labels, in its frame as well."""
    from dataclasses import replace

    frame = corpus.frame
    if corpus.label_column is not None:
        frame = frame.with_columns(labels.alias(corpus.label_column))
    return replace(corpus, labels=labels, frame=frame)


def _large_classes(corpus: Corpus, least: int, *, merge: bool) -> Corpus:
    """Return a corpus without small classes, or with them as one, and say how many there are."""
    labels = corpus.labels
    if least <= 1 or labels is None:
        return corpus
    sizes = labels.value_counts(name="documents_")
    small = sizes.filter(sizes["documents_"] < least)
    if small.height == 0:
        return corpus
    if small.height == sizes.height:
        raise ValueError(f"No class has {least} documents or more.")
    n, names = int(small["documents_"].sum()), small[labels.name].sort().to_list()
    shown = ", ".join(map(str, names[:10])) + (", ..." if len(names) > 10 else "")
    classes = "1 class" if len(names) == 1 else f"{len(names):,} classes"
    documents = "1 document" if n == 1 else f"{n:,} documents"
    what = f"merged into {_OTHER!r}" if merge else "left out"
    tell(f"{documents} of {classes} with fewer than {least} {what}: {shown}")
    if not merge:
        return corpus.filter(~labels.is_in(names))
    import polars as pl

    others = pl.Series(labels.name, [_OTHER] * len(labels))
    return with_labels(corpus, others.zip_with(labels.is_in(names), labels.cast(pl.String)))


def languages_of(name: str) -> str | None:
    """Return the language that stop words are named by; None for a file and for none."""
    return None if name.lower() == "none" or is_file(name) else name.lower()


def read_stop_words(name: str) -> list[str] | None:
    """Return stop words: of a language, "none", or those of a file, one or more in a line."""
    if name.lower() == "none":
        return None
    if is_file(name):
        return sorted(set(given.read_text(read_from("stop_words", name)).lower().split()))
    with loading():
        from quire.feature_extraction.text import stop_words
    try:
        words = stop_words(name)
    except ValueError as error:
        raise typer.BadParameter(
            f"expected a language, none or a file of words. {error}", param_hint="--stop-words"
        ) from error
    return sorted({*words, *_PIECES} if name.lower() in ("english", "en") else words)
