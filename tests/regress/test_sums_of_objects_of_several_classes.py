"""A sum over a short range was refused where its total changes its class from item to item.

A loop that adds is translated one iteration after the other then; so are `sum(.. for ..)` and
`sum([.. for ..])`.
"""

from __future__ import annotations

import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false


class Term:
    def __radd__(self, other):
        return Total(other, self)

    def __add__(self, other):
        return Total(self, other)


class Power(Term):
    def __init__(self, k):
        self.k = k

    def at(self, x):
        return x**self.k / (self.k + 1)


class Total(Term):
    def __init__(self, one, two):
        self.one, self.two = one, two

    def at(self, x):
        one = self.one.at(x) if isinstance(self.one, Term) else self.one
        return one + self.two.at(x)


def of_terms(x, n=4):
    return sum(Power(k) for k in range(n)).at(x) * sum([Power(k) for k in range(3)]).at(x)


def test_a_sum_of_terms() -> None:
    assert rg.jit(of_terms)(0.7) == pytest.approx(of_terms(0.7))
    slope = (of_terms(0.7 + 1e-6, 4) - of_terms(0.7 - 1e-6, 4)) / 2e-6
    assert rg.grad(lambda x: of_terms(x))(0.7) == pytest.approx(slope)
