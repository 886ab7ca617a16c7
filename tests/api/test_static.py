"""`static_argnums`, `static_argnames` and `argnames`: which arguments are meant, and baked in."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


class Kind(Enum):
    SUM = "sum"
    MAX = "max"


@dataclass(frozen=True)
class Config:
    rows: int
    name: str
    scales: tuple[float, ...] = (1.0,)


X = np.arange(6.0) + 1.0


def reshaped(x: Any, rows: int, mode: str = "sum") -> Any:
    y = x.reshape(rows, -1)
    return np.sum(y[0] ** rows) if mode == "sum" else np.max(y)


def configured(x: Any, config: Config, kind: Kind) -> Any:
    y = x.reshape(config.rows, -1)[0]
    for scale in config.scales:
        y = y * scale
    if config.name == "squares":
        y = y * y
    return np.sum(y) if kind is Kind.SUM else np.max(y)


def test_values_of_static_arguments_are_literals() -> None:
    native = rg.jit(reshaped, static_argnums=1, static_argnames="mode")
    assert native(X, 2) == reshaped(X, 2)
    assert native(X, rows=3, mode="max") == 6.0
    gradient = rg.grad(reshaped, static_argnums=(-1,))
    assert np.allclose(gradient(X, 2), [2.0, 4.0, 6.0, 0.0, 0.0, 0.0])
    both = rg.jit(
        rg.value_and_grad(configured, static_argnames="kind"), static_argnames=("config",)
    )
    config = Config(2, "squares", (2.0, 3.0))
    value, found = both(X, config=config, kind=Kind.SUM)
    assert value == configured(X, config, Kind.SUM)
    assert np.allclose(found, 2.0 * 36.0 * X * np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))
    assert both(X, config=Config(3, "plain"), kind=Kind.MAX)[0] == 2.0
    assert rg.hessian(lambda x, n: x**n, static_argnums=1)(2.0, 3) == 12.0
    columns = rg.jacfwd(lambda x, n: np.sum(x.reshape(n, -1), axis=n - 2), static_argnames="n")
    assert np.allclose(columns(X, n=2), np.hstack([np.eye(3), np.eye(3)]))
    assert np.allclose(rg.jvp(native, (X, 2), (X, None))[1], 28.0)


def test_equality_and_type_tell_programs_apart() -> None:
    native = rg.jit(lambda x, k: x * k, static_argnums=1)
    results = [native(2, k) for k in (1, 1.0, True, 1, np.int64(1), 0.0, -0.0)]
    assert [type(value) for value in results] == [int, float, int, int, int, float, float]
    assert len(native.made) == 5
    tuples = rg.jit(lambda x, k: x * k[0], static_argnums=1)
    assert [type(tuples(2, k)) for k in ((1,), (1.0,), (True,))] == [int, float, int]
    texts = rg.jit(lambda p: p["x"] * 2.0 if p["mode"] == "twice" else p["x"])
    assert texts({"x": 2.0, "mode": "twice"}) == 4.0
    assert texts({"x": 2.0, "mode": "once"}) == 2.0
    assert rg.grad(texts)({"x": 2.0, "mode": "once"}) == {"x": 1.0, "mode": None}


def test_an_argument_without_a_hash_is_named() -> None:
    native = rg.jit(reshaped, static_argnames=("rows", "mode"))
    for args, kwargs, name in (((X, [1]), {}, "'rows'"), ((X, 1), {"mode": X}, "'mode'")):
        with pytest.raises(UserError, match=name) as caught:
            native(*args, **kwargs)
        assert caught.value.code == "RG0103"
    with pytest.raises(UserError) as caught:
        rg.jit(lambda n: n, static_argnums=0)(2**64)
    assert caught.value.code == "RG0103"
    with pytest.raises(UserError) as caught:
        rg.grad(reshaped, argnames=1)  # pyright: ignore
    assert caught.value.code == "RG0301"


def test_many_programs_are_reported() -> None:
    native = rg.jit(lambda x, n: x * n, static_argnums=1)
    for n in range(64):
        native(1.0, n)
    with pytest.warns(RuntimeWarning, match="65 kinds of argument 'n'") as caught:
        native(1.0, 64)
    assert caught[0].filename == __file__
    native(1.0, 65)


def product(x: float, y: float, *, z: float = 1.0) -> float:
    return x * y**2.0 * z**3.0


def inside(x: float, y: float) -> Any:
    def f(a: float, b: float) -> float:
        return a * b * b

    return (
        rg.grad(f, argnames="b")(x, y), rg.grad(f, argnames=("b", "a"))(x, b=y),
        rg.grad(f, argnums=1)(x, b=y), rg.jacfwd(f, argnames="b")(x, y),
        rg.hessian(f, argnames="b")(b=y, a=x), rg.grad(f, 0, argnames="b")(x, y),
    )  # fmt: skip


def test_arguments_are_chosen_by_name() -> None:
    assert rg.grad(product, argnames="y")(2.0, 3.0) == 12.0
    assert rg.grad(product, argnames="y")(2.0, y=3.0) == 12.0
    assert rg.grad(product, argnames=("z", "x"))(y=3.0, x=2.0, z=1.0) == (54.0, 9.0)
    assert rg.grad(product, 0, argnames="y")(2.0, 3.0) == (9.0, 12.0)
    # A number counts parameters, wherever the caller has them.
    assert rg.grad(product, 1)(y=3.0, x=2.0) == 12.0
    assert rg.grad(product, (1, 0))(2.0, z=1.0, y=3.0) == (12.0, 9.0)
    for argnames in ("w", "z"):
        with pytest.raises(UserError, match=f"{argnames!r}") as caught:
            rg.grad(product, argnames=argnames)(2.0, 3.0)
        assert caught.value.code == "RG0301"
    assert rg.jit(inside)(2.0, 3.0) == inside(2.0, 3.0) == (
        12.0, (12.0, 9.0), 12.0, 12.0, 4.0, (9.0, 12.0)
    )  # fmt: skip


_STORED = """
import numpy as np, retrograd as rg
f = rg.jit(lambda x, k: x * k, static_argnums=1)
print([f(2, k) for k in (3, 3.0, True, 4)])
g = lambda p, m: p["a"] * (2.0 if m == "t" else 3.0) + p["b"][("c", 1)]
print(rg.grad(g, static_argnums=1)({"a": 1.0, "b": {("c", 1): 2.0, None: 1}}, "t"))
"""


def test_programs_on_disk_are_told_apart_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path / "cache"))
    script = tmp_path / "script.py"
    script.write_text(_STORED)
    command = [sys.executable, str(script)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in "12"]
    expected = "[6, 6.0, 2, 8]\n{'a': 2.0, 'b': {('c', 1): 1.0, None: None}}\n"
    assert [run.stdout for run in runs] == [expected, expected]
