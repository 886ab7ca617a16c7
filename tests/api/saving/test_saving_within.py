"""Budgets as policies: what is chosen is within the bytes, and near the best choice there is."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api import products
from retrograd.api.saving.values_to_save import Value, again, values_to_save
from tests.random.harness import bits_of

policies = rg.checkpoint_policies
SIDE, WIDTH = 32, 16
ONE = 8 * SIDE * WIDTH


def some_values(seed: int, count: int = 10) -> list[Value]:
    draw = random.Random(seed)
    return [
        Value(
            str(k), float(draw.randrange(1, 40)),
            tuple(str(p) for p in range(k) if draw.random() < 0.3),
            draw.choice([None, 8, 24, 80]),
        )
        for k in range(count)
    ]  # fmt: skip


def best_of_all(values: list[Value], room: int) -> float:
    offered = [v for v in values if v.bytes is not None]
    return min(
        again(values, frozenset(v.number for v in chosen))
        for count in range(len(offered) + 1)
        for chosen in combinations(offered, count)
        if sum(v.bytes or 0 for v in chosen) <= room
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_best_choice_is_found(seed: int) -> None:
    values = some_values(seed)
    for room in (0, 30, 100, 1000):
        chosen = values_to_save(values, room)
        assert sum(v.bytes or 0 for v in values if v.number in chosen) <= room
        assert again(values, chosen) == best_of_all(values, room)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(4))
def test_of_many_values_nearly_the_best_are_taken(seed: int) -> None:
    """What is done again is within a tenth of the best choice's, but for one value in parts.

    A choice that takes values by what they spare for each byte does it several times as much.
    """
    draw = random.Random(seed)
    values = [
        Value(
            str(k), float(draw.choice([1, 4, 20, 250, 1000])),
            tuple(sorted({str(draw.randrange(max(0, k - 6), k)) for _ in range(2)}) if k else ()),
            draw.choice([None, 8, 24, 80]),
        )
        for k in range(250)
    ]  # fmt: skip
    every = sum(v.bytes or 0 for v in values)
    for share in (0.1, 0.3, 0.5, 0.8):
        room = int(share * every)
        chosen = values_to_save(values, room, exact=0)
        assert sum(v.bytes or 0 for v in values if v.number in chosen) <= room
        assert again(values, chosen) <= 1.1 * again(values, values_to_save(values, room)) + 20.0


def test_more_room_never_means_more_operations() -> None:
    for seed in range(6):
        values = some_values(seed, 14)
        found = [again(values, values_to_save(values, room)) for room in range(0, 200, 20)]
        assert found == sorted(found, reverse=True)


def three_products(a: Any, b: Any, c: Any, x: Any) -> Any:
    for w in (a, b, c):
        x = np.sin(w @ x)
    return np.sum(x)


def three() -> tuple[Any, ...]:
    rng = np.random.default_rng(3)
    weights = (rng.standard_normal((SIDE, SIDE)) / 6 for _ in range(3))
    return (*weights, rng.standard_normal((SIDE, WIDTH)))


def tapes(gradient: Callable[..., Any], args: tuple[Any, ...], expected: Any) -> list[int]:
    """Bytes on the tape of the first and of the second call, whose bits are those expected."""
    found = list[int]()
    for _ in range(2):
        assert bits_of(lambda: gradient(*args)) == bits_of(lambda: expected)
        found.append(gradient.stats().tape_bytes)
    return found


def with_value(fun: Any) -> Any:
    return rg.value_and_grad(fun, (0, 1, 2))


def test_nothing_is_saved_where_that_spares_nothing() -> None:
    """A gradient without the value calculates values only once, of which none are saved: with one
    of them saved what is before it would be calculated twice."""
    args = three()
    expected = rg.grad(three_products, (0, 1, 2))(*args)
    least = rg.grad(rg.checkpoint(three_products), (0, 1, 2))
    least(*args)
    policy = policies.budget(least.stats().peak_bytes + ONE + 1000)
    gradient = rg.grad(rg.checkpoint(three_products, policy=policy), (0, 1, 2))
    assert tapes(gradient, args, expected) == [0, 0]


def test_around_the_whole_the_number_bounds_the_peak() -> None:
    args = three()
    expected = with_value(three_products)(*args)
    least = with_value(rg.checkpoint(three_products))
    least(*args)
    peak = least.stats().peak_bytes
    sizes = list[int]()
    for extra in (1, 3, 8):
        budget = peak + extra * ONE + 1000
        policy = policies.budget(budget)
        gradient = with_value(rg.checkpoint(three_products, policy=policy))
        first, second = tapes(gradient, args, expected)
        assert first == 0
        assert gradient.stats().peak_bytes <= budget
        sizes.append(second // ONE)
    assert sizes[0] == 1
    assert sizes[1] == 3
    assert sizes[2] >= 3


def test_too_small_a_number_is_refused_with_one_that_works() -> None:
    gradient = rg.grad(rg.checkpoint(three_products, policy=policies.budget("20kB")), (0, 1, 2))
    with pytest.raises(rg.UserError, match="RG4004") as caught:
        gradient(*three())
    assert "is enough" in str(caught.value)


@pytest.mark.parametrize(("budget", "saved"), [(100, 0), (ONE + 200, 1)])
def test_on_an_inner_function_it_bounds_what_one_call_records(budget: int, saved: int) -> None:
    layer = rg.checkpoint(lambda w, x: x + np.sin(x @ w), policy=policies.budget(budget))

    def loss(ws: Any, x: Any) -> Any:
        for w in ws:
            x = layer(w, x)
        return np.sum(x * x)

    rng = np.random.default_rng(3)
    args = rng.standard_normal((6, SIDE, SIDE)) / 6, rng.standard_normal((WIDTH, SIDE))
    gradient = rg.grad(loss)
    first = gradient(*args).tobytes()
    before = gradient.stats().tape_bytes
    assert gradient(*args).tobytes() == first
    assert (gradient.stats().tape_bytes - before) // ONE == 6 * saved


def test_a_number_of_iterations_counts_as_an_extent_does() -> None:
    """What one call records depends on it, so what was chosen for few is not used for many."""

    def some(x: Any, n: int) -> Any:
        for _ in range(n):
            x = np.sin(x) * x
        return x

    def of(policy: Any) -> Any:
        inner = rg.checkpoint(some, policy=policy)
        return rg.grad(lambda x, n: np.sum(np.sin(inner(np.sin(inner(x, n)), n))))

    x = three()[3]
    nothing, gradient = of(None), of(policies.budget(7 * ONE))
    found = dict[int, int]()
    for n in (2, 30):
        nothing(x, n)
        for _ in range(2):
            gradient(x, n)
        found[n] = (gradient.stats().tape_bytes - nothing.stats().tape_bytes) // ONE
    assert found[2] > 0
    assert found[30] == 0


def test_each_combination_of_extents_has_its_own_choice() -> None:
    budget = 60_000
    gradient = rg.grad(rg.checkpoint(three_products, policy=policies.budget(budget)), (0, 1, 2))
    small = tuple(a[:8, :8] for a in three())
    for _ in range(2):
        gradient(*small)
    assert gradient.stats().tape_bytes > 0
    for _ in range(2):
        gradient(*small[:3], three()[3][:8])
    assert gradient.stats().peak_bytes <= budget


@pytest.mark.parametrize("given", ["12 parsecs", -1, None, 1.5])
def test_what_is_no_number_of_bytes_is_refused(given: Any) -> None:
    with pytest.raises(rg.UserError):
        policies.budget(given)


def test_a_derivative_from_the_disk_chooses_too() -> None:
    args = three()
    expected = rg.grad(three_products, (0, 1, 2))(*args)
    within = rg.checkpoint(three_products, policy=policies.budget("10MB"))
    for _ in range(2):  # the second is found on the disk
        assert tapes(rg.grad(within, (0, 1, 2)), args, expected)[1] > ONE


def last_stats(kind: str) -> Any:
    """Of the last product of a kind, whose calls have no statistics of their own."""
    kept: Any = vars(products)["_PRODUCTS"]
    made = [runner for key, (_, runner) in kept.made.items() if key[0] == kind]
    return made[-1].stats


def test_pullbacks_and_products_with_hessians_keep_to_it() -> None:
    args = three()

    def both(fun: Any) -> list[bytes]:
        bars = (*rg.vjp(fun, *args)[1](1.0), rg.hvp(fun, args, args))
        return [bar.tobytes() for bar in bars]

    expected = both(three_products)
    peaks = list[int]()
    for calls in range(2):
        assert both(rg.checkpoint(three_products, policy=policies.budget(24 * ONE))) == expected
        # Of the other one all is calculated once where nothing is saved.
        assert (last_stats("vjp").tape_bytes >= ONE) == (calls == 1)
        peaks += [last_stats(kind).peak_bytes for kind in ("vjp", "jvp")]
    assert max(peaks) <= 24 * ONE


def test_a_gradient_inside_of_a_program_chooses_and_writes_to_the_callers_arrays() -> None:
    a, b, _, x = three()

    def product(w: Any, x: Any) -> Any:
        return np.sin(w @ x)

    layer = rg.checkpoint(product, policy=policies.budget(3 * ONE))

    def loss(a: Any, b: Any) -> Any:
        return np.sum(layer(b, layer(a, x)))

    def plain(a: Any, b: Any) -> Any:
        return np.sum(product(b, product(a, x)))

    def step(a: Any, b: Any) -> Any:
        bars = rg.grad(loss, (0, 1))(a, b)
        a -= 0.5 * bars[0]
        return b - 0.5 * bars[1]

    compiled: Any = rg.jit(step)
    sizes = list[int]()
    bars = rg.grad(plain, (0, 1))(a, b)
    for _ in range(3):
        changed = a.copy()
        found = compiled(changed, b)
        assert changed.tobytes() == (a - 0.5 * bars[0]).tobytes()
        assert found.tobytes() == (b - 0.5 * bars[1]).tobytes()
        sizes.append(compiled.stats().tape_bytes // ONE)
    assert sizes[0] < sizes[1] == sizes[2]


def layers(w: Any, x: Any) -> Any:
    for _ in (0, 1, 2):
        x = np.sin(w @ x)
    return x


def steps(w: Any, x: Any, n: int) -> Any:
    return x if n == 0 else steps(w, np.sin(w @ x), n - 1)


def recursive(w: Any, x: Any) -> Any:
    return steps(w, x, 3)


def followed(part: Any) -> Callable[..., Any]:
    def f(w: Any, x: Any) -> Any:
        return np.cos(w @ part(w, x))

    return f


def loss_of(part: Any) -> Callable[..., Any]:
    def f(w: Any, x: Any) -> Any:
        return np.sum(np.cos(w @ part(w, x)))

    return f


def with_jacobian(part: Any) -> Any:
    return rg.jacrev(followed(part), 1)


def with_hessian(part: Any) -> Any:
    return rg.hessian(loss_of(part), 1)


def with_two_gradients(part: Any) -> Any:
    loss = loss_of(part)

    def both(w: Any, x: Any) -> Any:
        return rg.grad(loss)(w, x), rg.grad(loss, 1)(w, x)

    return rg.jit(both)


def with_a_gradient(part: Any) -> Any:
    return rg.grad(loss_of(part))


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("program", "part", "arrays"),
    [
        (with_jacobian, layers, 1), (with_two_gradients, layers, 1),
        (with_hessian, layers, 17), (with_a_gradient, recursive, 1),
    ],
)  # fmt: skip
def test_it_chooses_wherever_a_derivative_records_the_same(
    program: Callable[[Any], Any], part: Callable[..., Any], arrays: int
) -> None:
    """Over directions, for several gradients and inside of functions that are called; `arrays`:
    each value is so many numbers for each element of the argument."""
    w, x = three()[0], np.linspace(-1.0, 1.0, SIDE)
    each = 8 * SIDE * arrays + 40
    expected: list[Any] = rg.tree.leaves(program(part)(w, x))
    found = list[int]()
    for count in (0, 2, 100):
        made = program(rg.checkpoint(part, policy=policies.budget(1 + count * each)))
        for _ in range(2):
            for bar, right in zip(rg.tree.leaves(made(w, x)), expected, strict=True):
                assert bar.tobytes() == right.tobytes()
        found.append(made.stats().tape_bytes)
    assert found[0] != found[1] <= found[0] + 2 * each
    assert max(found[:2]) < found[2]


def test_around_all_of_a_jacobian_it_bounds_the_peak() -> None:
    w, x = three()[0], np.linspace(-1.0, 1.0, SIDE)
    nothing: Any = rg.jacrev(rg.checkpoint(layers), 1)
    expected = nothing(w, x)
    peak = nothing.stats().peak_bytes
    budget = peak + 3 * (8 * SIDE + 40)
    made: Any = rg.jacrev(rg.checkpoint(layers, policy=policies.budget(budget)), 1)
    for _ in range(2):
        assert made(w, x).tobytes() == expected.tobytes()
        assert made.stats().peak_bytes <= budget
    assert made.stats().tape_bytes >= nothing.stats().tape_bytes + 8 * SIDE
