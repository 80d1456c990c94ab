"""A small language for what an attribute of a saved object may be.

A table says it by name, so that it can be read::

    "n_features_in_": "int = P",
    "classes_": "label[K]",
    "coef_": "float[K, P] finite | sparse float[K, P]",
    "support_": "int32[N] >= 0 < D",
    "estimators_": "list[E] of DecisionTreeClassifier",
    "trace_": {"inertia": "float[T]", "moved?": "int[T]"},

Capitals are sizes: whatever fixes one first, all others must agree with it. ``_`` is any size, and
``...`` any further axes. ``|`` separates what else may be there, ``?`` behind a name says that it
may be missing, and a mapping describes a dictionary with these keys and no others. Arrays are those
of NumPy and nothing that derives from them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from quire._shared.class_names import public_name
from quire._shared.sparse import is_sparse

__all__ = [
    "Mismatch",
    "Scope",
    "Spec",
    "class_of",
    "everything_in",
    "has_object",
    "match",
    "state_of",
]

Spec: TypeAlias = "str | Mapping[str, Any] | tuple[Any, ...]"


class Mismatch(ValueError):
    """A value is not what the table says."""


@dataclass
class Scope:
    """What is known of the sizes while the attributes of one object are looked at.

    Attributes
    ----------
    sizes : dict
        Those that something has fixed.
    later : list of callables
        Comparisons with sizes, for when all are known.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    later: list[Callable[[], None]] = field(default_factory=list)


def class_of(value: Any) -> type:
    """Return the class of an object, made already or not."""
    from quire.kinds._blueprint import Blueprint

    return value.cls if isinstance(value, Blueprint) else type(value)


def state_of(value: Any) -> Mapping[str, Any]:
    """Return the attributes of an object, made already or not."""
    from quire.kinds._blueprint import Blueprint

    if isinstance(value, Blueprint):
        return value.state
    state: Any = value.__getstate__()  # as it would be saved
    return state if isinstance(state, dict) else {}


def has_object(value: Any, name: str) -> bool:
    """Say whether this is an object of a class with this name, or of one that derives from it."""
    return any(public_name(base).endswith(f".{name}") for base in class_of(value).__mro__)


# Sizes ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Size:
    """A number, or a name and what is added to it: ``3``, ``K``, ``K-1``."""

    name: str
    plus: int = 0

    def value(self, scope: Scope) -> int | None:
        if not self.name:
            return self.plus
        known = scope.sizes.get(self.name)
        return None if known is None else known + self.plus

    def agree(self, n: int, scope: Scope) -> bool:
        """Say whether it is `n`; if nothing is known of it, it is `n` from now on."""
        known = self.value(scope)
        if known is None:
            if n < self.plus:
                return False
            scope.sizes[self.name] = n - self.plus
            return True
        return known == n

    def __str__(self) -> str:
        return (
            f"{self.name}{self.plus:+d}" if self.name and self.plus else self.name or f"{self.plus}"
        )


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "=": operator.eq,
}  # fmt: skip


@dataclass(frozen=True)
class _Condition:
    """``finite``, ``sorted``, or a comparison."""

    word: str
    bound: _Size | float | None = None

    def check(self, value: Any, scope: Scope, said: str) -> None:
        if not isinstance(self.bound, _Size):
            self._require(value, self.bound, said)
        elif self.word == "=" and np.ndim(value) == 0:
            if not self.bound.agree(int(value), scope):
                raise Mismatch(f"is {value}, not {said} with {_known(scope)}")
        else:
            bound = self.bound
            scope.later.append(lambda: self._require(value, bound.value(scope), said))

    def _require(self, value: Any, bound: float | None, said: str) -> None:
        if self.word == "finite":
            holds = np.all(np.isfinite(value))
        elif self.word == "sorted":
            holds = np.all(value[1:] >= value[:-1])
        elif bound is None:
            raise Mismatch(f"cannot be compared: it is {said}, and nothing says how many that is")
        else:
            holds = np.all(_COMPARE[self.word](value, bound))
        if not holds:
            raise Mismatch(f"is not {said}" + ("" if bound is None else f" ({bound})"))


