"""Context managers of the user, and settings of modules that are assigned for a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

# pyright: reportDeprecated=false

MODE = "plain"
FLAG = False


def mode_now() -> str:
    return MODE


def put(mode: str) -> None:
    global MODE  # noqa: PLW0603
    if mode not in ("plain", "double", "square"):
        raise ValueError(mode)
    MODE = mode


def apply(x: Any) -> Any:
    if MODE == "double":
        return 2.0 * x
    if MODE == "square":
        return x * x
    return x


class Mode:
    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.before = mode_now()

    def __enter__(self) -> Any:
        put(self.mode)
        return self

    def __exit__(self, *args: Any) -> None:
        put(self.before)


class Tally:
    def __init__(self) -> None:
        self.depth = 0
        self.total = 0.0

    def __enter__(self) -> Any:
        self.depth += 1
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.depth -= 1
        self.total *= 2.0

    def add(self, v: Any) -> None:
        self.total += v * self.depth


@contextmanager
def scaled(values: Any, factor: float) -> Iterator[Any]:
    values *= factor
    yield values
    values /= factor


@contextmanager
def flagged(value: bool) -> Iterator[None]:
    global FLAG  # noqa: PLW0603
    before = FLAG
    FLAG = value
    try:
        yield
    finally:
        FLAG = before


@contextmanager
def counted(n: Any) -> Iterator[Any]:
    k = n
    k = k + 1.0
    yield k
    k = k * 2.0
    last = k
    n = last


def setting(x: Any) -> Any:
    y = apply(x)
    with Mode("square"):
        y = y + apply(x)
    return y + apply(x)


def left_early(x: Any) -> Any:
    with Mode("double"):
        with Mode("square"):
            if x > 1.0:
                return apply(x)
        z = apply(x)
    return z + apply(x)


def in_a_loop(x: Any) -> Any:
    s = 0.0
    for k in range(4):
        with Mode("square"):
            if k == 2:
                break
            if k == 0:
                continue
            s += apply(x + k)
        s += apply(x)
    return s + apply(x)


def of_arrays(x: Any) -> Any:
    a = np.array([x, 2.0 * x])
    with scaled(a, 3.0) as b:
        total = np.sum(b**2)
    return total + a[0]


def flags(x: Any) -> Any:
    s = 0.0
    with flagged(True):
        for k in range(3):
            s += x * k if FLAG else x
    return s + (1.0 if FLAG else x)


def again(x: Any) -> Any:
    tally = Tally()
    for _ in range(3):
        with tally:
            tally.add(x)
            with tally as inner:
                inner.add(x * x)
    return tally.total + tally.depth


def several(x: Any) -> Any:
    with counted(x) as k, Mode("double"):
        return apply(k)


def caught(x: Any) -> Any:
    try:
        with Mode("square"):
            if x > 1.0:
                raise ValueError("large")
            y = apply(x)
    except ValueError:
        y = apply(x) * 3.0
    return y + apply(x)


def raised_by_itself(x: Any) -> Any:
    tally, w = Tally(), [x, 1.0]
    try:
        with tally as own:
            own.add(x)
            own.add(w[int(2.0 * x)])
            own.add(x * x)
    except IndexError:
        x = x * 3.0
    return x + tally.total * (tally.depth + 1.0)


class Watch:
    """Looks at exceptions, but lets them pass."""

    def __init__(self) -> None:
        self.seen = 0.0

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if kind is None:
            self.seen += 1.0
        return False


def watched(x: Any) -> Any:
    watch = Watch()
    for k in range(3):
        with watch as same:
            x = x * (same.seen + 1.0)
            if x < k:
                return x + watch.seen
    return x * watch.seen


def squared() -> Mode:
    return Mode("square")


def of_a_function(x: Any) -> Any:
    with squared():
        return apply(x)


class Settings:
    def __init__(self, factor: Any) -> None:
        self.factor = factor

    @contextmanager
    def local(self, factor: Any) -> Iterator[Any]:
        before, self.factor = self.factor, factor
        try:
            yield self
        finally:
            self.factor = before


def of_a_method(x: Any) -> Any:
    own = Settings(x)
    for k in range(3):
        with own.local(own.factor * x) as same:
            x = x + same.factor
            if x > k + 3.0:
                break
        x = x * own.factor
    return x * own.factor


def steps(x: Any) -> Any:
    while advance(x) < 3.0:
        x = x + 1.0
    return x


def advance(x: Any) -> Any:
    with Mode("double"):
        return apply(x)


def derived(x: Any) -> Any:
    y = rg.grad(apply)(x)
    with Mode("square"):
        y = y + rg.grad(apply)(x)
    return y + rg.grad(setting)(x)


def not_entered(x: Any) -> Any:
    try:
        with Mode("nonsense"):
            y = apply(x)
    except ValueError:
        y = apply(x) * 3.0
    return y


ALL = [
    setting, left_early, in_a_loop, of_arrays, flags, again, several, caught, not_entered,
    raised_by_itself, of_a_method, watched, of_a_function, steps,
]  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", ALL)
def test_values_and_gradients_are_those_of_python(f: Any) -> None:
    for x in (0.7, 1.3):
        agree(f, x)
    assert rg.check_grads(f, (0.7,), 1).ok
    assert (MODE, FLAG) == ("plain", False)


def test_derivatives_under_a_setting() -> None:
    assert rg.jit(derived)(0.7) == 1.0 + 2.0 * 0.7 + (2.0 + 2.0 * 0.7)


def test_a_context_that_is_left_early_in_little_memory() -> None:
    assert rg.jit(left_early)(1.3) == left_early(1.3)
    assert rg.grad(left_early, memory="10kB")(1.3) == rg.grad(left_early)(1.3)


def kept(x: Any) -> Any:
    put("double")
    return apply(x)


def on_one_path(x: Any) -> Any:
    if x > 0.0:
        put("double")
    y = apply(x)
    put("plain")
    return y


class Swallows:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        return kind is ValueError


def swallowing(x: Any) -> Any:
    with Swallows():
        x = x * 2.0
    return x


class Raises:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        raise ValueError


def raising(x: Any) -> Any:
    with Raises():
        return x


def looking(x: Any) -> Any:
    try:
        with Watch() as watch:
            if x > 1.0:
                raise ValueError("large")
    except ValueError:
        x = x * 2.0
    return x + watch.seen


def unprotected(x: Any) -> Any:
    a = np.array([x])
    try:
        with scaled(a, 2.0):
            if x > 1.0:
                raise ValueError("large")
    except ValueError:
        pass
    return a[0]


def of_nothing(x: Any) -> Any:
    with x:
        return x


class Speaks:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        print("done")


def loud(x: Any) -> Any:
    with Speaks():
        if x > 1.0:
            raise ValueError("large")
    return x


def leaves_it_set(x: Any) -> Any:
    return rg.grad(kept)(x)


@contextmanager
def two_yields() -> Iterator[int]:
    yield 1
    yield 2


def of_two(x: Any) -> Any:
    with two_yields() as k:
        x = x * k
    return x


def number_in_a_global(x: Any) -> Any:
    global MODE  # noqa: PLW0603
    MODE = x
    return x


@pytest.mark.parametrize("f", [kept, on_one_path, number_in_a_global])
def test_what_is_left_in_a_module_is_written_back(f: Any) -> None:
    global MODE  # noqa: PLW0603
    before, told = MODE, []
    for call in (f, rg.jit(f)):
        found = call(2.0)
        told.append((found, MODE))
        MODE = before
    assert told[0] == told[1]
    assert rg.grad(f)(2.0) > 0.0
    assert before == MODE


@pytest.mark.parametrize(
    ("f", "code", "words"),
    [
        (swallowing, "RG0127", "swallow"),
        (raising, "RG0127", "swallow or raise"),
        (looking, "RG0127", "look at"),
        (unprotected, "RG0127", "inside of a `try`"),
        (of_nothing, "RG0127", "do it around the call"),
        (loud, "RG0127", "`finally` that prints"),
        (of_two, "RG0127", "`yield`"),
    ],
)
def test_refusals(f: Any, code: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as found:
        rg.jit(f)(1.5)
    assert found.value.code == code
    assert MODE == "plain"


def test_another_setting_outside_is_another_program() -> None:
    compiled = rg.jit(setting)
    assert compiled(1.5) == setting(1.5)
    put("double")
    try:
        assert compiled(1.5) == setting(1.5)
    finally:
        put("plain")
    assert compiled(1.5) == setting(1.5)
