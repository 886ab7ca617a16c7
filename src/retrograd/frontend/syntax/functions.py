"""Function values: closures made in the program, and how arguments meet parameters."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import cast

from retrograd.frontend.identity.flattening import has_lists
from retrograd.frontend.identity.lookups import DATA, STATIC, VALUE
from retrograd.frontend.identity.orderings import ordering_for
from retrograd.frontend.identity.source import FunctionSource, Home
from retrograd.frontend.identity.specs import Met, is_static, spec_of
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.library.ways_out import NO_MATRIX, of_masked_arrays
from retrograd.frontend.values.baked import with_numbers
from retrograd.frontend.values.dicts import dict_of
from retrograd.frontend.values.function_attributes import attribute_cells
from retrograd.frontend.values.kinds import Closure, DictValue, Static, TupleValue, Value
from retrograd.frontend.values.liveness import scope_of
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Hidden, NeedHidden, Tracer
from retrograd.records import quickly_made

__all__ = [
    "Callee", "bind_arguments", "callee_of", "closure_of", "defaults_in", "defaults_of", "is_ours",
    "match_arguments", "unknown",
]  # fmt: skip


@quickly_made
@dataclass(frozen=True, slots=True)
class Callee:
    """A function about to be translated: its syntax and where its names come from."""

    source: FunctionSource
    origin: Home
    fun: Value


def closure_of(t: Tracer, node: ast.FunctionDef | ast.Lambda) -> Closure:
    """The value of a `def` or `lambda` inside the program."""
    source = t.ctx.sources.inner(t.frame.source, node)
    cells: list[tuple[str, int]] = []
    for name in sorted(scope_of(source).free):
        cell = t.frame.locals.get(name, t.frame.outer.get(name))
        if cell is not None:
            cells.append((name, cell))
    cells += attribute_cells(t, t.frame.source.node, node)
    args = node.args
    every = [a.arg for a in (*args.posonlyargs, *args.args)]
    names = every[len(every) - len(args.defaults) :]
    defaults = [t.eval(d) for d in args.defaults]
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        if default is not None:
            names.append(arg.arg)
            defaults.append(t.eval(default))
    return Closure(source, t.frame.origin, tuple(cells), tuple(names), tuple(defaults))


def callee_of(t: Tracer, fun: Value) -> Callee:
    """The syntax behind a function value."""
    match fun:
        case Closure():
            return Callee(fun.source, fun.origin, fun)
        case Static(obj=FunctionType() as function):
            if (way_out := of_masked_arrays(function)) is not None:
                raise t.error("RG0107", f"{function.__name__!r} is one of masked arrays", way_out)
            if (ordering := ordering_for(function)) is not None:
                return callee_of(t, Static(ordering))
            if (package := package_of(function)) is not None:
                raise t.error("RG0107", *unknown(function.__name__, package))
            sources = t.ctx.sources
            if not sources.home(function).ours:
                t.guard(function)
            find = sources.of_ours if is_ours(function) else sources.of
            return Callee(find(function, t.span), sources.home(function), fun)
        case _:
            raise t.error(
                "RG0107",
                "this is not a function",
                "give it a function defined with `def` or `lambda`",
            )


def is_ours(function: FunctionType) -> bool:
    """Whether a function is one of this package."""
    return (function.__module__ or "").startswith("retrograd.")


def unknown(name: str, package: str) -> tuple[str, str]:
    """What to say of a function that is not in the tables, and the way out."""
    if package == "numpy" and name in ("asmatrix", "bmat"):
        return f"np.{name} makes an np.matrix, which is not accepted", NO_MATRIX
    return (
        f"{name!r} of {package} is not known to retrograd",
        f"define {name} yourself, of functions that docs/language.md lists, or call it before and "
        "pass its result",
    )


def defaults_in(t: Tracer, callee: Callee) -> dict[str, Value]:
    """The defaults of a function's parameters, by name."""
    if isinstance(callee.fun, Closure):
        return dict(zip(callee.fun.names, callee.fun.defaults, strict=True))
    home = callee.origin
    args = callee.source.node.args
    every = [a.arg for a in (*args.posonlyargs, *args.args)]
    found: dict[str, Value] = {}
    values = home.defaults
    for k, (name, value) in enumerate(zip(every[len(every) - len(values) :], values, strict=True)):
        known = _axes_of(home, value)
        found[name] = _default(t, values, str(k), value, name) if known is None else known
    for name, value in home.kwdefaults.items():
        found[name] = _default(t, home.kwdefaults, name, value, name)
    return found


