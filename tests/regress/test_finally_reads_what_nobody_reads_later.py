"""`finally` reads a variable that is not read after the `try`: handlers had forgotten it."""

import pytest

import retrograd as rg


def after_a_handler(x, n):
    z, seen = 0.75 * x, [x, 1.0]
    try:
        x = x / n
    except ZeroDivisionError:
        x = seen[n]
    finally:
        z = z * 1.25
        seen.append(z)
    return x + len(seen)


@pytest.mark.parametrize("n", [0, 2])
def test_value_and_slope(n):
    assert rg.jit(after_a_handler)(0.5, n) == after_a_handler(0.5, n)
    assert rg.grad(after_a_handler)(0.5, n) == (1.0 if n == 0 else 0.5)
