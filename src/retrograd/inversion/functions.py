"""`reversible`, `inverse`, `adjoint`: functions that run backwards."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from types import FunctionType, MethodType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.errors import InvertibilityError, UserError
from retrograd.frontend.identity.objects import is_object
from retrograd.frontend.identity.source import FunctionSource, Sources
from retrograd.frontend.identity.transformed import Reduced, Reversible
from retrograd.inversion.adjoint import AdjointWriter
from retrograd.inversion.adjoint_text import adjoint_text
from retrograd.inversion.complaints import Complaints
from retrograd.inversion.facts import attributes_of, read_by, written_by
from retrograd.inversion.generated import function_of
from retrograd.inversion.invert import inverse_of
from retrograd.inversion.prepare import Fresh
from retrograd.inversion.read import read
from retrograd.inversion.resolving import Names
from retrograd.inversion.statements import Reversed
from retrograd.inversion.support import arrays_of
from retrograd.inversion.write import Inserted, Writer, function_text
from retrograd.tracebacks import USER_FRAMES, shows_user_frames

__all__ = [
    "ReversibleFunction",
    "adjoint_of",
    "adjoint_of_objects",
    "inverse",
    "not_reversible",
    "reversible",
]


@dataclass(frozen=True, slots=True)
class _Options:
    checked: bool
    atol: float


@dataclass(slots=True, eq=False)
class _Shared:
    """What a function and its inverse have in common; texts are written when they are asked for."""

    fun: Any
    options: _Options
    source: FunctionSource | None = None
    code: Reversed | None = None
    guess: tuple[str, ...] | None = None
    functions: dict[str, FunctionType] = field(default_factory=dict[str, FunctionType])
    owner: type | None = None

    def names(self) -> Names:
        """What names stand for around the function."""
        assert self.source is not None
        assert isinstance(self.source.node, ast.FunctionDef)
        return Names(self.fun, self.source.node, self.guess or (), inverse, self.owner)

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
            found = read(node, Complaints(self.source), self.names())
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

    def made_anew(self) -> Reduced:
        if self.inverted:
            return inverse, (self.partner,)
        return _again, (self.shared.fun, self.shared.options, self.shared.owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with USER_FRAMES:
            _apart(self, args, kwargs)
            return self.forward(*args, **kwargs)

    def __set_name__(self, owner: type, name: str) -> None:
        self.shared.owner = owner

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.shared.fun

    def own_name(self) -> str:
        """By which a pickle finds a bound method again: the inverse has another one."""
        return f"{self.fun.__name__}{'_inverse' * self.inverted}"

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

    def attributes(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        body, own = self.shared.read().body, frozenset((name,))
        changed = attributes_of([p for stm in body for p in written_by(stm)], name)
        return changed, changed | attributes_of([p for s in body for p in read_by(s, own)], name)

    @property
    def returned(self) -> tuple[str, ...] | None:
        return self.shared.read().returned

    @property
    def single(self) -> bool:
        return self.shared.read().single

    @property
    def tolerance(self) -> float | None:
        options = self.shared.options
        return options.atol if options.checked else None

    @property
    def forward(self) -> FunctionType:
        return self._made("inverse" if self.inverted else "forward")

    @property
    def adjoint(self) -> FunctionType:
        return self._made("adjoint of the inverse" if self.inverted else "adjoint")

    @property
    def adjoint_of_objects(self) -> FunctionType:
        what = "adjoint of the inverse" if self.inverted else "adjoint"
        return self._made(f"{what} for objects")

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
        names = self.shared.names()
        if what.startswith("adjoint"):
            code = self.code if "inverse" in what else code
            writer = Writer(code, inserted, inverse, options.checked, options.atol, names)
            name = inserted.fresh.name(f"{code.node.name}_{what.replace(' ', '_')}")
            objects = what.endswith("objects")
            others = adjoint_of_objects if objects else adjoint_of
            made = AdjointWriter(writer, others, objects)
            return adjoint_text(made, name), inserted.objects
        writer = Writer(code, inserted, inverse, options.checked, options.atol, names)
        inverted = what == "inverse"
        name = inserted.fresh.name(f"{code.node.name}_{'inverse' if inverted else 'forward'}")
        return function_text(writer, name, inverted), inserted.objects

    def __repr__(self) -> str:
        return f"<reversible function{' inverse to' * self.inverted} {self.fun.__name__}>"


def _again(fun: FunctionType, options: _Options, owner: type | None) -> ReversibleFunction:
    """A copy of the reversible function that was made of `fun`, a method if it has an owner."""
    return ReversibleFunction.of(_Shared(fun, options, owner=owner))


def _names(shared: _Shared) -> frozenset[str]:
    """The names that the text of a function mentions."""
    assert shared.source is not None
    nodes = ast.walk(shared.source.node)
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _around(fun: FunctionType) -> list[tuple[str, object]]:
    """The arrays that a function reads from outside."""
    code = fun.__code__
    names = {name: fun.__globals__.get(name) for name in code.co_names}
    for name, cell in zip(code.co_freevars, fun.__closure__ or (), strict=True):
        names[name] = getattr(cell, "cell_contents", None)
    return [(name, value) for name, value in names.items() if isinstance(value, np.ndarray)]


def _apart(function: ReversibleFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuses arrays that share memory, of which one is changed."""
    named = list(zip(function.parameters, args, strict=False))
    named += [(function.parameters[-1], a) for a in args[len(function.parameters) :]]
    named += kwargs.items()
    named += _around(function.fun)
    arrays: list[tuple[str, NDArray[Any]]] = [
        (name, array) for name, value in named for array in arrays_of(value)
    ]
    for name, value in named:
        if is_object(value):
            _apart_inside(function, name, value)
    changed, owners = set(function.changed), dict(named)
    for k, (name, one) in enumerate(arrays):
        for other, two in arrays[:k]:
            objects = name == other and is_object(owners[name])
            if objects or (name not in changed and other not in changed):
                continue
            if np.shares_memory(one, two):
                raise InvertibilityError(
                    f"{other!r} and {name!r} of {function.__name__} share memory, and "
                    f"{name if name in changed else other!r} is changed: "
                    "give it a copy of one of them"
                )


