"""Reversible functions inside of programs: calls that are undone instead of recorded.

Such a call becomes that of a function of the program with a `CustomRule` of kind "inverse". Its
parameters are the leaves of the arguments, arrays by what they are parts of; its results what it
changes of them. Where the arguments are not of that kind (lists, objects, arrays that change
places) the call is one of an ordinary function, with a tape.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.errors import UserError
from retrograd.frontend.derivatives.wrappers import Inputs, Wrapper, leaves_of
from retrograd.frontend.identity.lookups import STATIC
from retrograd.frontend.identity.transformed import BARS, Reversible
from retrograd.frontend.library.instances import method_of
from retrograd.frontend.syntax.functions import bind_arguments, callee_of
from retrograd.frontend.syntax.specialise import Spec
from retrograd.frontend.syntax.trial import forget
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.kinds import (
    NONE,
    Applied,
    ArrayRef,
    Bound,
    Instance,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Unbound,
    Value,
    describe,
    parts,
    with_parts,
)
from retrograd.frontend.values.pack import Packer
from retrograd.frontend.values.tracer import (
    Context,
    Handler,
    Hidden,
    NeedHidden,
    PathEnds,
    Tracer,
)
from retrograd.ir.terms import Atom, Call, CustomRule, Var, false, true
from retrograd.prims.extents import same

__all__ = [
    "adjoint", "adjoint_of", "adjoint_of_objects", "alike", "apply_adjoint", "as_read",
    "call_reversible", "each_attribute", "has_attributes", "inverse",
]  # fmt: skip

OURS = "retrograd.inversion."
"""Where generated text has its functions and classes."""
_SLOPES = ("slope", "logs")


def _reversible(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Reversible:
    match args:
        case [Static(obj=Reversible() as found)] if not kwargs:
            t.recorder.require(found)
            return found
        case [fun] if not kwargs:
            raise t.error(
                "RG0509", f"{describe(fun)} is not reversible", "decorate it with rg.reversible"
            )
        case _:
            raise t.error("RG0509", "this takes one reversible function", "write rg.inverse(f)")


def _made(t: Tracer, fun: Reversible, what: str) -> Static:
    """A function that belongs to a reversible one."""
    t.recorder.ask("attribute", fun, what, STATIC)
    return Static(getattr(fun, what))


def _handler(what: str) -> Handler:
    """The handler of a function that gives what belongs to a reversible one, or to a method."""

    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        match args:
            case [Bound(receiver=Instance()) as method]:
                function, receiver = method_of(t, method)
                made = _made(t, _reversible(t, [function], kwargs), what)
                return Applied("partial", made, (receiver,))
            case [
                Applied("partial", Static(obj=Reversible()) as function, (Instance(),)) as method
            ]:
                made = _made(t, _reversible(t, [function], kwargs), what)
                return replace(method, fun=made)
            case _:
                return _made(t, _reversible(t, args, kwargs), what)

    return handler


def as_read(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `as_read(method, changed, returned)` in generated text."""
    method, *names = args
    match method:
        case Bound(receiver=Instance()):
            fun = _reversible(t, [method_of(t, method)[0]], kwargs)
        case _:
            raise t.error(
                "RG0509", f"{describe(method)} is no reversible method",
                "decorate a method of the class with rg.reversible",
            )  # fmt: skip
    changed, returned = map(_text, names)
    why = fun.other_than(changed, returned)
    if why is not None:
        raise t.error(
            "RG0509", f"the method {fun.__name__!r} {why} when the function that calls it was read",
            "name the class of the object: def f(b: Body, ..)",
        )  # fmt: skip
    return NONE


