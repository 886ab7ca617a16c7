"""Whether an operator is one: associative, and with the neutral element that it is said to have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from retrograd.errors import UserError
from retrograd.tracebacks import library_program

__all__ = ["OperatorCheck", "check_operator"]


@dataclass(frozen=True, slots=True)
class OperatorCheck:
    """What was found of an operator.

    Attributes:
        ok: whether nothing spoke against it.
        tried: how many triples of elements were tried.
        law: "associativity", "neutral element" or, where nothing was found, "".
        elements: those for which the law does not hold: three, or one.
        sides: the two values that should be equal.
    """

    ok: bool
    tried: int
    law: str = ""
    elements: tuple[Any, ...] = ()
    sides: tuple[Any, ...] = ()

    def __str__(self) -> str:
        if self.ok:
            return f"associative and neutral in {self.tried} random triples"
        if self.law == "associativity":
            a, b, c = self.elements
            left, right = self.sides
            return (
                f"not associative: op(op(a, b), c) = {left} and op(a, op(b, c)) = {right} "
                f"for a = {a}, b = {b}, c = {c}"
            )
        return f"not neutral: {self.elements[0]} becomes {self.sides[0]}"


@library_program
def check_operator(
    op: Callable[[Any, Any], Any], neutral: Any, count: int = 100, seed: int = 0,
    rtol: float = 1e-9,
) -> OperatorCheck:  # fmt: skip
    """Tries an operator of `reduce`, `scan` or `reduce_by_index` on random elements.

    Args:
        op: a function of two elements that gives one.
        neutral: its neutral element: a number, an array or a tuple of these, as the elements are.
        count: how many triples are tried.
        seed: of the random numbers: floats between -2 and 2, ints from -9 to 9.
        rtol: how far two values may be apart that should be equal.

    Returns:
        An `OperatorCheck`, which `print` shows: the first counter-example, if there is one.

    Raises:
        UserError: `count` is not positive, or `op` gives something that is not like an element.

    >>> import retrograd as rg
    >>> print(rg.check_operator(lambda a, b: a + b, 0.0))
    associative and neutral in 100 random triples
    >>> rg.check_operator(lambda a, b: a - b, 0.0).law
    'associativity'
    """
    if count < 1:
        raise UserError("RG6004", f"count={count}", way_out="try at least one triple")
    draw = np.random.default_rng(seed)
    for tried in range(1, count + 1):
        a, b, c = (_like(neutral, draw) for _ in range(3))
        _near(op(a, b), a, rtol)  # what is not like an element is refused before it is used
        left, right = op(op(a, b), c), op(a, op(b, c))
        if not _near(left, right, rtol):
            return OperatorCheck(False, tried, "associativity", (a, b, c), (left, right))
        for same in (op(a, neutral), op(neutral, a)):
            if not _near(same, a, rtol):
                return OperatorCheck(False, tried, "neutral element", (a,), (same, a))
    return OperatorCheck(True, count)


def _like(value: Any, draw: np.random.Generator) -> Any:
    """Something random that is like a value."""
    if isinstance(value, tuple):
        parts = cast("tuple[Any, ...]", value)
        return tuple(_like(one, draw) for one in parts)
    like = np.asarray(value)
    if like.dtype.kind == "b":
        found = draw.integers(0, 2, like.shape).astype(bool)
    elif like.dtype.kind == "i":
        found = draw.integers(-9, 10, like.shape)
    else:
        found = draw.uniform(-2.0, 2.0, like.shape)
    return found if like.shape else np.asarray(found).item()


def _near(one: Any, other: Any, rtol: float) -> bool:
    if isinstance(other, tuple):
        wanted = cast("tuple[Any, ...]", other)
        found = cast("tuple[Any, ...]", one) if isinstance(one, tuple) else ()
        if len(found) != len(wanted):
            message = f"the operator gives {one!r} where an element is like {wanted!r}"
            raise UserError("RG6004", message, way_out="return a tuple as the arguments are")
        return all(_near(a, b, rtol) for a, b in zip(found, wanted, strict=True))
    if np.shape(one) != np.shape(other):
        shapes = f"{np.shape(one)} where elements have {np.shape(other)}"
        message = f"the operator gives an array of shape {shapes}"
        raise UserError("RG6004", message, way_out="return what has the shape of an argument")
    return bool(np.allclose(one, other, rtol=rtol, atol=rtol))
