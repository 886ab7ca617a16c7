"""Identities of scalar primitives that hold to the bit, and constant folding.

Floating-point identities are those that are exact in IEEE arithmetic for every operand, up to the
payload and sign of a NaN: `x*1`, `x - 0.0`, `x + -0.0`, never `x + 0.0` or `x*0`. Integer ones
hold modulo 2**64. `rewrite` leaves array operands alone: the result of an operation is a new array,
which its operand is not; `copied` says where it is a copy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from retrograd.ir.terms import Atom, Lit, Prim, Var, flit, ilit, true
from retrograd.ir.types import BOOL, F64, I64, DType, Type
from retrograd.prims.core import PrimitiveSet, RaisedError
from retrograd.prims.facts import Exact

__all__ = ["Definition", "copied", "fold", "rewrite"]

Definition = Callable[[Atom], Prim | None]
"""The primitive application that an atom is the only result of, where it is known."""

Rule = Callable[[Prim, Definition], Atom | Prim | None]


def fold(expr: Prim, prims: PrimitiveSet) -> tuple[Lit, ...] | None:
    """Results of an application to literals only; None where it is not one, or would raise."""
    for arg in expr.args:
        if not isinstance(arg, Lit):
            return None
    primitive = prims[expr.op]
    exact = primitive.facts.exact
    if exact is Exact.NEVER:
        return None
    if exact is Exact.INTEGERS and expr.args[0].type.is_float:
        return None
    types = primitive.type_rule(tuple(a.type for a in expr.args), expr.params)
    values = [_SCALAR[a.type.dtype](a.value) for a in expr.args if isinstance(a, Lit)]
    try:
        with np.errstate(all="ignore"):
            results = primitive.eval(values, expr.params)
    except RaisedError:
        return None  # it raises at run time, at its own place
    return tuple(_literal(v, t) for v, t in zip(results, types, strict=True))


_SCALAR: dict[DType, type[np.generic]] = {
    DType.F64: np.float64,
    DType.I64: np.int64,
    DType.BOOL: np.bool_,
}


def _literal(value: float, type_: Type) -> Lit:
    match type_.dtype:
        case DType.F64:
            return Lit(float(value), type_)
        case DType.I64:
            return Lit(int(value), type_)
        case _:
            return Lit(bool(value), type_)


def rewrite(expr: Prim, definition: Definition) -> Atom | Prim | None:
    """A simpler expression of the same value, or None."""
    rule = _RULES.get(expr.op)
    if rule is None or not all(a.type.is_scalar for a in expr.args):
        return None
    return rule(expr, definition)


def copied(expr: Prim) -> Var | None:
    """The array of which the result is a copy: it itself, or it with numbers that change none."""
    arrays = [a for a in expr.args if isinstance(a, Var)]
    if len(arrays) != 1 or arrays[0].type.is_scalar:
        return None
    if expr.op == "copy":
        return arrays[0]
    rule = _RULES.get(expr.op)
    found = None if rule is None else rule(expr, lambda atom: None)
    return arrays[0] if found == arrays[0] else None


def _is(atom: Atom, value: float) -> bool:
    """Whether `atom` is that literal, the sign of a zero included."""
    if not isinstance(atom, Lit) or atom.type == BOOL or atom.value != value:
        return False
    return not atom.type.is_float or math.copysign(1.0, atom.value) == math.copysign(1.0, value)


def _negated(atom: Atom, definition: Definition) -> Atom | None:
    """What `atom` is the negative of."""
    source = definition(atom)
    return source.args[0] if source is not None and source.op == "neg" else None


def _same(a: Atom, b: Atom) -> bool:
    return isinstance(a, Var) and a == b


def _add(expr: Prim, definition: Definition) -> Atom | Prim | None:
    a, b = expr.args
    if a.type == I64:
        return _int_add(a, b, definition)
    if _is(b, -0.0):
        return a
    if _is(a, -0.0):
        return b
    if (x := _negated(b, definition)) is not None:
        return Prim("sub", (a, x))
    if (x := _negated(a, definition)) is not None:
        return Prim("sub", (b, x))
    return None


def _int_add(a: Atom, b: Atom, definition: Definition) -> Atom | Prim | None:
    if isinstance(a, Lit):
        return b if a.value == 0 else Prim("add", (b, a))
    if not isinstance(b, Lit):
        negated = _negated(b, definition)
        return None if negated is None else Prim("sub", (a, negated))
    if b.value == 0:
        return a
    inner = definition(a)
    if inner is not None and inner.op == "add" and isinstance(inner.args[1], Lit):
        return Prim("add", (inner.args[0], ilit(_wrap(inner.args[1].value + b.value))))
    return None


def _wrap(value: float) -> int:
    return (int(value) + 2**63) % 2**64 - 2**63


def _sub(expr: Prim, definition: Definition) -> Atom | Prim | None:
    a, b = expr.args
    if a.type == I64:
        if _same(a, b):
            return ilit(0)
        if isinstance(b, Lit):
            return a if b.value == 0 else Prim("add", (a, ilit(_wrap(-b.value))))
        return None
    if _is(b, 0.0):
        return a
    if (x := _negated(b, definition)) is not None:
        return Prim("add", (a, x))
    return None


def _mul(expr: Prim, definition: Definition) -> Atom | Prim | None:
    for one, other in (expr.args, expr.args[::-1]):
        if _is(one, 1):
            return other
        if _is(one, -1):
            return Prim("neg", (other,))
        if one.type == I64 and _is(one, 0):
            return one
    x, y = (_negated(a, definition) for a in expr.args)
    if x is not None and y is not None:
        return Prim("mul", (x, y))
    return None


def _div(expr: Prim, definition: Definition) -> Atom | Prim | None:
    a, b = expr.args
    if _is(b, 1):
        return a
    if _is(b, -1):
        return Prim("neg", (a,))
    if isinstance(b, Lit) and b.value != 0 and math.isfinite(b.value):
        mantissa, exponent = math.frexp(b.value)
        if abs(mantissa) == 0.5 and abs(exponent) < 1000:
            return Prim("mul", (a, flit(1.0 / b.value)))  # the reciprocal of 2**k is exact
    return None


def _neg(expr: Prim, definition: Definition) -> Atom | Prim | None:
    return _negated(expr.args[0], definition)


def _abs(expr: Prim, definition: Definition) -> Atom | Prim | None:
    source = definition(expr.args[0])
    if source is None or source.op not in ("neg", "abs"):
        return None
    return expr.args[0] if source.op == "abs" else Prim("abs", source.args)


def _fma(expr: Prim, definition: Definition) -> Atom | Prim | None:
    a, b, c = expr.args
    if _is(a, 1):
        return Prim("add", (b, c))
    if _is(b, 1):
        return Prim("add", (a, c))
    if _is(c, -0.0):
        return Prim("mul", (a, b))
    return None


def _pow(expr: Prim, definition: Definition) -> Atom | Prim | None:
    x, n = expr.args
    if _is(n, 2):
        return Prim("mul", (x, x))
    if _is(n, 1):
        return x
    if _is(n, -1):
        return Prim("div", (flit(1.0), x))
    if isinstance(n, Lit) and n.value == 0:
        return flit(1.0)
    return None


def _checked(op: str) -> Rule:
    """Checked integer arithmetic where one operand is neutral; the rest is up to range analysis."""

    def rule(expr: Prim, definition: Definition) -> Atom | Prim | None:
        a, b = expr.args
        neutral = 1 if op == "imul" else 0
        if _is(b, neutral):
            return a
        if op != "isub" and _is(a, neutral):
            return b
        if op == "isub" and _same(a, b):
            return ilit(0)
        if op == "imul" and (_is(a, 0) or _is(b, 0)):
            return ilit(0)
        return None

    return rule


def _by_one(expr: Prim, definition: Definition) -> Atom | Prim | None:
    a, b = expr.args
    if a.type != I64 or not _is(b, 1):
        return None
    return a if expr.op == "floordiv" else ilit(0)


def _logic(expr: Prim, definition: Definition) -> Atom | Prim | None:
    unit = expr.op == "and_"
    for one, other in (expr.args, expr.args[::-1]):
        if isinstance(one, Lit):
            return other if one.value is unit else one
    return expr.args[0] if _same(*expr.args) else None


_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def _not(expr: Prim, definition: Definition) -> Atom | Prim | None:
    source = definition(expr.args[0])
    if source is None:
        return None
    match source.op:
        case "not_":
            return source.args[0]
        case "eq":
            return Prim("ne", source.args)
        case "ne":
            return Prim("eq", source.args)
        case op if op in _OPPOSITE and source.args[0].type != F64:
            return Prim(_OPPOSITE[op], source.args)  # not so for floats: NaN
        case _:
            return None


def _xor(expr: Prim, definition: Definition) -> Atom | Prim | None:
    for one, other in (expr.args, expr.args[::-1]):
        if isinstance(one, Lit):
            return Prim("not_", (other,)) if one.value else other
    return None


def _select(expr: Prim, definition: Definition) -> Atom | Prim | None:
    cond, a, b = expr.args
    if isinstance(cond, Lit):
        return a if cond.value else b
    if a == b and not (isinstance(a, Lit) and a.type == F64):
        return a
    if a.type == BOOL and isinstance(a, Lit) and isinstance(b, Lit) and a.value != b.value:
        return cond if a.value else Prim("not_", (cond,))
    return None


def _compare(expr: Prim, definition: Definition) -> Atom | Prim | None:
    a, b = expr.args
    if _same(a, b) and a.type != F64:
        return true if expr.op in ("le", "ge", "eq") else Lit(False, BOOL)
    return None


def _convert(expr: Prim, definition: Definition) -> Atom | Prim | None:
    (x,) = expr.args
    return x if x.type.dtype.value == expr.param("dtype") else None


def _extreme(expr: Prim, definition: Definition) -> Atom | Prim | None:
    return expr.args[0] if _same(*expr.args) else None


def _wrap_index(expr: Prim, definition: Definition) -> Atom | Prim | None:
    i, n = expr.args
    if not isinstance(i, Lit):
        return None
    return i if i.value >= 0 else Prim("add", (n, i))


def _check_extents(expr: Prim, definition: Definition) -> Atom | Prim | None:
    """What holds for every value of its operands becomes a check of numbers, which folds."""
    m, n = expr.args
    how, one = str(expr.param("how")), ilit(1)
    holds = m == n or (m == one and how != "same") or (n == one and how == "fit")
    return Prim(expr.op, (one, one), expr.params) if holds and expr.args != (one, one) else None


def _common_extent(expr: Prim, definition: Definition) -> Atom | Prim | None:
    """The operands have passed the check that one can be stretched to the other."""
    m, n = expr.args
    if m == n or (isinstance(m, Lit) and m.value != 1) or n == ilit(1):
        return m
    return n if isinstance(m, Lit) or isinstance(n, Lit) else None


def _table(groups: Sequence[tuple[str, Rule]]) -> dict[str, Rule]:
    return {op: rule for ops, rule in groups for op in ops.split()}


_RULES = _table(
    [
        ("add", _add),
        ("sub", _sub),
        ("mul", _mul),
        ("div", _div),
        ("neg", _neg),
        ("abs", _abs),
        ("fma", _fma),
        ("pow", _pow),
        ("iadd", _checked("iadd")),
        ("isub", _checked("isub")),
        ("imul", _checked("imul")),
        ("floordiv mod", _by_one),
        ("and_ or_", _logic),
        ("not_", _not),
        ("xor", _xor),
        ("select", _select),
        ("lt le gt ge eq ne", _compare),
        ("convert", _convert),
        ("maximum minimum imin imax", _extreme),
        ("wrap", _wrap_index),
        ("check_extents", _check_extents),
        ("common_extent", _common_extent),
    ]
)
