"""Machine learning for text: a stack of documents in, a model you can trust, read and serve out.

The sub-packages follow scikit-learn's names, so that changing ``sklearn`` to ``quire`` in an import
is all that a program has to do. Nothing heavy is imported here: :func:`save` and :func:`load` are
fetched from :mod:`quire.persistence` when they are first asked for.
"""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.persistence import load, save

__all__ = ["__version__", "load", "save"]

__version__ = version("quire")

_HOMES = {"load": "quire.persistence", "save": "quire.persistence"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
