"""Calls of reversible functions inside of programs: undone instead of recorded.

Such a call becomes that of a function of the program with a `CustomRule` of kind "inverse". Its
parameters are the leaves of the arguments, arrays by what they are parts of; its results what it
changes of them: arrays as such, or by the names that it returns where it exchanges them. Where the
arguments are not of that kind (lists, objects, parts of arrays that change places) the call is one
of an ordinary function, with a tape.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrograd.errors import UserError
from retrograd.frontend.derivatives.apart import keep_apart
from retrograd.frontend.derivatives.ruled import Plain
from retrograd.frontend.derivatives.wrappers import Inputs, Wrapper, leaves_of
from retrograd.frontend.identity.lookups import STATIC
from retrograd.frontend.identity.transformed import BARS, Reversible
from retrograd.frontend.syntax.functions import bind_arguments, callee_of
from retrograd.frontend.syntax.specialise import Spec
from retrograd.frontend.syntax.trial import forget
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    DictValue,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    parts,
    with_parts,
)
from retrograd.frontend.values.object_rows import must_be_read
from retrograd.frontend.values.pack import Packer
from retrograd.frontend.values.tracer import Context, Hidden, NeedHidden, PathEnds, Tracer
from retrograd.ir.terms import Atom, Call, CustomRule, Var
from retrograd.prims.extents import same

__all__ = ["call_reversible", "called", "has_objects", "made_of"]

_OURS = "retrograd.inversion."
"""Where generated text has its functions and classes."""
_SLOPES = ("slope", "logs")


def made_of(t: Tracer, fun: Reversible, what: str) -> Static:
    """A function that belongs to a reversible one."""
    t.recorder.ask("attribute", fun, what, STATIC)
    return Static(getattr(fun, what))


@dataclass(frozen=True, slots=True)
class Known:
    """What callers need of a translated reversible function.

    `arrays` are the arrays that it changes, by packed location; `named` the parameters whose arrays
    it exchanges; `numbers` the parameters that are numbers and change, each with whether the number
    is NumPy's then.
    """

    name: str
    arrays: tuple[int, ...]
    named: tuple[str, ...]
    numbers: tuple[tuple[str, bool | None], ...]
    uses: set[object]
    done: bool = True


def call_reversible(
    t: Tracer, fun: Reversible, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a reversible function."""
    ctx = t.ctx
    bound = bind_arguments(t, callee_of(t, Static(fun.fun)), args, kwargs)
    keep_apart(t, fun, bound, {})
    if ctx.undoing or t.regions or not all(_is_plain_data(t, value) for value in bound.values()):
        return t.call(made_of(t, fun, "forward"), args, kwargs)
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
    read = {h.name: _hidden(t, h) for h in needs.values()}
    keep_apart(t, fun, bound, read)
    if not isinstance(known, Known) or _stays(t, bound, known.named):
        return t.call(made_of(t, fun, "forward"), args, kwargs)
    if ctx.stack:
        ctx.stack[-1].uses |= known.uses
    return _emit(t, fun, known, packer, bound)


def _is_plain_data(t: Tracer, value: Value) -> bool:
    match value:
        case Scalar() | ArrayRef() | Static():
            return True
        case TupleValue():
            return all(_is_plain_data(t, item) for item in value.items)
        case DictValue():
            return all(_is_plain_data(t, item) for item in value.items)
        case Instance(cls=cls) if cls is not list:
            return all(_is_plain_data(t, t.content(cell)) for cell in value.cells)
        case _:
            return False


def has_objects(value: Value) -> bool:
    return isinstance(value, Instance) or any(map(has_objects, parts(value)))


def _slope(value: Instance) -> int | None:
    """The cell of a number of ours that has its derivative; None of another object."""
    own = [k for k, name in enumerate(value.names) if name in _SLOPES]
    ours = value.cls.__module__.startswith(_OURS)
    return value.cells[own[0]] if ours and own else None


def _hidden(t: Tracer, hidden: Hidden) -> Value:
    must_be_read(t, hidden)
    if hidden.key not in t.frame.hidden:
        raise NeedHidden(hidden)
    return t.frame.hidden[hidden.key]


