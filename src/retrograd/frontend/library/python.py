"""Python's built-in functions."""

from __future__ import annotations

import builtins
import math
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from retrograd.frontend.identity.lazily import in_groups
from retrograd.frontend.identity.one_by_one import OneByOne
from retrograd.frontend.identity.standard_library import largest, smallest
from retrograd.frontend.library import operators
from retrograd.frontend.library.args import bind, flag, no_more
from retrograd.frontend.library.elementwise import absolute, round_half_even
from retrograd.frontend.library.instances import special
from retrograd.frontend.library.plain import ufuncs as plain_ufuncs
from retrograd.frontend.library.reduce import reduction
from retrograd.frontend.library.text_options import by_options
from retrograd.frontend.library.ways_out import NO_MATRIX
from retrograd.frontend.values import scalars
from retrograd.frontend.values.arrays import Index, Slice, extent, narrow, read
from retrograd.frontend.values.dicts import count_of, is_dict
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.iterate import range_trips, steps_of
from retrograd.frontend.values.iterators import eager, is_iterator, iterator_of, seen_in
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Bound,
    ComplexValue,
    DictView,
    Enumerate,
    Instance,
    RangeValue,
    Scalar,
    Static,
    Text,
    TupleValue,
    Value,
    Zip,
    describe,
)  # fmt: skip
from retrograd.frontend.values.large_ints import large_int
from retrograd.frontend.values.lists import current, sized
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.members import of_enum
from retrograd.frontend.values.numbers import may_be_array
from retrograd.frontend.values.objects import held_in
from retrograd.frontend.values.records import by_method, is_record
from retrograd.frontend.values.scalars import as_float, as_int, converted_number, number, truth
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.sets import inside_of
from retrograd.frontend.values.small_ints import small_of
from retrograd.frontend.values.tracer import Handler, PathEnds, Tracer
from retrograd.ir.terms import Atom, Lit, false, flit, ilit, true
from retrograd.ir.types import F64, I64, DType

