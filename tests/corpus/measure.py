"""One function: value and gradient by retrograd, against plain Python and differences."""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.errors import CompilerBug, RetrogradError
from tests.corpus.arguments import OF_OTHERS, Call, is_variable, written

__all__ = ["Outcome", "Probe", "Unsuitable", "measure", "probe"]


class Unsuitable(Exception):
    """A call without finite floats, or without derivatives that differences agree on."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A function of floats and of arrays of floats with one number as result.

    `loss` sums up, with weights, what the function gives; what is no float is an argument of
    `loss` only by its text. `slopes` and `errors` are differences and their estimated errors.
    """

    loss: Callable[..., Any]
    args: tuple[Any, ...]
    value: float
    slopes: tuple[float, ...]
    errors: tuple[float, ...]
    scale: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended: "works", "wrong", "refused", "slow", or "crash", and why."""

    kind: str
    why: str = ""


def probe(function: Callable[..., Any], call: Call, label: str) -> Probe:
    """The function as a loss at these arguments, with its differences.

    Raises:
        Unsuitable: there is nothing that could be differentiated here.
    """
    variables: list[Any] = []
    words: list[str] = []
    args, kwargs = call
    for name, value in [*(("", a) for a in args), *kwargs.items()]:
        if is_variable(value) or isinstance(value, np.ndarray):
            word = f"a{len(variables)}"
            variables.append(value)
        else:
            word = written(value)
        words.append(f"{name}={word}" if name else word)
    if not any(is_variable(v) for v in variables):
        raise Unsuitable("no float among the arguments")
    found = function(*_copies(args), **kwargs)
    weights: list[np.ndarray] = []
    terms = list(_terms(found, "r", weights))
    if not terms:
        raise Unsuitable("no float in the result")
    scope: dict[str, Any] = {"f": function, "np": np}
    scope |= {f"w{k}": w for k, w in enumerate(weights)}
    lines = [f"def loss({', '.join(f'a{k}' for k in range(len(variables)))}):",
             f"    r = f({', '.join(words)})", f"    return {' + '.join(terms)}"]  # fmt: skip
    loss = _defined("\n".join(lines) + "\n", scope, label)
    flat = np.concatenate([np.ravel(_flat(v)) for v in variables])
    _, scale = _size(found)
    if not np.isfinite(scale):
        raise Unsuitable("not finite")
    places = [k for k, (_, moves) in enumerate(_elements(variables)) if moves]
    value = float(_at(loss, variables, flat))
    slopes, errors = zip(*(_slope(loss, variables, flat, k, scale) for k in places), strict=True)
    if not any(abs(s) > 1e-9 * (scale + 1e-300) for s in slopes):
        raise Unsuitable("does not depend on its arguments")
    return Probe(loss, tuple(variables), value, slopes, errors, scale)


def _defined(text: str, scope: dict[str, Any], label: str) -> Callable[..., Any]:
    file = f"<{label}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), scope)
    return scope["loss"]


def _terms(value: Any, path: str, weights: list[np.ndarray]) -> Iterator[str]:
    """The terms of the loss, with a weight for each float of a result."""
    match value:
        case bool() | int() | str() | None | np.integer() | np.bool_():
            return
        case float() | np.floating():
            yield f"{np.cos(1.0 + len(path)):.3f} * {path}"
        case np.ndarray() if value.dtype == np.float64 and value.ndim < 4:
            if value.ndim == 0:
                yield f"{np.cos(1.0 + len(path)):.3f} * {path}"
                return
            weights.append(np.cos(1.0 + np.arange(value.size)).reshape(value.shape))
            yield f"np.sum({path} * w{len(weights) - 1})"
        case np.ndarray() if value.dtype.kind in "ib" and value.ndim < 4:
            return
        case tuple() | list():
            for k, item in enumerate(value):
                yield from _terms(item, f"{path}[{k}]", weights)
        case _:
            raise Unsuitable(f"the result has a {type(value).__name__}")


def _size(value: Any) -> tuple[int, float]:
    """How many floats a result has, and the sum of their absolute values."""
    if isinstance(value, tuple | list):
        parts = [_size(v) for v in value]
        return sum(n for n, _ in parts), sum(s for _, s in parts)
    if isinstance(value, float | np.floating | np.ndarray) and np.asarray(value).dtype.kind == "f":
        return np.size(value), float(np.sum(np.abs(value)))
    return 0, 0.0


def _flat(value: Any) -> list[float]:
    if isinstance(value, tuple | list):
        return [x for v in value for x in _flat(v)]
    return np.asarray(value, dtype=float).ravel().tolist()


def _elements(values: Any) -> Iterator[tuple[float, bool]]:
    for value in values:
        yield from ((x, is_variable(value)) for x in _flat(value))


def _filled(value: Any, flat: list[float]) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_filled(v, flat) for v in value)
    if isinstance(value, np.ndarray):
        taken = [flat.pop(0) for _ in range(value.size)]
        return np.array(taken).astype(value.dtype).reshape(value.shape)
    return flat.pop(0)


def _copies(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)


def _at(loss: Callable[..., Any], like: list[Any], flat: np.ndarray) -> float:
    rest = flat.tolist()
    return float(loss(*(_filled(v, rest) for v in like)))


def _slope(
    loss: Callable[..., Any], like: list[Any], flat: np.ndarray, k: int, scale: float
) -> tuple[float, float]:
    """A central difference of fourth order, and the error that two steps let expect."""

    def side(step: float) -> tuple[float, float]:
        moved = flat.copy()
        moved[k] += step
        return _at(loss, like, moved), moved[k]

    def difference(step: float) -> float:
        (above, right), (below, left) = side(step), side(-step)
        return (above - below) / (right - left)

    size = abs(flat[k]) or 1.0
    found = []
    for step in (1e-3 * size, 1e-4 * size):
        coarse, fine = difference(step), difference(step / 2)
        found.append((fine + (fine - coarse) / 3, abs(fine - coarse)))
    best = min(found, key=lambda pair: pair[1])
    (above, right), (here, place), (below, left) = side(1e-5 * size), side(0.0), side(-1e-5 * size)
    kink = abs((above - here) / (right - place) - (here - below) / (place - left))
    if kink > 1e-2 * abs(best[0]) + 1e-5 * scale / size:
        raise Unsuitable("a kink")
    gap = abs(found[0][0] - found[1][0])
    noise = 1e-12 * scale / (1e-4 * size)
    error = min(gap, best[1]) + noise
    if not np.isfinite(best[0]) or error > 1e-4 * abs(best[0]) + 1e-6 * scale / size:
        raise Unsuitable("differences do not agree")
    return best[0], error


def measure(probed: Probe) -> Outcome:
    """Value and gradient by retrograd, compared."""
    argnums = tuple(k for k, a in enumerate(probed.args) if is_variable(a))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value, bars = rg.value_and_grad(probed.loss, argnums=argnums)(*probed.args)
    except CompilerBug as error:
        return Outcome("crash", _first(error))
    except RetrogradError as error:
        return Outcome("refused", _first(error))
    except OF_OTHERS as error:
        return Outcome("crash", f"{type(error).__name__}: {_first(error)}")
    if abs(value - probed.value) > 1e-9 * (probed.scale + abs(probed.value)) + 1e-300:
        return Outcome("wrong", f"value {value!r}, Python {probed.value!r}")
    found = _flat(list(bars))
    for k, (one, slope, error) in enumerate(zip(found, probed.slopes, probed.errors, strict=True)):
        if not abs(one - slope) <= 1e-5 * abs(slope) + 20 * error:
            return Outcome("wrong", f"slope {k}: {one!r}, differences {slope!r} +- {error:.1e}")
    return Outcome("works")


def _first(error: BaseException) -> str:
    """The first line of an error, with the file's place inside of its package."""
    return str(error).partition("\n")[0].rpartition("site-packages/")[2]
