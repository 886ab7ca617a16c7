"""Which arrays of a function are logged: the choice that records the fewest estimated words.

Logging competes with what the sweep does otherwise: recording what is read, copies, bodies that are
run again. That is known when the function has been swept without a log. Where old versions of
arrays are needed and their logs alone are not more already, it is swept with them, and the cheaper
sweep stays. Where both record about as much, a log spares running a body again that does far more
than the log takes. What checkpointed executions write is not logged: they are run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from retrograd.ir.terms import Call, Function, Stm, Var
from retrograd.prims.costs import Costs
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.ad.vjp.estimates import Estimates
from retrograd.transforms.ad.vjp.executions import execution_of
from retrograd.transforms.ad.vjp.privatisation import definitions
from retrograd.transforms.ad.vjp.residuals import Unrestored
from retrograd.transforms.ad.vjp.roundings import undone_exactly
from retrograd.transforms.ad.vjp.undo_log import needed_values, with_partners, worth_a_try
from retrograd.transforms.ad.vjp.version_chains import Chain, find_chains

__all__ = ["Attempt", "Cost", "cheapest"]


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

    def beats(self, other: Cost, costs: Costs) -> bool:
        """Clearly fewer words, or as many and much less that is run again."""
        if costs.log_gain * self.words + costs.log_margin < other.words:
            return True
        spared = other.again - self.again
        return self.words <= other.words and spared > costs.log_work * self.words


def cheapest(
    context: VjpContext, function: Function, sweep: Callable[[Sequence[Chain]], Attempt]
) -> Attempt:
    """The sweep of `function` with the best choice of logged arrays."""
    costs = context.prims.costs
    plain = sweep(())
    cost = _cost(plain, context.functions, costs)
    defs = definitions(function.body)
    _, shared = context.arrays(function)
    origin = context.origin.get(function.name)
    around = 0 if origin is None else origin.executions
    undone = {
        name: undone_exactly(made, made.custom, context.prims)
        for name in {s.expr.function for s in defs.values() if isinstance(s.expr, Call)}
        if (made := context.functions.get(name)) is not None
        and made.custom is not None and made.custom.kind == "inverse"
    }  # fmt: skip
    roots = [
        root
        for root in find_chains(function, shared, context.prims, context.names, undone)
        if not any(execution_of(s, around) is not None for s in _writers(root.chain, defs))
    ]
    needed = needed_values(plain.mentioned, defs, context.prims)
    logged = worth_a_try(roots, needed, defs, cost.words, context.prims)
    if not logged:
        return plain
    logged = with_partners(roots, logged, defs, context.prims)
    tried: list[tuple[Attempt, Cost]] = []

    def attempt(chains: list[Chain]) -> None:
        # What the function calls has been swept already, and stays as it is.
        with suppress(Unrestored):
            made = sweep(chains)
            tried.append((made, _cost(made, context.functions, costs)))

    attempt([chain for chain, _ in logged])
    if not tried:
        return plain
    together = tried[0][1].words
    if 1 < len(logged) <= costs.log_singles:
        for one, own in logged:
            # That spares its log at most: what the log has given back is recorded instead.
            if Cost(together - own, 0.0).beats(cost, costs):
                attempt([chain for chain, _ in logged if chain is not one])
    made, found = min(tried, key=lambda t: t[1].words)
    return made if found.beats(cost, costs) else plain


def _writers(chain: Chain, defs: Mapping[Var, Stm]) -> Iterator[Stm]:
    """The statements that make the versions of a chain."""
    for step in chain.steps:
        yield defs[step.after]
        for inner in step.inner:
            yield from _writers(inner, defs)


def _cost(made: Attempt, functions: Mapping[str, Function], costs: Costs) -> Cost:
    """What an attempt records, and once what its reverse code records when it runs bodies again."""
    estimates = Estimates(functions, costs.extent)
    again = estimates.again(made.reverse.body)
    return Cost(estimates.recorded(made.forward.body) + again.words, again.work)
