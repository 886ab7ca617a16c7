"""What the families of primitives share: type rules, evaluation guards, elementwise derivatives.

An elementwise primitive has a diagonal Jacobian, so one function per operand serves both modes:
`Partial.scale` multiplies a tangent of the operand, or the cotangent of the result, by the partial
derivative. What remains is shape: a tangent is widened to the result, a cotangent is narrowed to
the operand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrograd.errors import CompilerBug, Span
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Params
from retrograd.ir.types import MAX_RANK, DType, Type
from retrograd.prims.core import (
    Case,
    EvalRule,
    JvpRule,
    Primitive,
    Pullback,
    RaisedError,
    TypeRule,
    VjpRule,
)  # fmt: skip
from retrograd.prims.facts import ELEMENTWISE, Facts

__all__ = [
    "B1", "BOOLS", "BROADCAST_MESSAGE", "F1", "F2", "F3", "FLOATS", "I1", "INTS", "NUMBERS",
    "Partial", "Scale", "alone", "axis_of", "both", "dtype_of", "elementwise", "elementwise_type",
    "float_cases", "guarded", "ill_typed", "max_rank", "narrow", "option", "require",
    "shaped", "shaped_case", "span_of", "values_case", "widen",
]  # fmt: skip

BROADCAST_MESSAGE = "operands could not be broadcast together"

FLOATS = (DType.F64,)
INTS = (DType.I64,)
BOOLS = (DType.BOOL,)
NUMBERS = (DType.F64, DType.I64)

F1, F2, F3 = (Type(DType.F64, rank) for rank in (1, 2, 3))
I1 = Type(DType.I64, 1)
B1 = Type(DType.BOOL, 1)


def ill_typed(name: str, types: Sequence[Type]) -> CompilerBug:
    """The bug that a type rule raises: the frontend should have refused the program."""
    return CompilerBug(f"{name} does not apply to ({', '.join(map(str, types))})")


def require(condition: bool, name: str, types: Sequence[Type]) -> None:
    """Raises `ill_typed` unless the condition holds."""
    if not condition:
        raise ill_typed(name, types)


def max_rank(types: Sequence[Type]) -> int:
    """The rank that broadcasting gives."""
    return max(t.rank for t in types)


def option(params: Params, name: str, default: bool) -> bool:
    """A boolean parameter that may be missing."""
    for key, value in params:
        if key == name:
            return bool(value)
    return default


def axis_of(params: Params) -> int:
    """The axis of the array that is indexed, as the user sees it."""
    return next((int(str(value)) for key, value in params if key == "axis"), 0)


def span_of(params: Params) -> Span | None:
    """The place that a checked primitive blames, where there is one."""
    for key, value in params:
        if key == "span" and isinstance(value, Span):
            return value
    return None


def dtype_of(params: Params) -> DType:
    """The parameter `dtype`, as a DType."""
    for key, value in params:
        if key == "dtype" and isinstance(value, str):
            return DType(value)
    raise CompilerBug("missing parameter 'dtype'")


def elementwise_type(
    name: str, arity: int, dtypes: tuple[DType, ...], result: DType | None = None
) -> TypeRule:
    """Operands of one dtype out of `dtypes`; the result is as wide as the widest."""

    def rule(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        require(len(types) == arity, name, types)
        widest = types[0]
        for type_ in types:
            require(type_.dtype is widest.dtype, name, types)
            if type_.rank > widest.rank:
                widest = type_
        require(widest.dtype in dtypes and widest.rank <= MAX_RANK, name, types)
        return (widest if result is None else Type(result, widest.rank),)

    return rule


def _without_warnings() -> Context:
    context = copy_context()
    context.run(np.seterr, all="ignore")
    return context


_SILENT = _without_warnings()
"""Where NumPy does not warn. A copy of it costs a tenth of what `np.errstate` does."""


def guarded(function: Callable[..., Any]) -> EvalRule:
    """Evaluates a NumPy function, silently; shapes that clash raise in the program."""

    def rule(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
        shape: tuple[int, ...] = ()
        for arg in args:
            own = getattr(arg, "shape", ())
            if shape and own and own != shape:
                _broadcast(args, params)
                break
            shape = own or shape
        return (_SILENT.copy().run(function, *args),)

    return rule


def _broadcast(args: Sequence[Any], params: Params) -> None:
    try:
        np.broadcast_shapes(*map(np.shape, args))
    except ValueError as error:
        raise RaisedError("ValueError", BROADCAST_MESSAGE, span_of(params)) from error


Scale = Callable[[Builder, Atom, tuple[Atom, ...], Atom], Atom]
"""(b, v, args, out) -> v times the partial derivative at args, whose value is out."""


@dataclass(frozen=True, slots=True)
class Partial:
    """The derivative by one operand; the scaled tangent also takes the shapes of `mixes`."""

    scale: Scale
    mixes: tuple[int, ...] = ()


def alone(scale: Scale) -> Partial:
    """A partial derivative that does not look at the other operands' shapes."""
    return Partial(scale)


