"""Which values are accepted as arguments, and as what."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pytest

from retrograd.errors import UserError
from retrograd.frontend.identity.flattening import leaf_types, leaves, unflatten
from retrograd.frontend.identity.specs import LeafSpec, StaticSpec, TreeSpec, TupleSpec, spec_of
from retrograd.ir.types import BOOL, F64, I64, DType, Type


class Pair(NamedTuple):
    a: float
    b: int


@dataclass(frozen=True)
class Frozen:
    a: object
    b: float


@dataclass
class Thawed:
    a: float


class Level(IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (True, BOOL), (np.True_, BOOL), (3, I64), (np.int32(3), I64), (1.5, F64),
        (np.float64(2), F64), (np.array(2.5), F64), (np.array(3), I64),
        (np.ones(2), Type(DType.F64, 1)),
        (np.ones((2, 3, 4), dtype=int), Type(DType.I64, 3)),
        (np.ones((2, 2), bool), Type(DType.BOOL, 2)),
        (np.ones((4, 4)).T[::2], Type(DType.F64, 2)), (np.zeros(0), Type(DType.F64, 1)),
        (np.ones(2, dtype=">f8"), Type(DType.F64, 1)),
    ],
)  # fmt: skip
def test_leaves(value, type_):
    assert spec_of(value) == LeafSpec(type_)


def test_objects_and_members():
    assert spec_of(Level.LOW) == StaticSpec(Level.LOW)
    assert spec_of(Thawed(1.0)) == TreeSpec(Thawed, ("a",), (LeafSpec(F64),))
    alone = object()
    assert spec_of(alone) == StaticSpec(alone)


@pytest.mark.parametrize(
    "value",
    [
        np.complex64(1), {float("nan"): 1}, {b"x"}, 2**70,
        np.float32(1.0),
        np.ones(2, dtype=np.float32), np.ones(2, dtype=np.uint64), np.array([object()]),
        np.array(["a"]), np.ones((1,) * 9), np.ones(2, dtype=np.complex64), (1.0, b"text"), [b"w"],
    ],
)  # fmt: skip
def test_refused_with_a_way_out(value):
    with pytest.raises(UserError) as caught:
        spec_of(value)
    assert caught.value.code == "RG0103"
    assert caught.value.way_out


def test_trees_go_to_leaves_and_back():
    value = (1.0, [2, Pair(3.0, 4)], Frozen(np.ones(2), 5.0), None, np.sin)
    spec = spec_of(value)
    assert isinstance(spec, TupleSpec)
    assert list(leaf_types(spec)) == [F64, I64, F64, I64, Type(DType.F64, 1), F64]
    flat = list(leaves(spec, value))
    back = unflatten(spec, iter(flat))
    assert back[:2] == value[:2]
    assert type(back[1][1]) is Pair
    assert type(back[2]) is Frozen
    assert back[2].a is value[2].a
    assert back[3] is None
    assert back[4] is np.sin


def test_static_values_are_compared_by_identity():
    assert spec_of(np.sin) == spec_of(np.sin) == StaticSpec(np.sin)
    assert spec_of(np.sin) != spec_of(np.cos)
