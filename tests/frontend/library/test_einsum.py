"""`np.einsum`: subscripts that do not fit, extents that differ, random ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import retrograd as rg
from retrograd.errors import Limitation, UserError
from retrograd.frontend.library.plain.einsum import einsum
from tests.frontend.harness import interpreted

A = np.arange(12.0).reshape(3, 4)


def too_many(x: Any) -> Any:
    return np.einsum("ijk->ij", x)


def unknown_output(x: Any) -> Any:
    return np.einsum("ij->ik", x)


def twice_in_output(x: Any) -> Any:
    return np.einsum("ij->ii", x)


def lost_dots(x: Any) -> Any:
    return np.einsum("...i->i", x)


def one_operand_too_few(x: Any) -> Any:
    return np.einsum("ij,jk", x)


def sublists(x: Any) -> Any:
    return np.einsum(x, [0, 1])


def into(x: Any) -> Any:
    return np.einsum("ij->i", x, out=np.zeros(3))


def test_out() -> None:
    assert np.array_equal(rg.jit(into)(A[:3]), into(A[:3]))


def ten_axes(x: Any) -> Any:
    return np.einsum("ij,kl,mn,op,qr->ijklmnopqr", x, x, x, x, x)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (too_many, "does not fit an operand with 2 axes"),
        (unknown_output, "in no operand"),
        (twice_in_output, "is there twice"),
        (lost_dots, "are lost"),
        (one_operand_too_few, "2 operands are described, 1 are given"),
        (sublists, "without subscripts"),
        (ten_axes, "more than 8 axes"),
    ],
)
def test_refused(f: Any, text: str) -> None:
    with pytest.raises(UserError, match=text):
        rg.jit(f)(A)


def test_extents_that_differ() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.einsum("ij,jk->ik", x, y)

    with pytest.raises(ValueError, match="could not be broadcast"):
        rg.jit(f)(A, A)


def _random_subscripts(rng: np.random.Generator) -> str:
    count = rng.integers(1, 4)
    words = ["".join(rng.choice(list("ijkl"), rng.integers(1, 4))) for _ in range(count)]
    letters = sorted(set("".join(words)))
    rng.shuffle(letters)
    return f"{','.join(words)}->{''.join(letters[: rng.integers(0, 4)])}"


@pytest.mark.parametrize("seed", range(60))
def test_random_subscripts_in_plain_python(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text, operands = _drawn(rng)
    assert_allclose(einsum(text, *operands), np.einsum(text, *operands), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_random_subscripts(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    text, operands = _drawn(rng)

    def f(*xs: Any) -> Any:
        return np.einsum(text, *xs)

    assert_allclose(interpreted(f, *operands), np.einsum(text, *operands), rtol=1e-12, atol=1e-12)


def _drawn(rng: np.random.Generator) -> tuple[str, list[np.ndarray]]:
    """Subscripts of which no intermediate result has too many axes."""
    extents = {"i": 2, "j": 3, "k": 4, "l": 1}
    while True:
        text = _random_subscripts(rng)
        words = text.partition("->")[0].split(",")
        operands = [rng.normal(size=[extents[x] for x in word]) for word in words]
        try:
            einsum(text, *operands)
        except Limitation:
            continue
        return text, operands


def test_axes_of_dots_are_broadcast() -> None:
    def scores(a: Any, b: Any) -> Any:
        return (
            np.einsum("...d,...d->...", a[:, None, :], b[None, :, :])
            + np.einsum("...ij,...jk->...ik", a[:, None, None], b.T[None])[:, :, 0].sum()
        )

    b = np.cos(np.arange(8.0)).reshape(2, 4)
    assert_allclose(rg.jit(scores)(A, b), scores(A, b), rtol=1e-14)
    assert rg.check_grads(lambda a, b: np.sum(scores(a, b) ** 2), (A / 10.0, b), 1).ok
    with pytest.raises(ValueError, match="broadcast"):
        rg.jit(lambda a: np.einsum("...d,...d->...", a, a[:2]))(A)