def _known(scope: Scope) -> str:
    return ", ".join(f"{name} = {n}" for name, n in scope.sizes.items()) or "no size known"


# Kinds ------------------------------------------------------------------------------------------


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def _is_label(value: Any) -> bool:
    known = bool | int | float | str | bytes | np.generic
    return value is None or isinstance(value, known)


def _is_estimator(value: Any) -> bool:
    return has_object(value, "base.BaseEstimator") or not _is_known(value)


def _is_known(value: Any) -> bool:
    name = public_name(class_of(value))
    return name.startswith(("quire.", "sklearn.", "numpy.", "builtins.", "scipy.", "functools."))


def _is_function(value: Any) -> bool:
    if callable(value):
        return True
    return any("__call__" in vars(base) for base in class_of(value).__mro__)


def _is_random(value: Any) -> bool:
    return class_of(value) in (np.random.RandomState, np.random.Generator)


_CONTAINERS = (list, tuple, set, frozenset)
_SIMPLE = {str, int, float, bool, type(None)}


def everything_in(value: Any) -> Iterator[Any]:
    """Yield a value and all that is in it: what is there many times once, long plain lists whole.

    Parameters
    ----------
    value : object
        Lists, dictionaries and arrays of objects are opened.
    """
    left, met = [value], set()
    while left:
        one = left.pop()
        yield one
        if type(one) in _CONTAINERS:
            parts: Any = one
        elif isinstance(one, dict):
            parts = [*one, *one.values()]
        elif isinstance(one, np.ndarray) and one.dtype.kind == "O":
            parts = one.ravel().tolist()
        else:
            continue
        if id(one) not in met and not set(map(type, parts)) <= _SIMPLE:
            left.extend(parts)
        met.add(id(one))


def _is_plain(value: Any) -> bool:
    """Say whether this is a text, a number, or lists and dictionaries of them."""
    return all(
        type(one) in _CONTAINERS or isinstance(one, dict | slice) or _is_label(one)
        for one in everything_in(value)
    )


_SCALARS: dict[str, Callable[[Any], bool]] = {
    "anything": lambda value: True,
    "bool": lambda value: isinstance(value, bool | np.bool_),
    "dtype": lambda value: isinstance(value, np.dtype | type),
    "estimator": _is_estimator,
    "float": lambda value: _is_whole(value) or isinstance(value, float | np.floating),
    "function": _is_function,
    "int": _is_whole,
    "label": _is_label,
    "none": lambda value: value is None,
    "plain": _is_plain,
    "random": _is_random,
    "requests": lambda value: class_of(value).__name__ == "MetadataRequest",
    "slice": lambda value: isinstance(value, slice),
    "str": lambda value: isinstance(value, str),
}
_DTYPES: dict[str, Callable[[np.dtype[Any]], bool]] = {
    "anything": lambda dtype: True,
    "bool": lambda dtype: dtype.kind == "b",
    "date": lambda dtype: dtype.kind in "mM",
    "float": lambda dtype: dtype.kind == "f" and dtype.itemsize in (4, 8),
    "index": lambda dtype: dtype.kind == "i" and dtype.itemsize in (4, 8),
    "int": lambda dtype: dtype.kind in "iu",
    "label": lambda dtype: dtype.kind in "biufSUOmM",
    "number": lambda dtype: dtype.kind in "biuf",
    "object": lambda dtype: dtype.kind == "O",
    "records": lambda dtype: dtype.names is not None,
    "str": lambda dtype: dtype.kind in "UO",
}
_OF_OBJECTS: dict[str, Callable[[Any], bool]] = {
    "anything": lambda value: True,
    "label": _is_label,
    "object": lambda value: True,
    "str": lambda value: isinstance(value, str),
}