def _emit(
    t: Tracer, fun: Reversible, known: Known, packer: Packer, bound: Mapping[str, Value]
) -> Value:
    locs = {number: loc for loc, number in packer.locs.items()}
    now = dict(bound)
    types = [t.base(locs[number]).type for number in known.arrays]
    types += [leaf.type for leaf in _arrays_of(bound, known.named)]
    types += [_number(bound[name]).type for name, _ in known.numbers]
    outs: list[Atom] = list(t.b.bind(Call(known.name, tuple(packer.atoms)), types))
    for number, atom in zip(known.arrays, outs, strict=False):
        t.store(locs[number], atom)
    del outs[: len(known.arrays)]
    for was in _arrays_of(bound, known.named):
        t.state.stale.setdefault(was.loc, t.span)
    for name in known.named:
        now[name] = t.new(outs.pop(0))
    for (name, numpy), atom in zip(known.numbers, outs, strict=True):
        now[name] = Scalar(atom, numpy=numpy)
    if fun.returned is None:
        return NONE
    results = tuple(now[name] for name in fun.returned)
    return results[0] if fun.single else TupleValue(results)


def _stays(t: Tracer, bound: Mapping[str, Value], named: Sequence[str]) -> bool:
    """Whether an array that is exchanged is the caller's: what it holds then has to be known."""
    return any(one.loc in t.frame.owned for one in _arrays_of(bound, named))


def _arrays_of(bound: Mapping[str, Value], names: Sequence[str]) -> list[ArrayRef]:
    found = [bound[name] for name in names]
    return [value for value in found if isinstance(value, ArrayRef)]


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
            changed = tuple(_places(fun, made))
            made_rule = CustomRule("inverse", rule, None, changed, fun.tolerance)
            made.wrapper.finish(name, made.results, made_rule)
            found = Known(name, made.arrays, made.named, made.numbers, spec.uses)
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


@dataclass(frozen=True, slots=True)
class _Forward:
    """The function with its results by value; see `Known`."""

    wrapper: Wrapper
    arrays: tuple[int, ...]
    named: tuple[str, ...]
    numbers: tuple[tuple[str, bool | None], ...]
    results: list[Atom]


def _places(fun: Reversible, made: _Forward) -> Iterator[int]:
    """The parameter that each result was."""
    wrapper = made.wrapper
    params: list[Atom] = [*wrapper.params]
    given = dict(zip(fun.parameters, wrapper.args, strict=True))
    locs = [wrapper.locs[number] for number in made.arrays]
    locs += [leaf.loc for leaf in _arrays_of(given, made.named)]
    yield from (params.index(wrapper.initial.arrays[loc]) for loc in locs)
    yield from (params.index(_number(given[name]).atom) for name, _ in made.numbers)


def _forward(ctx: Context, fun: Reversible, inputs: Inputs) -> _Forward | None:
    """The function with its results by value; None where they are not what its parameters were."""
    wrapper = Wrapper.around(ctx, fun.forward, fun.fun, inputs)
    t = wrapper.t
    given = dict(zip(fun.parameters, wrapper.args, strict=True))
    try:
        value = called(t, fun, made_of(t, fun, "forward"), wrapper.args, {})
    except PathEnds as end:
        if end.error is not None:
            raise
        return None
    items = (value,) if fun.single else parts(value) if fun.returned is not None else ()
    found = _returned(fun, given, items)
    if found is None:
        return None
    numbers, named = found
    state, initial = t.state, wrapper.initial
    if initial.arrays.keys() & state.stale.keys():
        return None
    if any(state.cells.get(cell) != held for cell, held in initial.cells.items()):
        return None
    if named and not _wholes([was for was, _ in named.values()], wrapper.args):
        return None
    elsewhere = {was.loc for was, _ in named.values()}
    written = tuple(
        number
        for number, loc in sorted(wrapper.locs.items())
        if loc not in elsewhere and state.arrays[loc] is not initial.arrays[loc]
    )
    arrays: list[Atom] = [state.arrays[wrapper.locs[number]] for number in written]
    arrays += [value_atom(t, item) for _, item in named.values()]
    ends = [item.atom for _, item in numbers]
    kinds = tuple((name, item.numpy) for name, item in numbers)
    return _Forward(wrapper, written, tuple(named), kinds, arrays + ends)


_Numbers = list[tuple[str, Scalar]]
_Exchanged = dict[str, tuple[ArrayRef, ArrayRef]]


