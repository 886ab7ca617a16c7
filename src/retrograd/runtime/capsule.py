"""Interrupted runs on disk: plain data, versioned and checksummed, with nothing in it to execute.

A file is a magic word, the SHA-256 of the rest, the length of a JSON header, the header, and the
arrays that it lists, one after the other, little-endian. The checksum finds damage; it is no
signature: a file that somebody made up with care is as trustworthy as they are.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograd.errors import UserError
from retrograd.runtime.state import State

__all__ = ["TARGET", "Snapshot", "read_snapshot", "write_snapshot"]

TARGET = "x86-64-v3, fma, 32 lanes"
"""The class of machines on which a program has the same bits."""

_MAGIC = b"RGCAPS1\n"
_SUM = 32
_DTYPES = ("<f8", "<i8", "|b1")

Input = float | int | bool | NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An interrupted run with its inputs.

    `program` is the SHA-256 of the program's text, `steps` what it has done.
    """

    program: str
    steps: int
    inputs: tuple[Input, ...]
    state: State

    @property
    def nbytes(self) -> int:
        """Bytes of state and inputs."""
        return self.state.nbytes + sum(np.asarray(v).nbytes for v in self.inputs)


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Writes a file, in one step: an older one of that name stays until the new one is complete."""
    state = snapshot.state
    arrays: list[NDArray[Any]] = [state.frames, state.sizes, state.data]
    inputs: list[dict[str, Any]] = []
    for value in snapshot.inputs:
        array = np.ascontiguousarray(value)
        scalar = not isinstance(value, np.ndarray)
        shape = list(np.shape(value))
        inputs.append({"dtype": array.dtype.str, "shape": shape, "scalar": scalar})
        arrays.append(array)
    header = {
        "target": TARGET, "program": snapshot.program, "steps": snapshot.steps, "inputs": inputs,
        "lengths": [len(state.frames), len(state.sizes), len(state.data)],
    }  # fmt: skip
    text = json.dumps(header).encode()
    parts = [len(text).to_bytes(8, "little"), text, *(a.tobytes() for a in arrays)]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines([_MAGIC, digest.digest(), *parts])
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def read_snapshot(path: Path) -> Snapshot:
    """Reads a file. UserError where it is not a capsule, damaged, or of another kind of machine."""
    data = path.read_bytes()
    start = len(_MAGIC) + _SUM
    if not data.startswith(_MAGIC):
        raise _unfit(path, "is no capsule of this version")
    if hashlib.sha256(data[start:]).digest() != data[len(_MAGIC) : start]:
        raise _unfit(path, "is damaged")
    try:
        target, snapshot = _parsed(data, start)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise _unfit(path, "is not written as capsules are") from error
    if target != TARGET:
        raise _unfit(path, f"comes from a machine of another kind ({target})")
    return snapshot


def _parsed(data: bytes, start: int) -> tuple[str, Snapshot]:
    """The class of machines, and what is in the file; fails where the bytes are something else."""
    length = int.from_bytes(data[start : start + 8], "little")
    header = json.loads(data[start + 8 : start + 8 + length])
    reader = _Reader(data, start + 8 + length)
    words, blocks, size = header["lengths"]
    state = State(
        reader.take("<u8", [words]), reader.take("<u8", [blocks]), reader.take("|u1", [size])
    )
    inputs = tuple(_input(reader, one) for one in header["inputs"])
    if reader.at != len(data):
        raise ValueError("bytes behind the last array")
    return str(header["target"]), Snapshot(
        str(header["program"]), int(header["steps"]), inputs, state
    )


def _input(reader: _Reader, entry: dict[str, Any]) -> Input:
    if entry["dtype"] not in _DTYPES:
        raise ValueError(f"an input of the unknown type {entry['dtype']!r}")
    array = reader.take(entry["dtype"], entry["shape"])
    return array[()].item() if entry["scalar"] else array


@dataclass(slots=True)
class _Reader:
    """Takes arrays off the bytes of a file."""

    data: bytes
    at: int

    def take(self, dtype: str, shape: Sequence[int]) -> NDArray[Any]:
        count = math.prod(shape)
        if min(shape, default=0) < 0:
            raise ValueError("a negative extent")
        found = np.frombuffer(self.data, dtype, count, self.at).reshape(shape).copy()
        self.at += found.nbytes
        return found


def _unfit(path: Path, what: str) -> UserError:
    return UserError("RG4001", f"{path} {what}", way_out="start the run again")
