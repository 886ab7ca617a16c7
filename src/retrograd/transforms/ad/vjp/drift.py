"""Values that functions with inverses have restored, compared with what they were.

Each call is undone up to roundings, and these may grow: `v *= 0.9` undone n times multiplies them
by 1 / 0.9**n. Where a chain of versions begins, what it was is still there. Both are compared, so
that no derivative is taken at other values than those of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from retrograd.errors import InvertibilityError
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Prim,
    Prov,
    Stm,
    Var,
    While,
    false,
    flit,
)  # fmt: skip
from retrograd.ir.traverse import atoms, blocks, substitute, with_blocks
from retrograd.messages import kind_of
from retrograd.transforms.ad.vjp.privatisation import definitions
from retrograd.transforms.ad.vjp.version_chains import Chain

__all__ = ["NO_BEGINS", "Begin", "Begun", "begun", "check_restored", "most_of"]

_GROWN = 100.0


def most_of(atol: float) -> float:
    """By how much a restored float may be off where a single test has a tolerance."""
    return _GROWN * atol


@dataclass(frozen=True, slots=True)
class Begin:
    """What a restored value is compared with, and by how much floats may be off."""

    was: Atom
    most: float


@dataclass(frozen=True, slots=True)
class Begun:
    """Chains, by the first version that they had before, and what their first versions were.

    `copies` are statements before the first step of a chain, by the version that it makes.
    """

    chains: Mapping[Var, Chain] = field(default_factory=dict[Var, Chain])
    begins: Mapping[Var, Begin] = field(default_factory=dict[Var, Begin])
    copies: Mapping[Var, Stm] = field(default_factory=dict[Var, Stm])

    def body(self, block: Block) -> Block:
        """A block with first versions that are copies."""
        if not self.copies:
            return block
        stms: list[Stm] = []
        for stm in block.stms:
            inner = tuple(map(self.body, blocks(stm.expr)))
            made = stm.with_expr(with_blocks(stm.expr, inner)) if inner else stm
            for copy in (self.copies[out] for out in stm.outs if out in self.copies):
                (old,) = (a for a in atoms(copy.expr) if isinstance(a, Var))
                stms.append(copy)
                made = substitute(Block((made,), ()), {old: copy.outs[0]}).stms[0]
            stms.append(made)
        return Block(tuple(stms), block.results)


NO_BEGINS = Begun()


def begun(
    chains: Iterable[Chain], function: Function, names: NameSupply,
    tolerances: Mapping[str, float | None],
) -> Begun:  # fmt: skip
    """First versions with copies that are restored, and what they are compared with."""
    defs = definitions(function.body)
    found: dict[Var, Chain] = {}
    begins: dict[Var, Begin] = {}
    copies: dict[Var, Stm] = {}
    for chain in chains:
        most = _tolerance(chain, defs, tolerances)
        start, first = chain.start, chain.steps[0]
        stm = defs[first.after]
        if most is None:
            continue
        if isinstance(stm.expr, For | While) and start not in stm.expr.inits:
            # A scalar, of which the restored version has a name of its own already.
            begins[start] = Begin(stm.expr.inits[stm.outs.index(first.after)], most)
        else:
            own = names.var(start.name, start.type)
            found[start] = _renamed(chain, start, own)
            begins[own] = Begin(start, most)
            scalar = start.type.is_scalar
            same = Prim("convert", (start,), (("dtype", start.type.dtype.value),))
            copies[first.after] = Stm((own,), same if scalar else Prim("copy", (start,)), stm.prov)
    return Begun(found, begins, copies)


def _tolerance(
    chain: Chain, defs: Mapping[Var, Stm], tolerances: Mapping[str, float | None]
) -> float | None:
    """By how much the first version may be off; None where no function in the chain is checked."""
    found = [tolerances.get(name) for name in _called(chain, defs)]
    known = [atol for atol in found if atol is not None]
    return max(map(most_of, known)) if known else None


def _called(chain: Chain, defs: Mapping[Var, Stm]) -> Iterator[str]:
    for step in chain.steps:
        expr = defs[step.after].expr
        if step.called and isinstance(expr, Call):
            yield expr.function
        for inner in step.inner:
            yield from _called(inner, defs)


def _renamed(chain: Chain, old: Var, new: Var) -> Chain:
    """The chain that begins with `new`; those through branches begin with it, too."""
    if chain.start != old:
        return chain
    if not chain.steps:
        return Chain(new, ())
    first, *rest = chain.steps
    inner = tuple(_renamed(c, old, new) for c in first.inner)
    return Chain(new, (replace(first, before=new, inner=inner), *rest))


def check_restored(b: Builder, restored: Var, begin: Begin, prov: Prov) -> None:
    """Emits the comparison of a first version with what it was."""
    b.prov = prov.through("vjp")
    if not restored.type.is_float:
        off, by = b.prim("ne", restored, begin.was), None
    else:
        by = b.prim("abs", b.prim("sub", restored, begin.was))
        size = b.prim("maximum", flit(1.0), b.prim("abs", begin.was))
        near = b.prim("le", by, b.prim("mul", flit(begin.most), size))
        # What never was a number, or is not finite, has no distance.
        near = b.prim("and_", near, b.prim("isfinite", begin.was))
        same = b.prim("or_", near, b.prim("eq", restored, begin.was))
        lost = b.prim("and_", b.prim("isnan", restored), b.prim("isnan", begin.was))
        off = b.prim("not_", b.prim("or_", same, lost))
    inner = b.inner()
    blame = {"kind": kind_of(InvertibilityError), "span": prov.span}
    if by is None:
        inner.effect("check", false, message=f"{_TEXT}: {_CAUSE}", **blame)
    else:
        pieces = (("", "text", (f"{_TEXT}, by ", ("format", 0, ".3g"), f": {_CAUSE}")),)
        inner.effect("check", false, _folded(inner, "reduce_max", by), message=pieces, **blame)
    fails = If(_folded(b, "reduce_any", off), inner.block(()), Block((), ()))
    b.stms.append(Stm((), fails, b.prov))


_TEXT = "undone, these calls give back other values than they began with"
_CAUSE = (
    "roundings grow on the way back, and what is not finite is lost; use rg.fixed numbers, or the "
    "plain function and memory="
)


def _folded(b: Builder, op: str, value: Var) -> Var:
    if value.type.is_scalar:
        return value
    return b.prim(op, value, axes=tuple(range(value.type.rank)), keepdims=False)
