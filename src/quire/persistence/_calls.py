"""Functions with some arguments given beforehand: which arguments a model file may give.

An array to write to, or one that chooses what is written, would let a function change a part of the
model after it has been checked, or show memory that nobody has filled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

__all__ = ["refused_argument", "refused_in_attributes"]

# Of classes that call a function with arguments from another attribute.
_CALLED_WITH = {
    "sklearn.preprocessing.FunctionTransformer": {
        "func": "kw_args",
        "inverse_func": "inv_kw_args",
    }
}
_OF_UFUNCS = frozenset({"casting", "dtype", "order"})
_IN_PLACE = frozenset({"copy", "out", "overwrite_input", "where"})


def refused_argument(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> str | None:
    """Return the name of an argument that a file may not give to a function of the allow-list.

    Parameters
    ----------
    function : callable
        Of the allow-list, or such a function with some arguments given already.
    args, keywords : tuple, dict
        What it would be given.

    Returns
    -------
    str or None
        ``None`` if there is no such argument.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.persistence._calls import refused_argument
    >>> refused_argument(np.add, (1.0,), {}), refused_argument(np.add, (1.0, 2.0, np.ones(3)), {})
    (None, 'out')
    """
    if isinstance(function, partial):
        args, keywords = function.args + args, {**function.keywords, **keywords}
        function = function.func
    if isinstance(function, np.ufunc):
        refused = keywords.keys() - _OF_UFUNCS
        if len(args) > function.nin:
            return "out"
    else:
        refused = keywords.keys() & _IN_PLACE
    return min(refused, default=None)


def refused_in_attributes(
    class_name: str, state: Mapping[str, Any], is_vouched: Callable[[Any], bool]
) -> str | None:
    """Return the name of an argument that the attributes of an object may not give to a function.

    Parameters
    ----------
    class_name : str
        The public name of its class.
    state : mapping
        Its attributes.
    is_vouched : callable
        Whether the caller vouches for a function.

    Returns
    -------
    str or None
        ``None`` if there is no such argument.
    """
    for name, arguments in _CALLED_WITH.get(class_name, {}).items():
        function, given = state.get(name), state.get(arguments)
        if isinstance(given, dict) and callable(function) and not is_vouched(function):
            refused = refused_argument(function, (), given)
            if refused is not None:
                return refused
    return None
