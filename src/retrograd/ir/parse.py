"""Reads the text form of a program back: `parse_program(print_program(p)) == p`, but provenance.

Variables are typed where they are bound, so the parser keeps the names in scope. Everything else
about a program is the checker's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from retrograd.errors import Span
from retrograd.ir.lexer import Line, Token, lex, syntax_error
from retrograd.ir.print import RESERVED
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Checkpointed,
    CustomRule,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Param,
    Params,
    Prim,
    Program,
    Prov,
    Stm,
    Var,
    Vjp,
    While,
    false,
    flit,
    ilit,
    true,
)
from retrograd.ir.types import I64, DType, Type

__all__ = ["parse_program"]

T = TypeVar("T")

_WORDS: dict[str, float | bool | None] = {
    "none": None,
    "true": True,
    "false": False,
    "nan": float("nan"),
    "inf": float("inf"),
}


def parse_program(text: str) -> Program:
    """The program that `text` is; UserError RG0901 with line and column where it is none."""
    return _Parser(list(lex(text))).program()


@dataclass(slots=True)
class _Parser:
    """A cursor over lines and the tokens of the current one."""

    lines: list[Line]
    row: int = 0
    at: int = 0
    scope: dict[str, Var] = field(default_factory=dict[str, Var])

    # The cursor.

    @property
    def token(self) -> Token:
        if self.row < len(self.lines):
            return self.lines[self.row].tokens[self.at]
        last = self.lines[-1].tokens[-1] if self.lines else Token("end", "", 1, 1)
        return Token("end", "the end of the text", last.line + 1, 1)

    @property
    def indent(self) -> int:
        return self.lines[self.row].indent if self.row < len(self.lines) else -1

    def fail(self, wanted: str) -> NoReturn:
        token = self.token
        raise syntax_error(f"{wanted} expected, found {token.text}", token.line, token.col)

    def next(self) -> Token:
        token = self.token
        self.at += 1
        return token

    def sees(self, text: str) -> bool:
        return self.token.kind in ("mark", "name") and self.token.text == text

    def take(self, text: str) -> bool:
        if self.sees(text):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.take(text):
            self.fail(repr(text))

    def end_line(self) -> None:
        if self.token.kind != "end":
            self.fail("the end of the line")
        self.row += 1
        self.at = 0

    def sequence(self, close: str, item: Callable[[], T]) -> list[T]:
        """Items with commas between, up to `close` (a final comma is allowed)."""
        found: list[T] = []
        while not self.take(close):
            found.append(item())
            if not self.take(","):
                self.expect(close)
                break
        return found

    # Words and values.

    def name(self) -> str:
        token = self.token
        plain = token.kind == "name" and token.text not in RESERVED
        if not plain and token.kind != "quoted":
            self.fail("a name")
        return self.next().text

    def number(self) -> int:
        token = self.token
        if token.kind != "number" or not token.text.lstrip("-").isdigit():
            self.fail("an integer")
        return int(self.next().text)

    def type(self) -> Type:
        names = {d.value: d for d in DType}
        if self.token.kind != "name" or self.token.text not in names:
            self.fail("a type")
        dtype, rank = names[self.next().text], 0
        if self.take("["):
            rank = self.number()
            self.expect("]")
        return Type(dtype, rank)

    def binder(self) -> Var:
        name = self.name()
        self.expect(":")
        return Var(name, self.type())

    def bind(self, var: Var) -> Var:
        self.scope[var.name] = var
        return var

    def atom(self) -> Atom:
        token = self.token
        match token.kind:
            case "number":
                value = self.numeral()
                return ilit(value) if isinstance(value, int) else flit(value)
            case "name" if token.text in ("true", "false"):
                return true if self.next().text == "true" else false
            case "name" if token.text in ("nan", "inf"):
                return flit(float(self.next().text))
            case _:
                name = self.name()
        if name not in self.scope:
            raise syntax_error(f"{name!r} is not in scope", token.line, token.col)
        return self.scope[name]

    def numeral(self) -> int | float:
        text = self.next().text
        return int(text) if text.lstrip("-").isdigit() else float(text)

    def maybe_atom(self) -> Atom | None:
        return None if self.take("none") else self.atom()

    def param(self) -> Param:
        token = self.token
        match token.kind:
            case "number":
                return self.numeral()
            case "string":
                return self.next().text
            case "name" if token.text in _WORDS:
                return _WORDS[self.next().text]
            case _ if self.take("("):
                return tuple(self.sequence(")", self.param))
            case _ if self.take("@"):
                return self.span()
            case _:
                self.fail("a parameter")

    def span(self) -> Span:
        file = self.token
        if file.kind != "string":
            self.fail("a file name")
        self.at += 1
        places: list[int] = []
        for mark in (":", ":", "-", ":"):
            if mark == "-" and self.token.kind == "number":  # "-3" is one token
                places.append(-self.number())
                continue
            self.expect(mark)
            places.append(self.number())
        shared = self.token.text == "@" and self.token.kind == "mark"
        self.at += shared
        return Span(file.text, places[0], places[1], places[2], places[3], shared)

    # Expressions.

    def expr(self) -> Expr:
        """An expression; the cursor is left at the start of the line after it."""
        token = self.token
        if token.kind == "name" and token.text in ("if", "for", "while"):
            indent = self.indent
            self.at += 1
            match token.text:
                case "if":
                    return self.branches(indent)
                case "for":
                    return self.counted(indent)
                case _:
                    return self.conditional(indent)
        found = self.application()
        self.end_line()
        return found

    def application(self) -> Expr:
        token = self.token
        derived = token.kind == "name" and token.text in ("call", "jvp", "vjp")
        kind = self.next().text if derived else "prim"
        name = self.name()
        self.expect("(")
        args: list[Atom] = []
        while not self.sees(";") and not self.sees(")"):
            args.append(self.atom())
            if not self.take(","):
                break
        found = self.applied(kind, name, tuple(args))
        self.expect(")")
        return found

    def applied(self, kind: str, name: str, args: tuple[Atom, ...]) -> Expr:
        """What follows the arguments, up to the closing bracket."""
        match kind:
            case "call":
                point = self.setting("point") if self.take(";") else None
                return Call(name, args, point)
            case "jvp":
                self.expect(";")
                return Jvp(name, args, self.directions("tangents"))
            case "vjp":
                self.expect(";")
                cotangents = self.directions("cotangents")
                for mark in (",", "wrt", "=", "("):
                    self.expect(mark)
                wrt = tuple(self.sequence(")", self.number))
                return Vjp(name, args, cotangents, wrt, self.policy() if self.take(",") else None)
            case _:
                return Prim(name, args, self.params() if self.take(";") else ())

    def policy(self) -> str:
        self.expect("policy")
        self.expect("=")
        return self.policy_name()

    def policy_name(self) -> str:
        match self.param():
            case str() as name:
                return name
            case _:
                self.fail("the name of a checkpoint policy")

    def directions(self, word: str) -> tuple[Atom | None, ...]:
        for mark in (word, "=", "("):
            self.expect(mark)
        return tuple(self.sequence(")", self.maybe_atom))

    def params(self) -> Params:
        found: list[tuple[str, Param]] = []
        while not found or self.take(","):
            if self.token.kind not in ("name", "quoted"):
                self.fail("the name of a parameter")
            key = self.next().text
            self.expect("=")
            found.append((key, self.param()))
        return tuple(found)

    def setting(self, word: str) -> int | None:
        """`word=3`, or None where it is not there."""
        if not self.take(word):
            return None
        self.expect("=")
        return self.number()

    def carried(self) -> tuple[tuple[Var, ...], tuple[Atom, ...]]:
        self.expect("(")
        pairs = self.sequence(")", self.initial)
        return tuple(v for v, _ in pairs), tuple(a for _, a in pairs)

    def initial(self) -> tuple[Var, Atom]:
        var = self.binder()
        self.expect("=")
        return var, self.atom()

    def head(self) -> None:
        self.expect(":")
        self.end_line()

    def branches(self, indent: int) -> If:
        cond = self.atom()
        self.head()
        then = self.block(indent)
        self.separator("else", indent)
        return If(cond, then, self.block(indent))

    def separator(self, word: str, indent: int) -> None:
        if self.indent <= indent:
            self.fail(repr(word))
        self.expect(word)
        self.head()

    def counted(self, indent: int) -> For:
        name = self.name()
        index = Var(name, self.type() if self.take(":") else I64)
        self.expect("<")
        trips = self.atom()
        carried, inits = self.carried() if self.take("with") else ((), ())
        sums = self.setting("sums") or 0
        descending, block = self.take("descending"), self.take("block")
        directions, again = self.take("directions"), self.take("rematerialised")
        point = self.setting("point")
        self.head()
        for var in (*carried, index):
            self.bind(var)
        body = self.block(indent)
        return For(
            index, trips, carried, inits, body, sums, descending, block, point, directions, again
        )

    def conditional(self, indent: int) -> While:
        carried, inits = self.carried()
        point = self.setting("point")
        self.head()
        for var in carried:
            self.bind(var)
        cond = self.block(indent)
        self.separator("do", indent)
        return While(carried, inits, cond, self.block(indent), point)

    # Statements, functions, programs.

    def block(self, indent: int, last: str = "yield") -> Block:
        """Statements that are indented deeper than `indent`, up to the line of results."""
        mine = self.indent
        if mine <= indent:
            self.fail(f"an indented block that ends in {last!r}")
        stms: list[Stm] = []
        while not self.sees(last):
            if self.indent != mine:
                self.fail(f"a statement or {last!r} at column {mine + 1}")
            stms.append(self.stm())
        self.at += 1
        results: list[Atom] = []
        while self.token.kind != "end":
            results.append(self.atom())
            if not self.take(","):
                break
        self.end_line()
        return Block(tuple(stms), tuple(results))

    def stm(self) -> Stm:
        prov = self.marks()
        after = self.lines[self.row].tokens[self.at + 1]
        binds = after.text == ":" and after.kind == "mark"
        outs: list[Var] = []
        if binds:
            outs.append(self.binder())
            while self.take(","):
                outs.append(self.binder())
            self.expect("=")
        expr = self.expr()
        for out in outs:
            self.bind(out)
        return Stm(tuple(outs), expr, prov)

    def marks(self) -> Prov:
        """What is marked: executions that a statement is part of, its run, names of its results."""
        within: list[Checkpointed] = []
        named: list[tuple[int, str]] = []
        rerun = ""
        while self.take("@"):
            kind = self.next().text
            self.expect("(")
            match kind, self.sequence(")", self.param):
                case "within", [str() as name, str() as policy]:
                    within.append(Checkpointed(name, policy))
                case "named", [int() as position, str() as name]:
                    named.append((position, name))
                case "rerun", [str() as name]:
                    rerun = name
                case _:
                    self.fail("@within(name, policy), @named(position, name) or @rerun(name)")
        return Prov(checkpoints=tuple(within), names=tuple(named), rerun=rerun)

    def custom(self) -> CustomRule | None:
        if not self.take("custom"):
            return None
        kind = self.next().text
        self.expect("(")
        rule = self.name()
        pullback = self.name() if self.take(",") else None
        changed: list[int] = []
        if self.take(";"):
            for mark in ("changed", "=", "("):
                self.expect(mark)
            changed = self.sequence(")", self.number)
        atol = None
        if self.take(","):
            self.expect("atol")
            self.expect("=")
            atol = float(str(self.param()))
        self.expect(")")
        return CustomRule(kind, rule, pullback, tuple(changed), atol)

    def extents(self) -> tuple[str, tuple[int, ...]]:
        name = self.name()
        self.expect("(")
        return name, tuple(self.sequence(")", self.number))

    def function(self) -> Function:
        start = self.token
        if self.indent != 0:
            self.fail("a function at column 1")
        self.expect("function")
        name = self.name()
        self.scope = {}
        self.expect("(")
        params = tuple(self.bind(p) for p in self.sequence(")", self.binder))
        self.expect("->")
        self.expect("(")
        results = tuple(self.sequence(")", self.type))
        custom = self.custom()
        policy = self.policy_name() if self.take("derivative") else None
        alike: list[tuple[str, tuple[int, ...]]] = []
        if self.take("alike"):
            self.expect("(")
            alike = self.sequence(")", self.extents)
        self.head()
        body = self.block(0, "return")
        function = Function(name, params, body, custom, derivative=policy, alike=tuple(alike))
        if function.result_types != results:
            raise syntax_error(f"{name!r} returns other types than it says", start.line, start.col)
        return function

    def program(self) -> Program:
        self.expect("program")
        entry = self.name()
        self.end_line()
        functions: list[Function] = []
        while self.row < len(self.lines):
            functions.append(self.function())
        return Program(tuple(functions), entry)
