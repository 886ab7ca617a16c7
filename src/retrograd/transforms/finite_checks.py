"""Checks of every float that is calculated: a program that stops where the first NaN is made.

A NaN is made by a statement none of whose operands is one, and an infinity by one whose operands
are all finite; so what comes from arguments and literals is made by nobody. Statements that only
move data make neither. Of arrays the operands are looked at only where the result is not finite.
"""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from dataclasses import replace

from retrograd.errors import Span
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, If, Prim, Program, Prov, Stm, Var, false
from retrograd.ir.traverse import blocks, with_blocks
from retrograd.ir.types import F64
from retrograd.prims.core import Effect, PrimitiveSet, Unsupported, Zero
from retrograd.transforms.passes import per_function

__all__ = ["check_numbers"]


def check_numbers(
    program: Program, names: NameSupply, prims: PrimitiveSet, infinities: bool
) -> Program:
    """The program with a check after each statement that calculates floats.

    Args:
        program: after all that derives.
        names: where fresh names come from.
        prims: the primitives that the compilation knows.
        infinities: whether infinities are looked for, instead of NaN.

    Raises, when it is run: FloatingPointError, with the user's line.
    """
    kind = "isinf" if infinities else "isnan"

    def walk(block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            inner = tuple(map(walk, blocks(stm.expr)))
            stms.append(stm if not inner else Stm(stm.outs, with_blocks(stm.expr, inner), stm.prov))
            if isinstance(stm.expr, Prim) and _calculates(stm, stm.expr, prims):
                stms += _check(stm, stm.expr, names, prims, kind)
        return Block(tuple(stms), block.results)

    return per_function(program, lambda f: replace(f, body=walk(f.body)))


def _calculates(stm: Stm, expr: Prim, prims: PrimitiveSet) -> bool:
    """Whether a primitive makes one float, or array of floats, out of others."""
    primitive = prims[expr.op]
    facts = primitive.facts
    if len(stm.outs) != 1 or stm.outs[0].type.element != F64 or primitive.effect is Effect.TAPE:
        return False
    moves = facts.view or facts.access is not None or primitive.consumes
    return not moves and not isinstance(primitive.vjp, Zero | Unsupported)


def _check(
    stm: Stm, expr: Prim, names: NameSupply, prims: PrimitiveSet, kind: str
) -> Sequence[Stm]:
    b = Builder(names, prims.result_types, stm.prov)
    operands = list(dict.fromkeys(a for a in expr.args if a.type.element == F64))
    out = stm.outs[0]
    made = "inf" if kind == "isinf" else "nan"
    blame = {"kind": "FloatingPointError", "span": stm.prov.span}
    message = f"{made} {_where(stm.prov)}"
    bad = _some(b, kind, out)
    if out.type.is_scalar and all(a.type.is_scalar for a in operands):
        good: Atom = b.prim("not_", bad)
        for operand in operands:
            good = b.prim("or_", good, _excuse(b, kind, operand))
        b.effect("check", good, message=message, **blame)
        return b.stms
    inner = b.inner()
    excused: Atom = false
    for operand in operands:
        excused = inner.prim("or_", excused, _excuse(inner, kind, operand))
    inner.effect("check", excused, message=message, **blame)
    b.stms.append(Stm((), If(bad, inner.block(()), Block((), ())), stm.prov))
    return b.stms


def _excuse(b: Builder, kind: str, operand: Atom) -> Atom:
    """Whether the operand is why a result is not a number (or not finite)."""
    if kind == "isnan":
        return _some(b, "isnan", operand)
    return b.prim("or_", _some(b, "isinf", operand), _some(b, "isnan", operand))


def _some(b: Builder, test: str, value: Atom) -> Var:
    found = b.prim(test, value)
    if value.type.is_scalar:
        return found
    axes = tuple(range(value.type.rank))
    return b.prim("reduce_any", found, axes=axes, keepdims=False)


def _where(prov: Prov) -> str:
    """What was calculated, as users have written it, and in which sweep."""
    text = _text(prov.span) or "this line"
    if "vjp" in prov.via:
        return f"in the reverse sweep of `{text}`"
    return f"in the tangent of `{text}`" if "jvp" in prov.via else f"from `{text}`"


def _text(span: Span | None) -> str:
    """The expression at a place, where it is on one line."""
    if span is None or span.line != span.end_line:
        return ""
    return linecache.getline(span.file, span.line)[span.col : span.end_col].strip()
