"""What one reverse transformation of a whole program shares: the functions so far, memos, names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from retrograd.errors import Span
from retrograd.ir.linear import Consumption, walk_linear
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, Function, Prim, Program, Stm, Var
from retrograd.ir.traverse import (
    binders,
    blocks,
    free_vars,
    stms_deep,
    substitute,
    with_blocks,
)
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.ad.jvp import jvp_function
from retrograd.transforms.ad.numbered_values import number_tangents
from retrograd.transforms.ad.vjp.activity import varied_vars
from retrograd.transforms.ad.vjp.executions import Ahead
from retrograd.transforms.ad.vjp.residuals import unchecked_block
from retrograd.transforms.ad.vjp.shaping import ShapeTable
from retrograd.transforms.analysis.effects import functions_run_once, reaching
from retrograd.transforms.analysis.shapes import Kept, kept_extents
from retrograd.transforms.optimise.dce import eliminate_in_function

__all__ = ["Key", "Origin", "Swept", "VjpContext"]

Key = tuple[str, tuple[bool, ...]]
"""A function and which of its parameters are active."""


@dataclass(frozen=True, slots=True)
class Swept:
    """The two programs of a function for one pattern of active parameters.

    `reverse(*needed, *sums, *result cotangents) -> cotangents of the active parameters`, where
    `needed` are the values of the parameters at these positions, `sums` are cotangents so far of
    the active arrays that the function only reads (taken over and returned with its contributions
    added), and result cotangents are those of the results in `results`. `scalars` are what the
    function's own scope records besides arrays.
    """

    forward: str
    reverse: str
    needed: tuple[int, ...]
    sums: tuple[int, ...]
    results: tuple[int, ...]
    wrt: tuple[int, ...]
    scalars: tuple[Var, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an outlined loop body came from: facts about the variables, whose names it has kept.

    `executions` is the number of checkpointed executions around its scope.
    """

    shapes: ShapeTable
    defs: Mapping[Var, Stm]
    executions: int


