"""The cache of compiled functions inside one process: keys, guards, and what is not stored."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile import disk_cache as stored
from retrograd.api.compile import lookup as obtain
from retrograd.backends.llvm import store


@dataclass
class Loads:
    """Whether each load since the last question was a hit."""

    hits: list[bool]

    def taken(self) -> list[bool]:
        found, self.hits[:] = list(self.hits), []
        return found


@pytest.fixture
def loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loads:
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path))
    seen = Loads([])

    def counted(asked: stored.Query) -> object:
        found = stored.load(asked)
        seen.hits.append(found is not None)
        return found

    monkeypatch.setattr(obtain, "load", counted)
    return seen


def square(x):
    return x * x


def applied(h, x):
    return h(x) * x


def test_what_is_asked_for_is_part_of_the_key(loads: Loads) -> None:
    def f(x, y):
        return x * x * y

    def both(x, y):
        return x * x * y, x

    makers = [
        lambda: rg.grad(f), lambda: rg.grad(f, argnums=1), lambda: rg.grad(f, argnums=(0,)),
        lambda: rg.value_and_grad(f), lambda: rg.jit(f), lambda: rg.grad(rg.grad(f)),
        lambda: rg.grad(both, has_aux=True), lambda: rg.hessian(f), lambda: rg.jacfwd(f),
        lambda: rg.jacrev(f), lambda: rg.jacfwd(rg.grad(f)),
    ]  # fmt: skip
    first = [repr(make()(2.0, 3.0)) for make in makers]
    assert loads.taken() == [False] * len(makers)
    assert [repr(make()(2.0, 3.0)) for make in makers] == first
    assert loads.taken() == [True] * len(makers)


def test_types_of_arguments_are_part_of_the_key(loads: Loads) -> None:
    def f(x, y):
        return np.sum(x * y)

    kinds = [2.0, 2, True, np.ones(2), np.ones(2, int), np.ones((2, 2)), (1.0, 2.0)[0]]
    for y in kinds:
        want = np.sum(np.ones(2) * y) if np.ndim(y) < 2 else 4.0
        assert float(np.sum(rg.grad(f)(np.ones(2), y))) == pytest.approx(float(want) * 1.0)
    assert loads.taken() == [False] * (len(kinds) - 1) + [True]
    assert rg.grad(f)(np.ones(2), y=2.0).tolist() == [2.0, 2.0]
    assert rg.grad(f)(np.ones(2)[::-1], 3.0).tolist() == [3.0, 3.0]
    assert loads.taken() == [False, True]


def test_functions_that_are_arguments(loads: Loads) -> None:
    def double(x):
        return 2.0 * x

    def triple(x):
        return 3.0 * x

    for expected in ([False] * 3, [True] * 3):
        found = [rg.grad(applied, argnums=1)(h, 5.0) for h in (double, triple, np.sin)]
        assert found == pytest.approx([20.0, 30.0, np.sin(5.0) + 5.0 * np.cos(5.0)])
        assert loads.taken() == expected


def test_surroundings_that_alternate_keep_an_entry_each(loads: Loads) -> None:
    def made(h):
        return lambda x: h(x) * x

    def double(x):
        return 2.0 * x

    for hit in (False, True):
        assert rg.grad(made(square))(2.0) == 12.0
        assert rg.grad(made(double))(2.0) == 8.0
        assert loads.taken() == [hit, hit]


def test_hidden_numbers_are_read_at_every_call_of_a_hit(loads: Loads) -> None:
    scale, shift = 2.0, np.array([1.0])

    def f(x):
        return x * scale * shift[0]

    for hit in (False, True):
        scale, shift = 2.0, np.array([1.0])
        df = rg.grad(f)
        assert df(1.0) == 2.0
        scale, shift = 4.0, np.array([10.0])
        assert df(1.0) == 40.0
        assert loads.taken() == [hit]
        scale = 3
        assert df(1.0) == 30.0
        assert loads.taken() == [hit]


def test_a_hit_is_guarded_like_a_translation(loads: Loads, monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return square(x) * x

    assert rg.grad(f)(2.0) == 12.0
    df = rg.grad(f)
    assert df(2.0) == 12.0
    assert loads.taken() == [False, True]
    monkeypatch.setitem(globals(), "square", lambda x: x)
    assert df(2.0) == 4.0
    assert loads.taken() == [False]


def test_a_library_function_that_was_replaced(
    loads: Loads, monkeypatch: pytest.MonkeyPatch
) -> None:
    def f(x):
        return np.sin(x)

    assert rg.grad(f)(0.5) == pytest.approx(np.cos(0.5))
    monkeypatch.setattr(np, "sin", np.cos)
    assert rg.grad(f)(0.5) == pytest.approx(-0.479425538604203)
    monkeypatch.undo()
    assert loads.taken() == [False, False]


def test_an_edited_compiler_neither_reads_nor_writes(
    loads: Loads, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rg.grad(square)(3.0) == 6.0
    monkeypatch.setattr(stored, "_LOADED", ("something else",))
    assert rg.grad(square)(3.0) == 6.0
    assert loads.taken() == [False]


def test_what_has_no_text_is_not_stored(loads: Loads) -> None:
    class Odd:
        def __call__(self, x):
            return x

    odd = Odd()

    def f(x):
        return x if odd is None else x * x

    for _ in range(2):
        assert rg.grad(f)(3.0) == 6.0
    assert loads.taken() == [False, False]


def test_entries_count_for_the_size_of_the_cache(
    loads: Loads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rg.grad(square)(3.0) == 6.0
    files = list((tmp_path / "retrograd").iterdir())
    assert {p.suffix for p in files} == {".o", ".rg"}
    assert all(p.stat().st_mode & 0o077 == 0 for p in files)
    for path in files:
        os.utime(path, (0, 0))
    sizes = [p.stat().st_size for p in files]
    monkeypatch.setattr(store, "_SIZE_CAP", int(1.5 * max(sizes)))
    monkeypatch.setattr(store, "_LOOK_EVERY", 1)
    assert rg.jit(square)(3.0) == 9.0
    left = set((tmp_path / "retrograd").iterdir())
    assert not {p for p in files if p.suffix == ".rg"} & left


def test_without_a_folder_it_just_compiles(
    loads: Loads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("RETROGRAD_CACHE", str(blocked))
    assert rg.grad(square)(3.0) == 6.0
    assert loads.taken() == []
