"""Fuzzes retrograd for some minutes: random programs, unpleasant arguments, in subprocesses.

    python -m tools.fuzz --minutes 10

A worker takes seeds. Each seed is a program with arguments that are bent into something nasty:
Fortran-ordered, strided, read-only, big-endian, zero-size or 0-d arrays, object arrays, NaN,
infinities, the wrong rank or type. The program is run, differentiated in both modes, and compared
with plain Python. Whatever happens must be a value or one clear error. A worker that dies or hangs,
an error that is neither retrograd's nor the program's, and a wrong value are findings: program,
arguments and story are saved under `out/fuzz/`.
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
HANG = 120.0


# bending arguments


def _fortran(x: np.ndarray) -> Any:
    return np.asfortranarray(x)


def _strided(x: np.ndarray) -> Any:
    wide = np.zeros(tuple(2 * n for n in x.shape), x.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in x.shape)]
    view[...] = x
    return view


def _reversed(x: np.ndarray) -> Any:
    return x[::-1].copy()[::-1]


def _read_only(x: np.ndarray) -> Any:
    x = x.copy()
    x.flags.writeable = False
    return x


def _big_endian(x: np.ndarray) -> Any:
    return x.astype(x.dtype.newbyteorder(">"))


def _empty(x: np.ndarray) -> Any:
    return np.zeros((0, *x.shape[1:]), x.dtype)


def _broadcast(x: np.ndarray) -> Any:
    return np.broadcast_to(x[:1], x.shape)


def _misaligned(x: np.ndarray) -> Any:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


def _poisoned(x: np.ndarray) -> Any:
    if x.dtype.kind != "f" or x.size == 0:
        return x
    x = x.copy()
    x.flat[x.size // 2] = np.nan
    x.flat[0] = np.inf
    return x


def _huge(x: np.ndarray) -> Any:
    return x * 1e300 if x.dtype.kind == "f" else x


SAME_VALUE = (_fortran, _strided, _reversed, _read_only, _big_endian, _misaligned)
OTHER_VALUE: tuple[Callable[[np.ndarray], Any], ...] = (
    _empty,
    _broadcast,
    _poisoned,
    _huge,
    lambda x: x.astype(object),
    lambda x: x.astype(np.float32),
    lambda x: x.astype(np.complex128),
    lambda x: x.reshape(-1)[:1].reshape(()),
    lambda x: x[None],
    lambda x: x.tolist(),
    lambda x: x.astype(str),
    lambda x: np.ma.masked_array(x),
    lambda x: None,
)
SCALARS: tuple[Callable[[Any], Any], ...] = (
    np.float64,
    np.asarray,
    lambda x: float("nan"),
    lambda x: float("inf"),
    lambda x: -0.0,
    lambda x: 10**30,
    lambda x: 2**63 - 1,
    lambda x: np.float32(x),
    lambda x: np.asarray([x]),
    lambda x: True,
    lambda x: "text",
    lambda x: None,
    lambda x: 1j,
    lambda x: x * 1e308,
    lambda x: 5e-324,
)


def bend(args: tuple[Any, ...], choice: random.Random) -> tuple[tuple[Any, ...], str, bool]:
    """Nasty arguments, what was done, and whether plain Python sees the same values."""
    bent: list[Any] = list(args)
    story: list[str] = []
    same = True
    for k, arg in enumerate(args):
        roll = choice.random()
        if isinstance(arg, np.ndarray) and roll < 0.6:
            change = choice.choice(SAME_VALUE)
            bent[k] = change(arg)
            story.append(f"argument {k}: {change.__name__}")
        elif isinstance(arg, np.ndarray) and roll < 0.75:
            index = choice.randrange(len(OTHER_VALUE))
            bent[k], same = OTHER_VALUE[index](arg), False
            story.append(f"argument {k}: other value {index}: {bent[k]!r}")
        elif not isinstance(arg, (np.ndarray, tuple)) and roll < 0.2:
            index = choice.randrange(len(SCALARS))
            bent[k], same = SCALARS[index](arg), False
            story.append(f"argument {k}: scalar {index}: {bent[k]!r}")
    return tuple(bent), "; ".join(story), same


# one case, in the worker


def run_case(seed: int, directory: Path) -> tuple[str, str]:
    """What happened ("ok", "refused", ...) and, for findings, the whole story."""
    from tests.random.fuzzing import attempt

    return attempt(seed, directory, bend)


def work() -> None:
    """Reads seeds, one a line, and answers each with a line of JSON."""
    with tempfile.TemporaryDirectory() as name:
        for line in sys.stdin:
            seed = int(line)
            try:
                verdict, story = run_case(seed, Path(name))
            except (ArithmeticError, AssertionError, AttributeError, LookupError, NameError,
                    OSError, RuntimeError, TypeError, ValueError) as error:  # fmt: skip
                verdict = f"internal {type(error).__name__}"
                story = traceback.format_exc()
            print(json.dumps({"seed": seed, "verdict": verdict, "story": story}), flush=True)


# the parent


class Worker:
    """A subprocess and the thread that reads its answers."""

    def __init__(self) -> None:
        command = [sys.executable, "-X", "faulthandler", "-m", "tools.fuzz", "--worker"]
        self.stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115 (lives as long as the process)
        self.process = subprocess.Popen(
            command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.stderr,
        )  # fmt: skip
        self.answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put("")

    def ask(self, seed: int) -> tuple[str, str]:
        """Sends a seed and waits for the verdict; death and silence are verdicts too."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{seed}\n")
            self.process.stdin.flush()
            line = self.answers.get(timeout=HANG)
        except queue.Empty:
            self.stop()
            return "hang", self._tail()
        except BrokenPipeError:
            line = ""
        if not line:
            return f"crash {self.process.wait()}", self._tail()
        answer = json.loads(line)
        return answer["verdict"], answer["story"]

    def _tail(self) -> str:
        self.stderr.seek(0)
        return self.stderr.read()[-6000:]

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


GOOD = ("ok", "refused", "ill-conditioned", "program error", "plain only")


def save(out: Path, seed: int, verdict: str, story: str) -> None:
    """Keeps a finding with everything needed to run it again."""
    from tests.random.fuzzing import program_of

    out.mkdir(parents=True, exist_ok=True)
    kind = verdict.replace(" ", "-")
    comment = "\n".join(f"# {line}" for line in f"{verdict}\n{story}".splitlines())
    text = program_of(seed).text()
    (out / f"{kind}-{seed}.py").write_text(f"# seed {seed}\n{comment}\n{text}")


def fuzz(minutes: float, first: int, out: Path) -> int:
    """Runs until the time is over; the number of findings."""
    end = time.monotonic() + 60 * minutes
    verdicts: Counter[str] = Counter()
    worker = Worker()
    seed = first
    while time.monotonic() < end:
        if not worker.alive:
            worker = Worker()
        verdict, story = worker.ask(seed)
        verdicts[verdict] += 1
        if verdict not in GOOD:
            save(out, seed, verdict, story)
            print(f"seed {seed}: {verdict}", flush=True)
        seed += 1
    worker.stop()
    print(f"{sum(verdicts.values())} programs: {dict(verdicts.most_common())}")
    return sum(n for verdict, n in verdicts.items() if verdict not in GOOD)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "fuzz")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work()
        return 0
    return 1 if fuzz(options.minutes, options.seed, options.out) else 0


if __name__ == "__main__":
    sys.exit(main())
