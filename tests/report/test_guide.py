"""What is kept of the programs of JAX's guide, with each policy: no more floats than JAX keeps."""

from __future__ import annotations

import importlib.util
import math
import sys
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import pytest

import retrograd as rg
from retrograd.options.saving import Policy
from tests.report import guide

LOOP = "around scan"


def programs(*first: str, without: str = "") -> list[Any]:
    """The names of programs; those that are not `first` are slow."""
    names = [name for name in guide.PROGRAMS if name != without]
    return [pytest.param(n, marks=() if n in first else pytest.mark.slow) for n in names]


EXTENTS = 1000
"""Bytes of integers that a list may have besides."""

RECORDED = "0.10.2"
FLOAT_BYTES = {
    "chain": (232, 232, 0, 144, 144, 144, 144, 144),
    "parts": (232, 232, 88, 232, 232, 232, 232, 232),
    "nested": (232, 232, 0, 144, 144, 144, 144, 144),
    "named": (232, 232, 0, 144, 144, 144, 144, 144, 40, 48, 232, 192, 88),
    "stages": (352, 352, 120, 264, 264, 264, 264, 264, 160, 168, 352, 312, 208),
    "loss": (352, 352, 0, 208, 208, 208, 208, 208, 48, 96, 352, 248, 88),
    "sines": (96, 96, 0, 0, 0, 0, 0, 0, 32, 32, 96, 32, 64),
    "rectified": (352, 352, 0, 208, 208, 208, 208, 208),
    "8 sines": (256, 256, 96, 96, 96, 96, 96, 96),
    "16 sines": (512, 512, 128, 128, 128, 128, 128, 128),
    "scan": (3328, 3328, 1792, 3328, 3328, 3328, 3328, 3328),
    "named scan": (3328, 3328, 1792, *[3328] * 6, 1792, 3328, 3328, 3328),
    "scan alone": (3072, 3072, 1536, *[3072] * 6, 1536, 3072, 3072, 3072),
    "scan of products": (3328, 3328, 1792, *[3328] * 5, 1792, 3328, 3328, 3328, 3328),
    "around scan": (3328, 3072, 0, *[1536] * 7, 3072, 3072, 3072),
}
"""The float bytes that JAX of that version keeps beyond the arguments, in the order of
`guide.policies_of`."""


@lru_cache
def kept(program: str, policy: Policy | None) -> rg.SavedResiduals:
    found = guide.PROGRAMS[program]
    return rg.saved_residuals(found.build(policy), *found.args)


def lists_of(program: str) -> list[rg.SavedResiduals]:
    """What retrograd keeps, with each policy."""
    names = guide.PROGRAMS[program].names
    policies = rg.checkpoint_policies
    return [
        kept(program, None if name is None else guide.POLICIES[name](policies, names))
        for name in guide.policies_of(program)
    ]


@pytest.mark.parametrize(
    "program", programs("parts", "named", "loss", "16 sines", "named scan", without=LOOP)
)
def test_no_more_floats_are_kept_than_by_jax(program: str) -> None:
    found = lists_of(program)
    table = list(zip(guide.policies_of(program), found, FLOAT_BYTES[program], strict=True))
    assert [row for row in table if row[1].float_bytes > row[2]] == []
    assert [row for row in table if row[1].total - row[1].float_bytes > EXTENTS] == []


def test_a_policy_around_a_loop_keeps_what_states_are_made_of() -> None:
    """JAX runs such a loop again as a whole, and keeps in that run what the loop carries.

    Here the states are made of the products that are saved. Where states are saved themselves, the
    first is among them.
    """
    found = [one.float_bytes for one in lists_of(LOOP)]
    state = guide.LAYERS[1].nbytes
    assert found[2] == FLOAT_BYTES[LOOP][2] == 0  # nothing_saveable
    pairs = list(zip(found, FLOAT_BYTES[LOOP], strict=True))
    assert all(ours <= jax + state for ours, jax in pairs)
    assert sum(ours <= jax for ours, jax in pairs) >= 9


def test_every_policy_is_compared() -> None:
    there = {name for name in rg.checkpoint_policies.__all__ if name[0].islower()}
    assert there - set(guide.POLICIES) == {"budget", "save_anything_but_these_names"}


@pytest.fixture(scope="module")
def theirs() -> Any:
    """JAX, and the programs of the guide for it."""
    jax = pytest.importorskip("jax")
    importlib.import_module("jax.ad_checkpoint")
    spec = importlib.util.spec_from_file_location("guide_for_jax", guide.__file__)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # for its dataclasses
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    module.np = jax.numpy
    module.rg = SimpleNamespace(
        checkpoint=jax.checkpoint, checkpoint_name=jax.ad_checkpoint.checkpoint_name
    )
    module.scanned = lambda part, ws, x: jax.lax.scan(lambda x, w: (part(w, x), None), x, ws)[0]
    return SimpleNamespace(jax=jax, guide=module)


def float_bytes_of_jax(theirs: Any, program: str, policy: str | None) -> int:
    from jax._src.ad_checkpoint import saved_residuals  # pyright: ignore

    found = theirs.guide.PROGRAMS[program]
    policies = theirs.jax.checkpoint_policies
    made = None if policy is None else guide.POLICIES[policy](policies, found.names)
    every: Any = saved_residuals(found.build(made), *found.args)
    own = [aval for aval, source in every if "argument" not in source]
    return sum(8 * math.prod(aval.shape) for aval in own if str(aval.dtype) == "float64")


@pytest.mark.parametrize("program", programs("named", "scan"))
def test_what_is_recorded_of_jax_is_what_jax_keeps(theirs: Any, program: str) -> None:
    with theirs.jax.enable_x64(True):
        found = [float_bytes_of_jax(theirs, program, p) for p in guide.policies_of(program)]
    if theirs.jax.__version__ == RECORDED:
        assert tuple(found) == FLOAT_BYTES[program]
    if program != LOOP:
        assert all(ours.float_bytes <= n for ours, n in zip(lists_of(program), found, strict=True))


def test_every_policy_of_jax_is_compared(theirs: Any) -> None:
    there = {name for name in dir(theirs.jax.checkpoint_policies) if not name.startswith("_")}
    assert there == set(guide.POLICIES)
