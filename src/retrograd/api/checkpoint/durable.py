"""Derivatives that continue after a kill: what is done so far, on disk, at resting points.

At a resting point of the schedule the reverse sweep waits and the forward run is gone, or where a
snapshot was taken. So what has to be kept is the schedule's position, the snapshots, and the frames
and arrays of the reverse sweep with the forward results it was given; all of it as plain data.
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograd.backends.llvm.coroutines import Kept, TurnTaking
from retrograd.backends.llvm.execute import Result
from retrograd.backends.llvm.serialisation import Snapshots
from retrograd.errors import UserError
from retrograd.options.checkpointing import Checkpointing
from retrograd.options.durability import Durable
from retrograd.runtime.capsule import TARGET
from retrograd.runtime.disk import OnDisk
from retrograd.runtime.execute import Run
from retrograd.runtime.files import Foreign, Reader, Value, described, payload, read_file
from retrograd.runtime.rotating_files import Generations, foreign, unusable
from retrograd.runtime.schedule.actions import Load, Planner, TooSmall
from retrograd.runtime.schedule.budget import BudgetPlanner
from retrograd.runtime.schedule.trees import TreePlanner
from retrograd.runtime.state import State
from retrograd.runtime.write_ahead_log import Journal

__all__ = ["DurableRun", "Facts", "LessRoom", "Outgrown", "facts_of", "leaf_seconds"]

_MAGIC = b"RGDURA3\n"
_ANSWERS, _INNER = ".answers", ".inner"
"""Behind the name of a run's file: the answers that it has been given, and its inner runs' file."""
_EVERY = 2.0
"""Seconds between two times that the file is written, where nothing else is said."""
_SHARE = 20.0
"""So many times what it took to write it have to pass, too."""
_COUNTED = (
    "most_stored",
    "peak",
    "peak_tape",
    "steps",
    "recorded",
    "leaves",
    "taken",
    "most",
    "furthest",
)

Facts = dict[str, str]
"""What must be the same for a run to be continued, by name."""

_DIFFERENCES = {
    "version": "another version of retrograd",
    "target": "another kind of machine",
    "program": "another program (the function, what it calls, or the types of its arguments)",
    "inputs": "a run with other arguments (or other values from outside of the function)",
    "options": "a run with other options (checkpointing=, or a larger memory=)",
}


def facts_of(program: str, args: Sequence[Result], way: Checkpointing) -> Facts:
    """The facts of a run; `program` is the SHA-256 of its text. A budget is apart from other
    options, since a larger one may take the place of a smaller one."""
    version = str(import_module("retrograd").__version__)
    budget = int(way.size) if way.kind == "budget" else 0
    options = asdict(replace(way, resume=None, size=0 if budget else way.size))
    return {
        "version": version, "target": TARGET, "program": program,
        "inputs": _digest(args).hex(), "options": json.dumps(options), "budget": str(budget),
    }  # fmt: skip


def _digest(args: Sequence[Result]) -> bytes:
    """The SHA-256 of values with their types and shapes."""
    digest = hashlib.sha256()
    for value in args:
        array = np.ascontiguousarray(value)
        kind = f"{isinstance(value, np.ndarray)} {array.dtype.str} {np.shape(value)};"
        digest.update(kind.encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.digest()


def leaf_seconds(way: Checkpointing) -> float | None:
    """What a leaf may take, None where there is no hurry: the file is written between leaves."""
    if way.resume is None:
        return None
    return _EVERY if way.resume.every is None else max(0.02, way.resume.every)


class Outgrown(TooSmall):
    """The budget is too small to go on from what was done in a smaller one, which is removed; it
    may be enough for a run from the start."""


class LessRoom(Exception):
    """What a file holds does not fit into the memory that there is now; it stays as it is."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What a file says: the header, the snapshots, the reverse sweep and the forward results."""

    header: dict[str, Any]
    snapshots: dict[int, Kept | OnDisk]
    waiting: State | None
    results: tuple[Value, ...]