def _returned(
    fun: Reversible, given: Mapping[str, Value], items: Sequence[Value]
) -> tuple[_Numbers, _Exchanged] | None:
    """The numbers that are returned changed; the arrays, before and after, if any is another one.

    None where results are not of the kind that the parameters were.
    """
    numbers: _Numbers = []
    arrays: _Exchanged = {}
    for name, item in zip(fun.returned or (), items, strict=True):
        match given[name], item:
            case Scalar() as was, Scalar() if item.type == was.type:
                if name in fun.changed:
                    numbers.append((name, item))
            case ArrayRef() as was, ArrayRef() if name in fun.changed and item.type == was.type:
                arrays[name] = was, item
            case was, _:
                if item != was:
                    return None
    exchanged = any(was != item for was, item in arrays.values())
    return numbers, arrays if exchanged else {}


def _wholes(exchanged: Sequence[ArrayRef], args: Sequence[Value]) -> bool:
    """Whether these are whole arrays, each of which is one of the arguments and of no other."""
    given = [leaf.loc for arg in args for leaf in leaves_of(arg) if isinstance(leaf, ArrayRef)]
    return all(one.view is None and given.count(one.loc) == 1 for one in exchanged)


def called(
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
    ctx: Context, fun: Reversible, inputs: Inputs, name: str, made: _Forward | None
) -> str | None:
    """The adjoint; None of what changes nothing, where it would differentiate with respect to an
    object as a whole, or where it gives no value on any path, though the function may."""
    if made is None or not made.results:
        return None
    try:
        return _adjoint(ctx, fun, inputs, name, made)
    except PathEnds as end:
        if end.error is not None:
            raise
        return None
    except UserError as error:
        if error.code != "RG0103" or not any(map(has_objects, inputs.values)):
            raise
        return None


def _adjoint(ctx: Context, fun: Reversible, inputs: Inputs, name: str, forward: _Forward) -> str:
    """The adjoint of the function: final arguments, then cotangents of floats; see `CustomRule`."""
    objects = any(map(has_objects, inputs.values))
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
    given = dict(zip(fun.parameters, wrapper.args, strict=True))
    _same_sizes(t, _arrays_of(given, forward.named))
    mirror = tuple(_bar(t, value, bars, locs) for value in wrapper.args)
    value = called(t, fun, made_of(t, fun, what), wrapper.args, {BARS: TupleValue(mirror)})
    before, after = (dict(zip(fun.parameters, parts(v), strict=True)) for v in parts(value))
    results: list[Atom] = [t.state.arrays[wrapper.locs[number]] for number in forward.arrays]
    results += [value_atom(t, leaf) for leaf in _arrays_of(before, forward.named)]
    results += [_number(before[n]).atom for n, _ in forward.numbers]
    ends: dict[Var, Atom] = {p: bars[p] for p in floats}
    for own, loc in zip(locs.values(), locs, strict=True):
        base = wrapper.initial.arrays[loc]
        if isinstance(base, Var) and base in bars:
            ends[base] = t.state.arrays[own]
    for name, leaf in zip(forward.named, _arrays_of(given, forward.named), strict=True):
        (bar,) = _arrays_of(after, [name])
        base = wrapper.initial.arrays[leaf.loc]
        assert isinstance(base, Var)
        ends[base] = value_atom(t, bar)
    for parameter, value in zip(fun.parameters, wrapper.args, strict=True):
        for leaf, end in _pairs(t, value, after[parameter]):
            assert isinstance(leaf.atom, Var)
            ends[leaf.atom] = end
    made = ctx.names.name(f"{name}_adjoint")
    wrapper.finish(made, [*results, *ends.values()])
    return made


def _same_sizes(t: Tracer, arrays: Sequence[ArrayRef]) -> None:
    """Checks that cotangents of exchanged arrays have the extents of the ones before, too."""
    for one, other in pairwise(arrays):
        if one.type != other.type:
            continue
        pairs = zip(*(t.b.dims(value_atom(t, ref)) for ref in (one, other)), strict=True)
        for own, size in pairs:
            same(t.b, own, size, _UNLIKE)


_UNLIKE = (
    "arrays that a reversible function exchanges have extents {0} and {1}: differentiate the plain "
    "function"
)


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
        case DictValue():
            items = tuple(_bar(t, item, bars, locs) for item in value.items)
            return DictValue(value.keys, items)
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
        case DictValue() if isinstance(bar, DictValue):
            for part, own in zip(value.items, bar.items, strict=True):
                yield from _pairs(t, part, own)
        case Instance() if isinstance(bar, Instance):
            for cell, own in zip(value.cells, bar.cells, strict=True):
                yield from _pairs(t, t.content(cell), t.content(own))
        case _:
            return
