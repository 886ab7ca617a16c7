"""The records of functions made by transformations, which api and frontend share.

The api makes these; the frontend reads them where a program uses one. So neither knows the other.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any

from retrograd.options.checkpointing import Checkpointing
from retrograd.options.saving import Policy

__all__ = [
    "BARS", "Axes", "AxesByKey", "Baked", "Chosen", "Reduced", "Rerun", "Reversible", "Ruled",
    "Transformed", "Vectorised",
]  # fmt: skip

BARS = "rg_bars"
"""The parameter of adjoints that takes the cotangents, in the order of the others."""

Chosen = int | str | tuple[int | str, ...]
"""Arguments, by position or by name."""


@dataclass(frozen=True, slots=True)
class AxesByKey:
    """The axes of the items of a dict."""

    keys: tuple[Any, ...]
    axes: tuple[Axes, ...]

    def of(self, keys: Sequence[Any]) -> tuple[Axes, ...] | None:
        """Those of the items under these keys; None where others are named."""
        table = dict(zip(self.keys, self.axes, strict=True))
        named = len(table) == len(keys) and all(key in table for key in keys)
        return tuple(table[key] for key in keys) if named else None


Axes = int | None | tuple["Axes", ...] | AxesByKey
"""Of each argument (or result) an axis, None for none; a tuple of these for tuples."""


def _find(module: str, name: str) -> object:
    """What a module has under a qualified name."""
    found: object = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


Reduced = tuple[Callable[..., Any], tuple[Any, ...]]
"""What to call, and with what, for another object like one: what `__reduce__` returns."""


def _by_name(made: object, fun: object) -> Reduced | None:
    """How to find again what stands under the name of its own function, as decorated ones do.

    None for another object. Pickling such a function itself would find the decorated one.
    """
    module: object = getattr(fun, "__module__", None)
    name: object = getattr(fun, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module not in sys.modules:
        return None
    try:
        found = _find(module, name)
    except AttributeError:  # a function inside of a function
        return None
    return (_find, (module, name)) if found is made else None


class Baked:
    """A record that programs take as it is, although it looks like data."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Transformed:
    """`kind` ("jit", "grad", "value_and_grad") applied to `fun`.

    `argnums` are the arguments that are differentiated; with `has_aux`, `fun` returns a pair of
    which the second is passed through. `checkpointing` is how reverse mode is paid for. The values
    of the arguments in `static` are part of the program.
    """

    kind: str
    fun: Callable[..., Any]
    argnums: Chosen = 0
    has_aux: bool = False
    checkpointing: Checkpointing | None = None
    static: tuple[int | str, ...] = ()

    def __reduce__(self) -> Reduced:
        """Copies and pickles are made anew from this: what has been compiled stays here."""
        fields = (
            self.kind, self.fun, self.argnums, self.has_aux, self.checkpointing, self.static,
        )  # fmt: skip
        return _by_name(self, self.fun) or (type(self), fields)


@dataclass(frozen=True, slots=True)
class Vectorised:
    """`fun` for each index of the axes `in_axes` of its arguments; its results have it at
    `out_axes`."""

    fun: Callable[..., Any]
    in_axes: Axes = 0
    out_axes: Axes = 0


@dataclass(frozen=True, slots=True)
class Rerun:
    """`fun`, of which a derivative saves what `policy` lets it, and runs the rest again.

    `static` are as in `Transformed`.
    """

    fun: Callable[..., Any]
    policy: Policy
    static: tuple[int | str, ...] = ()

    def __reduce__(self) -> Reduced:
        """As `Transformed`."""
        fields = (self.fun, self.policy, self.static)
        return _by_name(self, self.fun) or (type(self), fields)


@dataclass(slots=True, eq=False)
class Ruled:
    """A function with a derivative rule of the user's; the api makes it callable.

    `fun` is a Python function, `kind` "jvp" or "vjp". A jvp `rule(*fixed, primals, tangents)`
    returns the result and its tangent. A vjp `rule(*args)` returns the result and residuals, and
    `pullback(*fixed, residuals, y_bar)` a cotangent for each argument that is not fixed. Fixed are
    the arguments at the positions in `nondiff`.
    """

    kind: str
    fun: Any
    nondiff: tuple[int, ...] = ()
    rule: Callable[..., Any] | None = None
    pullback: Callable[..., Any] | None = None

    def __reduce__(self) -> Reduced:
        """As `Transformed`."""
        return _by_name(self, self.fun) or self.made_anew()

    def made_anew(self) -> Reduced:
        """How another one is made that is like this one."""
        return type(self), (self.kind, self.fun, self.nondiff, self.rule, self.pullback)

    @property
    def __name__(self) -> str:
        return self.own_name()

    def own_name(self) -> str:
        """The name of the function that is called."""
        return self.fun.__name__


