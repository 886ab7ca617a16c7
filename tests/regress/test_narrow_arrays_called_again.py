"""A second call with an array of ints of less than 64 bits crashed, where its program needs no
numbers from outside: its parts were not made again."""

import numpy as np
import pytest

import retrograd as rg


def turned(x, n):
    return np.flip(x), np.round(x, n)


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.uint32])
def test_each_call_gives_the_same(kind):
    compiled, x = rg.jit(turned), np.array([125, 35]).astype(kind)
    for n in (-1, 0, -1):
        for ours, theirs in zip(compiled(x, n), turned(x, n), strict=True):
            assert ours.dtype == theirs.dtype
            assert np.array_equal(ours, theirs)
