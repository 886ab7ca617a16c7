"""The reverse transformation of one function: forward code with residuals, and the sweep back.

Blocks are swept statement by statement, last first. A loop becomes a loop that runs backwards and
carries the cotangents of what it carried; cotangents of values from outside are sums over its
iterations (scalars) or arrays that it adds into. A branch becomes the branch on the same condition.
What the sweep needs of the primal is decided afterwards, from the sweep itself (`residuals`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from retrograd.errors import Limitation
from retrograd.ir.terms import Atom, Block, Call, For, If, Prim, Stm, Var, While, ilit
from retrograd.ir.traverse import binders, free_vars, stms_deep, substitute
from retrograd.ir.types import I64
from retrograd.prims.core import Unsupported, Zero
from retrograd.transforms.ad.vjp.carried import (
    NOTHING,
    HandedOn,
    handed_on,
    made_at_the_end,
    recording,
    starts_of,
    without,
)
from retrograd.transforms.ad.vjp.context import Origin, VjpContext
from retrograd.transforms.ad.vjp.cotangents import (
    Bars,
    PrimPullback,
    bound_in,
    branch_opener,
    branch_result,
)
from retrograd.transforms.ad.vjp.drift import check_restored
from retrograd.transforms.ad.vjp.estimates import Estimates
from retrograd.transforms.ad.vjp.executions import needs_by_execution, saved_by_policies
from retrograd.transforms.ad.vjp.offloading import folders_of
from retrograd.transforms.ad.vjp.placement import just_before_use
from retrograd.transforms.ad.vjp.privatisation import private_arrays
from retrograd.transforms.ad.vjp.rerun_bodies import (
    gains_by_carrying,
    input_words,
    outline_body,
    overwritten_first,
)
from retrograd.transforms.ad.vjp.reruns import run_again
from retrograd.transforms.ad.vjp.residuals import (
    NO_RESIDUALS,
    Residuals,
    Scope,
    has_work,
    known_before,
    needed_by,
    one_push,
    pushes,
    resolve,
    unchecked_block,
)
from retrograd.transforms.ad.vjp.undo_log import NO_LOG, Log, undo

__all__ = ["Sweep"]


CallRule = Callable[["Sweep", Stm, tuple[Atom | None, ...], Bars], None]
"""The reverse of calls and derivative nodes (`calls`), which in turn sweeps other functions."""


@dataclass(slots=True)
class Sweep:
    """State of sweeping one function. `forward` has forward versions of statements, by identity.

    `depth` is the number of loops around what is being swept, `executions` that of checkpointed
    executions around the block; `again`: calls of the function are run again themselves. `nearly`
    are floats that may be rounded otherwise then. `taped`: branches record, else they run again.
    `remade` has how what loops end with is made of what they record. `once`: no loop calls it.
    """

    context: VjpContext
    varied: frozenset[Var]
    lost: frozenset[Var]
    calls: CallRule
    defs: Mapping[Var, Stm]
    forward: dict[int, tuple[Stm, tuple[Stm, ...]]] = field(
        default_factory=dict[int, "tuple[Stm, tuple[Stm, ...]]"]
    )
    shared: frozenset[Var] = frozenset()
    log: Log = NO_LOG
    nearly: frozenset[Var] = frozenset()
    taped: bool = True
    mentioned: dict[Var, None] = field(default_factory=dict[Var, None])
    remade: dict[Var, tuple[Stm, ...]] = field(default_factory=dict[Var, "tuple[Stm, ...]"])
    again: bool = False
    depth: int = 0
    executions: int = 0
    once: bool = False

    def block(self, block: Block, bars: Bars) -> None:
        """Emits the reverse of the statements of `block`; seeds are in `bars` already.

        After that of a statement that makes a version of a logged array, the one before is there.
        """
        for stm in reversed(block.stms):
            bars.b.prov = stm.prov.through("vjp")
            out_bars = tuple(bars.take(out) for out in stm.outs)
            steps = self.log.of(stm)
            inside = bool(steps) and not isinstance(stm.expr, Prim)
            if inside or any(bar is not None for bar in out_bars):
                self.statement(stm, out_bars, bars)
            if steps and isinstance(stm.expr, Prim):
                bars.b.stms.append(undo(stm, stm.expr, self.log, self.context.prims))
            for begun in (s.before for s in steps.values() if s.before in self.log.begins):
                check_restored(bars.b, begun, self.log.begins[begun], stm.prov)

    def statement(self, stm: Stm, out_bars: tuple[Atom | None, ...], bars: Bars) -> None:
        around = self.executions
        self.executions = len(stm.prov.checkpoints)
        if self.context.reruns:
            self.executions = self.context.ahead.scopes_around(stm, around)
        self.expression(stm, out_bars, bars)
        self.executions = around

    def expression(self, stm: Stm, out_bars: tuple[Atom | None, ...], bars: Bars) -> None:
        match stm.expr:
            case Prim():
                self.primitive(stm, stm.expr, out_bars, bars)
            case If():
                self.branch(stm, stm.expr, out_bars, bars)
            case For(rematerialised=True) if not self.log.of(stm) and self.exact(stm.expr):
                self.loop(stm, self.carried_version(stm, stm.expr, bars), out_bars, bars)
            case For() | While():
                self.loop(stm, stm.expr, out_bars, bars)
            case _:
                self.calls(self, stm, out_bars, bars)

    def primitive(
        self, stm: Stm, expr: Prim, out_bars: tuple[Atom | None, ...], bars: Bars
    ) -> None:
        rule = self.context.prims[expr.op].vjp
        match rule:
            case Zero():
                return
            case Unsupported():
                raise Limitation(
                    "RG2201", f"reverse mode through {expr.op!r}: {rule.reason}", stm.prov.span
                )
            case _:
                rule(PrimPullback(bars, expr, stm.outs, out_bars))

    # Scopes.

    def forward_stms(self, block: Block) -> tuple[Stm, ...]:
        found: list[Stm] = []
        for stm in block.stms:
            found += self.forward[id(stm)][1] if id(stm) in self.forward else (stm,)
        return tuple(found)

    def primal_stms(self, block: Block) -> tuple[Stm, ...]:
        """The statements of a block, each in the place of its forward version.

        What only forward versions need stands for itself.
        """
        found: list[Stm] = []
        for stm in block.stms:
            made = self.forward[id(stm)][1] if id(stm) in self.forward else (stm,)
            found += [*made[:-1], stm]
        return tuple(found)

    def goes_forward(self, stm: Stm, *as_stms: Stm) -> None:
        """What the forward sweep has in the place of a statement: its version comes last."""
        self.forward[id(stm)] = stm, as_stms  # both: an object that is gone gives its id to another

    def scope(
        self, block: Block, index: Var | None, carried: tuple[Var, ...], loop: bool, counted: bool,
        private: Mapping[Var, Var] = MappingProxyType({}), given: Iterable[Atom] = (),
    ) -> Scope:  # fmt: skip
        """The scope of a block whose statements have been swept."""
        results = frozenset(a for a in block.results if isinstance(a, Var))
        innermost = counted and not has_work(block)
        stms = self.forward_stms(block)
        handed = frozenset(a for a in given if isinstance(a, Var))
        return Scope(
            stms, index, carried, innermost, loop, results, self.lost, private, self.shared,
            self.log, handed, self.again, self.executions, self.nearly, self.remade,
            self.once and not loop and self.depth == 0,
        )  # fmt: skip

    def close(self, scope: Scope, block: Block, reverse: Block) -> tuple[Block, Block, Residuals]:
        """Forward and reverse code of a scope with its residuals pushed and popped."""
        if not self.taped:
            again = unchecked_block(block, self.context.prims)
            return block, replace(reverse, stms=(*again.stms, *reverse.stms)), NO_RESIDUALS
        scope, reverse, found = self.residuals(scope, block, reverse)
        return *self.recording(scope, block, reverse, found, NOTHING), found

    def residuals(
        self, scope: Scope, block: Block, reverse: Block
    ) -> tuple[Scope, Block, Residuals]:
        """The scope and its reverse code, with reruns, and how what that needs is had."""
        reverse = known_before(scope, reverse, self.context.prims)
        primal = replace(block, stms=self.primal_stms(block))
        scope, reverse = run_again(self.context, scope, primal, reverse)
        needed = needed_by(reverse.stms, reverse.results)
        self.mentioned.update(dict.fromkeys(needed))
        held = self.log.versions
        restored = {v: k + 1 for k, s in enumerate(reverse.stms) for v in s.outs if v in held}
        readers = needs_by_execution(reverse, scope.depth)
        found = resolve(scope, needed, restored, self.context.prims, self.context.names, readers)
        return scope, reverse, found

    def recording(
        self, scope: Scope, block: Block, reverse: Block, found: Residuals, handed: HandedOn
    ) -> tuple[Block, Block]:
        """Forward and reverse code that records what is not handed on."""
        versions, extent = self.log.versions, self.context.prims.costs.extent
        found = just_before_use(found, reverse, {*versions, *scope.given}, extent)
        folders: Mapping[Var, str] = {}
        if self.context.offloads:
            made = {var: way.value for var, way in handed.made.items()}
            folders = folders_of(scope, block, found.recorded, made, self.context.prims)
        return recording(scope, block, reverse, found, handed, folders, self.context.names)

    # Branches.

    def branch(self, stm: Stm, expr: If, out_bars: tuple[Atom | None, ...], bars: Bars) -> None:
        sides: list[tuple[Block, Bars]] = []
        for block in (expr.then, expr.orelse):
            inner = Bars(bars.b.inner(), self.varied)
            inner.opener = branch_opener(bars, block)
            for atom, bar in zip(block.results, out_bars, strict=True):
                if bar is not None:
                    inner.add(atom, bar)
            self.block(block, inner)
            sides.append((block, inner))
        outer = list(dict.fromkeys(v for _, inner in sides for v in inner.outer(stm, expr)))
        steps = self.log.of(stm)
        reverse: list[Block] = []
        forward: list[Block] = []
        for block, inner in sides:
            results = [branch_result(bars, inner, var) for var in outer]
            results += [step.before for step in steps.values()]
            given = [block.results[k] for k in steps]
            scope = self.scope(block, None, (), False, False, given=given)
            ahead, back, _ = self.close(scope, block, inner.b.block(results))
            forward.append(ahead)
            reverse.append(self.unwound(stm, block, back))
        self.goes_forward(stm, replace(stm, expr=If(expr.cond, forward[0], forward[1])))
        outs = tuple(self.context.names.var("bar", v.type) for v in outer)
        restored = tuple(step.before for step in steps.values())
        back = If(expr.cond, reverse[0], reverse[1])
        bars.b.stms.append(Stm((*outs, *restored), back, bars.b.prov))
        for var, out in zip(outer, outs, strict=True):
            if var.type.is_scalar:
                bars.add(var, out)
            else:
                bars.replace(var, out)

    def unwound(self, stm: Stm, block: Block, back: Block) -> Block:
        """The reverse of a branch with names of its own for the logged arrays that it restores.

        It begins with what the branches end with, and both end with the version before.
        """
        names: dict[Var, Atom] = {}
        for k, step in self.log.of(stm).items():
            last = block.results[k]
            if last == step.before:
                names[step.before] = step.after
            elif isinstance(last, Var):
                names[last] = step.after
                names[step.before] = self.context.names.var(step.before.name, step.before.type)
        renamed = substitute(back, names)
        stms: list[Stm] = []
        for inner in renamed.stms:
            outs = (names.get(v, v) for v in inner.outs)
            stms.append(replace(inner, outs=tuple(v for v in outs if isinstance(v, Var))))
        return replace(renamed, stms=tuple(stms))

    # Loops.

    def loop(
        self, stm: Stm, expr: For | While, out_bars: tuple[Atom | None, ...], bars: Bars
    ) -> None:
        """The reverse of a loop; `expr` is its expression or that with an outlined body."""
        swept = any(bar is not None for bar in out_bars)
        active = [k for k, v in enumerate(expr.carried) if swept and v in self.varied]
        steps = self.log.of(stm)
        inner = Bars(bars.b.inner(), self.varied)
        opened: dict[Var, Var] = {}
        inner.opener = self.loop_opener(expr, bars, opened)
        seeds = self.seed(expr, active, out_bars, inner)
        self.depth += 1
        self.block(expr.body, inner)
        self.depth -= 1
        results: list[Atom] = []
        for k in active:
            var = expr.carried[k]
            bar = inner.take(var)
            results.append(inner.b.zeros_like(var) if bar is None else bar)
        results += [inner.table[var] for var in opened]
        results += [step.inner[0].start for step in steps.values()]
        scalars = [v for v in inner.outer(stm, expr) if v.type.is_scalar]
        results += [inner.table[v] for v in scalars]
        index = expr.index if isinstance(expr, For) else None
        counted = isinstance(expr, For)
        private = self.private(expr, bars) if isinstance(expr, For) else {}
        last = [step.inner[0].end for step in steps.values()]
        scope = self.scope(expr.body, index, expr.carried, True, counted, private, last)
        count = self.context.names.var("k", I64) if index is None else index
        scope, reverse, found = self.residuals(scope, expr.body, inner.b.block(results))
        handed = handed_on(stm, expr, count, scope, found, self.defs, self.context)
        found = without(found, handed, reverse)
        ahead, back = self.recording(scope, expr.body, reverse, found, handed)
        if expr is stm.expr and not steps and self.carries(expr, ahead, bars):
            self.loop(stm, self.carried_version(stm, expr, bars), out_bars, bars)
            return
        block = scope.innermost and bool(found.recorded) and one_push(ahead)
        block = block and not any(pushes(back))  # a rerun has records on a stack
        trips = self.forward_loop(stm, expr, ahead, block, count, handed)
        self.remade |= made_at_the_end(stm, expr, handed, trips, self.context.names)
        inits = list(map(bars.b.copied, handed.lasts))
        inits += [self.initial(stm, expr, k, out_bars[k], bars) for k in active]
        inits += [bars.dense(var) for var in opened]
        inits += [step.after for step in steps.values()]
        loop = For(
            count, trips, (*handed.carried, *seeds, *opened.values(), *last), tuple(inits), back,
            len(scalars), True, block, expr.point,
        )  # fmt: skip
        first = len(active) + len(opened)
        names = (self.context.names.var("bar", a.type) for a in (*results[:first], *scalars))
        outs = tuple(names)
        kept = (self.context.names.var(v.name, v.type) for v in handed.carried)
        restored = (step.before for step in steps.values())
        bound = (*kept, *outs[:first], *restored, *outs[first:])
        bars.b.stms.append(Stm(bound, loop, bars.b.prov))
        begun = [expr.inits[k] for k in active]
        self.loop_bars(bars, begun, opened, scalars, outs)

    @staticmethod
    def loop_bars(
        bars: Bars, inits: Sequence[Atom], opened: Iterable[Var], scalars: Iterable[Var],
        outs: Sequence[Var],
    ) -> None:  # fmt: skip
        """Takes over the cotangents that a reverse loop gives: of initial values, of arrays from
        outside, which are replaced, and of numbers."""
        rest = iter(outs)
        for init in inits:
            out = next(rest)
            bars.shape_like(out, init)
            bars.add(init, out)
        for var in opened:
            bars.replace(var, next(rest))
        for var in scalars:
            bars.add(var, next(rest))

    def private(self, expr: For, bars: Bars) -> dict[Var, Var]:
        """Arrays whose elements belong to an iteration each, with what the loop was given."""
        found = private_arrays(expr, self.defs, bars.b.shapes, self.context.prims)
        return {v: init for v, init in found.items() if v not in self.log.versions}

    def carries(self, expr: For | While, ahead: Block, bars: Bars) -> bool:
        """Whether the body had better be run again, as a whole if parts of it are by now.

        What policies have saved is no reason to: it would be calculated again with the rest.
        """
        if self.again or not has_work(expr.body) or not self.exact(expr):
            return False
        costs = self.context.prims.costs
        read = free_vars(self.context.recording(ahead))
        inputs = input_words(expr, read, bars.b.shapes, costs)
        functions = self.context.functions
        asked = saved_by_policies(expr.body, self.executions, self.context.ahead)
        now = Estimates(functions, costs.extent, asked).recorded(ahead)
        if not any(_calls_any(ahead, self.context.again)):
            return gains_by_carrying(inputs, now, costs)
        if not self.context.whole_bodies:
            return False
        forward = {name: functions[made] for name, made in self.context.rerun.items()}
        whole = Estimates({**functions, **forward}, costs.extent).recorded(ahead)
        spared = costs.extent ** (self.depth + 1) * (now - inputs)
        near = inputs < now and whole < costs.near_words
        return near and gains_by_carrying(whole, spared, costs)

    def exact(self, loop: For | While) -> bool:
        """Whether a body that is run again is given what it was given in the forward sweep."""
        return self.nearly.isdisjoint((*loop.carried, *free_vars(loop.body)))

    def carried_version(self, stm: Stm, expr: For | While, bars: Bars) -> For | While:
        """The loop with its body outlined to a function whose calls are rematerialised."""
        made = outline_body(expr, self.context.names, "loop", stm.prov)
        self.context.adding(made.function)
        self.context.origin[made.function.name] = Origin(bars.b.shapes, self.defs, self.executions)
        self.context.again[made.function.name] = frozenset(
            k
            for k, param in enumerate(made.function.params)
            if param in expr.carried and overwritten_first(expr.body, param, bars.b.shapes)
        )
        inside = {*binders(expr), *bound_in(expr.body)}
        head = [s for var in expr.carried for s in self.extents(var, inside, bars)]
        tail: list[Stm] = []
        for out, result in zip(made.outs, expr.body.results, strict=True):
            bars.shape_like(out, result)
            tail += self.extents(out, inside, bars)
            if isinstance(result, Var) and result in self.varied:
                self.varied |= {out}
            if not out.type.is_scalar:
                self.lost |= {out}
        bars.varied = self.varied
        body = made.loop.body
        return replace(made.loop, body=replace(body, stms=(*head, *body.stms, *tail)))

    def extents(self, var: Var, inside: set[Var], bars: Bars) -> list[Stm]:
        """Reads again those extents of an array that were bound in a body which is outlined now."""
        dims = bars.b.shapes.of(var) or ()
        fresh = {k: self.context.names.var("n", I64) for k, d in enumerate(dims) if d in inside}
        if fresh:
            bars.b.shapes.set(var, [fresh.get(k, d) for k, d in enumerate(dims)])
        return [Stm((n,), Prim("dim", (var,), (("axis", k),))) for k, n in fresh.items()]

    def seed(
        self,
        expr: For | While,
        active: Sequence[int],
        out_bars: tuple[Atom | None, ...],
        inner: Bars,
    ) -> list[Var]:
        """Fresh carried cotangents of the body's results; sums give theirs to every iteration."""
        seeds: list[Var] = []
        for k in active:
            result = expr.body.results[k]
            seed = self.context.names.var("bar", expr.carried[k].type)
            inner.shape_like(seed, result)
            seeds.append(seed)
        for k, seed in zip(active, seeds, strict=True):
            inner.add(expr.body.results[k], seed)
        first = len(expr.carried)
        for result, bar in zip(expr.body.results[first:], out_bars[first:], strict=True):
            if bar is not None:
                inner.add(result, bar)
        return seeds

    def loop_opener(
        self, expr: For | While, bars: Bars, opened: dict[Var, Var]
    ) -> Callable[[Var], Atom | None]:
        """How the cotangent array of a variable from outside the loop enters it: carried."""
        local = {*binders(expr), *bound_in(expr.body)}

        def opener(var: Var) -> Atom | None:
            if var in local or var.type.is_scalar:
                return None
            if var not in opened:
                opened[var] = self.context.names.var("bar", var.type)
                bars.shape_like(opened[var], var)
            return opened[var]

        return opener

    def initial(self, stm: Stm, expr: For | While, k: int, bar: Atom | None, bars: Bars) -> Atom:
        return bars.b.zeros_like(stm.outs[k]) if bar is None else bars.own(bar)

    def forward_loop(
        self, stm: Stm, expr: For | While, body: Block, block: bool, count: Var, handed: HandedOn
    ) -> Atom:
        """Notes the forward version of a loop; the number of iterations, as the sweep needs it.

        `count` is the number of the iteration.
        """
        first, starts = len(expr.carried), starts_of(handed, stm.prov)
        made = handed.ways
        outs = (*stm.outs[:first], *(m.last for m in made), *stm.outs[first:])
        results = (*body.results[:first], *(m.value for m in made), *body.results[first:])
        carried = (*expr.carried, *(m.before for m in made))
        inits = (*expr.inits, *(m.start for m in made))
        body = replace(body, results=results)
        if isinstance(expr, For):
            loop = replace(
                expr, carried=carried, inits=inits, body=body, block=block, directions=False
            )
            self.goes_forward(stm, *starts, replace(stm, outs=outs, expr=loop))
            return expr.trips
        names = self.context.names
        now, out = names.var("count", I64), names.var("count", I64)
        step = Stm((now,), Prim("add", (count, ilit(1))))
        counted = Block((*body.stms, step), (*body.results, now))
        loop = replace(expr, carried=(*carried, count), inits=(*inits, ilit(0)), body=counted)
        self.goes_forward(stm, *starts, Stm((*outs, out), loop, stm.prov))
        return out


def _calls_any(block: Block, names: Mapping[str, object]) -> Iterator[bool]:
    return (isinstance(s.expr, Call) and s.expr.function in names for s in stms_deep(block))