def _axes_of(home: Home, value: object) -> Value | None:
    """A default of a library program that is a tuple of numbers and texts, as of axes."""
    if not home.ours or not isinstance(value, tuple):
        return None
    items = cast("tuple[int | float | str, ...]", value)
    return TupleValue(tuple(Static(v) if isinstance(v, str) else literal(v) for v in items))


def _default(t: Tracer, holder: object, key: str, value: object, name: str) -> Value:
    """A default of a real function: numbers are literals, arrays are hidden arguments."""
    if isinstance(value, bool | int | float):
        t.recorder.ask("default", holder, key, VALUE)
        return literal(value)
    if is_static(value) or isinstance(value, str):
        t.recorder.ask("default", holder, key, STATIC)
        t.guard(value)
        return Static(value)
    t.recorder.ask("default", holder, key, DATA)
    opens = t.ctx.way.opens
    spec = spec_of(value, f"the default of {name!r}", t.span, Met.read(key, opens=opens))
    t.ctx.openable = t.ctx.openable or has_lists(spec)
    hidden = Hidden("default", holder, key, spec, opens=opens)
    if hidden.key in t.frame.hidden:
        return with_numbers(t, hidden)
    raise NeedHidden(hidden)


def match_arguments(
    t: Tracer, callee: Callee, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> dict[str, Value]:
    """The parameters that are given, in the order of the call; what `**name` gathers comes last."""
    spec = callee.source.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    only_positional = {a.arg for a in spec.posonlyargs}
    names = [*positional, *(a.arg for a in spec.kwonlyargs)]
    given = dict(zip(positional, args, strict=False))
    rest = tuple(args[len(positional) :])
    if spec.vararg is not None:
        given[spec.vararg.arg] = TupleValue(rest)
    elif rest:
        takes, got = len(positional), len(args)
        raise _mismatch(t, callee, f"takes {takes} positional arguments and is given {got}")
    others: dict[str, Value] = {}
    for name, value in kwargs.items():
        if name not in names or name in only_positional:
            if spec.kwarg is not None:
                others[name] = value
                continue
            raise _mismatch(t, callee, f"has no keyword argument {name!r}")
        if name in given:
            raise _mismatch(t, callee, f"is given {name!r} twice")
        given[name] = value
    if spec.kwarg is not None:
        given[spec.kwarg.arg] = DictValue(tuple(others), tuple(others.values()))
    return given


def defaults_of(t: Tracer, callee: Callee, given: Collection[str]) -> dict[str, Value]:
    """The values of the parameters that are not given."""
    spec = callee.source.node.args
    every = [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    missing = [name for name in every if name not in given]
    if not missing:
        return {}
    defaults = defaults_in(t, callee)
    for name in missing:
        if name not in defaults:
            raise _mismatch(t, callee, f"lacks the argument {name!r}")
    return {name: defaults[name] for name in missing}


def bind_arguments(
    t: Tracer, callee: Callee, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> dict[str, Value]:
    """The parameters of a function with their values, defaults included, in its own order."""
    given = match_arguments(t, callee, args, kwargs)
    given.update(defaults_of(t, callee, given))
    for name, value in given.items():
        if isinstance(value, DictValue):
            given[name] = dict_of(t, value.keys, value.items)
    spec = callee.source.node.args
    every = [
        *spec.posonlyargs,
        *spec.args,
        *([spec.vararg] if spec.vararg else []),
        *spec.kwonlyargs,
        *([spec.kwarg] if spec.kwarg else []),
    ]
    return {arg.arg: given[arg.arg] for arg in every}


def _mismatch(t: Tracer, callee: Callee, text: str) -> Exception:
    return t.error("RG0108", f"{callee.source.name!r} {text}", "see its definition")
