"""Machine learning for text: a stack of documents in, a model you can trust, read and serve out.

The sub-packages follow scikit-learn's names, so that changing ``sklearn`` to ``quire`` in an import
is all that a program has to do. The verbs of the main job stand here as well: :func:`read_corpus`,
:func:`compare`, :func:`evaluate`, :func:`explain`, :func:`report`, :func:`save` and :func:`load`.

Nothing is imported before it is asked for, so that ``import quire`` costs next to nothing; after
it, ``quire.naive_bayes`` and every other sub-package are there by their names.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it for true; the module typing need not be loaded
if TYPE_CHECKING:
    from typing import Any

    from quire.inspection import explain
    from quire.io import read_corpus
    from quire.model_selection import compare, evaluate
    from quire.persistence import load, save

    __version__: str

__all__ = ["__version__", "compare", "evaluate", "explain", "load", "read_corpus", "report", "save"]

_VERBS = {
    "compare": "quire.model_selection",
    "evaluate": "quire.model_selection",
    "explain": "quire.inspection",
    "load": "quire.persistence",
    "read_corpus": "quire.io",
    "save": "quire.persistence",
}
# `report` is a verb, too: a sub-package that can be called.
_SUBPACKAGES = frozenset(
    """alignment calibration checks cli cluster corpus datasets decomposition discriminant_analysis
    distributions ensemble exceptions feature_extraction inspection io kinds lessons
    linear_model mixture model_selection multiclass multilabel naive_bayes neighbors optimize
    persistence pictures prediction report scoring svm topics tree""".split()
)


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f"quire.{name}")
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("quire")
    elif name in _VERBS:
        value = getattr(import_module(_VERBS[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBPACKAGES})
