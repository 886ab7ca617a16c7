"""Forward mode: a function and its tangents, program to program.

`jvp f` has the parameters of f and one tangent for each active float parameter; it returns the
results of f and a tangent for every float result. The primal statements stay as they are, and the
tangent statements stand next to them. The output has no `Jvp` node, and can be transformed again.

Tangent arrays mirror their primals: each array has a tangent array of its own, which is consumed
where the primal is and gets another name where the primal does. So the output is linear where the
input is. Where a rule hands on a tangent as it got it (x + 1 has the tangent of x), it is copied.
Other zero tangents do not exist until a loop, a branch or a caller needs one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from retrograd.errors import CompilerBug, Limitation, Span
from retrograd.ir.build import Builder
from retrograd.ir.formers import unhandled
from retrograd.ir.linear import consumed_params, walk_linear
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Program,
    Prov,
    Stm,
    Var,
    Vjp,
    While,
)  # fmt: skip
from retrograd.ir.traverse import atoms, blocks, stms_deep, with_blocks
from retrograd.ir.types import Type
from retrograd.prims.core import PrimitiveSet, Unsupported, Zero
from retrograd.transforms.ad.inverse_tangents import changed_with_tangents, with_changed
from retrograd.transforms.ad.ruled_tangents import dot_hint, rule_of_tangents, tangents_by_rule
from retrograd.transforms.analysis.activity import active_vars

__all__ = ["expand_jvp_nodes", "jvp_function"]

_MAX_ORDER = 10


def jvp_function(
    program: Program, name: str, active: tuple[bool, ...], names: NameSupply, prims: PrimitiveSet,
    order: int = 0, span: Span | None = None,
) -> tuple[Program, str]:  # fmt: skip
    """Adds the forward derivative of a function (and of what it calls); the program and its name.

    `active` says for each parameter whether it has a tangent; int and bool parameters never do.
    `order` is that of the function, which is itself a derivative where it is above 0, and `span`
    the place of what asks for it.

    Raises:
        Limitation: the derivative is of too high an order.
    """
    forward = _Forward.over(program, names, prims)
    forward.signatures[name] = replace(forward.signatures[name], order=order)
    new = forward.request(name, active, span)
    forward.finish()
    return Program(tuple(forward.table.values()), program.entry), new


def expand_jvp_nodes(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Replaces every `Jvp` node by a call of the derivative function, innermost first."""
    if not any(isinstance(s.expr, Jvp) for f in program.functions for s in stms_deep(f.body)):
        return program
    forward = _Forward.over(program, names, prims)
    for function in program.functions:
        forward.table[function.name] = replace(function, body=forward.expand_block(function.body))
    forward.finish()
    return Program(tuple(forward.table.values()), program.entry)


@dataclass(frozen=True, slots=True)
class _Signature:
    """What a caller needs to know of a function that may not have been made yet."""

    params: tuple[Type, ...]
    results: tuple[Type, ...]
    consumed: frozenset[int]
    order: int = 0
    changed: tuple[int, ...] = ()


