"""The typed functional array language.

    Program  ::= Function*                                  one of them is the entry
    Function ::= name (Var*) Block                          results are the block's
    Block    ::= Stm* results                               A-normal form
    Stm      ::= Var* = Expr                                with the provenance of the user's line
    Expr     ::= Prim(op, Atom*, params)
               | If(Atom, Block, Block)
               | For(index < trips; carried = inits; Block)  counted; also opens sum accumulators
               | While(carried = inits; Block -> bool; Block)
               | Call(function, Atom*)
               | Jvp(function, Atom*, tangents) | Vjp(function, Atom*, cotangents, wrt, policy)
    Atom     ::= Var | Lit

A statement's provenance also says of which checkpointed executions it is part, and under which
names a policy may know its results.

Values are pure and tuples are flattened: functions, loops and branches have several results.
Function values are static and gone before this language. An array update is a function from the
old array to the new one. It *consumes* the old array, which no later statement may use; so the
machine code updates in place. The checker enforces that (`retrograd.ir.check`).

`carried` variables and `index` are bound in the loop's blocks. Every variable is bound once in
its function. A `For` whose `sums` is k returns k more scalars after its carried values: its body
yields k more f64 increments, which are added up in the lane order of `np.sum`
(`retrograd.prims.reduce`), so that the loop vectorises and the bits depend on the trip count only.

After the reverse transformation there are also effects on the tape: the primitives `push` and
`pop`, in stack order. `For.descending` runs the index from trips-1 down to 0. `For.block` says
that the loop's pushes (or pops) are one block, a structure of arrays indexed by the loop index.

`For.directions` says that iteration k does nothing but fill column (or row) k of the matrices that
the loop carries, from the k-th basis vectors (`unit`), and leaves the tape as it found it. So
several iterations may run as one (`retrograd.transforms.batch`).

`For.rematerialised` says that the reverse sweep runs each iteration again from what it was given,
which is all that the forward sweep records (`retrograd.stripmine`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, TypeVar

from retrograd.errors import Span
from retrograd.ir.types import BOOL, F64, I64, Type
from retrograd.records import quickly_made

__all__ = [
    "Alike", "Atom", "Block", "Call", "Checkpointed", "CustomRule", "Expr", "For", "Function", "If",
    "Jvp", "Lit", "Param", "Params", "Prim", "Program", "Prov", "Stm", "Var", "Vjp", "While",
    "false", "flit", "ilit", "true",
]  # fmt: skip

T = TypeVar("T")

Param = int | float | bool | str | tuple["Param", ...] | Span | None
Params = tuple[tuple[str, Param], ...]
Alike = tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Checkpointed:
    """One execution of a function that the user has checkpointed (`rg.checkpoint`).

    `name` tells executions in the text of a program apart, `policy` is the text of what may be
    saved of it (`retrograd.options.saving.policy_named`).
    """

    name: str
    policy: str


@quickly_made
@dataclass(frozen=True, slots=True)
class Prov:
    """Where a binding comes from: the user's place and the transformations since ("jvp", ...).

    `checkpoints` are the checkpointed executions that it is part of, the outermost first. `names`
    are the names that the user has given to results (`rg.checkpoint_name`), by their positions.
    Both are read when residuals are chosen, and by nothing else. `rerun` is the name of the second
    run of an execution that it is part of: arrays that two runs calculate are not shared.
    """

    span: Span | None = None
    via: tuple[str, ...] = ()
    checkpoints: tuple[Checkpointed, ...] = ()
    names: tuple[tuple[int, str], ...] = ()
    rerun: str = ""

    def through(self, transformation: str) -> Prov:
        """The same place, one transformation later."""
        return Prov(self.span, (*self.via, transformation), self.checkpoints, (), self.rerun)

    def within(self, checkpoints: tuple[Checkpointed, ...]) -> Prov:
        """The same place, as part of some checkpointed executions around its own."""
        return replace(self, checkpoints=(*checkpoints, *self.checkpoints))

    def named(self, names: tuple[tuple[int, str], ...]) -> Prov:
        """The same place, with more names for results."""
        return replace(self, names=tuple(dict.fromkeys((*self.names, *names))))


@quickly_made
@dataclass(frozen=True, slots=True)
class Var:
    name: str
    type: Type

    def __hash__(self) -> int:
        """By name: names are unique per function, and every pass looks variables up."""
        return hash(self.name)


@quickly_made
@dataclass(frozen=True, slots=True)
class Lit:
    value: float | int | bool
    type: Type


Atom = Var | Lit


@quickly_made
@dataclass(frozen=True, slots=True)
class Prim:
    """An application of a primitive; `params` are static and sorted by name."""

    op: str
    args: tuple[Atom, ...]
    params: Params = ()

    def param(self, name: str) -> Param:
        """The static parameter of that name."""
        return dict(self.params)[name]


@quickly_made
@dataclass(frozen=True, slots=True)
class If:
    cond: Atom
    then: Block
    orelse: Block


@quickly_made
@dataclass(frozen=True, slots=True)
class For:
    """Runs `body` for `index` in 0 .. trips-1 (a trip count below zero is zero)."""

    index: Var
    trips: Atom
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Block
    sums: int = 0
    descending: bool = False
    block: bool = False
    point: int | None = None
    directions: bool = False
    rematerialised: bool = False


@quickly_made
@dataclass(frozen=True, slots=True)
class While:
    """`cond` and `body` both see `carried`; `cond` yields one bool."""

    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    cond: Block
    body: Block
    point: int | None = None


@quickly_made
@dataclass(frozen=True, slots=True)
class Call:
    function: str
    args: tuple[Atom, ...]
    point: int | None = None


@dataclass(frozen=True, slots=True)
class Jvp:
    """Results of `function` and their tangents (float results only, in order).

    `tangents` has one entry per argument, None where the tangent is zero or does not exist.
    """

    function: str
    args: tuple[Atom, ...]
    tangents: tuple[Atom | None, ...]


@dataclass(frozen=True, slots=True)
class Vjp:
    """Results of `function`, then the cotangents of the arguments in `wrt` (positions).

    `cotangents` has one entry per result, None where it is zero or does not exist. `policy`
    names the checkpoint policy by which its reverse mode is paid for, where the user has chosen one
    (`retrograd.options.checkpointing.policy_named`).
    """

    function: str
    args: tuple[Atom, ...]
    cotangents: tuple[Atom | None, ...]
    wrt: tuple[int, ...]
    policy: str | None = None


Expr = Prim | If | For | While | Call | Jvp | Vjp


@quickly_made
@dataclass(frozen=True, slots=True)
class Stm:
    outs: tuple[Var, ...]
    expr: Expr
    prov: Prov = Prov()

    def with_expr(self, expr: Expr) -> Stm:
        """The statement of another expression; itself where that is the one it has."""
        return self if expr is self.expr else Stm(self.outs, expr, self.prov)


@quickly_made
@dataclass(frozen=True, slots=True)
class Block:
    """Statements and what they give. `free` are its free variables, once somebody has asked
    (`traverse.free_vars`)."""

    stms: tuple[Stm, ...]
    results: tuple[Atom, ...]
    free: Mapping[Var, None] | None = field(default=None, init=False, repr=False, compare=False)

    def changed(self, stms: tuple[Stm, ...], results: tuple[Atom, ...]) -> Block:
        """The block of these; itself where they are those that it has, so that whoever compares
        programs need not look inside."""
        if len(stms) != len(self.stms) or len(results) != len(self.results):
            return Block(stms, results)
        same = all(map(is_, stms, self.stms)) and all(map(is_, results, self.results))
        return self if same else Block(stms, results)


@dataclass(frozen=True, slots=True)
class CustomRule:
    """The user's derivative rule of a function, as functions of the same program.

    kind "jvp": `rule(*args, *tangents of float args) -> (*results, *tangents of float results)`.
    kind "vjp": `rule(*args) -> (*results, *residuals)` and
    `pullback(*residuals, *cotangents of float results) -> (*cotangents of float args)`.
    kind "inverse": the function can be undone. Its result i is the final value of the parameter
    `changed[i]`, with the same type and extents; arrays among these are consumed. The other
    parameters are only read. `rule` is its adjoint. That takes, for each parameter in order, the
    final value where it is changed and the argument itself where it is read; then, for each float
    parameter in order, a cotangent: that of the final value where it is changed, else the sum so
    far. It gives the initial values of the changed parameters, in the order of `changed`; then, for
    each float parameter in order, the cotangent of the initial value, or the sum so far with what
    this call adds. It may consume the final arrays and the cotangents. Initial values of float type
    may differ by roundings from what they were, and so others may that are made of changed floats.
    `atol` is by how much they may differ where that is tested.
    """

    kind: str
    rule: str
    pullback: str | None = None
    changed: tuple[int, ...] = ()
    atol: float | None = None


@quickly_made
@dataclass(frozen=True, slots=True)
class Function:
    """`derivative`: it does nothing but call both sweeps of a derivative; the policy's name.

    `alike` says of extents of array parameters, by name, which are equal in every call: those with
    the same number. -n is an extent of n, which no other number stands for; 1 is always said so.

    `known` is what has been found out about it (`once`).
    """

    name: str
    params: tuple[Var, ...]
    body: Block
    custom: CustomRule | None = None
    prov: Prov = Prov()
    derivative: str | None = None
    alike: Alike = ()
    known: dict[object, Any] = field(
        default_factory=dict[object, Any], init=False, repr=False, compare=False
    )

    def with_body(self, body: Block) -> Function:
        """The function with another body; itself where that is the one it has."""
        if body is self.body:
            return self
        return Function(
            self.name, self.params, body, self.custom, self.prov, self.derivative, self.alike
        )

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """What `find` gives, which depends on the function and on `key` only: it is called once.

        Passes ask the same of functions that they hand on as they are.
        """
        if key not in self.known:
            self.known[key] = find()
        return self.known[key]

    @property
    def result_types(self) -> tuple[Type, ...]:
        return tuple(atom.type for atom in self.body.results)


@quickly_made
@dataclass(frozen=True, slots=True)
class Program:
    functions: tuple[Function, ...]
    entry: str

    def function(self, name: str) -> Function:
        """The function of that name; KeyError if there is none."""
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)

    @property
    def main(self) -> Function:
        return self.function(self.entry)


true = Lit(True, BOOL)
false = Lit(False, BOOL)


def flit(value: float) -> Lit:
    """A literal of type f64."""
    return Lit(float(value), F64)


def ilit(value: int) -> Lit:
    """A literal of type i64."""
    return Lit(int(value), I64)
