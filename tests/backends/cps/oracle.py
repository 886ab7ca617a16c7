"""Runs by native code, by continuations and by segments, stopped at the same steps and compared.

A native frame is words without names, so what is live is looked for in it: every value that the
evaluators hold has to be among the words of the frame of the same call, arrays by their extents and
elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrograd.api.compile.known import known
from retrograd.backends.cps.continuations import by_continuations
from retrograd.backends.cps.convert import by_segments
from retrograd.backends.cps.runs import Capsule, Evaluator, Frame, interrupt, primops, resume
from retrograd.backends.cps.segments import Enter
from retrograd.backends.llvm.cache import support_codes
from retrograd.backends.llvm.execute import Executable
from retrograd.backends.llvm.jit import link_objects, object_code
from retrograd.backends.llvm.module import module_text
from retrograd.backends.llvm.time_slices import Legs
from retrograd.ir.check import check_program
from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.prims.core import RaisedError
from retrograd.runtime.state import INPUTS, FrameShapes, State
from retrograd.transforms.points.atomic_regions import with_units
from tests.backends.llvm.native import RAISED, Raised, bits, own, ready, scalar

__all__ = ["Stopped", "Stops", "ThreeWays", "near"]

PLENTY = 1 << 62
MOST = 40
"""Legs of one step each that are run at most."""


def near(got: Any, want: Any) -> bool:
    """Equal to rounding; types and extents are equal."""
    a, b = np.asarray(got), np.asarray(want)
    if a.dtype.kind != b.dtype.kind or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    return bool(np.allclose(a, b, rtol=1e-8, atol=1e-11, equal_nan=True))


@dataclass(frozen=True)
class Words:
    """A native frame: function number, place, the LLVM types of its homes and their words."""

    function: int
    place: int
    kinds: Sequence[str]
    words: np.ndarray[Any, Any]


def native_frames(state: State, shapes: FrameShapes) -> Iterator[Words]:
    at = 0
    while at < len(state.frames):
        _, function, place, size, _ = map(int, state.frames[at : at + 5])
        kinds = shapes[function, place]
        yield Words(function, place, kinds, state.frames[at + 5 : at + size // 8])
        at += size // 8


@dataclass
class Stopped:
    """A native run at a point, or its outcome."""

    steps: int
    state: State | None
    results: Any


class Native:
    """Native code of a program."""

    def __init__(self, program: Program, grain: int) -> None:
        module = module_text(program, known(), True, grain)
        linked = link_objects(
            (object_code(module.text, 0), *support_codes(module)), program.entry, True
        )
        types = tuple(p.type for p in program.main.params)
        results = program.main.result_types
        self.shapes = module.frames
        self.code = Executable.of(linked, types, results, module.errors, module.consumed)

    def leg(self, args: Sequence[Any], steps: int, before: Stopped | None = None) -> Stopped:
        """So many steps, from the beginning or from where a run has stopped."""
        legs = Legs(self.code, self.shapes, ready(), own(args))
        try:
            if before is None:
                ended = legs.start(steps)
            else:
                assert before.state is not None
                legs.restore(before.state)
                legs.steps = before.steps
                ended = legs.resume(steps)
        except RAISED as error:
            return Stopped(legs.steps, None, Raised(type(error).__name__))
        if ended:
            assert legs.results is not None
            return Stopped(legs.steps, None, [scalar(v) for v in legs.results])
        state = legs.capture()
        legs.drop()
        return Stopped(legs.steps, state, None)


class ThreeWays:
    """One program in three forms."""

    def __init__(self, program: Program, grain: int = 1) -> None:
        self.native = Native(program, grain)
        cps, hybrid = (
            by_continuations(program, known(), grain),
            by_segments(program, known(), grain),
        )
        check_program(hybrid.converted.program, known(), linear=False)
        self.evaluators: tuple[Evaluator[Any], ...] = (cps, hybrid)
        machine = with_units(program, supply_for(program), known())
        self.number: Mapping[str, int] = {f.name: k for k, f in enumerate(machine.functions)}
        places = {
            (self.number[name], place) for name, place in hybrid_places(hybrid.converted.segments)
        }
        assert set(self.native.shapes) == places

    def check(self, args: Sequence[Any]) -> int:
        """Compares runs on these arguments, stopped at some steps; how many stops there were."""
        whole = self.native.leg(args, PLENTY)
        found = [attempt(lambda e=e: primops(e, args)) for e in self.evaluators]
        if isinstance(whole.results, Raised):
            assert found == [whole.results] * 2
            total = 40
        else:
            for results, steps in found:
                assert steps == whole.steps
                compare_results(results, whole.results)
            assert bits(found[0][0]) == bits(found[1][0])
            total = whole.steps
        stops = {1, 2, total // 3, 2 * total // 3, total}
        counts = [self.stop(args, n, found) for n in sorted(stops) if n > 0]
        return sum(counts) + self.step_by_step(args)

    def stop(self, args: Sequence[Any], steps: int, found: Sequence[Any]) -> bool:
        """Stops three runs, compares where, and lets them run on; whether there was a stop."""
        native = self.native.leg(args, steps)
        capsules = [attempt(lambda e=e: interrupt(e, args, steps)) for e in self.evaluators]
        if not self.compare_stops(args, native, capsules):
            return False
        further = self.native.leg(args, max(1, steps // 2), native)
        again = [attempt(lambda c=c: resume(c, max(1, steps // 2))) for c in capsules]
        self.compare_stops(args, further, again)
        for capsule, want in zip(capsules, found, strict=True):
            for _ in range(2):
                got = attempt(lambda c=capsule: resume(c))
                assert got == want if isinstance(want, Raised) else bits(got) == bits(want[0])
        return True

    def step_by_step(self, args: Sequence[Any]) -> int:
        """Legs of one step; how many."""
        native = self.native.leg(args, 1)
        capsules = [attempt(lambda e=e: interrupt(e, args, 1)) for e in self.evaluators]
        count = 0
        while self.compare_stops(args, native, capsules) and count < MOST:
            count += 1
            native = self.native.leg(args, 1, native)
            capsules = [attempt(lambda c=c: resume(c, 1)) for c in capsules]
        return count

    def compare_stops(self, args: Sequence[Any], native: Stopped, capsules: Sequence[Any]) -> bool:
        """Whether all three have stopped, and not ended; asserts that they agree."""
        if native.state is None:
            for got in capsules:
                compare_results(got, native.results)
            return False
        one, two = capsules
        self.places(args).compare(native, one, two)
        return True

    def places(self, args: Sequence[Any]) -> Stops:
        return Stops(self.native.shapes, self.number, args)


@dataclass(frozen=True)
class Stops:
    """What native frames mean: what they hold, the numbers of functions, the inputs."""

    shapes: FrameShapes
    number: Mapping[str, int]
    args: Sequence[Any]

    def compare(self, native: Stopped, cps: Any, hybrid: Any) -> None:
        """Asserts that all three have stopped at the same place with the same values."""
        assert native.state is not None
        assert isinstance(cps, Capsule)
        assert isinstance(hybrid, Capsule)
        assert cps.steps == hybrid.steps == native.steps
        compare_frames(cps.frames, hybrid.frames)
        frames = list(native_frames(native.state, self.shapes))
        places = [(f.function, f.place) for f in frames]
        assert places == [(self.number[f.function], f.place) for f in cps.frames]
        memory = Memory(native.state, self.args)
        for words, frame in zip(frames, cps.frames, strict=True):
            memory.check(words, frame)


def hybrid_places(segments: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Function and number of all places where a converted program can be left."""
    for segment in segments.values():
        if segment.entry is not None:
            yield segment.function, segment.entry.place
        if isinstance(segment.exit, Enter):
            yield segment.function, segment.exit.place


