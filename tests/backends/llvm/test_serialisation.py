"""Two sweeps and their snapshots that are moved to another context at every leaf: the same bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.backends.llvm.coroutines import Kept, TurnTaking, Waiting
from retrograd.backends.llvm.nested_gradients import Inner
from retrograd.backends.llvm.serialisation import Snapshots
from retrograd.ir.terms import Program
from retrograd.runtime.context import Context
from retrograd.runtime.state import State
from tests.backends.llvm.native import Raised, bits, compiled, native, own, ready, scalar
from tests.backends.llvm.test_interrupt import numbered
from tests.backends.llvm.turning import Turning, turning
from tests.transforms.ad.vjp.support import data, linear_programs, lowered, with_vjp
from tests.transforms.ad.vjp.test_identities import FORMS


def machine(made: Turning, context: Context, args: Sequence[Any]) -> TurnTaking:
    assert not made.inner
    return TurnTaking(made.ahead, made.back, made.shapes, context, own(args), Inner.of([]))


def copied(waiting: Waiting) -> State:
    """What a file would have."""
    parts = [np.zeros(0, np.uint8), *waiting.blocks]
    return State(waiting.frames.copy(), waiting.sizes.copy(), np.concatenate(parts))


def moved(made: Turning, run: TurnTaking, kept: Sequence[Kept], args: Sequence[Any]) -> Any:
    """Another machine with what this one has, and the snapshots; nothing of the old one is left."""
    sizes = tuple(v.nbytes if isinstance(v, np.ndarray) else 0 for v in run.forward.args)
    codec = Snapshots(made.shapes, sizes)
    plain = [(*codec.state(one), one.step) for one in kept]
    other = Snapshots(made.shapes, sizes)
    found = [other.kept(State(s.frames.copy(), s.sizes, s.data.copy()), q, k) for s, q, k in plain]
    assert [k.nbytes for k in found] == [k.nbytes for k in kept]
    waiting = run.waiting()
    context = ready()
    new = machine(made, context, args)
    if waiting is not None:
        state, results = copied(waiting), own(waiting.results)
        run.forget()
        before = run.context.get("live")
        run.drop()
        new.wait_again(state, results)
        assert context.get("live") == before
    else:
        run.drop()
    return new, found, other


def in_moves(made: Turning, args: Sequence[Any], leaf: int) -> tuple[list[Any], int]:
    """The results, with a new machine for each leaf."""
    run = machine(made, ready(), args)
    kept: list[Kept] = []
    codecs: list[Snapshots] = []
    while not run.advance(run.step + leaf):
        kept.append(run.save())
        run, kept, codec = moved(made, run, kept, args)
        codecs.append(codec)
        run.load(kept[-1])
        again = run.save()
        assert again.nbytes == kept[-1].nbytes
    end, moves = 1 << 60, 0
    while True:
        start = kept.pop() if kept else None
        run.load(start)
        run.record(end)
        end = 0 if start is None else start.step
        if run.reverse():
            break
        moves += 1
        run, kept, codec = moved(made, run, kept, args)
        codecs.append(codec)
    assert run.gradients is not None
    assert run.context.get("live") == 0
    return [scalar(v) for v in run.gradients], moves


def check(program: Program, cases: Sequence[Sequence[Any]], leaves: Sequence[int]) -> int:
    plain = compiled(program)
    made = turning(program, 1)
    if made is None:
        return 0
    moves = 0
    for args in cases:
        want = native(plain, args)
        assert not isinstance(want, Raised)
        for leaf in leaves:
            got, count = in_moves(made, args, leaf)
            moves += count
            assert bits(got) == bits(want), (leaf, got, want)
    return moves


@pytest.mark.thinned(2)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_forms(form: Callable[[], Program]) -> None:
    program = lowered(numbered(with_vjp(form())))
    rng = np.random.default_rng(3)
    check(program, [data(program, rng, 5)], (1, 7))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("program", linear_programs(0, 12))
def test_random_programs(program: Program) -> None:
    derivative = lowered(numbered(with_vjp(program)))
    check(derivative, [data(derivative, np.random.default_rng(3))], (3,))


def test_there_are_moves() -> None:
    moves = [
        check(program, [data(program, np.random.default_rng(3), 40)], (5,))
        for form in FORMS
        for program in (lowered(numbered(with_vjp(form()))),)
    ]
    assert sum(moves) > 30


def test_no_state_of_this_sweep() -> None:
    form = next(f for f in FORMS if check(lowered(numbered(with_vjp(f()))), [
        data(lowered(numbered(with_vjp(f()))), np.random.default_rng(3), 40)], (5,)))  # fmt: skip
    program = lowered(numbered(with_vjp(form())))
    made = turning(program, 1)
    assert made is not None
    run = machine(made, ready(), data(program, np.random.default_rng(3), 40))
    bad = State(np.array([0, 99, 0, 40, 0], np.uint64), np.zeros(0, np.uint64),
                np.zeros(0, np.uint8))  # fmt: skip
    with pytest.raises(ValueError, match="no state"):
        run.wait_again(bad, [])
    with pytest.raises(ValueError, match="no state"):
        Snapshots(made.shapes, ()).kept(bad, True, 5)