def _apart_inside(function: ReversibleFunction, name: str, value: object) -> None:
    """Refuses an object of which two attributes share memory, if one is changed and both used."""
    changed, used = function.attributes(name)
    for one in changed:
        for other in used - {one}:
            parts = (arrays_of(getattr(value, attr, None)) for attr in (one, other))
            if any(np.shares_memory(a, b) for a, b in product(*parts)):
                raise InvertibilityError(
                    f"'{name}.{one}' and '{name}.{other}' share memory, and {function.__name__} "
                    f"changes '{name}.{one}': give it a copy of one of them"
                )


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
        return partial(_decorated, options=_Options(checked, atol))
    return _decorated(fun, _Options(checked, atol))


def _decorated(fun: object, options: _Options) -> ReversibleFunction:
    if not isinstance(fun, FunctionType):
        raise UserError(
            "RG0509", f"reversible needs a Python function, not {type(fun).__name__}",
            way_out="decorate a function that is defined with `def`",
        )  # fmt: skip
    made = ReversibleFunction.of(_Shared(fun, options))
    if not _calls_methods(fun):
        made.shared.read()
    return made


def _calls_methods(fun: FunctionType) -> bool:
    """Whether a function of a class has calls of methods of its object as statements.

    It is then read when it is used: its class is not there before.
    """
    within = fun.__qualname__.split(".")[:-1]
    if not within or within[-1] == "<locals>":
        return False
    node = Sources().of(fun, None).node
    args = (*node.args.posonlyargs, *node.args.args)
    own = frozenset(a.arg for a in args[:1])
    statements = (s for s in ast.walk(node) if isinstance(s, ast.Expr | ast.Assign))
    calls = (n for s in statements for n in ast.walk(s.value) if isinstance(n, ast.Call))
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in own
        for call in calls for n in (call.func, *call.args)
    )  # fmt: skip


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
        return MethodType(cast("Any", given.__func__.partner), given.__self__)
    if not isinstance(given, Reversible):
        raise not_reversible(given)
    return given.partner


def adjoint_of(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The adjoint as text has it: of the arguments, with the cotangents as one more (`BARS`)."""
    if isinstance(fun, MethodType) and isinstance(fun.__func__, Reversible):
        return MethodType(fun.__func__.adjoint, fun.__self__)
    if not isinstance(fun, Reversible):
        raise not_reversible(fun)
    return fun.adjoint


def adjoint_of_objects(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The same for arguments some of which are fixed-point numbers."""
    if isinstance(fun, MethodType) and isinstance(fun.__func__, Reversible):
        return MethodType(fun.__func__.adjoint_of_objects, fun.__self__)
    if not isinstance(fun, Reversible):
        raise not_reversible(fun)
    return fun.adjoint_of_objects


def not_reversible(fun: object) -> UserError:
    """The error of what should be a reversible function."""
    if isinstance(fun, MethodType) and isinstance(fun.__func__, Reversible):
        return UserError(
            "RG0509", f"{fun.__name__!r} is a method of an object, which it has cotangents of",
            way_out="take it from the class: rg.adjoint(Body.step)(body, dt, body_bar, dt_bar)",
        )  # fmt: skip
    return UserError(
        "RG0509", f"{getattr(fun, '__name__', fun)!r} is not reversible",
        way_out="decorate it with rg.reversible",
    )  # fmt: skip
