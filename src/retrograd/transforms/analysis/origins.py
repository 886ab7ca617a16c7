"""Where values come from: the primitive, and the user's line, expression and function.

What loops carry and branches give has the place of the assignment that gives it, not that of the
loop or branch. The record that policies are asked about is made here, and that of lists of what a
derivative saves.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from retrograd.errors import Span
from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Prov,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.traverse import blocks
from retrograd.ir.types import Type
from retrograd.options.saving import BATCHED, Residual
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.ad.numbered_values import is_number

__all__ = ["NOWHERE", "Origin", "function_at", "origin_of", "origins", "record_of", "source_text"]


@dataclass(frozen=True, slots=True)
class Origin:
    """What has calculated a value.

    Attributes:
        prov: of the statement.
        primitive: its operation; "argument" of a parameter.
        position: which of its results the value is.
        cost: what an element of it takes, in additions; None of what is no primitive.
        others: places of further statements that give it, in other branches.
    """

    prov: Prov
    primitive: str
    position: int = 0
    cost: float | None = None
    others: tuple[Span, ...] = ()

    @property
    def text(self) -> str:
        """What stands there."""
        first = () if self.prov.span is None else (self.prov.span,)
        return " or ".join(dict.fromkeys(map(source_text, (*first, *self.others))))


NOWHERE = Origin(Prov(), "")
"""The origin of a literal."""


def origin_of(stm: Stm, position: int, prims: PrimitiveSet) -> Origin:
    """What calculates a result of a statement, if that is no loop or branch."""
    if isinstance(stm.expr, Prim):
        return Origin(stm.prov, stm.expr.op, position, prims[stm.expr.op].cost)
    return Origin(stm.prov, type(stm.expr).__name__.lower(), position)


def origins(
    functions: Sequence[Function], prims: PrimitiveSet
) -> Mapping[str, Mapping[Var, Origin]]:
    """What calculates each variable of each function, by the name of the function."""
    every = {f.name: f for f in functions}
    made: dict[str, _Origins] = {}
    for function in functions:
        found: dict[Var, Origin] = {p: Origin(function.prov, "argument") for p in function.params}
        made[function.name] = _Origins(prims, every, made, found)
        made[function.name].add(function.body)
    return {
        name: {var: one.of(var) for var in (*one.found, *one.makers)} for name, one in made.items()
    }


@dataclass(slots=True)
class _Origins:
    """Of one function; `all_made` has those of all.

    `makers` has the statement that binds a variable, its place there, and the block around.
    """

    prims: PrimitiveSet
    functions: Mapping[str, Function]
    all_made: Mapping[str, _Origins]
    found: dict[Var, Origin]
    makers: dict[Var, tuple[Stm, int, Block]] = field(
        default_factory=dict["Var", "tuple[Stm, int, Block]"]
    )

    def add(self, block: Block) -> None:
        for stm in block.stms:
            self.makers.update((out, (stm, k, block)) for k, out in enumerate(stm.outs))
            if isinstance(stm.expr, For | While):
                carried = enumerate(stm.expr.carried)
                self.makers.update((var, (stm, k, block)) for k, var in carried)
            if isinstance(stm.expr, For):
                self.found[stm.expr.index] = Origin(stm.prov, "for")
            for inner in blocks(stm.expr):
                self.add(inner)

    def of(self, var: Var) -> Origin:
        if var not in self.found:
            stm, position, _ = self.makers[var]
            self.found[var] = origin_of(stm, position, self.prims)  # what is carried on as it is
            self.found[var] = self.given(stm, position)
        return self.found[var]

    def given(self, stm: Stm, position: int) -> Origin:
        """What calculates what a statement gives, or carries, at a position."""
        expr = stm.expr
        match expr:
            case If():
                return self.last((expr.then, expr.orelse), stm, position)
            case For() | While():
                return self.last((expr.body,), stm, position)
            case Prim(op="copy", args=(Var() as source,)) if "_kept" in stm.outs[0].name:
                return self.of(source)
            case Call():
                return self.returned(expr, stm, position)
            case Prim() | Jvp() | Vjp():
                return origin_of(stm, position, self.prims)
            case _:
                unhandled(expr)

    def returned(self, expr: Call, stm: Stm, position: int) -> Origin:
        """What calculates a result of a call; the call itself where that is the user's."""
        body = self.functions[expr.function].body
        made = self.all_made[expr.function]
        result = body.results[position]
        ours = isinstance(result, Var) and made.bound(result, body)
        if isinstance(result, Var) and ours and not _is_expression(stm.prov.span):
            return made.of(result)
        return origin_of(stm, position, self.prims)

    def made(self, atom: Atom) -> bool:
        """Whether a statement gives a value: no parameter, and nothing that a loop carries."""
        return isinstance(atom, Var) and atom in self.makers and atom in self.makers[atom][0].outs

    def bound(self, atom: Atom, block: Block) -> bool:
        """Whether a statement of a block itself, not one inside of it, gives a value."""
        return isinstance(atom, Var) and self.made(atom) and self.makers[atom][2] is block

    def last(self, bodies: Sequence[Block], stm: Stm, position: int) -> Origin:
        """What calculates what blocks end with; the statement itself where they only hand it on."""
        pairs = [(body, body.results[position]) for body in bodies]
        if not any(self.bound(atom, body) for body, atom in pairs):
            return origin_of(stm, position, self.prims)
        # What a branch hands on may have been calculated before it.
        pairs.sort(key=lambda pair: not self.bound(pair[1], pair[0]))
        given = [self.of(atom) for _, atom in pairs if isinstance(atom, Var) and self.made(atom)]
        given = [origin for origin in given if origin.prov.span is not None]
        if not given:
            return origin_of(stm, position, self.prims)
        first, *rest = given
        others = [span for o in rest for span in (o.prov.span, *o.others) if span is not None]
        if any(origin.primitive != first.primitive for origin in rest):
            first = replace(first, primitive=type(stm.expr).__name__.lower(), cost=None)
        return replace(first, others=(*first.others, *others))


