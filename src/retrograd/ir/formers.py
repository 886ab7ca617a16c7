"""What the term formers of the language are made of: one record for each.

Whoever walks over programs (`retrograd.ir.traverse`, and the analyses that ask how often a block
runs or what an expression calls) asks the record, and not which former it is. So a new former is
walked over by all of them, and where a pass looks at formers one by one, it ends with `unhandled`:
it never takes a former that it does not know for one without blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from operator import is_
from typing import Any, Never, NoReturn, TypeVar

from retrograd.errors import CompilerBug
from retrograd.ir.terms import Atom, Block, Call, Expr, For, If, Jvp, Prim, Var, Vjp, While

__all__ = ["FORMERS", "LEAVES", "Former", "Runs", "former_of", "unhandled"]

T = TypeVar("T")


class Runs(Enum):
    """How often the blocks of an expression run in one evaluation of it."""

    NEVER = "there are none"
    ONE_OF_THEM = "one of them, once"
    AGAIN_AND_AGAIN = "each any number of times, zero included"


def _nothing(expr: Any) -> tuple[()]:
    return ()


def _itself(expr: Any, parts: Any) -> Any:
    return expr


@dataclass(frozen=True, slots=True)
class Former:
    """The parts of an expression, and how to make it again of others.

    `atoms` are those that it mentions itself, not inside its blocks. `binders` are bound in all of
    its blocks (the loop index, carried values); of a block at position k an iteration owns the
    arrays `owned(expr)[k]`. `callees` are the functions that it mentions by name.
    """

    atoms: Callable[[Any], tuple[Atom, ...]]
    with_atoms: Callable[[Any, Callable[[Atom], Atom]], Any]
    blocks: Callable[[Any], tuple[Block, ...]] = _nothing
    with_blocks: Callable[[Any, tuple[Block, ...]], Any] = _itself
    binders: Callable[[Any], tuple[Var, ...]] = _nothing
    with_binders: Callable[[Any, tuple[Var, ...]], Any] = _itself
    owned: Callable[[Any], tuple[tuple[Var, ...], ...]] = _nothing
    callees: Callable[[Any], tuple[str, ...]] = _nothing
    runs: Runs = Runs.NEVER


def _each(f: Callable[[Atom], Atom], atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """`f` of each; the tuple itself where nothing changes, so that expressions stay themselves."""
    new = tuple(map(f, atoms))
    return atoms if all(map(is_, new, atoms)) else new


def _some(f: Callable[[Atom], Atom], atoms: tuple[Atom | None, ...]) -> tuple[Atom | None, ...]:
    return tuple(None if a is None else f(a) for a in atoms)


def _present(atoms: tuple[Atom | None, ...]) -> tuple[Atom, ...]:
    return tuple(a for a in atoms if a is not None)


def _prim(expr: Prim, f: Callable[[Atom], Atom]) -> Prim:
    args = _each(f, expr.args)
    # `replace` is slow, and these are many.
    return expr if args is expr.args else Prim(expr.op, args, expr.params)


def _if_atoms(expr: If, f: Callable[[Atom], Atom]) -> If:
    cond = f(expr.cond)
    return expr if cond is expr.cond else If(cond, expr.then, expr.orelse)


def _if_blocks(expr: If, new: tuple[Block, ...]) -> If:
    then, orelse = new
    same = then is expr.then and orelse is expr.orelse
    return expr if same else If(expr.cond, then, orelse)


def _for_atoms(expr: For, f: Callable[[Atom], Atom]) -> For:
    trips, inits = f(expr.trips), _each(f, expr.inits)
    same = trips is expr.trips and inits is expr.inits
    return expr if same else replace(expr, trips=trips, inits=inits)


def _for_blocks(expr: For, new: tuple[Block, ...]) -> For:
    (body,) = new
    if body is expr.body:
        return expr
    return For(
        expr.index, expr.trips, expr.carried, expr.inits, body, expr.sums, expr.descending,
        expr.block, expr.point, expr.directions, expr.rematerialised,
    )  # fmt: skip


def _while_atoms(expr: While, f: Callable[[Atom], Atom]) -> While:
    inits = _each(f, expr.inits)
    return expr if inits is expr.inits else replace(expr, inits=inits)


def _while_blocks(expr: While, new: tuple[Block, ...]) -> While:
    cond, body = new
    same = cond is expr.cond and body is expr.body
    return expr if same else replace(expr, cond=cond, body=body)


def _call_atoms(expr: Call, f: Callable[[Atom], Atom]) -> Call:
    args = _each(f, expr.args)
    return expr if args is expr.args else Call(expr.function, args, expr.point)


def _for_binders(expr: For, new: tuple[Var, ...]) -> For:
    return replace(expr, index=new[0], carried=new[1:])


def _jvp_atoms(expr: Jvp, f: Callable[[Atom], Atom]) -> Jvp:
    return replace(expr, args=_each(f, expr.args), tangents=_some(f, expr.tangents))


def _vjp_atoms(expr: Vjp, f: Callable[[Atom], Atom]) -> Vjp:
    return replace(expr, args=_each(f, expr.args), cotangents=_some(f, expr.cotangents))


def _function(expr: Call | Jvp | Vjp) -> tuple[str, ...]:
    return (expr.function,)


FORMERS: Mapping[type, Former] = {
    Prim: Former(atoms=lambda e: e.args, with_atoms=_prim),
    If: Former(
        atoms=lambda e: (e.cond,),
        with_atoms=_if_atoms,
        blocks=lambda e: (e.then, e.orelse),
        with_blocks=_if_blocks,
        owned=lambda e: ((), ()),
        runs=Runs.ONE_OF_THEM,
    ),
    For: Former(
        atoms=lambda e: (e.trips, *e.inits),
        with_atoms=_for_atoms,
        blocks=lambda e: (e.body,),
        with_blocks=_for_blocks,
        binders=lambda e: (e.index, *e.carried),
        with_binders=_for_binders,
        owned=lambda e: (e.carried,),
        runs=Runs.AGAIN_AND_AGAIN,
    ),
    While: Former(
        atoms=lambda e: e.inits,
        with_atoms=_while_atoms,
        blocks=lambda e: (e.cond, e.body),
        with_blocks=_while_blocks,
        binders=lambda e: e.carried,
        with_binders=lambda e, new: replace(e, carried=new),
        # The condition does not own what the body goes on with.
        owned=lambda e: ((), e.carried),
        runs=Runs.AGAIN_AND_AGAIN,
    ),
    Call: Former(atoms=lambda e: e.args, with_atoms=_call_atoms, callees=_function),
    Jvp: Former(
        atoms=lambda e: (*e.args, *_present(e.tangents)), with_atoms=_jvp_atoms, callees=_function
    ),
    Vjp: Former(
        atoms=lambda e: (*e.args, *_present(e.cotangents)), with_atoms=_vjp_atoms, callees=_function
    ),
}

LEAVES = frozenset(kind for kind, former in FORMERS.items() if former.blocks is _nothing)
"""Formers of expressions without blocks, which most are."""


def former_of(expr: Expr) -> Former:
    """The record of what an expression was formed by; CompilerBug where there is none."""
    found = FORMERS.get(type(expr))
    if found is None:
        raise _unknown(expr)
    return found


def unhandled(expr: Never) -> NoReturn:
    """Ends a `match` that has a case for each former: the type checker sees that none is missing.

    At run time: CompilerBug for a former that was added since, instead of a wrong program.
    """
    raise _unknown(expr)


def _unknown(expr: object) -> CompilerBug:
    return CompilerBug(f"a term of the kind {type(expr).__name__} is not handled here")
