"""Checkpointed functions inside programs: marks on statements, which say what may be saved.

A checkpointed function is translated as any function. What is emitted for a call of it is marked as
part of one execution; the marks are read when the residuals of a derivative are chosen, and by
nothing else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from retrograd.errors import UserError
from retrograd.frontend.library.args import bind
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    DictValue,
    Instance,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Value,
    describe,
    parts,
)
from retrograd.frontend.values.tracer import Context, Handler, Tracer
from retrograd.ir.terms import Atom, Checkpointed, Var
from retrograd.options import checkpoint_policies
from retrograd.options.saving import Policy, policy_of

__all__ = [
    "POLICIES", "call_checkpointed", "checkpoint", "checkpoint_name", "warn_of_names",
]  # fmt: skip


def call_checkpointed(
    t: Tracer, fun: Transform, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """The value of a call of a checkpointed function: one execution, inside of those around."""
    if fun.fun == NONE:  # what a call with options alone gives: a decorator
        return replace(fun, fun=args[0])
    policy = fun.policy or checkpoint_policies.nothing_saveable
    t.ctx.policies.setdefault(policy, t.span)
    execution = Checkpointed(t.ctx.names.name("checkpoint"), policy.text)
    builder, saved = t.b, t.b.prov
    builder.prov = replace(saved, checkpoints=(*saved.checkpoints, execution))
    try:
        return t.call(fun.fun, args, kwargs)
    finally:
        builder.prov = t.b.prov = saved


def checkpoint(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `checkpoint(fun, policy=...)`: a function value."""
    names = "fun prevent_cse policy static_argnums static_argnames"
    if len(args) > 1:
        raise t.error(
            "RG0108", f"checkpoint with {len(args)} positional arguments",
            "give it the function, and the others by name: rg.checkpoint(f, policy=...)",
        )  # fmt: skip
    fun, _, policy, _, _ = bind(t, "checkpoint", args, kwargs, names, 0)
    return Transform("checkpoint", NONE if fun is None else fun, policy=_policy(t, policy))


def _policy(t: Tracer, value: Value | None) -> Policy:
    if value is not None and not isinstance(value, Static):
        raise t.error(
            "RG4102", f"the policy is {describe(value)}",
            "use one of rg.checkpoint_policies, or a function that is defined outside of the "
            "program",
        )  # fmt: skip
    made = _placed(t, policy_of, None if value is None else value.obj)
    if any(one.function is not None for one in made.every()):
        # What the user's function looks at besides the record is not looked at here.
        t.ctx.recorder.obstacle = f"the policy {made.kind!r} is the user's"
    return made


def _placed(t: Tracer, make: Callable[..., Policy], *args: object, **kwargs: object) -> Policy:
    """A policy; what is refused of it is at the present place."""
    try:
        return make(*args, **kwargs)
    except UserError as error:
        raise t.error(error.code, error.message, error.way_out or "") from None


def _known(t: Tracer, value: Value) -> Any:
    """A name, a policy, a number of bytes or several names, as an argument of a policy."""
    value = frozen(t, value)
    if isinstance(value, TupleValue):
        return [_known(t, item) for item in value.items]
    if isinstance(value, Static):
        return value.obj
    number = known_int(t, value)
    if number is not None:
        return number
    raise t.error(
        "RG4103", f"a policy is made of {describe(value)}, which is only known when the program "
        "runs", "write names and bytes down, or make the policy outside of the program",
    )  # fmt: skip


def _maker(make: Callable[..., Policy]) -> Handler:
    """The handler of a function that makes a policy."""

    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        given = [_known(t, value) for value in args]
        named = {name: _known(t, value) for name, value in kwargs.items()}
        return Static(_placed(t, make, *given, **named))

    return handler


POLICIES: Mapping[str, Handler] = {
    make.__name__: _maker(make)
    for make in (
        checkpoint_policies.save_anything_except_these_names,
        checkpoint_policies.save_any_names_but_these,
        checkpoint_policies.save_only_these_names,
        checkpoint_policies.save_from_both_policies,
        checkpoint_policies.save_and_offload_only_these_names,
        checkpoint_policies.offload_dot_with_no_batch_dims,
        checkpoint_policies.budget,
    )
}
"""The handlers of the functions that make policies, by their names."""


def checkpoint_name(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `checkpoint_name(x, name)`: x itself, whose atoms are known by that name."""
    value, name = bind(t, "checkpoint_name", args, kwargs, "x name", 2)
    assert value is not None
    assert name is not None
    if not isinstance(name, Static):
        raise t.error(
            "RG4103", f"the name of a value is {describe(name)} that is only known when the "
            "program runs",
            "leave the number of the iteration out of the name, or loop over a tuple, whose items "
            "are known: for i in (0, 1, 2)",
        )  # fmt: skip
    if not isinstance(name.obj, str):
        raise t.error("RG4102", f"{describe(name)} is no name of a value", "give a text")
    t.ctx.all_names.add(name.obj)
    for atom in _atoms(t, value):
        if isinstance(atom, Var):
            t.ctx.named.setdefault(atom, []).append(name.obj)
    return value


def warn_of_names(ctx: Context) -> None:
    """Warns of names in policies that no value has; JAX is silent about them."""
    for policy, span in ctx.policies.items():
        for name in dict.fromkeys(policy.every_name()):
            if name in ctx.all_names:
                continue
            near = get_close_matches(name, sorted(ctx.all_names), 1)
            others = near or sorted(ctx.all_names)
            known = f"; there {'is' if len(others) == 1 else 'are'} {', '.join(map(repr, others))}"
            text = f"no value has the name {name!r}, which a checkpoint policy is about"
            file, line = (span.file, span.line) if span is not None else ("", 0)
            warnings.warn_explicit(text + known * bool(others), RuntimeWarning, file, line)


def _atoms(t: Tracer, value: Value) -> Iterator[Atom]:
    """The numbers and whole arrays in a value, lists and dicts included."""
    match value:
        case Scalar():
            yield value.atom
        case ArrayRef():
            yield t.base(value.loc)
        case Instance():
            for cell in value.cells:
                yield from _atoms(t, t.state.cells.get(cell, NONE))
        case TupleValue() | DictValue():
            for part in parts(value):
                yield from _atoms(t, part)
        case _:
            return
