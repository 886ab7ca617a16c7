"""Values that are recorded to be taken back at once, without the tape.

    call again(x)                               t = x * x
    .. = call reverse(x_bar)                    .. = x_bar * t

    function again(x):
        t = x * x
        push(t)

    function reverse(x_bar):
        t = pop()
        .. = x_bar * t

The body of a loop that is run again is a function, and so is its reverse. Where one call stands
behind the other (in the loop that goes back, or `rerun_fusion` brings them there) and nobody else
calls either, both are written where they are called, and what one records is what the other takes
back: arrays stay where they have been made, and what both calculate is calculated once.

Sites that one statement in the program pushes and another one pops are left out of the order of the
tape together, so it stays that of all others. The statements stay in their order, and bits with
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrograd.ir.linear import Broken, Linear, linear_functions, walk_linear
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, For, Function, Param, Prim, Program, Stm, Var
from retrograd.ir.traverse import blocks, freshen_block, stms_deep, substitute, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.effects import called_once, reachable

__all__ = ["forward_records"]


def forward_records(
    program: Program, within: Collection[str], names: NameSupply, prims: PrimitiveSet
) -> Program:
    """The program in which what a call records and the next one takes back is on no tape.

    Args:
        program: one without derivative nodes.
        within: the functions in which all calls are looked at. In others it is calls in loops that
            go back, whose bodies are run again one at a time. Other sweeps that nothing has brought
            together are left: what is between them is the tape that users ask for.
        names: those that are taken.
        prims: the primitives.
    """
    stms = (s for f in program.functions for s in stms_deep(f.body))
    sites = Counter(site for s in stms if (site := _site(s)) is not None)
    work = _Work(
        names, prims, called_once(program), linear_functions(program, prims),
        frozenset(site for site, times in sites.items() if times == 2),
    )  # fmt: skip
    functions = tuple(work.function(f, f.name in within) for f in program.functions)
    made = Program(functions, program.entry)
    alive = reachable(made)
    return Program(tuple(f for f in functions if f.name in alive), program.entry)


def _site(stm: Stm) -> Param | None:
    """Where a statement pushes or pops."""
    return dict(stm.expr.params).get("site") if isinstance(stm.expr, Prim) else None


@dataclass(frozen=True, slots=True)
class _Work:
    """`alone` are the functions that nothing but one call knows, `pairs` the sites of which there
    is one push and one pop."""

    names: NameSupply
    prims: PrimitiveSet
    alone: Mapping[str, Function]
    linear: Mapping[str, Linear]
    pairs: frozenset[Param]

    def function(self, function: Function, everywhere: bool) -> Function:
        made = function.with_body(self.block(function.body, everywhere))
        return made if made is function or self.legal(made) else function

    def block(self, block: Block, looked: bool) -> Block:
        """A block without what goes through the tape; where `looked`, by calls of its own, too."""
        stms = list(block.stms)
        values: dict[Var, Atom] = {}
        calls = [k for k, s in enumerate(stms) if looked and isinstance(s.expr, Call)]
        written: dict[int, tuple[Stm, ...]] = {}
        for one, other in pairwise(calls):
            if one in written or stms[one].outs:
                continue
            ahead, back = self.called(stms[one]), self.called(stms[other])
            if ahead is not None and back is not None and self.recorded(ahead, back):
                written[one], written[other] = self.both(stms[one], stms[other], values)
        found: list[Stm] = []
        for place, stm in enumerate(stms):
            back = looked or (isinstance(stm.expr, For) and stm.expr.descending)
            inner = tuple(self.block(b, back) for b in blocks(stm.expr))
            plain = stm.with_expr(with_blocks(stm.expr, inner)) if inner else stm
            found += written.get(place, (plain,))
        made = block.changed(tuple(found), block.results)
        return substitute(made, values) if values else made

    def called(self, stm: Stm) -> Function | None:
        assert isinstance(stm.expr, Call)
        return self.alone.get(stm.expr.function)

    def recorded(self, ahead: Function, back: Function) -> frozenset[Param]:
        """The sites that one function pushes and the other one pops, in their bodies themselves."""
        return self.pairs & _sites(ahead.body.stms, "push") & _sites(back.body.stms, "pop")

    def both(
        self, one: Stm, other: Stm, values: dict[Var, Atom]
    ) -> tuple[tuple[Stm, ...], tuple[Stm, ...]]:
        """The statements of two calls; `values` is told what stands for what they gave."""
        ahead, back = self.body(one), self.body(other)
        sites = self.pairs & _sites(ahead.stms, "push") & _sites(back.stms, "pop")
        pushed = {_site(s): s.expr.args for s in ahead.stms if isinstance(s.expr, Prim)}
        for stm in back.stms:
            if _site(stm) in sites:
                values.update(zip(stm.outs, pushed[_site(stm)], strict=True))
        values.update(zip(other.outs, back.results, strict=True))
        first = tuple(s for s in ahead.stms if _site(s) not in sites)
        return first, tuple(s for s in back.stms if _site(s) not in sites)

    def body(self, stm: Stm) -> Block:
        """The body of the function that a statement calls, for its arguments."""
        assert isinstance(stm.expr, Call)
        callee = self.alone[stm.expr.function]
        mapping = dict(zip(callee.params, stm.expr.args, strict=True))
        return freshen_block(callee.body, self.names, mapping)

    def legal(self, function: Function) -> bool:
        """Whether a function uses no array that it has taken over, and takes over what it did."""
        rules: list[Broken] = []
        known = {name: linear.params for name, linear in self.linear.items()}

        def report(stm: Stm | None, rule: str) -> None:
            rules.append((stm, rule))

        walked = walk_linear(function, self.prims, known, report)
        return not rules and walked.params == self.linear[function.name].params


def _sites(stms: Sequence[Stm], op: str) -> set[Param]:
    """The sites at which statements push, or pop."""
    found = (_site(s) for s in stms if isinstance(s.expr, Prim) and s.expr.op == op)
    return {site for site in found if site is not None}
