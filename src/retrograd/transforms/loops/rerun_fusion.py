"""Loop fusion of what is run again with its reverse: an iteration does both.

    call again(x)                               call both(x, x_bar)
    .. = call reverse(x_bar)
                                                function both(x, x_bar):
    function again(x):                              for i < n, descending:
        for i < n:                                      y = f(x, i)
            y = f(x, i)                                 x_bar = g(x_bar, y, i)
            push(y)

    function reverse(x_bar):
        for i < n, descending:
            y = pop()
            x_bar = g(x_bar, y, i)

A body of a loop that the reverse sweep runs again is a map, often. Its second run records residuals
of all elements, which the reverse reads once, from the last element to the first. What the second
run does with one element changes nothing that others see, and raises nothing, since it has been run
before. So it is done where its residuals are needed, and these stay in registers and the cache.

The order of additions stays that of the reverse loop, and products have been contracted with sums
before, so bits are the same. Bodies that are functions are written into the loop, and what one
records for the other is handed over (`tape_forwarding`). What is recorded in loops within an
iteration stays on the tape, for as long as the iteration lasts. Loops of numbers alone stay apart:
they are vectors.

Source: K. Kennedy, K. S. McKinley, "Maximizing loop parallelism and improving data locality via
loop fusion and distribution", LCPC 1993.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from retrograd.ir.linear import Broken, Linear, linear_functions, walk_linear
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, For, Function, Prim, Program, Stm, Var, While
from retrograd.ir.traverse import blocks, freshen_block, stms_deep, substitute, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.effects import called_once, prim_effect, reaching
from retrograd.transforms.analysis.index_origins import Origins
from retrograd.transforms.loops.tape_forwarding import forward_records

__all__ = ["fuse_reruns"]


def fuse_reruns(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program in which maps that are run again are in the loops of their reverse."""
    joined = set[str]()
    while True:
        search = _Search(
            names, prims, called_once(program), linear_functions(program, prims),
            reaching(program.functions, lambda f: _raises(f, prims)),
        )  # fmt: skip
        functions = tuple(map(search.function, program.functions))
        if not search.made:
            return forward_records(program, joined, names, prims)
        joined |= search.made.keys()
        kept = (search.made.get(f.name, f) for f in functions if f.name not in search.gone)
        program = Program(tuple(kept), program.entry)


def _raises(function: Function, prims: PrimitiveSet) -> bool:
    """Whether a function may raise or print, itself."""
    return any(_effect(s, prims) in _SEEN for s in stms_deep(function.body))


_SEEN = (Effect.CHECK, Effect.OUTPUT)


def _effect(stm: Stm, prims: PrimitiveSet) -> Effect | None:
    return prim_effect(stm.expr, prims) if isinstance(stm.expr, Prim) else None


@dataclass(frozen=True, slots=True)
class _Called:
    """A call of a function whose statements are one loop and cheap ones beside it."""

    call: Call
    function: Function
    place: int

    @property
    def loop(self) -> For:
        loop = self.function.body.stms[self.place].expr
        assert isinstance(loop, For)
        return loop

    def trips(self, prims: PrimitiveSet) -> object:
        """What its number of iterations is made of, as its caller sees it."""
        origins = Origins(prims)
        origins.call(self.function.params, self.call.args, Origins(prims))
        for stm in self.function.body.stms[: self.place]:
            assert isinstance(stm.expr, Prim)
            origins.learn(stm, stm.expr)
        return origins.key(self.loop.trips)


