"""From a function and the types of its arguments to its task, and to native code: the compiler.

Nothing imports this before it is needed: code from the disk cache (`stored`) runs without it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrograd.api.compile.artefact import Argnums, Image, Ready, linked
from retrograd.api.compile.derive import Task, grad_task, product_task
from retrograd.api.compile.intrinsics import HANDLERS
from retrograd.api.compile.jacobian import jacobian_task, stays_small
from retrograd.api.compile.native import build
from retrograd.errors import UserError
from retrograd.frontend.identity.arguments import numbers_of, parameters_of
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.frontend.identity.transformed import Transformed
from retrograd.frontend.trace import Traced, trace_function
from retrograd.ir.terms import Program, Vjp
from retrograd.ir.traverse import stms_deep
from retrograd.options.checkpointing import Checkpointing
from retrograd.options.saving import BUDGET, policy_named
from retrograd.transforms.silence import silenced, with_silent_derivatives

__all__ = ["Prepared", "compiled", "has_budgets", "has_ways", "prepare"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A task with the trace that it came from (which reads hidden arguments and checks guards).

    `base` is the task below the outermost Jacobians, whose argnums are `levels`, innermost first.
    `silent`: what the function shows has been taken out.
    """

    traced: Traced
    task: Task
    base: Task
    levels: tuple[Argnums, ...] = ()
    silent: bool = False


def prepare(
    fun: Callable[..., Any],
    args: Sequence[ArgSpec],
    kwargs: Mapping[str, ArgSpec],
    derivative: bool,
    outermost: bool = True,
    voiced: bool = False,
) -> Prepared:
    """Traces `fun` and applies the transformations that it is made of, innermost first.

    How the `outermost` derivative is paid for is left to whoever asks. Without `voiced` nothing is
    shown by the program: derivatives are silent, the function itself is run for that.
    """
    if not isinstance(fun, Transformed):
        traced = trace_function(fun, args, kwargs, intrinsics=HANDLERS, write_back=not derivative)
        inputs = (*traced.inputs, *(spec for _, spec in traced.keywords))
        extra = len(traced.program.main.body.results) - traced.results
        program = silenced(traced.program)
        silent = not voiced and program is not traced.program
        if voiced:
            program = with_silent_derivatives(traced.program)
        task = Task(program, inputs, traced.output, extra)
        return Prepared(traced, task, task, silent=silent)
    plain = fun.kind == "jit"
    inner = prepare(fun.fun, args, kwargs, derivative or fun.kind != "jit", False, voiced and plain)
    if plain:
        return inner
    argnums = _numbers(fun, inner)
    match fun.kind:
        case "grad" | "value_and_grad":
            _no_jacobian(inner, fun.kind)
            with_value = fun.kind == "value_and_grad"
            way = None if outermost else fun.checkpointing
            task = grad_task(inner.task, argnums, fun.has_aux, with_value, way)
            return replace(inner, task=task, base=task)
        case "jacfwd" | "jacrev":
            return _jacobian(inner, argnums, fun.kind == "jacfwd", fun.checkpointing)
        case "hessian":
            return _jacobian(_jacobian(inner, argnums, False, fun.checkpointing), argnums, True)
        case _:
            return inner


def _numbers(fun: Transformed, inner: Prepared) -> Argnums:
    """The arguments that are differentiated, counted from 0, keywords last."""
    traced = inner.traced
    keywords = [name for name, _ in traced.keywords]
    names = parameters_of(fun)
    try:
        return numbers_of(names, fun.argnums, len(traced.inputs), keywords)
    except UserError as error:
        place = inner.task.main.prov.span
        raise UserError(error.code, error.message, place, error.way_out) from None


def _jacobian(
    inner: Prepared, argnums: Argnums, forward: bool, way: Checkpointing | None = None
) -> Prepared:
    in_matrices = bool(inner.levels) or not stays_small(inner.task, argnums)
    task = jacobian_task(inner.task, argnums, forward, in_matrices, way)
    if not in_matrices:
        return replace(inner, task=task, base=task)
    return replace(inner, task=task, levels=(*inner.levels, argnums))


def _no_jacobian(inner: Prepared, kind: str) -> None:
    if inner.levels:
        raise UserError(
            "RG0303", f"{kind} needs a function that returns one float, not a Jacobian",
            inner.task.main.prov.span, "use jacfwd or jacrev of it",
        )  # fmt: skip


def has_ways(program: Program) -> bool:
    """Whether there are derivatives in it that are paid for in ways of their own."""
    nodes = (s.expr for f in program.functions for s in stms_deep(f.body))
    return any(isinstance(node, Vjp) and node.policy is not None for node in nodes)


def has_budgets(program: Program) -> bool:
    """Whether there are checkpointed functions in it whose policy is a number of bytes."""
    marks = (m for f in program.functions for s in stms_deep(f.body) for m in s.prov.checkpoints)
    return any(policy_named(mark.policy).kind == BUDGET for mark in marks)


def compiled(
    fun: Callable[..., Any],
    args: Sequence[ArgSpec],
    kwargs: Mapping[str, ArgSpec],
    product: str,
    start: float,
) -> tuple[Traced, Image, Ready] | None:
    """Native code for arguments of these specs, begun at the time `start`.

    None where there are derivatives in it that are paid for in ways of their own.

    `product` is "jvp" or "vjp" for products with the Jacobian, "" for the function itself.
    """
    voiced = product in ("", "value")
    prepared = prepare(fun, args, kwargs, product != "", not product, voiced)
    task = prepared.task
    if has_ways(task.program):
        return None
    if product:
        task = product_task(task, product)
    image = build(task)
    built = linked(image, time.perf_counter() - start)
    trees = prepared.task.trees, task.trees, prepared.base.trees
    # Without the program: it is not needed any more, and large.
    return (
        prepared.traced,
        image,
        Ready(
            prepared.traced.interface,
            *trees,
            prepared.levels,
            built,
            prepared.silent,
            has_budgets(task.program),
        ),
    )
