"""The entry point: a Python function and the types of its arguments give a typed program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from types import FunctionType
from typing import Any

from retrograd.errors import UserError
from retrograd.frontend.calls import call
from retrograd.frontend.core import (
    Context,
    Engine,
    Frame,
    Guard,
    Handler,
    Hidden,
    HiddenKey,
    NeedHidden,
    State,
    Tracer,
)  # fmt: skip
from retrograd.frontend.expr import evaluate
from retrograd.frontend.functions import Callee, match_arguments
from retrograd.frontend.intrinsics import apply
from retrograd.frontend.library.tables import library
from retrograd.frontend.liveness import scope_of
from retrograd.frontend.methods import METHODS
from retrograd.frontend.pure import Pure, pure_function
from retrograd.frontend.scopes import abstract_of_spec
from retrograd.frontend.specialise import Request
from retrograd.frontend.specs import ArgSpec, leaves, unflatten
from retrograd.frontend.stmts import run_block
from retrograd.frontend.transformed import Ruled
from retrograd.frontend.values import Static
from retrograd.ir.build import Builder
from retrograd.ir.terms import Call, Function, Jvp, Program, Prov, Vjp
from retrograd.ir.traverse import stms_deep
from retrograd.prims import DEFAULT
from retrograd.prims.core import PrimitiveSet

__all__ = ["Traced", "trace_function"]


@dataclass(frozen=True, slots=True)
class Traced:
    """A translated function.

    The entry's parameters are the leaves of `inputs` (positional, then `keywords`), then those of
    `hidden`, whose values are read at every call. Its results are the leaves of `output`, then the
    final versions of the array parameters at the positions in `written`, which the caller writes
    back. `guards` are the baked objects: the program is valid as long as all of them hold.
    """

    program: Program
    inputs: tuple[ArgSpec, ...]
    keywords: tuple[tuple[str, ArgSpec], ...]
    hidden: tuple[Hidden, ...]
    output: ArgSpec
    results: int
    written: tuple[int, ...]
    guards: tuple[Guard, ...]

    def flatten(self, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> list[Any]:
        """The entry's arguments for actual ones, with the hidden arguments as they are now."""
        found: list[Any] = []
        for spec, value in zip(self.inputs, args, strict=True):
            found += leaves(spec, value)
        for name, spec in self.keywords:
            found += leaves(spec, (kwargs or {})[name])
        for hidden in self.hidden:
            found += leaves(hidden.spec, hidden.read())
        return found

    def unflatten(self, results: Sequence[Any]) -> Any:
        """The value that the function returns, from the entry's results."""
        taken: Iterator[Any] = iter(results[: self.results])
        return unflatten(self.output, taken)

    def holds(self) -> bool:
        """Whether every baked function still has the code that was compiled."""
        for guard in self.guards:  # noqa: SIM110 - a plain loop, as this runs at every call
            if not guard.holds():
                return False
        return True


def trace_function(
    f: Callable[..., Any],
    args: Sequence[ArgSpec],
    kwargs: Mapping[str, ArgSpec] | None = None,
    *,
    prims: PrimitiveSet = DEFAULT,
    intrinsics: Mapping[int, Handler] | None = None,
    write_back: bool = True,
) -> Traced:
    """Translates `f` for arguments of these specs.

    `intrinsics` are handlers for the caller's own functions, by `id`. With `write_back=False` the
    final versions of written arguments are no results (derivatives never change their arguments).
    """
    plain = f.fun if isinstance(f, Ruled) else f
    if not isinstance(plain, FunctionType):
        raise UserError(
            "RG0107",
            f"{getattr(f, '__name__', type(f).__name__)!r} is not a Python function",
            way_out="pass a function defined with `def` or `lambda`",
        )
    engine = Engine(evaluate, run_block, call, library(METHODS), intrinsics or {})
    ctx = Context(prims, engine)
    ctx.guard(plain)
    callee = Callee(ctx.sources.of(plain, None), ctx.sources.home(plain), Static(f))
    keywords = tuple((kwargs or {}).items())
    needs: dict[HiddenKey, Hidden] = {}
    while True:
        try:
            entry = _entry(ctx, callee, tuple(args), keywords, tuple(needs.values()), write_back)
        except NeedHidden as need:
            needs[need.hidden.key] = need.hidden
            continue
        break
    if ctx.pending:
        raise ctx.pending[0]
    program = _program(ctx, entry)
    hidden, guards = tuple(needs.values()), tuple(ctx.guards.values())
    return Traced(
        program, tuple(args), keywords, hidden, entry.output, entry.results,
        entry.written if write_back else (), guards,
    )  # fmt: skip


def _entry(
    ctx: Context,
    callee: Callee,
    args: tuple[ArgSpec, ...],
    keywords: tuple[tuple[str, ArgSpec], ...],
    hidden: tuple[Hidden, ...],
    write_back: bool,
) -> Pure:
    """Translates the entry function itself, with its hidden arguments as parameters."""
    ctx.pending.clear()
    numbers = count()
    given = [abstract_of_spec(ctx, spec, numbers) for spec in args]
    named = {name: abstract_of_spec(ctx, spec, numbers) for name, spec in keywords}
    extra = tuple((h, abstract_of_spec(ctx, h.spec, numbers)) for h in hidden)
    frame = Frame(callee.source, callee.origin, scope_of(callee.source), {}, {}, ctx.fresh())
    outside = Tracer(ctx, frame, Builder(ctx.names, ctx.prims.result_types), State())
    outside.b.prov = Prov(callee.source.span(callee.source.node))
    bound = match_arguments(outside, callee, given, named)
    values = tuple(bound.values())
    custom = isinstance(callee.fun, Static) and isinstance(callee.fun.obj, Ruled)
    run = apply if custom else None
    request = Request(callee, tuple(bound), callee.fun, values, (), extra, run)
    name = ctx.names.name(callee.source.name)
    return pure_function(ctx, name, request, write_back=write_back)


def _program(ctx: Context, entry: Pure) -> Program:
    """The entry and what it calls, callees last."""
    reached: dict[str, None] = {entry.function.name: None}
    pending = [entry.function]
    while pending:
        for name in _callees(pending.pop()):
            if name not in reached:
                reached[name] = None
                pending.append(ctx.functions[name])
    functions = tuple(ctx.functions[name] for name in reached)
    return Program(functions, entry.function.name)


def _callees(function: Function) -> Iterator[str]:
    for stm in stms_deep(function.body):
        if isinstance(stm.expr, Call | Jvp | Vjp):
            yield stm.expr.function
    if function.custom is not None:
        yield function.custom.rule
        if function.custom.pullback is not None:
            yield function.custom.pullback
