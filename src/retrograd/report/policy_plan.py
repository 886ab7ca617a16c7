"""What a gradient will take with one policy of `rg.checkpoint` or another, also as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from retrograd.api.calls.arguments import Numbers
from retrograd.api.calls.sharing import refuse_sharing
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import Prepared, has_budgets, has_ways, prepare
from retrograd.api.functions import checked, grad
from retrograd.api.rerunning import checkpoint
from retrograd.api.saving.buffers import OFFLOADED, Unknown
from retrograd.api.saving.measuring import Measure, measured
from retrograd.frontend.identity.named_constants import constant_extents
from retrograd.frontend.identity.specs import Met, spec_of
from retrograd.options.memory import shown
from retrograd.options.saving import Policy
from retrograd.transforms.driver import PLAIN

__all__ = ["PolicyPlan", "PolicyRow", "plan_policies"]


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """What `rg.grad(rg.checkpoint(f, policy=policy))` will take. None: it is not counted.

    Attributes:
        policy: the policy; None is the function as it is written.
        operations: the cost of all primitives, in additions.
        slowdown: that, as a multiple of the first row's: an estimate of the time.
        recomputed: what is done again, as a share of the cost of the function itself.
        tape_bytes: the most bytes on the tape.
        peak_bytes: the most bytes at a time.
        gaps: why `peak_bytes` is None, and `tape_bytes` where arrays are moved out of memory.
    """

    policy: object
    operations: int | None
    slowdown: float | None
    recomputed: float | None
    tape_bytes: int | None
    peak_bytes: int | None
    gaps: tuple[str, ...]

    @property
    def name(self) -> str:
        """The policy as a text."""
        policy = self.policy
        if policy is None:
            return "as written"
        if isinstance(policy, Policy):
            return f"{policy.kind}({', '.join(policy.names)})" if policy.names else policy.kind
        return str(getattr(policy, "__name__", policy))


@dataclass(frozen=True, slots=True)
class PolicyPlan:
    """What `rg.plan` has found for policies.

    Attributes:
        function: the name of what is differentiated.
        rows: one for each policy, in their order.
        data: whether numbers of iterations or branches depend on floats, so that the plan is
            one for these arguments only.
    """

    function: str
    rows: tuple[PolicyRow, ...]
    data: bool

    def __rich__(self) -> Group:
        """A row for each policy, and how it was found."""
        table = Table(
            title=f"Gradient of {self.function}", title_justify="left", box=box.SIMPLE_HEAD
        )
        table.add_column("policy")
        for head in ("time", "done again", "tape", "peak"):
            table.add_column(head, justify="right")
        for row in self.rows:
            table.add_row(
                row.name,
                "" if row.slowdown is None else f"{row.slowdown:.2f}",
                "" if row.recomputed is None else f"{row.recomputed:.0%}",
                "" if row.tape_bytes is None else shown(row.tape_bytes),
                "" if row.peak_bytes is None else shown(row.peak_bytes),
            )
        return Group(table, *map(Text, self._ends()))

    def _ends(self) -> list[str]:
        ends = ["Time is that of the first row times so much, by operations: an estimate."]
        ends.append(
            "Counted in one run of sizes and numbers of iterations, "
            + ("which depend on data: other arguments may take more." if self.data
               else "which depend on no float.")
        )  # fmt: skip
        gaps = dict.fromkeys(gap for row in self.rows for gap in row.gaps)
        if gaps:
            ends.append(f"An empty cell is not counted, because of {', '.join(gaps)}.")
        return ends

    def __str__(self) -> str:
        console = Console(file=StringIO(), width=100)
        with console.capture() as captured:
            console.print(self)
        return "\n".join(line.rstrip() for line in captured.get().splitlines())


def plan_policies(
    fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], argnums: Numbers,
    policies: Sequence[object],
) -> PolicyPlan:  # fmt: skip
    """The table of `rg.plan(..., policies=...)`."""
    fun = checked(fun, "plan")
    alone = _measured(_prepared(fun, args, kwargs), args, kwargs, fun)
    primal = alone if isinstance(alone, Measure) else None
    tried = [fun if p is None else checkpoint(fun, policy=p) for p in policies]
    found = [
        _measured(_prepared(grad(f, argnums=argnums), args, kwargs), args, kwargs, fun)
        for f in tried
    ]
    base = next((one for one in found if isinstance(one, Measure)), None)
    rows = tuple(_row(p, one, base, primal) for p, one in zip(policies, found, strict=True))
    name = str(getattr(fun, "__name__", fun))
    return PolicyPlan(name, rows, any(isinstance(m, Measure) and m.data for m in found))


def _prepared(fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Prepared:
    met = Met.whole(constants=constant_extents(fun))
    specs = [spec_of(value, f"argument {k}", met=met) for k, value in enumerate(args)]
    named = {name: spec_of(v, f"argument {name!r}", met=met) for name, v in kwargs.items()}
    return prepare(fun, specs, named, derivative=True)


def _measured(
    prepared: Prepared, args: Sequence[Any], kwargs: Mapping[str, Any], fun: Callable[..., Any]
) -> Measure | Unknown:
    """What a run of something prepared takes."""
    task = prepared.task
    if has_ways(task.program):
        return Unknown("inner derivatives in a budget")
    if has_budgets(task.program):
        return Unknown("budgets, which choose when the derivative runs")
    flat = prepared.traced.flatten(args, kwargs)
    refuse_sharing(fun, prepared.traced, flat)
    try:
        return measured(task, PLAIN.run(task.program, known()), flat)
    except Unknown as gap:
        return gap


def _row(
    policy: object, found: Measure | Unknown, base: Measure | None, primal: Measure | None
) -> PolicyRow:
    if isinstance(found, Unknown):
        return PolicyRow(policy, None, None, None, None, None, (str(found),))
    slowdown = None if base is None else found.work / max(base.work, 1)
    again = None if primal is None else max(found.primal / max(primal.work, 1) - 1.0, 0.0)
    peak = None if found.gaps else found.peak
    tape = None if OFFLOADED in found.gaps else found.tape
    return PolicyRow(policy, found.work, slowdown, again, tape, peak, tuple(sorted(found.gaps)))