@dataclass(slots=True)
class _Search:
    """`alone` are the functions that nothing but one call knows, `raising` those that may raise or
    print; `made` has the functions that do both, and `gone` those that only ran again."""

    names: NameSupply
    prims: PrimitiveSet
    alone: Mapping[str, Function]
    linear: Mapping[str, Linear]
    raising: frozenset[str]
    made: dict[str, Function] = field(default_factory=dict[str, Function])
    gone: set[str] = field(default_factory=set[str])
    changed: set[str] = field(default_factory=set[str])

    def function(self, function: Function) -> Function:
        """A function in which one call does what two did; not one that is itself such a call's."""
        if function.name in self.made or function.name in self.gone:
            return function
        return function.with_body(self.block(function, function.body))

    def block(self, around: Function, block: Block) -> Block:
        """A block of a function that has been looked into."""
        stms = list(block.stms)
        calls = [k for k, s in enumerate(stms) if isinstance(s.expr, Call)]
        gone: set[int] = set()
        for one, other in pairwise(calls):
            quiet = all(_quiet(s, self.prims) for s in stms[one + 1 : other])
            call = self.pair(around, stms[one], stms[other]) if quiet else None
            if call is not None:
                stms[other] = stms[other].with_expr(call)
                gone.add(one)
        found: list[Stm] = []
        for stm in (s for k, s in enumerate(stms) if k not in gone):
            inner = tuple(self.block(around, b) for b in blocks(stm.expr))
            found.append(stm.with_expr(with_blocks(stm.expr, inner)) if inner else stm)
        return block.changed(tuple(found), block.results)

    def pair(self, around: Function, one: Stm, other: Stm) -> Call | None:
        """The second of two calls, of a function that does the first one's work as well."""
        again, reverse = self.called(one), self.called(other)
        if again is None or reverse is None or one.outs:
            return None
        roots = self.linear[around.name].roots
        consumed = self.linear[reverse.function.name].params
        taken = {_root(reverse.call.args[k], roots) for k in consumed}
        if not taken.isdisjoint(_root(a, roots) for a in again.call.args):
            return None
        ahead, back = again.loop, reverse.loop
        if not self.records_only(again) or not back.descending or back.block or back.directions:
            return None
        if again.trips(self.prims) != reverse.trips(self.prims) or not _worth_it(ahead):
            return None
        function, more = self.joined(again, reverse)
        if not self.legal(function, consumed):
            return None
        self.made[function.name] = function
        self.gone.add(again.function.name)
        self.changed.add(around.name)
        return replace(reverse.call, args=(*reverse.call.args, *more))

    def called(self, stm: Stm) -> _Called | None:
        """What a statement calls, where it is as `_Called` has it and has not been changed."""
        assert isinstance(stm.expr, Call)
        function = self.alone.get(stm.expr.function)
        if function is None or function.name in self.made or function.name in self.changed:
            return None
        stms = function.body.stms
        places = [k for k, s in enumerate(stms) if not _cheap(s, self.prims)]
        if len(places) != 1 or not isinstance(stms[places[0]].expr, For):
            return None
        return _Called(stm.expr, function, places[0])

    def records_only(self, again: _Called) -> bool:
        """Whether a loop ends a function, in any order, and does nothing but record."""
        loop, body = again.loop, again.loop.body
        if loop.carried or loop.sums or loop.descending or loop.block or loop.directions:
            return False
        calls = (s.expr.function for s in stms_deep(body) if isinstance(s.expr, Call))
        if any(_effect(s, self.prims) in _SEEN for s in stms_deep(body)):
            return False
        last = again.place == len(again.function.body.stms) - 1
        return last and self.raising.isdisjoint(calls)

    def joined(self, again: _Called, reverse: _Called) -> tuple[Function, tuple[Atom, ...]]:
        """The function that does both, and what it is given besides."""
        given = dict(zip(reverse.call.args, reverse.function.params, strict=True))
        more: dict[Atom, Var] = {}
        mapping: dict[Var, Atom] = {}
        for param, arg in zip(again.function.params, again.call.args, strict=True):
            if not isinstance(arg, Var):
                mapping[param] = arg
            elif arg in given:
                mapping[param] = given[arg]
            else:
                mapping[param] = more.setdefault(arg, self.names.var(param.name, param.type))
        whole = freshen_block(again.function.body, self.names, mapping)
        *before, last = whole.stms
        assert isinstance(last.expr, For)
        loop = _both(last.expr, reverse.loop)
        stms = list(reverse.function.body.stms)
        stms[reverse.place] = stms[reverse.place].with_expr(loop)
        body = replace(reverse.function.body, stms=(*before, *stms))
        params = (*reverse.function.params, *more.values())
        return replace(reverse.function, params=params, body=body), tuple(more)

    def legal(self, function: Function, consumed: frozenset[int]) -> bool:
        """Whether a function uses no array that it has taken over, and takes over what it did."""
        rules: list[Broken] = []
        known = {name: linear.params for name, linear in self.linear.items()}

        def report(stm: Stm | None, rule: str) -> None:
            rules.append((stm, rule))

        walked = walk_linear(function, self.prims, known, report)
        return not rules and walked.params == consumed


def _cheap(stm: Stm, prims: PrimitiveSet) -> bool:
    return _effect(stm, prims) is Effect.PURE


def _quiet(stm: Stm, prims: PrimitiveSet) -> bool:
    """Whether a statement has no effect and takes no array over."""
    return isinstance(stm.expr, Prim) and _cheap(stm, prims) and not prims[stm.expr.op].consumes


def _root(atom: Atom, roots: Mapping[str, str]) -> object:
    return roots.get(atom.name, atom.name) if isinstance(atom, Var) else None


def _worth_it(loop: For) -> bool:
    """Whether an iteration has loops or arrays in it: one of numbers had better be in vectors."""

    def large(stm: Stm) -> bool:
        return isinstance(stm.expr, For | While | Call) or any(v.type.rank for v in stm.outs)

    return any(map(large, loop.body.stms))


def _both(ahead: For, back: For) -> For:
    """A loop of what one does in an iteration, then the other, without what is pushed to be popped
    at once."""
    head = substitute(ahead.body, {ahead.index: back.index}).stms
    sites = _once(head, "push") & _once(back.body.stms, "pop")
    pushed = {_site(s): s.expr.args for s in head if isinstance(s.expr, Prim) and _site(s) in sites}
    values: dict[Var, Atom] = {}
    for stm in back.body.stms:
        if _site(stm) in sites:
            values.update(zip(stm.outs, pushed[_site(stm)], strict=True))
    kept = tuple(s for s in (*head, *back.body.stms) if _site(s) not in sites)
    return replace(back, body=substitute(Block(kept, back.body.results), values))


def _site(stm: Stm) -> str | None:
    """Where a statement pushes or pops."""
    site = dict(stm.expr.params).get("site") if isinstance(stm.expr, Prim) else None
    return None if site is None else str(site)


def _once(stms: Sequence[Stm], op: str) -> set[str | None]:
    """The sites of which there is one push (or pop), and that in a block itself."""
    deep = [_site(s) for s in stms_deep(Block(tuple(stms), ())) if _site(s) is not None]
    here = {_site(s) for s in stms if isinstance(s.expr, Prim) and s.expr.op == op}
    return {site for site in here if site is not None and deep.count(site) == 1}
