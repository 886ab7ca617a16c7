"""Arrays of a tape on disk: bytes, order, what is in memory at a time, and what goes wrong."""

from __future__ import annotations

import ctypes
import errno
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from retrograd.errors import CompilerBug, UserError
from retrograd.runtime import offload
from retrograd.runtime.offload import Offload


@dataclass
class Tape:
    """What native code does: a stack of words with addresses; arrays that are in memory."""

    folder: Path
    room: int = 1000
    words: Any = field(default_factory=lambda: (ctypes.c_uint64 * 1000)())
    top: int = 0
    blocks: dict[int, NDArray[np.float64]] = field(default_factory=dict[int, NDArray[np.float64]])
    most: int = 0

    def __post_init__(self) -> None:
        self.run = Offload([str(self.folder)])

    def place(self, k: int) -> int:
        return ctypes.addressof(self.words) + 8 * k

    def hold(self, slot: int, block: NDArray[np.float64]) -> None:
        self.blocks[slot] = block
        ctypes.c_uint64.from_address(slot).value = block.ctypes.data
        self.most = max(self.most, len(self.blocks))

    def push(self, values: NDArray[np.float64]) -> None:
        slot = self.place(self.top)
        self.top += 1
        self.hold(slot, values.copy())
        gone = self.run.put(slot, values.nbytes, self.run.files[0])
        while gone is not None:
            self.blocks.pop(gone.slot)[:] = np.nan  # another array's memory by now
            gone = self.run.written()

    def pop(self) -> NDArray[np.float64]:
        self.top -= 1
        slot, room = self.place(self.top), True
        while (wanted := self.run.take(slot, room)) is not None:
            room = wanted.slot == slot or len(self.blocks) < self.room
            if room:
                self.hold(wanted.slot, np.full(wanted.size // 8, np.nan))
        return self.blocks.pop(slot)


def array(k: int) -> NDArray[np.float64]:
    return np.arange(10.0 + k) + 1000.0 * k


def test_what_is_taken_back_is_what_was_put(tmp_path: Path) -> None:
    tape = Tape(tmp_path)
    for k in range(20):
        tape.push(array(k))
    assert tape.most == 3
    assert tape.run.bytes == sum(array(k).nbytes for k in range(18))
    assert [path.name.split("-")[:2] for path in tmp_path.iterdir()] == [
        ["retrograd", str(os.getpid())]
    ]
    for k in reversed(range(20)):
        assert np.array_equal(tape.pop(), array(k))
    assert tape.most == 3
    assert tape.run.files[0].end == 0
    assert not tape.blocks
    tape.run.close()
    assert list(tmp_path.iterdir()) == []


def test_any_order_of_a_stack(tmp_path: Path) -> None:
    tape, draw, there = Tape(tmp_path), np.random.default_rng(0), list[int]()
    for k in range(400):
        if there and draw.random() < 0.45 + 0.3 * (k // 60 % 2):
            assert np.array_equal(tape.pop(), array(there.pop()))
        else:
            tape.push(array(k))
            there.append(k)
        assert len(tape.blocks) <= 6
    while there:
        assert np.array_equal(tape.pop(), array(there.pop()))
    tape.run.close()
    assert list(tmp_path.iterdir()) == []


def test_without_room_nothing_is_read_ahead(tmp_path: Path) -> None:
    tape = Tape(tmp_path, room=0)
    for k in range(9):
        tape.push(array(k))
    for k in reversed(range(9)):
        assert np.array_equal(tape.pop(), array(k))
    tape.run.close()


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = os.pwrite, list[int]()

    def few(file: int, data: Any, offset: int) -> int:
        calls.append(len(data))
        if len(calls) > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(file, data, offset)

    monkeypatch.setattr(os, "pwrite", few)
    tape = Tape(tmp_path)
    for k in range(20):
        tape.push(array(k))
    assert len(tape.blocks) == 15
    assert tape.run.bytes == sum(array(k).nbytes for k in range(5))
    assert len(calls) <= 8
    for k in reversed(range(20)):
        assert np.array_equal(tape.pop(), array(k))
    tape.run.close()
    with pytest.warns(RuntimeWarning, match="stay in memory: .*No space left on device") as found:
        tape.run.warn()
    assert len(found) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_few_bytes_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, read = os.pwrite, os.preadv
    monkeypatch.setattr(os, "pwrite", lambda f, data, at: write(f, data[:7], at))
    monkeypatch.setattr(os, "preadv", lambda f, views, at: read(f, [views[0][:5]], at))
    tape = Tape(tmp_path)
    for k in range(6):
        tape.push(array(k))
    for k in reversed(range(6)):
        assert np.array_equal(tape.pop(), array(k))
    tape.run.close()


def test_a_file_that_was_cut(tmp_path: Path) -> None:
    tape = Tape(tmp_path)
    for k in range(6):
        tape.push(array(k))
    for _ in range(2):
        tape.pop()
    (path,) = tmp_path.glob("*/tape")
    os.truncate(path, 100)
    with pytest.raises(UserError, match="RG4007.*cannot be read"):  # noqa: PT012
        for _ in range(4):
            tape.pop()
    tape.run.close()


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("missing", "file"):
        with pytest.raises(UserError, match="RG4007.*No such file"):
            Offload([str(tmp_path / place)])


def test_another_order_than_a_stack_is_a_bug(tmp_path: Path) -> None:
    tape = Tape(tmp_path)
    for k in range(2):
        tape.push(array(k))
    with pytest.raises(CompilerBug, match="another order"):
        tape.run.take(tape.place(0), True)
    tape.run.close()


def test_a_run_that_is_dropped_half_way_leaves_nothing(tmp_path: Path) -> None:
    tape = Tape(tmp_path)
    for k in range(6):
        tape.push(array(k))
    for _ in range(2):
        tape.run.close()
    assert list(tmp_path.iterdir()) == []


def test_nothing_more_is_put_where_there_are_no_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(offload, "start_new_thread", none)
    run = Offload([str(tmp_path)])
    assert run.start() == 0
    run.close()
    with pytest.warns(RuntimeWarning, match="stay in memory: can't start"):
        run.warn()
