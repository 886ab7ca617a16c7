"""The state of an interrupted run as plain data, apart from the memory that it was in.

A pointer is a word ((number + 1) << 40) + offset into a block: blocks of the run have the numbers
from 0, the inputs, which no one writes, those from `INPUTS`. Zero is no pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "INPUTS", "FrameShapes", "State", "Words", "is_sound", "listed", "placed", "plain",
    "pointers_in",
]  # fmt: skip

Words = NDArray[np.uint64]

FrameShapes = Mapping[tuple[int, int], Sequence[str]]
"""The LLVM types of the words that a frame holds, by function number and point."""

INPUTS = 1 << 22
_SHIFT = np.uint64(40)
_OFFSET = np.uint64((1 << 40) - 1)
_HEADER, _LIST = 5, 4
"""Words of a frame before its homes: next frame, function number, point, bytes, and the address of
a list, which is nothing outside of the process."""


@dataclass(frozen=True, slots=True)
class State:
    """Frames as words, innermost first; sizes of the blocks in bytes; their bytes, together."""

    frames: Words
    sizes: Words
    data: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        """Bytes that the state takes."""
        return self.frames.nbytes + self.sizes.nbytes + self.data.nbytes


def _runs(frames: Words, shapes: FrameShapes) -> Iterator[tuple[int, Words, Sequence[str]]]:
    """Equal frames in a row, as in a recursion: where they begin, one a row, and their kinds.

    ValueError where these are not frames of that program.
    """
    at = 0
    while at < len(frames):
        if at + _HEADER > len(frames):
            raise ValueError("a frame is cut off")
        header = frames[at : at + _HEADER]
        size = int(header[3]) // 8
        kinds = shapes.get((int(header[1]), int(header[2])))
        if kinds is None or size != _HEADER + len(kinds) or at + size > len(frames):
            raise ValueError(f"a frame of an unknown point {int(header[1])}, {int(header[2])}")
        rows = frames[at : at + (len(frames) - at) // size * size].reshape(-1, size)
        other = np.flatnonzero((rows[:, 1:_LIST] != header[1:_LIST]).any(axis=1))
        count = int(other[0]) if len(other) else len(rows)
        yield at, rows[:count], kinds
        at += count * size


def pointers_in(kinds: Sequence[str]) -> list[int]:
    """Which words of a frame are pointers."""
    return [_HEADER + k for k, kind in enumerate(kinds) if kind == "ptr"]


def listed(frames: Words, shapes: FrameShapes, address: Callable[[tuple[int, ...]], int]) -> None:
    """Gives each frame the address of a list of its pointers; zero is none."""
    for _, rows, kinds in _runs(frames, shapes):
        rows[:, _LIST] = address(tuple(pointers_in(kinds)))


def _pointers(frames: Words, shapes: FrameShapes) -> NDArray[np.intp]:
    """The positions of all pointers. Addresses of lists become zero."""
    found: list[NDArray[np.intp]] = []
    for at, rows, kinds in _runs(frames, shapes):
        rows[:, _LIST] = 0
        places = np.array(pointers_in(kinds), np.intp)
        starts = at + rows.shape[1] * np.arange(len(rows), dtype=np.intp)
        found.append((starts[:, None] + places).ravel())
    return np.concatenate(found) if found else np.zeros(0, np.intp)


def is_sound(state: State, shapes: FrameShapes, inputs: Sequence[int]) -> bool:
    """Whether all frames are known, and all pointers point into blocks or inputs.

    `inputs` has the bytes of each input, 0 for scalars.
    """
    if len(state.frames) == 0 or int(state.sizes.sum()) != len(state.data):
        return False
    try:
        coded = state.frames[_pointers(state.frames, shapes)]
    except ValueError:
        return False
    coded = coded[coded != 0]
    number, offset = (coded >> _SHIFT).astype(np.int64) - 1, coded & _OFFSET
    is_input = number >= INPUTS
    for numbers, offsets, sizes in (
        (number[~is_input], offset[~is_input], state.sizes),
        (number[is_input] - INPUTS, offset[is_input], np.array(inputs, np.uint64)),
    ):
        if not ((numbers >= 0) & (numbers < len(sizes))).all():
            return False
        if not (offsets < np.maximum(sizes[numbers], np.uint64(1))).all():
            return False
    return True


def plain(
    frames: Words, addresses: Words, sizes: Words, inputs: Mapping[int, tuple[int, int]],
    shapes: FrameShapes,
) -> None:  # fmt: skip
    """Makes addresses into numbers of blocks, in place; what points to none becomes zero.

    `addresses` and `sizes` are those of the blocks, which lie apart; inputs, by number, may be
    parts of each other.
    """
    places = _pointers(frames, shapes)
    given = frames[places]
    order = np.argsort(addresses)
    starts, ends = addresses[order], addresses[order] + np.maximum(sizes[order], np.uint64(1))
    which = np.searchsorted(starts, given, side="right").astype(np.intp) - 1
    inside = which >= 0
    inside[inside] = given[inside] < ends[which[inside]]
    block = which[inside]
    coded = np.zeros_like(given)
    number = order[block].astype(np.uint64)
    coded[inside] = ((number + np.uint64(1)) << _SHIFT) | (given[inside] - starts[block])
    for number, (start, size) in inputs.items():
        offset = given - np.uint64(start)
        here = (offset < np.uint64(size)) & (coded == 0)
        coded[here] = (np.uint64(INPUTS + number + 1) << _SHIFT) | offset[here]
    frames[places] = coded


def placed(frames: Words, addresses: Words, inputs: Words, shapes: FrameShapes) -> Words:
    """The frames with addresses for numbers of blocks."""
    frames = frames.copy()
    places = _pointers(frames, shapes)
    coded = frames[places]
    some = coded != 0
    number = (coded[some] >> _SHIFT).astype(np.int64) - 1
    is_input = number >= INPUTS
    base = np.zeros(len(number), np.uint64)
    base[~is_input] = addresses[number[~is_input]]
    base[is_input] = inputs[number[is_input] - INPUTS]
    coded[some] = base + (coded[some] & _OFFSET)
    frames[places] = coded
    return frames
