"""`push` and `pop`: values move to stacks and from them."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from retrograd.errors import InvertibilityError
from retrograd.frontend.identity.transformed import Reversible
from retrograd.inversion.stacks import Stack
from retrograd.inversion.support import holds
from retrograd.tracebacks import USER_FRAMES

__all__ = ["Move", "pop", "push"]

_ATOL = 1e-8
_UNFIT = "no stack of values of this kind and shape: make one by rg.stack(capacity, like)"


@dataclass(slots=True, eq=False)
class Move(Reversible):
    """`push` or `pop`, which are inverse to each other; `back` is its adjoint as Python text."""

    back: Any = field(default=None, kw_only=True)
    other: Move | None = field(default=None, kw_only=True, compare=False)

    def __call__(self, stack: Any, x: Any) -> Any:
        with USER_FRAMES:
            return self.fun(stack, x)

    @property
    def __wrapped__(self) -> FunctionType:
        return self.fun

    @property
    def inverse(self) -> Reversible:
        """The function that undoes this one."""
        return self.partner

    @property
    def partner(self) -> Reversible:
        assert self.other is not None
        return self.other

    @property
    def parameters(self) -> tuple[str, ...]:
        return ("stack", "x")

    @property
    def changed(self) -> tuple[str, ...]:
        return ("stack", "x")

    @property
    def returned(self) -> tuple[str, ...] | None:
        return ("x",)

    @property
    def single(self) -> bool:
        return True

    @property
    def tolerance(self) -> float | None:
        return _ATOL

    @property
    def forward(self) -> FunctionType:
        return self.fun

    @property
    def adjoint(self) -> FunctionType:
        return self.back

    @property
    def adjoint_of_objects(self) -> FunctionType:
        return self.back


def _move(fun: FunctionType) -> Move:
    return Move("inverse", fun, options="stack")


@_move
def push(stack: Any, x: Any) -> Any:
    """Moves a value to the top of a stack: `x = rg.push(stack, x)`; it is zero afterwards.

    Args:
        stack: what `stack` has made.
        x: a number, or an array, of the kind that the stack holds. An array changes in place, and
            need not be assigned.

    Returns:
        Zero, as a number of NumPy's; an array of zeros.

    Raises:
        IndexError: the stack is full.
        TypeError: the stack holds values of another kind.

    >>> import retrograd as rg
    >>> s = rg.stack(3)
    >>> x = rg.push(s, 2.5)
    >>> float(x), s
    (0.0, stack([2.5], capacity=3))
    """
    return _pushed(stack, x)


@_move
def pop(stack: Any, x: Any) -> Any:
    """Takes the value at the top of a stack: `x = rg.pop(stack, x)`; x is zero before.

    Args:
        stack: what `stack` has made.
        x: zero, floats to within 1e-8: a number, or an array, of the kind that the stack holds. An
            array changes in place, and need not be assigned.

    Returns:
        The value; an array is `x` itself.

    Raises:
        IndexError: the stack is empty.
        TypeError: the stack holds values of another kind.
        InvertibilityError: x is not zero.

    >>> import numpy as np, retrograd as rg
    >>> s, x = rg.stack(3, like=np.zeros(2)), np.array([1.0, 2.0])
    >>> rg.push(s, x)
    array([0., 0.])
    >>> rg.pop(s, x)
    array([1., 2.])
    """
    return _popped(stack, x)


def _pushed(stack: Any, x: Any) -> Any:
    if not _fits(stack, x):
        raise TypeError(_UNFIT)
    k = stack.filled[0]
    if k >= len(stack.items):
        raise IndexError(f"push to a stack that is full: it holds {len(stack.items)} values")
    stack.filled[0] = k + 1
    return _exchanged(stack.items, k, x)


def _popped(stack: Any, x: Any) -> Any:
    if not _fits(stack, x):
        raise TypeError(_UNFIT)
    k = stack.filled[0] - 1
    if k < 0:
        raise IndexError("pop from a stack that is empty")
    zero = np.zeros_like(x) if isinstance(x, np.ndarray) else 0
    if not holds(x, zero, _ATOL):
        raise InvertibilityError("pop to a value that is not zero, and would be lost")
    stack.filled[0] = k
    found = _exchanged(stack.items, k, x)
    stack.items[k] = zero
    return found


def _fits(stack: Any, x: Any) -> Any:
    """Whether a value is of the kind that a stack holds."""
    if not isinstance(stack, Stack):
        return False
    items = stack.items
    if isinstance(x, np.ndarray):
        return x.dtype == items.dtype and x.shape == items.shape[1:]
    if items.ndim > 1:
        return False
    if isinstance(x, (bool, np.bool_)):
        return items.dtype == np.bool_
    if isinstance(x, (int, np.integer)):
        return items.dtype == np.int64
    return isinstance(x, float) and items.dtype == np.float64


def _exchanged(items: Any, k: Any, x: Any) -> Any:
    """What is at a place of a stack after a value has been put there: in the array itself."""
    if isinstance(x, np.ndarray):
        held = x.copy()
        x[...] = items[k]
        items[k] = held
        return x
    held = items[k]
    items[k] = x
    return held


def _push_adjoint(stack: Any, x: Any, *, rg_bars: Any) -> Any:
    """A `push` undone: the cotangent of what is on the stack is that of the value."""
    stack_bar, x_bar = rg_bars
    x = _popped(stack, x)
    if x_bar is not None:
        x_bar = _exchanged(stack_bar.items, stack.filled[0], x_bar)
    return (stack, x), (stack_bar, x_bar)


def _pop_adjoint(stack: Any, x: Any, *, rg_bars: Any) -> Any:
    """A `pop` undone: the cotangent of the value is that of what is on the stack."""
    stack_bar, x_bar = rg_bars
    if x_bar is not None:
        x_bar = _exchanged(stack_bar.items, stack.filled[0], x_bar)
    x = _pushed(stack, x)
    return (stack, x), (stack_bar, x_bar)


push.back, push.other = _push_adjoint, pop
pop.back, pop.other, pop.inverted = _pop_adjoint, push, True
