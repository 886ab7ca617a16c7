"""The pullback of a function on the user's arguments, for those who look at derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrograd.api.calls.arguments import chosen_arguments
from retrograd.api.calls.sharing import refuse_sharing
from retrograd.api.compile.derive import Task, argument_numbers, float_positions, pullback_task
from retrograd.api.compile.prepare import Prepared, prepare
from retrograd.api.functions import checked
from retrograd.errors import UserError
from retrograd.frontend.identity.arguments import numbers_of, parameters_of
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.named_constants import constant_extents
from retrograd.frontend.identity.specs import Met, spec_of
from retrograd.ir.terms import Var
from retrograd.report.residuals import nothing

__all__ = ["Pulled", "pulled"]


@dataclass(frozen=True, slots=True)
class Pulled:
    """A pullback before it is compiled.

    Attributes:
        name: the name of the function.
        inner: the function.
        argnums: its arguments that are differentiated; None is every float.
        task: its pullback.
        given: arguments of the pullback, with cotangents without elements.
        cotangents: the parameters of the task that are.
        arguments: for each parameter before them the name of the argument that it is part of.
    """

    name: str
    inner: Task
    argnums: tuple[int, ...] | None
    task: Task
    given: tuple[Any, ...]
    cotangents: tuple[Var, ...]
    arguments: tuple[str, ...]

    @property
    def flat(self) -> tuple[Any, ...]:
        """The arguments of the function, without cotangents."""
        pairs = zip(self.task.main.params, self.given, strict=True)
        return tuple(value for param, value in pairs if param not in self.cotangents)

    @property
    def with_value(self) -> Task:
        """The pullback with what the function returns as its first results."""
        main = self.task.main
        leaves = len(list(leaf_types(self.inner.out)))
        results = (*main.body.stms[-1].outs[:leaves], *main.body.results)
        entry = replace(main, body=replace(main.body, results=results))
        program = self.task.program
        kept = (entry if f.name == main.name else f for f in program.functions)
        return replace(self.task, program=replace(program, functions=tuple(kept)))


def pulled(
    fun: Callable[..., Any], who: str, args: Sequence[Any], kwargs: Mapping[str, Any],
    argnums: int | tuple[int, ...] | None,
) -> Pulled:  # fmt: skip
    """The pullback of `fun`, asked for by the public function `who`.

    Raises:
        UserError: no argument is a float, there is no such argument, or the program is outside the
            accepted subset.
    """
    fun = checked(fun, who)
    met = Met.whole(constants=constant_extents(fun))
    specs = [spec_of(value, f"argument {k}", met=met) for k, value in enumerate(args)]
    named = {name: spec_of(v, f"argument {name!r}", met=met) for name, v in kwargs.items()}
    prepared = prepare(fun, specs, named, derivative=True)
    inner = prepared.task
    span = inner.main.prov.span
    if not any(type_.is_float for type_ in leaf_types(inner.out)):
        raise UserError("RG0303", "the function returns no float, so that it has no derivative",
                        span, "return a float or an array of floats")  # fmt: skip
    numbers = None if argnums is None else _numbers(fun, prepared, argnums)
    wanted = None if numbers is None else float_positions(inner, numbers)
    count = sum(len(list(leaf_types(spec))) for spec in inner.args)
    if not any(var.type.is_float for var in inner.main.params[:count]):
        raise UserError("RG0302", "no argument is a float, so that there is no derivative", span,
                        "pass a float or a float64 array (for example 2.0 for 2)")  # fmt: skip
    task = pullback_task(inner, wanted=wanted)
    flat = prepared.traced.flatten(args, kwargs)
    refuse_sharing(fun, prepared.traced, flat)
    params = task.main.params
    bars = params[count : count + len(params) - len(flat)]
    given = (*flat[:count], *map(nothing, bars), *flat[count:])
    names = tuple(_names(fun, inner, kwargs))
    return Pulled(_title(fun), inner, numbers, task, given, bars, names)


def _numbers(
    fun: Callable[..., Any], prepared: Prepared, argnums: int | tuple[int, ...]
) -> tuple[int, ...]:
    """The arguments that are differentiated, each once, counted from 0."""
    traced = prepared.traced
    keywords = [name for name, _ in traced.keywords]
    try:
        chosen = chosen_arguments(argnums, None)
        found = numbers_of(parameters_of(fun), chosen, len(traced.inputs), keywords)
    except UserError as error:
        place = prepared.task.main.prov.span
        raise UserError(error.code, error.message, place, error.way_out) from None
    return tuple(dict.fromkeys(argument_numbers(found)))


def _title(fun: Callable[..., Any]) -> str:
    name: object = getattr(fun, "__name__", None)
    return name if isinstance(name, str) else str(fun)


def _names(fun: Callable[..., Any], task: Task, kwargs: Mapping[str, Any]) -> list[str]:
    """The name of the argument that each leaf is part of."""
    try:
        given = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        given = []
    own = [p.name for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    positional = len(task.args) - len(kwargs)
    rest = [str(k) for k in range(len(own), positional)]
    every = [*own[:positional], *rest, *kwargs]
    return [
        name for name, spec in zip(every, task.args, strict=False) for _ in leaf_types(spec)
    ]  # fmt: skip