@dataclass(slots=True)
class _Forward:
    """The derivative functions of one program, made on request, once per activity pattern."""

    names: NameSupply
    prims: PrimitiveSet
    table: dict[str, Function]
    signatures: dict[str, _Signature]
    memo: dict[tuple[str, tuple[bool, ...]], str] = field(
        default_factory=dict[tuple[str, tuple[bool, ...]], str]
    )
    queue: list[tuple[str, tuple[bool, ...], str]] = field(
        default_factory=list[tuple[str, tuple[bool, ...], str]]
    )

    @staticmethod
    def over(program: Program, names: NameSupply, prims: PrimitiveSet) -> _Forward:
        consumed = consumed_params(program, prims)
        signatures = {
            f.name: _Signature(
                tuple(p.type for p in f.params), f.result_types, consumed[f.name],
                changed=() if f.custom is None else f.custom.changed,
            )
            for f in program.functions
        }  # fmt: skip
        return _Forward(names, prims, {f.name: f for f in program.functions}, signatures)

    def builder(self, prov: Prov) -> Builder:
        return Builder(self.names, self.prims.result_types, prov)

    def request(self, name: str, active: tuple[bool, ...], span: Span | None) -> str:
        """The name of the derivative of `name`; it is made later, so recursion ends."""
        source = self.signatures[name]
        active = tuple(a and t.is_float for a, t in zip(active, source.params, strict=True))
        if (name, active) in self.memo:
            return self.memo[name, active]
        if source.order >= _MAX_ORDER:
            raise Limitation(
                "RG2103",
                f"a derivative of order {source.order + 1} is not supported",
                span,
                "a function that takes the derivative of itself has no highest order",
            )
        new = self.names.name(f"jvp_{name}")
        self.memo[name, active] = new
        self.queue.append((name, active, new))
        self.signatures[new] = _Signature(
            (*source.params, *(t for t, a in zip(source.params, active, strict=True) if a)),
            (*source.results, *(t for t in source.results if t.is_float)),
            self._consumed(name, active),
            source.order + 1,
            changed_with_tangents(source.params, active, source.changed),
        )
        return new

    def _consumed(self, name: str, active: tuple[bool, ...]) -> frozenset[int]:
        """A tangent is consumed where its primal is (by a custom rule: where the rule does)."""
        source, function = self.signatures[name], self.table.get(name)
        taken, count = source.consumed, len(source.params)
        tangents = {k: k for k in range(count)}
        if function is not None and function.custom is not None and function.custom.kind == "jvp":
            taken = self.signatures[function.custom.rule].consumed
            floats = [k for k, t in enumerate(source.params) if t.is_float]
            tangents = {k: count + place for place, k in enumerate(floats)}
        present = [k for k, a in enumerate(active) if a]
        return frozenset(
            (*(k for k in taken if k < count),
             *(count + place for place, k in enumerate(present) if tangents[k] in taken))
        )  # fmt: skip

    def finish(self) -> None:
        """Makes every function that was requested, and those that these request."""
        while self.queue:
            name, active, new = self.queue.pop(0)
            source = self.table[name]
            if source.custom is None:
                self.table[new] = _Body.over(self, source, active).function(new)
            elif changed := self.signatures[new].changed:
                rule = rule_of_tangents(self, source, source.custom, active, changed)
                made = _Body.over(self, source, active).function(new)
                self.table[new] = replace(made, custom=rule)
            else:
                self.table[new] = tangents_by_rule(self, source, source.custom, active, new)

    def results(self, name: str) -> tuple[Type, ...]:
        """The types of the results of a function that may not have been made yet."""
        return self.signatures[name].results

    def add(self, function: Function) -> None:
        """Adds a function that calls functions which may not have been made yet."""
        taken = {name: s.consumed for name, s in self.signatures.items()}
        consumed = walk_linear(function, self.prims, taken, None).params
        params = tuple(p.type for p in function.params)
        self.signatures[function.name] = _Signature(params, function.result_types, consumed)
        self.table[function.name] = function

    # Nodes that stand for derivatives.

    def expand_block(self, block: Block) -> Block:
        """The block without `Jvp` nodes, at any depth."""
        stms: list[Stm] = []
        for stm in block.stms:
            if isinstance(stm.expr, Jvp):
                stms.extend(self.expand_jvp(stm, stm.expr))
            else:
                inner = tuple(map(self.expand_block, blocks(stm.expr)))
                stms.append(stm.with_expr(with_blocks(stm.expr, inner)))
        return Block(tuple(stms), block.results)

    def expand_jvp(self, stm: Stm, node: Jvp) -> list[Stm]:
        """The node as a call; a node consumes nothing, so what the call would consume is copied."""
        active = tuple(t is not None for t in node.tangents)
        new = self.request(node.function, active, stm.prov.span)
        b = self.builder(stm.prov)
        args = (*node.args, *(t for t in node.tangents if t is not None))
        b.stms.append(Stm(stm.outs, self.copying_call(b, new, args), stm.prov))
        return b.stms

    def expand_custom_vjp(self, stm: Stm, node: Vjp, rule: str, pullback: str) -> list[Stm]:
        """The node as calls of the user's two functions, which are then ordinary programs."""
        b = self.builder(stm.prov)
        source, count = self.signatures[node.function], len(self.signatures[node.function].results)
        kept = b.bind(
            self.copying_call(b, rule, node.args), self.signatures[rule].results[count:], "res"
        )
        call = b.stms.pop()
        b.stms.append(replace(call, outs=(*stm.outs[:count], *kept)))
        cotangents = [
            b.zeros_like(out) if bar is None else bar
            for out, bar in zip(stm.outs[:count], node.cotangents, strict=True)
            if out.type.is_float
        ]
        wanted = dict(zip(node.wrt, stm.outs[count:], strict=True))
        bars = tuple(
            wanted[k] if k in wanted else self.names.var("bar", t)
            for k, t in enumerate(source.params)
            if t.is_float
        )
        second = self.copying_call(b, pullback, (*kept, *cotangents))
        b.stms.append(Stm(bars, second, stm.prov))
        return b.stms

    def copying_call(self, b: Builder, name: str, args: Sequence[Atom]) -> Call:
        """A call that leaves its array arguments to the caller."""
        taken = self.signatures[name].consumed
        return Call(
            name,
            tuple(
                b.prim("copy", a, hint="own") if k in taken and not a.type.is_scalar else a
                for k, a in enumerate(args)
            ),
        )


