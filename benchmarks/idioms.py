"""Ten whole-array idioms: values against NumPy, which runs the same function, and gradients against
JAX.

What is differentiated is the sum of the cubes of the results. JAX has the same functions with its
own `np`, but one: it has no assignment by a mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from benchmarks import adapter, jax_rival
from benchmarks.figures import Bounds, Figure
from benchmarks.problems.base import Arguments
from benchmarks.programs import idioms as programs
from benchmarks.timing import Run, interleave
from benchmarks.validate import WrongGradient

__all__ = ["IDIOMS", "Idiom", "idioms"]

Data = Callable[[np.random.Generator, int], Arguments]


@dataclass(frozen=True, slots=True)
class Idiom:
    """A program of NumPy.

    Attributes:
        program: the function.
        argnums: the arguments that are differentiated.
        data: arguments for a generator and a factor of the size.
        jax: the function in JAX, where it is another; it takes JAX's `np` first.
    """

    program: Callable[..., Any]
    argnums: tuple[int, ...]
    data: Data
    jax: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        return self.program.__name__


def _masked_in_jax(np_: Any, x: Any) -> Any:
    y = x * 1.5
    return np_.where(y < 0.0, y * 0.1, y)


def _options(rng: np.random.Generator, k: int) -> Arguments:
    n = 2000 * k
    spot, strike = (rng.uniform(80.0, 120.0, n) for _ in range(2))
    return spot, strike, rng.uniform(0.2, 2.0, n), 0.03, rng.uniform(0.1, 0.5, n)


def _classes(rng: np.random.Generator, k: int) -> Arguments:
    targets = np.eye(20)[rng.integers(0, 20, 100 * k)]
    return rng.normal(size=(100 * k, 20)), targets


IDIOMS = (
    Idiom(programs.unit_rows, (0,), lambda rng, k: (rng.normal(size=(200 * k, 16)),)),
    Idiom(
        programs.distances, (0, 1),
        lambda rng, k: (rng.normal(size=(20 * k, 8)), rng.normal(size=(20 * k, 8))),
    ),
    Idiom(programs.cross_entropy, (0,), _classes),
    Idiom(
        programs.horner, (0, 1), lambda rng, k: (rng.uniform(size=3000 * k), rng.normal(size=8))
    ),
    Idiom(programs.moving_average, (0,), lambda rng, k: (rng.normal(size=5000 * k),)),
    Idiom(programs.masked, (0,), lambda rng, k: (rng.normal(size=5000 * k),), _masked_in_jax),
    Idiom(
        programs.layers, (0, 1, 2),
        lambda rng, k: tuple(rng.normal(size=(20 * k, 20 * k)) / 10.0 for _ in range(3)),
    ),
    Idiom(programs.laplacian, (0,), lambda rng, k: (rng.normal(size=(30 * k, 30 * k)),)),
    Idiom(programs.black_scholes, (0, 4), _options),
    Idiom(programs.log_sums, (0,), lambda rng, k: (rng.normal(size=(100 * k, 20)),)),
)  # fmt: skip
"""In the order of the table."""


def _loss(program: Callable[..., Any]) -> Callable[..., Any]:
    def loss(*arguments: Any) -> Any:
        made = program(*arguments)
        return np.sum(made * made * made)

    return loss


def _in_jax(idiom: Idiom, arguments: Arguments) -> Run:
    """The gradient of the same loss; its data are JAX's already."""
    jax = jax_rival.configured_jax()
    jnp: Any = jax.numpy
    other = idiom.jax
    assert isinstance(idiom.program, FunctionType)
    names = idiom.program.__globals__ | {"np": jnp, "erf": jax.scipy.special.erf}
    same = FunctionType(idiom.program.__code__, names)

    def loss(*given: Any) -> Any:
        made = same(*given) if other is None else other(jnp, *given)
        return jnp.sum(made * made * made)

    both = jax.jit(jax.value_and_grad(loss, argnums=idiom.argnums))
    held = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    return lambda: jax.block_until_ready(both(*held))


def _check(name: str, found: Any, expected: Any) -> None:
    size = float(np.max(np.abs(expected)))
    error = float(np.max(np.abs(np.asarray(found) - np.asarray(expected))))
    if not error <= 1e-9 * size:
        raise WrongGradient(f"{name}: {error:.1e} off, of {size:.1e}")


def idioms(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """Times, after values have been compared with NumPy's, and gradients with a difference quotient
    and with JAX's."""
    for idiom in IDIOMS:
        yield from _figures(idiom, bounds, quick)


def _figures(idiom: Idiom, bounds: Bounds, quick: bool) -> Iterator[Figure]:
    effort = (5, 0.002) if quick else (15, 0.01)
    name, program = idiom.name, idiom.program
    arguments = idiom.data(np.random.default_rng(14), 2 if quick else 10)

    def against(kind: str, ours: Run, rival: Run) -> Figure:
        pair, bar = interleave(ours, rival, *effort), bounds.bar(kind, name)
        return Figure(kind, name, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, bar=bar)

    compiled = adapter.primal(program)
    _check(name, compiled(*arguments), program(*arguments))
    yield against("idiom_over_numpy", lambda: compiled(*arguments), lambda: program(*arguments))
    gradient = adapter.gradient(_loss(program), idiom.argnums)
    _, found = gradient(*arguments)
    _along_a_line(idiom, arguments, found)
    if jax_rival.available():
        rival = _in_jax(idiom, arguments)
        for ours, theirs in zip(found, rival()[1], strict=True):
            _check(name, ours, np.asarray(theirs))
        yield against("idiom_over_jax", lambda: gradient(*arguments), rival)


def _along_a_line(idiom: Idiom, arguments: Arguments, found: Any) -> None:
    """Compares a gradient with a difference quotient along itself."""
    loss, step = _loss(idiom.program), 1e-5
    size = np.sqrt(sum(float(np.sum(bar * bar)) for bar in found))

    def at(where: float) -> float:
        moved = list(arguments)
        for k, bar in zip(idiom.argnums, found, strict=True):
            moved[k] = arguments[k] + where * bar / size
        return float(loss(*moved))

    slope = (at(step) - at(-step)) / (2.0 * step)
    if not abs(slope - size) <= 1e-4 * size:
        raise WrongGradient(f"{idiom.name}: slope {slope:.9g}, gradient {size:.9g}")