def attempt(run: Any) -> Any:
    """What a call returns, or what it raises."""
    try:
        return run()
    except RaisedError as error:
        return Raised(error.kind)


def compare_results(got: Any, want: Any) -> None:
    if isinstance(want, Raised):
        assert got == want
    else:
        assert isinstance(got, tuple)
        assert all(near(a, b) for a, b in zip(got, want, strict=True)), (got, want)


def compare_frames(cps: Sequence[Frame], hybrid: Sequence[Frame]) -> None:
    """Frames of the two evaluators are equal, to the bit."""
    for one, two in zip(cps, hybrid, strict=True):
        assert (one.function, one.place, one.loops) == (two.function, two.place, two.loops)
        names = sorted(one.live)
        assert names == sorted(two.live)
        assert bits([one.live[n] for n in names]) == bits([two.live[n] for n in names])


class Memory:
    """The blocks that a native state and its inputs are in."""

    def __init__(self, state: State, args: Sequence[Any]) -> None:
        ends = np.cumsum(state.sizes).astype(int)
        starts = [0, *ends[:-1]] if len(ends) else []
        self.blocks = {
            k: state.data[a:b] for k, (a, b) in enumerate(zip(starts, ends, strict=True))
        }
        for k, value in enumerate(args):
            if isinstance(value, np.ndarray):
                self.blocks[INPUTS + k] = np.frombuffer(value.tobytes(), np.uint8)

    def check(self, words: Words, frame: Frame) -> None:
        """All that is live in a frame is among its words."""
        ints = [int(w) for w in words.words.view(np.int64)]
        for done, trips in frame.loops:
            assert (done, trips) in list(zip(ints[1:], ints[:-1], strict=True))
        for name, value in frame.live.items():
            if isinstance(value, np.ndarray):
                found = any(self.is_at(words, k, value) for k in range(len(ints)))
            else:
                found = any(is_word(words, k, value) for k in range(len(ints)))
            assert found, (frame.function, frame.place, name, value, words)

    def is_at(self, words: Words, k: int, value: np.ndarray[Any, Any]) -> bool:
        """Whether a home is that array: its pointer and then its extents."""
        if words.kinds[k] != "ptr":
            return False
        dims = tuple(int(d) for d in words.words[k + 1 : k + 1 + value.ndim])
        if dims != value.shape:
            return False
        if value.size == 0:
            return True
        coded = int(words.words[k])
        block = self.blocks.get((coded >> 40) - 1)
        offset = coded & ((1 << 40) - 1)
        if block is None or offset + value.nbytes > len(block):
            return False
        data = np.frombuffer(block[offset : offset + value.nbytes].tobytes(), value.dtype)
        return near(data.reshape(value.shape), value)


def is_word(words: Words, k: int, value: Any) -> bool:
    """Whether a home is that number."""
    word, kind = words.words[k : k + 1], words.kinds[k]
    if isinstance(value, bool | np.bool_):
        return kind == "i1" and bool(word[0]) == value
    if isinstance(value, int | np.integer):
        return kind == "i64" and int(word.view(np.int64)[0]) == value
    return kind == "double" and near(word.view(np.float64)[0], np.float64(value))
