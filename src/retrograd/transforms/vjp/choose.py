"""Which arrays of a function are logged: the choice that records the fewest estimated words.

Logging competes with what the sweep does otherwise: recording what is read, copies, bodies that are
run again. That is known when the function has been swept without a log. Where old versions of
arrays are needed and their logs alone are not more already, it is swept with them, and the cheaper
sweep stays. Where both record about as much, a log spares running a body again that does far more
than the log takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from retrograd.ir.terms import Block, Call, For, Function, Prim, Var, While
from retrograd.ir.traverse import blocks
from retrograd.transforms.vjp.carry import SIZE, recorded_words
from retrograd.transforms.vjp.chains import Chain, find_chains
from retrograd.transforms.vjp.context import VjpContext
from retrograd.transforms.vjp.logged import needed_values, worth_a_try
from retrograd.transforms.vjp.private import definitions

__all__ = ["Attempt", "Cost", "cheapest"]

MOST = 4
"""From more candidates than this no single ones are left out."""

_GAIN = 1.3


@dataclass(frozen=True, slots=True)
class Attempt:
    """One sweep of a function.

    `wanted` are the positions of the parameters that its reverse program needs, `scalars` what its
    own scope records besides arrays, `mentioned` all primal variables that reverse code asks for.
    """

    forward: Function
    reverse: Function
    wanted: tuple[int, ...]
    scalars: tuple[Var, ...]
    mentioned: Mapping[Var, None]


@dataclass(frozen=True, slots=True)
class Cost:
    """Words on the tape, and operations of bodies that are run again."""

    words: float
    again: float

    def beats(self, other: Cost) -> bool:
        """Clearly fewer words, or as many and much less that is run again."""
        if _GAIN * self.words + 8.0 < other.words:
            return True
        spared = other.again - self.again
        return self.words <= other.words and spared > SIZE / 2 * self.words


def cheapest(
    context: VjpContext, function: Function, sweep: Callable[[Sequence[Chain]], Attempt]
) -> Attempt:
    """The sweep of `function` with the best choice of logged arrays."""
    before = context.saved()
    plain = sweep(())
    cost = _cost(plain, context.functions)
    defs = definitions(function.body)
    _, shared = context.arrays(function)
    roots = find_chains(function, shared, context.prims)
    needed = needed_values(plain.mentioned, defs, context.prims)
    logged = worth_a_try(roots, needed, defs, cost.words, context.prims)
    if not logged:
        return plain
    after = context.saved()
    tried: list[tuple[float, Attempt, VjpContext, Cost, list[Chain]]] = []

    def attempt(chains: list[Chain]) -> None:
        context.restore(before)
        made = sweep(chains)
        found = _cost(made, context.functions)
        tried.append((found.words, made, context.saved(), found, chains))

    attempt([chain for chain, _ in logged])
    together = tried[0][0]
    if 1 < len(logged) <= MOST:
        for one, own in logged:
            # That spares its log at most: what the log has given back is recorded instead.
            if Cost(together - own, 0.0).beats(cost):
                attempt([chain for chain, _ in logged if chain is not one])
    _, made, state, found, _ = min(tried, key=lambda t: t[0])
    if found.beats(cost):
        context.restore(state)
        return made
    context.restore(after)
    return plain


def _cost(made: Attempt, functions: Mapping[str, Function]) -> Cost:
    """What an attempt records, and once what its reverse code records when it runs bodies again."""
    again = _Again(functions)
    again.walk(made.reverse.body, 1.0, frozenset())
    return Cost(recorded_words(made.forward.body, functions) + again.words, again.work)


@dataclass(slots=True)
class _Again:
    """Looks for calls of forward code in reverse code."""

    functions: Mapping[str, Function]
    words: float = 0.0
    work: float = 0.0

    def walk(self, block: Block, times: float, seen: frozenset[str]) -> None:
        """Adds what a block does `times` times."""
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, Call) and expr.function in self.functions:
                self.call(expr.function, times, seen)
            inside = times * SIZE if isinstance(expr, For | While) else times
            for inner in blocks(expr):
                self.walk(inner, inside, seen)

    def call(self, name: str, times: float, seen: frozenset[str]) -> None:
        if name in seen:
            return
        body = self.functions[name].body
        words = recorded_words(body, self.functions)
        if words > 0.0:
            self.words += words
            self.work += times * _operations(body, self.functions, seen | {name})
        else:
            self.walk(body, times, seen | {name})


def _operations(block: Block, functions: Mapping[str, Function], seen: frozenset[str]) -> float:
    """Estimated primitives that a block runs."""
    total = 0.0
    for stm in block.stms:
        expr = stm.expr
        if isinstance(expr, Prim):
            total += max((SIZE**out.type.rank for out in stm.outs), default=0.0)
        elif isinstance(expr, Call):
            if expr.function in functions and expr.function not in seen:
                inside = seen | {expr.function}
                total += _operations(functions[expr.function].body, functions, inside)
        else:
            times = SIZE if isinstance(expr, For | While) else 1.0
            total += times * sum(_operations(b, functions, seen) for b in blocks(expr))
    return total
