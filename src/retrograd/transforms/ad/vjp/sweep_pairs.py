"""A map's forward loop and its reverse loop: what an iteration of both does, one after the other.

Either the reverse loop runs each element again, by a version of the function that records only
(`Rerun`); then the function itself is called once. Or nothing within an element has to be recorded
(`Unrecorded`), as in a product of a row with a vector.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from retrograd.ir.terms import Atom, Block, Call, For, Prim, Stm, Var
from retrograd.ir.traverse import (
    free_vars,
    free_vars_expr,
    mentions,
    stms_deep,
    substitute,
)
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.analysis.effects import prim_effect

__all__ = ["Pair", "Rerun", "Unrecorded"]


@dataclass(frozen=True, slots=True)
class _Loops:
    """A loop and its reverse, as statements and as expressions."""

    context: VjpContext
    ahead_stm: Stm
    ahead: For
    back_stm: Stm
    back: For


@dataclass(frozen=True, slots=True)
class Rerun(_Loops):
    """Those whose reverse calls the version of `forward` that records only."""

    forward: str

    def body(self) -> tuple[Block, Block] | None:
        """What an iteration does forwards and backwards: statements, and what is carried on."""
        pushed: dict[str, tuple[Atom, ...]] = {}
        head: list[Stm] = []
        hidden: set[Var] = set()
        for stm in self.ahead.body.stms:
            expr = stm.expr
            if isinstance(expr, Prim) and expr.op == "push":
                pushed[str(expr.param("site"))] = expr.args
            elif isinstance(expr, Call) and self.context.rerun.get(expr.function) == self.forward:
                count = len(self.context.functions[self.forward].body.results)
                hidden.update(stm.outs[count:])
                call = replace(expr, function=self.forward)
                head.append(replace(stm, outs=stm.outs[:count], expr=call))
            elif _effect(stm, self.context.prims) is Effect.PURE:
                head.append(stm)
            else:
                return None
        tail = [
            s for s in self.back.body.stms
            if not isinstance(s.expr, Call) or s.expr.function not in self.context.silenced
        ]  # fmt: skip
        inside = _sites(self.context.functions[self.again()].body)
        body = _after(self.back, self.ahead, tail, pushed, inside)
        if body is None or hidden & set(free_vars(body)):
            return None
        return Block(tuple(head), self.ahead.body.results), body

    def again(self) -> str:
        """The function that records an element."""
        (name,) = (
            s.expr.function for s in self.back.body.stms
            if isinstance(s.expr, Call) and s.expr.function in self.context.silenced
        )  # fmt: skip
        return name

    def fills(self) -> bool:
        """Whether the forward loop only writes elements of its own, one or a row each."""
        if not _plain(self.ahead):
            return False
        (call,) = (s for s in self.ahead.body.stms if isinstance(s.expr, Call))
        assert isinstance(call.expr, Call)
        function = self.context.functions[self.forward]
        own: set[int] = set()
        for k, var in enumerate(self.ahead.carried):
            if call.expr.args.count(var) != 1:
                return False
            result = self.ahead.body.results[k]
            if result not in call.outs[: len(function.body.results)]:
                return False
            at = call.expr.args.index(var)
            own.add(at)
            position = call.outs.index(result)
            indices = {
                p for p, a in zip(function.params, call.expr.args, strict=True)
                if a == self.ahead.index
            }  # fmt: skip
            written = function.body.results[position]
            if not _filled(
                function.body, function.params[at], written, indices, self.context.prims
            ):
                return False
        return self.context.consumed[self.forward] <= own


@dataclass(frozen=True, slots=True)
class Unrecorded(_Loops):
    """Those that have numbers of their own scope in common, if anything."""

    def body(self) -> tuple[Block, Block] | None:
        """As `Rerun.body`."""
        pushed: dict[str, tuple[Atom, ...]] = {}
        head: list[Stm] = []
        for stm in self.ahead.body.stms:
            expr = stm.expr
            if isinstance(expr, Prim) and expr.op == "push":
                pushed[str(expr.param("site"))] = expr.args
                continue
            within = list(stms_deep(Block((stm,), ())))
            if not all(_effect(s, self.context.prims) in _HARMLESS for s in within):
                return None
            head.append(stm)
        if any(isinstance(s.expr, Call) for s in stms_deep(self.back.body)):
            return None
        body = _after(self.back, self.ahead, self.back.body.stms, pushed)
        return None if body is None else (Block(tuple(head), self.ahead.body.results), body)

    def fills(self) -> bool:
        """As `Rerun.fills`."""
        index, body = {self.ahead.index}, self.ahead.body
        fills = (
            _filled(body, var, result, index, self.context.prims)
            for var, result in zip(self.ahead.carried, body.results, strict=True)
        )
        return _plain(self.ahead) and all(fills)


Pair = Rerun | Unrecorded


def _plain(loop: For) -> bool:
    """Whether a loop carries arrays only, and leaves the order of its iterations open."""
    fixed = loop.sums or loop.descending or loop.directions
    return not fixed and all(v.type.rank for v in loop.carried)


def _after(
    back: For,
    ahead: For,
    stms: Sequence[Stm],
    pushed: dict[str, tuple[Atom, ...]],
    inside: Set[str] = frozenset(),
) -> Block | None:
    """What is done backwards, after an iteration that does not push, but for arrays.

    `inside` are the sites of what the iteration calls.
    """
    values: dict[Var, Atom] = {back.index: ahead.index}
    tail: list[Stm] = []
    for stm in stms:
        expr = stm.expr
        site = str(expr.param("site")) if isinstance(expr, Prim) and expr.op == "pop" else ""
        if not site or site in inside:
            tail.append(stm)
        elif site in pushed and all(v.type.is_scalar for v in stm.outs):
            values.update(zip(stm.outs, pushed.pop(site), strict=True))
        else:
            return None
    return None if pushed else substitute(Block(tuple(tail), back.body.results), values)


def _filled(body: Block, array: Var, written: Atom, indices: Set[Var], prims: PrimitiveSet) -> bool:
    """Whether a body does nothing with an array but write one element or row, at an index."""
    users = [
        s for s in body.stms
        if array in free_vars_expr(s.expr) and not (isinstance(s.expr, Prim) and s.expr.op == "dim")
    ]  # fmt: skip
    if len(users) != 1 or array in body.results:
        return False
    expr, outs = users[0].expr, users[0].outs
    if not isinstance(expr, Prim) or expr.args.count(array) != 1 or expr.args[0] != array:
        return False
    access = prims[expr.op].facts.access
    if access is None or not access.writes:
        return False
    if indices.isdisjoint(expr.args[access.places : access.places + 1]):  # no place: all of it
        return False
    if not access.element and str(expr.param("spec"))[0] != "i":
        return False
    return outs == (written,) and mentions(body)[outs[0]] == 1


def _sites(block: Block) -> frozenset[str]:
    """Where a block pushes, itself."""
    exprs = (s.expr for s in block.stms)
    return frozenset(str(e.param("site")) for e in exprs if isinstance(e, Prim) and e.op == "push")


_HARMLESS = (None, Effect.PURE, Effect.CHECK)


def _effect(stm: Stm, prims: PrimitiveSet) -> Effect | None:
    """Of a primitive, or of a call the most that one can have; of a statement with blocks none."""
    if isinstance(stm.expr, Call):
        return Effect.TAPE
    return prim_effect(stm.expr, prims) if isinstance(stm.expr, Prim) else None
