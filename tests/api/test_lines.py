"""Long lines of array statements: gradients in a budget, places of errors, what is compiled."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.prepare import prepare
from retrograd.errors import UserError
from retrograd.frontend.identity.specs import spec_of
from retrograd.ir.terms import Call
from retrograd.prims import DEFAULT
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import OPTIMISE, POINTS
from tests.random.costs import costs, short_lines

LAYERS = 18
MOST = costs().line_part_most


def network(layers, x):
    """Dense layers; the loop over a tuple is written out by the frontend."""
    y = x
    for weights, shift in layers:
        y = np.tanh(y @ weights + shift)
    return np.sum(y * y)


def residual(layers, x):
    """Layers of the same extents, which are not known: each adds to what it is given."""
    y = x
    for weights, shift in layers:
        y = y + 0.1 * np.tanh(y @ weights + shift)
    return np.sum(y * y)


def written(folder: Path, statements: list[str]) -> Callable[..., Any]:
    """A function of two arrays, x and y, with these statements, which change y; from a file."""
    path = folder / "line.py"
    text = "\n    ".join(["def line(x, y):", *statements, "return np.sum(y)"])
    path.write_text(f"import numpy as np\n\n\n{text}\n")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.line


@pytest.fixture(scope="module")
def layers() -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    rng = np.random.default_rng(5)
    return tuple((rng.normal(size=(8, 8)) / 3, rng.normal(size=8)) for _ in range(LAYERS))


X = np.random.default_rng(6).normal(size=(500, 8))


def test_a_network_without_a_loop_in_few_states(layers: Any) -> None:
    whole = rg.grad(network)
    want = whole(layers, X)
    assert whole.stats().tape_bytes > LAYERS * X.nbytes
    for states in (24, 16, 12):
        gradient = rg.grad(network, memory=states * X.nbytes)
        for _ in range(2):
            with rg.record() as run:
                found = gradient(layers, X)
            assert all(
                np.array_equal(a, b)
                for pair, other in zip(found, want, strict=True)
                for a, b in zip(pair, other, strict=True)
            )
            assert run.peak_bytes <= states * X.nbytes
        assert (run.leaves == 1) is (states == 24)


def test_layers_are_compiled_once(layers: Any) -> None:
    """However many there are: the first, the last, and those between."""
    counts: set[int] = set()
    for count in (12, LAYERS):
        args = (layers[:count], X)
        task = prepare(network, tuple(map(spec_of, args)), {}, True).task
        done = run_pipeline(POINTS, task.program, DEFAULT, check=True)
        counts.add(len(done.functions))
    assert counts == {4}


@pytest.mark.slow
def test_extents_are_not_handed_from_part_to_part(layers: Any) -> None:
    """So the first part is that of all layers, too."""
    task = prepare(residual, tuple(map(spec_of, (layers[:16], X))), {}, True).task
    done = run_pipeline((*OPTIMISE, *POINTS), task.program, DEFAULT, check=True)
    calls = [s for s in done.main.body.stms if isinstance(s.expr, Call)]
    assert len(calls) == 4
    assert len(done.functions) == 2
    assert not any(a.type.is_scalar for s in calls for a in (*s.expr.args, *s.outs))
    rg.check_grads(lambda x: residual(layers[:16], x), (X[:3],))


def test_derivatives_of_a_line_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With differences, and with one another, twice."""
    short_lines(monkeypatch, 2)
    line = written(tmp_path, ["y = y * y * x + 0.5"] * 4)
    x, y = np.linspace(0.5, 0.9, 7), np.linspace(-1.0, 1.0, 7)
    rg.check_grads(line, (x, y))
    product = rg.jit(lambda a, b: rg.jvp(rg.grad(line), (a, b), (b, a))[1])
    capped = rg.jit(lambda a, b: rg.jvp(rg.grad(line, memory="4kB"), (a, b), (b, a))[1])
    np.testing.assert_array_equal(product(x, y), capped(x, y))


def test_a_run_stops_between_parts(tmp_path: Path) -> None:
    line = written(tmp_path, [f"y = np.sin(y) * x + 0.{k}" for k in range(3 * MOST)])
    args = np.linspace(0.5, 0.9, 7), np.linspace(-1.0, 1.0, 7)
    assert rg.primops(line, *args) == 12
    capsule = rg.interrupt(line, *args, steps=2)
    seen = 0
    while isinstance(capsule, rg.Capsule):
        seen += 1
        capsule = rg.resume(capsule, steps=1)
    assert seen == 10
    assert capsule == rg.jit(line)(*args)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("way", ["jit", "grad", "budget", "interrupt"])
def test_errors_name_the_line(way: str, tmp_path: Path) -> None:
    """The parts are one function, but for the one with the sum that does not fit."""
    statements = [f"y = np.sin(y) * {k}.5" for k in range(4 * MOST)]
    statements[50] = "y = np.cos(y) + x"
    line = written(tmp_path, statements)
    ways: dict[str, Callable[..., Any]] = {
        "jit": rg.jit(line),
        "grad": rg.grad(line),
        "budget": rg.grad(line, memory="1kB"),
        "interrupt": lambda *args: rg.interrupt(line, *args, steps=1000),
    }
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        ways[way](np.ones(3), np.ones(4))
    (place,) = re.findall(r"line\.py:(\d+)", "\n".join(caught.value.__notes__))
    assert place == str(3 + 1 + 50 + 1)


def test_too_little_for_a_part_says_what_would_do(layers: Any) -> None:
    with pytest.raises(UserError, match="RG4004") as caught:
        rg.grad(network, memory=2 * X.nbytes)(layers, X)
    (more,) = re.findall(r"more: (\d+ kB) is enough$", str(caught.value))
    within = rg.grad(network, memory=more)
    got, want = within(layers, X), rg.grad(network)(layers, X)
    assert within.stats().peak_bytes <= 1000 * int(more.split()[0])
    for (got_weights, got_shift), (want_weights, want_shift) in zip(got, want, strict=True):
        assert np.array_equal(got_weights, want_weights)
        assert np.array_equal(got_shift, want_shift)
