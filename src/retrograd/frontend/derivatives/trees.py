"""`retrograd.tree` inside of programs: trees are taken apart while the program is translated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from retrograd.frontend.identity.structure import (
    LEAF,
    NOTHING,
    Structure,
    Unravel,
    in_sorted_order,
)
from retrograd.frontend.library.args import bind, no_more
from retrograd.frontend.values.arrays import Index, Slice, extent, narrow, read, value_atom
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    DictValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
    with_parts,
)
from retrograd.frontend.values.lists import current
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.frontend.values.trees import aligned
from retrograd.ir.terms import ilit
from retrograd.ir.types import DType

__all__ = ["HANDLERS", "unravelled"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _sorted_items(value: TupleValue | DictValue) -> tuple[Value, ...]:
    """The items in the order in which leaves are counted."""
    if isinstance(value, TupleValue):
        return value.items
    table = dict(zip(value.keys, value.items, strict=True))
    return tuple(table[key] for key in in_sorted_order(value.keys))


def _structure(value: Value) -> Structure:
    match value:
        case Static(obj=None):
            return NOTHING
        case TupleValue():
            return Structure("tuple", tuple(map(_structure, value.items)), value.cls)
        case DictValue():
            items = tuple(map(_structure, _sorted_items(value)))
            return Structure("dict", items, dict, tuple(in_sorted_order(value.keys)), value.keys)
        case _:
            return LEAF


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, TupleValue | DictValue):
        for item in _sorted_items(value):
            yield from _leaves(item)
    elif value != NONE:
        yield value


def _filled(structure: Structure, leaves: Iterator[Value]) -> Value:
    match structure.kind:
        case "leaf":
            return next(leaves)
        case "none":
            return NONE
        case "tuple":
            items = tuple(_filled(item, leaves) for item in structure.items)
            return TupleValue(items, structure.cls)
        case _:
            found = [_filled(item, leaves) for item in structure.items]
            table = dict(zip(structure.keys, found, strict=True))
            return DictValue(structure.order, tuple(table[key] for key in structure.order))


def _map(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`tree.map(f, tree, *rest)`."""
    no_more(t, "tree.map", kwargs)
    if len(args) < 2:
        raise t.error(
            "RG0108",
            "tree.map takes a function and at least one tree",
            "write rg.tree.map(f, tree)",
        )
    fun, tree, *rest = args
    return _mapped(t, fun, tree, rest)


def _mapped(t: Tracer, fun: Value, tree: Value, rest: Args) -> Value:
    if not isinstance(tree, TupleValue | DictValue) and tree != NONE:
        return t.call(fun, (tree, *rest), {})
    columns = [aligned(other, tree) for other in rest]
    if tree == NONE and all(other == NONE for other in rest):
        return NONE
    if not isinstance(tree, TupleValue | DictValue) or None in columns:
        raise t.error("RG0115", "the trees are not structured alike",
                      "give trees of the same kinds, lengths and keys")  # fmt: skip
    rows = list(zip(tree.items, *(column or () for column in columns), strict=True))
    order = list(range(len(rows)))
    if isinstance(tree, DictValue):  # calls in the order of the leaves
        order = [tree.keys.index(key) for key in in_sorted_order(tree.keys)]
    found: dict[int, Value] = {}
    for k in order:
        item, *others = rows[k]
        found[k] = _mapped(t, fun, item, others)
    return with_parts(tree, tuple(found[k] for k in range(len(rows))))


def _flatten(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (tree,) = bind(t, "tree.flatten", args, kwargs, "tree", 1)
    assert tree is not None
    return TupleValue((TupleValue(tuple(_leaves(tree)), list), Static(_structure(tree))))


def _all_leaves(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (tree,) = bind(t, "tree.leaves", args, kwargs, "tree", 1)
    assert tree is not None
    return TupleValue(tuple(_leaves(tree)), list)


def _structure_of(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (tree,) = bind(t, "tree.structure", args, kwargs, "tree", 1)
    assert tree is not None
    return Static(_structure(tree))


def _unflatten(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    made, leaves = bind(t, "tree.unflatten", args, kwargs, "structure leaves", 2)
    assert leaves is not None
    if not isinstance(made, Static) or not isinstance(made.obj, Structure):
        what = "nothing" if made is None else describe(made)
        raise t.error("RG0110", f"tree.unflatten with {what}", "pass what tree.flatten gives")
    items = steps_of(t, leaves).items
    if items is None or len(items) != made.obj.count:
        raise t.error("RG0115", f"{describe(leaves)} for a structure with {made.obj.count} leaves",
                      "give a leaf for each leaf of the tree that was flattened")  # fmt: skip
    return _filled(made.obj, iter([current(t, item) for item in items]))


def unravelled(t: Tracer, made: Unravel, args: Args, kwargs: Kwargs) -> Value:
    """A call of what `tree.ravel` has given: a tree of the entries of a vector."""
    (vector,) = bind(t, "what tree.ravel has made", args, kwargs, "vector", 1)
    if not isinstance(vector, ArrayRef) or vector.type.rank != 1:
        what = "nothing" if vector is None else describe(vector)
        raise t.error("RG0110", f"a tree is made of {what}", "pass a vector")
    fits = t.prim("eq", extent(t, vector, 0), ilit(sum(made.sizes)))
    t.check(fits, "ValueError", "the vector is not as long as what ravel gives")
    own = t.new(convert(t, value_atom(t, vector), DType.F64))
    assert isinstance(own, ArrayRef)
    found: list[Value] = []
    start = 0
    for shape, size, scalar in zip(made.shapes, made.sizes, made.scalars, strict=True):
        if scalar:
            place = narrow(t, own, [Index(literal(start), inside=True)])
            found.append(Scalar(read(t, place)))
        else:
            part = read(t, narrow(t, own, [Slice(literal(start), literal(start + size), None)]))
            dims = [ilit(extent) for extent in shape]
            found.append(t.new(part if len(shape) == 1 else t.prim("reshape", part, *dims)))
        start += size
    return _filled(made.structure, iter(found))


HANDLERS: Mapping[str, Handler] = {
    "map": _map, "flatten": _flatten, "leaves": _all_leaves, "structure": _structure_of,
    "unflatten": _unflatten,
}  # fmt: skip
"""By their names in `retrograd.tree`."""
