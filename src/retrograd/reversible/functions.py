"""`reversible`, `inverse`, `adjoint`: functions that run backwards."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from types import FunctionType, MethodType
from typing import Any, cast

import numpy as np

from retrograd.api.functions import jit
from retrograd.errors import InvertibilityError, UserError
from retrograd.frontend.derivatives.reversing import BARS
from retrograd.frontend.identity.source import FunctionSource, Sources
from retrograd.frontend.identity.transformed import Reversible
from retrograd.reversible.adjoint import AdjointWriter, adjoint_text
from retrograd.reversible.complaints import Complaints
from retrograd.reversible.generated import function_of
from retrograd.reversible.invert import inverse_of
from retrograd.reversible.prepare import Fresh
from retrograd.reversible.read import read
from retrograd.reversible.statements import Reversed
from retrograd.reversible.write import Inserted, Writer, function_text
from retrograd.tracebacks import shows_user_frames

__all__ = ["ReversibleFunction", "adjoint", "adjoint_of", "inverse", "reversible"]

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class _Options:
    checked: bool
    atol: float


@dataclass(slots=True, eq=False)
class _Shared:
    """What a function and its inverse have in common; texts are written when they are asked for."""

    fun: FunctionType
    options: _Options
    source: FunctionSource | None = None
    code: Reversed | None = None
    guess: tuple[str, ...] | None = None
    functions: dict[str, FunctionType] = field(default_factory=dict[str, FunctionType])

    def read(self) -> Reversed:
        """The statements of the function.

        Raises:
            UserError: where one of them has no inverse.
        """
        if self.code is not None:
            return self.code
        self.source = Sources().of(self.fun, None)
        node = self.source.node
        if not isinstance(node, ast.FunctionDef):
            raise UserError(
                "RG0509", "a lambda has no statements that could be undone",
                self.source.span(node), "define it with `def`",
            )  # fmt: skip
        self.guess = ()
        while True:
            found = read(node, Complaints(self.source), _Resolver(self))
            if found.changed == self.guess:
                break
            self.guess = found.changed
        self.code, self.guess = found, None
        return found


@dataclass(slots=True, eq=False)
class ReversibleFunction(Reversible):
    """A function of which every statement has an inverse; made by `reversible`.

    Attributes:
        inverse: the function that undoes it, of the same arguments.
    """

    shared: _Shared = field(kw_only=True, compare=False)
    other: ReversibleFunction | None = field(default=None, kw_only=True, compare=False)

    @staticmethod
    def of(shared: _Shared, inverted: bool = False) -> ReversibleFunction:
        """The function, or its inverse."""
        text = f"checked={shared.options.checked} atol={shared.options.atol!r}"
        return ReversibleFunction(
            "inverse", shared.fun, inverted=inverted, options=text, shared=shared
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _apart(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.shared.fun

    @property
    def inverse(self) -> ReversibleFunction:
        """The function that undoes this one."""
        return self.partner

    @property
    def partner(self) -> ReversibleFunction:
        if self.other is None:
            self.other = ReversibleFunction.of(self.shared, not self.inverted)
            self.other.other = self
        return self.other

    @property
    def code(self) -> Reversed:
        """The statements, from the first to the last."""
        read_ = self.shared.read()
        if not self.inverted:
            return read_
        return replace(read_, body=inverse_of(read_.body, read_.locals))

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.shared.read().parameters

    @property
    def changed(self) -> tuple[str, ...]:
        if self.shared.guess is not None:
            return self.shared.guess
        return self.shared.read().changed

    @property
    def returned(self) -> tuple[str, ...] | None:
        return self.shared.read().returned

    @property
    def single(self) -> bool:
        return self.shared.read().single

    @property
    def forward(self) -> FunctionType:
        return self._made("inverse" if self.inverted else "forward")

    @property
    def adjoint(self) -> FunctionType:
        return self._made("adjoint of the inverse" if self.inverted else "adjoint")

    def text(self, what: str) -> str:
        """The text of the function ("forward", "inverse") or of its "adjoint"."""
        return ast.unparse(ast.fix_missing_locations(self._syntax(what)[0]))

    def _made(self, what: str) -> FunctionType:
        functions = self.shared.functions
        if what not in functions:
            node, inserted = self._syntax(what)
            functions[what] = function_of(node, self.shared.fun, inserted)
        return functions[what]

    def _syntax(self, what: str) -> tuple[ast.FunctionDef, dict[str, object]]:
        code, options = self.shared.read(), self.shared.options
        inserted = Inserted(Fresh(code.locals | _names(self.shared)))
        if what.startswith("adjoint"):
            code = self.code if what == "adjoint of the inverse" else code
            writer = Writer(code, inserted, inverse, options.checked, options.atol)
            name = inserted.fresh.name(f"{code.node.name}_{what.replace(' ', '_')}")
            made = AdjointWriter(writer, adjoint_of)
            return adjoint_text(made, name), inserted.objects
        writer = Writer(code, inserted, inverse, options.checked, options.atol)
        inverted = what == "inverse"
        name = inserted.fresh.name(f"{code.node.name}_{'inverse' if inverted else 'forward'}")
        return function_text(writer, name, inverted), inserted.objects

    @property
    def __name__(self) -> str:
        return f"inverse({self.fun.__name__})" if self.inverted else self.fun.__name__

    def __repr__(self) -> str:
        return f"<reversible function {self.__name__}>"


def _names(shared: _Shared) -> frozenset[str]:
    """The names that the text of a function mentions."""
    assert shared.source is not None
    nodes = ast.walk(shared.source.node)
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _apart(function: ReversibleFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuses arrays that share memory, of which one is changed."""
    named = list(zip(function.parameters, args, strict=False))
    named += [(function.parameters[-1], a) for a in args[len(function.parameters) :]]
    named += kwargs.items()
    arrays = [(name, value) for name, value in named if isinstance(value, np.ndarray)]
    changed = set(function.changed)
    for k, (name, one) in enumerate(arrays):
        for other, two in arrays[:k]:
            if (name in changed or other in changed) and np.shares_memory(one, two):
                raise InvertibilityError(
                    f"{other!r} and {name!r} of {function.__name__} share memory, and "
                    f"{name if name in changed else other!r} is changed: give a copy of one of them"
                )


