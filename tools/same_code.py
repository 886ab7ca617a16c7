"""Compares the LLVM text that two trees of this project make of the same programs.

    python -m tools.same_code OTHER_TREE [--count 300] [--only PATTERN] [--values] [--jobs N]

The programs are this tree's: benchmark problems and programs, examples, and random programs by
seed. Each is compiled as it is, interruptibly, in forward mode, in reverse mode, and in reverse
mode with `memory=`. A mode's modules have to be the same up to names and the order of definitions
(`tools.module_text`). LLVM itself never sees them: compilation ends where the text is handed over,
so that this takes a fraction of the time of a run. With `--values` everything is compiled and run,
and the bits of the results are compared as well as all the modules that were asked for.

The exit status is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gzip
import hashlib
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table

from tools.module_text import canonical

ROOT = Path(__file__).resolve().parent.parent


# one part of the programs, in a process whose `retrograd` is that of a tree


class _Handed(BaseException):
    """Ends a compilation once its text is complete."""


@dataclass(slots=True)
class _Tap:
    """Sees the texts that LLVM is given; `through` lets LLVM have them."""

    through: bool
    texts: list[str]
    inner: list[Any]

    def install(self) -> None:
        """Stands where llvmlite parses text, which is where every compiler has to come by.

        Whether a derivative has further modules for inner derivatives and for small budgets shows
        while it runs. Where the functions that make these are found, they are asked for all.
        """
        import llvmlite.binding

        parse = llvmlite.binding.parse_assembly

        def tapped(text: str, *more: Any) -> Any:
            self.texts.append(text)
            if not self.through:
                raise _Handed
            return parse(text, *more)

        llvmlite.binding.parse_assembly = tapped
        if not self.through:
            _replace("sweep_code", self._all_sweeps)
            _replace("sweeps_text", self._noted)

    def _noted(self, made: Callable[..., Any]) -> Callable[..., Any]:
        def sweeps_text(sweeps: Any, *more: Any) -> Any:
            self.inner += sweeps.inner.values()
            return made(sweeps, *more)

        return sweeps_text

    def _all_sweeps(self, made: Callable[..., Any]) -> Callable[..., Any]:
        def sweep_code(program: Any) -> Any:
            if made_of(program) is None:
                return None
            while self.inner:
                made_of(self.inner.pop(0))
            raise _Handed

        def made_of(program: Any) -> bool | None:
            known = len(self.texts)
            for every in (False, True):
                with contextlib.suppress(_Handed):
                    made(program, every)
            return True if len(self.texts) > known else None

        return sweep_code


def _replace(name: str, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Changes a function of retrograd in all of its modules that know it, if there are any."""
    import retrograd.api

    # All of them, because a tree may have them in other folders.
    for found in pkgutil.walk_packages(retrograd.api.__path__, "retrograd.api."):
        importlib.import_module(found.name)
    known = [m for k, m in sorted(sys.modules.items()) if k.startswith("retrograd.")]
    knowing = [m for m in known if isinstance(m, ModuleType) and name in vars(m)]
    if knowing:
        changed = change(vars(knowing[0])[name])
        for module in knowing:
            setattr(module, name, changed)


def _bits(value: Any) -> str:
    """A digest of the bits of a result."""
    import numpy as np

    if isinstance(value, tuple):
        return "(" + " ".join(map(_bits, value)) + ")"
    array = np.asarray(value)
    return f"{array.dtype}{array.shape}:{hashlib.sha256(array.tobytes()).hexdigest()[:16]}"


def _outcome(run: Callable[[], Any]) -> str:
    """What a program gave: its bits, that its text is known, or how it was refused."""
    try:
        return _bits(run())
    except _Handed:
        return "compiled"
    except (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, MemoryError,
            RuntimeError, TypeError, ValueError) as error:  # fmt: skip
        return f"{type(error).__name__} {getattr(error, 'code', '')}"


def dump(options: argparse.Namespace) -> None:
    """Writes a line of JSON for each program and mode, and the texts by their hashes."""
    from tools.compiled_programs import MODES, subjects

    tap = _Tap(options.values, [], [])
    tap.install()
    out, (part, parts) = Path(options.dump), options.part
    sources = out / f"sources{part}"
    sources.mkdir()
    with (out / f"index{part}").open("w") as index:
        chosen = enumerate(subjects(options.count, options.only, sources))
        for number, (subject, modes) in chosen:
            for mode in modes if number % parts == part else ():
                tap.texts.clear()
                tap.inner.clear()
                outcome = _outcome(lambda mode=mode, s=subject: MODES[mode](s))
                hashes = [_kept(out, canonical(text)) for text in tap.texts]
                print(json.dumps([subject.name, mode, outcome, hashes]), file=index)


def _kept(folder: Path, text: str) -> str:
    name = hashlib.sha256(text.encode()).hexdigest()
    path = folder / f"{name}.{os.getpid()}"
    if not path.exists():
        path.write_bytes(gzip.compress(text.encode(), 1))
    return name


# the comparison


