"""A check of an invariant moved out of a loop, in front of what the loop had printed before it."""

import pytest

import retrograd as rg


def shown(x, n):
    total = 0.0
    for k in range(4):
        print("step", k)
        if n == 2:
            raise ValueError(n)
        total += x
    return total


def said(n):
    print("n", n)
    if n == 2:
        raise ValueError(n)
    return 1.0


def through_a_call(x, n):
    total = 0.0
    for _ in range(4):
        total += x * said(n)
    return total


@pytest.mark.parametrize("f", [shown, through_a_call])
@pytest.mark.parametrize("of", [rg.jit, rg.grad], ids=["jit", "grad"])
def test_output_comes_first(f, of, capsys):
    with pytest.raises(ValueError, match="2"):
        f(0.75, 2)
    want = capsys.readouterr().out
    with pytest.raises(ValueError, match="2"):
        of(f)(0.75, 2)
    assert capsys.readouterr().out == want != ""
