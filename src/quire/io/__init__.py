"""Reading corpora: files, folders, mailboxes and data frames become texts with labels.

`read_corpus` reads everything into one `Corpus`; `read_batches` yields `Corpus` parts of a source
that is larger than memory. The texts are a polars Series, so they reach the compiled core as Arrow
strings and never become Python strings on the way.

A source passes three stations: `_streams` and `_encoding` turn it into
blocks of valid UTF-8, a reader (`_csv`, `_json`, `_tables`, `_folders`, `_mail`) turns blocks into
frames, and `_assemble` makes corpora of frames with the types of `_types` and the choices of
`_columns`.
"""

from quire.io._corpus import Corpus
from quire.io._limits import Limits
from quire.io._origin import Origin
from quire.io._read import read_batches, read_corpus

__all__ = ["Corpus", "Limits", "Origin", "read_batches", "read_corpus"]
