"""Interrupted runs on disk (`retrograd.runtime.files`)."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from retrograd.errors import UserError
from retrograd.runtime.files import (
    Damaged,
    Foreign,
    Value,
    described,
    irregular,
    read_file,
    write_file,
)
from retrograd.runtime.state import State

__all__ = ["TARGET", "Snapshot", "read_snapshot", "write_snapshot"]

TARGET = "x86-64-v3, fma, 32 lanes"
"""The class of machines on which a program has the same bits."""

_MAGIC = b"RGCAPS1\n"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An interrupted run with its inputs.

    `program` is the SHA-256 of the program's text, `steps` what it has done.
    """

    program: str
    steps: int
    inputs: tuple[Value, ...]
    state: State

    @property
    def nbytes(self) -> int:
        """Bytes of state and inputs."""
        return self.state.nbytes + sum(np.asarray(v).nbytes for v in self.inputs)


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Writes a file, in one step: an older one of that name stays until the new one is complete."""
    state = snapshot.state
    inputs, arrays = described(snapshot.inputs)
    header = {
        "target": TARGET, "program": snapshot.program, "steps": snapshot.steps, "inputs": inputs,
        "lengths": [len(state.frames), len(state.sizes), len(state.data)],
    }  # fmt: skip
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            write_file(file, _MAGIC, header, [state.frames, state.sizes, state.data, *arrays])
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def read_snapshot(path: Path) -> Snapshot:
    """Reads a file. UserError where it is not a capsule, damaged, or of another kind of machine."""
    kind = irregular(path)
    if kind is not None:
        raise _unfit(path, f"is {kind}")
    with open(path, "rb") as file:
        try:
            header, reader = read_file(path, file, _MAGIC)
            snapshot = Snapshot(
                str(header["program"]), int(header["steps"]), (), reader.state(header["lengths"])
            )
            inputs = tuple(reader.value(one) for one in header["inputs"])
            reader.end()
            target = header["target"]
        except Foreign as error:
            raise _unfit(path, "is no capsule of this version") from error
        except Damaged as error:
            raise _unfit(path, "is damaged") from error
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise _unfit(path, "is not written as capsules are") from error
    if target != TARGET:
        raise _unfit(path, f"comes from a machine of another kind ({target})")
    return replace(snapshot, inputs=inputs)


def _unfit(path: Path, what: str) -> UserError:
    return UserError("RG4001", f"{path} {what}", way_out="start the run again")
