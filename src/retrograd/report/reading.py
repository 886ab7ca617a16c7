"""Programs as people read them beside their own source: for looking at, not for reading back.

Names are short, types say what NumPy's would, and what stands in the user's file comes before the
statements that it has become. Extents are written where they are used; checks are left out.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from keyword import iskeyword
from pathlib import Path
from string import ascii_lowercase

from retrograd.errors import Span
from retrograd.ir.formers import unhandled
from retrograd.ir.print import print_atom
from retrograd.ir.terms import Atom, Block, Call, For, Function, If, Jvp, Prim, Stm, Var, Vjp, While
from retrograd.ir.traverse import binders, blocks
from retrograd.ir.types import Type
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.effects import prim_effect

__all__ = ["CODE", "SOURCE", "TAPE", "Line", "Reading"]

CODE, SOURCE, TAPE = "code", "source", "tape"
"""What a line is: a statement, the user's text, or a statement that touches the tape."""

Line = tuple[str, str]
"""What a line is, and its text."""

_TEMPORARY = "t"
_UNSAID = frozenset(("span", "site", "types", "checked", "spec", "message"))
_STEP = "  "


@dataclass(slots=True)
class Reading:
    """Writes code; `names` are those that variables have got, `used` all of these, `taken` what
    no temporary gets."""

    prims: PrimitiveSet
    names: dict[str, str] = field(default_factory=dict[str, str])
    used: set[str] = field(default_factory=set[str])
    taken: set[str] = field(default_factory=set[str])
    letters: Iterator[str] = field(default_factory=lambda: _letters())

    def reserve(self, parts: Iterable[Block]) -> None:
        """Keeps the names that come from the user from being given to temporaries."""
        for block in parts:
            for stm in block.stms:
                self.taken.update(_stem(v.name) for v in (*stm.outs, *binders(stm.expr)))
                self.reserve(blocks(stm.expr))

    def call(self, var: Var, name: str) -> str:
        """Gives a variable a name, or the next free one like it."""
        free = chain((name,), (f"{name}_{k}" for k in count(2)))
        text = next(text for text in free if text not in self.used)
        self.used.add(text)
        self.names[var.name] = text
        return text

    def name(self, var: Var) -> str:
        if var.name in self.names:
            return self.names[var.name]
        if (stem := _stem(var.name)) == _TEMPORARY:
            stem = next(text for text in self.letters if text not in self.taken | self.used)
        return self.call(var, stem)

    def atom(self, atom: Atom | None) -> str:
        return self.name(atom) if isinstance(atom, Var) else print_atom(atom)

    def atoms(self, atoms: Sequence[Atom | None]) -> str:
        return ", ".join(map(self.atom, atoms))

    def typed(self, variables: Sequence[Var]) -> str:
        return ", ".join(f"{self.name(v)}: {type_text(v.type)}" for v in variables)

    def function(self, function: Function) -> list[Line]:
        """A function with its head."""
        results = ", ".join(map(type_text, function.result_types))
        head = f"{function.name}({self.typed(function.params)}) -> ({results}):"
        return [(CODE, head), *self.block(function.body, _STEP, "return")]

    def block(self, block: Block, indent: str, last: str, place: str = "") -> list[Line]:
        """The statements, and what the block gives after the word `last`."""
        lines = self.stms(block.stms, indent, place)
        if block.results:
            lines.append((CODE, f"{indent}{last} {self.atoms(block.results)}"))
        return lines or [(CODE, f"{indent}pass")]

    def stms(self, stms: Sequence[Stm], indent: str, place: str = "") -> list[Line]:
        """Statements; `place` is the line of the user's that has been said."""
        lines: list[Line] = []
        for stm in stms:
            if self.hidden(stm):
                continue
            if (text := _place(stm)) and text != place:
                lines.append((SOURCE, f"{indent}# {text}"))
                place = text
            outs = f"{self.typed(stm.outs)} = " if stm.outs else ""
            kind = TAPE if isinstance(stm.expr, Prim) and stm.expr.op in ("push", "pop") else CODE
            lines.append((kind, f"{indent}{outs}{self.head(stm)}"))
            if isinstance(stm.expr, For | While) and stm.expr.carried:
                lines.append((CODE, f"{indent}{2 * _STEP}with {self.carried(stm.expr)}:"))
            if inner := self.inside(stm, indent, place):
                lines += inner
                place = ""
        return lines

    def hidden(self, stm: Stm) -> bool:
        """Whether a statement is left out; an extent is written where it is used."""
        expr = stm.expr
        if not isinstance(expr, Prim):
            return False
        if expr.op == "dim":
            self.names[stm.outs[0].name] = f"{self.atom(expr.args[0])}.shape[{expr.param('axis')}]"
            return True
        return not stm.outs and prim_effect(expr, self.prims) is Effect.CHECK

    def inside(self, stm: Stm, indent: str, place: str) -> list[Line]:
        expr, inner = stm.expr, indent + _STEP
        match expr:
            case If():
                lines = self.block(expr.then, inner, "yield", place)
                orelse = self.block(expr.orelse, inner, "yield", place)
                return [*lines, (CODE, f"{indent}else:"), *orelse]
            case For():
                return self.block(expr.body, inner, "yield", place)
            case While():
                lines = self.block(expr.cond, inner, "test", place)
                body = self.block(expr.body, inner, "yield", place)
                return [*lines, (CODE, f"{indent}do:"), *body]
            case Prim() | Call() | Jvp() | Vjp():
                return []
            case _:
                unhandled(expr)

    def head(self, stm: Stm) -> str:
        """The first line of an expression."""
        expr = stm.expr
        match expr:
            case Prim():
                return self.prim(expr)
            case Call():
                return f"{expr.function}({self.atoms(expr.args)})"
            case If():
                return f"if {self.atom(expr.cond)}:"
            case For():
                back = " backwards" if expr.descending else ""
                end = "" if expr.carried else ":"
                return f"for {self.name(expr.index)} < {self.atom(expr.trips)}{back}{end}"
            case While():
                return "while" if expr.carried else "while:"
            case Jvp() | Vjp():
                return f"{type(expr).__name__.lower()} {expr.function}({self.atoms(expr.args)})"
            case _:
                unhandled(expr)

    def carried(self, expr: For | While) -> str:
        pairs = zip(expr.carried, expr.inits, strict=True)
        return ", ".join(f"{self.typed((var,))} = {self.atom(init)}" for var, init in pairs)

    def prim(self, expr: Prim) -> str:
        options = [
            f"{key}={value}" for key, value in expr.params if key not in _UNSAID and value != "f64"
        ]  # fmt: skip
        access = self.prims[expr.op].facts.access
        spec = dict(expr.params).get("spec")
        if access is not None and (access.element or isinstance(spec, str)):
            places = list(map(self.atom, expr.args[access.places :]))
            part = f"{self.atom(expr.args[0])}[{_region(spec, places)}]"
            if expr.op in ("index", "slice"):
                return part
            rest = [part, *map(self.atom, expr.args[1 : access.places])]
            return f"{expr.op}({', '.join((*rest, *options))})"
        return f"{expr.op}({', '.join((*map(self.atom, expr.args), *options))})"


