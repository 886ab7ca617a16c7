"""Linear algebra against JAX: values, tangents, gradients, and products with the Hessian.

What JAX gives is recorded in `linalg_facts.json`, so that the comparison runs without it; where it
is installed the record is compared with it. This module, run by `python -m`, records anew.
"""

from __future__ import annotations

import importlib.util
import json
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.stats

import retrograd as rg

RECORD = Path(__file__).with_name("linalg_facts.json")
A = np.array([[2.1, -0.4, 0.3], [0.7, 1.6, -0.9], [-0.2, 0.5, 2.8]])
B = np.array([0.9, -1.3, 0.4])
A_DOT = np.array([[0.3, -0.8, 0.5], [0.1, 0.6, -0.7], [0.9, -0.2, 0.4]])
B_DOT = np.array([-0.5, 0.2, 1.1])

# `s` is symmetric and `h` positive definite: JAX takes both triangles of a matrix, NumPy one.
# What the sign of a vector decides is left out by squares.
PROGRAMS = {
    "solve": "np.sum(np.sin(np.linalg.solve(a, b)))",
    "solve with a matrix": "np.sum(np.linalg.solve(a, s) * h)",
    "inv": "np.sum(np.linalg.inv(a) * a * a)",
    "det": "np.linalg.det(a) ** 2.0 * b[0]",
    "slogdet": "np.linalg.slogdet(a)[1] * np.sum(b * b)",
    "cholesky": "np.sum(np.linalg.cholesky(h) * a)",
    "eigvalsh": "np.sum(np.sin(np.linalg.eigvalsh(s)) * b)",
    "eigh": "np.sum(np.linalg.eigh(s)[1] ** 2.0 * a) + np.linalg.eigh(s)[0][1] ** 3.0",
    "svd": "np.sum(np.linalg.svd(a[:, :2], full_matrices=False)[0] ** 2.0 * a[:, 1:])",
    "singular values": "np.sum(np.linalg.svd(a, compute_uv=False) ** 3.0 * b)",
    "qr": "np.sum(np.linalg.qr(a)[0] ** 2.0 * s) + np.sum(np.linalg.qr(a)[1] ** 2.0 * h)",
    "qr of tall": "np.sum(np.linalg.qr(a[:, :2])[0] ** 2.0 * a[:, 1:])",
    "pinv": "np.sum(np.linalg.pinv(a[:, :2]) * a[:2])",
    "lstsq": "np.sum(np.linalg.lstsq(a[:, :2], b, rcond=None)[0] ** 3.0)",
    "matrix_power": "np.sum(np.linalg.matrix_power(a, 5) * s) * 0.001",
    "norms": "np.linalg.norm(a, 'nuc') * np.linalg.norm(b, 3) + np.linalg.norm(a, 2)",
    "multi_dot": "np.sum(np.linalg.multi_dot([a, s, h, b]) ** 2.0) * 0.01",
    "expm": "np.sum(sl.expm(0.5 * a) * s)",
    "cho_solve": "np.sum(sl.cho_solve(sl.cho_factor(h), b) ** 2.0)",
    "solve_triangular": "np.sum(sl.solve_triangular(a, b, lower=True, trans=1) ** 3.0)",
    "solve of positive definite": "np.sum(sl.solve(h, b, assume_a='pos') ** 3.0)",
    "logpdf": "st.multivariate_normal.logpdf(b, b * 0.5, h)",
    "polyfit": "np.sum(np.polyfit(a[0], b, 1) ** 2.0)",
    "einsum of inverses": "np.einsum('ij,jk,ki->', np.linalg.inv(h), a, np.outer(b, b))",
}  # fmt: skip
FIRST = ("solve", "solve_triangular")


def _function(name: str, np: Any, sl: Any, st: Any) -> Callable[..., Any]:
    body = ("s = a + a.T", "h = a @ a.T + np.eye(3)", f"return {PROGRAMS[name]}")
    text = "def f(a, b):\n" + "".join(f"    {line}\n" for line in body)
    file = f"<linear algebra: {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np, "sl": sl, "st": st}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


def _facts(f: Callable[..., Any], of: Any) -> dict[str, Any]:
    """Value, tangent, gradient, and the gradient's tangent; `of` is `retrograd` or `jax`."""
    slope = of.grad(f, argnums=(0, 1))
    found = {
        "value": f(A, B), "tangent": of.jvp(f, (A, B), (A_DOT, B_DOT))[1], "slope": slope(A, B),
        "second": of.jvp(slope, (A, B), (A_DOT, B_DOT))[1],
        "pulled": of.vjp(f, A, B)[1](np.float64(2.0)),
    }  # fmt: skip
    return {
        name: [np.asarray(x).tolist() for x in (fact if isinstance(fact, tuple) else (fact,))]
        for name, fact in found.items()
    }


def _by_jax(name: str) -> dict[str, Any]:
    import jax
    import jax.numpy as jnp
    import jax.scipy as jsp

    with jax.enable_x64(True):
        return _facts(_function(name, jnp, jsp.linalg, jsp.stats), jax)


def assert_same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    for name, fact in wanted.items():
        for one, other in zip(found[name], fact, strict=True):
            scale = 1.0 + np.max(np.abs(other))
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9 * scale, err_msg=name)


def _params() -> list[Any]:
    return [pytest.param(n, marks=() if n in FIRST else pytest.mark.slow) for n in PROGRAMS]


@pytest.mark.parametrize("name", _params())
def test_as_jax_has_it(name: str) -> None:
    wanted = json.loads(RECORD.read_text(encoding="utf-8"))[name]
    assert_same(_facts(_function(name, np, scipy.linalg, scipy.stats), rg), wanted)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="jax is not installed")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_record_is_that_of_jax(name: str) -> None:
    assert_same(_by_jax(name), json.loads(RECORD.read_text(encoding="utf-8"))[name])


def main() -> None:
    """Records what JAX gives."""
    rows = (f"{json.dumps(name)}: {json.dumps(_by_jax(name))}" for name in PROGRAMS)
    RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
