"""Values from outside of the program: the abstract values of arguments and hidden arguments.

Arrays are numbered, and so are places (dicts and objects), which have their own number and those of
their attributes among the `contents`, as in packing.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import cast

from retrograd.frontend.identity import mappings
from retrograd.frontend.identity.buffers import ListBuffer, ListItems
from retrograd.frontend.identity.given_lists import GIVEN, GivenBuffer
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.identity.specs import (
    ArgSpec,
    ComplexSpec,
    DictSpec,
    GivenSpec,
    LeafSpec,
    OpaqueSpec,
    SameSpec,
    StaticSpec,
    TreeSpec,
    TupleSpec,
    is_static,
)
from retrograd.frontend.values.complexes import complex_literal
from retrograd.frontend.values.kinds import (
    UNBOUND,
    ArrayRef,
    ComplexValue,
    DictValue,
    Instance,
    RangeValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    hole,
)  # fmt: skip
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Context
from retrograd.ir.types import I64

__all__ = ["Outside", "baked"]

_OF_COLLECTIONS: Mapping[type, type] = {
    defaultdict: mappings.DefaultDict, Counter: mappings.Counter, OrderedDict: mappings.OrderedDict,
}  # fmt: skip
"""What stands for the dicts of `collections`."""


@dataclass(slots=True)
class Outside:
    """The abstract values of one entry.

    `layout` gives the names of the attributes that the methods of a class assign. `objects` are all
    objects in the order in which they are met, `dicts` all dicts, `group` the objects to which
    `SameSpec` may refer, `lists` those that the program may change. `standing` are what stands for
    dicts of `collections`: what these hold is among the dicts.
    """

    ctx: Context
    layout: Callable[[type], tuple[str, ...]]
    numbers: Iterator[int] = field(default_factory=count)
    contents: list[Value] = field(default_factory=list[Value])
    objects: list[Instance] = field(default_factory=list[Instance])
    group: list[Instance] = field(default_factory=list[Instance])
    dicts: list[Instance] = field(default_factory=list[Instance])
    lists: list[Instance] = field(default_factory=list[Instance])
    standing: list[Instance] = field(default_factory=list[Instance])

    def value(self, spec: ArgSpec) -> Value:
        """The value that an argument with that spec has."""
        match spec:
            case LeafSpec() if spec.type.is_scalar:
                return Scalar(hole(spec.type), numpy=spec.numpy)
            case LeafSpec():
                return ArrayRef(next(self.numbers), spec.type, extents=spec.extents)
            case TupleSpec() if spec.cls in GIVEN:
                return self._list(spec)
            case TupleSpec():
                return TupleValue(tuple(map(self.value, spec.items)), spec.cls)
            case ComplexSpec():
                real, imag = map(self.value, spec.items)
                assert isinstance(real, Scalar | ArrayRef)
                assert isinstance(imag, Scalar | ArrayRef)
                return ComplexValue(real, imag)
            case DictSpec():
                return self._dict(spec)
            case TreeSpec():
                return self._object(spec)
            case SameSpec():
                return self.group[spec.number]
            case OpaqueSpec() | GivenSpec():
                return Static(spec)
            case StaticSpec():
                return baked(self.ctx, spec.obj)

    def _list(self, spec: TupleSpec) -> Instance:
        held = Instance(list, len(self.contents), ("items",))
        self.lists.append(held)
        self.contents += [UNBOUND, UNBOUND]
        items = tuple(map(self.value, spec.items))
        content = TupleValue(items, ListItems)
        if spec.cls is GivenBuffer:
            content = TupleValue((items[0], Scalar(hole(I64), True)), ListBuffer)
        self.contents[held.place + 1] = content
        return held

    def _dict(self, spec: DictSpec) -> Instance:
        held = Instance(dict, len(self.contents), ("items",))
        self.dicts.append(held)
        self.contents += [UNBOUND, UNBOUND]
        items = tuple(map(self.value, spec.items))
        self.contents[held.place + 1] = DictValue(spec.keys, items)
        if spec.cls is dict:
            return held
        cls = _OF_COLLECTIONS[spec.cls]
        made = Instance(cls, len(self.contents), self.layout(cls))
        self.standing.append(made)
        self.contents += [UNBOUND] * (1 + len(made.names))
        self.contents[made.cell("data")] = held
        if spec.cls is defaultdict:
            self.contents[made.cell("default_factory")] = baked(self.ctx, spec.default)
        return made

    def _object(self, spec: TreeSpec) -> Instance:
        names = tuple(sorted({*self.layout(spec.cls), *spec.names}))
        made = Instance(spec.cls, len(self.contents), names)
        self.objects.append(made)
        self.group.append(made)
        self.contents += [UNBOUND] * (1 + len(names))
        for name, item in zip(spec.names, spec.items, strict=True):
            self.contents[made.cell(name)] = self.value(item)
        return made


def baked(ctx: Context, obj: object) -> Value:
    """A value that is part of the program: numbers as literals, tuples of what they hold."""
    match obj:
        case Enum():
            return Static(obj)
        case complex():
            return complex_literal(obj)
        case range():
            return RangeValue(literal(obj.start), literal(obj.stop), literal(obj.step))
        case slice():
            part = cast("slice[object, object, object]", obj)
            ends = (part.start, part.stop, part.step)
            return TupleValue(tuple(baked(ctx, end) for end in ends), slice)
        case bool() | int() | float():
            if isinstance(obj, int) and not -(2**63) <= obj < 2**63:
                return Static(int(obj))
            return literal(obj)
        case _ if not is_static(obj) and (names := fields_of(type(obj))) is not None:
            items = tuple(baked(ctx, getattr(obj, name)) for name in names)
            return TupleValue(items, type(obj))
        case tuple():
            return TupleValue(tuple(baked(ctx, item) for item in cast("tuple[object, ...]", obj)))
        case _:
            ctx.guard(obj)
            return Static(obj)
