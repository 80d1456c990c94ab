"""`read_corpus` and `read_batches`: any source to texts and labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import polars as pl

from quire._shared.forks import check_threads_are_here
from quire.exceptions import CorpusError
from quire.io._assemble import Assembler
from quire.io._corpus import Corpus
from quire.io._limits import Limits, limits_of
from quire.io._options import DataType, Format, Missing, Options, listing
from quire.io._origin import Origin
from quire.io._sources import Table, open_table
from quire.io._types import joined, rebatched


def read_corpus(
    source: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | Literal[False] | None = None,
    format: Format | None = None,
    join: str = "\n",
    missing: Missing = "error",
    encoding: str = "utf-8",
    delimiter: str | None = None,
    quotechar: str | None = '"',
    names: Sequence[str] | None = None,
    header: bool = True,
    sheet: str | int | None = None,
    pattern: str | None = None,
    schema_overrides: Mapping[str, DataType] | None = None,
    columns: str | Sequence[str] | None = None,
    limits: Limits | Mapping[str, int] | str | None = None,
) -> Corpus:
    r"""Read texts, and labels if there are any, from a file, a folder, a mailbox or a data frame.

    A table of numbers and categories without any texts is read as well.

    Parameters
    ----------
    source : path, "-", file object, or polars, pandas or Arrow data frame
        A CSV, TSV, NDJSON, JSON, Parquet, Excel or mbox file, plain or compressed with gzip or
        Zstandard; a folder with one sub-folder of ``.txt`` files per class, a folder of ``.txt``
        files, or a Maildir; ``"-"`` for standard input.
    text : str or list of str, default=None
        The column of the texts. Several columns are joined by ``join``, skipping nulls. None
        guesses: the one column named like a text (text, document, body, review, ...), the only
        column of strings, or the one whose strings are by far the longest. Categories, few short
        values that come again, are never taken for it; where no column is prose but some are
        numbers or categories, it is a table without texts. Mail is read as
        ``["subject", "body"]``.
    label : str, False or None, default=None
        The column of the labels. None guesses by name (label, class, target, y, category, ...)
        and gives no labels when no name or several names fit; False gives no labels. A column of
        lists, several labels for a text, has to be named.
    format : str, default=None
        One of csv, tsv, ndjson, json, parquet, excel, lines (every line is one text), mbox for
        files, and folders (sub-folders are classes), texts (no classes), maildir for folders.
        None goes by the extension, and without one by the first bytes: a first line of names with
        commas, tabs, semicolons or bars between is that of a table.
    join : str, default="\n"
        What stands between the texts of several columns.
    missing : {"error", "drop", "empty"}, default="error"
        What to do with rows whose text is null: refuse, leave the rows out, or take an empty text.
        An empty field of a CSV file is null; a quoted empty field (``""``) is an empty text.
    encoding : str, default="utf-8"
        The encoding of text files, as Python names it. A byte order mark is recognised in any
        case. ``"auto"`` detects the encoding from the first megabyte (of each file in a folder).
        Mail names its own encodings; this one is tried where they do not fit.
    delimiter : str, default=None
        What separates the fields of a CSV or TSV file. None means a comma or a tab, or whichever
        of ``, ; tab |`` the header has if it has only one of them.
    quotechar : str or None, default='"'
        What encloses fields of CSV and TSV files that hold delimiters, quotes or line breaks. None
        for files that do not use quotes.
    names : list of str, default=None
        Column names of a CSV or TSV file without a header.
    header : bool, default=True
        Whether the first line of a CSV or TSV file names the columns. If not, and `names` does not
        either, they are called 1, 2 and so on.
    sheet : str or int, default=None
        The sheet of an Excel file by name or by position from 0. None takes the first.
    pattern : str, default=None
        Which files of a folder are texts, by their names and without regard to case, for example
        ``"*.md"``. None takes ``.txt`` files, also compressed.
    schema_overrides : mapping of str to polars data type, default=None
        Types of columns, where the ones in the file or the inferred ones do not suit.
    columns : str or list of str, default=None
        Columns of numbers and categories to learn from. With `text` they are beside the texts;
        alone, there are no texts. None takes all that are useful in a table without texts (keys,
        names and columns of one value are not), and none beside texts.
    limits : Limits, mapping or str, default=None
        How much a source may hold before reading stops, for example ``"record=1GB"``: see
        `Limits`. None takes its defaults.

    Returns
    -------
    Corpus
        The texts, the labels, all columns, and notes on what was guessed.

    Raises
    ------
    FileNotFoundError
        If nothing is at the path.
    ImportError
        If the format needs a package that is not installed; the message has the pip command.
    TypeError
        If ``source`` is of no known kind.
    CorpusError
        If the source is empty or malformed, is not in the given encoding, lacks a column, or has
        rows without text; the message says where and what to do.
    RuntimeError
        In a process that was forked after reading had begun: see the guide on corpora.

    See Also
    --------
    read_batches : The same for sources larger than memory.

    Notes
    -----
    The columns of a CSV file are numbers or truth values where every value can be read so without
    loss (``007`` cannot), and strings otherwise; a column named as text is always read as strings.
    ``NA``, ``NaN``, ``?`` and the like among numbers are missing values, which is noted.
    In formats that have types, a column of numbers is refused as text: convert it with
    ``schema_overrides={"column": polars.String}`` if the numbers are the texts.

    Examples
    --------
    >>> import io
    >>> from quire.io import read_corpus
    >>> file = io.StringIO('review,label\n"A fine, quiet film.",pos\n"Too long.",neg\n')
    >>> corpus = read_corpus(file, format="csv")
    >>> corpus
    Corpus of 2 texts from <StringIO>
      texts:  'review'
      labels: 'label', 2 classes: neg (1), pos (1)
      note:   texts from column 'review' (by its name; pass text= to choose)
      note:   labels from column 'label' (by its name; label=False reads none)
    >>> corpus.texts.to_list()
    ['A fine, quiet film.', 'Too long.']
    """
    check_threads_are_here()
    options = Options(
        text=text,
        label=label,
        format=format,
        join=join,
        missing=missing,
        encoding=encoding,
        delimiter=delimiter,
        quotechar=quotechar,
        names=names,
        header=header,
        sheet=sheet,
        pattern=pattern,
        schema_overrides=schema_overrides,
        columns=columns,
        limits=limits_of(limits),
    )
    table = open_table(source, options, batch_size=None)
    frame = joined(table.frames, table.notes.source)
    if frame is None or not frame.height:
        raise CorpusError(_nothing_in(table.notes.source, frame))
    corpus = Assembler(table, options).assemble(frame)
    if not len(corpus):
        raise CorpusError(
            f"{table.notes.source}: all texts are missing, so nothing is left to read."
        )
    return replace(corpus, origin=_origin(table, frame))


def _origin(table: Table, frame: pl.DataFrame) -> Origin | None:
    """Return where a corpus is from; of a folder, with the files that were read."""
    if table.origin is None or table.text != ("text",) or "file" not in frame.columns:
        return table.origin
    return replace(table.origin, _files=tuple(frame["file"].to_list()))


def read_batches(
    source: Any,
    *,
    batch_size: int = 10_000,
    text: str | Sequence[str] | None = None,
    label: str | Literal[False] | None = None,
    format: Format | None = None,
    join: str = "\n",
    missing: Missing = "error",
    encoding: str = "utf-8",
    delimiter: str | None = None,
    quotechar: str | None = '"',
    names: Sequence[str] | None = None,
    header: bool = True,
    sheet: str | int | None = None,
    pattern: str | None = None,
    schema_overrides: Mapping[str, DataType] | None = None,
    columns: str | Sequence[str] | None = None,
    default_text: Sequence[str] | None = None,
    default_columns: Sequence[str] | None = None,
    default_label: str | None = None,
    limits: Limits | Mapping[str, int] | str | None = None,
) -> Iterator[Corpus]:
    r"""Read a source part by part, with memory for one part at a time.

    CSV, TSV, NDJSON, lines, Parquet, mbox, Maildir and folders are streamed, also compressed and
    from standard input (compressed Parquet is not). A JSON array, an Excel sheet and a data frame
    are read whole and then cut.

    Parameters
    ----------
    source : path, "-", file object, or polars, pandas or Arrow data frame
        As for `read_corpus`.
    batch_size : int, default=10_000
        Rows per part; the last part may have fewer.
    text, label, format, join, missing, encoding, delimiter, quotechar
        As for `read_corpus`.
    names, header, sheet, pattern, schema_overrides, columns, limits
        As for `read_corpus`.
    default_text : list of str, default=None
        The columns of the texts where ``text`` is None and the source has all of them; otherwise
        they are guessed.
    default_columns : list of str, default=None
        The columns to learn from where ``columns`` is None, as far as the source has them. No texts
        are looked for then, unless ``text`` or ``default_text`` names them.
    default_label : str, default=None
        The column of the labels where ``label`` is None and the source has it.

    Returns
    -------
    iterator of Corpus
        The parts in the order of the source. Columns are guessed, and the types of CSV and NDJSON
        columns are inferred, from the first part and stay the same; a later value that does not
        fit is an error.

    Raises
    ------
    FileNotFoundError, MissingExtraError, TypeError, CorpusError, RuntimeError
        As for `read_corpus`: at once for a wrong argument or a path that does not exist, and while
        iterating for what is wrong with the data.

    See Also
    --------
    read_corpus : Read everything at once.

    Examples
    --------
    >>> import io
    >>> from quire.io import read_batches
    >>> file = io.StringIO("one\ntwo\nthree\n")
    >>> for batch in read_batches(file, batch_size=2, format="lines"):
    ...     print(len(batch), batch.texts.to_list())
    2 ['one', 'two']
    1 ['three']
    """
    check_threads_are_here()
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1; got {batch_size}")
    options = Options(
        text=text,
        label=label,
        format=format,
        join=join,
        missing=missing,
        encoding=encoding,
        delimiter=delimiter,
        quotechar=quotechar,
        names=names,
        header=header,
        sheet=sheet,
        pattern=pattern,
        schema_overrides=schema_overrides,
        columns=columns,
        default_text=default_text,
        default_columns=default_columns,
        default_label=default_label,
        limits=limits_of(limits),
    )
    return _batches(open_table(source, options, batch_size), options, batch_size)


def _batches(table: Table, options: Options, batch_size: int) -> Iterator[Corpus]:
    name = table.notes.source
    assembler = Assembler(table, options)
    batches = rebatched(table.frames, batch_size, name)
    first = next(batches, None)
    if first is None or not first.height:
        raise CorpusError(_nothing_in(name, first))
    for frame in chain([first], batches):
        corpus = assembler.assemble(frame)
        if len(corpus):
            yield corpus


def _nothing_in(name: str, frame: pl.DataFrame | None) -> str:
    if frame is None or not frame.width:
        return f"{name}: expected texts; it is empty."
    return f"{name}: expected texts; it has the columns {listing(frame.columns)} but no rows."
