"""The cache of object code: found again, checked, private, and never in the way."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from retrograd.backends.llvm import cache, store
from retrograd.backends.llvm.cache import load_or_compile, support_codes
from retrograd.backends.llvm.jit import link_objects, object_code, optimised_text
from retrograd.backends.llvm.module import module_text
from retrograd.backends.llvm.store import cache_folder
from retrograd.errors import CompilerBug
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import parsed

SOURCE = """
program f

function f(x: f64) -> (f64):
  y: f64 = mul(x, 3.0)
  return y
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path))
    return tmp_path / "retrograd"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were compiled."""
    seen: list[str] = []

    def counted(text: str, level: int = 3) -> bytes:
        seen.append(text)
        return object_code(text, level)

    monkeypatch.setattr(cache, "object_code", counted)
    return seen


def text() -> str:
    return module_text(parsed(SOURCE), DEFAULT).text


def test_a_second_time_it_is_found(folder: Path, compilations: list[str]) -> None:
    first, second = load_or_compile(text()), load_or_compile(text())
    assert first == second
    assert len(compilations) == 1
    assert [p.suffix for p in folder.iterdir()] == [".o"]
    support = support_codes(module_text(parsed(SOURCE), DEFAULT))
    assert link_objects((second, *support), "f").entry is not None


def test_another_text_or_level_is_another_file(folder: Path, compilations: list[str]) -> None:
    load_or_compile(text())
    load_or_compile(text() + "\n; more")
    load_or_compile(text(), level=1)
    assert len(compilations) == len(list(folder.iterdir())) == 3


def test_a_damaged_file_is_compiled_again(folder: Path, compilations: list[str]) -> None:
    good = load_or_compile(text())
    (file,) = folder.iterdir()
    for damage in (b"", b"short", file.read_bytes()[:-1], bytes(100)):
        file.write_bytes(damage)
        assert load_or_compile(text()) == good
    assert len(compilations) == 5
    content = bytes.fromhex(file.stem) + good
    assert file.read_bytes() == hashlib.sha256(content).digest() + content


def test_the_folder_is_private(folder: Path) -> None:
    assert cache_folder() == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    assert cache_folder() is None


def test_without_a_folder_it_just_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("RETROGRAD_CACHE", str(blocked))
    assert cache_folder() is None
    assert load_or_compile(text())
    assert len(compilations) == 1


def test_the_oldest_files_go(
    folder: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    size = len(load_or_compile(text())) + 64
    (old,) = folder.iterdir()
    os.utime(old, (0, 0))
    monkeypatch.setattr(store, "_SIZE_CAP", int(1.5 * size))
    monkeypatch.setattr(store, "_LOOK_EVERY", 1)
    load_or_compile(text() + "\n; more")
    (left,) = folder.iterdir()
    assert left != old


def test_the_folder_is_looked_through_rarely(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(exist_ok=True)
    looks: list[Path] = []
    monkeypatch.setattr(store, "_shrink", looks.append)
    for k in range(1000):
        store.write(folder / f"{k}.o", b"key", str(k).encode())
    assert 1 <= len(looks) <= 50


def test_a_broken_module_is_our_bug() -> None:
    with pytest.raises(CompilerBug, match="LLVM refused"):
        object_code("define i32 @f() { ret i64 0 }")


def test_optimised_text_is_for_people() -> None:
    found = optimised_text(text())
    assert "fmul double" in found
    assert "fast" not in found.replace("fastcc", "")


PRINT_HASH = """
import hashlib, sys
from retrograd.backends.llvm.module import module_text
from retrograd.ir.parse import parse_program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.vjp import lower_vjp_nodes

program = parse_program(sys.stdin.read())
program = lower_vjp_nodes(program, supply_for(program), DEFAULT)
print(hashlib.sha256(module_text(program, DEFAULT).text.encode()).hexdigest())
"""

DERIVED = """
program main

function main(x: f64[1], y: f64[1], b: f64[1]) -> (f64[1], f64[1]):
  r: f64[1], x_bar: f64[1], y_bar: f64[1] = vjp f(x, y; cotangents=(b,), wrt=(0, 1))
  return x_bar, y_bar

function f(x: f64[1], y: f64[1]) -> (f64[1]):
  a: f64[1] = mul(x, y)
  b: f64[1] = sin(a)
  c: f64[1] = mul(b, x)
  p: f64[1], q: f64[1] = for k < 3 with (d: f64[1] = c, e: f64[1] = b):
      v: f64 = index(d, k; checked=false, span=none)
      w: f64[1] = mul(e, v)
      g: f64[1] = exp(w)
      yield g, d
  r: f64[1] = mul(p, q)
  return r
"""


def test_the_text_does_not_depend_on_the_process() -> None:
    """It is the cache's key: a second process must find what the first one wrote."""
    found = set()
    for seed in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", PRINT_HASH],
            input=DERIVED,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        found.add(done.stdout)
    assert len(found) == 1
