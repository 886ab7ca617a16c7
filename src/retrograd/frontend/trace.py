"""The entry point: a Python function and the types of its arguments give a typed program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from types import FunctionType, MethodType
from typing import Any, cast

from retrograd.errors import Span, UserError
from retrograd.frontend.calls import call
from retrograd.frontend.derivatives.pure import Pure, pure_function
from retrograd.frontend.derivatives.rerun import warn_of_names
from retrograd.frontend.identity.arguments import in_order
from retrograd.frontend.identity.flattening import leaf_specs
from retrograd.frontend.identity.given_lists import GIVEN, Opens
from retrograd.frontend.identity.lookups import Recorder
from retrograd.frontend.identity.objects import receiver_of
from retrograd.frontend.identity.source import Sources
from retrograd.frontend.identity.specs import (
    CACHED,
    ArgSpec,
    Compound,
    LeafSpec,
    TupleSpec,
    python_of,
)
from retrograd.frontend.identity.surroundings import Interface, package_of
from retrograd.frontend.identity.transformed import Rerun, Ruled, Transformed, Vectorised
from retrograd.frontend.library.layouts import layout
from retrograd.frontend.library.methods import METHODS
from retrograd.frontend.library.tables import library
from retrograd.frontend.library.wrapped import is_with_errstate
from retrograd.frontend.syntax.expr import evaluate, held, tested
from retrograd.frontend.syntax.functions import Callee, match_arguments, unknown
from retrograd.frontend.syntax.other_ways import BY_JOINS, another_way, refused_there
from retrograd.frontend.syntax.sharing import repeated
from retrograd.frontend.syntax.specialise import Request
from retrograd.frontend.syntax.stmts import run_block
from retrograd.frontend.values.kinds import UNBOUND, DictValue, Instance, Static, Value
from retrograd.frontend.values.liveness import scope_of
from retrograd.frontend.values.outside import Outside
from retrograd.frontend.values.sizes import Sizes
from retrograd.frontend.values.tracer import (
    Context,
    Engine,
    Frame,
    Handler,
    Hidden,
    HiddenKey,
    NeedHidden,
    NeedKinds,
    NeedLists,
    NeedModules,
    NeedNumber,
    NeedPartial,
    State,
    Tracer,
)  # fmt: skip
from retrograd.frontend.values.ways import Way
from retrograd.ir.build import Builder
from retrograd.ir.terms import Call, Function, Jvp, Program, Prov, Vjp
from retrograd.ir.traverse import stms_deep
from retrograd.prims import DEFAULT
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.naming import with_names

__all__ = ["Traced", "trace_function"]


@dataclass(frozen=True, slots=True)
class Traced(Interface):
    """A translated function: its interface, the program, and what the translation looked at."""

    program: Program = field(kw_only=True)
    recorder: Recorder = field(kw_only=True)
    sources: Sources = field(kw_only=True)

    @property
    def interface(self) -> Interface:
        """The interface alone, which holds no program in memory."""
        return Interface(
            self.inputs, self.keywords, self.hidden, self.output, self.results, self.written,
            self.guards, self.apart, self.changes, self.updates, self.stores,
            self.list_stores,
        )  # fmt: skip


def trace_function(
    f: Callable[..., Any],
    args: Sequence[ArgSpec],
    kwargs: Mapping[str, ArgSpec] | None = None,
    *,
    prims: PrimitiveSet = DEFAULT,
    intrinsics: Mapping[str, Handler] | None = None,
    write_back: bool = True,
) -> Traced:
    """Translates `f` for arguments of these specs.

    `intrinsics` are handlers for the caller's own functions, by their qualified names. With
    `write_back=False` the final versions of written arguments are no results (derivatives never
    change their arguments).
    """
    engine = Engine(evaluate, held, tested, run_block, call, library(METHODS), intrinsics or {})
    known = id(f) in engine.library
    if is_with_errstate(f):
        f = partial(f)
    plain = _caller(f) if known else _plain(f)
    if plain is None:
        raise _no_function(f)
    if not known and (package := package_of(plain)) is not None:
        what, _ = unknown(plain.__name__, package)
        raise UserError("RG0107", what, way_out="pass a function of your own")
    keywords = tuple(in_order(plain, kwargs or {}).items())
    call_of = _Call(f, plain, tuple(args), keywords, write_back)
    given = any(map(_is_given, (*args, *(spec for _, spec in keywords))))
    opens = Opens.ROWS if given else Opens.NO
    found, way = _translated(engine, prims, call_of, Way(opens=opens, lists=given))
    if way.shared:
        with suppress(UserError):  # then the copies remain
            found, _ = _translated(engine, prims, call_of, way)
    return found


@dataclass(frozen=True, slots=True)
class _Call:
    """What is translated: the function, that of Python behind it, and its arguments."""

    f: Any
    plain: Any
    args: tuple[ArgSpec, ...]
    keywords: tuple[tuple[str, ArgSpec], ...]
    write_back: bool


def _translated(
    engine: Engine, prims: PrimitiveSet, call_of: _Call, way: Way
) -> tuple[Traced, Way]:
    """The program, by the first way that is accepted, and a better one with functions to share."""
    f, args, keywords = call_of.f, call_of.args, call_of.keywords
    every = (*args, *(spec for _, spec in keywords))
    sized, late = any(map(_is_sized, every)), any(map(_is_late, every))
    refused, alone = list[UserError](), None
    told: UserError | None = None
    ordered: tuple[Way, Sequence[UserError]] | None = None
    while True:
        recorder = Recorder.beginning(f, args, keywords)
        ctx = Context(prims, engine, recorder, way, sizes=Sizes() if sized else None)
        try:
            found = _traced(ctx, f, call_of.plain, args, keywords, call_of.write_back)
            return found, replace(way, shared=repeated(ctx, found.program))
        except NeedNumber as need:
            way = replace(way, baked=way.baked | {need.key})
        except NeedLists:
            way = replace(way, lists=True)
        except NeedKinds:
            way = replace(way, kinds=True)
        except NeedPartial as need:
            way = replace(way, partial=way.partial | {need.key})
        except NeedModules:
            engine = replace(engine, library=library(METHODS))
        except UserError as error:
            refused.append(error)
            another = another_way(way, ctx, refused) if told is None else None
            if another is None:
                if told is None:
                    before = None if error.code == "RG0108" else ordered
                    told = _told(*(before or (way, refused)), alone)
                told.passable |= ctx.passable
                another = refused_there(way, ctx, error) if late else None
            if another is None:
                break
            if another.unordered and not way.unordered:
                ordered = way, tuple(refused)
            _forget_attributes(refused, way, another)
            alone = error if another.crowded and not way.crowded else alone
            way = another
    assert told is not None
    raise told


def _forget_attributes(refused: list[UserError], way: Way, another: Way) -> None:
    """Forgets the last refusal where it only said which attributes there are, or are assigned."""
    own, other = ((w.added, w.ordered, w.assigns) for w in (way, another))
    if own != other:
        refused.pop()


def _told(way: Way, refused: Sequence[UserError], alone: UserError | None) -> UserError:
    """The refusal that is told, of all; `alone` is that of before objects were rows.

    With other dicts, generators that run in turns, objects in rows, items that are found by
    branches, or items of several kinds, the program has got further:
    what stops it there is what is to be changed. But rows are no results, and are not from outside.
    """
    if alone is not None and (alone.code == "RG0106" or refused[-1].code == "RG0103"):
        return alone
    if refused[0].of_list and way.opens:
        refused = refused[1:]
    used = [one for one in refused if one.of_kind]
    if used and refused[0].code in BY_JOINS and not (way.tables or way.chosen):
        return used[-1]
    if way.loses and refused[-1].code in ("RG0103", "RG0126"):
        return refused[-1]
    if way.dicts and refused[-1].code == "RG0109":  # keys that come later
        return refused[-1]
    mixed = way.picks or way.stacks or (way.joins and refused[0].code not in BY_JOINS)
    further = way.tables or way.chosen or way.delays or way.crowded or way.heaps or mixed
    further = further or way.uneven
    return refused[-1 if further and refused[0].code != "RG0104" else 0]


_MOST_READ = 1_000_000
"""More extents than a value that is read can have: theirs are numbered from multiples of it."""


def _with_alike(program: Program, specs: Sequence[ArgSpec], read: Sequence[ArgSpec]) -> Program:
    """The program whose entry knows which extents of its arguments are equal, and of each value
    that is `read` at every call.

    Where it calls itself, it may be with others.
    """
    main = program.main
    if any(main.name in _callees(function) for function in program.functions):
        return program
    numbered = ((0, specs), *((k * _MOST_READ, [spec]) for k, spec in enumerate(read, start=1)))
    found = [
        leaf.alike and tuple(n if n < 0 else n + first for n in leaf.alike)
        for first, group in numbered
        for spec in group
        for leaf in leaf_specs(spec)
    ]
    pairs = zip(main.params, found, strict=True)
    alike = tuple((param.name, numbers) for param, numbers in pairs if numbers)
    known = replace(main, alike=alike)
    return replace(program, functions=tuple(known if f is main else f for f in program.functions))


def _is_given(spec: ArgSpec) -> bool:
    """Whether there are lists in it that the program may change."""
    if isinstance(spec, TupleSpec) and spec.cls in GIVEN:
        return True
    return isinstance(spec, Compound) and any(map(_is_given, spec.items))


def _is_sized(spec: ArgSpec) -> bool:
    """Whether there are arrays of known extents in it."""
    if isinstance(spec, LeafSpec):
        return spec.extents is not None
    return isinstance(spec, Compound) and any(map(_is_sized, spec.items))


def _is_late(spec: ArgSpec) -> bool:
    """Whether the program may be refused when it gets to a place."""
    return any(leaf.late for leaf in leaf_specs(spec))


def _traced(
    ctx: Context,
    f: Any,
    plain: FunctionType,
    args: tuple[ArgSpec, ...],
    keywords: tuple[tuple[str, ArgSpec], ...],
    write_back: bool,
) -> Traced:
    ctx.guard(plain)
    source = ctx.sources.of(plain, None)
    if isinstance(f, Vectorised):
        source = replace(source, place=_place(ctx, f))
        f = plain
    callee = Callee(source, ctx.sources.home(plain), Static(f))
    needs: dict[HiddenKey, Hidden] = {}
    while True:
        try:
            entry = _entry(ctx, callee, args, keywords, tuple(needs.values()), write_back)
        except NeedHidden as need:
            needs[need.hidden.key] = need.hidden
            continue
        break
    if ctx.pending:
        raise ctx.pending[0]
    program = with_names(_program(ctx, entry), ctx.named)
    read = [hidden.spec for hidden in needs.values()]
    program = _with_alike(program, [*args, *(spec for _, spec in keywords)], read)
    warn_of_names(ctx)
    hidden, guards = tuple(needs.values()), tuple(ctx.guards.values())
    return Traced(
        args, keywords, hidden, entry.output, entry.results,
        entry.written, guards, entry.apart, entry.changes, entry.updates, entry.stores,
        entry.list_stores,
        program=program,
        recorder=ctx.recorder,
        sources=ctx.sources,
    )  # fmt: skip


def _plain(f: object) -> FunctionType | None:
    """The Python function that is called in the end; None of what is no function."""
    match f:
        case FunctionType():
            return f
        case Ruled():
            return _plain(f.fun)
        case Vectorised():
            return _caller(f)
        case MethodType() if receiver_of(f) is not None:
            return _plain(f.__func__)
        case Rerun():
            return _plain(f.fun) or _caller(f)
        case partial():
            return _plain(cast("partial[Any]", f).func) or _caller(f)
        case _ if type(f) is CACHED:
            return _plain(cast("Any", f).__wrapped__)
        case _ if (inner := python_of(f)) is not None:
            return inner
        case _:
            return None


def _caller(made: Any) -> FunctionType:
    """A function of which it can be said where it is, and what its parameters are."""

    def called(*args: Any) -> Any:
        return made(*args)

    return called


def _place(ctx: Context, made: object) -> Span | None:
    """Where the function stands of which another one was made."""
    while isinstance(made, Vectorised | Transformed | Rerun | Ruled):
        made = made.fun
    if not isinstance(made, FunctionType):
        return None
    source = ctx.sources.of(made, None)
    return source.span(source.node)


def _no_function(f: object) -> UserError:
    name = getattr(f, "__name__", type(f).__name__)
    match f:
        case MethodType():
            what = f"{name!r} is a method of a {type(f.__self__).__name__}"
            way_out = "write a function that is given what it needs of the object"
        case _:
            what = f"{name!r} is not a Python function"
            way_out = "pass a function defined with `def` or `lambda`"
    return UserError("RG0107", what, way_out=way_out)


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
    frame = Frame(callee.source, callee.origin, scope_of(callee.source), {}, {}, ctx.fresh())
    outside = Tracer(ctx, frame, Builder(ctx.names, ctx.prims.result_types), State())
    outside.b.prov = Prov(callee.source.span(callee.source.node))
    values_of = Outside(ctx, lambda cls: layout(outside, cls))
    contents = values_of.contents
    given = [values_of.value(spec) for spec in args]
    named = {name: values_of.value(spec) for name, spec in keywords}
    extra: list[tuple[Hidden, Value]] = []
    for one in hidden:
        values_of.group.clear()
        extra.append((one, values_of.value(one.spec)))
    run = None
    match callee.fun:
        case Static(obj=FunctionType()):
            bound = match_arguments(outside, callee, given, named)
        case _:
            bound = {str(k): value for k, value in enumerate(given)} | named
            run = partial(_apply, names=tuple(named))
    for name, value in bound.items():
        if isinstance(value, DictValue):  # what `**name` gathers
            bound[name] = Instance(dict, len(contents), ("items",))
            contents += [UNBOUND, value]
    values = tuple(bound.values())
    request = Request(
        callee, tuple(bound), callee.fun, values, tuple(contents), tuple(extra), run,
        objects=tuple(values_of.objects), dicts=tuple(values_of.dicts),
        lists=tuple(values_of.lists), standing=tuple(values_of.standing),
    )  # fmt: skip
    name = ctx.names.name(callee.source.name)
    return pure_function(ctx, name, request, write_back=write_back)


def _apply(
    t: Tracer, fun: Value, args: tuple[Value, ...], _: Value, *, names: tuple[str, ...]
) -> Value:
    """The body of an entry that only calls something; the last arguments are keywords."""
    count = len(args) - len(names)
    return t.call(fun, args[:count], dict(zip(names, args[count:], strict=True)))


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
