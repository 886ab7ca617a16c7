# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""What programs have for `inspect.signature`, written in Python.

It is translated as the user's own classes are; what the parameters of a function are is known when
it is (`syntax/signatures.py`).
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

__all__ = [
    "CLASSES", "MODULE", "SAID", "BoundArguments", "FunctionCode", "Parameter", "Signature", "said",
]  # fmt: skip

MODULE = __name__
_EMPTY: Any = inspect.Parameter.empty
_Kind: Any = inspect.Parameter


SAID = ("__code__", "__defaults__", "__kwdefaults__", "__doc__", "__module__", "__qualname__")


def said(function: Any, name: Any) -> Any:
    """One of `SAID` of a function from outside."""
    return getattr(function, name)


class Parameter:
    """`inspect.Parameter`."""

    empty = inspect.Parameter.empty
    POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
    POSITIONAL_OR_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD
    VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
    KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
    VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD

    def __init__(self, name: Any, kind: Any, default: Any, annotation: Any) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation


class Signature:
    """`inspect.Signature`, of tuples that each describe a parameter."""

    empty = inspect.Signature.empty

    def __init__(self, described: Any) -> None:
        self.parameters: dict[Any, Any] = {}
        for name, kind, default, annotation in described:
            self.parameters[name] = Parameter(name, kind, default, annotation)

    def bind(self, /, *args: Any, **kwargs: Any) -> Any:
        return _bound(self, args, kwargs, partial=False)

    def bind_partial(self, /, *args: Any, **kwargs: Any) -> Any:
        return _bound(self, args, kwargs, partial=True)


def _bound(signature: Any, args: Any, kwargs: Any, partial: Any) -> Any:
    arguments: dict[Any, Any] = {}
    left = dict(kwargs)
    gathers = None
    k = 0
    for name, one in signature.parameters.items():
        named = name in left and one.kind is not _Kind.POSITIONAL_ONLY
        if one.kind is _Kind.VAR_KEYWORD:
            gathers = name
        elif one.kind is _Kind.VAR_POSITIONAL:
            if k < len(args):
                arguments[name] = args[k:]
            k = len(args)
        elif one.kind is not _Kind.KEYWORD_ONLY and k < len(args):
            if named:
                raise TypeError(f"multiple values for argument {name!r}")
            arguments[name] = args[k]
            k += 1
        elif named:
            arguments[name] = left.pop(name)
        elif one.default is _EMPTY and not partial:
            raise TypeError(f"missing a required argument: {name!r}")
    if k < len(args):
        raise TypeError("too many positional arguments")
    if len(left) > 0:
        if gathers is None:
            raise TypeError(f"got an unexpected keyword argument {list(left)[0]!r}")  # noqa: RUF015
        arguments[gathers] = left
    return BoundArguments(signature, arguments)


class BoundArguments:
    """`inspect.BoundArguments`."""

    def __init__(self, signature: Any, arguments: Any) -> None:
        self.signature = signature
        self.arguments = arguments

    def apply_defaults(self) -> None:
        every: dict[Any, Any] = {}
        for name, one in self.signature.parameters.items():
            if name in self.arguments:
                every[name] = self.arguments[name]
            elif one.default is not _EMPTY:
                every[name] = one.default
            elif one.kind is _Kind.VAR_POSITIONAL:
                every[name] = ()
            elif one.kind is _Kind.VAR_KEYWORD:
                every[name] = {}
        self.arguments = every

    @property
    def args(self) -> Any:
        found: Any = ()
        going = True
        for name, one in self.signature.parameters.items():
            by_name = one.kind is _Kind.KEYWORD_ONLY or one.kind is _Kind.VAR_KEYWORD
            going = going and not by_name and name in self.arguments
            if going and one.kind is _Kind.VAR_POSITIONAL:
                found = (*found, *self.arguments[name])
            elif going:
                found = (*found, self.arguments[name])
        return found

    @property
    def kwargs(self) -> Any:
        found: dict[Any, Any] = {}
        started = False
        for name, one in self.signature.parameters.items():
            by_name = one.kind is _Kind.KEYWORD_ONLY or one.kind is _Kind.VAR_KEYWORD
            here = name in self.arguments
            started = started or by_name or not here
            if started and here and one.kind is _Kind.VAR_KEYWORD:
                found.update(self.arguments[name])
            elif started and here:
                found[name] = self.arguments[name]
        return found


@dataclass(frozen=True)
class FunctionCode:
    """What `function.__code__` says of a function."""

    co_argcount: Any
    co_posonlyargcount: Any
    co_kwonlyargcount: Any
    co_varnames: Any
    co_name: Any


CLASSES: dict[type, type] = {
    Parameter: inspect.Parameter, Signature: inspect.Signature,
    BoundArguments: inspect.BoundArguments,
}  # fmt: skip
"""The classes that those here stand for."""
