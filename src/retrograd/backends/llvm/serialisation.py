"""Snapshots as plain data, and back in another process.

`rg_keep` writes frames that have the addresses of lists in them, which are nothing elsewhere; so
they are left out, and another process makes lists of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograd.backends.llvm.coroutines import Kept
from retrograd.runtime.arrays import address_of
from retrograd.runtime.files import Reader
from retrograd.runtime.state import FrameShapes, State, is_sound, listed

__all__ = ["Snapshots"]

_COUNTS = 24
"""Bytes of the words in front of what `rg_keep` writes: frame words, blocks and their bytes."""


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Takes snapshots of one program apart and puts them together.

    `inputs` has the bytes of each argument. The snapshots that it has made are good as long as it
    is there, since it holds the lists that are meant in them.
    """

    shapes: FrameShapes
    inputs: tuple[int, ...]
    lists: dict[tuple[int, ...], NDArray[np.int64]] = field(
        default_factory=dict[tuple[int, ...], "NDArray[np.int64]"]
    )

    def state(self, kept: Kept) -> tuple[State, bool]:
        """A snapshot as plain data, and whether `rg_keep` had written it."""
        if isinstance(kept.state, State):
            return kept.state, False
        words, blocks, _ = map(int, kept.state[:_COUNTS].view(np.uint64))
        table = _COUNTS + 8 * words
        data = table + 16 * blocks
        frames = kept.state[_COUNTS:table].view(np.uint64).copy()
        listed(frames, self.shapes, lambda _: 0)
        sizes = kept.state[table:data].view(np.uint64).reshape(-1, 2)[:, 1].copy()
        return State(frames, sizes, kept.state[data:]), True

    def kept(self, state: State, quick: bool, step: int) -> Kept:
        """The snapshot that was taken apart. ValueError where it is none of this program."""
        if not is_sound(state, self.shapes, self.inputs):
            raise ValueError("no state of this program")
        if not quick:
            return Kept(state, step)
        frames = state.frames.copy()
        listed(frames, self.shapes, self._list)
        counts = np.array([len(frames), len(state.sizes), len(state.data)], np.uint64)
        table = np.zeros((len(state.sizes), 2), np.uint64)
        table[:, 1] = state.sizes
        parts = (counts, frames, table.reshape(-1), state.data)
        return Kept(np.concatenate([part.view(np.uint8) for part in parts]), step)

    def packed(self, kept: Kept) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """Header and arrays of a file with a snapshot."""
        state, quick = self.state(kept)
        lengths = [len(state.frames), len(state.sizes), len(state.data)]
        header = {"step": kept.step, "quick": quick, "lengths": lengths}
        return header, [state.frames, state.sizes, state.data]

    def unpacked(self, header: dict[str, Any], reader: Reader) -> Kept:
        """The snapshot of a file. ValueError where it has none."""
        state = reader.state(header["lengths"])
        return self.kept(state, bool(header["quick"]), int(header["step"]))

    def _list(self, pointers: tuple[int, ...]) -> int:
        """The address of a list of so many positions."""
        made = self.lists.get(pointers)
        if made is None:
            made = self.lists[pointers] = np.array([len(pointers), *pointers], np.int64)
        return address_of(made)
