"""Arguments of derivatives inside of programs: each array a leaf, gradients in their structure.

An object is given as a copy, with copies of its attributes: derivatives write nothing back. What it
has must be numbers, arrays, tuples, constants and objects of that kind, each object once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from retrograd.errors import Limitation
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.complexes import is_about_complex
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    DictValue,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Unbound,
    Value,
    parts,
    with_parts,
)
from retrograd.frontend.values.objects import instances, reachable
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom

__all__ = [
    "changed_once", "complex_in_derivatives", "copied", "is_plain", "leaf_count", "like",
    "no_objects", "separate",
]  # fmt: skip


def _is_object(value: Value) -> bool:
    return isinstance(value, Instance) and value.cls not in (list, dict)


def separate(t: Tracer, value: Value, origins: dict[int, int] | None = None) -> Value:
    """The value with every array in a location of its own, so that each is one leaf.

    `origins` is told, by the new location, where its array was before.
    """

    def own(ref: ArrayRef) -> Value:
        atom = value_atom(t, ref)
        loc = t.ctx.fresh()
        t.state.arrays[loc] = atom
        if origins is not None:
            origins[loc] = ref.loc
        return ArrayRef(loc, atom.type)

    return _with_arrays(t, value, own)


def copied(t: Tracer, value: Value) -> Value:
    """The value with copies of its arrays and objects."""
    return _with_arrays(t, value, lambda ref: t.new(t.prim("copy", value_atom(t, ref))))


def _with_arrays(t: Tracer, value: Value, own: Callable[[ArrayRef], Value]) -> Value:
    match value:
        case ArrayRef():
            return own(value)
        case Instance() if _is_object(value):
            made = Instance(value.cls, t.ctx.fresh_place(len(value.names)), value.names)
            for new, cell in zip(made.cells, value.cells, strict=True):
                t.state.cells[new] = _with_arrays(t, t.content(cell), own)
            return made
        case _:
            return with_parts(value, tuple(_with_arrays(t, part, own) for part in parts(value)))


def like(t: Tracer, value: Value, atoms: Iterator[Atom]) -> Value:
    """The gradient of `value` from the next of `atoms`: None where it is no float."""
    match value:
        case TupleValue() | DictValue():
            return with_parts(value, tuple(like(t, part, atoms) for part in parts(value)))
        case Scalar() | ArrayRef() if value.type.is_float:
            return t.new(next(atoms))
        case Instance() if _is_object(value):
            made = Instance(value.cls, t.ctx.fresh_place(len(value.names)), value.names)
            for own, cell in zip(made.cells, value.cells, strict=True):
                held = t.content(cell)
                known = isinstance(held, Unbound)
                t.state.cells[own] = held if known else like(t, held, atoms)
            return made
        case _:
            _skip(value, atoms)
            return NONE


def _skip(value: Value, atoms: Iterator[Atom]) -> None:
    """Leaves out the gradients of floats that a function has as default values."""
    for part in parts(value):
        if isinstance(part, Scalar | ArrayRef) and part.type.is_float:
            next(atoms, None)
        _skip(part, atoms)


def leaf_count(t: Tracer, value: Value) -> int:
    """How many numbers and arrays a tree has; a function in it may have more."""
    match value:
        case TupleValue() | DictValue():
            return sum(leaf_count(t, item) for item in value.items)
        case Instance() if _is_object(value):
            return sum(leaf_count(t, t.content(cell)) for cell in value.cells)
        case _:
            return 1 if isinstance(value, Scalar | ArrayRef) else 0


def is_plain(t: Tracer, value: Value, seen: set[int]) -> bool:
    """Whether an object may be copied: nothing in it is there twice, or is a list or a function."""
    match value:
        case Scalar() | ArrayRef() | Static() | Unbound():
            return True
        case TupleValue():
            return all(is_plain(t, item, seen) for item in value.items)
        case Instance() if _is_object(value) and value.place not in seen:
            seen.add(value.place)
            return all(is_plain(t, t.content(cell), seen) for cell in value.cells)
        case _:
            return False


def no_objects(t: Tracer, args: Sequence[Value]) -> None:
    """Refuses objects as arguments that are not data alone, and complex numbers."""
    if is_about_complex(args):
        raise complex_in_derivatives(t, "an argument")
    for one in (one for value in args for one in instances(value)):
        if one.cls is not dict and not is_plain(t, one, set()):
            raise t.error(
                "RG0103", "an object with lists or dicts, or with another object twice, is an "
                "argument of a derivative inside of a program",
                "close over it, or pass the numbers and arrays that it has",
            )  # fmt: skip


def complex_in_derivatives(t: Tracer, what: str) -> Limitation:
    """The refusal of a complex number of a function that is differentiated in a program."""
    return Limitation(
        "RG0115", f"{what} of what is differentiated inside of a program is complex", t.span,
        "close over it, or pass (and return) z.real and z.imag",
    )  # fmt: skip


def changed_once(t: Tracer, fun: Value, args: Sequence[Value]) -> None:
    """Refuses a dict or object that is given twice to a function that changes such."""
    places = [place for value in args for place in _places(t, value)]
    if len(set(places)) < len(places) or not reachable(t.state.cells, [fun]).isdisjoint(places):
        raise t.error(
            "RG0307", "the function that is differentiated changes a dict or an object, and is "
            "given one twice", "pass a copy for one of the two: dict(d)",
        )  # fmt: skip


def _places(t: Tracer, value: Value) -> Iterator[int]:
    """The dicts and objects of which a value has copies."""
    match value:
        case DictValue():
            yield value.origin
        case Instance() if _is_object(value):
            yield value.place
            for cell in value.cells:
                yield from _places(t, t.content(cell))
        case _:
            pass
    for part in parts(value):
        yield from _places(t, part)
