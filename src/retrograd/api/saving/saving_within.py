"""Derivatives of programs with budgets as policies: what is saved is chosen by sizes.

The first call with new extents saves nothing of the executions with a budget. The next one has a
program that saves every value count them, and chooses (`choosing`) with other programs that count
what choices really take; one that is within the budget is compiled. A value that is saved is alive
for longer, others for less long; so the peak of a program that saves more is no more than the first
one's and what is saved besides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from retrograd.api.calls.runner import Runner, Stats, scalar_input
from retrograd.api.compile.artefact import Ready, linked
from retrograd.api.compile.derive import Task, product_task
from retrograd.api.compile.native import build
from retrograd.api.compile.prepare import prepare
from retrograd.api.saving.attribution import budget_of, bytes_of
from retrograd.api.saving.choosing import Choosing
from retrograd.api.saving.counted import Counted, Given
from retrograd.api.saving.outermost import outermost_derivatives
from retrograd.errors import UserError
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.ir.terms import Program, Vjp
from retrograd.ir.traverse import stms_deep
from retrograd.options.saving import EVERY

__all__ = ["within_budget"]

_STATES = 1000
"""Combinations of extents that are remembered at once."""


@dataclass(slots=True)
class WithinBudget:
    """The compilations of one specialisation, by what they save.

    `most`: the bytes that all arrays may take, where the whole function has a budget; native code
    keeps to it. Else ints count as extents do, since iterations may depend on them. `states` has
    for each combination of extents the peak of the first call, then what runs. `cotangents`: the
    places of those among the arguments.
    """

    task: Task
    cotangents: range
    nothing: Runner
    most: int | None
    lone: bool
    repeated: bool
    states: dict[tuple[object, ...], int | Runner] = field(
        default_factory=dict[tuple[object, ...], "int | Runner"]
    )
    made: dict[str, Runner] = field(default_factory=dict[str, Runner])
    last: Runner | None = None

    @property
    def through(self) -> bool:
        return self.nothing.through

    @property
    def stats(self) -> Stats | None:
        """What the last call took, None before the first."""
        return None if self.last is None else self.last.stats

    def __call__(self, flat: Sequence[Any]) -> Sequence[Any]:
        """The entry's results for flat arguments."""
        key = tuple(map(self.extent, flat))
        state = self.states.get(key)
        if state is None and self.repeated and self.most is None:
            # Often there is no second call: a loop that trains runs once.
            state = self.chosen(flat, 0, only_sizes=True)
            if state is not None:
                self.states[key] = state
        if state is None:
            self.last = self.nothing
            results = self.least(flat)
            stats = self.nothing.stats
            if len(self.states) == _STATES:
                self.states.clear()
            self.states[key] = 0 if stats is None else stats.peak_bytes
            return results
        if isinstance(state, int):
            state = self.states[key] = self.chosen(flat, state) or self.nothing
        self.last = state
        if state is self.nothing:
            return self.least(flat)
        try:
            return state(flat)
        except UserError as error:
            if error.code != "RG4004":
                raise
            # More iterations than those that were counted: their number is data.
            self.states[key] = self.last = self.nothing
            return self.least(flat)

    def least(self, flat: Sequence[Any]) -> Sequence[Any]:
        """The results where nothing is saved; a budget that is too small for that is told of the
        other kind of budget."""
        try:
            return self.nothing(flat)
        except UserError as error:
            if error.code != "RG4004":
                raise
            way_out = f"{error.way_out}; rg.checkpointing.budget divides the time of a run instead"
            raise UserError(error.code, error.message, error.span, way_out) from None

    def extent(self, value: Any) -> object:
        """What of an argument sizes and numbers of iterations may depend on, as far as is known."""
        shape = cast("tuple[int, ...]", np.shape(value))
        if shape:
            return shape
        plain = scalar_input(value)
        return plain if self.most is None and isinstance(plain, int) else None

    def chosen(self, flat: Sequence[Any], peak: int, only_sizes: bool = False) -> Runner | None:
        """What is to run for such extents; `peak` is that of saving nothing.

        None where `only_sizes` are to be looked at, and do not decide.
        """
        given = Given.of(self.task, flat, self.cotangents, only_sizes)
        every = given.counted(EVERY)
        if every is None:
            return None if only_sizes else self.nothing
        found = Choosing(given, every, self.most, self.lone, peak).found()
        return self.nothing if found is None else self.compiled(found)

    def compiled(self, choice: Counted) -> Runner:
        if choice.key not in self.made:
            start = time.perf_counter()
            built = linked(build(choice.task, made=choice.program), 0.0)
            built = replace(built, seconds=time.perf_counter() - start)
            self.made[choice.key] = Runner(built, self.through, self.most)
        return self.made[choice.key]


def within_budget(
    fun: Callable[..., Any],
    specs: Sequence[ArgSpec],
    named: Mapping[str, ArgSpec],
    ready: Ready,
    product: str = "",
    plain: bool = False,
) -> WithinBudget:
    """What runs a program with a derivative in which there are budgets; `ready` saves nothing.

    Args:
        fun, specs, named: the function, and what is known of its arguments.
        ready: it, compiled.
        product: "jvp", "vjp" or one with " aux" for a product with its Jacobian, else "".
        plain: the derivative is inside of a program, which writes to the caller's arrays.
    """
    task = prepare(fun, specs, named, product != "", voiced=not product).task
    cotangents = range(0)
    if product:
        primals = _leaves(task.args)
        if product.startswith("vjp"):
            cotangents = range(primals, primals + _leaves((task.out,)))
        task = product_task(task, product)
    derivatives = outermost_derivatives(task.program)
    most = None if plain else _bound(derivatives, task.program)
    nodes = (s.expr for f in task.program.functions for s in stms_deep(f.body))
    lone = sum(isinstance(node, Vjp) for node in nodes) == 1
    repeated = any(again for _, again in derivatives)
    runner = Runner(ready.built, plain, most)
    return WithinBudget(task, cotangents, runner, most, lone, repeated)


def _leaves(specs: Sequence[ArgSpec]) -> int:
    return sum(len(list(leaf_types(spec))) for spec in specs)


def _bound(derivatives: Sequence[tuple[Vjp, bool]], program: Program) -> int | None:
    """The bytes of the budget that is around the whole differentiated function, if one is."""
    if len(derivatives) != 1:
        return None
    marks = {budget_of(stm) for stm in program.function(derivatives[0][0].function).body.stms}
    (mark, *others) = marks or {None}
    return None if mark is None or others else bytes_of(mark)
