"""Which functions of `numpy.linalg` and `scipy.linalg` there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from retrograd.frontend.library.plain import (
    equations,
    factorisations,
    matrix_parts,
    norms,
    riccati,
    scipy_linalg,
    standard_linalg,
)
from retrograd.frontend.library.plain_functions import Plain

__all__ = ["NUMPY", "of_scipy"]

NUMPY: tuple[Plain, ...] = (
    Plain(np.linalg.solve, equations.solve),
    Plain(np.linalg.inv, equations.inv, stacks=True),
    Plain(np.linalg.det, equations.det, stacks=True),
    Plain(np.linalg.slogdet, equations.slogdet, stacks=True),
    Plain(np.linalg.cholesky, factorisations.cholesky, stacks=True),
    Plain(np.linalg.eigh, factorisations.eigh, stacks=True),
    Plain(np.linalg.eig, factorisations.eig),
    Plain(np.linalg.eigvals, factorisations.eigvals),
    Plain(np.linalg.eigvalsh, factorisations.eigvalsh, stacks=True),
    Plain(np.linalg.svd, factorisations.svd, stacks=True),
    Plain(np.linalg.svdvals, factorisations.svdvals, "x", stacks=True),
    Plain(np.linalg.qr, factorisations.qr, stacks=True),
    Plain(np.linalg.pinv, factorisations.pinv, stacks=True),
    Plain(np.linalg.lstsq, factorisations.lstsq),
    Plain(np.linalg.matrix_rank, factorisations.matrix_rank, stacks=True),
    Plain(np.linalg.cond, factorisations.cond, stacks=True),
    Plain(np.linalg.matrix_norm, norms.matrix_norm, "x keepdims ord"),
    Plain(np.linalg.matrix_power, norms.matrix_power, stacks=True),
    Plain(np.linalg.multi_dot, norms.multi_dot),
    *(
        Plain(
            getattr(np.linalg, name),
            getattr(standard_linalg, name),
            literals=("axes",) if name == "tensordot" else (),
        )
        for name in standard_linalg.__all__
    ),
)


_WORDS = {
    "block_diag": "*arrs", "circulant": "c", "expm": "A",
    "expm_frechet": "A E method compute_expm check_finite", "hankel": "c r", "sqrtm": "A",
    "lu": "a permute_l overwrite_a check_finite p_indices", "polar": "a side",
    "logm": "A", "pinvh": "a atol rtol lower check_finite",
    "null_space": "A rcond overwrite_a check_finite lapack_driver", "orth": "A rcond",
    "solve_continuous_are": "a b q r e s balanced", "solve_discrete_are": "a b q r e s balanced",
    "solve_sylvester": "a b q",
    "solve_discrete_lyapunov": "a q method", "solve_toeplitz": "c_or_cr b check_finite",
    "toeplitz": "c r",
}  # fmt: skip
"""Parameters of those that Python cannot be asked for."""

_OF_SCIPY = (
    "block_diag", "cho_factor", "cho_solve", "cholesky", "eig", "eigh", "eigvals", "eigvalsh",
    "expm", "lstsq", "lu_factor", "lu_solve", "pinv", "pinvh", "qr", "solve_banded",
    "solve_triangular", "sqrtm", "svd", "svdvals", "toeplitz", "circulant", "hankel",
    "solve_continuous_lyapunov", "solve_discrete_lyapunov", "solve_toeplitz",
)  # fmt: skip


def of_scipy(linalg: Any) -> Iterator[Plain]:
    """Those of `scipy.linalg`, which is handed over by whoever knows that it is loaded."""

    def plain(name: str, program: Any) -> Plain:
        return Plain(
            getattr(linalg, name), program, _WORDS.get(name, ""), label=f"scipy.linalg.{name}"
        )

    yield plain("solve", equations.scipy_solve)
    yield plain("inv", equations.scipy_inv)
    yield plain("det", equations.scipy_det)
    for name in _OF_SCIPY:
        yield plain(name, getattr(scipy_linalg, name))
    for name in matrix_parts.__all__:
        yield plain(name, getattr(matrix_parts, name))
    for name in riccati.__all__:
        yield plain(name, getattr(riccati, name))