@dataclass(slots=True)
class VjpContext:
    """The growing program, and what is already known about its functions.

    Calls of the functions in `again` record their arguments only; the reverse sweep runs them
    again, as the forward programs in `rerun`. The arguments at the positions given there are arrays
    whose content does not matter. `silenced` says of which forward program a function is the part
    that records. `recursive` are the functions whose programs were asked for before they were made,
    `needed` the parameters that reverse programs were found to need so far.
    `muted` are functions with some of their results made constants, `lifted` the forward-mode
    versions of functions, with the functions that they are of. `ahead` says what of
    checkpointed executions records in the forward sweep. Functions in `ruled`
    have reverse rules of their own, or call such functions, so that their values may have other
    bits in a forward sweep; `valued` are their versions with those values, which record nothing.
    `called` are the functions that are called where there are functions with inverses, `once` those
    that neither loops call nor themselves.
    """

    prims: PrimitiveSet
    names: NameSupply
    functions: dict[str, Function]
    entry: str
    swept: dict[Key, Swept] = field(default_factory=dict[Key, Swept])
    activity: dict[Key, tuple[bool, ...]] = field(default_factory=dict[Key, "tuple[bool, ...]"])
    unsettled: list[Key] = field(default_factory=list[Key])
    again: dict[str, frozenset[int]] = field(default_factory=dict[str, "frozenset[int]"])
    rerun: dict[str, str] = field(default_factory=dict[str, str])
    silenced: dict[str, str] = field(default_factory=dict[str, str])
    origin: dict[str, Origin] = field(default_factory=dict[str, "Origin"])
    recursive: set[Key] = field(default_factory=set[Key])
    needed: dict[Key, tuple[int, ...]] = field(default_factory=dict[Key, "tuple[int, ...]"])
    muted: dict[tuple[str, tuple[int, ...]], str] = field(
        default_factory=dict[tuple[str, "tuple[int, ...]"], str]
    )
    consumption: Consumption = field(default_factory=Consumption)
    ahead: Ahead = field(init=False)
    ruled: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()
    valued: dict[str, str] = field(default_factory=dict[str, str])
    orders: dict[str, int] = field(default_factory=dict[str, int])
    lifted: dict[tuple[str, tuple[bool, ...]], tuple[Function, str]] = field(
        default_factory=dict[tuple[str, tuple[bool, ...]], "tuple[Function, str]"]
    )
    """How many derivatives the functions are that have been derived here."""
    reruns: bool = True
    """Whether checkpointed executions are run again as a whole (`reruns`)."""
    offloads: bool = True
    """Whether what policies offload is marked (`offloading`)."""
    whole_bodies: bool = True
    """Whether a body may be run again as a whole of which parts are run again already."""

    @staticmethod
    def of(program: Program, names: NameSupply, prims: PrimitiveSet) -> VjpContext:
        context = VjpContext(prims, names, {f.name: f for f in program.functions}, program.entry)
        context.refresh()
        printing = reaching(program.functions, lambda function: _prints(function, prims))
        context.ahead = Ahead(prims, context.functions, printing)
        context.ruled = reaching(program.functions, _has_pullback)
        context.once = functions_run_once(program)
        if context.changed:
            stms = (s.expr for f in program.functions for s in stms_deep(f.body))
            context.called = frozenset(e.function for e in stms if isinstance(e, Call))
        return context

    @property
    def changed(self) -> Kept:
        """The functions with inverses, with the positions of the parameters that they change."""
        return kept_extents(self.functions.values())

    @property
    def tolerances(self) -> Mapping[str, float | None]:
        """By how much what functions with inverses restore may be off; None where it is not
        tested."""
        rules = {f.name: f.custom for f in self.functions.values() if f.custom is not None}
        return {name: rule.atol for name, rule in rules.items() if rule.kind == "inverse"}

    def program(self) -> Program:
        return Program(tuple(self.functions.values()), self.entry)

    @property
    def consumed(self) -> Mapping[str, frozenset[int]]:
        """Which parameters functions take over."""
        return self.consumption.found

    def refresh(self) -> None:
        """Recomputes which parameters functions take over, after functions were changed."""
        self.consumption = Consumption.of(self.program(), self.prims)

    def arrays(self, function: Function) -> tuple[frozenset[Var], frozenset[Var]]:
        """Arrays of `function` that are lost, and those that are shared.

        Lost: their buffers are overwritten or handed on somewhere in it. Shared: they go by more
        than one name.
        """
        linear = walk_linear(function, self.prims, self.consumed, None)
        several = {root for name, root in linear.roots.items() if name != root}
        found = {v: None for v in function.params}
        for stm in stms_deep(function.body):
            found.update((v, None) for v in (*stm.outs, *binders(stm.expr)))
        lost = frozenset(v for v in found if v.name in linear.names)
        return lost, frozenset(v for v in found if linear.roots.get(v.name) in several)

    def active_results(self, name: str, active: tuple[bool, ...]) -> tuple[bool, ...]:
        """Which results vary with the active arguments; mutual callers settle together."""
        key = (name, active)
        if key not in self.activity:
            function = self.functions[name]
            if function.custom is not None:  # whatever the body says, the rule decides
                return tuple(any(active) and t.is_float for t in function.result_types)
            self.activity[key] = (False,) * len(function.body.results)
            self.unsettled.append(key)
            if len(self.unsettled) == 1:
                self._settle()
        return self.activity[key]

    def _settle(self) -> None:
        """Looks at the unsettled functions, callees first, until nothing more is active in any."""
        before: list[tuple[bool, ...]] = []
        while before != (now := [self.activity[key] for key in self.unsettled]):
            before = now
            for name, active in reversed(tuple(self.unsettled)):
                function = self.functions[name]
                varied = varied_vars(function, active, self.prims, self.active_results)
                found = tuple(isinstance(a, Var) and a in varied for a in function.body.results)
                self.activity[name, active] = found
        self.unsettled.clear()

    def keeping(self, name: str, plan: Swept) -> str:
        """The primal function with some of its scalars as further results."""
        function = self.functions[name]
        made = self.names.name(f"{name}_keep")
        self.again[made] = self.again[name]
        self.rerun[made] = plan.forward
        stms = tuple(map(self.with_values, function.body.stms))
        body = Block(stms, (*function.body.results, *plan.scalars))
        return self.adding(replace(function, name=made, body=body))

    def first_run(self, name: str, plan: Swept) -> str:
        """What a function that is run again is when it is run for its values."""
        made = self.with_values_of(name)
        if made != name:
            self.again[made] = self.again[name]
            self.rerun[made] = plan.forward
        return made

    def with_values(self, stm: Stm) -> Stm:
        """A statement with the values that a forward sweep has: calls of rules, where there are.

        It records nothing.
        """
        expr = stm.expr
        if not isinstance(expr, Call):
            inner = [Block(tuple(map(self.with_values, b.stms)), b.results) for b in blocks(expr)]
            return replace(stm, expr=with_blocks(expr, tuple(inner))) if inner else stm
        custom = self.functions[expr.function].custom
        if custom is not None and custom.kind == "vjp":
            types = self.functions[custom.rule].result_types[len(stm.outs) :]
            kept = tuple(self.names.var("residual", t) for t in types)
            return replace(stm, outs=(*stm.outs, *kept), expr=replace(expr, function=custom.rule))
        return replace(stm, expr=replace(expr, function=self.with_values_of(expr.function)))

    def with_values_of(self, name: str) -> str:
        """The version of a function with the values that a forward sweep has."""
        if name in self.valued:
            return self.valued[name]
        function = self.functions[name]
        if not any(map(self.calls_ruled, stms_deep(function.body))):
            return name
        made = self.valued[name] = self.names.name(f"{name}_valued")
        stms = tuple(map(self.with_values, function.body.stms))
        return self.adding(replace(function, name=made, body=replace(function.body, stms=stms)))

    def calls_ruled(self, stm: Stm) -> bool:
        return isinstance(stm.expr, Call) and stm.expr.function in self.ruled

    def silent(self, name: str, scalars: tuple[Var, ...]) -> tuple[str, tuple[int, ...]]:
        """A forward function that is run for what it records only, with some of its scalars given.

        What only its results, those scalars or its checks need goes, parameters included: it takes
        the scalars, after the parameters at the positions that come with its name.
        """
        function = self.functions[name]
        given = {var: self.names.var(var.name, var.type) for var in scalars}
        body = self.recording(substitute(Block(function.body.stms, ()), given))
        made = self.names.name(f"{name}_again")
        read = free_vars(body)
        taken = tuple(k for k, param in enumerate(function.params) if param in read)
        params = (*(function.params[k] for k in taken), *given.values())
        self.silenced[made] = name
        return self.adding(Function(made, params, body, None, function.prov)), taken

    def recording(self, block: Block) -> Block:
        """Of forward code that is run again what records, and what is read for that."""
        alone = Function("", (), unchecked_block(Block(block.stms, ()), self.prims))
        forward = {plan.forward for plan in self.swept.values()}
        return eliminate_in_function(alone, self.prims, forward).body

    def adding(self, *functions: Function) -> str:
        """Adds functions under names that are new; the name of the first."""
        self.functions.update((f.name, f) for f in functions)
        self.consumption = self.consumption.adding(functions, self.functions, self.prims)
        return functions[0].name

    def jvp(self, name: str, active: tuple[bool, ...], span: Span | None) -> str:
        """The forward-mode version of a function, added to the program.

        The functions that it calls are made with it, and have its order.
        """
        known = self.lifted.get((name, active))
        if known is not None and known[0] is self.functions[name]:
            return known[1]
        order = self.orders.get(name, 0)
        program, made = jvp_function(
            self.program(), name, active, self.names, self.prims, order, span
        )
        new = {f.name: f for f in program.functions if f.name not in self.functions}
        self.orders.update(dict.fromkeys(new, order + 1))
        self.functions |= {f.name: f for f in program.functions}
        self.lifted[name, active] = self.functions[name], made
        self.functions |= {name: number_tangents(f) for name, f in new.items()}
        self.refresh()
        return made


def _has_pullback(function: Function) -> bool:
    """Whether a function has a reverse rule of its own."""
    return function.custom is not None and function.custom.kind == "vjp"


def _prints(function: Function, prims: PrimitiveSet) -> bool:
    found = (s.expr for s in stms_deep(function.body) if isinstance(s.expr, Prim))
    return any(prims[expr.op].effect is Effect.OUTPUT for expr in found)
