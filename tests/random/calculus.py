"""Derivatives in two ways with one interface: native code, and the interpreter on lowered programs.

The second says whether a fault is in a transformation or in the code generator, and is quicker for
small programs because nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import retrograd as rg
from retrograd.api.compile.derive import Task, jvp_task, pullback_task
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import Prepared, prepare
from retrograd.api.compile.shapes import arrange
from retrograd.backends.interp.eval import run
from retrograd.frontend.identity.flattening import cotangent_specs, leaf_types, leaves, unflatten
from retrograd.frontend.identity.specs import ArgSpec, specs_of
from retrograd.ir.terms import Program
from retrograd.transforms.driver import INTERRUPTIBLE, Pipeline, Stage, When
from retrograd.transforms.pipelines import PULLBACKS, UNNEEDED
from tests.random.programs.module import copied

__all__ = ["UNOPTIMISED", "Calculus", "Interpreted", "Native"]

Function = Callable[..., Any]
Args = tuple[Any, ...]


class Calculus(Protocol):
    """Both modes, and the call of a function that one of them made."""

    def jvp(self, f: Function, args: Args, tangents: Args) -> tuple[Any, Any]: ...
    def vjp(self, f: Function, args: Args) -> tuple[Any, Function]: ...
    def call(self, f: Function, args: Args) -> Any: ...


class Native:
    """What users get."""

    def jvp(self, f: Function, args: Args, tangents: Args) -> tuple[Any, Any]:
        return rg.jvp(f, args, tangents)

    def vjp(self, f: Function, args: Args) -> tuple[Any, Function]:
        return rg.vjp(f, *args)

    def call(self, f: Function, args: Args) -> Any:
        return f(*args)


LOWERED = Pipeline("lowered", (*INTERRUPTIBLE.stages, Stage("unneeded", (UNNEEDED,))))

UNOPTIMISED = Pipeline(
    "unoptimised",
    (
        Stage("pullbacks", tuple(p for p in PULLBACKS if p.name == "pullbacks"), When.PULLBACKS),
        *(stage for stage in INTERRUPTIBLE.stages if stage.name in ("points", "cotangents")),
    ),
)
"""What programs go through that only take cotangents of their own expressions, and no more."""


Specs = tuple[ArgSpec, ...]


@dataclass
class Interpreted:
    """The same programs as far as code generation, checked after every pass, then interpreted."""

    product: Pipeline = LOWERED
    check: bool = True
    prepared: dict[tuple[int, Specs], tuple[Function, Prepared]] = field(default_factory=dict)
    """By `id`, with the function itself, so that no other one gets its number."""
    made: dict[tuple[int, str, Specs], tuple[Prepared, Task, Program]] = field(default_factory=dict)

    def _program(self, f: Function, kind: str, args: Args) -> tuple[Prepared, Task, Program]:
        specs = tuple(specs_of(args))
        key = id(f), kind, specs
        if key not in self.made:
            if (id(f), specs) not in self.prepared:
                self.prepared[id(f), specs] = f, prepare(f, specs, {}, True)
            _, prepared = self.prepared[id(f), specs]
            makers: dict[str, Callable[[Task], Task]] = {
                "jvp": jvp_task,
                "vjp": pullback_task,
                "call": lambda task: task,
            }
            task = makers[kind](prepared.task)
            made = self.product.run(task.program, known(), check=self.check)
            self.made[key] = prepared, task, made
        return self.made[key]

    def jvp(self, f: Function, args: Args, tangents: Args) -> tuple[Any, Any]:
        prepared, task, program = self._program(f, "jvp", args)
        flat = prepared.traced.flatten(copied(args))
        dots = [d for s, t in zip(prepared.task.args, tangents, strict=True) for d in leaves(s, t)]
        count = len(dots)
        found = run(program, [*flat[:count], *dots, *flat[count:]], known())
        return unflatten(task.out, iter(found))

    def vjp(self, f: Function, args: Args) -> tuple[Any, Function]:
        return self.call(f, args), lambda y_bar: self.pulled(f, args, y_bar)

    def pulled(self, f: Function, args: Args, y_bar: Any) -> tuple[Any, ...]:
        """The cotangents of the arguments."""
        prepared, _, program = self._program(f, "vjp", args)
        specs = prepared.task.args
        flat = prepared.traced.flatten(copied(args))
        count = sum(len(list(leaf_types(s))) for s in specs)
        bars = list(leaves(prepared.task.out, y_bar))
        parts = iter(run(program, [*flat[:count], *bars, *flat[count:]], known()))
        trees = cotangent_specs(specs, range(len(specs)))
        return tuple(unflatten(spec, parts) for spec in trees)

    def call(self, f: Function, args: Args) -> Any:
        prepared, task, program = self._program(f, "call", args)
        flat = prepared.traced.flatten(copied(args))
        found = run(program, flat, known())
        if prepared.levels:
            return arrange(prepared.base.trees, prepared.levels, flat, found)
        return unflatten(task.out, iter(found))