def _takes(kind: str, dtype: np.dtype[Any]) -> bool:
    known = _DTYPES.get(kind)
    return dtype.newbyteorder("=") == np.dtype(kind) if known is None else known(dtype)


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        name = "" if type(value) is np.ndarray else f"{type(value).__name__} of "
        return f"{name}{value.dtype} of shape {value.shape}"
    if is_sparse(value):
        return f"sparse {value.dtype} of shape {value.shape}"
    if isinstance(value, str | int | float | None):
        return f"{value!r:.60}"
    return f"{public_name(class_of(value))}"


# What a value may be ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Form:
    """One of the things that a value may be."""

    said: str

    def match(self, value: Any, scope: Scope) -> None:
        raise NotImplementedError

    def refuse(self, value: Any, scope: Scope) -> Mismatch:
        known = f" with {_known(scope)}" if scope.sizes else ""
        return Mismatch(f"is {_described(value)}, not {self.said}{known}")


@dataclass(frozen=True)
class _Scalar(_Form):
    kind: str
    conditions: tuple[_Condition, ...]

    def match(self, value: Any, scope: Scope) -> None:
        if isinstance(value, np.ndarray) and self.kind != "anything":
            raise self.refuse(value, scope)
        if not _SCALARS[self.kind](value):
            raise self.refuse(value, scope)
        for condition in self.conditions:
            condition.check(value, scope, self.said)


@dataclass(frozen=True)
class _Array(_Form):
    kind: str
    sizes: tuple[_Size | None, ...]  # None for any
    rest: bool
    conditions: tuple[_Condition, ...]

    def match(self, value: Any, scope: Scope) -> None:
        if type(value) is not np.ndarray or not _takes(self.kind, value.dtype):
            raise self.refuse(value, scope)
        _match_shape(self, value.shape, scope, value)
        if value.dtype.kind == "O":
            fits = _OF_OBJECTS.get(self.kind, _is_label)
            if not all(map(fits, value.ravel().tolist())):
                raise Mismatch(f"holds other things than {self.said}")
        for condition in self.conditions:
            condition.check(value, scope, self.said)


def _match_shape(form: Any, shape: tuple[int, ...], scope: Scope, value: Any) -> None:
    sizes = form.sizes
    if len(shape) < len(sizes) or (len(shape) > len(sizes) and not form.rest):
        raise form.refuse(value, scope)
    for size, n in zip(sizes, shape, strict=False):
        if size is not None and not size.agree(n, scope):
            raise form.refuse(value, scope)


@dataclass(frozen=True)
class _Sparse(_Form):
    kind: str
    sizes: tuple[_Size | None, ...]
    rest: bool
    conditions: tuple[_Condition, ...]

    def match(self, value: Any, scope: Scope) -> None:
        fits = is_sparse(value) and value.format in ("csr", "csc") and value.ndim == 2
        if not fits or not _takes(self.kind, value.dtype):
            raise self.refuse(value, scope)
        parts = value.data, value.indices, value.indptr
        if any(type(part) is not np.ndarray for part in parts):
            raise self.refuse(value, scope)
        _check_compressed(value)
        _match_shape(self, value.shape, scope, value)
        for condition in self.conditions:
            condition.check(value.data, scope, self.said)


def _check_compressed(matrix: Any) -> None:
    """Refuse places outside of a matrix: its own check, on what it has now."""
    try:
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise Mismatch(f"is no sparse matrix: {error}") from error


_SEQUENCES: dict[str, tuple[type, ...]] = {
    "list": (list,), "tuple": (tuple,), "set": (set, frozenset), "sequence": (list, tuple),
}  # fmt: skip


