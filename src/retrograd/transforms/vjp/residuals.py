"""Residuals: which primal values a reverse sweep needs, and how each of them is had.

In a scope (a function body, an iteration, a branch) a needed value is, in this order of preference:
still there (loop index, parameters and arrays that nothing overwrites, values of enclosing scopes);
recomputed from such values where that is cheap; or recorded. Recorded values are pushed together at
the end of the scope's forward code and popped together at the start of its reverse code. An array
that is overwritten later in its scope is copied for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, For, If, Params, Prim, Stm, Var, While
from retrograd.ir.traverse import blocks, free_vars_expr, substitute, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet

__all__ = [
    "EXPENSIVE", "Residuals", "Scope", "known_before", "needed_by", "resolve", "unchecked_block",
]  # fmt: skip

EXPENSIVE = 12.0
"""Scalar primitives from this cost on are recorded outside vectorised loops, not repeated."""


@dataclass(slots=True)
class Scope:
    """A stretch of forward code whose residuals are recorded together.

    `index` and `carried` are bound by the loop (of a function: the parameters that it takes over).
    `innermost`: the body of a counted loop without inner loops and calls. `loop`: any loop's body.
    `lost` are arrays whose buffers are overwritten or handed on later. `private` are carried arrays
    whose elements can be read again from the array before the loop. `shared` are arrays that go by
    more than one name.
    """

    stms: tuple[Stm, ...]
    index: Var | None
    carried: tuple[Var, ...]
    innermost: bool
    loop: bool
    results: frozenset[Var]
    lost: frozenset[Var]
    private: Mapping[Var, Var] = field(default_factory=dict[Var, Var])
    shared: frozenset[Var] = frozenset()
    made: dict[Var, Stm] = field(default_factory=dict[Var, Stm])

    def __post_init__(self) -> None:
        for stm in self.stms:
            again = _from_before(stm, self.private)
            for out in stm.outs:
                self.made[out] = again


def _from_before(stm: Stm, private: Mapping[Var, Var]) -> Stm:
    """A read of a private array, as a read of what the loop was given."""
    match stm.expr:
        case Prim(op="index", args=(Var() as base, index)) if base in private:
            return replace(stm, expr=replace(stm.expr, args=(private[base], index)))
        case _:
            return stm


@dataclass(frozen=True, slots=True)
class Residuals:
    """What the scope records (in push order), the copies made for that, and the code to repeat."""

    recorded: tuple[Var, ...]
    repeated: tuple[Stm, ...]
    copies: Mapping[Var, Var]


def known_before(scope: Scope, reverse: Block, prims: PrimitiveSet) -> Block:
    """Reverse code that takes from its scope the expensive scalars that the primal has computed."""
    made: dict[str, Var] = {}  # by text, which tells 0.0 from -0.0
    for stm in scope.made.values():
        if _expensive(stm, prims):
            made.setdefault(repr(stm.expr), stm.outs[0])
    same: dict[Var, Atom] = {}
    kept: list[Stm] = []
    for stm in reverse.stms:
        if _expensive(stm, prims) and repr(stm.expr) in made:
            same[stm.outs[0]] = made[repr(stm.expr)]
        else:
            kept.append(stm)
    return substitute(Block(tuple(kept), reverse.results), same) if same else reverse


def _expensive(stm: Stm, prims: PrimitiveSet) -> bool:
    if not isinstance(stm.expr, Prim) or len(stm.outs) != 1 or not stm.outs[0].type.is_scalar:
        return False
    primitive = prims[stm.expr.op]
    scalars = all(a.type.is_scalar for a in stm.expr.args)
    return primitive.effect is Effect.PURE and scalars and primitive.cost >= EXPENSIVE


def needed_by(stms: Iterable[Stm], results: Iterable[Atom]) -> dict[Var, None]:
    """Variables that reverse code mentions but does not bind itself, in order."""
    found: dict[Var, None] = {}
    bound: set[Var] = set()
    for stm in stms:
        for var in free_vars_expr(stm.expr):
            if var not in bound:
                found[var] = None
        bound.update(stm.outs)
    for atom in results:
        if isinstance(atom, Var) and atom not in bound:
            found[atom] = None
    return found


def resolve(
    scope: Scope, needed: Iterable[Var], prims: PrimitiveSet, names: NameSupply
) -> Residuals:
    """Decides for each needed variable of this scope; those of outer scopes are left to them."""
    work = _Resolver(scope, prims)
    for var in needed:
        work.require(var)
    copies: dict[Var, Var] = {}
    for var in work.recorded:
        needed_after = var in scope.lost or var in scope.results or var in scope.carried
        if not var.type.is_scalar and (needed_after or var in scope.shared):
            copies[var] = names.var(f"{var.name}_kept", var.type)
    made = {id(stm): stm for stm in scope.made.values()}
    repeated = tuple(_unchecked(stm) for key, stm in made.items() if key in work.repeated)
    return Residuals(tuple(work.recorded), repeated, copies)


_CHECKS = ("check", "check_index")
_UNCHECKED = {"iadd": "add", "isub": "sub", "imul": "mul", "ineg": "neg", "iabs": "abs"}


def unchecked_block(block: Block) -> Block:
    """A block that is run again: all its checks have held the first time."""
    stms: list[Stm] = []
    for stm in block.stms:
        if isinstance(stm.expr, Prim):
            if stm.expr.op not in _CHECKS:
                stms.append(_unchecked(stm))
        else:
            inner = tuple(map(unchecked_block, blocks(stm.expr)))
            stms.append(replace(stm, expr=with_blocks(stm.expr, inner)))
    return Block(tuple(stms), block.results)


def _unchecked(stm: Stm) -> Stm:
    """What is repeated has been checked the first time."""
    if isinstance(stm.expr, Prim) and stm.expr.op in _UNCHECKED:
        return replace(stm, expr=Prim(_UNCHECKED[stm.expr.op], stm.expr.args))
    if isinstance(stm.expr, Prim) and any(key == "checked" for key, _ in stm.expr.params):
        params: Params = tuple((k, False if k == "checked" else v) for k, v in stm.expr.params)
        return replace(stm, expr=replace(stm.expr, params=params))
    return stm


@dataclass(slots=True)
class _Resolver:
    scope: Scope
    prims: PrimitiveSet
    recorded: dict[Var, None] = field(default_factory=dict[Var, None])
    repeated: set[int] = field(default_factory=set[int])
    done: set[Var] = field(default_factory=set[Var])

    def require(self, var: Var) -> None:
        if var in self.done:
            return
        self.done.add(var)
        if var == self.scope.index:
            return
        if var in self.scope.carried:
            self.recorded[var] = None
            return
        stm = self.scope.made.get(var)
        if stm is None:
            return  # of an enclosing scope, or a parameter
        if self.repeatable(stm):
            self.repeated.add(id(stm))
            for atom in stm.expr.args if isinstance(stm.expr, Prim) else ():
                if isinstance(atom, Var):
                    self.require(atom)
        else:
            self.recorded[var] = None

    def repeatable(self, stm: Stm) -> bool:
        expr = stm.expr
        if not isinstance(expr, Prim):
            return False
        primitive = self.prims[expr.op]
        if primitive.effect is Effect.TAPE or primitive.consumes or len(stm.outs) != 1:
            return False
        arrays = [a for a in expr.args if isinstance(a, Var) and not a.type.is_scalar]
        if stm.outs[0] in self.scope.lost or not all(map(self.readable, arrays)):
            return False
        if not stm.outs[0].type.is_scalar:
            return primitive.elementwise or expr.op in _CHEAP_ARRAYS
        if not arrays:
            return self.scope.innermost or primitive.cost < EXPENSIVE
        return expr.op == "index" and not any(map(self.bulky, arrays))

    def readable(self, array: Var) -> bool:
        """Whether this version of the array can be had again: an outer scope may keep a copy."""
        if array not in self.scope.lost:
            return True
        mine = array in self.scope.made or array in self.scope.carried
        return self.scope.loop and not mine

    def bulky(self, array: Var) -> bool:
        """Whether reading one element again would have to record the whole array, in this scope."""
        stm = self.scope.made.get(array)
        return stm is not None and array not in self.recorded and not self.repeatable(stm)


_CHEAP_ARRAYS = frozenset(
    "slice transpose reshape broadcast zeros full iota empty array_of copy".split()
)


def has_work(block: Block) -> bool:
    """Whether a block holds loops, calls or branches with statements of their own to sweep."""
    for stm in block.stms:
        if isinstance(stm.expr, For | While | Call):
            return True
        if isinstance(stm.expr, If) and (has_work(stm.expr.then) or has_work(stm.expr.orelse)):
            return True
    return False
