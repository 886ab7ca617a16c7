"""`argnums` read from a module or a closure differentiated argument 0, whatever the number said.

Numbers from outside of a program are read at every call; this one decides what the program is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from retrograd.api.compile import disk_cache as stored
from retrograd.api.compile import lookup as obtain
from retrograd.errors import UserError
from tests.frontend import other_module

WHICH = 1
BOTH = (0, 1)
AUX = True
BYTES = 2_000_000
WAY = rg.checkpointing.fixed_space(snapshots=3, leaf="1MB")


def f(x, y):
    return x * x * y


def pair(x, y):
    return x * x * y, y


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda x, y: rg.grad(f, WHICH)(x, y), 4.0),
        (lambda x, y: rg.grad(f, BOTH)(x, y), (12.0, 4.0)),
        (lambda x, y: rg.grad(f, (WHICH, 0))(x, y), (4.0, 12.0)),
        (lambda x, y: rg.grad(f, BOTH[1])(x, y), 4.0),
        (lambda x, y: rg.value_and_grad(f, argnums=WHICH)(x, y), (12.0, 4.0)),
        (lambda x, y: rg.jacfwd(f, WHICH)(x, y), 4.0),
        (lambda x, y: rg.jacrev(f, BOTH)(x, y), (12.0, 4.0)),
        (lambda x, y: rg.hessian(f, BOTH)(x, y), ((6.0, 4.0), (4.0, 0.0))),
        (lambda x, y: rg.grad(pair, WHICH, has_aux=AUX)(x, y), (4.0, 3.0)),
        (lambda x, y: rg.grad(f, WHICH, memory=BYTES)(x, y), 4.0),
        (lambda x, y: rg.grad(f, WHICH, checkpointing=WAY)(x, y), 4.0),
        (lambda x, y: rg.vjp(f, x, y, memory=BYTES)[1](1.0), (12.0, 4.0)),
    ],
)
def test_numbers_of_a_module(program: Callable[..., Any], expected: object) -> None:
    assert rg.jit(program)(2.0, 3.0) == expected
    assert program(2.0, 3.0) == expected


def test_a_change_recompiles(monkeypatch: pytest.MonkeyPatch) -> None:
    run = rg.jit(lambda x, y: rg.grad(f, WHICH)(x, y) * WHICH)
    assert run(2.0, 3.0) == 4.0
    monkeypatch.setitem(globals(), "WHICH", 0)
    assert run(2.0, 3.0) == 0.0
    monkeypatch.setitem(globals(), "WHICH", (0, 1))
    with pytest.raises(UserError, match="RG0110"):
        run(2.0, 3.0)
    monkeypatch.undo()
    assert run(2.0, 3.0) == 4.0


def test_cells_attributes_and_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    which, several = 1, (1,)

    def inside(x, y, z=several):
        def deeper(v):
            return rg.grad(f, which)(v, y)

        return deeper(x), rg.grad(f, other_module.WHICH)(x, y), rg.grad(f, z)(x, y)

    monkeypatch.setattr(other_module, "WHICH", 1, raising=False)
    run = rg.jit(inside)
    assert run(2.0, 3.0) == (4.0, 4.0, (4.0,))
    which = 0
    monkeypatch.setattr(other_module, "WHICH", 0)
    assert run(2.0, 3.0) == (12.0, 12.0, (4.0,))


def test_stored_code_is_of_that_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path))
    hits: list[bool] = []

    def load(asked: stored.Query) -> object:
        found = stored.load(asked)
        hits.append(found is not None)
        return found

    monkeypatch.setattr(obtain, "load", load)

    def program(x, y):
        return rg.grad(f, BOTH)(x, y)

    for numbers in ((0, 1), (1, 0), (0, 1), (1, 0)):
        monkeypatch.setitem(globals(), "BOTH", numbers)
        want = (12.0, 4.0) if numbers == (0, 1) else (4.0, 12.0)
        run = rg.jit(program)
        assert run(2.0, 3.0) == want
        monkeypatch.setitem(globals(), "BOTH", (1,))
        assert run(2.0, 3.0) == (4.0,)
    assert hits == [False, False, False, True, True, True, True, True]


def through(which, x, y):
    return rg.grad(f, which)(x, y)


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (lambda x, y: through(int(x), x, y), "RG0113"),
        (lambda x, y: rg.grad(f, True)(x, y), "RG0301"),
        (lambda x, y: rg.grad(f, 1.0)(x, y), "RG0301"),
    ],
)
def test_what_is_no_number_then_is_refused(program: Callable[..., Any], code: str) -> None:
    with pytest.raises(UserError, match=code) as error:
        rg.jit(program)(2.0, 3.0)
    assert error.value.span is not None


def test_functions_of_any_number_of_arguments() -> None:
    assert rg.jit(lambda x, y: rg.grad(lambda *a: f(*a), (0, 1))(x, y))(2.0, 3.0) == (12.0, 4.0)
    assert rg.jit(lambda x, y: rg.grad(lambda p, *a: f(p, *a), 1)(x, y))(2.0, 3.0) == 4.0
    assert rg.jit(lambda x, y: rg.jacfwd(lambda *a: f(*a), 1)(x, y))(2.0, 3.0) == 4.0
    run = rg.jit(lambda x, y: rg.jvp(lambda *a: f(*a), (x, y), (1.0, 2.0)))
    assert run(2.0, 3.0) == (12.0, 20.0)
    run = rg.jit(lambda x, y: rg.vjp(lambda *a: f(*a), x, y)[1](1.0))
    assert run(2.0, 3.0) == (12.0, 4.0)
