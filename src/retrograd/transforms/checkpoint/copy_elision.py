"""Arrays that are copied to be recorded, and small ones, are written to the tape and read there.

A copy that is only pushed is a buffer of its own that the tape holds by its address: for the small
arrays of a recursion most of the time goes into making and finding it. Instead the push writes the
elements (`held` names such arguments), and the pop returns an array that lies on the tape.
Small arrays of known size are written there, too, whatever they are: a few words are as quickly
written as an address and extents, and need no block of the heap (`backends/llvm/frame_arrays.py`).

Legal where, for every push of a site, the argument is small, or a copy that nothing else mentions,
of an array that the block does not consume before the push; and where, after every pop of the site,
the array is only read by its block (nobody takes it over, no view of it is made) and nothing is
pushed until the block ends: what is popped lies above the top of the tape, where the next push
writes. What is offloaded leaves the tape, so it is a buffer of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import prod

from retrograd.ir.linear import consumed_params
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, Expr, Function, Prim, Program, Stm, Var
from retrograd.ir.traverse import atoms, blocks, free_vars_expr, stms_deep, with_blocks
from retrograd.ir.types import DType
from retrograd.prims.control import offloaded_in
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.effects import reaching
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Shapes
from retrograd.transforms.passes import per_function

__all__ = ["record_elements"]

Place = tuple[str, int]
"""A site and the position of a value in what it records."""


def record_elements(
    program: Program, names: NameSupply, prims: PrimitiveSet, waiting: bool = False
) -> Program:
    """Records the elements of copies instead of their buffers.

    `waiting`: reverse code may wait wherever it takes something off the tape, for what is recorded
    then; so that counts as recording.
    """
    restless = _touching(program, ("push", "pop") if waiting else ("push",))
    work = _Work(prims, consumed_params(program, prims), restless, waiting)
    copies: dict[Var, Var] = {}
    fits: dict[Place, bool] = {}
    agreed = cache(lambda: agreed_shapes(program, prims))
    for function in program.functions:
        small = _Small(agreed, function.name, prims.costs.stack_elements)
        mentions = Counter(v for b in _blocks_deep(function.body) for v in _mentions(b))
        for block in _blocks_deep(function.body):
            for position, stm in enumerate(block.stms):
                if isinstance(stm.expr, Prim) and stm.expr.op in ("push", "pop"):
                    pushed = stm.expr.op == "push"
                    for k, atom in enumerate(stm.expr.args if pushed else stm.outs):
                        if atom.type.is_scalar:
                            continue
                        source = (
                            work.source(block, position, atom, mentions)
                            or (None if waiting else small.array(atom))
                            if pushed
                            else work.only_read(block, position, stm.outs[k])
                        )
                        place = _site(stm.expr), k
                        stays = k not in dict(offloaded_in(stm.expr.params))
                        fits[place] = fits.get(place, True) and source is not None and stays
                        if isinstance(atom, Var) and source is not None and pushed:
                            copies[atom] = source
    held = {place for place, good in fits.items() if good}
    if not held:
        return program
    return per_function(program, lambda f: replace(f, body=_rewritten(f.body, held, copies)))


@dataclass(frozen=True, slots=True)
class _Small:
    """Which arrays of a function have so few elements, and a known number of them."""

    agreed: Callable[[], Mapping[str, Shapes]]
    function: str
    most: int

    def array(self, atom: Atom) -> Var | None:
        """An array, if it is small."""
        if not isinstance(atom, Var) or not _on_tape(atom):
            return None
        extents = self.agreed()[self.function].arrays.get(atom.name, ())
        sizes = [n for n in extents if isinstance(n, int)]
        return atom if len(sizes) == atom.type.rank and 0 < prod(sizes) <= self.most else None


@dataclass(frozen=True, slots=True)
class _Work:
    """`restless` are the functions that push, or wait, themselves or in what they call."""

    prims: PrimitiveSet
    consumed: Mapping[str, frozenset[int]]
    restless: frozenset[str]
    waiting: bool

    def source(
        self, block: Block, position: int, atom: Atom, mentions: Mapping[Var, int]
    ) -> Var | None:
        """The array whose copy a push records, None where it does not record a mere copy."""
        if not isinstance(atom, Var) or mentions[atom] != 1 or not _on_tape(atom):
            return None
        for made in range(position - 1, -1, -1):
            stm = block.stms[made]
            if atom in stm.outs:
                expr = stm.expr
                if not isinstance(expr, Prim) or expr.op != "copy":
                    return None
                (source,) = expr.args
                between = block.stms[made + 1 : position]
                lasts = not any(self.takes_over(s.expr, source) for s in between)
                return source if isinstance(source, Var) and lasts else None
        return None

    def takes_over(self, expr: Expr, array: Atom) -> bool:
        """Whether a statement could change an array: it consumes it, or hands it to its blocks."""
        match expr:
            case Prim(op="push"):
                return array in expr.args
            case Prim():
                return any(expr.args[k] == array for k in self.prims[expr.op].consumes)
            case Call():
                taken = self.consumed.get(expr.function, frozenset())
                return any(expr.args[k] == array for k in taken)
            case _:
                return array in free_vars_expr(expr)

    def only_read(self, block: Block, position: int, array: Var) -> Var | None:
        """`array` if the rest of its block only reads it and nothing is pushed there."""
        if not _on_tape(array) or array in block.results:
            return None
        after = block.stms[position + 1 :]
        good = all(self.reads(stm.expr, array) for stm in after)
        quiet = all(self.quiet(stm) for top in after for stm in stms_deep(Block((top,), ())))
        return array if good and quiet else None

    def reads(self, expr: Expr, array: Var) -> bool:
        if isinstance(expr, Prim | Call):
            view = isinstance(expr, Prim) and self.prims[expr.op].facts.view
            return not (view and array in expr.args) and not self.takes_over(expr, array)
        inner = blocks(expr)
        if array in atoms(expr) or any(array in b.results for b in inner):
            return False
        return all(self.reads(stm.expr, array) for b in inner for stm in b.stms)

    def quiet(self, stm: Stm) -> bool:
        match stm.expr:
            case Prim():
                return stm.expr.op != "push" and not (self.waiting and stm.expr.op == "pop")
            case Call():
                return stm.expr.function not in self.restless
            case _:
                return True


def _on_tape(array: Var) -> bool:
    return array.type.dtype in (DType.F64, DType.I64)


def _site(expr: Prim) -> str:
    return str(expr.param("site"))


def _touching(program: Program, ops: tuple[str, ...]) -> frozenset[str]:
    """Functions that do one of these to the tape, themselves or in what they call."""

    def touches(function: Function) -> bool:
        stms = (s.expr for s in stms_deep(function.body))
        return any(isinstance(e, Prim) and e.op in ops for e in stms)

    return reaching(program.functions, touches)


def _blocks_deep(block: Block) -> Iterator[Block]:
    yield block
    for stm in block.stms:
        for inner in blocks(stm.expr):
            yield from _blocks_deep(inner)


def _mentions(block: Block) -> Iterator[Var]:
    for stm in block.stms:
        yield from (a for a in atoms(stm.expr) if isinstance(a, Var))
    yield from (a for a in block.results if isinstance(a, Var))


def _rewritten(block: Block, held: set[Place], copies: Mapping[Var, Var]) -> Block:
    """The block with pushes of elements; the copies are left to the removal of dead code."""
    out: list[Stm] = []
    for stm in block.stms:
        expr = with_blocks(stm.expr, tuple(_rewritten(b, held, copies) for b in blocks(stm.expr)))
        if isinstance(expr, Prim) and expr.op in ("push", "pop"):
            count = len(expr.args) if expr.op == "push" else len(stm.outs)
            mine = tuple(k for k in range(count) if (_site(expr), k) in held)
            if mine:
                args = tuple(
                    copies[a] if k in mine and isinstance(a, Var) else a
                    for k, a in enumerate(expr.args)
                )
                params = tuple(sorted((*expr.params, ("held", mine))))
                expr = Prim(expr.op, args, params)
        out.append(stm.with_expr(expr))
    return Block(tuple(out), block.results)
