"""Derivatives of calls whose arguments share memory, where the function writes to one of them.

Copies of the arguments were taken for arrays of their own, so what was written to one was not seen
in the other: 77 instead of 121 in the smallest program.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg

KNOWN = np.array([1.0, 2.0, 4.0])


def f(a, b):
    a[0] = 5.0
    return np.sum(a) * np.sum(b)


def of_a_global(a):
    a[0] = 5.0
    return np.sum(a) * np.sum(KNOWN)


def through_a_call(a, b):
    return f(b, a)


def reads(a, b):
    return np.sum(a) * np.sum(b)


def array() -> np.ndarray:
    return np.array([1.0, 2.0, 4.0])


def every_way(f: Callable[..., Any], z: Any, path: Path) -> dict[str, Callable[[], Any]]:
    """Calls of everything that differentiates, with the same array twice."""
    ways = {
        name: lambda name=name: getattr(rg, name)(f)(z, z)
        for name in ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian")
    }
    return ways | {
        "memory": lambda: rg.grad(f, memory="1MB")(z, z),
        "checkpointing": lambda: rg.grad(f, checkpointing=rg.checkpointing.fixed_space(3))(z, z),
        "resume": lambda: rg.grad(f, resume=str(path / "run.rg"))(z, z),
        "jvp": lambda: rg.jvp(f, (z, z), (z, z)),
        "vjp": lambda: rg.vjp(f, z, z),
        "vjp, memory": lambda: rg.vjp(f, z, z, memory="1MB"),
        "hvp": lambda: rg.hvp(f, (z, z), (z, z)),
        "interrupt": lambda: rg.interrupt(f, z, z, steps=1000),
        "primops": lambda: rg.primops(f, z, z),
        "check_grads": lambda: rg.check_grads(f, (z, z)),
        "plan": lambda: rg.plan(f, z, z),
        "keyword": lambda: rg.grad(f)(z, b=z),
        "jit of grad": lambda: rg.jit(rg.grad(f))(z, z),
        "grad of grad": lambda: rg.grad(lambda a, b: np.sum(rg.grad(f)(a, b)))(z, z),
    }


WAYS = sorted(every_way(f, array(), Path()))


@pytest.mark.parametrize("way", WAYS)
def test_a_written_argument_that_is_another_one(way: str, tmp_path: Path) -> None:
    z = array()
    for fun in (f, through_a_call):
        with pytest.raises(rg.UserError, match=r"share memory.* writes to") as caught:
            every_way(fun, z, tmp_path)[way]()
        assert caught.value.code == "RG0307"
        assert caught.value.span is not None
        assert caught.value.span.file == __file__
    assert z.tolist() == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("way", [w for w in WAYS if w not in ("plan", "check_grads")])
def test_arguments_that_nobody_writes_may_be_one(way: str, tmp_path: Path) -> None:
    z = array()
    every_way(reads, z, tmp_path)[way]()
    assert rg.value_and_grad(reads, argnums=(0, 1))(z, z)[0] == 49.0


def test_parts_of_one_array() -> None:
    z = np.arange(6.0)
    with pytest.raises(rg.UserError, match="share memory"):
        rg.grad(f)(z[:4], z[3:])
    assert rg.value_and_grad(f)(z[:3], z[3:])[0] == 8.0 * 12.0
    assert rg.value_and_grad(f)(z[::2], z[1::2])[0] == 11.0 * 9.0
    folded = np.lib.stride_tricks.as_strided(array(), (3,), (0,))
    with pytest.raises(rg.UserError, match="parts of argument 0 share memory"):
        rg.grad(f)(folded, z)
    turned = np.arange(6.0).reshape(2, 3).T[::-1]

    def row(a):
        a[0] = 0.0
        return np.sum(a)

    assert rg.value_and_grad(row)(turned)[0] == row(turned.copy())


def test_a_global_and_a_captured_array() -> None:
    with pytest.raises(rg.UserError, match="argument 0 and the global 'KNOWN'"):
        rg.value_and_grad(of_a_global)(KNOWN)
    assert rg.value_and_grad(of_a_global)(KNOWN.copy())[0] == 77.0
    own = array()

    def of_a_cell(a):
        a[0] = 5.0
        return np.sum(a) * np.sum(own)

    with pytest.raises(rg.UserError, match="argument 0 and the captured 'own'"):
        rg.grad(of_a_cell)(own)


def twice(a):
    return rg.value_and_grad(f)(a, a)


def a_view(a):
    return rg.jvp(f, (a, a[1:]), (a, a[1:]))


def with_a_pullback(a):
    y, pullback = rg.vjp(f, a, a)
    return y, pullback(1.0)


def with_a_capture(a):
    def inner(x):
        x[0] = 5.0
        return np.sum(x) * np.sum(a)

    return rg.grad(inner)(a)


def chosen(a, b, n):
    c = a if n > 0 else b
    return rg.grad(f)(c, a)


@pytest.mark.parametrize("fun", [twice, a_view, with_a_pullback, with_a_capture])
def test_inside_a_program(fun: Callable[..., Any]) -> None:
    with pytest.raises(rg.UserError) as caught:
        rg.jit(fun)(array())
    assert caught.value.code == "RG0307"
    assert caught.value.span is not None
    assert caught.value.span.line > fun.__code__.co_firstlineno


def test_inside_a_program_where_it_is_chosen() -> None:
    with pytest.raises(rg.UserError) as caught:
        rg.jit(chosen)(array(), array(), 1)
    assert caught.value.code == "RG0307"


def inner(a, b):
    return rg.value_and_grad(f)(a, b)[0]


def deeper(a, b):
    return inner(b, a) + 1.0


@rg.custom_jvp
def ruled(a, b):
    return inner(a, b)


@ruled.defjvp
def ruled_jvp(primals, tangents):
    return ruled(*primals), np.sum(tangents[0])


def of_ruled(a, b):
    return ruled(a, b)


@pytest.mark.parametrize("fun", [inner, deeper, ruled, of_ruled])
def test_arguments_of_a_derivative_inside(fun: Callable[..., Any]) -> None:
    z = array()
    with pytest.raises(rg.UserError, match="share memory"):
        rg.jvp(fun, (z, z), (z, z))
    with (
        pytest.raises(rg.UserError, match="share memory"),
        pytest.warns(RuntimeWarning, match="run by Python"),
    ):
        rg.jit(fun)(z, z)
    rg.jit(fun)(z, array())


def stops(x):
    y = rg.stop_gradient(x)
    y[0] = 7.0
    return np.sum(x)


def written_through_a_call(x, n):
    a, b = x.copy(), x + 1.0
    c = a if n > 0 else b

    def write(one, other):
        one[0] = 5.0
        return np.sum(other)

    return write(c, a)


def test_aliases_that_were_copies() -> None:
    with pytest.raises(rg.UserError, match="another name"):
        rg.jit(stops)(array())
    with pytest.raises(rg.UserError, match="another name"):
        rg.jit(written_through_a_call)(array(), 1)
