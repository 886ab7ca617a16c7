"""Machine code of what a program says: exceptions with their messages, and output.

Python makes the text, from numbers in words of the context (`retrograd.messages`).
"""

from __future__ import annotations

from typing import Any, cast

from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.sites import SHOWN_WORDS
from retrograd.errors import Span
from retrograd.ir.terms import Atom, Prim, Stm
from retrograd.ir.types import DType

__all__ = ["check", "output", "place_of"]


def place_of(stm: Stm, expr: Prim) -> Span | None:
    """The place in the user's program that a statement is about."""
    found = dict(expr.params).get("span")
    return found if isinstance(found, Span) else stm.prov.span


def check(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """Raises unless a condition holds."""
    kind, message = str(expr.param("kind")), expr.param("message")
    cond = gen.scalar(expr.args[0])
    if isinstance(message, tuple):
        types = tuple(a.type.dtype.value for a in expr.args[1:])
        words = [_word(gen, a) for a in expr.args[1:]]
        gen.require(cond, kind, message, place_of(stm, expr), words, types)
        return []
    plain = str(message).replace("{", "{{").replace("}", "}}")
    gen.require(cond, kind, plain, place_of(stm, expr))
    return []


def _word(gen: Gen, atom: Atom) -> str:
    """A number as a word of the context."""
    value = gen.scalar(atom)
    match atom.type.dtype:
        case DType.F64:
            return gen.f.value(f"bitcast double {value} to i64")
        case DType.BOOL:
            return gen.f.value(f"zext i1 {value} to i64")
        case _:
            return value


def output(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """Calls Python, in the middle of a run: it must not be given up meanwhile."""
    types = tuple(a.type.dtype.value for a in expr.args)
    kind, pieces = (cast("tuple[Any, ...]", expr.param(name)) for name in ("kind", "message"))
    number = gen.shared.error("", (kind, pieces), place_of(stm, expr), types)
    for name, atom in zip(SHOWN_WORDS, expr.args, strict=False):
        gen.write_field(name, _word(gen, atom))
    gen.f.call_void("rg_enter", [("ptr", "%ctx")])
    printer = gen.read_field("printer", "ptr")
    gen.f.emit(f"call void {printer}(ptr %ctx, i64 {number})")
    gen.f.call_void("rg_leave", [("ptr", "%ctx")])
    return []
