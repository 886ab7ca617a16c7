"""Random programs whose checkpoints move what they save to a folder: the same bits, no files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from retrograd.runtime import offload
from tests.random.checkpoints import checkpointed
from tests.random.harness import bits_of, float_leaves
from tests.random.programs import SMOOTH, from_seed, loaded


def outcome(fun: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[bytes] | str, int]:
    """The bits of value and gradient, or what is raised; and the bytes that were moved."""
    chosen = tuple(k for k, arg in enumerate(args) if float_leaves(arg))
    gradient = rg.value_and_grad(fun, chosen)
    bits = bits_of(lambda: gradient(*args))
    stats = gradient.stats()
    return bits, 0 if stats is None else stats.offloaded_bytes


def check(seed: int, directory: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many bytes were moved, where nothing waits; `objective` itself is checkpointed, too."""
    monkeypatch.setattr(offload, "SMALLEST", 1)
    monkeypatch.setattr(offload, "_WRITTEN_BEHIND", 0)
    folder = directory / "moved"
    folder.mkdir(exist_ok=True)

    def moved(residual: rg.Residual) -> object:
        return rg.checkpoint_policies.Offloadable("device", folder)

    moves = f"lambda residual: policies.Offloadable('device', {str(folder)!r})"
    program = from_seed(seed, SMOOTH)
    marked = checkpointed(program, seed, among=(moves,))
    total = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        with loaded(program, directory) as (_, module):
            expected, _ = outcome(module.objective, program.args(module))
            whole = rg.checkpoint(module.objective, policy=moved)
            bits, count = outcome(whole, program.args(module))
            assert bits == expected
            total += count
        with loaded(marked, directory) as (_, module):
            bits, count = outcome(module.objective, program.args(module))
            assert bits == expected, marked.text()
            total += count
    assert os.listdir(folder) == []
    return total


def test_no_bit_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(check(seed, tmp_path, monkeypatch) for seed in (0, 12))


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_of_many(shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(100 + 20 * shard, 120 + 20 * shard):
        check(seed, tmp_path, monkeypatch)
