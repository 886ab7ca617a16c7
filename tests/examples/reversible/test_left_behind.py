"""What is left behind: results, what the stack has then, and that it is empty in the end."""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.left_behind import halved, main, mean, root, root_of, squared_mean

X = np.array([1.0, 2.0, 6.0])


def test_the_mean() -> None:
    s = rg.stack(1)
    assert mean(s, 0.0, X) == 3.0
    assert s.items.tolist() == [9.0]
    assert rg.inverse(mean)(s, 3.0, X) == 0.0
    assert s.count == 0
    np.testing.assert_allclose(rg.grad(squared_mean)(X), np.full(3, 2.0), rtol=1e-14)


@pytest.mark.parametrize("n", [0, 1, 37, 201, 255])
def test_the_bits(n: int) -> None:
    bits = rg.stack(8, like=0)
    assert halved(bits, n, 8) == 0
    assert bits.items.tolist() == [int(bit) for bit in f"{n:08b}"[::-1]]
    assert rg.inverse(halved)(bits, 0, 8) == n
    assert bits.count == 0


def test_the_root() -> None:
    iterates = rg.stack(6)
    assert abs(root(iterates, 1.0, 2.0, 6) - math.sqrt(2.0)) < 1e-15
    assert iterates.items[:2].tolist() == [1.0, 1.5]
    assert rg.inverse(root)(iterates, math.sqrt(2.0), 2.0, 6) == 1.0
    assert abs(rg.grad(root_of)(2.0, 6) - 0.5 / math.sqrt(2.0)) < 1e-14


def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick"])
    assert "left behind" in capsys.readouterr().out
