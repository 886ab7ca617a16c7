"""The only recursion over terms: children, free variables, substitution, renaming."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
)  # fmt: skip

__all__ = [
    "atoms", "binders", "blocks", "defined_in", "free_vars", "free_vars_expr", "freshen_block",
    "map_atoms", "map_exprs", "names_of", "stms_deep", "substitute", "supply_for", "with_blocks",
]  # fmt: skip


def atoms(expr: Expr) -> tuple[Atom, ...]:
    """The atoms that `expr` itself mentions, without those inside its blocks."""
    match expr:
        case Prim() | Call():
            return expr.args
        case If():
            return (expr.cond,)
        case For():
            return (expr.trips, *expr.inits)
        case While():
            return expr.inits
        case Jvp():
            return (*expr.args, *(t for t in expr.tangents if t is not None))
        case Vjp():
            return (*expr.args, *(c for c in expr.cotangents if c is not None))


def blocks(expr: Expr) -> tuple[Block, ...]:
    """The blocks directly inside `expr`."""
    match expr:
        case If():
            return (expr.then, expr.orelse)
        case For():
            return (expr.body,)
        case While():
            return (expr.cond, expr.body)
        case _:
            return ()


def binders(expr: Expr) -> tuple[Var, ...]:
    """The variables that `expr` binds in its blocks (loop index, carried values)."""
    match expr:
        case For():
            return (expr.index, *expr.carried)
        case While():
            return expr.carried
        case _:
            return ()


def with_blocks(expr: Expr, new: tuple[Block, ...]) -> Expr:
    """`expr` with its blocks replaced, in the order of `blocks`."""
    match expr:
        case If():
            return If(expr.cond, new[0], new[1])
        case For():
            return replace(expr, body=new[0])
        case While():
            return replace(expr, cond=new[0], body=new[1])
        case _:
            return expr


def _maybe(f: Callable[[Atom], Atom], atom: Atom | None) -> Atom | None:
    return None if atom is None else f(atom)


def map_atoms(expr: Expr, f: Callable[[Atom], Atom]) -> Expr:
    """`expr` with `f` applied to the atoms that it itself mentions (not inside blocks)."""
    match expr:  # `replace` is slow, and nearly all of a program are primitives
        case Prim():
            return Prim(expr.op, tuple(map(f, expr.args)), expr.params)
        case Call():
            return replace(expr, args=tuple(map(f, expr.args)))
        case If():
            return If(f(expr.cond), expr.then, expr.orelse)
        case For():
            return replace(expr, trips=f(expr.trips), inits=tuple(map(f, expr.inits)))
        case While():
            return replace(expr, inits=tuple(map(f, expr.inits)))
        case Jvp():
            tangents = tuple(_maybe(f, t) for t in expr.tangents)
            return replace(expr, args=tuple(map(f, expr.args)), tangents=tangents)
        case Vjp():
            cotangents = tuple(_maybe(f, c) for c in expr.cotangents)
            return replace(expr, args=tuple(map(f, expr.args)), cotangents=cotangents)


def free_vars_expr(expr: Expr) -> dict[Var, None]:
    """Free variables of `expr`, in order of first mention."""
    found: dict[Var, None] = {}
    _free_in_expr(expr, set(), found)
    return found


def free_vars(block: Block) -> dict[Var, None]:
    """Free variables of `block`, in order of first mention."""
    found: dict[Var, None] = {}
    _free_in_block(block, set(), found)
    return found


def _free_in_expr(expr: Expr, bound: set[Var], found: dict[Var, None]) -> None:
    for atom in atoms(expr):
        if isinstance(atom, Var) and atom not in bound:
            found[atom] = None
    if inner := blocks(expr):
        inside = bound.union(binders(expr))
        for block in inner:
            _free_in_block(block, set(inside), found)


def _free_in_block(block: Block, bound: set[Var], found: dict[Var, None]) -> None:
    """Adds what is free in a block; `bound` is the block's own, to be added to."""
    for stm in block.stms:
        _free_in_expr(stm.expr, bound, found)
        bound.update(stm.outs)
    for atom in block.results:
        if isinstance(atom, Var) and atom not in bound:
            found[atom] = None


def map_exprs(block: Block, change: Callable[[Expr], Expr]) -> Block:
    """`block` with every expression changed, those inside of others first."""

    def visit(stm: Stm) -> Stm:
        inner = tuple(map_exprs(b, change) for b in blocks(stm.expr))
        return replace(stm, expr=change(with_blocks(stm.expr, inner)))

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
        outer = map_atoms(expr, swap)
        match outer:
            case For():
                outer = replace(
                    outer, index=fresh(outer.index), carried=tuple(map(fresh, outer.carried))
                )
            case While():
                outer = replace(outer, carried=tuple(map(fresh, outer.carried)))
            case _:
                pass
        return with_blocks(outer, tuple(walk(b) for b in blocks(expr)))

    def walk(inner: Block) -> Block:
        stms: list[Stm] = []
        for stm in inner.stms:
            expr = walk_expr(stm.expr)
            stms.append(Stm(tuple(map(fresh, stm.outs)), expr, stm.prov))
        return Block(tuple(stms), tuple(map(swap, inner.results)))

    return walk(block)


def stms_deep(block: Block) -> Iterator[Stm]:
    """Every statement of `block`, outer before inner, in order."""
    for stm in block.stms:
        yield stm
        for inner in blocks(stm.expr):
            yield from stms_deep(inner)


def defined_in(block: Block) -> dict[str, Prim]:
    """The operations, at any depth, by the name of what is calculated."""
    return {s.outs[0].name: s.expr for s in stms_deep(block) if isinstance(s.expr, Prim) and s.outs}


def names_of(function: Function) -> frozenset[str]:
    """Every name bound in `function`."""
    found = {v.name for v in function.params}
    for stm in stms_deep(function.body):
        found.update(v.name for v in stm.outs)
        found.update(v.name for v in binders(stm.expr))
    return frozenset(found)


def supply_for(program: Program) -> NameSupply:
    """A name supply that avoids every variable and function name of `program`."""
    taken: set[str] = set()
    for function in program.functions:
        taken |= names_of(function) | {function.name}
    return NameSupply(frozenset(taken))