def record_of(
    type_: Type, origin: Origin, *, with_text: bool = True, numbered: bool = False
) -> Residual:
    """What is known of a value before the program runs.

    Without text there is neither the expression nor the function. `numbered`: it has its number
    instead of its names.
    """
    names = [name for k, name in origin.prov.names if k == origin.position]
    span = origin.prov.span
    return Residual(
        origin.primitive, str(type_.dtype.value), () if type_.is_scalar else None,
        bytes=8 if type_.is_scalar else None,
        cost=origin.cost,
        batched=BATCHED in names,
        names=tuple(n for n in names if is_number(n) == numbered and n != BATCHED),
        line=None if span is None else span.line,
        expression=origin.text if with_text else "",
        function=function_at(span) if span is not None and with_text else "",
        file="" if span is None else span.file,
    )  # fmt: skip


_HEADS = ("async ", "class ", "def ", "for ", "if ", "match ", "try:", "while ", "with ", "@")


def source_text(span: Span) -> str:
    """What stands at a place, on one line; of a statement with statements inside its head."""
    lines = linecache.getlines(span.file)[span.line - 1 : span.end_line]
    if not lines:
        return ""
    if not _is_expression(span):
        return f"what is made by `{lines[0][span.col :].strip()}`"
    if span.line == span.end_line:
        return lines[0][span.col : span.end_col].strip()
    lines[-1] = lines[-1][: span.end_col]
    return " ".join(" ".join((lines[0][span.col :], *lines[1:])).split())


def _is_expression(span: Span | None) -> bool:
    """Whether what stands at a place is no statement with statements inside."""
    if span is None:
        return False
    text = linecache.getline(span.file, span.line)[span.col :]
    return span.line == span.end_line or not text.startswith(_HEADS)


def function_at(span: Span) -> str:
    """The name of the function in whose text a place is; "" outside of all functions."""
    inner = [
        f for f in _functions(tuple(linecache.getlines(span.file))) if f[0] <= span.line <= f[1]
    ]
    return max(inner)[2] if inner else ""


@lru_cache(maxsize=32)
def _functions(lines: tuple[str, ...]) -> tuple[tuple[int, int, str], ...]:
    """The functions in a text: first line, last line, name."""
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return ()  # the file has changed since
    return tuple(
        (node.lineno, node.end_lineno or node.lineno, node.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