def type_text(type_: Type) -> str:
    """A type, as `f64[:, :]`."""
    dtype = str(type_.dtype.value)
    return f"{dtype}[{', '.join(':' * type_.rank)}]" if type_.rank else dtype


def _region(spec: object, places: list[str]) -> str:
    """What stands between the brackets; a range is said by where it starts, size and step."""
    if not isinstance(spec, str):
        return ", ".join(places)
    left = iter(places)
    words = {
        "a": lambda: ":",
        "n": lambda: "None",
        "i": lambda: next(left),
        "s": lambda: f"range({next(left)}, size={next(left)}, step={next(left)})",
    }
    return ", ".join(words[letter]() for letter in spec)


def _stem(name: str) -> str:
    """The name without the number that tells it from others."""
    stem, bar, number = name.rpartition("_")
    return stem if bar and number.isdigit() else name


def _letters() -> Iterator[str]:
    """a, b, .., z, aa, ab, .. without Python's own words."""
    yield from ascii_lowercase
    for first in _letters():
        yield from (first + last for last in ascii_lowercase if not iskeyword(first + last))


def _place(stm: Stm) -> str:
    """The line of the user's that a statement comes from, and the executions that it is part of."""
    within = "".join(f" ({mark.name})" for mark in stm.prov.checkpoints)
    return line_text(stm.prov.span) + within if stm.prov.span is not None else ""


def line_text(span: Span) -> str:
    """A line of the user's with its place."""
    text = linecache.getline(span.file, span.line).strip()
    return f"{Path(span.file).name}:{span.line}  {text}"