def alike(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `alike(value, bar)` in generated text."""
    _same_extents(t, *args)
    return NONE


def _same_extents(t: Tracer, value: Value, bar: Value) -> None:
    match value, bar:
        case ArrayRef(), ArrayRef():
            pairs = zip(*(t.b.dims(value_atom(t, one)) for one in (value, bar)), strict=True)
            for own, other in pairs:
                same(t.b, own, other, "a cotangent of {1} elements for an axis of {0}")
        case TupleValue(), TupleValue():
            for part, own_bar in zip(value.items, bar.items, strict=True):
                _same_extents(t, part, own_bar)
        case Instance(), Instance():
            for cell, own_cell in zip(value.cells, bar.cells, strict=True):
                _same_extents(t, t.content(cell), t.content(own_cell))
        case _:
            pass


def has_attributes(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `has_attributes(bar)` in generated text."""
    (bar,) = args
    return Scalar(true if isinstance(bar, Instance) else false)


def each_attribute(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `each_attribute(add, bar, gain)` in generated text."""
    add, bar, gain = args
    assert isinstance(bar, Instance)
    assert isinstance(gain, Instance)
    for name in gain.names:
        more = t.content(gain.cell(name))
        if not isinstance(more, Unbound):
            cell = bar.cell(name)
            t.set_content(cell, t.call(add, [t.content(cell), more], {}))
    return bar


def _text(value: Value) -> str | None:
    return value.obj if isinstance(value, Static) and isinstance(value.obj, str) else None


inverse = _handler("partner")
adjoint_of = _handler("adjoint")
adjoint_of_objects = _handler("adjoint_of_objects")


@dataclass(frozen=True, slots=True)
class Known:
    """What callers need of a translated reversible function.

    `arrays` are the arrays that it changes, by packed location; `numbers` the parameters that are
    numbers and change, each with whether the number is NumPy's then.
    """

    name: str
    arrays: tuple[int, ...]
    numbers: tuple[tuple[str, bool | None], ...]
    uses: set[object]
    done: bool = True


@dataclass(slots=True)
class Plain:
    """Stands for `Known` where the calls are those of an ordinary function."""

    uses: set[object] = field(default_factory=set[object])
    consulted: bool = False
    done: bool = True


def adjoint(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `adjoint(f)`: a function value."""
    return Transform("adjoint", Static(_reversible(t, args, kwargs)))


def apply_adjoint(t: Tracer, fun: Transform, args: Sequence[Value]) -> Value:
    """A call of such a function: of final arguments, then cotangents of those that are floats."""
    made = fun.fun.obj if isinstance(fun.fun, Static) else None
    assert isinstance(made, Reversible)
    count = len(made.parameters)
    moves = [name in made.changed for name in made.parameters]
    pairs = zip(args[:count], moves, strict=False)
    given = [_copied(t, value) if moved else value for value, moved in pairs]
    wanted = [any(leaf.type.is_float for leaf in _leaves(t, value)) for value in given]
    bars = iter([_copied(t, value) for value in args[count:]])
    if len(given) < count or len(args) - count != sum(wanted):
        raise t.error(
            "RG0509", f"the adjoint of {made.__name__} is given {len(args)} arguments",
            f"give it the {count} arguments, then a cotangent for each of them that is a float or "
            "has floats",
        )  # fmt: skip
    every = TupleValue(tuple(next(bars) if has else NONE for has in wanted))
    what = "adjoint_of_objects" if any(map(_has_objects, given)) else "adjoint"
    found, ends = parts(_called(t, made, _made(t, made, what), given, {BARS: every}))
    values = TupleValue(tuple(
        new if moved else value
        for new, value, moved in zip(parts(found), given, moves, strict=True)
    ))  # fmt: skip
    kept = tuple(end for end, has in zip(parts(ends), wanted, strict=True) if has)
    return TupleValue((values, TupleValue(kept)))


def _leaves(t: Tracer, value: Value) -> Iterator[Scalar | ArrayRef]:
    if isinstance(value, Instance):
        for cell in value.cells:
            yield from leaves_of(t.content(cell))
    yield from leaves_of(value)


def _copied(t: Tracer, value: Value) -> Value:
    """The value with arrays of its own."""
    return t.call(Static(copy.deepcopy), [value], {})


def call_reversible(
    t: Tracer, fun: Reversible, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a reversible function."""
    ctx = t.ctx
    bound = bind_arguments(t, callee_of(t, Static(fun.fun)), args, kwargs)
    if ctx.undoing or t.regions or not all(_is_plain_data(t, value) for value in bound.values()):
        return t.call(_made(t, fun, "forward"), args, kwargs)
    while True:
        packer = Packer(t)
        values = tuple(packer.pack(value) for value in bound.values())
        base = ("reversible", fun, values, tuple(packer.contents))
        needs = ctx.needs.get(base, {})
        hidden = tuple((h, packer.pack(_hidden(t, h))) for h in needs.values())
        key = (base, tuple((h.key, value) for h, value in hidden))
        inputs = Inputs(values, tuple(packer.contents), hidden)
        try:
            known = ctx.specs[key] if key in ctx.specs else _translate(ctx, fun, key, inputs)
        except NeedHidden as need:
            ctx.needs.setdefault(base, {})[need.hidden.key] = need.hidden
            continue
        break
    if not isinstance(known, Known):
        return t.call(_made(t, fun, "forward"), args, kwargs)
    if ctx.stack:
        ctx.stack[-1].uses |= known.uses
    return _emit(t, fun, known, packer, bound)


def _is_plain_data(t: Tracer, value: Value) -> bool:
    match value:
        case Scalar() | ArrayRef() | Static():
            return True
        case TupleValue():
            return all(_is_plain_data(t, item) for item in value.items)
        case Instance(cls=cls) if cls not in (list, dict):
            return all(_is_plain_data(t, t.content(cell)) for cell in value.cells)
        case _:
            return False


def _has_objects(value: Value) -> bool:
    return isinstance(value, Instance) or any(map(_has_objects, parts(value)))


def _slope(value: Instance) -> int | None:
    """The cell of a number of ours that has its derivative; None of another object."""
    own = [k for k, name in enumerate(value.names) if name in _SLOPES]
    ours = value.cls.__module__.startswith(OURS)
    return value.cells[own[0]] if ours and own else None


def _hidden(t: Tracer, hidden: Hidden) -> Value:
    if hidden.key not in t.frame.hidden:
        raise NeedHidden(hidden)
    return t.frame.hidden[hidden.key]


def _emit(
    t: Tracer, fun: Reversible, known: Known, packer: Packer, bound: Mapping[str, Value]
) -> Value:
    locs = {number: loc for loc, number in packer.locs.items()}
    now = dict(bound)
    types = [t.base(locs[number]).type for number in known.arrays]
    types += [_number(bound[name]).type for name, _ in known.numbers]
    outs: list[Atom] = list(t.b.bind(Call(known.name, tuple(packer.atoms)), types))
    for number, atom in zip(known.arrays, outs, strict=False):
        t.store(locs[number], atom)
    for (name, numpy), atom in zip(known.numbers, outs[len(known.arrays) :], strict=True):
        now[name] = Scalar(atom, numpy=numpy)
    if fun.returned is None:
        return NONE
    results = tuple(now[name] for name in fun.returned)
    return results[0] if fun.single else TupleValue(results)


def _number(value: Value) -> Scalar:
    assert isinstance(value, Scalar)
    return value


def _translate(ctx: Context, fun: Reversible, key: object, inputs: Inputs) -> Known | Plain:
    """Translates a function and its adjoint; `Plain` where that is not possible."""
    spec = Spec(key, fun.__name__)
    spec.uses.add(key)
    ctx.stack.append(spec)
    ctx.undoing = True
    done, pending = False, len(ctx.pending)
    try:
        name = ctx.names.name(ctx.sources.of(fun.forward, None).name)
        made = _forward(ctx, fun, inputs)
        found: Known | Plain = Plain()
        rule = _adjoint_or_none(ctx, fun, inputs, name, made)
        if made is not None and rule is not None:
            wrapper, arrays, numbers, results = made
            atoms: list[Atom] = [*wrapper.params]
            places = {
                loc: atoms.index(wrapper.initial.arrays[loc]) for loc in wrapper.locs.values()
            }
            changed = [places[wrapper.locs[number]] for number in arrays]
            given = dict(zip(fun.parameters, wrapper.args, strict=True))
            changed += [atoms.index(_number(given[n]).atom) for n, _ in numbers]
            made_rule = CustomRule("inverse", rule, None, tuple(changed), fun.tolerance)
            wrapper.finish(name, results, made_rule)
            found = Known(name, arrays, numbers, spec.uses)
        ctx.specs[key] = found
        done = True
    finally:
        ctx.undoing = False
        ctx.stack.pop()
        del ctx.pending[pending:]
        if not done:
            forget(ctx, (key,))
    spec.uses.discard(key)
    return found


Forward = tuple[Wrapper, tuple[int, ...], tuple[tuple[str, bool | None], ...], list[Atom]]


def _forward(ctx: Context, fun: Reversible, inputs: Inputs) -> Forward | None:
    """The function with its results by value; None where they are not what its parameters were."""
    wrapper = Wrapper.around(ctx, fun.forward, fun.fun, inputs)
    t = wrapper.t
    given = dict(zip(fun.parameters, wrapper.args, strict=True))
    try:
        value = _called(t, fun, _made(t, fun, "forward"), wrapper.args, {})
    except PathEnds as end:
        if end.error is not None:
            raise
        return None
    items = (value,) if fun.single else parts(value) if fun.returned is not None else ()
    numbers: list[tuple[str, bool | None]] = []
    results: list[Atom] = []
    for name, item in zip(fun.returned or (), items, strict=True):
        was = given[name]
        if isinstance(item, Scalar) and isinstance(was, Scalar):
            if item.type != was.type:
                return None
            if name in fun.changed:
                numbers.append((name, item.numpy))
                results.append(item.atom)
        elif item != was:
            return None
    state, initial = t.state, wrapper.initial
    if initial.arrays.keys() & state.stale.keys():
        return None
    if any(state.cells.get(cell) != held for cell, held in initial.cells.items()):
        return None
    written = tuple(
        number
        for number, loc in sorted(wrapper.locs.items())
        if state.arrays[loc] is not initial.arrays[loc]
    )
    arrays: list[Atom] = [state.arrays[wrapper.locs[number]] for number in written]
    return wrapper, written, tuple(numbers), arrays + results


def _called(
    t: Tracer, fun: Reversible, text: Static, args: Sequence[Value], more: Mapping[str, Value]
) -> Value:
    """A call of generated text with an argument for each parameter."""
    spec = t.ctx.sources.of(fun.fun, None).node.args
    count = len(spec.posonlyargs) + len(spec.args)
    given, rest = list(args[:count]), list(args[count:])
    if spec.vararg is not None:
        given += parts(rest.pop(0))
    named = dict(zip((a.arg for a in spec.kwonlyargs), rest, strict=False))
    return t.call(text, given, {**named, **more})


def _adjoint_or_none(
    ctx: Context, fun: Reversible, inputs: Inputs, name: str, made: Forward | None
) -> str | None:
    """The adjoint; None of what changes nothing, or where it would differentiate with respect to an
    object as a whole."""
    if made is None or not made[3]:
        return None
    _, arrays, numbers, _ = made
    try:
        return _adjoint(ctx, fun, inputs, name, arrays, tuple(n for n, _ in numbers))
    except UserError as error:
        if error.code != "RG0103" or not any(map(_has_objects, inputs.values)):
            raise
        return None


def _adjoint(
    ctx: Context, fun: Reversible, inputs: Inputs, name: str, arrays: Sequence[int],
    numbers: Sequence[str],
) -> str:  # fmt: skip
    """The adjoint of the function: final arguments, then cotangents of floats; see `CustomRule`."""
    objects = any(map(_has_objects, inputs.values))
    what = "adjoint_of_objects" if objects else "adjoint"
    wrapper = Wrapper.around(ctx, getattr(fun, what), fun.fun, inputs)
    t = wrapper.t
    floats = [p for p in wrapper.params if p.type.is_float]
    bars = dict(zip(floats, wrapper.more([p.type for p in floats]), strict=True))
    locs = {loc: t.ctx.fresh() for loc in wrapper.locs.values()}
    for loc, own in locs.items():
        base = wrapper.initial.arrays[loc]
        if isinstance(base, Var) and base in bars:
            t.state.arrays[own] = bars[base]
    mirror = tuple(_bar(t, value, bars, locs) for value in wrapper.args)
    value = _called(t, fun, _made(t, fun, what), wrapper.args, {BARS: TupleValue(mirror)})
    before, after = (dict(zip(fun.parameters, parts(v), strict=True)) for v in parts(value))
    results: list[Atom] = [t.state.arrays[wrapper.locs[number]] for number in arrays]
    results += [_number(before[n]).atom for n in numbers]
    ends: dict[Var, Atom] = {p: bars[p] for p in floats}
    for own, loc in zip(locs.values(), locs, strict=True):
        base = wrapper.initial.arrays[loc]
        if isinstance(base, Var) and base in bars:
            ends[base] = t.state.arrays[own]
    for parameter, value in zip(fun.parameters, wrapper.args, strict=True):
        for leaf, end in _pairs(t, value, after[parameter]):
            assert isinstance(leaf.atom, Var)
            ends[leaf.atom] = end
    made = ctx.names.name(f"{name}_adjoint")
    wrapper.finish(made, [*results, *ends.values()])
    return made


def _bar(t: Tracer, value: Value, bars: Mapping[Var, Var], locs: Mapping[int, int]) -> Value:
    """A value with the cotangents of its leaves in their places."""
    match value:
        case Scalar(atom=Var() as atom) if atom in bars:
            return Scalar(bars[atom])
        case ArrayRef() if value.type.is_float:
            return ArrayRef(locs[value.loc], value.base, value.view)
        case TupleValue():
            items = tuple(_bar(t, part, bars, locs) for part in value.items)
            return TupleValue(items) if value.cls is list else with_parts(value, items)
        case Instance():
            cell = _slope(value)
            if cell is not None:
                return _bar(t, t.content(cell), bars, locs)
            made = Instance(value.cls, t.ctx.fresh_place(len(value.names)), value.names)
            for own, cell in zip(made.cells, value.cells, strict=True):
                t.state.cells[own] = _bar(t, t.content(cell), bars, locs)
            return made
        case _:
            return NONE


def _pairs(t: Tracer, value: Value, bar: Value) -> Iterator[tuple[Scalar, Atom]]:
    """The floats in a value that are numbers, each with its cotangent."""
    match value:
        case Scalar() if value.type.is_float:
            yield value, _number(bar).atom
        case TupleValue():
            for part, own in zip(value.items, parts(bar), strict=True):
                yield from _pairs(t, part, own)
        case Instance() if isinstance(bar, Instance):
            for cell, own in zip(value.cells, bar.cells, strict=True):
                yield from _pairs(t, t.content(cell), t.content(own))
        case _:
            return
