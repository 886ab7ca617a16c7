"""The only recursion over terms: children, free variables, substitution, renaming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from retrograd.ir.formers import LEAVES, former_of
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Expr, Function, Prim, Program, Stm, Var

__all__ = [
    "atoms", "binders", "blocks", "callees_of", "defined_in", "free_vars", "free_vars_expr",
    "freshen_block", "map_atoms", "map_exprs", "mentions", "names_of", "stms_deep", "stms_of",
    "substitute", "supply_for", "with_blocks",
]  # fmt: skip


def atoms(expr: Expr) -> tuple[Atom, ...]:
    """The atoms that `expr` itself mentions, without those inside its blocks."""
    return former_of(expr).atoms(expr)


def blocks(expr: Expr) -> tuple[Block, ...]:
    """The blocks directly inside `expr`."""
    return () if type(expr) in LEAVES else former_of(expr).blocks(expr)


def binders(expr: Expr) -> tuple[Var, ...]:
    """The variables that `expr` binds in its blocks (loop index, carried values)."""
    return former_of(expr).binders(expr)


def callees_of(expr: Expr) -> tuple[str, ...]:
    """The functions that `expr` itself mentions."""
    return former_of(expr).callees(expr)


def with_blocks(expr: Expr, new: tuple[Block, ...]) -> Expr:
    """`expr` with its blocks replaced, in the order of `blocks`."""
    return former_of(expr).with_blocks(expr, new) if new else expr


def map_atoms(expr: Expr, f: Callable[[Atom], Atom]) -> Expr:
    """`expr` with `f` applied to the atoms that it itself mentions (not inside blocks)."""
    return former_of(expr).with_atoms(expr, f)


def free_vars_expr(expr: Expr) -> dict[Var, None]:
    """Free variables of `expr`, in order of first mention."""
    former = former_of(expr)
    found: dict[Var, None] = {a: None for a in former.atoms(expr) if isinstance(a, Var)}
    if type(expr) in LEAVES:
        return found
    bound = former.binders(expr)
    for block in former.blocks(expr):
        found.update((v, None) for v in free_vars(block) if v not in bound)
    return found


def free_vars(block: Block) -> Mapping[Var, None]:
    """Free variables of `block`, in order of first mention.

    They are looked for once: many passes ask, of blocks that are inside of one another.
    """
    if block.free is not None:
        return block.free
    bound: set[Var] = set()
    found: dict[Var, None] = {}
    for stm in block.stms:
        former = former_of(stm.expr)
        for atom in former.atoms(stm.expr):
            if isinstance(atom, Var) and atom not in bound:
                found[atom] = None
        if type(stm.expr) not in LEAVES:
            inside = bound.union(former.binders(stm.expr))
            for inner in former.blocks(stm.expr):
                found.update((v, None) for v in free_vars(inner) if v not in inside)
        bound.update(stm.outs)
    for atom in block.results:
        if isinstance(atom, Var) and atom not in bound:
            found[atom] = None
    object.__setattr__(block, "free", found)
    return found


def map_exprs(block: Block, change: Callable[[Expr], Expr]) -> Block:
    """`block` with every expression changed, those inside of others first."""

    def visit(stm: Stm) -> Stm:
        inner = tuple(map_exprs(b, change) for b in blocks(stm.expr))
        return stm.with_expr(change(with_blocks(stm.expr, inner)))

    return Block(tuple(map(visit, block.stms)), block.results)


def substitute(block: Block, mapping: Mapping[Var, Atom]) -> Block:
    """`block` with free variables replaced. Binders are unique per function: none captures."""

    def swap(atom: Atom) -> Atom:
        return mapping.get(atom, atom) if isinstance(atom, Var) else atom

    def walk_expr(expr: Expr) -> Expr:
        return with_blocks(map_atoms(expr, swap), tuple(map(walk, blocks(expr))))

    def walk(inner: Block) -> Block:
        stms = tuple(Stm(stm.outs, walk_expr(stm.expr), stm.prov) for stm in inner.stms)
        return Block(stms, tuple(map(swap, inner.results)))

    return walk(block)


def freshen_block(block: Block, names: NameSupply, mapping: Mapping[Var, Atom]) -> Block:
    """A copy of `block` with every binder renamed, and free variables replaced by `mapping`."""
    table: dict[Var, Atom] = dict(mapping)

    def swap(atom: Atom) -> Atom:
        return table.get(atom, atom) if isinstance(atom, Var) else atom

    def fresh(var: Var) -> Var:
        new = names.var(var.name, var.type)
        table[var] = new
        return new

    def walk_expr(expr: Expr) -> Expr:
        former = former_of(expr)
        outer = former.with_atoms(expr, swap)
        if bound := former.binders(expr):
            outer = former.with_binders(outer, tuple(map(fresh, bound)))
        return former.with_blocks(outer, tuple(map(walk, former.blocks(expr))))

    def walk(inner: Block) -> Block:
        stms: list[Stm] = []
        for stm in inner.stms:
            expr = walk_expr(stm.expr)
            stms.append(Stm(tuple(map(fresh, stm.outs)), expr, stm.prov))
        return Block(tuple(stms), tuple(map(swap, inner.results)))

    return walk(block)


def stms_deep(block: Block) -> Iterator[Stm]:
    """Every statement of `block`, outer before inner, in order."""
    found: list[Stm] = []
    _gather(block, found)
    return iter(found)


def stms_of(function: Function) -> Sequence[Stm]:
    """Every statement of a function, outer before inner, in order; looked for once."""
    return function.once("statements", lambda: tuple(stms_deep(function.body)))


def _gather(block: Block, found: list[Stm]) -> None:
    """A list is filled quicker than generators in generators are asked, and this is asked often."""
    for stm in block.stms:
        found.append(stm)
        if type(stm.expr) not in LEAVES:
            for inner in former_of(stm.expr).blocks(stm.expr):
                _gather(inner, found)


def mentions(block: Block) -> Counter[Var]:
    """How often each variable is mentioned in a block and in all blocks inside it."""
    found = [a for a in block.results if isinstance(a, Var)]
    for stm in stms_deep(block):
        found += [a for a in atoms(stm.expr) if isinstance(a, Var)]
        for inner in blocks(stm.expr):
            found += [a for a in inner.results if isinstance(a, Var)]
    return Counter(found)


def defined_in(block: Block) -> dict[str, Prim]:
    """The operations, at any depth, by the name of what is calculated."""
    return {s.outs[0].name: s.expr for s in stms_deep(block) if isinstance(s.expr, Prim) and s.outs}


def names_of(function: Function) -> frozenset[str]:
    """Every name bound in `function`, and those of the executions and of the tape's sites in it."""
    return function.once("names", lambda: _names_of(function))


def _names_of(function: Function) -> frozenset[str]:
    found = {v.name for v in function.params}
    for stm in stms_of(function):
        for out in stm.outs:
            found.add(out.name)
        if stm.prov.checkpoints:
            found.update(execution.name for execution in stm.prov.checkpoints)
        if not isinstance(stm.expr, Prim):
            found.update(v.name for v in binders(stm.expr))
        elif stm.expr.op in ("push", "pop"):
            found.update(str(value) for key, value in stm.expr.params if key == "site")
    return frozenset(found)


def supply_for(program: Program) -> NameSupply:
    """A name supply that avoids every name in `program`, of whatever it is."""
    taken: set[str] = set()
    for function in program.functions:
        taken |= names_of(function) | {function.name}
    return NameSupply(frozenset(taken))