@dataclass(frozen=True, slots=True)
class Dump:
    """What a tree makes of the programs."""

    folder: Path
    rows: dict[tuple[str, str], tuple[str, tuple[str, ...]]]

    @classmethod
    def read(cls, folder: Path) -> Dump:
        rows: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {}
        for path in sorted(folder.glob("index*")):
            for line in path.read_text().splitlines():
                name, mode, outcome, hashes = json.loads(line)
                rows[name, mode] = outcome, tuple(hashes)
        return cls(folder, dict(sorted(rows.items())))

    def text(self, name: str) -> list[str]:
        """A text by its hash."""
        path = next(self.folder.glob(f"{name}.*"))
        return gzip.decompress(path.read_bytes()).decode().splitlines()


def _start(tree: Path, folder: Path, options: argparse.Namespace, part: int) -> Any:
    """A process that dumps one part of the programs with a tree's compiler."""
    command = [
        sys.executable, "-m", "tools.same_code", str(tree), "--count", str(options.count),
        "--only", options.only, "--dump", str(folder), "--part", str(part), str(options.jobs),
        *(["--values"] if options.values else []),
    ]  # fmt: skip
    path = os.pathsep.join((str(tree / "src"), str(ROOT)))
    cache = folder / f"cache{part}"
    cache.mkdir()
    more = {
        "PYTHONPATH": path, "PYTHONHASHSEED": "0", "RETROGRAD_CACHE": str(cache),
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | more)


def dumps(trees: Sequence[Path], folder: Path, options: argparse.Namespace) -> list[Dump]:
    """What each tree makes of the programs; the trees are at work side by side."""
    folders = [folder / str(k) for k in range(len(trees))]
    processes: list[Any] = []
    for tree, place in zip(trees, folders, strict=True):
        if not (tree / "src" / "retrograd").is_dir():
            raise SystemExit(f"{tree} is no tree of retrograd: it has no src/retrograd")
        place.mkdir()
        processes += [_start(tree, place, options, part) for part in range(options.jobs)]
    if any([process.wait() != 0 for process in processes]):
        raise SystemExit("a tree could not be compared")
    return [Dump.read(place) for place in folders]


@dataclass(frozen=True, slots=True)
class Difference:
    """A program and mode of which two trees make something different."""

    name: str
    mode: str
    what: str
    lines: tuple[str, ...]


def differences(other: Dump, mine: Dump) -> Iterator[Difference]:
    """Where they differ, by name and mode; outcomes first, since texts are of what was reached."""
    nothing: tuple[str, tuple[str, ...]] = "missing", ()
    for key in sorted({*other.rows, *mine.rows}):
        (was, old), (now, new) = other.rows.get(key, nothing), mine.rows.get(key, nothing)
        if old != new:
            pairs = (pair for pair in zip(old, new, strict=False) if pair[0] != pair[1])
            pair = next(pairs, None)
            lines = [f"{len(old)} modules, now {len(new)}"]
            if pair is not None:
                lines = _first_difference(other.text(pair[0]), mine.text(pair[1]))
            yield Difference(*key, f"text ({len(old)} modules, {len(new)})", tuple(lines))
        if was != now:
            yield Difference(*key, "outcome", (f"- {was}", f"+ {now}"))


def _first_difference(old: list[str], new: list[str]) -> list[str]:
    """Some lines around the first difference of two texts."""
    at = next(
        (k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    window = slice(max(0, at - 3), at + 12)
    diff = difflib.unified_diff(old[window], new[window], lineterm="", n=3)
    return [f"line {at + 1}", *list(diff)[2:]]


def report(other: Dump, mine: Dump, console: Console, shown: int = 1) -> int:
    """Prints what is equal and what differs; the number of differences."""
    found = list(differences(other, mine))
    different = {(d.name, d.mode) for d in found}
    table = Table("mode", "programs", "modules", "equal", "different", title="LLVM text")
    for mode in sorted({mode for _, mode in mine.rows}):
        rows = {key: row for key, row in mine.rows.items() if key[1] == mode}
        bad = sum(key in different for key in rows)
        modules = sum(len(texts) for _, texts in rows.values())
        table.add_row(mode, *map(str, (len(rows), modules, len(rows) - bad, bad)))
    console.print(table)
    for d in found[:40]:
        console.print(f"{d.name}, {d.mode}: {d.what}", markup=False, highlight=False)
    for d in found[:shown]:
        console.print("\n".join(d.lines), markup=False, highlight=False)
    console.print("no differences" if not found else f"{len(found)} differences")
    return len(found)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tree", type=Path, help="the other tree: what there was before")
    parser.add_argument("--count", type=int, default=300, help="how many random programs")
    parser.add_argument("--only", default="", help="a regular expression: NAME MODE")
    parser.add_argument("--values", action="store_true", help="run them and compare the bits, too")
    parser.add_argument("--show", type=int, default=1, help="how many differences to show as text")
    cores = max(1, (os.cpu_count() or 2) // 2)
    parser.add_argument("--jobs", type=int, default=cores, help="processes for each of the trees")
    parser.add_argument("--dump", help=argparse.SUPPRESS)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.dump:
        dump(options)
        return 0
    with tempfile.TemporaryDirectory() as name:
        trees = [options.tree.resolve(), ROOT]
        other, mine = dumps(trees, Path(name), options)
        return 1 if report(other, mine, Console(), options.show) else 0


if __name__ == "__main__":
    sys.exit(main())
