"""`max` and `min` by a key, and `map` and `filter` where they are consumed."""

import math

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, interpreted


class Part:
    def __init__(self, x):
        self.x = x


def by_key(x, xs):
    parts = [Part(x), Part(2.0 * x), Part(-3.0 * x)]
    first = max(parts, key=lambda one: one.x)
    last = min(parts, key=lambda one: abs(one.x))
    place = max(range(len(xs)), key=lambda k: xs[k] * x)
    return first.x + 10.0 * last.x + xs[place] + max(x, -4.0 * x, 3.0, key=abs) + min(xs, key=abs)


def mapped(x, xs):
    total = sum(map(lambda a: a * x, xs)) + sum(map(math.sin, (x, 2.0 * x)))
    total += sum(filter(lambda a: a > 1.5, (x, 2.0 * x, 3.0 * x)))
    items = list(map(lambda a, b: a * b + x, xs, range(3)))
    total += 1.0 if any(map(lambda a: a > 100.0, xs)) else 0.5
    return total + items[2] + max(map(abs, xs))


def interleaved(x, xs):
    """What `map` and `filter` read is what the loop's body has left there."""
    scale, total = x, 0.0
    for value in map(lambda a: a * scale, xs):
        scale = scale + 0.5 * value
        if value > 1e6:
            break
    for k, value in enumerate(xs):
        total += k * value
    for one in filter(lambda a: a < total, (x, 3.0 * x, 100.0 * x)):
        if one > 2.0 * x:
            continue
        total -= one
    return scale + total


def unpacked(x, xs):
    a, (b, c) = map(lambda v: (v * x, v), (xs[:2], xs[1]))
    p, *rest = map(np.asarray, [x, x * xs[0], 2.0])
    u, v, w = map(np.sin, xs * x)
    s, t = filter(lambda v: v > -100.0, (x, x * x))
    return np.sum(a[0] * a[1]) + b * c + p * rest[0] * rest[1] + u * v * w + s * t


CASES = [(unpacked, 1.25), (by_key, 1.5), (by_key, -0.5), (mapped, 1.25), (interleaved, 0.75)]
XS = np.array([0.5, -2.0, 4.0])


@pytest.mark.parametrize(("f", "x"), CASES)
def test_as_in_python(f, x):
    agree(f, x, XS)
    value, slope = rg.value_and_grad(f)(x, XS)
    assert value == pytest.approx(f(x, XS), rel=1e-12)
    assert slope == pytest.approx((f(x + 1e-6, XS) - f(x - 1e-6, XS)) / 2e-6, rel=1e-6)


def of_nothing(xs):
    return max(xs[:0], key=abs)


def under_a_name(x):
    doubled = map(lambda a: 2.0 * a, (x, x))
    return sum(doubled)


def too_few(x):
    a, b = map(np.sin, (x,))
    return a * b


def test_bad_input():
    with pytest.raises(UserError, match="RG0104"):
        interpreted(too_few, 1.0)
    agree(of_nothing, XS)
    agree(under_a_name, 1.0)