def both(scale: Scale) -> Partial:
    """A partial derivative of a binary primitive that mentions both operands."""
    return Partial(scale, (0, 1))


def widen(b: Builder, tangent: Atom, args: Sequence[Atom], out: Atom, covered: set[int]) -> Atom:
    """The tangent at the result's shape; `covered` are the operands whose shapes it has."""
    if all(a.type.is_scalar or k in covered for k, a in enumerate(args)):
        return tangent
    return b.prim("broadcast", tangent, *b.dims(out), hint="dot")


def narrow(b: Builder, contribution: Atom, args: tuple[Atom, ...], position: int) -> Atom:
    """A cotangent of the result's shape, summed to that of an operand."""
    arg = args[position]
    others_scalar = all(a.type.is_scalar for k, a in enumerate(args) if k != position)
    if arg.type.rank == contribution.type.rank and others_scalar:
        return contribution
    return b.prim("sum_like", contribution, arg, hint="bar")


Joint = Callable[[Builder, tuple[Atom, ...], tuple[Atom, ...]], Atom]
"""(b, tangents of all differentiable operands, args) -> tangent of the result, of full shape."""


def _elementwise_jvp(partials: tuple[Partial | None, ...], joint: Joint | None) -> JvpRule:
    def rule(
        b: Builder,
        args: tuple[Atom, ...],
        outs: tuple[Atom, ...],
        tangents: tuple[Atom | None, ...],
        params: Params,
    ) -> tuple[Atom | None, ...]:
        present = [
            (k, partial, t)
            for k, (partial, t) in enumerate(zip(partials, tangents, strict=True))
            if partial is not None and t is not None
        ]
        if joint is not None and len(present) == sum(p is not None for p in partials):
            return (joint(b, tuple(t for _, _, t in present), args),)
        total: Atom | None = None
        covered: set[int] = set()
        for k, partial, tangent in present:
            term = partial.scale(b, tangent, args, outs[0])
            total = term if total is None else b.add(total, term)
            covered |= {k, *partial.mixes}
        if total is None:
            return (None,)
        return (widen(b, total, args, outs[0], covered),)

    return rule


def _elementwise_vjp(partials: tuple[Partial | None, ...]) -> VjpRule:
    def rule(p: Pullback) -> None:
        (out_bar,) = p.out_bars
        for k, partial in enumerate(partials):
            if partial is None or out_bar is None or not p.wants(k):
                continue
            p.add(k, narrow(p.b, partial.scale(p.b, out_bar, p.args, p.outs[0]), p.args, k))

    return rule


def elementwise(
    name: str,
    function: Callable[..., Any],
    partials: tuple[Partial | None, ...],
    cases: tuple[Case, ...],
    *,
    dtypes: tuple[DType, ...] = FLOATS,
    type_rule: TypeRule | None = None,
    joint: Joint | None = None,
    cost: float = 1.0,
    facts: Facts = ELEMENTWISE,
) -> Primitive:
    """An elementwise primitive from its NumPy function and one partial derivative per operand."""
    return Primitive(
        name=name,
        type_rule=type_rule or elementwise_type(name, len(partials), dtypes),
        eval=guarded(function),
        jvp=_elementwise_jvp(partials, joint),
        vjp=_elementwise_vjp(partials),
        cases=cases,
        facts=facts,
        cost=cost,
        elementwise=True,
    )


def shaped(*shapes: tuple[int, ...], low: float = -2.0, high: float = 2.0) -> Callable[[Any], Any]:
    """Draws one float array of each shape."""
    return lambda rng: tuple(rng.uniform(low, high, shape)[()] for shape in shapes)


def shaped_case(
    *shapes: tuple[int, ...], low: float = -2.0, high: float = 2.0, params: Params = ()
) -> Case:
    """A case with float operands of exactly these shapes."""
    types = tuple(Type(DType.F64, len(shape)) for shape in shapes)
    return Case(types, params, low, high, draw=shaped(*shapes, low=low, high=high))


def values_case(
    types: tuple[Type, ...], values: Sequence[Any], params: Params = (), smooth: bool = False
) -> Case:
    """A case with given operands; by default one where differences say nothing."""
    return Case(types, params, smooth=smooth, draw=lambda rng: values)


def float_cases(arity: int, low: float = -2.0, high: float = 2.0) -> tuple[Case, ...]:
    """The usual cases of an elementwise primitive on floats, with broadcasting."""
    scalar = Type(DType.F64)
    if arity == 1:
        return tuple(Case((t,), low=low, high=high) for t in (scalar, F1, F2, F3))
    ranks = ((0, 0), (1, 1), (2, 1), (0, 2), (1, 0), (1, 3))
    plain = tuple(
        Case(tuple(Type(DType.F64, r) for r in (*pair, *pair)[:arity]), low=low, high=high)
        for pair in ranks
    )
    ones = ((2, 1), (1, 3), (2, 1))[:arity]
    empty = ((0,), (1,), (0,))[:arity]
    return (
        *plain,
        shaped_case(*ones, low=low, high=high),
        shaped_case(*empty, low=low, high=high),
    )
