"""What is made of reversible functions inside of programs: inverses, adjoints, and the functions
that generated text calls."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from retrograd.frontend.derivatives.undone_calls import called, has_objects, made_of
from retrograd.frontend.derivatives.wrappers import leaves_of
from retrograd.frontend.identity.transformed import BARS, Reversible
from retrograd.frontend.library.instances import method_of
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.freezing import thawed
from retrograd.frontend.values.kinds import (
    NONE,
    Applied,
    ArrayRef,
    Bound,
    DictValue,
    Instance,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Unbound,
    Value,
    describe,
    parts,
)
from retrograd.frontend.values.tracer import (
    Handler,
    Tracer,
)
from retrograd.ir.terms import false, true
from retrograd.prims.extents import same

__all__ = [
    "adjoint", "adjoint_of", "adjoint_of_objects", "alike", "apply_adjoint", "as_read",
    "call_adjoint", "each_attribute", "fits_call", "has_attributes", "inverse", "reversible",
]  # fmt: skip


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


def _handler(what: str) -> Handler:
    """The handler of a function that gives what belongs to a reversible one, or to a method."""

    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        match args:
            case [Bound(receiver=Instance()) as method]:
                function, receiver = method_of(t, method)
                made = made_of(t, _reversible(t, [function], kwargs), what)
                return Applied("partial", made, (receiver,))
            case [
                Applied("partial", Static(obj=Reversible()) as function, (Instance(),)) as method
            ]:
                made = made_of(t, _reversible(t, [function], kwargs), what)
                return replace(method, fun=made)
            case _:
                return made_of(t, _reversible(t, args, kwargs), what)

    return handler


def as_read(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `as_read(method, changed, returned)` in generated text."""
    method, *names = args
    fun, _ = _called(t, method)
    changed, returned = map(_text, names)
    why = fun.other_than(changed or "", returned)
    if why is not None:
        raise t.error(
            "RG0509", f"the method {fun.__name__!r} {why} when the function that calls it was read",
            "name the class of the object: def f(b: Body, ..)",
        )  # fmt: skip
    return NONE


def fits_call(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `fits_call(function, put, *args, **words)` in generated text."""
    function, put, *rest = args
    fun, own = _called(t, function)
    given = {**dict(zip(fun.parameters[own:], rest, strict=False)), **kwargs}
    numbers = [name for name, value in given.items() if isinstance(value, Scalar)]
    why = fun.unfit(own, _text(put), [*given], numbers)
    if why is not None:
        raise t.error("RG0509", f"{fun.__name__!r} {why[0]}", why[1])
    return NONE


def _called(t: Tracer, function: Value) -> tuple[Reversible, bool]:
    """A reversible function, and whether it is the method of an object."""
    match function:
        case Bound(receiver=Instance()):
            return _reversible(t, [method_of(t, function)[0]], {}), True
        case Applied("partial", Static(obj=Reversible()) as fun, (Instance(),)):
            return _reversible(t, [fun], {}), True
        case _:
            return _reversible(t, [function], {}), False


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
        case (TupleValue(), TupleValue()) | (DictValue(), DictValue()):
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


def reversible(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of what makes reversible functions, which are read before programs use them."""
    raise t.error(
        "RG0101", "a function is made reversible inside of a program",
        "do it outside: put the decorator on its `def`",
    )  # fmt: skip


def adjoint(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `adjoint(f)`: a function value."""
    return Transform("adjoint", Static(_reversible(t, args, kwargs)))


def call_adjoint(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of a call of what `adjoint` has made outside of the program."""
    if kwargs:
        raise t.error("RG0509", "an adjoint has keyword arguments", "give them by position")
    fun, _, *given = args
    return apply_adjoint(t, Transform("adjoint", fun), given)


def apply_adjoint(t: Tracer, fun: Transform, args: Sequence[Value]) -> Value:
    """A call of such a function: of final arguments, then cotangents of those that are floats."""
    made = fun.fun.obj if isinstance(fun.fun, Static) else None
    assert isinstance(made, Reversible)
    count = made.arguments_in(args, lambda value: _has_floats(t, value))
    if count is None:
        raise t.error(
            "RG0509", f"the adjoint of {made.__name__} is given {len(args)} arguments",
            f"give it the {len(made.parameters)} arguments, then a cotangent for each of them that "
            "is a float or has floats",
        )  # fmt: skip
    moves = [name in made.changed for name in made.parameters]
    pairs = zip(_by_parameter(made, args[:count]), moves, strict=True)
    given = [_copied(t, value) if moved else value for value, moved in pairs]
    wanted = [_has_floats(t, value) for value in args[:count]]
    bars = iter([_copied(t, value) for value in args[count:]])
    every = _by_parameter(made, [next(bars) if has else NONE for has in wanted])
    what = "adjoint_of_objects" if any(map(has_objects, given)) else "adjoint"
    text, mirror = made_of(t, made, what), TupleValue(tuple(every))
    found, ends = parts(called(t, made, text, given, {BARS: mirror}))
    values = _by_argument(made, [
        new if moved else value
        for new, value, moved in zip(parts(found), given, moves, strict=True)
    ])  # fmt: skip
    kept = zip(_by_argument(made, parts(ends)), wanted, strict=True)
    return TupleValue((TupleValue(values), TupleValue(tuple(end for end, has in kept if has))))


def _by_parameter(made: Reversible, flat: Sequence[Value]) -> list[Value]:
    found: list[Value | tuple[Value, ...]] = made.by_parameter(flat)
    return [TupleValue(value) if isinstance(value, tuple) else value for value in found]


def _by_argument(made: Reversible, values: Sequence[Value]) -> tuple[Value, ...]:
    k = made.gathered
    opened = [parts(value) if own == k else value for own, value in enumerate(values)]
    return tuple(made.by_argument(opened))


def _has_floats(t: Tracer, value: Value) -> bool:
    return any(leaf.type.is_float for leaf in _leaves(t, value))


def _leaves(t: Tracer, value: Value) -> Iterator[Scalar | ArrayRef]:
    if isinstance(value, Instance):
        for cell in value.cells:
            yield from leaves_of(t.content(cell))
    yield from leaves_of(value)


def _copied(t: Tracer, value: Value) -> Value:
    """The value with arrays of its own."""
    return thawed(t, t.call(Static(copy.deepcopy), [value], {}))
