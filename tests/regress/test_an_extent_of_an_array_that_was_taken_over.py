"""The extent of a sum was asked of an operand that an update had taken over meanwhile."""

from __future__ import annotations

from retrograd.transforms.cleanup import SIMPLIFY
from tests.transforms.support import after, ops, program


def test_extents_are_not_asked_of_arrays_that_are_gone() -> None:
    source = program(
        "(p: f64[1], q: f64[1]) -> (f64[1], f64[1], i64)",
        """
        x: f64[1] = copy(p)
        y: f64[1] = copy(q)
        z: f64[1] = add(x, y)
        x2: f64[1] = update(x, 2.0, 0; checked=true, span=none)
        y2: f64[1] = update(y, 2.0, 0; checked=true, span=none)
        n: i64 = dim(z; axis=0)
        return x2, y2, n
        """,
    )
    assert "dim" in ops(after(source, SIMPLIFY))
