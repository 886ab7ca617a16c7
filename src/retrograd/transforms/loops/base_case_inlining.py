"""The end of a recursion is decided by the caller: half of its calls and more are never made.

Of the calls of a recursion with two branches or more, most do nothing but find that they are at the
end. Where a function begins with few primitives and a branch, one side of which is few primitives
and the other calls the function again, the side that goes on becomes a function of its own. What is
left is short; it takes the place of the calls in that function. On programs for machine code only,
forward and reverse sweeps included.

Legal always: the same primitives run in the same order on the same values, so results, errors and
the tape are what they were. What follows the branch is written twice and runs once. The depth at
which a recursion that does not end is stopped depends on the size of frames as it did before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, Function, If, Prim, Program, Stm
from retrograd.ir.traverse import blocks, free_vars, freshen_block, stms_deep, with_blocks
from retrograd.prims.core import PrimitiveSet

__all__ = ["decide_endings"]


def decide_endings(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Splits the functions that this is about, and puts the short parts where they are called."""
    functions: list[Function] = []
    for function in program.functions:
        split = _split(function, names, prims.costs.ending_statements)
        functions += [function] if split is None else split
    return Program(tuple(functions), program.entry)


def _split(function: Function, names: NameSupply, most: int) -> list[Function] | None:
    """The short function under the old name, and the one that goes on; None where it has no end.

    `most`: primitives before the branch, on the short side of it, and after it, each.
    """
    found = _branch(function, most)
    if found is None:
        return None
    before, stm, branch, after = found
    ends_then = _few(branch.then.stms, most)
    on = branch.orelse if ends_then else branch.then
    end = branch.then if ends_then else branch.orelse
    whole = _followed(on, stm, after, function.body, names)
    params = tuple(free_vars(whole))
    rest = names.name(f"{function.name}_on")
    outs = tuple(names.var("on", t) for t in function.result_types)
    call = Block((Stm(outs, Call(rest, params), stm.prov),), outs)
    ending = _followed(end, stm, after, function.body, names)
    sides = (ending, call) if ends_then else (call, ending)
    results = tuple(names.var("end", t) for t in function.result_types)
    chosen = Stm(results, If(branch.cond, *sides), stm.prov)
    short = replace(function, body=Block((*before, chosen), results))
    own = {p: names.var(p.name, p.type) for p in params}
    body = freshen_block(whole, names, own)
    going = _Places(short, names).block(body)
    return [short, Function(rest, tuple(own.values()), going, None, function.prov)]


def _branch(
    function: Function, most: int
) -> tuple[tuple[Stm, ...], Stm, If, tuple[Stm, ...]] | None:
    """The branch that ends the recursion, with the primitives before and after it."""
    stms = function.body.stms
    if function.custom is not None:
        return None
    for position, stm in enumerate(stms):
        if isinstance(stm.expr, If):
            before, after = stms[:position], stms[position + 1 :]
            inner = (stm.expr.then, stm.expr.orelse)
            ends = [_few(b.stms, most) for b in inner]
            few = _few(before, most) and _few(after, most) and ends.count(True) == 1
            goes_on = few and _calls(inner[ends.index(False)], function.name)
            return (before, stm, stm.expr, after) if goes_on else None
        if not isinstance(stm.expr, Prim):
            return None
    return None


def _few(stms: tuple[Stm, ...], most: int) -> bool:
    return len(stms) <= most and all(isinstance(s.expr, Prim) for s in stms)


def _calls(block: Block, name: str) -> bool:
    return any(isinstance(s.expr, Call) and s.expr.function == name for s in stms_deep(block))


def _followed(
    side: Block, branch: Stm, after: tuple[Stm, ...], body: Block, names: NameSupply
) -> Block:
    """One side of the branch and a copy of what follows it."""
    found = dict(zip(branch.outs, side.results, strict=True))
    rest = freshen_block(Block(after, body.results), names, found)
    return Block((*side.stms, *rest.stms), rest.results)


@dataclass(frozen=True, slots=True)
class _Places:
    """Puts a short function in the place of its calls."""

    short: Function
    names: NameSupply

    def block(self, block: Block) -> Block:
        out: list[Stm] = []
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, Call) and expr.function == self.short.name:
                given = dict(zip(self.short.params, expr.args, strict=True))
                body = freshen_block(self.short.body, self.names, given)
                last = body.stms[-1]
                out += [*body.stms[:-1], replace(last, outs=stm.outs)]
                continue
            inner = tuple(map(self.block, blocks(expr)))
            out.append(replace(stm, expr=with_blocks(expr, inner)))
        return Block(tuple(out), block.results)