class _Resolver:
    """What names of a function's surroundings stand for."""

    def __init__(self, shared: _Shared) -> None:
        self.shared = shared
        code = shared.fun.__code__
        self.local = frozenset(code.co_varnames) | frozenset(code.co_cellvars)
        self.cells = dict(zip(code.co_freevars, shared.fun.__closure__ or (), strict=True))

    def __call__(self, node: ast.AST) -> object:
        found = self._object(node)
        return None if found is _ABSENT else found

    def _object(self, node: ast.AST) -> object:
        match node:
            case ast.Name(id=name) if name not in self.local:
                return self._named(name)
            case ast.Attribute(value=value, attr=attr):
                holder = self._object(value)
                return _ABSENT if holder is _ABSENT else getattr(holder, attr, _ABSENT)
            case _:
                return _ABSENT

    def _named(self, name: str) -> object:
        fun = self.shared.fun
        if name in self.cells:
            try:
                return self.cells[name].cell_contents
            except ValueError:  # a cell that is empty as yet
                return _ABSENT
        found = fun.__globals__.get(name, _ABSENT)
        if found is _ABSENT:
            found = getattr(builtins, name, _ABSENT)
        return found

    def callee(self, node: ast.AST) -> Reversible | None:
        """The reversible function that an expression stands for."""
        if isinstance(node, ast.Name) and node.id == self.shared.fun.__name__:
            found = self._object(node)
            if not isinstance(found, Reversible) or found.fun is self.shared.fun:
                return _Itself(self.shared)
        found = self._object(node)
        return found if isinstance(found, Reversible) else None

    def is_reversible(self, node: ast.AST) -> bool:
        """Whether a function is reversible, or the inverse of one."""
        inner = self.inverted(node)
        return self.callee(node if inner is None else inner) is not None

    def is_known(self, node: ast.AST) -> bool:
        """Whether an expression stands for an object that is there."""
        return self._object(node) is not _ABSENT

    def inverted(self, node: ast.AST) -> ast.expr | None:
        """`f` in `rg.inverse(f)` and `f.inverse`; None of another expression."""
        match node:
            case ast.Call(func=func, args=[inner], keywords=[]) if self(func) is inverse:
                return inner
            case ast.Attribute(value=value, attr="inverse"):
                return value
            case _:
                return None


@dataclass(frozen=True, slots=True)
class _Itself:
    """A function that calls itself, while it is being read."""

    shared: _Shared

    @property
    def parameters(self) -> tuple[str, ...]:
        args = self._node().args
        every = (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg)
        return tuple(a.arg for a in every if a is not None)

    @property
    def changed(self) -> tuple[str, ...]:
        return self.shared.guess or ()

    @property
    def returned(self) -> tuple[str, ...] | None:
        last = self._node().body[-1]
        match last:
            case ast.Return(value=ast.Name(id=name)):
                return (name,)
            case ast.Return(value=ast.Tuple(elts=items)):
                return tuple(item.id for item in items if isinstance(item, ast.Name))
            case _:
                return None

    def _node(self) -> ast.FunctionDef:
        source = self.shared.source
        assert source is not None
        assert isinstance(source.node, ast.FunctionDef)
        return source.node


