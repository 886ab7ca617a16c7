"""Later calls did not see that `math.sin`, a built-in or a keyword-only default was replaced."""

from __future__ import annotations

import builtins
import math
from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile import disk_cache as stored
from retrograd.api.compile import lookup as obtain
from retrograd.errors import UserError


def other(x):
    return 3.0 * x


def test_functions_of_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return math.sin(x) + np.tanh(x) + math.pi

    run, gradient = rg.jit(f), rg.grad(f)
    first = run(1.0), gradient(1.0)
    assert first[0] == pytest.approx(f(1.0), rel=1e-14)
    with monkeypatch.context() as patch:
        patch.setattr(math, "sin", other)
        patch.setattr(math, "pi", 1.0)
        assert run(1.0) == pytest.approx(f(1.0), rel=1e-14)
        assert gradient(1.0) == pytest.approx(4.0 - np.tanh(1.0) ** 2, rel=1e-14)
        patch.setattr(np, "tanh", math.cos)
        assert run(1.0) == pytest.approx(4.0 + math.cos(1.0), rel=1e-14)
    assert (run(1.0), gradient(1.0)) == first


def uses_abs(x):
    return abs(x)


def test_built_in_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    run = rg.jit(uses_abs)
    assert run(-1.0) == 1.0
    monkeypatch.setitem(globals(), "abs", other)
    assert run(-1.0) == -3.0
    monkeypatch.delitem(globals(), "abs")
    assert run(-1.0) == 1.0
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "abs", other)
        found = run(-1.0)
    assert found == -3.0


def scaled(x, *, k=2.0):
    return x * k


def test_defaults_of_keyword_only_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = rg.jit(scaled), rg.jit(lambda x: scaled(x)), rg.grad(scaled)
    assert [run(1.0) for run in runs] == [2.0] * 3
    monkeypatch.setattr(scaled, "__kwdefaults__", {"k": 5.0})
    assert [run(1.0) for run in runs] == [5.0] * 3
    scaled.__kwdefaults__["k"] = 7.0
    assert [run(1.0) for run in runs] == [7.0] * 3
    del scaled.__kwdefaults__["k"]
    for run in runs:
        with pytest.raises(UserError, match="RG0108"):
            run(1.0)


def test_stored_code_is_of_these_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path))
    hits: list[bool] = []

    def load(asked: stored.Query) -> object:
        found = stored.load(asked)
        hits.append(found is not None)
        return found

    monkeypatch.setattr(obtain, "load", load)

    def f(x):
        return math.sin(x) * abs(scaled(x)) + math.pi

    for expected in (False, True):
        run = rg.jit(f)
        assert run(1.0) == pytest.approx(f(1.0))
        with monkeypatch.context() as patch:
            patch.setattr(math, "sin", other)
            assert run(1.0) == pytest.approx(f(1.0))
            patch.setattr(scaled, "__kwdefaults__", {"k": 5.0})
            assert run(1.0) == pytest.approx(f(1.0))
        assert run(1.0) == pytest.approx(f(1.0))
        assert hits == [expected, expected, expected, True]
        hits.clear()