@dataclass(frozen=True)
class _Sequence(_Form):
    kinds: tuple[type, ...]
    size: _Size | None
    item: _Form

    def match(self, value: Any, scope: Scope) -> None:
        if type(value) not in self.kinds:
            raise self.refuse(value, scope)
        if self.size is not None and not self.size.agree(len(value), scope):
            raise Mismatch(f"has {len(value)} items, not {self.said} with {_known(scope)}")
        item = self.item
        if isinstance(item, _Scalar) and not item.conditions:  # a vocabulary has many
            fits = _SCALARS[item.kind]
            if not all(map(fits, value)):
                raise Mismatch(f"holds other things than {self.said}")
            return
        for i, one in enumerate(value):
            with _located(f"[{i}]"):
                item.match(one, scope)


@dataclass(frozen=True)
class _Tuple(_Form):
    items: tuple[_Form, ...]

    def match(self, value: Any, scope: Scope) -> None:
        if type(value) is not tuple or len(value) != len(self.items):
            raise self.refuse(value, scope)
        for i, (form, one) in enumerate(zip(self.items, value, strict=True)):
            with _located(f"[{i}]"):
                form.match(one, scope)


@dataclass(frozen=True)
class _Dict(_Form):
    key: _Form
    value: _Form

    def match(self, value: Any, scope: Scope) -> None:
        if not isinstance(value, dict):
            raise self.refuse(value, scope)
        keys, values = list(value), list(value.values())
        _Sequence(self.said, (list,), None, self.key).match(keys, scope)
        _Sequence(self.said, (list,), None, self.value).match(values, scope)


@dataclass(frozen=True)
class _Keys(_Form):
    """A dictionary with some keys and no others."""

    forms: tuple[tuple[str, bool, _Form], ...]

    def match(self, value: Any, scope: Scope) -> None:
        if not isinstance(value, dict):
            raise self.refuse(value, scope)
        left = set(value)
        for name, is_optional, form in self.forms:
            if name in left:
                left.discard(name)
                with _located(f"[{name!r}]"):
                    form.match(value[name], scope)
            elif not is_optional:
                raise Mismatch(f"has no {name!r}")
        if left:
            raise Mismatch(f"has an unknown {min(map(str, left))!r}")


@dataclass(frozen=True)
class _Object(_Form):
    names: tuple[str, ...]

    def match(self, value: Any, scope: Scope) -> None:
        if not any(has_object(value, name) for name in self.names):
            raise self.refuse(value, scope)


@dataclass(frozen=True)
class _Either(_Form):
    forms: tuple[_Form, ...]

    def match(self, value: Any, scope: Scope) -> None:
        errors = []
        for form in self.forms:
            sizes, n_later = dict(scope.sizes), len(scope.later)
            try:
                return form.match(value, scope)
            except Mismatch as error:
                errors.append(str(error))
                scope.sizes = sizes
                del scope.later[n_later:]
        if len(set(errors)) == 1:
            raise Mismatch(errors[0])
        raise self.refuse(value, scope)