@dataclass(slots=True, eq=False)
class Reversible(Ruled, ABC):
    """A function of which every statement has an inverse; each call of it can be undone.

    `inverted`: it is the inverse of `fun`. `options` are those of its tests at run time, as text.
    """

    inverted: bool = False
    options: str = ""

    @property
    @abstractmethod
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""

    @property
    def gathered(self) -> int | None:
        """The parameter among them that takes any number of arguments (`*args`)."""
        code = self.fun.__code__
        return code.co_argcount if code.co_flags & CO_VARARGS else None

    @property
    def worded(self) -> int | None:
        """The one that takes any keywords (`**kwargs`)."""
        return len(self.parameters) - 1 if self.fun.__code__.co_flags & CO_VARKEYWORDS else None

    def arguments_in(self, given: Sequence[Any], has: Callable[[Any], bool]) -> int | None:
        """How many of these are arguments, if one cotangent follows for each that `has` one.

        None where they are too few or too many.
        """
        own = len(self.parameters)
        ends = (own,) if self.gathered is None else range(own - 1, len(given) + 1)
        fits = (n for n in ends if n + sum(map(has, given[:n])) == len(given))
        return next(fits, None)

    def by_parameter(self, flat: Sequence[Any]) -> list[Any]:
        """What there is for each argument, for each parameter: of `*args` a tuple."""
        if self.gathered is None:
            return list(flat)
        end = len(flat) - len(self.parameters) + self.gathered + 1
        return [*flat[: self.gathered], tuple(flat[self.gathered : end]), *flat[end:]]

    def by_argument(self, parts: Sequence[Any]) -> list[Any]:
        """The other way."""
        k = self.gathered
        return list(parts) if k is None else [*parts[:k], *parts[k], *parts[k + 1 :]]

    @property
    @abstractmethod
    def changed(self) -> tuple[str, ...]:
        """The parameters whose value or content is another one after a call."""

    def attributes(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        """The attributes of an argument that are changed, and those that are read or changed.

        What the methods do that are called is known where they are called.
        """
        return frozenset(), frozenset()

    @property
    @abstractmethod
    def returned(self) -> tuple[str, ...] | None:
        """The parameters of which the result is made; None where nothing is returned."""

    @property
    @abstractmethod
    def single(self) -> bool:
        """Whether the result is one of them, and no tuple."""

    @property
    @abstractmethod
    def tolerance(self) -> float | None:
        """By how much floats may be off after they are restored; None where that is not tested."""

    @property
    @abstractmethod
    def forward(self) -> FunctionType:
        """The function itself as Python text, with its tests."""

    @property
    @abstractmethod
    def adjoint(self) -> FunctionType:
        """Its adjoint as Python text.

        It takes the arguments as they are after the call, then a cotangent for each, None for what
        is no float; it returns them as they were before, None for what is only read, then the
        cotangents before. Cotangents of what is only read are added to those that are given.
        """

    @property
    @abstractmethod
    def adjoint_of_objects(self) -> FunctionType:
        """The same for arguments some of which are fixed-point numbers."""

    @property
    @abstractmethod
    def partner(self) -> Reversible:
        """The inverse."""

    def other_than(self, changed: str, returned: str | None) -> str | None:
        """Why this is not the method that a reversible function was read with; None where it is.

        That one changes and returns these parameters.
        """
        returns = ", ".join(self.returned or ())
        if returns != (returned or ""):
            return f"returns {returns or 'nothing'}, not {returned or 'nothing'},"
        more = [name for name in self.changed if name not in changed.split(", ")]
        return f"changes {', '.join(more)}, too," if more else None

    def unfit(
        self, own: bool, put: str | None, given: Sequence[str], numbers: Sequence[str]
    ) -> tuple[str, str] | None:
        """Why this does not fit a call, with the way out; None where it does.

        Args:
            own: whether it is the method of an object, its first parameter.
            put: the arguments that the result is put back to, by position or keyword.
            given: the parameters that are given arguments, in their order.
            numbers: those that are given numbers.
        """
        names = self.parameters[own:]
        if tuple(given) != names:
            return (
                f"has the parameters {', '.join(names)}, and is given {', '.join(given)}",
                "give an argument for each parameter, in their order",
            )
        if own and self.parameters[0] in self.changed:
            return (
                "changes its object, whose class is not known where it is called",
                "name the class of the object: def f(b: Body, ..)",
            )
        if put is None:
            lost = [n for n in self.returned or () if n in self.changed and n in numbers]
            said = f"changes the number {lost[0]!r}, which is not put back" if lost else ""
            return (said, "assign the result") if lost else None
        wanted = tuple(
            names[min(int(k), len(names) - 1)] if names and k.isdigit() else k
            for k in put.split(", ")
        )
        if wanted == (self.returned or ()):
            return None
        return (
            f"returns {', '.join(self.returned or ()) or 'nothing'}, which is put back to "
            f"{', '.join(wanted)}", "assign the result to the arguments that it is",
        )  # fmt: skip
