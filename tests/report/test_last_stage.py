"""Remarks about checkpoints that spare nothing, against the peaks of gradients with and without."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.random.harness import float_leaves
from tests.random.programs import SMOOTH, from_seed, loaded
from tests.report import guide
from tests.report.guide import layer

policies = rg.checkpoint_policies
W, X = np.linspace(-0.2, 0.2, 32 * 32).reshape(32, 32), np.linspace(0.1, 1.0, 512).reshape(32, 16)
CHAIN = W, 2.0 * W, 3.0 * W, X
LAYERS = np.stack([W] * 4), X

Around = Callable[[Any], Any]


def two_layers(w: Any, x: Any) -> Any:
    return layer(w, layer(w, x))


def as_it_is(fun: Any) -> Any:
    return fun


def all_of_it(around: Around) -> Any:
    def f(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        return np.sum(guide.chain(w1, w2, w3, x))

    return around(f)


def first(around: Around) -> Any:
    part = around(layer)

    def f(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        return np.sum(layer(w3, layer(w2, part(w1, x))))

    return f


def second(around: Around) -> Any:
    part = around(layer)

    def f(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        return np.sum(layer(w3, part(w2, layer(w1, x))))

    return f


def last(around: Around) -> Any:
    part = around(layer)

    def f(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        return np.sum(part(w3, layer(w2, layer(w1, x))))

    return f


def last_but_for_a_square(around: Around) -> Any:
    part = around(guide.chain)

    def f(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        return np.mean((part(w1, w2, w3, x) - 1.0) ** 2)

    return f


def last_of_a_function(around: Around) -> Any:
    inner = last(around)

    def f(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        return 2.0 * inner(w1, w2, w3, x)

    return f


def loop(around: Around) -> Any:
    return around(guide.of_layers(layer)(None))


def in_a_loop(around: Around) -> Any:
    part = around(two_layers)

    def f(ws: Any, x: Any) -> Any:
        for w in ws:
            x = part(w, x)
        return np.sum(x * x)

    return f


def sines(around: Around) -> Any:
    """The first half of 16 is checkpointed, and again the first half of that."""
    return guide.recursive(16)(None if around is as_it_is else policies.nothing_saveable)


def in_a_branch(around: Around) -> Any:
    part = around(layer)

    def f(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        if np.sum(x) > 0.0:
            x = part(w3, layer(w2, layer(w1, x)))
        return np.sum(x)

    return f


CASES: dict[Callable[[Around], Any], tuple[tuple[Any, ...], str | None]] = {
    all_of_it: (CHAIN, "around all of 'f'"),
    last: (CHAIN, "`part(w3, layer(w2, layer(w1, x)))`, spares"),
    last_but_for_a_square: (CHAIN, "of 'chain' at test_last_stage.py"),
    last_of_a_function: (CHAIN, "is the last stage of 'f'"),
    loop: (LAYERS, "around all of 'f'"),
    first: (CHAIN, None),
    second: (CHAIN, None),
    in_a_loop: (LAYERS, None),
    sines: ((X,), None),
    in_a_branch: (CHAIN, None),
}
"""Programs, their arguments, and what is said of the checkpoint."""

SPARING = (in_a_loop, sines)
QUICK = (last, sines)


def peak(fun: Any, args: tuple[Any, ...], argnums: tuple[int, ...] | None = None) -> int | None:
    """That of a gradient of the sum; None where it has no tape."""
    chosen = tuple(range(len(args))) if argnums is None else argnums
    gradient = rg.grad(lambda *args: np.sum(fun(*args)), argnums=chosen)
    gradient(*args)
    stats = gradient.stats()
    return None if stats is None else stats.peak_bytes


@pytest.mark.thinned(2)
@pytest.mark.parametrize("build", CASES)
def test_checkpoints_at_the_end_are_remarked_on(build: Callable[[Around], Any]) -> None:
    args, text = CASES[build]
    found = rg.saved_residuals(build(rg.checkpoint), *args).remarks
    assert len(found) == (text is not None)
    assert all(text is not None and text in remark for remark in found)
    assert rg.saved_residuals(build(as_it_is), *args).remarks == ()


@pytest.mark.parametrize(
    "build", [pytest.param(b, marks=() if b in QUICK else pytest.mark.slow) for b in CASES]
)
def test_what_is_remarked_on_is_counted(build: Callable[[Around], Any]) -> None:
    args, text = CASES[build]
    peaks = [peak(build(around), args) for around in (rg.checkpoint, as_it_is)]
    assert None not in peaks
    spares = peaks[0] < peaks[1]
    assert not (spares and text)
    assert spares == (build in SPARING)


def random_remarks(seed: int, directory: Path) -> tuple[str, ...] | None:
    """Those on a checkpoint around a random program, which are compared with its peaks; None where
    there is nothing to compare."""
    program = from_seed(seed, SMOOTH)
    with loaded(program, directory) as (_, module), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        args = program.args(module)
        chosen = tuple(k for k, arg in enumerate(args) if float_leaves(arg))
        given = rg.checkpoint(module.objective)
        try:
            peaks = [peak(fun, args, chosen) for fun in (given, module.objective)]
        except (rg.RetrogradError, ArithmeticError, LookupError, ValueError, RuntimeError):
            return None
        remarks = rg.saved_residuals(given, *args, argnums=chosen).remarks
    if None in peaks:
        return None
    assert not remarks or peaks[0] >= peaks[1], program.text()
    return remarks


def test_of_a_random_program(tmp_path: Path) -> None:
    assert random_remarks(0, tmp_path) is not None


@pytest.mark.slow
def test_of_many_random_programs(tmp_path: Path) -> None:
    found = [random_remarks(seed, tmp_path) for seed in range(100, 140)]
    assert sum(map(bool, found)) > 3
    assert () in found


def test_what_is_no_checkpoint_or_not_chosen_yet_is_not_remarked_on() -> None:
    for policy in (policies.everything_saveable, policies.budget("1MB")):
        around = rg.checkpoint(all_of_it(as_it_is), policy=policy)
        assert rg.saved_residuals(around, *CHAIN).remarks == ()


def test_a_checkpoint_that_changes_nothing_is_to_be_left_out() -> None:
    (remark,) = rg.saved_residuals(rg.checkpoint(np.sin), X).remarks
    assert remark.endswith("The peak is 4.1 kB with it as without it. Leave it out.")


def test_results_of_any_kind_and_some_arguments() -> None:
    def f(w: Any, x: Any, k: int) -> Any:
        y = layer(w, layer(w, x))
        return {"y": y, "k": k, "sum": np.sum(y)}

    (remark,) = rg.saved_residuals(rg.checkpoint(f), W, X, 3, argnums=(0, 1)).remarks
    assert "around all of 'f'" in remark
    assert rg.saved_residuals(rg.checkpoint(f), W, X, 3).remarks == (remark,)


def test_the_remark_is_shown_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    found = rg.saved_residuals(last(rg.checkpoint), *CHAIN)
    (remark,) = found.remarks
    rg.print_saved_residuals(last(rg.checkpoint), *CHAIN)
    for text in (str(found), capsys.readouterr().out):
        assert " ".join(text.split()).endswith(remark)
    assert "spares a gradient nothing" in found._repr_html_()  # pyright: ignore
    assert remark in repr(found)
