"""The checker: scope, types and linearity of a program. Run after every pass under test.

A program that fails is a bug of the pass that made it, so every failure is a `CompilerBug` that
names the function, the statement and the rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from retrograd.errors import CompilerBug, RetrogradError
from retrograd.ir.formers import unhandled
from retrograd.ir.linear import Broken, Consumption, Signatures, consumed_params
from retrograd.ir.print import print_head
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
    Stm,
    Var,
    Vjp,
    While,
)  # fmt: skip
from retrograd.ir.traverse import callees_of, stms_deep
from retrograd.ir.types import BOOL, F64, I64, MAX_RANK, DType, Type

__all__ = ["check_program", "consumed_params"]

_VALUES: dict[DType, type] = {DType.F64: float, DType.I64: int, DType.BOOL: bool}
_I64_MIN, _I64_MAX = -(2**63), 2**63 - 1


def check_program(
    program: Program, prims: Signatures, *, linear: bool = True, before: Program | None = None
) -> None:
    """Raises `CompilerBug` unless `program` is well formed; `linear=False` skips consumption.

    `before` is a program that is well formed, of which this one was made: types of functions that
    are the same in both, and call the same, are not looked at again.
    """
    table: dict[str, Function] = {}
    for function in program.functions:
        if function.name in table:
            raise CompilerBug(f"two functions named {function.name!r}")
        table[function.name] = function
    if program.entry not in table:
        raise CompilerBug(f"the entry {program.entry!r} is not a function of the program")
    _check_sites(program)
    same = _unchanged(table, before)
    for function in program.functions:
        if function.name not in same:
            _Checker(function, table, prims).run()
    if linear:
        broken: dict[str, list[Broken]] = {}
        Consumption.of(program, prims, broken)
        for function in program.functions:
            for stm, rule in broken[function.name]:
                _Checker(function, table, prims).fail_at(stm, rule)


def _check_sites(program: Program) -> None:
    """All pushes and pops of a site say the same of what may leave memory."""
    marks: dict[Param, Param] = {}
    for function in program.functions:
        for stm in stms_deep(function.body):
            if isinstance(stm.expr, Prim) and stm.expr.op in ("push", "pop"):
                params = dict(stm.expr.params)
                site, mark = params.get("site"), params.get("offloaded")
                if site is not None and marks.setdefault(site, mark) != mark:
                    raise CompilerBug(f"pushes and pops of the site {site!r} offload differently")


def _unchanged(table: Mapping[str, Function], before: Program | None) -> set[str]:
    """Names of functions that were there `before`, as were their callees with their types."""
    if before is None:
        return set()
    old = {f.name: f for f in before.functions}

    def alike(name: str) -> bool:
        a, b = old.get(name), table.get(name)
        return a is not None and b is not None and _interface(a) == _interface(b)

    like = {name for name in table if alike(name)}
    return {
        name
        for name in like
        if table[name] == old[name]
        and all(c in like for s in stms_deep(table[name].body) for c in callees_of(s.expr))
        and _rules(table[name]) <= like
    }


def _interface(function: Function) -> tuple[tuple[Type, ...], tuple[Type, ...]]:
    return _of(function.params), function.result_types


def _rules(function: Function) -> set[str]:
    custom = function.custom
    return set() if custom is None else {custom.rule, custom.pullback or custom.rule}


@dataclass(slots=True)
class _Checker:
    """Checks one function; `scope` holds the visible variables, `bound` all names ever bound."""

    function: Function
    table: dict[str, Function]
    prims: Signatures
    scope: dict[str, Type] = field(default_factory=dict[str, Type])
    bound: set[str] = field(default_factory=set[str])
    stm: Stm | None = None

    def fail(self, rule: str) -> NoReturn:
        self.fail_at(self.stm, rule)

    def fail_at(self, stm: Stm | None, rule: str) -> NoReturn:
        where = f"in function {self.function.name!r}"
        if stm is None:
            raise CompilerBug(f"{where}: {rule}", self.function.prov.span)
        raise CompilerBug(f"{where}, statement `{print_head(stm)}`: {rule}", stm.prov.span)

    def run(self) -> None:
        for param in self.function.params:
            self.bind(param)
        if self.function.custom is not None:
            self.custom(self.function.custom)
        self.block(self.function.body)

    def custom(self, rule: CustomRule) -> None:
        known = rule.kind in ("jvp", "vjp", "inverse")
        if not known or (rule.kind == "vjp") != (rule.pullback is not None):
            self.fail(f"a custom rule of kind {rule.kind!r} does not fit its functions")
        for name in (rule.rule, rule.pullback):
            if name is not None and name not in self.table:
                self.fail(f"the custom rule's function {name!r} is not in the program")
        if rule.kind == "inverse":
            self.inverse(rule)
        elif rule.changed:
            self.fail(f"a custom rule of kind {rule.kind!r} with changed parameters")

    def inverse(self, rule: CustomRule) -> None:
        """The types of a function that can be undone, and of its adjoint."""
        types, adjoint = _of(self.function.params), self.table[rule.rule]
        places = set(rule.changed)
        if not places or len(places) < len(rule.changed) or not places <= set(range(len(types))):
            self.fail("`changed` is not a list of parameters, each once")
        changed = [types[k] for k in rule.changed]
        self.agree("results of a function with an inverse", self.function.result_types, changed)
        floats = [t for t in types if t.is_float]
        self.agree("parameters of the adjoint", _of(adjoint.params), (*types, *floats))
        self.agree("results of the adjoint", adjoint.result_types, (*changed, *floats))

    def bind(self, var: Var) -> None:
        if var.name in self.bound:
            self.fail(f"{var.name!r} is bound twice")
        if not 0 <= var.type.rank <= MAX_RANK:
            self.fail(f"{var.name!r} has rank {var.type.rank}")
        self.bound.add(var.name)
        self.scope[var.name] = var.type

    def unbind(self, variables: Sequence[Var]) -> None:
        for var in variables:
            self.scope.pop(var.name, None)

    def atom(self, atom: Atom) -> None:
        match atom:
            case Var():
                if atom.name not in self.scope:
                    self.fail(f"{atom.name!r} is not in scope")
                was = self.scope[atom.name]
                if was is not atom.type and was != atom.type:
                    self.fail(f"{atom.name!r} is mentioned as {atom.type} but bound as {was}")
            case Lit():
                if type(atom.value) is not _VALUES[atom.type.dtype] or not atom.type.is_scalar:
                    self.fail(f"the literal {atom.value!r} is not of type {atom.type}")
                if isinstance(atom.value, int) and not _I64_MIN <= atom.value <= _I64_MAX:
                    self.fail(f"the literal {atom.value!r} is outside i64")

    def agree(self, what: str, got: Sequence[Type], want: Sequence[Type]) -> None:
        if tuple(got) != tuple(want):
            self.fail(f"{what}: ({_types(got)}) where ({_types(want)}) is due")

    def block(self, block: Block) -> tuple[Type, ...]:
        """Checks a block; types of its results."""
        outer = self.stm
        for stm in block.stms:
            self.stm = stm
            self.agree("results", _of(stm.outs), self.expr(stm.expr))
            self.stm = stm
            for out in stm.outs:
                self.bind(out)
        self.stm = outer
        for atom in block.results:
            self.atom(atom)
        for stm in block.stms:
            self.unbind(stm.outs)
        return _of(block.results)

    def expr(self, expr: Expr) -> tuple[Type, ...]:
        """Checks an expression; types of its results."""
        match expr:
            case Prim():
                return self.prim(expr)
            case Call():
                return self.call(expr.function, expr.args).result_types
            case Jvp():
                return self.jvp(expr)
            case Vjp():
                return self.vjp(expr)
            case If():
                self.atom(expr.cond)
                self.agree("condition", (expr.cond.type,), (BOOL,))
                then, orelse = self.block(expr.then), self.block(expr.orelse)
                self.agree("results of the branches", orelse, then)
                return then
            case For():
                return self.counted(expr)
            case While():
                return self.conditional(expr)
            case _:
                unhandled(expr)

    def prim(self, expr: Prim) -> tuple[Type, ...]:
        for arg in expr.args:
            self.atom(arg)
        keys = [key for key, _ in expr.params]
        if keys != sorted(set(keys)):
            self.fail("static parameters are not sorted by name, each once")
        try:
            return self.prims.result_types(expr.op, _of(expr.args), expr.params)
        except RetrogradError as error:
            self.fail(error.message)

    def call(self, name: str, args: tuple[Atom, ...]) -> Function:
        for arg in args:
            self.atom(arg)
        if name not in self.table:
            self.fail(f"{name!r} is not a function of the program")
        callee = self.table[name]
        self.agree("arguments", _of(args), _of(callee.params))
        return callee

    def directions(self, what: str, items: Sequence[Atom | None], of: Sequence[Type]) -> None:
        if len(items) != len(of):
            self.fail(f"{len(items)} {what}s where {len(of)} are due")
        for item, type_ in zip(items, of, strict=True):
            if item is not None:
                self.atom(item)
                self.agree(what, (item.type,), (type_,))
                if not type_.is_float:
                    self.fail(f"a {what} of type {type_}")

    def jvp(self, expr: Jvp) -> tuple[Type, ...]:
        callee = self.call(expr.function, expr.args)
        self.directions("tangent", expr.tangents, _of(callee.params))
        results = callee.result_types
        return (*results, *(t for t in results if t.is_float))

    def vjp(self, expr: Vjp) -> tuple[Type, ...]:
        callee = self.call(expr.function, expr.args)
        self.directions("cotangent", expr.cotangents, callee.result_types)
        params = _of(callee.params)
        if any(not (0 <= k < len(params) and params[k].is_float) for k in expr.wrt):
            self.fail("`wrt` names a position that is not a float parameter")
        return (*callee.result_types, *(params[k] for k in expr.wrt))

    def carried(self, carried: tuple[Var, ...], inits: tuple[Atom, ...]) -> None:
        for init in inits:
            self.atom(init)
        self.agree("initial values", _of(inits), _of(carried))
        for var in carried:
            self.bind(var)

    def counted(self, expr: For) -> tuple[Type, ...]:
        self.atom(expr.trips)
        self.agree("trip count and index", (expr.trips.type, expr.index.type), (I64, I64))
        if expr.sums < 0:
            self.fail("a negative number of sums")
        if expr.block:
            ops = {s.expr.op for s in stms_deep(expr.body) if isinstance(s.expr, Prim)}
            if {"push", "pop"} <= ops:
                self.fail("a block loop both pushes and pops")
        self.carried(expr.carried, expr.inits)
        self.bind(expr.index)
        due = (*_of(expr.carried), *(F64,) * expr.sums)
        self.agree("results of the body", self.block(expr.body), due)
        self.unbind((expr.index, *expr.carried))
        return due

    def conditional(self, expr: While) -> tuple[Type, ...]:
        self.carried(expr.carried, expr.inits)
        self.agree("results of the condition", self.block(expr.cond), (BOOL,))
        due = _of(expr.carried)
        self.agree("results of the body", self.block(expr.body), due)
        self.unbind(expr.carried)
        return due


def _of(items: Sequence[Atom]) -> tuple[Type, ...]:
    return tuple(item.type for item in items)


def _types(types: Sequence[Type]) -> str:
    return ", ".join(map(str, types))