@dataclass(slots=True)
class _Body:
    """The derivative of one function; `live` are the variables that may have tangents."""

    forward: _Forward
    source: Function
    dot_params: tuple[Var, ...]
    live: frozenset[Var]
    dots: dict[Var, Atom] = field(default_factory=dict[Var, Atom])

    @staticmethod
    def over(forward: _Forward, source: Function, active: tuple[bool, ...]) -> _Body:
        chosen = [p for p, a in zip(source.params, active, strict=True) if a]
        dot_params = tuple(forward.names.var(dot_hint(p), p.type) for p in chosen)
        live = active_vars(source, frozenset(chosen), forward.prims)
        body = _Body(forward, source, dot_params, live)
        for param, dot in zip(chosen, dot_params, strict=True):
            body.give(param, dot)
        return body

    def function(self, name: str) -> Function:
        """The whole derivative function."""
        b = self.forward.builder(self.source.prov.through("jvp"))
        self.block(b, self.source.body)
        results = self.source.body.results
        dots = [self.solid(b, r) for r in results if r.type.is_float]
        params = (*self.source.params, *self.dot_params)
        return Function(
            name, params, b.block((*results, *dots)), prov=self.source.prov.through("jvp")
        )

    # Tangents.

    def dot(self, atom: Atom) -> Atom | None:
        """The tangent of an atom; None where it is zero."""
        return self.dots.get(atom) if isinstance(atom, Var) else None

    def give(self, var: Var, dot: Atom) -> None:
        """Makes `dot` the tangent of `var`."""
        if dot.type != var.type or var not in self.live:
            raise CompilerBug(f"{var.name!r}: {var.type} cannot have a tangent of {dot.type}")
        self.dots[var] = dot

    def fresh(self, var: Var) -> Var:
        """A new variable as the tangent of `var`."""
        dot = self.forward.names.var(dot_hint(var), var.type)
        self.give(var, dot)
        return dot

    def solid(self, b: Builder, atom: Atom) -> Atom:
        """The tangent, zeros included."""
        dot = self.dot(atom)
        return b.zeros_like(atom) if dot is None else dot

    # Statements.

    def block(self, b: Builder, block: Block) -> None:
        for stm in block.stms:
            self.stm(b, stm)

    def stm(self, b: Builder, stm: Stm) -> None:
        """Emits the primal statement and those of its tangents."""
        b.prov = stm.prov.through("jvp")
        match stm.expr:
            case Prim():
                self.prim(b, stm, stm.expr)
            case If():
                self.branch(b, stm, stm.expr)
            case For():
                self.counted(b, stm, stm.expr)
            case While():
                self.conditional(b, stm, stm.expr)
            case Call():
                self.call(b, stm, stm.expr)
            case Jvp():
                for part in self.forward.expand_jvp(stm, stm.expr):
                    self.expanded(b, part)
            case Vjp():
                self.pullback(b, stm, stm.expr)
            case _:
                unhandled(stm.expr)
        for out in stm.outs:
            # An array that may move has a tangent from the start, or aliases would not agree.
            if out in self.live and out not in self.dots and not out.type.is_scalar:
                self.give(out, b.zeros_like(out))

    def expanded(self, b: Builder, stm: Stm) -> None:
        """A statement that took the place of a node: its variables are new to the analysis."""
        if any(self.dot(a) is not None for a in atoms(stm.expr)):
            self.live |= {out for out in stm.outs if out.type.is_float}
        self.stm(b, stm)

    def prim(self, b: Builder, stm: Stm, expr: Prim) -> None:
        b.stms.append(stm)
        primitive = self.forward.prims[expr.op]
        dots = tuple(self.dot(a) for a in expr.args)
        rule = primitive.jvp
        if all(d is None for d in dots) or isinstance(rule, Zero):
            return
        if isinstance(rule, Unsupported):
            message = f"forward mode through {expr.op}: {rule.reason}"
            raise Limitation("RG2102", message, stm.prov.span)
        kept = {d for k, d in enumerate(dots) if k not in primitive.consumes}
        results = rule(b, expr.args, stm.outs, dots, expr.params)
        for out, result in zip(stm.outs, results, strict=True):
            if result is None:
                continue
            shared = result in kept and not result.type.is_scalar
            self.give(out, b.prim("copy", result, hint="dot") if shared else result)

    def call(self, b: Builder, stm: Stm, expr: Call) -> None:
        dots = [self.dot(a) for a in expr.args]
        if all(d is None for d in dots):
            b.stms.append(stm)
            return
        called = self.forward.signatures[expr.function]
        active = tuple(d is not None for d in dots)
        active = with_changed(called.params, active, called.changed)
        dots = [self.solid(b, a) if on else None
                for a, on in zip(expr.args, active, strict=True)]  # fmt: skip
        new = self.forward.request(expr.function, active, stm.prov.span)
        passed = [d for d in dots if d is not None]
        outs = (*stm.outs, *(self.fresh(out) for out in stm.outs if out.type.is_float))
        b.stms.append(Stm(outs, replace(expr, function=new, args=(*expr.args, *passed)), b.prov))

    def branch(self, b: Builder, stm: Stm, expr: If) -> None:
        sides: list[Builder] = []
        for block in (expr.then, expr.orelse):
            side = b.inner()
            self.block(side, block)
            sides.append(side)
        pairs = list(zip(expr.then.results, expr.orelse.results, strict=True))
        moving = [
            k
            for k, pair in enumerate(pairs)
            if stm.outs[k].type.is_float and any(self.dot(r) is not None for r in pair)
        ]
        then, orelse = (
            side.block((*block.results, *(self.solid(side, block.results[k]) for k in moving)))
            for side, block in zip(sides, (expr.then, expr.orelse), strict=True)
        )
        outs = (*stm.outs, *(self.fresh(stm.outs[k]) for k in moving))
        b.stms.append(Stm(outs, If(expr.cond, then, orelse), b.prov))

    def enter(self, b: Builder, loop: For | While) -> tuple[list[int], list[Atom], list[Var]]:
        """Which carried values have tangents, and the first values and variables of these."""
        moving = [k for k, var in enumerate(loop.carried) if var in self.live]
        inits = [self.solid(b, loop.inits[k]) for k in moving]
        return moving, inits, [self.fresh(loop.carried[k]) for k in moving]

    def counted(self, b: Builder, stm: Stm, expr: For) -> None:
        moving, inits, dots = self.enter(b, expr)
        side, count = b.inner(), len(expr.carried)
        self.block(side, expr.body)
        values, increments = expr.body.results[:count], expr.body.results[count:]
        summed = [k for k, r in enumerate(increments) if self.dot(r) is not None]
        results = (
            *values, *(self.solid(side, values[k]) for k in moving),
            *increments, *(self.solid(side, increments[k]) for k in summed),
        )  # fmt: skip
        outs = (
            *stm.outs[:count], *(self.fresh(stm.outs[k]) for k in moving),
            *stm.outs[count:], *(self.fresh(stm.outs[count + k]) for k in summed),
        )  # fmt: skip
        loop = replace(
            expr,
            carried=(*expr.carried, *dots),
            inits=(*expr.inits, *inits),
            body=side.block(results),
            sums=expr.sums + len(summed),
        )
        b.stms.append(Stm(outs, loop, b.prov))

    def conditional(self, b: Builder, stm: Stm, expr: While) -> None:
        moving, inits, dots = self.enter(b, expr)
        side = b.inner()
        self.block(side, expr.body)
        values = expr.body.results
        loop = replace(
            expr,
            carried=(*expr.carried, *dots),
            inits=(*expr.inits, *inits),
            cond=self.forward.expand_block(expr.cond),
            body=side.block((*values, *(self.solid(side, values[k]) for k in moving))),
        )
        outs = (*stm.outs, *(self.fresh(stm.outs[k]) for k in moving))
        b.stms.append(Stm(outs, loop, b.prov))

    def pullback(self, b: Builder, stm: Stm, expr: Vjp) -> None:
        """The tangent of a reverse sweep of f is one reverse sweep of jvp f.

        In jvp f the cotangent of x_dot is x_bar itself, and that of x is the tangent of x_bar.
        """
        custom = self.forward.table[expr.function].custom
        dots = [self.dot(a) for a in expr.args]
        bar_dots = [None if c is None else self.dot(c) for c in expr.cotangents]
        if all(d is None for d in (*dots, *bar_dots)):
            b.stms.append(stm)
            return
        if custom is not None and custom.pullback is not None:
            for part in self.forward.expand_custom_vjp(stm, expr, custom.rule, custom.pullback):
                self.expanded(b, part)
            return
        active = tuple(d is not None or k in expr.wrt for k, d in enumerate(dots))
        new = self.forward.request(expr.function, active, stm.prov.span)
        present = [k for k, a in enumerate(active) if a]
        passed: list[Atom] = []
        for k in present:
            dot = dots[k]
            passed.append(b.zeros_like(expr.args[k]) if dot is None else dot)
        count = len(expr.cotangents)
        values, bars = stm.outs[:count], stm.outs[count:]
        floats = [k for k, out in enumerate(values) if out.type.is_float]
        node = Vjp(
            new,
            (*expr.args, *passed),
            (*bar_dots, *(expr.cotangents[k] for k in floats)),
            (*expr.wrt, *(len(expr.args) + present.index(k) for k in expr.wrt)),
            expr.policy,
        )
        dotted = (*(self.fresh(values[k]) for k in floats), *map(self.fresh, bars))
        b.stms.append(Stm((*values, *dotted, *bars), node, b.prov))
