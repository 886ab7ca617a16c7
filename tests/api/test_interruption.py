"""Runs of user programs that are interrupted, kept, and gone on with here or elsewhere."""

from __future__ import annotations

import ctypes
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.runtime.context import Context, warm

RNG = np.random.default_rng(11)


def flow(x, steps):
    """A loop of small steps with a loop inside whose length depends on the data."""
    marks = np.zeros(3)
    for _ in range(steps):
        dx, dy = 10.0 * (x[1] - x[0]), x[0] * (28.0 - x[2]) - x[1]
        x[2] += 0.001 * (x[0] * x[1] - 8.0 / 3.0 * x[2])
        x[0] += 0.001 * dx
        x[1] += 0.001 * dy
        while marks[0] < x[0]:
            marks[0] += 0.25
    marks[1:] = x[1:]
    return marks


def grown(n):
    """An array that changes its size."""
    a = np.ones(1)
    while a.shape[0] < n:
        b = np.zeros(a.shape[0] + 3)
        for k in range(a.shape[0]):
            b[k] = a[k] * 1.01 + k
        a = b
    return a, float(a.shape[0])


def tree(n):
    if n < 2:
        return 1.0 + n
    return tree(n - 1) + 0.5 * tree(n - 2)


def summed(w, x):
    """Long sums whose lanes are open while it is interrupted."""
    total = 0.0
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            total += w[i, j] * x[j]
        total *= 0.999
    return total


def inner_gradient(x, n):
    for _ in range(n):
        x = x - 0.1 * rg.grad(lambda z: np.sum(z * z * z * z))(x)
    return x


def long_loss(z):
    total = 0.0
    for i in range(z.shape[0]):
        t = z[i]
        for _ in range(50 * z.shape[0]):
            t = t * 0.99 + z[i] * z[i] * 0.001
        total += t * t
    return total


def long_gradients(x, n):
    """Each gradient is one step, however long it takes."""
    for _ in range(n):
        x = x - 0.1 * rg.grad(lambda z: long_loss(z))(x)
    return x


CASES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "flow": (flow, (np.ones(3), 700)),
    "grown": (grown, (120,)),
    "tree": (tree, (13,)),
    "summed": (summed, (RNG.normal(size=(40, 300)), RNG.normal(size=300))),
    "long gradients": (long_gradients, (RNG.normal(size=12), 6)),
    "inner gradient": (inner_gradient, (RNG.normal(size=8), 90)),
}


def bits(value: Any) -> list[bytes]:
    leaves = value if isinstance(value, tuple) else (value,)
    return [np.asarray(leaf).tobytes() for leaf in leaves]


