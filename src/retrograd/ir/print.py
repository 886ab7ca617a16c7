"""Canonical text of terms, for people and for `retrograd.ir.parse`.

The text says everything but where statements come from: two programs with the same text are the
same program. Provenance can be shown in trailing comments, which the parser skips.

    program main

    function main(x: f64[1]) -> (f64):
      n: i64 = dim(x; axis=0)
      s: f64 = for i < n with (acc: f64 = 0.0):
          v: f64 = index(x, i; checked=false)
          t: f64 = add(acc, v)
          yield t
      return s
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from retrograd.errors import Span
from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    CustomRule,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Lit,
    Param,
    Prim,
    Program,
    Prov,
    Stm,
    Var,
    Vjp,
    While,
)  # fmt: skip
from retrograd.ir.types import BOOL, F64, I64

__all__ = [
    "RESERVED", "print_atom", "print_function", "print_head", "print_name", "print_program",
]  # fmt: skip

RESERVED = frozenset(
    "program function return yield if else for while do with call jvp vjp true false nan inf "
    "none sums descending block directions rematerialised point custom derivative alike".split()
)
"""Words of the text form; a name that is one of them is written in back quotes."""

_BARE = re.compile(r"[^\W\d][\w.]*\Z")
_STEP = 2
_WIDEST = 20


def print_name(name: str) -> str:
    """A name, in back quotes (with the escapes of JSON) unless it reads as one word."""
    if _BARE.match(name) and name not in RESERVED:
        return name
    return "`" + json.dumps(name)[1:-1].replace("`", "\\u0060") + "`"


def print_atom(atom: Atom | None) -> str:
    """A variable's name or a literal's value; None is `none`."""
    match atom:
        case None:
            return "none"
        case Var():
            return print_name(atom.name)
        case Lit(value=bool() as value, type=type_) if type_ == BOOL:
            return _scalar(value)
        case Lit(value=float() as value, type=type_) if type_ == F64:
            return _scalar(value)
        case Lit(value=int() as value, type=type_) if type_ == I64 and not isinstance(value, bool):
            return _scalar(value)
        case Lit():  # ill typed: only ever shown in a message
            return f"<{atom.value!r}: {atom.type}>"


def _scalar(value: float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    return float.__repr__(value)  # shortest text that gives the same bits back; also nan, inf, -0.0


def _param(value: Param) -> str:
    match value:
        case None:
            return "none"
        case bool() | int() | float():
            return _scalar(value)
        case str():
            return json.dumps(value)
        case Span():
            place = f"{value.line}:{value.col}-{value.end_line}:{value.end_col}"
            return f"@{json.dumps(value.file)}:{place}" + ("@" if value.shared else "")
        case tuple():
            inner = ", ".join(map(_param, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"


def _atoms(items: tuple[Atom | None, ...]) -> str:
    return ", ".join(map(print_atom, items))


def _maybe_tuple(items: tuple[Atom | None, ...]) -> str:
    return f"({_atoms(items)},)" if len(items) == 1 else f"({_atoms(items)})"


def _binder(var: Var) -> str:
    return f"{print_name(var.name)}: {var.type}"


def _inits(carried: tuple[Var, ...], inits: tuple[Atom, ...]) -> str:
    pairs = zip(carried, inits, strict=False)
    return "(" + ", ".join(f"{_binder(v)} = {print_atom(a)}" for v, a in pairs) + ")"


def _point(point: int | None) -> str:
    return "" if point is None else f" point={point}"


def _arguments(args: tuple[Atom, ...], options: list[str]) -> str:
    tail = f"; {', '.join(options)}" if options else ""
    return f"({_atoms(args)}{tail})"


def _for_head(expr: For) -> str:
    index = print_name(expr.index.name) if expr.index.type == I64 else _binder(expr.index)
    text = f"for {index} < {print_atom(expr.trips)}"
    if expr.carried:
        text += f" with {_inits(expr.carried, expr.inits)}"
    if expr.sums:
        text += f" sums={expr.sums}"
    text += " descending" if expr.descending else ""
    text += " block" if expr.block else ""
    text += " directions" if expr.directions else ""
    text += " rematerialised" if expr.rematerialised else ""
    return text + _point(expr.point) + ":"


def _expr_head(expr: Expr) -> str:
    """The first line of an expression, all of it when it has no blocks."""
    match expr:
        case Prim():
            options = [f"{key}={_param(value)}" for key, value in expr.params]
            return print_name(expr.op) + _arguments(expr.args, options)
        case Call():
            options = [] if expr.point is None else [f"point={expr.point}"]
            return f"call {print_name(expr.function)}" + _arguments(expr.args, options)
        case Jvp():
            options = [f"tangents={_maybe_tuple(expr.tangents)}"]
            return f"jvp {print_name(expr.function)}" + _arguments(expr.args, options)
        case Vjp():
            options = [f"cotangents={_maybe_tuple(expr.cotangents)}", f"wrt={_param(expr.wrt)}"]
            options += [] if expr.policy is None else [f"policy={_param(expr.policy)}"]
            return f"vjp {print_name(expr.function)}" + _arguments(expr.args, options)
        case If():
            return f"if {print_atom(expr.cond)}:"
        case For():
            return _for_head(expr)
        case While():
            return f"while {_inits(expr.carried, expr.inits)}{_point(expr.point)}:"
        case _:
            unhandled(expr)


def print_head(stm: Stm) -> str:
    """The first line of a statement: what a message shows of it."""
    head = _expr_head(stm.expr)
    return f"{', '.join(map(_binder, stm.outs))} = {head}" if stm.outs else head


@dataclass(slots=True)
class _Printer:
    provenance: bool
    lines: list[str] = field(default_factory=list[str])

    def line(self, indent: int, text: str, prov: Prov | None = None) -> None:
        note = ""
        if self.provenance and prov is not None and prov.span is not None:
            via = "".join(f" {word}" for word in prov.via)
            file = prov.span.file.replace("\\", "/").rpartition("/")[2]
            note = f"  # {file}:{prov.span.line}{via}".replace("\n", " ")
        self.lines.append(" " * indent + text + note)

    def block(self, block: Block, indent: int, last: str = "yield") -> None:
        single = [s.outs[0] for s in block.stms if len(s.outs) == 1]
        names = [n for n in (len(print_name(v.name)) + 1 for v in single) if n <= _WIDEST]
        name_width = max(names, default=0)
        type_width = max((len(str(v.type)) for v in single), default=0)
        for stm in block.stms:
            head = _expr_head(stm.expr)
            if len(stm.outs) == 1:
                name = print_name(stm.outs[0].name) + ":"
                head = f"{name:<{name_width}} {stm.outs[0].type!s:<{type_width}} = {head}"
            elif stm.outs:
                head = f"{', '.join(map(_binder, stm.outs))} = {head}"
            self.line(indent, _marks(stm.prov) + head, stm.prov)
            self.blocks(stm.expr, indent)
        results = _atoms(block.results)
        self.line(indent, f"{last} {results}" if results else last)

    def blocks(self, expr: Expr, indent: int) -> None:
        inner = indent + 2 * _STEP
        match expr:
            case If():
                self.block(expr.then, inner)
                self.line(indent + _STEP, "else:")
                self.block(expr.orelse, inner)
            case For():
                self.block(expr.body, inner)
            case While():
                self.block(expr.cond, inner)
                self.line(indent + _STEP, "do:")
                self.block(expr.body, inner)
            case Prim() | Call() | Jvp() | Vjp():
                pass
            case _:
                unhandled(expr)

    def function(self, function: Function) -> None:
        params = ", ".join(map(_binder, function.params))
        results = ", ".join(map(str, function.result_types))
        head = f"function {print_name(function.name)}({params}) -> ({results})"
        if function.custom is not None:
            head += f" custom {_custom(function.custom)}"
        if function.derivative is not None:
            head += f" derivative {_param(function.derivative)}"
        if function.alike:
            of = (f"{print_name(n)}({', '.join(map(str, k))})" for n, k in function.alike)
            head += f" alike({', '.join(of)})"
        self.line(0, head + ":", function.prov)
        self.block(function.body, _STEP, "return")


def _marks(prov: Prov) -> str:
    """What stands before a statement: executions that it is part of, names of its results."""
    within = [f"@within({_param(c.name)}, {_param(c.policy)}) " for c in prov.checkpoints]
    rerun = f"@rerun({_param(prov.rerun)}) " if prov.rerun else ""
    return "".join((*within, rerun, *(f"@named({k}, {_param(n)}) " for k, n in prov.names)))


def _custom(rule: CustomRule) -> str:
    names = [rule.rule] if rule.pullback is None else [rule.rule, rule.pullback]
    changed = f"; changed={_param(rule.changed)}" if rule.changed else ""
    atol = "" if rule.atol is None else f", atol={_param(rule.atol)}"
    return f"{print_name(rule.kind)}({', '.join(map(print_name, names))}{changed}{atol})"


def print_function(function: Function, *, provenance: bool = False) -> str:
    """Canonical text of one function; `provenance` adds the user's lines as comments."""
    printer = _Printer(provenance)
    printer.function(function)
    return "\n".join(printer.lines) + "\n"


def print_program(program: Program, *, provenance: bool = False) -> str:
    """Canonical text of a program; `retrograd.ir.parse.parse_program` reads it back."""
    parts = [f"program {print_name(program.entry)}\n"]
    parts += [print_function(f, provenance=provenance) for f in program.functions]
    return "\n".join(parts)
