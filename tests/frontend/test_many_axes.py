"""Arrays of four axes and more, in NumPy's functions: the values of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree, interpreted

pytestmark = pytest.mark.thinned(2)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 2, 3))
Y = RNG.normal(size=(3, 1, 3))
TALL = np.swapaxes(X, -1, -2).copy()
AT, GRID = np.array([1, 0, 1]), np.array([[0, 1], [1, 0]])


def square(x: Any) -> Any:
    return x[..., :2] + 4.0 * np.eye(2)


def gram(x: Any) -> Any:
    return x[..., :2] @ np.swapaxes(x[..., :2], -1, -2) + np.eye(2)


def written_in_place(x: Any) -> Any:
    z = x.copy()
    z[0, 1:, :, ::2] = x[1, :2, :, :2]
    z[..., 0] += x[..., 1] * 2.0
    z[z > 0.3] = x[1, 1, 1, 1]
    z[:, AT] = x[:, :, ::-1]
    return z


VALUES: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: np.sum(x, axis=(0, 2)),
    "var": lambda x: np.var(x, axis=(1, 3), keepdims=True),
    "max": lambda x: np.max(x, axis=2),
    "argmax": lambda x: np.argmax(x, axis=2),
    "prod": lambda x: np.prod(x, axis=(0, 1)),
    "cumprod": lambda x: np.cumprod(x, axis=1),
    "sort": lambda x: np.sort(x, axis=1),
    "median of two axes": lambda x: np.median(x, axis=(1, -1)),
    "percentile of two axes": lambda x: np.percentile(x, [30, 60], axis=(1, 3), keepdims=True),
    "take": lambda x: np.take(x, AT, axis=2),
    "stack": lambda x: np.stack([x, x * 2.0], axis=-1),
    "concatenate": lambda x: np.concatenate([x, x[:, :, :1]], axis=2),
    "a mask": lambda x: x[x > 0.1],
    "broadcast": lambda x: x * Y + x[:, :, :1],
    "moveaxis of two": lambda x: np.moveaxis(x, (0, 1), (2, 0)),
    "roll": lambda x: np.roll(x, (1, -1), axis=(1, 3)),
    "flip": lambda x: np.flip(x, (0, 3)),
    "pad": lambda x: np.pad(x, ((0, 0), (1, 1), (0, 2), (0, 0))),
    "tile": lambda x: np.tile(x, (1, 2, 1, 1)),
    "gradient": lambda x: np.gradient(x, axis=1),
    "norm": lambda x: np.linalg.norm(x, axis=(1, 2)),
    "five axes": lambda x: x[:, None] * x[:, :, None],
    "pooled": lambda x: x.reshape(2, 3, 1, 2, 1, 3).max(axis=(3, 5)),
    "einsum of blocks": lambda x: np.einsum("abcd,abed->abce", x, x),
    "einsum of six axes": lambda x: np.einsum("abcd,ebfd->abcef", x, x),
    "einsum of a diagonal": lambda x: np.einsum("abad->bd", x[:, :, :2]),
    "tensordot": lambda x: np.tensordot(x, x, axes=([1, 3], [1, 3])),
    "dot": lambda x: np.dot(x, TALL),
    "dot with a vector": lambda x: np.dot(x, Y[0, 0]),
    "inner": lambda x: np.inner(x, x),
    "stack by stack": lambda x: x @ TALL,
    "matrix by stack": lambda x: x[0, 0] @ TALL,
    "vector by stack": lambda x: Y[0, 0] @ TALL + x[0, 0, 0, :2],
    "stack by vector": lambda x: x @ Y[0, 0],
    "stack by matrix": lambda x: x @ Y[:, 0].T,
    "stretched stacks": lambda x: x[:, :1] @ TALL[:1],
    "stacks of other ranks": lambda x: x @ TALL[0],
    "no matrices": lambda x: x[:0] @ TALL[:0],
    "inv": lambda x: np.linalg.inv(square(x)),
    "solve": lambda x: np.linalg.solve(square(x), x[..., 2:]),
    "solve, stretched": lambda x: np.linalg.solve(square(x)[:, :1], x[:1, :, :, 1:]),
    "slogdet": lambda x: np.linalg.slogdet(square(x))[1],
    "cholesky": lambda x: np.linalg.cholesky(gram(x)),
    "eigvalsh": lambda x: np.linalg.eigh(gram(x))[0],
    "nonzero": lambda x: x[np.nonzero(x > 0.0)],
    "argwhere": lambda x: np.argwhere(x > 0.0),
    "two arrays of ints": lambda x: x[GRID, GRID],
    "arrays of ints apart": lambda x: x[0, AT, :, AT],
    "apply_along_axis": lambda x: np.apply_along_axis(lambda v: v * v.sum(), 2, x),
    "meshgrid": lambda x: np.meshgrid(x[0, 0, 0], x[0, :, 0, 0], x[:, 0, 0, 0], x[1, 1, 1])[2],
    "mgrid": lambda x: np.mgrid[0:2, 1:7:2, 0:3] * x[0, 0, 0, 0],
    "mgrid of floats": lambda x: np.mgrid[0:1:0.25, 2:3] + x[0, 0, 0, 0],
    "mgrid by counts": lambda x: np.mgrid[0:1:5j, -1:1:3j] + x[0, 0, 0, 0],
    "mgrid by counts of the run": lambda x: (
        np.mgrid[0 : 1 : x.shape[0] * 1j, slice(-1, 1, x.shape[1] * 1j)] + x[0, 0, 0, 0]
    ),
    "a line of mgrid": lambda x: np.mgrid[0:1:5j] + x[0, 0, 0, 0],
    "ogrid": lambda x: np.ogrid[0:2, 0:3][1] * x[0, 0, 0, 0],
    "indices": lambda x: np.indices((2, 3, 2)) * x[0, 0, 0, 0],
    "windows": lambda x: np.lib.stride_tricks.sliding_window_view(x[0, 0], (2, 2)),
    "windows of an axis": lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1),
    "comprehension": lambda x: np.array([[b * 2.0 for b in a] for a in x]),
    "written in place": written_in_place,
}


@pytest.mark.parametrize("name", VALUES)
def test_value(name: str) -> None:
    want, found = VALUES[name](X.copy()), interpreted(VALUES[name], X.copy())
    assert np.shape(found) == np.shape(want)
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-13)


DERIVED = ("percentile of two axes", "stretched stacks", "solve, stretched", "written in place")


@pytest.mark.parametrize("name", DERIVED)
def test_derivative(name: str) -> None:
    weights = np.cos(np.arange(VALUES[name](X).size) * 1.7).reshape(VALUES[name](X).shape)

    def loss(x: Any) -> Any:
        return np.sum(VALUES[name](x) * weights)

    slopes = rg.grad(loss)(X)
    for at in ((0, 0, 0, 0), (1, 2, 1, 2), (1, 1, 1, 1), (0, 2, 1, 0)):
        step = np.zeros(X.shape)
        step[at] = 1e-6
        assert slopes[at] == pytest.approx((loss(X + step) - loss(X - step)) / 2e-6, abs=1e-6)


def test_nine_axes_are_too_many() -> None:
    with pytest.raises(rg.UserError, match="RG0103") as caught:
        rg.jit(lambda x: np.zeros((1,) * 9) + x)(1.0)
    assert "at most rank 8" in str(caught.value)


RAISE: dict[str, tuple[Callable[[Any], Any], str]] = {
    "inner extents": (lambda x: x @ x, "mismatch in its core dimension"),
    "extents of stacks": (lambda x: x @ np.zeros((2, 2, 3, 1)), "could not be broadcast"),
    "a repeated axis": (lambda x: np.moveaxis(x, (0, 0), (1, 2)), "repeated axis|twice"),
    "fewer places": (lambda x: np.moveaxis(x, (0, 1), 1), "number"),
    "too wide": (
        lambda x: np.lib.stride_tricks.sliding_window_view(x[0, 0, 0], 4),
        "window shape cannot be larger",
    ),
}


@pytest.mark.parametrize("name", RAISE)
def test_what_raises(name: str) -> None:
    f, text = RAISE[name]
    with pytest.raises(ValueError, match=text):
        f(X)
    with pytest.raises(ValueError, match=text):
        rg.jit(f)(X)


def test_a_window_is_a_view() -> None:
    """Once its array is written it may not be used: it would be the old one."""

    def f(x: Any) -> Any:
        y = x.copy()
        windows = np.lib.stride_tricks.sliding_window_view(y, 2)
        y[0] = 5.0
        return np.sum(windows)

    with pytest.raises(rg.UserError, match="RG0106"):
        agree(f, np.ones(4))