__all__ = ["REFUSED", "TABLE"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _range(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    no_more(t, "range", kwargs)
    if not 1 <= len(args) <= 3:
        raise t.error(
            "RG0108",
            f"range with {len(args)} arguments",
            "write range(stop), range(start, stop) or range(start, stop, step)",
        )
    bounds = [as_int(t, a, "an argument of range") for a in args]
    start = bounds[0] if len(bounds) > 1 else Scalar(ilit(0))
    stop = bounds[1] if len(bounds) > 1 else bounds[0]
    step = bounds[2] if len(bounds) > 2 else Scalar(ilit(1))
    known = static_int(step)
    if known is None or known == 0:
        ok = false if known == 0 else t.prim("ne", step.atom, ilit(0))
        t.check(ok, "ValueError", "range() arg 3 must not be zero")
    if known == 0:
        step = Scalar(ilit(1))
    literals = [static_int(bound) for bound in (start, stop, step)]
    if t.frame.origin.ours and None not in literals:
        # Library programs are written for loops over axes to be unrolled.
        return TupleValue(tuple(literal(k) for k in range(*(k for k in literals if k is not None))))
    return RangeValue(start, stop, step)


def _enumerate(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    inner, start = bind(t, "enumerate", args, kwargs, "iterable start")
    assert inner is not None
    return Enumerate(inner, Scalar(ilit(0)) if start is None else as_int(t, start, "the start"))


def _zip(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    no_more(t, "zip", {name: value for name, value in kwargs.items() if name != "strict"})
    if flag(t, kwargs.get("strict"), "strict"):
        _same_lengths(t, args)
    if not args:
        return TupleValue(())
    one = args[0]
    if isinstance(one, Instance) and is_iterator(one) and list(args).count(one) > 1:
        return _in_groups(t, one, args)
    return Zip(tuple(args))


def _in_groups(t: Tracer, iterator: Instance, args: Args) -> Value:
    """`zip(it, it)`: items of one iterator by turns."""
    if list(args).count(iterator) < len(args):
        raise t.error(
            "RG0101", "`zip` of an iterator, twice, with something else", "make a list of it"
        )
    seen = seen_in(t, (held_in(t, iterator),))
    made = t.call(Static(in_groups), [iterator, Scalar(ilit(len(args)))], {})
    return eager(t, made, seen)


def _same_lengths(t: Tracer, args: Args) -> None:
    """Checks that there are as many items in each of what `zip` is given."""
    lengths: list[Atom] = []
    for arg in args:
        if isinstance(arg, Instance) and arg.cls not in (list, dict):
            raise t.error("RG0108", f"zip with strict of {describe(arg)}", "make a list: list(..)")
        steps = steps_of(t, arg)
        known = None if steps.items is None else ilit(len(steps.items))
        lengths.append(known or t.prim("imax", steps.trips, ilit(0)))
    for other in lengths[1:]:
        same = true if other == lengths[0] else false
        if not (isinstance(other, Lit) and isinstance(lengths[0], Lit)):
            same = t.prim("eq", lengths[0], other)
        t.check(same, "ValueError", "zip() arguments differ in length")


def _reversed(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "reversed", args, kwargs, "sequence")
    match value:
        case RangeValue(backwards=False):
            return replace(value, backwards=True)
        case Instance() | TupleValue() if (found := special(t, "__reversed__", value)) is not None:
            return found
        case TupleValue() if not is_record(value):
            return TupleValue(value.items[::-1], value.cls if value.cls is list else tuple)
        case Instance(cls=cls) if cls is list and (found := steps_of(t, value).items) is not None:
            return TupleValue(found[::-1])
        case Instance(cls=cls) if cls is list:
            copied = t.call(Bound(value, "copy"), (), {})
            t.call(Bound(copied, "reverse"), (), {})
            return iterator_of(t, reversed, copied, seen_in(t, [value]))
        case ArrayRef():
            return narrow(t, value, [Slice(None, None, Scalar(ilit(-1)))])
        case ComplexValue(real=ArrayRef()):
            return t.call(Static(np.flip), (value, Scalar(ilit(0))), {})
        case _:
            raise t.error("RG0101", "reversed of this", "reverse a range, a tuple or an array")


def _iter(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "iter", args, kwargs, "object")
    assert value is not None
    if inside_of(t, value) is not None and (items := steps_of(t, value).items) is not None:
        return iterator_of(t, type(iter(())), TupleValue(tuple(items)))
    if isinstance(value, Instance) and value.cls not in (list, dict):
        if is_iterator(value):
            return value
        found = special(t, "__iter__", value)
        if found is None:
            raise t.error("RG0101", f"iter of {describe(value)}", "give its class an __iter__")
        return found
    if t.span in t.ctx.way.steps and isinstance(value, ArrayRef | Instance | TupleValue):
        return t.call(Static(OneByOne), [value], {})
    if isinstance(value, Scalar) and not may_be_array(value):
        raise t.error("RG0101", f"iter of {describe(value)}", "iterate over a list", TypeError)
    if (found := by_method(t, value, "__iter__")) is not None:
        return found
    made = iterator_of(t, type(iter(())), value)
    if t.span is not None:
        t.ctx.made_by_iter[made.cells[0]] = t.span
    return made


def _len(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "len", args, kwargs, "obj")
    assert value is not None
    match value:
        case Instance() if value.cls is list:
            return sized(t, value)
        case Instance() if is_dict(value):
            return count_of(t, value)
        case Instance() | DictView() if (known := _known_items(t, value)) is not None:
            return Scalar(ilit(len(known)))
        case Instance() | TupleValue() if (found := special(t, "__len__", value)) is not None:
            return as_int(t, found)
        case TupleValue() if not is_record(value):
            return Scalar(ilit(len(value.items)))
        case Static(obj=str() as text):
            return Scalar(ilit(len(text)))
        case Text() if (found := by_options(t, [value], len)) is not None:
            return found
        case ArrayRef() if value.type.rank > 0:
            return Scalar(extent(t, value, 0), True)
        case ComplexValue(real=ArrayRef() as real):
            return Scalar(extent(t, real, 0), True)
        case RangeValue(backwards=False):
            return _range_len(t, value)
        case Static() if (cls := of_enum(value)) is not None:
            return Scalar(ilit(len(cls)), True)
        case _:
            raise t.error(
                "RG0110", f"object of type {describe(value)} has no len()",
                "pass an array, a tuple or a range",
                python=TypeError if isinstance(value, Scalar) else None,
            )  # fmt: skip


def _known_items(t: Tracer, value: Value) -> tuple[Value, ...] | None:
    """The items of a dict, or of its keys, values or items; None of all else."""
    known = isinstance(value, DictView) or is_dict(value)
    return steps_of(t, value).items if known else None


def _range_len(t: Tracer, r: RangeValue) -> Scalar:
    """The length of a range; one that needs more than 63 bits raises, as in Python."""
    trips = range_trips(t, r)
    first, last = r.start.atom, r.stop.atom
    if not r.start.is_nonneg:
        ends = t.prim("sub", last, first), t.prim("sub", first, last)
        room = t.prim("select", t.prim("lt", first, last), *ends)
        exact = t.prim("gt", room, ilit(0))
        fits = t.prim("or_", t.prim("ne", trips, ilit(2**63 - 1)), exact)
        t.check(fits, "OverflowError", "Python int too large to convert to C ssize_t")
    return Scalar(t.prim("imax", trips, ilit(0)), True)


def _int(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, base = bind(t, "int", args, kwargs, "x base", 0)
    if value is None:
        return Scalar(ilit(0))
    if base is not None:
        text, known = value.obj if isinstance(value, Static) else None, static_int(base)
        if not isinstance(text, str) or known is None:
            raise t.error("RG0126", "int of a text of the run in a base", "write the number out")
        return _of_text(t, lambda digits: int(digits, known), text)
    if isinstance(value, Static) and isinstance(value.obj, str):
        return _of_text(t, int, value.obj)
    if large_int(value) is not None:
        return value
    scalar = converted_number(t, value, "the argument of int")
    if scalar.type == F64:
        return Scalar(scalars.whole_number(t, t.prim("trunc", scalar.atom)))
    return as_int(t, scalar)


def _of_text(t: Tracer, kind: Callable[[str], int | float], text: str) -> Value:
    """The number that a text is; where it is none the path ends as Python's does."""
    try:
        return literal(kind(text))
    except ValueError as error:
        t.stop("ValueError", str(error))
        raise PathEnds from None


def _float(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "float", args, kwargs, "x", 0)
    if value is None:
        return Scalar(flit(0.0))
    if isinstance(value, Static) and isinstance(value.obj, str):
        return _of_text(t, float, value.obj)
    scalar = converted_number(t, value, "the argument of float")
    return Scalar(as_float(t, scalar))


def _bool(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "bool", args, kwargs, "x", 0)
    return Scalar(false if value is None else truth(t, value))


def _slice(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    one, two, three = bind(t, "slice", args, kwargs, "start stop step")
    if len(args) == 1:
        one, two = None, one
    return TupleValue(tuple(NONE if part is None else part for part in (one, two, three)), slice)


def _listed(t: Tracer, value: Value) -> Value:
    """The items of an iterator, or of an object of a class, as a list has them."""
    if (inside := inside_of(t, value)) is not None:
        return frozen(t, inside)
    if isinstance(value, Instance) and value.cls not in (list, dict):
        return frozen(t, t.call(Static(list), (value,), {}))
    return value


def _items(t: Tracer, name: str, args: Args) -> tuple[Value, ...] | None:
    """The values that `min`, `max` or `sum` works on; None for an array."""
    if len(args) > 1:
        return tuple(args)
    if isinstance(args[0], ArrayRef):
        return None
    if (found := steps_of(t, args[0]).all()) is None:
        raise t.error("RG0107", f"{name} of {describe(args[0])}", "write a loop")
    return tuple(current(t, item) for item in found)


def _extreme(name: str, test: str) -> Handler:
    """`max` and `min`: the first of the extreme ones, as Python compares."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        no_more(t, name, kwargs)
        if not args:
            raise t.error("RG0108", f"{name} of nothing", f"write {name}(a, b)")
        args = [_listed(t, args[0])] if len(args) == 1 else args
        items = _items(t, name, args)
        if items is None:
            return _extreme_of_array(t, name, args[0])
        if not items:
            t.stop("ValueError", f"{name}() iterable argument is empty")
            raise PathEnds
        if any(map(_is_compared, items)):
            found = largest if name == "max" else smallest
            return t.call(Static(found), (TupleValue(tuple(items)),), {})
        best = number(t, items[0], f"an argument of {name}")
        for item in items[1:]:
            best = _better(t, test, best, number(t, item, f"an argument of {name}"))
        return replace(best, small=next(filter(None, map(small_of, items)), None))

    return handler


def _is_compared(item: Value) -> bool:
    """Whether it is a tuple or an object, which compare in ways of their own."""
    return isinstance(item, Instance | TupleValue) and item.cls not in (list, dict)


def _extreme_of_array(t: Tracer, name: str, array: Value) -> Value:
    """A nan in the first place wins, as Python compares, and loses in all others."""
    if isinstance(array, ArrayRef) and array.type.rank > 1:
        raise t.error(
            "RG0110", f"{name} of {describe(array)}, or of a list of tuples", f"write np.{name}(x)"
        )
    if not isinstance(array, ArrayRef) or array.type != F64.with_rank(1):
        return reduction(name)(t, (array,), {})
    values = read(t, array)
    least = flit(-math.inf if name == "max" else math.inf)
    known = t.prim("select", t.prim("isnan", values), least, values)
    found = number(t, reduction(name)(t, (t.new(known),), {}))
    first = read(t, narrow(t, array, [Index(Scalar(ilit(0)), inside=True)]))
    return Scalar(t.prim("select", t.prim("isnan", first), first, found.atom))


def _better(t: Tracer, test: str, best: Scalar, other: Scalar) -> Scalar:
    """One of two numbers, the first of equals; the derivative of equal floats is shared."""
    better = scalars.compare(t, test, other, best).atom
    if isinstance(better, Lit):
        return other if better.value else best
    either = best.is_nonneg or other.is_nonneg if test == "gt" else False
    known = either or (best.is_nonneg and other.is_nonneg)
    dtype = scalars.join_dtype(best.type.dtype, other.type.dtype)
    if best.type == other.type == I64:
        extreme = "imax" if test == "gt" else "imin"
        return Scalar(t.prim(extreme, best.atom, other.atom), known)
    x, y = (scalars.convert(t, s.atom, dtype) for s in (other, best))
    if dtype is DType.F64:
        tie = scalars.compare(t, "eq", other, best).atom
        y = t.prim("select", tie, t.prim("tied", y, x), y)
    return Scalar(t.prim("select", better, x, y), known)


def _sum(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, start = bind(t, "sum", args, kwargs, "iterable start")
    assert value is not None
    value = _listed(t, value)
    total: Value = Scalar(ilit(0)) if start is None else start
    if isinstance(value, ArrayRef):
        if start is not None:
            return t.call(Static(plain_ufuncs.added_to), (start, value), {})
        axis = Scalar(ilit(0))
        return reduction("sum")(t, (value, axis), {})
    for item in _items(t, "sum", (value,)) or ():
        total = operators.binary(t, "add", total, item)
    return total


def _any_all(name: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (value,) = bind(t, name, args, kwargs, "iterable")
        assert value is not None
        value = _listed(t, value)
        if isinstance(value, ArrayRef):
            if value.type.rank != 1:
                raise t.error("RG0110", f"{name} of an array of rank 2", f"write np.{name}(x)")
            return reduction(name)(t, (value,), {})
        found, decided = (false, true) if name == "any" else (true, false)
        for item in _items(t, name, (value,)) or ():
            one = truth(t, item)
            match found, one:
                case Lit(), _:
                    found = found if found == decided else one
                case _, Lit():
                    found = one if one == decided else found
                case _:
                    found = t.prim("or_" if name == "any" else "and_", found, one)
        return Scalar(found)

    return handler


def _divmod(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    a, b = bind(t, "divmod", args, kwargs, "a b", 2)
    assert a is not None
    assert b is not None
    quotient = operators.binary(t, "floordiv", a, b)
    return TupleValue((quotient, operators.binary(t, "mod", a, b)))


def _pow(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    a, b = bind(t, "pow", args, kwargs, "base exp", 2)
    assert a is not None
    assert b is not None
    return operators.binary(t, "pow", a, b)


def _tuple(cls: type) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (value,) = bind(t, cls.__name__, args, kwargs, "iterable", 0)
        if value is None:
            return TupleValue((), cls)
        items = steps_of(t, value).all()
        if items is None:
            raise t.error("RG0101", f"a {cls.__name__} of {describe(value)}", "use an array")
        return TupleValue(tuple(current(t, item) for item in items), cls)

    return handler


def _cast(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`typing.cast`, which does nothing."""
    _, value = bind(t, "cast", args, kwargs, "typ val", 2)
    assert value is not None
    return value


TABLE: Mapping[object, Handler] = {
    typing.cast: _cast,
    builtins.abs: absolute,
    builtins.round: round_half_even,
    builtins.range: _range,
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.reversed: _reversed,
    builtins.iter: _iter,
    builtins.len: _len,
    builtins.slice: _slice,
    builtins.int: _int,
    builtins.float: _float,
    builtins.bool: _bool,
    builtins.max: _extreme("max", "gt"),
    builtins.min: _extreme("min", "lt"),
    builtins.sum: _sum,
    builtins.any: _any_all("any"),
    builtins.all: _any_all("all"),
    builtins.divmod: _divmod,
    builtins.pow: _pow,
    builtins.tuple: _tuple(tuple),
    builtins.list: _tuple(list),
}


REFUSED: Mapping[object, str] = {
    builtins.sorted: "sort the data before the call",
    builtins.open: "read the data before the call",
    builtins.input: "read the data before the call",
    builtins.next: "write a `for` loop",
    np.matrix: NO_MATRIX,
}
