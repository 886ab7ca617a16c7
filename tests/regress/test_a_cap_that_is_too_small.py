"""A cap that was too small named itself as what would do: "60 kB are too little", "about 60 kB"."""

from __future__ import annotations

import numpy as np

import retrograd as rg
from retrograd.errors import UserError


def line(x):
    """What is known of a step that does not fit is that it takes more than there was."""
    y = x
    y = np.sin(y) * x + 0.1
    y = np.cos(y) * x + 0.2
    y = np.sin(y) * x + 0.3
    y = np.cos(y) * x + 0.4
    y = np.sin(y) * x + 0.5
    y = np.cos(y) * x + 0.6
    return np.sum(y * y)


def descent(x, slope):
    for _ in range(3):
        x = x - 0.05 * slope(x)
    return np.sum(x * x)


def test_each_refusal_names_more_until_it_is_enough() -> None:
    x = np.linspace(-1.0, 1.0, 200)
    cap, refusals = 2000, 0
    while True:
        slope = rg.grad(line, memory=cap)
        try:
            found = rg.jit(lambda x, slope=slope: descent(x, slope))(x)
            break
        except UserError as error:
            named = str(error.way_out).removeprefix("give it more: perhaps ")
        number, unit = named.split()
        more = round(float(number) * {"B": 1, "kB": 1000}[unit])
        assert more > cap
        cap, refusals = more, refusals + 1
    assert found == rg.jit(lambda x: descent(x, rg.grad(line)))(x)
    assert 0 < refusals < 8
