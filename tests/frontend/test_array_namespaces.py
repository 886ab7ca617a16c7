"""Code that asks which module an array is of and what its dtype is, and settings in objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

M = np.arange(12.0).reshape(3, 4)


def namespace_of_all(*arrays: Any) -> Any:
    found = set()
    for array in arrays:
        if array is None:
            continue
        if not isinstance(array, np.ndarray):
            raise TypeError("not an array")
        found.add(array.__array_namespace__() if hasattr(array, "__array_namespace__") else np)
    if len(found) != 1:
        raise TypeError("several namespaces")
    (namespace,) = found
    return namespace


def standardised(x: Any, weights: Any = None) -> Any:
    xp = namespace_of_all(x, weights)
    if not xp.isdtype(x.dtype, ("real floating", "complex floating")):
        x = xp.astype(x, xp.float64)
    y = xp.concat([x, x], axis=0)
    return (y - xp.mean(y, axis=0)) / xp.std(y, axis=0), xp.permute_dims(x, (1, 0))


def of_sets(x: Any) -> Any:
    one = {type(a).__name__ for a in (x, x)}
    modules = [np, np.linalg]
    return modules[0].sum(x) + modules[1].norm(x), next(iter(one)), len({np})


def asked(x: Any) -> Any:
    kinds = [np.isdtype(x.dtype, k) for k in ("integral", "numeric", np.float64)]
    return kinds, np.can_cast(x.dtype, np.int64), np.can_cast(np.int64, x.dtype, "same_kind")


@pytest.mark.parametrize("x", [M, M.astype(int)])
@pytest.mark.parametrize("f", [standardised, of_sets, asked])
def test_as_numpy(f: Any, x: Any) -> None:
    agree(f, x)


def unstacked(x: Any) -> Any:
    first, second, *others = np.unstack(x, axis=1)
    return first * second, others, np.unstack(x)[0], tuple(x[:, 0])


def test_rows_of_arrays_of_known_lengths() -> None:
    for ours, theirs in zip(rg.jit(unstacked)(M), unstacked(M), strict=True):
        assert type(ours) is type(theirs)
        assert np.array_equal(ours, theirs)
    assert rg.check_grads(lambda x: unstacked(x)[0], (M,), 1).ok


class Along:
    def __init__(self, axis: int = 0, *, keep: bool = False) -> None:
        self.axis, self.keep = axis, keep

    def of(self, x: Any) -> Any:
        return np.sum(x, axis=self.axis, keepdims=self.keep)

    def twice(self, x: Any) -> Any:
        return np.concatenate([x, x], axis=self.axis)


def with_objects(x: Any) -> Any:
    last = Along(axis=-1, keep=True)
    return Along().of(x), last.of(x), Along(1).twice(x), [Along(k).of(x) for k in (0, 1)]


def in_a_loop(x: Any, n: int) -> Any:
    rows = Along(1)
    for _ in range(n):
        x = rows.twice(x)
    return x


def joined(arrays: Any, axis: int = 0, dtype: Any = None) -> Any:
    return np.concatenate(arrays, axis=axis, dtype=dtype), np.stack(arrays, axis)


def test_ints_of_objects_that_are_made_in_the_program_are_known() -> None:
    agree(with_objects, M)
    agree(in_a_loop, M, 2)
    agree(lambda x: (joined([x, x]), joined((x, x), 1), joined([x, x], axis=-1, dtype=float)), M)
    slopes = rg.grad(lambda x: np.sum(Along(1).of(x) ** 2))(M)
    assert np.array_equal(slopes, 2.0 * np.sum(M, axis=1, keepdims=True) + 0.0 * M)


def fallen(n: int, rows: Along, x: Any) -> Any:
    return x if n == 0 else fallen(n - 1, rows, rows.of(np.stack([x, x], axis=1)))


def test_a_recursion_with_such_objects() -> None:
    agree(lambda x, n: (fallen(5, Along(1), x), fallen(n, Along(1), x)), M[0], 40)


def test_an_axis_of_the_run_is_refused() -> None:
    with pytest.raises(UserError, match="RG0113"):
        rg.jit(lambda x, n: Along(n).of(x))(M, 1)
