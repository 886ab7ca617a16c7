"""Products of matrices: the library's and our own, transposed and strided operands, threads."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from retrograd.runtime.library import FIELDS, library_table

SHAPES = [
    (1, 1, 1), (3, 2, 5), (20, 20, 20), (20, 20, 21), (21, 20, 20), (64, 64, 64), (1, 9000, 1),
    (9000, 1, 1), (1, 1, 9000), (33, 100, 47), (0, 5, 3), (200, 0, 200), (7, 300, 0),
]  # fmt: skip
SETUPS: list[tuple[str, Callable[..., object]]] = [
    ("plain", lambda a, b: a @ b),
    ("left", lambda a, b: a.T.copy().T @ b),
    ("first", lambda a, b: np.transpose(a) @ b),
    ("second", lambda a, b: a @ b.T),
    ("both", lambda a, b: a.T @ b.T),
    ("strided", lambda a, b: a[:, ::2] @ b[::2, :]),
    ("backwards", lambda a, b: a[::-1] @ b[:, ::-1]),
]


def _operands(setup: str, n: int, k: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n * 10007 + k * 101 + m)
    wide = 2 * k if setup == "strided" else k
    left = (wide, n) if setup in ("first", "both") else (n, wide)
    right = (m, wide) if setup in ("second", "both") else (wide, m)
    return rng.normal(size=left), rng.normal(size=right)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("setup", "f"), SETUPS, ids=[name for name, _ in SETUPS])
def test_agrees_with_numpy(setup: str, f: Callable[..., object], shape: tuple[int, ...]) -> None:
    a, b = _operands(setup, *shape)
    found, expected = rg.jit(f)(a, b), np.asarray(f(a, b))
    size = np.abs(a).max(initial=0.0) * np.abs(b).max(initial=0.0)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=4e-16 * size * (shape[1] + 1))


def test_not_a_number_is_not_lost() -> None:
    a, b = np.zeros((40, 40)), np.ones((40, 40))
    b[3, 5] = np.nan
    b[4, 6] = np.inf
    found = rg.jit(lambda a, b: a @ b)(a, b)
    assert np.isnan(found[:, 5]).all()
    assert np.isnan(found[:, 6]).all()
    assert (np.delete(found, (5, 6), axis=1) == 0).all()


def test_gradient_of_a_large_product() -> None:
    def f(a: np.ndarray, b: np.ndarray) -> float:
        return np.sum((a @ b) ** 2)

    a, b = _operands("plain", 30, 50, 40)
    a_bar, b_bar = rg.grad(f, argnums=(0, 1))(a, b)
    c = 2 * (a @ b)
    np.testing.assert_allclose(a_bar, c @ b.T, rtol=1e-11)
    np.testing.assert_allclose(b_bar, a.T @ c, rtol=1e-11)


def _threads() -> tuple[Callable[[], int], Callable[[int], None]]:
    rg.jit(lambda a: a @ a)(np.ones((40, 40)))
    words = (ctypes.c_uint64 * len(FIELDS)).from_address(library_table())
    table = dict(zip(FIELDS, words, strict=True))
    get = ctypes.CFUNCTYPE(ctypes.c_int)(table["get_threads"])
    change = ctypes.CFUNCTYPE(None, ctypes.c_int)(table["set_threads"])
    assert table["dgemm"] != 0
    return get, change


def test_the_number_of_threads_is_left_as_it_was() -> None:
    get, change = _threads()
    before = get()
    try:
        for count in (1, 2):
            change(count)
            rg.jit(lambda a: a @ a)(np.ones((200, 200)))
            assert get() == count
    finally:
        change(before)


def test_from_several_threads_at_once() -> None:
    get, change = _threads()
    before = get()
    change(2)
    a = np.random.default_rng(0).normal(size=(300, 300))

    def repeated(x: np.ndarray) -> np.ndarray:
        for _ in range(20):
            x = np.tanh(x @ x * 0.01)
        return x

    f = rg.jit(repeated)
    expected, found = f(a), list[bytes]()
    try:
        workers = [threading.Thread(target=lambda: found.append(f(a).tobytes())) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert get() == 2
    finally:
        change(before)
    assert found == [expected.tobytes()] * 4


_SCRIPT = """
import hashlib, sys
import numpy as np
import retrograd as rg
{block}
a = np.random.default_rng(0).normal(size=(517, 517))
product = rg.jit(lambda a: a @ a)(a)
assert np.allclose(product, a @ a)
print(hashlib.sha256(product.tobytes()).hexdigest(), "scipy" in sys.modules)
"""


def _run(folder: Path, block: str, threads: int) -> list[str]:
    script = folder / "product.py"
    script.write_text(_SCRIPT.format(block=block))
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "OPENBLAS_NUM_THREADS": str(threads)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_bits_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    """Without a library our own loops do it."""
    alone, loaded = _run(tmp_path, "", 1)
    assert loaded == "True"
    assert [alone, loaded] == _run(tmp_path, "", 3)
    ours, _ = _run(tmp_path, 'sys.modules["scipy.linalg"] = None', 1)
    assert ours != alone
