"""The reference evaluator: what a program means, one statement at a time.

Slow and plain on purpose. Scalars are NumPy or Python numbers, arrays are `numpy.ndarray`; no array
is ever changed in place, so sharing is never visible. Primitives bring their own evaluation rule.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrograd.backends.interp.tape import Tape
from retrograd.errors import CompilerBug, Limitation
from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
)  # fmt: skip
from retrograd.ir.traverse import stms_deep
from retrograd.prims.bundles import Bundle, by_lanes
from retrograd.prims.core import Effect, PrimitiveSet, RaisedError
from retrograd.prims.facts import Bundled
from retrograd.prims.reduce import lane_sum
from retrograd.recursion import as_deep_as

__all__ = ["Machine", "evaluating", "run"]

Env = dict[str, Any]

_FRAMES_PER_CALL = 20


def run(
    program: Program,
    args: Sequence[Any],
    prims: PrimitiveSet,
    *,
    tape: Tape | None = None,
    entry: str | None = None,
    max_depth: int = 10_000,
) -> tuple[Any, ...]:
    """Results of the entry (or of the function `entry`) on `args`, which are left as they are.

    `tape` is what `push` and `pop` work on. Deeper calls than `max_depth` raise RecursionError.
    """
    function = program.function(program.entry if entry is None else entry)
    if len(args) != len(function.params):
        raise CompilerBug(f"{function.name!r} takes {len(function.params)} arguments")
    table = {f.name: f for f in program.functions}
    machine = Machine(table, prims, Tape() if tape is None else tape, max_depth)
    with evaluating(max_depth):
        return machine.call(function, tuple(args))


@contextmanager
def evaluating(max_depth: int) -> Generator[None]:
    """What a `Machine` runs in: NumPy does not warn, and calls may be that deep.

    Raises `RaisedError` where they are too deep for Python itself.
    """
    with np.errstate(all="ignore"), as_deep_as(max_depth * _FRAMES_PER_CALL):
        try:
            yield
        except RecursionError:
            raise _too_deep() from None


def _too_deep() -> RaisedError:
    return RaisedError("RecursionError", "maximum recursion depth exceeded")


def _value(atom: Atom, env: Env) -> Any:
    return env[atom.name] if isinstance(atom, Var) else atom.value


@dataclass(slots=True)
class Machine:
    """One run. Names are unique in a function, so a call needs one flat environment."""

    functions: Mapping[str, Function]
    prims: PrimitiveSet
    tape: Tape
    max_depth: int
    depth: int = 0

    def call(self, function: Function, args: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.depth >= self.max_depth:
            raise _too_deep()
        self.depth += 1
        env: Env = dict(zip((p.name for p in function.params), args, strict=True))
        results = self.block(function.body, env)
        self.depth -= 1
        return results

    def block(self, block: Block, env: Env) -> tuple[Any, ...]:
        for stm in block.stms:
            self.stm(stm, env)
        return tuple([_value(atom, env) for atom in block.results])

    def stm(self, stm: Stm, env: Env) -> None:
        try:
            values, outs = self.expr(stm.expr, env), stm.outs
        except RaisedError as error:
            if error.span is not None and error.span.shared:
                error.span = stm.prov.span or error.span  # the line that calls it
            raise
        if len(values) != len(outs):
            raise CompilerBug(f"{len(values)} values for {len(outs)} names", stm.prov.span)
        for out, value in zip(outs, values):  # noqa: B905 - just compared, and these are many
            env[out.name] = value

    def expr(self, expr: Expr, env: Env) -> tuple[Any, ...]:
        match expr:
            case Prim():
                values = [env[a.name] if isinstance(a, Var) else a.value for a in expr.args]
                return self.prim(expr, values)
            case If():
                taken = expr.then if _value(expr.cond, env) else expr.orelse
                return self.block(taken, env)
            case For():
                return self.counted(expr, env)
            case While():
                return self.conditional(expr, env)
            case Call():
                callee = self.functions[expr.function]
                return self.call(callee, tuple([_value(a, env) for a in expr.args]))
            case Jvp() | Vjp():
                raise Limitation(
                    "RG0903",
                    f"the interpreter does not evaluate the derivative of {expr.function!r}",
                    way_out="expand derivatives first",
                )
            case _:
                unhandled(expr)

    def prim(self, expr: Prim, values: list[Any]) -> tuple[Any, ...]:
        primitive = self.prims[expr.op]
        if primitive.effect is not Effect.TAPE:
            for value in values:
                if isinstance(value, Bundle) and primitive.facts.bundled is not Bundled.OWN:
                    return by_lanes(primitive.eval, primitive.facts, values, expr.params)
            return primitive.eval(values, expr.params)
        if expr.op == "push":
            self.tape.push(tuple(values))
            return ()
        types = expr.param("types")
        return self.tape.pop(len(types) if isinstance(types, tuple) else 0)

    def counted(self, expr: For, env: Env) -> tuple[Any, ...]:
        trips = max(0, int(_value(expr.trips, env)))
        values = tuple([_value(a, env) for a in expr.inits])
        indices = range(trips - 1, -1, -1) if expr.descending else range(trips)
        values, increments = self.iterations(expr, indices, values, env)
        return (*values, *(lane_sum(np.array(store, np.float64)) for store in increments))

    def iterations(
        self, expr: For, indices: Sequence[int], values: tuple[Any, ...], env: Env
    ) -> tuple[tuple[Any, ...], list[list[Any]]]:
        """Iterations of a loop that carries `values`: what it carries then; the sums' terms.

        Where there are none nothing is on the tape: the reverse loop may not even be come to.
        """
        count = len(expr.carried)
        increments: list[list[Any]] = [[] for _ in range(expr.sums)]
        iterate = self.in_block(expr) if expr.block and indices else self.block
        for index in indices:
            env[expr.index.name] = index
            env.update(zip((v.name for v in expr.carried), values, strict=True))
            results = iterate(expr.body, env)
            values = results[:count]
            for store, increment in zip(increments, results[count:], strict=True):
                store.append(increment)
        if isinstance(iterate, _BlockLoop):
            iterate.close()
        return values, increments

    def in_block(self, expr: For) -> _BlockLoop:
        ops = {s.expr.op for s in stms_deep(expr.body) if isinstance(s.expr, Prim)}
        if {"push", "pop"} <= ops:
            raise CompilerBug("a block loop both pushes and pops")
        if "pop" in ops:
            return _BlockLoop(self, expr.index.name, self.tape.pop_block(), pops=True)
        return _BlockLoop(self, expr.index.name, {}, pops=False)

    def conditional(self, expr: While, env: Env) -> tuple[Any, ...]:
        names = [v.name for v in expr.carried]
        values = tuple([_value(a, env) for a in expr.inits])
        while True:
            env.update(zip(names, values, strict=True))
            (go_on,) = self.block(expr.cond, env)
            if not go_on:
                return values
            values = self.block(expr.body, env)


@dataclass(slots=True)
class _BlockLoop:
    """Runs the iterations of a `block` loop, each on its own tape, kept by loop index."""

    machine: Machine
    index: str
    tapes: dict[int, Tape]
    pops: bool

    def __call__(self, body: Block, env: Env) -> tuple[Any, ...]:
        outer = self.machine.tape
        self.machine.tape = self.tapes.setdefault(env[self.index], Tape())
        try:
            return self.machine.block(body, env)
        finally:
            self.machine.tape = outer

    def close(self) -> None:
        """After the last iteration: leaves the block on the tape, or finds it used up."""
        if not self.pops:
            self.machine.tape.push_block(self.tapes)
        elif any(tape.entries for tape in self.tapes.values()):
            raise CompilerBug("a block loop left entries on the tape")