@dataclass(slots=True)
class DurableRun:
    """A run with its files.

    `apart`: it is by the finest sweeps, since the budget was too small for others. `nested`: it is
    an inner derivative, whose files may be those of another one. `due` is when they are to be
    written again, `warned` whether that has failed, and `grown` whether there is more memory than
    for whoever has written them. It is the `Keeper` of its own inner
    derivatives.
    """

    place: Durable
    files: Generations
    machine: TurnTaking
    run: Run[Kept]
    facts: Facts
    codec: Snapshots
    apart: bool
    nested: bool
    due: float = 0.0
    warned: bool = False
    grown: bool = False
    journal: Journal = field(init=False)

    def __post_init__(self) -> None:
        self.journal = Journal(Path(self.place.path + _ANSWERS))

    def begin(self, planner: Planner) -> Planner:
        """The planner to go on with: this one, or that of the run that is to be continued.

        From now on the run is written whenever it rests and it is time.

        Raises:
            UserError: the file is damaged, or another run's.
            TooSmall: whoever has written it found the budget too small for these sweeps.
            LessRoom: there is less memory than there was, and too little.
        """
        found, damaged = self.files.read(self._read)
        try:
            self.journal.open()
        except OSError as error:
            raise unusable(self.journal.path, error.strerror or str(error)) from error
        except Foreign as error:
            raise foreign(self.journal.path) from error
        self.machine.answers.keeper = self
        if found is not None:
            for path in damaged:
                warnings.warn(
                    f"{path} is damaged: continued from the generation before it",
                    RuntimeWarning, stacklevel=5,
                )  # fmt: skip
            planner = self._continued(found)
        self.due = time.monotonic() + (_EVERY if self.place.every is None else self.place.every)

        def resting() -> None:
            if time.monotonic() >= self.due:
                self._write(planner)

        self.run.resting = resting
        return planner

    def end(self) -> None:
        """Nothing is to be continued any more. Whoever has asked for an inner derivative removes
        its files, once they have written its answer."""
        if self.nested:
            return
        try:
            self.files.remove()
            self.journal.clear()
            if self.machine.answers.inner.derivatives:
                self._remove_inner()
        except OSError as error:
            warnings.warn(
                f"{self.files.path} could not be removed: {error}", RuntimeWarning, stacklevel=6
            )

    def begin_again(self, error: TooSmall) -> TooSmall:
        """What to raise where a budget was too small: what was done before may be why."""
        if not self.grown:
            return error
        self.end()
        return Outgrown(error.steps)

    def _remove_inner(self) -> None:
        """Removes the files of the inner derivative that was under way, and of those within it."""
        name, there = self.files.path.name, True
        while there:
            name += _INNER
            there = False
            for ending in ("", ".1", ".new", _ANSWERS):
                with suppress(FileNotFoundError):
                    self.files.path.with_name(name + ending).unlink()
                    there = True

    @property
    def inner_place(self) -> Durable:
        """Where inner derivatives write to."""
        return replace(self.place, path=self.place.path + _INNER)

    def key(self, number: int, args: Sequence[Result]) -> bytes:
        """What an inner derivative is asked for."""
        known = [self.facts[name] for name in ("version", "target", "program")]
        text = f"{' '.join(known)} {self.apart} {number}"
        return hashlib.sha256(text.encode() + _digest(args)).digest()

    def found(self, key: bytes) -> Sequence[Result] | None:
        return self.journal.found(key)

    def keep(self, key: bytes, results: Sequence[Result]) -> None:
        try:
            self.journal.keep(key, results)
            self._remove_inner()
        except OSError as error:
            self._warn(error)

    def _warn(self, error: OSError) -> None:
        if not self.warned:
            self.warned = True
            warnings.warn(
                f"{self.files.path} cannot be written: {error}. The run goes on; what was "
                "written before stays",
                RuntimeWarning, stacklevel=6,
            )  # fmt: skip

    def _write(self, planner: Planner) -> None:
        start = time.monotonic()
        header, arrays = self._described(planner)
        try:
            self.files.write(_MAGIC, header, arrays)
            self.journal.clear()
        except OSError as error:
            self._warn(error)
        now = time.monotonic()
        wait = self.place.every
        self.due = now + (max(_EVERY, _SHARE * (now - start)) if wait is None else wait)

    def _described(self, planner: Planner) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """Header and arrays of a file. What can be large is not copied."""
        run, machine, arrays = self.run, self.machine, list[NDArray[Any]]()
        rows: list[dict[str, Any]] = []
        for number, kept in run.snapshots.items():
            if isinstance(kept, OnDisk):
                row, more = kept.header, [payload(kept.path, kept.payload)]
            else:
                row, more = self.codec.packed(kept)
            rows.append({"number": number, "disk": isinstance(kept, OnDisk), **row})
            arrays += more
        waiting = machine.waiting()
        lengths, results = None, list[dict[str, Any]]()
        if waiting is not None:
            size = sum(len(block) for block in waiting.blocks)
            lengths = [len(waiting.frames), len(waiting.sizes), size]
            results, more = described(waiting.results)
            arrays += [waiting.frames, waiting.sizes, *waiting.blocks, *more]
        header: dict[str, Any] = {
            "facts": self.facts, "planner": planner.written(), "standing": run.standing,
            "counts": {name: getattr(run, name) for name in _COUNTED}, "snapshots": rows,
            "waiting": lengths, "results": results, "inner": machine.answers.written(),
            "apart": self.apart,
        }  # fmt: skip
        return header, arrays

    def _read(self, path: Path, file: BufferedReader) -> _Found | None:
        """None where it is by sweeps for which the budget was found too small since, or that of
        another inner derivative."""
        if path.stat().st_size < len(_MAGIC):
            raise ValueError(f"{path} is cut off")
        header, reader = read_file(path, file, _MAGIC)
        if self.nested and header["facts"] != self.facts:
            return None
        self._check(header["facts"])
        if header["apart"] != self.apart:
            if self.apart:
                return None
            self.grown = False  # the finest sweeps go on with what is there
            raise TooSmall
        snapshots = dict[int, Kept | OnDisk]()
        stored = 0
        for row in header["snapshots"]:
            number, kept = int(row["number"]), self.codec.unpacked(row, reader)
            snapshots[number] = kept
            if row["disk"] and self.run.disk is not None:
                with suppress(OSError):  # less room than there was: it stays in memory
                    moved = self.run.disk.put(number, kept, kept.nbytes, stored)
                    snapshots[number] = moved
                    stored += moved.size
        waiting, results = _waiting(reader, header)
        reader.end()
        return _Found(header, snapshots, waiting, results)

    def _check(self, facts: Facts) -> None:
        """UserError where another run has written the file. Less memory is no other run."""
        names = {name for name in _DIFFERENCES if facts.get(name) != self.facts[name]}
        before, now = int(facts.get("budget", 0)), int(self.facts["budget"])
        if before > now:
            names.add("options")
        self.grown = before < now
        other = [text for name, text in _DIFFERENCES.items() if name in names]
        if other:
            raise UserError(
                "RG4006", f"{self.files.path} is from {', and '.join(other)}",
                way_out="give another path, or delete the file to begin from the start",
            )  # fmt: skip

    def _continued(self, found: _Found) -> Planner:
        """Puts everything where it was."""
        run, machine, header = self.run, self.machine, found.header
        try:
            planner = self._planner(header["planner"])
            run.snapshots |= found.snapshots
            disk = [kept for kept in run.snapshots.values() if isinstance(kept, OnDisk)]
            run.stored = sum(kept.size for kept in disk)
            run.kept = sum(kept.nbytes for kept in run.snapshots.values()) - sum(
                kept.nbytes for kept in disk
            )
            for name in _COUNTED:
                setattr(run, name, int(header["counts"][name]))
            machine.answers.read(header["inner"])
            standing = header["standing"]
            machine.limit(run.budget - run.kept)
            if found.waiting is not None:
                machine.wait_again(found.waiting, found.results)
            if standing is not None and run.do(Load(standing)).full:
                raise MemoryError
        except MemoryError as error:
            raise LessRoom from error
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise UserError(
                "RG4006", f"{self.files.path} holds no state that this run can have",
                way_out="give another path, or delete the file to begin from the start",
            ) from error  # fmt: skip
        return planner

    def _planner(self, given: dict[str, Any]) -> Planner:
        """The planner of the file, in what memory there is now."""
        if "plan" in given:
            return TreePlanner.read(given)
        planner = BudgetPlanner.read(given)
        planner.budget = self.run.budget
        return planner


def _waiting(reader: Reader, header: dict[str, Any]) -> tuple[State | None, tuple[Value, ...]]:
    if header["waiting"] is None:
        return None, ()
    state = reader.state(header["waiting"])
    return state, tuple(reader.value(entry) for entry in header["results"])
