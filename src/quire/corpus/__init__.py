"""What researchers do with a corpus before and beside models: words in context.

:class:`Tokens` are a corpus cut into words, each with its type and its place in the text; they are
made in one pass, and all that is asked of them afterwards works on whole numbers. Functions take
tokens, a corpus, a file, a data frame or a list of texts.

**Patterns** are the same everywhere. A pattern is one or more words with blanks between them;
several words are a phrase. A word is a glob (``econom*``: ``*`` is any letters, ``?`` one letter,
and ``*`` alone any word), a regular expression for the whole word between slashes
(``/colou?rs?/``), or a word exactly as it is written (``=US``). Case does not matter unless
``case=True``.
"""

from quire.corpus._frequencies import Frequencies, frequencies
from quire.corpus._keyness import Keyness, keyness
from quire.corpus._kwic import Context, Contexts, kwic
from quire.corpus._tokens import Tokens

__all__ = [
    "Context",
    "Contexts",
    "Frequencies",
    "Keyness",
    "Tokens",
    "frequencies",
    "keyness",
    "kwic",
]
