"""The primitives of linear algebra as functions, for library programs that are made of them.

By themselves they run NumPy and SciPy; a translation emits the primitive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retrograd.frontend.library.args import flag
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.kinds import Value
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Atom, ilit
from retrograd.ir.types import DType
from retrograd.prims import DEFAULT

__all__ = ["TABLE", "lu", "lu_solve"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def lu(a: Any) -> Any:
    """The factors of a square matrix, as the primitive has them."""
    return DEFAULT["lu"].eval((np.asarray(a, np.float64), len(a) + 1), ())[0]


def lu_solve(a: Any, factors: Any, b: Any, trans: Any) -> Any:
    """The solution of a @ x = b, or of a.T @ x = b; factors are those of a."""
    return DEFAULT["lu_solve"].eval((a, factors, b), (("trans", trans),))[0]


def _matrix(t: Tracer, value: Value) -> Atom:
    return convert(t, value_atom(t, value), DType.F64)


def _lu(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    a = _matrix(t, args[0])
    rows = t.prim("iadd", t.prim("dim", a, axis=0), ilit(1), span=t.span)
    return t.new(t.prim("lu", a, rows))


def _lu_solve(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    a, factors, b = (_matrix(t, value) for value in args[:3])
    trans = flag(t, args[3], "trans")
    return t.new(t.prim("lu_solve", a, factors, b, trans=trans))


TABLE: Mapping[object, Handler] = {lu: _lu, lu_solve: _lu_solve}
