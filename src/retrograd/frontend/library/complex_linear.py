"""Functions that are linear in arrays: they are called for the parts of complex ones.

A function may be linear in several groups of parameters, each by itself, as products are; the
parameters of a group are put together, as the arrays that are joined or chosen from.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from retrograd.frontend.library.args import is_none
from retrograd.frontend.library.complexes import not_for_complex
from retrograd.frontend.library.create import copy_of
from retrograd.frontend.library.plain import complex_arrays
from retrograd.frontend.values.complexes import (
    as_complex,
    has_complex,
    is_complex_dtype,
    is_mixed,
    paired,
    zeros_as,
)
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    ComplexValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["BY_PARTS"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]
Real = Scalar | ArrayRef


@dataclass(frozen=True, slots=True)
class _Linear:
    """A function, with the groups of parameters in which it is linear: "a, b" are two, "x y" is
    one. `parameters` are its own, as words, where Python cannot be asked for them. Of the group
    `conjugated` it takes the conjugate."""

    function: Any
    groups: str
    parameters: str = ""
    conjugated: str = ""

    def names(self, count: int) -> list[str]:
        """Its parameters; those of functions that take any number of arguments are numbers."""
        words = self.parameters.split() or list(inspect.signature(self.function).parameters)
        if words[-1].startswith("*"):
            words = [*words[:-1], *map(str, range(count - len(words) + 1))]
        return words

    def __call__(self, t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        names = self.names(len(args))
        if len(args) > len(names):
            raise t.error(
                "RG0108", f"{self.function.__name__} with {len(args)} arguments",
                f"it takes {', '.join(names)}",
            )  # fmt: skip
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        groups = [group.split() for group in self.groups.split(",")]
        if self.groups == "*":
            groups = [[name] for name in names if name.isdigit()]
        if self.groups == "* together":
            groups = [[name for name in names if name.isdigit()]]
        dtype = given.get("dtype")
        if is_complex_dtype(dtype):
            return self._complex(t, given, groups, len(args))
        if not is_none(dtype):
            raise not_for_complex(t, "a conversion to a real dtype", "say which part: z.real")
        return self._of_parts(t, given, groups, len(args))

    def _complex(
        self, t: Tracer, given: Kwargs, groups: Sequence[Sequence[str]], count: int
    ) -> Value:
        """With a dtype that is complex: what it gives of real numbers is converted."""
        named = list(given)
        rest = {name: value for name, value in given.items() if name != "dtype"}
        count = min(count, named.index("dtype"))
        made = self._of_parts(t, rest, groups, count)
        if isinstance(made, Scalar | ArrayRef):
            return as_complex(t, cast("Real", copy_of(t, made)))
        return made

    def _of_parts(
        self, t: Tracer, given: Kwargs, groups: Sequence[Sequence[str]], count: int
    ) -> Value:
        for group in groups:
            own = {name: given[name] for name in group if name in given}
            if not any(map(has_complex, own.values())):
                continue
            real = {name: _real(value) for name, value in own.items()}
            imag = {name: _imag(t, value) for name, value in own.items()}
            made = _joined(
                t, self._of_parts(t, {**given, **real}, groups, count),
                self._of_parts(t, {**given, **imag}, groups, count),
                self.conjugated in group,
            )  # fmt: skip
            return _marked(made) if is_mixed(given.values()) else made
        values = list(given.values())
        named = dict(list(given.items())[count:])
        return t.ctx.engine.library[id(self.function)](t, values[:count], named)


def _real(value: Value) -> Value:
    match value:
        case ComplexValue():
            return value.real
        case TupleValue():
            return replace(value, items=tuple(map(_real, value.items)))
        case _:
            return value


def _imag(t: Tracer, value: Value) -> Value:
    match value:
        case ComplexValue():
            return value.imag
        case TupleValue():
            return replace(value, items=tuple(_imag(t, item) for item in value.items))
        case Scalar() | ArrayRef():
            return zeros_as(t, value)
        case _:
            return value


def _joined(t: Tracer, real: Value, imag: Value, conjugated: bool) -> Value:
    """`real + 1j * imag`, or the conjugate, of what a function gives of the parts."""
    match real, imag:
        case (Scalar() | ArrayRef(), Scalar() | ArrayRef()):
            return paired(t, real, _turned(t, imag, conjugated))
        case (ComplexValue(), ComplexValue()):
            parts = (_turned(t, part, conjugated) for part in (imag.real, imag.imag))
            made = t.call(Static(complex_arrays.rotated), (real.real, real.imag, *parts), {})
            assert isinstance(made, TupleValue)
            one, two = made.items
            assert isinstance(one, Real)
            assert isinstance(two, Real)
            return paired(t, one, two)
        case (TupleValue(), TupleValue()):
            pairs = zip(real.items, imag.items, strict=True)
            items = tuple(_joined(t, one, two, conjugated) for one, two in pairs)
            return replace(real, items=items)
        case _ if real == NONE:
            return NONE
        case _:
            raise not_for_complex(t, describe(real))


def _turned(t: Tracer, value: Real, conjugated: bool) -> Real:
    if not conjugated:
        return value
    made = t.call(Static(np.negative), (value,), {})
    assert isinstance(made, Real)
    return made


def _marked(value: Value) -> Value:
    match value:
        case ComplexValue():
            return replace(value, mixed=True)
        case TupleValue():
            return replace(value, items=tuple(map(_marked, value.items)))
        case _:
            return value


_A = "a"
_FUNCTIONS: tuple[_Linear, ...] = (
    _Linear(builtins.sum, "iterable start", "iterable start"),
    _Linear(np.sum, _A),
    _Linear(np.mean, _A),
    _Linear(np.cumsum, _A),
    _Linear(np.cumulative_sum, "x"),
    _Linear(np.average, _A),
    _Linear(np.trace, _A),
    _Linear(np.reshape, _A),
    _Linear(np.ravel, _A),
    _Linear(np.transpose, _A),
    _Linear(np.matrix_transpose, "x", "x"),
    _Linear(np.squeeze, _A),
    _Linear(np.expand_dims, _A),
    _Linear(np.moveaxis, _A),
    _Linear(np.swapaxes, _A),
    _Linear(np.rollaxis, _A),
    _Linear(np.broadcast_to, "array"),
    _Linear(np.flip, "m"),
    _Linear(np.flipud, "m"),
    _Linear(np.fliplr, "m"),
    _Linear(np.rot90, "m"),
    _Linear(np.roll, _A),
    _Linear(np.tile, "A"),
    _Linear(np.repeat, _A),
    _Linear(np.pad, "array"),
    _Linear(np.diff, "a prepend append"),
    _Linear(np.gradient, "f", "f *varargs"),
    _Linear(np.trapezoid, "y"),
    _Linear(np.diag, "v"),
    _Linear(np.diagflat, "v"),
    _Linear(np.diagonal, _A),
    _Linear(np.tril, "m"),
    _Linear(np.triu, "m"),
    _Linear(np.copy, _A),
    _Linear(np.array, "object", "object dtype copy order subok ndmin"),
    _Linear(np.asarray, _A, "a dtype order copy"),
    _Linear(np.asanyarray, _A, "a dtype order copy"),
    _Linear(np.ascontiguousarray, _A, "a dtype"),
    _Linear(np.atleast_1d, "* together", "*arys"),
    _Linear(np.atleast_2d, "* together", "*arys"),
    _Linear(np.atleast_3d, "* together", "*arys"),
    _Linear(np.concatenate, "arrays", "arrays axis"),
    _Linear(np.stack, "arrays"),
    _Linear(np.hstack, "tup"),
    _Linear(np.vstack, "tup"),
    _Linear(np.dstack, "tup"),
    _Linear(np.column_stack, "tup"),
    _Linear(np.block, "arrays"),
    _Linear(np.append, "arr values"),
    _Linear(np.insert, "arr values"),
    _Linear(np.delete, "arr"),
    _Linear(np.split, "ary"),
    _Linear(np.array_split, "ary"),
    _Linear(np.hsplit, "ary"),
    _Linear(np.vsplit, "ary"),
    _Linear(np.take, _A),
    _Linear(np.take_along_axis, "arr"),
    _Linear(np.compress, _A, "condition a axis out"),
    _Linear(np.extract, "arr"),
    _Linear(np.where, "x y", "condition x y"),
    _Linear(np.select, "choicelist default"),
    _Linear(np.interp, "fp"),
    _Linear(np.round, _A),
    _Linear(np.around, _A),
    _Linear(np.nan_to_num, "x"),
    _Linear(np.positive, "x", "x"),
    _Linear(np.copyto, "dst src", "dst src casting where"),
    _Linear(np.fill_diagonal, "a val"),
    _Linear(np.zeros, "", "shape dtype"),
    _Linear(np.ones, "", "shape dtype"),
    _Linear(np.empty, "", "shape dtype"),
    _Linear(np.full, "fill_value", "shape fill_value dtype"),
    _Linear(np.zeros_like, _A, "a dtype"),
    _Linear(np.empty_like, _A, "a dtype"),
    _Linear(np.eye, "", "N M k dtype"),
    _Linear(np.identity, "", "n dtype"),
    _Linear(np.arange, "", "start stop step dtype"),
    _Linear(np.linspace, "start stop"),
    _Linear(np.dot, "a, b", "a b"),
    _Linear(np.matmul, "x1, x2", "x1 x2"),
    _Linear(np.vdot, "a, b", "a b", conjugated="a"),
    _Linear(np.vecdot, "x1, x2", "x1 x2 axis", conjugated="x1"),
    _Linear(np.inner, "a, b", "a b"),
    _Linear(np.outer, "a, b"),
    _Linear(np.tensordot, "a, b"),
    _Linear(np.kron, "a, b"),
    _Linear(np.cross, "a, b"),
    _Linear(np.convolve, "a, v"),
    _Linear(np.einsum, "*", "subscripts *operands"),
)  # fmt: skip

BY_PARTS: Mapping[Callable[..., Any], Handler] = {one.function: one for one in _FUNCTIONS}
