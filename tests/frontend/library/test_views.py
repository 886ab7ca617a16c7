"""What is a view in NumPy: a write to one of the two arrays is one to both, or refused (RG0106)."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

pytestmark = pytest.mark.thinned(2)

VIEWS = (
    "np.flip(a)", "np.flip(a, 1)", "np.flipud(a)", "np.fliplr(a)", "np.expand_dims(a, 1)",
    "np.squeeze(a[None], 0)", "np.atleast_1d(a)", "np.atleast_2d(a)", "np.atleast_3d(a)",
    "np.split(a, 2)[1]", "np.array_split(a, 3)[0]", "np.hsplit(a, 2)[1]", "np.vsplit(a, 2)[0]",
    "np.asarray(a)", "np.rot90(a)", "np.rot90(a, 2)", "np.moveaxis(a, 0, 1)",
    "np.swapaxes(a, 0, 1)", "np.diagonal(a)", "np.diag(a)", "a.T",
    "np.reshape(a, (4, 4))", "np.ravel(a)",
)  # fmt: skip
COPIES = (
    "np.roll(a, 1)", "np.tile(a, 1)", "np.repeat(a, 1)", "np.append(a, a)", "np.hstack((a,))",
    "np.diag(a[0])", "np.tril(a)", "a.copy()", "np.array(a)",
)  # fmt: skip


def program(text: str, write: str) -> Any:
    """Makes an array of another, writes to one, and gives both."""
    body = f"def f(a):\n    b = {text}\n    {write}[0] = 7.0\n    return a, b\n"
    file = f"<views: {text}, {write}>"
    linecache.cache[file] = (len(body), None, body.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np}
    exec(compile(body, file, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("write", ["a", "b"])
@pytest.mark.parametrize("text", VIEWS)
def test_a_write_to_one_is_one_to_both(text: str, write: str) -> None:
    f = program(text, write)
    real, own = (np.arange(16.0).reshape(4, 4) for _ in range(2))
    try:
        want = f(real)
    except ValueError:  # the view is read-only
        return
    try:
        found = rg.jit(f)(own)
    except UserError as refused:
        if refused.code != "RG0106":
            raise
        return
    np.testing.assert_array_equal(found[0], want[0])
    np.testing.assert_array_equal(found[1], want[1])
    np.testing.assert_array_equal(own, real)


@pytest.mark.parametrize("write", ["a", "b"])
@pytest.mark.parametrize("text", COPIES)
def test_copies_are_apart(text: str, write: str) -> None:
    f = program(text, write)
    real, own = (np.arange(16.0).reshape(4, 4) for _ in range(2))
    want, found = f(real), rg.jit(f)(own)
    np.testing.assert_array_equal(found[0], want[0])
    np.testing.assert_array_equal(found[1], want[1])


def test_views_are_not_refused() -> None:
    """What is a slice is followed exactly."""

    def f(a):
        b = np.flip(np.split(a, 2)[1], 1)
        b[0, 0] = 5.0
        return a

    np.testing.assert_array_equal(rg.jit(f)(np.zeros((4, 3))), f(np.zeros((4, 3))))
