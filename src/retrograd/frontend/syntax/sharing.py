"""Library programs that a program calls several times: one function for all calls that are alike.

The statements of a library program stand where it is called (`inline`), which is best for one call.
Of long programs that are called again with arguments of the same kinds and literals, that makes
as many copies, and each is optimised, differentiated and compiled. So the whole is translated once
more, and these are functions of the program then. What fails in one is said of the line that calls
it (`Span.shared`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

from retrograd.errors import UserError
from retrograd.frontend.syntax.functions import Callee
from retrograd.frontend.syntax.iterators import lending
from retrograd.frontend.syntax.specialise import call_function
from retrograd.frontend.syntax.trial import Saved
from retrograd.frontend.values.kinds import Instance, Scalar, Static, Value, parts
from retrograd.frontend.values.pack import Packer
from retrograd.frontend.values.tracer import Context, Tracer
from retrograd.ir.terms import Block, Program
from retrograd.ir.traverse import stms_deep
from retrograd.tracebacks import program_of

__all__ = ["called", "key_of", "note_expansion", "repeated"]

_LONG = 50
"""Statements of a program that is worth a function: shorter ones gain by what is around them."""

_SPARED = 400
"""Statements less for which a program is translated once more. In short programs a call costs more
than it spares: loops over three numbers, for one, are not merged with what is around them."""


def called(t: Tracer, callee: Callee, bound: Mapping[str, Value]) -> Value | None:
    """The value of a call of a function of the program; None where there is to be none."""
    function = _function(callee)
    if function is None or function.__code__ not in t.ctx.way.shared or not _callable(t, bound):
        return None
    place = replace(t.span, shared=True) if t.span is not None else None
    shared = replace(callee, source=t.ctx.sources.of_ours(function, place))
    saved = Saved.of(t)
    try:
        with lending(t, bound.values()):
            return call_function(t, shared, list(bound), list(bound.values()), literals=True)
    except UserError:
        saved.restore(t)
        return None


def _function(callee: Callee) -> FunctionType | None:
    match callee.fun:
        case Static(obj=FunctionType() as function):
            return program_of(function)
        case _:
            return None


def _callable(t: Tracer, bound: Mapping[str, Value]) -> bool:
    """Whether a function can be given these arguments without a loss.

    What is caught is a jump in the caller's text; objects may have other names there; and whether a
    number is an array without axes is known of variables.
    """
    return not t.regions and all(_plain(t, value) for value in bound.values())


def _plain(t: Tracer, value: Value) -> bool:
    if isinstance(value, Instance) or (isinstance(value, Scalar) and value.array != 0):
        return False
    return all(_plain(t, part) for part in parts(value))


def note_expansion(t: Tracer, callee: Callee, key: Any, before: int) -> None:
    """Notes a program whose statements have been emitted since `before`, if it is long."""
    function, stms = _function(callee), t.b.stms[before:]
    if function is None or key is None:
        return
    size = sum(1 for _ in stms_deep(Block(tuple(stms), ())))
    first = next((out for stm in stms for out in stm.outs), None)
    if size >= _LONG and first is not None:
        t.ctx.expansions.append((function.__code__, key, size, first))


def repeated(ctx: Context, program: Program) -> frozenset[CodeType]:
    """The functions whose programs stand in a program more than once, for arguments that are alike.

    What was tried and given up is not in it.
    """
    outs = {out for f in program.functions for stm in stms_deep(f.body) for out in stm.outs}
    sizes = {(code, key): size for code, key, size, _ in ctx.expansions}
    met = Counter((code, key) for code, key, _, first in ctx.expansions if first in outs)
    several = {one: times for one, times in met.items() if times > 1}
    if sum((times - 1) * sizes[one] for one, times in several.items()) < _SPARED:
        return frozenset()
    return frozenset(code for code, _ in several)


def key_of(t: Tracer, bound: Mapping[str, Value]) -> Any:
    """What two calls have in common that one function can serve; None where none can."""
    if not _callable(t, bound):
        return None
    packer = Packer(t, literal_bools=True, literal_ints=True)
    try:
        values = tuple((name, packer.pack(value)) for name, value in bound.items())
    except UserError:
        return None
    return values, tuple(packer.contents)
