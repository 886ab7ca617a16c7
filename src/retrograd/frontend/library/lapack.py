"""The primitives of linear algebra as functions, for library programs that are made of them.

By themselves they run NumPy and SciPy; a translation emits the primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

__all__ = [
    "TABLE", "cholesky_of", "eigen_of", "eigenvalues_of", "general_eigen_of", "lu", "lu_solve",
    "qr_of", "ratio", "singular_of", "tri_solve",
]  # fmt: skip

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _evaluated(op: str, args: Sequence[Any], **params: Any) -> Any:
    """What the primitive gives of arrays."""
    return DEFAULT[op].eval(args, tuple(sorted(params.items())))[0]


def lu(a: Any) -> Any:
    """The factors of a square matrix, as the primitive has them."""
    return _evaluated("lu", (np.asarray(a, np.float64), len(a) + 1))


def cholesky_of(a: Any) -> Any:
    """The lower factor of a positive definite matrix, as the primitive has it."""
    return _evaluated("cholesky", (np.asarray(a, np.float64),))


def eigen_of(a: Any) -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix, as the primitive has them."""
    return _evaluated("eigh", (np.asarray(a, np.float64), len(a) + 1))


def eigenvalues_of(a: Any) -> Any:
    """Real and imaginary parts of the eigenvalues of a square matrix, as the primitive has them."""
    return _evaluated("eigvals", (np.asarray(a, np.float64), 2, len(a)))


def general_eigen_of(a: Any) -> Any:
    """The same, with the right eigenvectors as rows below them."""
    return _evaluated("eig", (np.asarray(a, np.float64), len(a) + 2, len(a)))


def singular_of(a: Any) -> Any:
    """Singular values and vectors, as the primitive has them."""
    m, n = a.shape
    return _evaluated("svd", (np.asarray(a, np.float64), 1 + n + m, min(m, n)))


def qr_of(a: Any) -> Any:
    """Q and R, as the primitive has them."""
    m, n = a.shape
    return _evaluated("qr", (np.asarray(a, np.float64), n + m, min(m, n)))


def lu_solve(a: Any, factors: Any, b: Any, trans: Any) -> Any:
    """The solution of a @ x = b, or of a.T @ x = b; factors are those of a."""
    return _evaluated("lu_solve", (a, factors, b), trans=trans)


def tri_solve(t: Any, b: Any, lower: Any, trans: Any, unit: Any) -> Any:
    """The solution of t @ x = b, or of t.T @ x = b, with a triangle of t."""
    return _evaluated("tri_solve", (t, b), lower=lower, trans=trans, unit=unit)


def ratio(x: Any, y: Any) -> Any:
    """x / y, and 0 where x is 0."""
    with np.errstate(all="ignore"):
        return _evaluated("ratio", (x, y))


def _matrix(t: Tracer, value: Value) -> Atom:
    return convert(t, value_atom(t, value), DType.F64)


def _factored(op: str, extents: Callable[[Tracer, Atom], tuple[Atom, ...]]) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        a = _matrix(t, args[0])
        return t.new(t.prim(op, a, *extents(t, a)))

    return handler


def _and_one(t: Tracer, a: Atom) -> tuple[Atom, ...]:
    return (t.prim("iadd", t.prim("dim", a, axis=0), ilit(1), span=t.span),)


def _two_rows(t: Tracer, a: Atom) -> tuple[Atom, ...]:
    return ilit(2), t.prim("dim", a, axis=0)


def _and_two(t: Tracer, a: Atom) -> tuple[Atom, ...]:
    n = t.prim("dim", a, axis=0)
    return t.prim("iadd", n, ilit(2), span=t.span), n


def _both_and(more: int) -> Callable[[Tracer, Atom], tuple[Atom, ...]]:
    def extents(t: Tracer, a: Atom) -> tuple[Atom, ...]:
        m, n = (t.prim("dim", a, axis=k) for k in (0, 1))
        rows = t.prim("iadd", m, n, span=t.span)
        if more:
            rows = t.prim("iadd", rows, ilit(more), span=t.span)
        return rows, t.prim("imin", m, n)

    return extents


def _solving(op: str, matrices: int, flags: tuple[str, ...]) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        given = [_matrix(t, value) for value in args[:matrices]]
        rest = zip(flags, args[matrices:], strict=True)
        return t.new(t.prim(op, *given, **{name: flag(t, v, name) for name, v in rest}))

    return handler


TABLE: Mapping[object, Handler] = {
    lu: _factored("lu", _and_one),
    cholesky_of: _factored("cholesky", lambda t, a: ()),
    eigen_of: _factored("eigh", _and_one),
    eigenvalues_of: _factored("eigvals", _two_rows),
    general_eigen_of: _factored("eig", _and_two),
    singular_of: _factored("svd", _both_and(1)),
    qr_of: _factored("qr", _both_and(0)),
    lu_solve: _solving("lu_solve", 3, ("trans",)),
    tri_solve: _solving("tri_solve", 2, ("lower", "trans", "unit")),
    ratio: _solving("ratio", 2, ()),
}