class _located:
    """Say in an error where in a value it was."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Mismatch):
            raise Mismatch(f"{self.place} {error}".replace("] [", "][")) from error


# Reading the table ------------------------------------------------------------------------------

_TOKEN = re.compile(r"\s*(\.\.\.|>=|<=|[A-Za-z_][\w.]*|-?\d+(?:\.\d+)?|[\[\](),|<>=+-])")
_WORDS = ("finite", "sorted")


class _Reader:
    """Reads one text of the table."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = list(_tokens(text))
        self.tokens = [token[1] for token in found]
        self.places = [token.span(1) for token in found]
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        token = self.next
        if not token or (expected and token not in expected):
            raise SyntaxError(f"{token!r} is not expected in {self.text!r}")
        self.at += 1
        return token

    def whole(self) -> _Form:
        form = self.either()
        if self.next:
            self.take("the end")
        return form

    def either(self) -> _Form:
        start = self.at
        forms = [self.one()]
        while self.next == "|":
            self.take()
            forms.append(self.one())
        return forms[0] if len(forms) == 1 else _Either(self.since(start), tuple(forms))

    def since(self, start: int) -> str:
        first, last = self.places[start][0], self.places[self.at - 1][1]
        return self.text[first:last].replace(" | ", " or ")

    def one(self) -> _Form:
        start = self.at
        word = self.take()
        if word == "(":
            form = self.either()
            self.take(")")
            return form
        if word == "tuple" and self.next == "(":
            self.take()
            items = [self.either()]
            while self.take(",", ")") == ",":
                items.append(self.either())
            return _Tuple(self.since(start), tuple(items))
        if word in _SEQUENCES:
            size = self.sizes()[0][0] if self.next == "[" else None
            self.take("of")
            item = self.one()
            return _Sequence(self.since(start), _SEQUENCES[word], size, item)
        if word == "dict":
            self.take("of")
            key = self.one()
            self.take("to")
            value = self.one()
            return _Dict(self.since(start), key, value)
        if word == "sparse":
            kind = self.take()
            sizes, rest = self.sizes()
            conditions = tuple(self.conditions())
            return _Sparse(self.since(start), kind, sizes, rest, conditions)
        if word.lstrip("_")[:1].isupper() or "." in word:
            return _Object(word, (word,))
        if self.next == "[":
            sizes, rest = self.sizes()
            conditions = tuple(self.conditions())
            _takes(word, np.dtype("f8"))  # an unknown word is an error now
            return _Array(self.since(start), word, sizes, rest, conditions)
        if word not in _SCALARS:
            raise SyntaxError(f"{word!r} is unknown in {self.text!r}")
        conditions = tuple(self.conditions())
        return _Scalar(self.since(start), word, conditions)

    def sizes(self) -> tuple[tuple[_Size | None, ...], bool]:
        self.take("[")
        found: list[_Size | None] = []
        rest = False
        while self.next != "]":
            if self.next == "...":
                self.take()
                rest = True
            elif self.next == "_":
                self.take()
                found.append(None)
            else:
                found.append(self.size())
            if self.next == ",":
                self.take()
        self.take("]")
        return tuple(found), rest

    def size(self) -> _Size:
        name = self.take()
        if not name[0].isalpha():
            return _Size("", int(name))
        plus = 0
        while self.next in ("+", "-"):
            sign = self.take()
            plus += int(self.take()) * (1 if sign == "+" else -1)
        if re.fullmatch(r"-\d+", self.next):
            plus += int(self.take())
        return _Size(name, plus)

    def conditions(self) -> Iterator[_Condition]:
        while self.next in (*_WORDS, *_COMPARE):
            word = self.take()
            if word in _WORDS:
                yield _Condition(word)
            elif self.next[0].isalpha():
                yield _Condition(word, self.size())
            else:
                yield _Condition(word, float(self.take()))


def _tokens(text: str) -> Iterator[re.Match[str]]:
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise SyntaxError(f"{text[at:]!r} of {text!r} cannot be read")
        yield token
        at = token.end()


@cache
def _form_of_text(text: str) -> _Form:
    return _Reader(text).whole()


_COMPOSED: dict[int, tuple[Any, _Form]] = {}  # the table keeps its id taken


def _form(spec: Spec) -> _Form:
    if isinstance(spec, str):
        return _form_of_text(spec)
    known = _COMPOSED.get(id(spec))
    if known is None:
        if isinstance(spec, tuple):
            forms = tuple(map(_form, spec))
            form: _Form = _Either(" or ".join(one.said for one in forms), forms)
        else:
            keys = tuple(
                (name.rstrip("?"), name.endswith("?"), _form(one)) for name, one in spec.items()
            )
            form = _Keys("a dictionary of known keys", keys)
        known = _COMPOSED[id(spec)] = spec, form
    return known[1]


def match(spec: Spec, value: Any, scope: Scope) -> None:
    """Compare a value with what a table says of it.

    Parameters
    ----------
    spec : str, mapping or tuple
        What the table says; a tuple has alternatives.
    value : object
        Anything that a model file can hold.
    scope : Scope
        The sizes that are known so far; those that the value fixes are added.

    Raises
    ------
    Mismatch
        With what the value is and what it was to be.
    """
    _form(spec).match(value, scope)
