"""The support that is compiled once: all of it is there, and nothing of it is in modules."""

from __future__ import annotations

import re

import pytest

from retrograd.backends.llvm import cache
from retrograd.backends.llvm.jit import object_code, optimised_text
from retrograd.backends.llvm.math import emit, emit_apart
from retrograd.backends.llvm.math.kernels import KERNELS
from retrograd.backends.llvm.module import ModuleText, module_text
from retrograd.backends.llvm.support import CALLED, FRAMES, PLAIN, TURNS
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import parsed

WAVES = """
program f

function f(x: f64[1], k: f64) -> (f64[1]):
  n: i64 = dim(x; axis=0)
  y: f64[1] = zeros(n; dtype="f64")
  z: f64[1] = for i < n with (a: f64[1] = y):
      v: f64 = index(x, i; checked=false)
      s: f64 = sin(v)
      t: f64 = mod(s, k)
      b: f64[1] = update(a, t, i; checked=false)
      yield b
  return z
"""
OTHER = WAVES.replace("sin(v)", "mul(v, v)")
ALL = ("exp", "floordiv", "mod", "sin")


def module(source: str = WAVES, interruptible: bool = False) -> ModuleText:
    return module_text(parsed(source), DEFAULT, interruptible)


def defined(text: str) -> set[str]:
    return set(re.findall(r"^define (?!internal).*?@([\w.]+)\(", text, re.MULTILINE))


def declared(text: str) -> set[str]:
    return set(re.findall(r"^declare .*?@(rg_\w+)\(", text, re.MULTILINE))


@pytest.mark.parametrize("interruptible", [False, True])
def test_what_a_module_calls_is_in_its_support_and_not_in_itself(interruptible: bool) -> None:
    found = module(interruptible=interruptible)
    support = set().union(*map(defined, found.support))
    called = set(re.findall(r"call [^@\n]*@(rg_\w+)\(", found.text))
    assert {"rg_alloc_1", "rg_sin_1", "rg_mod_1"} <= called & support
    assert not support & defined(found.text)
    own = set(re.findall(r"^define [^\n]*?@(rg_\w+)\(", found.text, re.MULTILINE))
    assert called <= support | own


def test_declarations_agree_with_definitions() -> None:
    assert declared(CALLED) <= defined(PLAIN) | defined(FRAMES)
    assert declared(CALLED) <= defined(TURNS) | defined(FRAMES)
    for text in (PLAIN, TURNS, FRAMES):
        found = optimised_text(text)
        for name in declared(CALLED) & defined(text):
            (head,) = re.findall(rf"^define .*@{name}\(.*$", found, re.MULTILINE)
            (mine,) = re.findall(rf"^declare .*@{name}\(.*$", CALLED, re.MULTILINE)
            group = re.findall(r"#\d+", head)[-1]
            (attributes,) = re.findall(rf"^attributes {group} = .*$", found, re.MULTILINE)
            assert ("noalias" in mine) == ("noalias" in head)
            assert ("willreturn" in mine) == ("willreturn" in attributes)
            assert "nounwind" in mine


def test_loops_call_the_vector_copies() -> None:
    assert re.search(r"call <\d x double> @rg_sin_\d\(", optimised_text(module().text))


def test_elementary_functions_apart_are_the_same_definitions() -> None:
    text, modules = emit_apart(ALL)
    whole = set(emit(ALL).split("define ")[1:])
    apart = {part for one in (text, *modules) for part in one.split("define ")[1:]}
    assert {p.strip() for p in whole} == {
        re.sub(r"\n@llvm.compiler.*", "", p).strip() for p in apart
    }
    assert len(modules) == sum(KERNELS[name].rare is not None for name in ALL)


def test_support_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def counted(text: str, level: int = 3) -> bytes:
        compiled.append(text)
        return object_code(text, level)

    monkeypatch.setattr(cache, "cache_folder", lambda: None)
    monkeypatch.setattr(cache, "object_code", counted)
    first, second = cache.object_codes(module()), cache.object_codes(module(OTHER))
    assert len(set(compiled)) == len(compiled)
    assert first[1] == second[1]
    before = len(compiled)
    cache.object_codes(module())
    assert len(compiled) == before + 1