@pytest.mark.parametrize("name", CASES)
def test_wherever_it_is_cut_the_bits_are_those_of_one_run(name: str) -> None:
    fun, args = CASES[name]
    before = [np.array(a) for a in args]
    want = bits(rg.jit(fun)(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in args)))
    length = rg.primops(fun, *args)
    for steps in sorted({1, 7, length // 3, length // 2, length - 1}):
        capsule = rg.interrupt(fun, *args, steps=max(1, steps))
        if not isinstance(capsule, rg.Capsule):
            assert bits(capsule) == want
            continue
        assert capsule.steps >= steps
        assert capsule.nbytes > 0
        for _ in range(2):
            assert bits(rg.resume(capsule)) == want
        value = rg.resume(capsule, steps=max(1, length // 5))
        while isinstance(value, rg.Capsule):
            value = rg.resume(value, steps=max(1, length // 5))
        assert bits(value) == want
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_length_is_that_of_all_legs() -> None:
    fun, args = CASES["tree"]
    length = rg.primops(fun, *args)
    capsule = rg.interrupt(fun, *args, steps=100)
    seen = [capsule.steps]
    while isinstance(capsule := rg.resume(capsule, steps=100), rg.Capsule):
        seen.append(capsule.steps)
    assert seen == sorted(seen)
    assert seen == [100 * (k + 1) for k in range(len(seen))]
    assert seen[-1] < length <= seen[-1] + 100


def test_a_short_run_just_ends() -> None:
    assert rg.interrupt(lambda x: x * x, 3.0, steps=1) == 9.0


def late(n):
    a = np.zeros(n)
    k = 0
    while True:
        a[k] = 1.0
        k += 1


def test_errors_come_where_they_came() -> None:
    capsule = rg.interrupt(late, 500, steps=300)
    for _ in range(2):
        with pytest.raises(IndexError, match="index 500 is out of bounds"):
            rg.resume(capsule)


def test_one_context_serves_all_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a leg ends with, nothing of it is left there."""
    used: list[Context] = []

    def seen(pool: list[Context]) -> Context:
        used.append(warm(pool))
        assert used[-1].get("live") == 0
        return used[-1]

    monkeypatch.setattr("retrograd.api.interruption.warm", seen)
    for _ in range(3):
        capsule = rg.interrupt(late, 500, steps=300)
        with pytest.raises(IndexError):
            rg.resume(capsule)
    assert len(used) == 6
    assert len(set(map(id, used))) == 1
    assert used[0].get("live") == 0


def test_a_long_tape_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of a plain derivative inside of the run, which is one leg."""
    used: list[Context] = []

    def seen(pool: list[Context]) -> Context:
        used.append(warm(pool))
        return used[-1]

    def slope(x, n):
        def turns(y):
            for _ in range(n):
                y = np.sin(y)
            return y

        return rg.grad(turns)(x)

    monkeypatch.setattr("retrograd.api.interruption.warm", seen)
    monkeypatch.setattr("retrograd.runtime.context._KEEP_TAPE", 1 << 16)
    assert np.isfinite(rg.interrupt(slope, 0.3, 100_000, steps=1))
    peak = used[-1].get("tape_peak")
    tape = used[-1].tape_address
    words = np.ctypeslib.as_array((ctypes.c_uint64 * (peak // 8)).from_address(tape))
    assert peak >= 800_000
    assert np.flatnonzero(words).max() < (1 << 16) // 8


@pytest.mark.parametrize("steps", [0, -3, 2.5, True, "7", 1 << 70])
def test_a_number_of_steps_that_is_none(steps: Any) -> None:
    with pytest.raises(UserError, match="RG4002"):
        rg.interrupt(tree, 9, steps=steps)
    capsule = rg.interrupt(tree, 9, steps=5)
    with pytest.raises(UserError, match="RG4002"):
        rg.resume(capsule, steps=steps)


def test_only_capsules_are_resumed() -> None:
    ended: Any = rg.interrupt(tree, 2, steps=1000)
    with pytest.raises(UserError, match="RG4001: resume needs a capsule, not float"):
        rg.resume(ended)


def test_saved_and_gone_on_with_in_another_process(tmp_path: Path) -> None:
    module = tmp_path / "spiral.py"
    module.write_text(
        "import numpy as np\n\n\ndef spiral(x, n):\n    a = x.copy()\n    for k in range(n):\n"
        "        a[0] += 0.01 * a[1]\n        a[1] -= 0.01 * a[0]\n    return a\n"
    )
    first = (
        "import numpy as np, retrograd as rg\nfrom spiral import spiral\n"
        "rg.interrupt(spiral, np.array([1.0, 0.5]), 50_000, steps=20_000).save('run.rg')\n"
        "print(rg.jit(spiral)(np.array([1.0, 0.5]), 50_000).tobytes().hex())\n"
    )
    second = (
        "import numpy as np, retrograd as rg\nfrom spiral import spiral\n"
        "capsule = rg.Capsule.load('run.rg', spiral, np.zeros(2), 1)\n"
        "print(rg.resume(capsule).tobytes().hex())\n"
    )
    shown = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        for code in (first, second)
    ]
    assert shown[0] == shown[1] != ""


def test_files_that_are_no_capsules(tmp_path: Path) -> None:
    path = tmp_path / "run.rg"
    rg.interrupt(tree, 12, steps=50).save(path)
    good = path.read_bytes()
    assert rg.resume(rg.Capsule.load(path, tree, 12)) == tree(12)
    for what, data in {
        "is damaged": good[:-1],
        "is damaged ": good[:200] + bytes([good[200] ^ 1]) + good[201:],
        "is no capsule": b"",
        "is no capsule ": b"P" + good[1:],
    }.items():
        path.write_bytes(data)
        with pytest.raises(UserError, match=f"RG4001: .*{what.strip()}"):
            rg.Capsule.load(path, tree, 12)
    path.write_bytes(good)
    with pytest.raises(UserError, match="RG4001: .*of another program"):
        rg.Capsule.load(path, flow, np.ones(3), 5)
    with pytest.raises(UserError, match="RG4001: .*of another program"):
        rg.Capsule.load(path, tree, 12.0)
    with pytest.raises(FileNotFoundError):
        rg.Capsule.load(tmp_path / "none.rg", tree, 12)


def test_an_older_file_stays_when_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.rg"
    capsule = rg.interrupt(tree, 12, steps=50)
    capsule.save(path)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        rg.resume(capsule, steps=50).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_arrays_given_afterwards_do_not_matter() -> None:
    x = np.ones(3)
    capsule = rg.interrupt(flow, x, 700, steps=300)
    want = bits(rg.resume(capsule))
    x[:] = 5.0
    assert bits(rg.resume(capsule)) == want


def reheaded(raw: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """A file with another header and a checksum that fits."""
    length = int.from_bytes(raw[40:48], "little")
    header = json.loads(raw[48 : 48 + length])
    change(header)
    text = json.dumps(header).encode()
    return summed_up(raw, len(text).to_bytes(8, "little") + text + raw[48 + length :])


def summed_up(raw: bytes, body: bytes) -> bytes:
    return raw[:8] + hashlib.sha256(body).digest() + body


def pointing_elsewhere(raw: bytes) -> bytes:
    """A file whose frames point to blocks that are not there."""
    length = int.from_bytes(raw[40:48], "little")
    words = json.loads(raw[48 : 48 + length])["lengths"][0]
    start = 48 + length
    frames = np.frombuffer(raw, np.uint64, words, start).copy()
    frames[(frames >> np.uint64(40) > 0) & (frames >> np.uint64(63) == 0)] += np.uint64(99 << 40)
    return summed_up(raw, raw[40:start] + frames.tobytes() + raw[start + 8 * words :])


def test_files_that_are_made_up(tmp_path: Path) -> None:
    path = tmp_path / "run.rg"
    fun, args = CASES["summed"]
    rg.interrupt(fun, *args, steps=500).save(path)
    raw = path.read_bytes()
    short = {"dtype": "<f8", "shape": [2], "scalar": False}
    changes: dict[str, Callable[[dict[str, Any]], object]] = {
        "no inputs": lambda h: h.update(inputs=[]),
        "objects": lambda h: h["inputs"][0].update(dtype="|O"),
        "a shorter input": lambda h: h["inputs"].__setitem__(1, short),
        "a negative length": lambda h: h.update(lengths=[-1, 0, 0]),
        "long lengths": lambda h: h.update(lengths=[10**9, 0, 0]),
        "no lengths": lambda h: h.pop("lengths"),
        "words for a number": lambda h: h.update(steps="many"),
        "another rank": lambda h: h["inputs"][1].update(shape=[300, 1]),
        "no scalars": lambda h: h["inputs"][1].update(scalar=True),
    }
    files = {what: reheaded(raw, change) for what, change in changes.items()}
    files["no header"] = summed_up(raw, b"\xff" * 50)
    files["no arrays"] = summed_up(raw, raw[40 : 48 + int.from_bytes(raw[40:48], "little")])
    files["pointers"] = pointing_elsewhere(raw)
    for data in files.values():
        path.write_bytes(data)
        with pytest.raises(UserError, match=r"RG4001: .*(not written as|no state that)"):
            rg.Capsule.load(path, fun, *args)
    path.write_bytes(reheaded(raw, lambda h: h.update(target="z80")))
    with pytest.raises(UserError, match="RG4001: .*another kind"):
        rg.Capsule.load(path, fun, *args)


def test_a_program_is_compiled_once() -> None:
    one, other = (rg.interrupt(tree, n, steps=20) for n in (12, 13))
    assert one.program is other.program
    assert "tree after 20 steps" in repr(one)