@shows_user_frames
def reversible(
    fun: Callable[..., Any] | None = None, *, checked: bool = True, atol: float = 1e-8
) -> Any:
    """A function of which every statement has an inverse: it can be run backwards.

    Its derivative in reverse mode runs it backwards and records nothing, however many steps it
    takes. Arrays are updated in place; numbers that change are returned. See `docs/reversible.md`
    for the statements that it may have.

    Args:
        fun: a Python function; without it this is a decorator with options.
        checked: whether the tests at run time are there, of conditions, of locals at their end, and
            of elements that are read and written.
        atol: floats count as equal where they differ by at most atol max(1, |value|).

    Returns:
        A function of the same arguments; `inverse` undoes it.

    Raises:
        UserError: a statement has no inverse (RG0501 to RG0509).

    Source: Liu and Zhao 2020, "Differentiate everything with a reversible embedded domain-specific
    language".

    >>> import numpy as np, retrograd as rg
    >>> @rg.reversible
    ... def step(x, v, dt):
    ...     v -= dt * np.sin(x)
    ...     x += dt * v
    >>> x, v = np.array([1.0, 2.0]), np.array([0.0, 0.5])
    >>> step(x, v, 0.1)
    >>> rg.inverse(step)(x, v, 0.1)
    >>> x, v
    (array([1., 2.]), array([0. , 0.5]))
    """
    if fun is None:
        return lambda given: _decorated(given, _Options(checked, atol))
    return _decorated(fun, _Options(checked, atol))


def _decorated(fun: object, options: _Options) -> ReversibleFunction:
    if not isinstance(fun, FunctionType):
        raise UserError(
            "RG0509", f"reversible needs a Python function, not {type(fun).__name__}",
            way_out="decorate a function that is defined with `def`",
        )  # fmt: skip
    made = ReversibleFunction.of(_Shared(fun, options))
    made.shared.read()
    return made


@shows_user_frames
def inverse(fun: Callable[..., Any]) -> Any:
    """The function that undoes a reversible function; of the same arguments.

    Args:
        fun: what `reversible` has made, or its inverse.

    Raises:
        UserError: `fun` is no reversible function (RG0509).

    >>> import retrograd as rg
    >>> @rg.reversible
    ... def f(x, y):
    ...     y += x * x
    ...     return y
    >>> rg.inverse(f)(3.0, 10.0)
    1.0
    >>> rg.inverse(rg.inverse(f)) is f
    True
    """
    given = cast("object", fun)
    if isinstance(given, MethodType) and isinstance(given.__func__, Reversible):
        return MethodType(given.__func__.partner, given.__self__)
    if not isinstance(given, Reversible):
        raise _irreversible(given)
    return given.partner


def adjoint_of(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The adjoint as text has it: of the arguments, with the cotangents as one more (`BARS`)."""
    if isinstance(fun, MethodType) and isinstance(fun.__func__, Reversible):
        return MethodType(fun.__func__.adjoint, fun.__self__)
    if not isinstance(fun, Reversible):
        raise _irreversible(fun)
    return fun.adjoint


@shows_user_frames
def adjoint(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The function that undoes a call and takes cotangents back through it, in one run.

    Args:
        fun: what `reversible` has made, or its inverse.

    Returns:
        A function of the arguments as they are after the call, then of the cotangent of each of
        them that is a float or an array (or tree) of floats, in the order of the parameters. It
        returns the arguments as they were before, and the cotangents before; arrays are new ones.
        The cotangent of an argument that is only read is what is given for it and what the call
        adds.

    Raises:
        UserError: `fun` is no reversible function (RG0509).

    Source: Liu and Zhao 2020, section 4.

    >>> import retrograd as rg
    >>> @rg.reversible
    ... def f(y, a, b):
    ...     y += a * b
    ...     return y
    >>> rg.adjoint(f)(6.0, 2.0, 3.0, 1.0, 0.0, 0.0)
    ((0.0, 2.0, 3.0), (1.0, 3.0, 2.0))
    """
    if not isinstance(fun, Reversible):
        raise _irreversible(fun)
    text = fun.adjoint
    count = len(fun.parameters)

    def call(*given: Any) -> Any:
        args, rest = given[:count], list(given[count:])
        wanted = [_has_cotangent(arg) for arg in args]
        if len(args) < count or len(rest) != sum(wanted):
            raise UserError(
                "RG0509", f"the adjoint of {fun.__name__} is given {len(given)} arguments",
                way_out=f"give it the {count} arguments, then one cotangent for each of them that is "
                "a float or has floats",
            )  # fmt: skip
        bars = tuple(rest.pop(0) if has else None for has in wanted)
        values, ends = jit(text)(*copy.deepcopy(args), **{BARS: copy.deepcopy(bars)})
        return values, tuple(end for end, has in zip(ends, wanted, strict=True) if has)

    return call


def _has_cotangent(value: object) -> bool:
    """Whether there are floats in a value."""
    if isinstance(value, np.ndarray):
        return value.dtype == np.float64
    if isinstance(value, tuple | list):
        return any(map(_has_cotangent, cast("tuple[object, ...]", value)))
    if is_dataclass(value):
        return any(_has_cotangent(getattr(value, f.name)) for f in fields(value))
    return isinstance(value, float)


def _irreversible(fun: object) -> UserError:
    return UserError(
        "RG0509", f"{getattr(fun, '__name__', fun)!r} is not reversible",
        way_out="decorate it with rg.reversible",
    )  # fmt: skip
