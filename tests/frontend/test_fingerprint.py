"""Objects as text: what a translation would see differently has another text."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.frontend.identity.fingerprint import Scribe, Unwritable, code_digest, layers


def plain(x):
    return x * 2.0


def other(x):
    return x * 2.0


class Point(NamedTuple):
    a: float
    b: float


@dataclass(frozen=True)
class Called:
    a: float

    def __call__(self, x: float) -> float:
        return self.a * x


def with_constant(value: object) -> CodeType:
    return plain.__code__.replace(co_consts=(None, value))


CONSTANTS = [
    0, 0.0, -0.0, False, 1, 1.0, True, "1", b"1", 1j, -1j, 0j, complex(0.0, -0.0), (1,), (1.0,),
    ((1,),), (1, 1), frozenset((1,)), None, ..., plain.__code__, other.__code__,
]  # fmt: skip


def test_every_constant_has_a_text_of_its_own() -> None:
    assert len({code_digest(with_constant(value)) for value in CONSTANTS}) == len(CONSTANTS)


def test_the_digest_of_code_depends_on_everything_in_it() -> None:
    code = plain.__code__
    changed = [
        code.replace(co_firstlineno=code.co_firstlineno + 1),
        code.replace(co_name="another"),
        code.replace(co_qualname="another"),
        code.replace(co_filename="another"),
        code.replace(co_varnames=("y",)),
        code.replace(co_code=bytes(reversed(code.co_code))),
        code.replace(co_linetable=code.co_linetable[:-1]),
        code.replace(co_exceptiontable=b"1"),
        code.replace(co_flags=code.co_flags ^ 2),
        code.replace(co_names=("z",)),
    ]
    digests = {code_digest(c) for c in (code, *changed)}
    assert len(digests) == len(changed) + 1
    assert code_digest(code.replace()) == code_digest(code)


def test_a_copy_of_a_function_is_not_the_function() -> None:
    copied, moved = (FunctionType(plain.__code__, plain.__globals__) for _ in range(2))
    moved.__module__ = "retrograd.api"  # whose functions are not translated
    assert len({Scribe().static(f) for f in (plain, copied, moved)}) == 3


def test_an_object_is_its_number_from_then_on() -> None:
    scribe = Scribe()
    first = scribe.static(plain)
    assert scribe.static(plain) == "#0"
    assert scribe.static(other) != first
    again = Scribe()
    assert again.static(plain) == first


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (np.sin, np.cos),
        (math.sin, np.sin),
        (plain, rg.jit(plain)),
        (rg.jit(plain), rg.grad(plain)),
        (rg.grad(plain), rg.grad(plain, argnums=1)),
        (rg.grad(plain), rg.grad(plain, argnums=(0,))),
        (rg.grad(plain), rg.grad(plain, has_aux=True)),
        (functools.partial(plain, 1), functools.partial(plain, 1.0)),
        (functools.partial(plain, 1), functools.partial(plain, x=1)),
        (functools.partial(plain, 1), functools.partial(other, 1)),
        (rg.custom_jvp(plain), rg.custom_vjp(plain)),
        (Point, Called),
        (np.dtype("f8"), np.dtype("i8")),
        (None, ...),
        ("None", None),
        (math, np),
    ],
)
def test_texts_differ(one: object, two: object) -> None:
    assert Scribe().static(one) == Scribe().static(one)
    assert Scribe().static(one) != Scribe().static(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (1.0, 1),
        (1, True),
        (np.ones(1), np.ones((1, 1))),
        (np.ones(1), np.ones(1, int)),
        ((1.0,), [1.0]),
        ((1.0,), (1.0, 1.0)),
        (Point(1.0, 2.0), (1.0, 2.0)),
        (Point(1.0, 2.0), Point(1.0, 2)),
        ((1.0, np.sin), (1.0, np.cos)),
    ],
)
def test_types_of_data_differ(one: Any, two: Any) -> None:
    assert Scribe().data(one, "x") != Scribe().data(two, "x")


def test_of_data_only_the_type_counts() -> None:
    assert Scribe().data(Point(1.0, 2.0), "x") == Scribe().data(Point(3.0, 4.0), "x")
    assert Scribe().data(np.ones(7), "x") == Scribe().data(np.zeros(5), "x")
    assert Scribe().data(np.ones(7), "X") != Scribe().data(np.zeros(5), "X")  # a constant
    assert Scribe().data(np.ones((7, 7)), "x") != Scribe().data(np.zeros((5, 6)), "x")


def test_of_literals_the_bits_count() -> None:
    texts = {Scribe().value(v) for v in (0.0, -0.0, 0, False, 1.0, 1, True, np.float64(1.0), 0.1)}
    assert len(texts) == 9


@pytest.mark.parametrize(
    "obj",
    [Called(1.0), [].append, Point(1.0, 2.0)._asdict, {}, math.sin.__call__, 1j],
)
def test_what_is_not_listed_has_no_text(obj: object) -> None:
    with pytest.raises(Unwritable):
        Scribe().static(obj)


@pytest.mark.parametrize("obj", [np.float32(1.0), {float("nan"): 0}, b"word"])
def test_what_is_not_accepted_is_no_data(obj: object) -> None:
    with pytest.raises(Unwritable):
        Scribe().data(obj, "x")


def test_transformations_are_told_from_the_function_inside() -> None:
    text, inner = layers(rg.grad(rg.jit(plain), argnums=(0, 1)))
    assert inner is plain
    assert layers(plain) == ("", plain)
    assert text != layers(rg.grad(rg.jit(plain)))[0]
    assert text != layers(rg.jit(rg.grad(plain, argnums=(0, 1))))[0]


def test_what_is_only_itself_has_its_number() -> None:
    one, other, scribe = object(), object(), Scribe()
    texts = [scribe.static(obj) for obj in (one, other, one)]
    assert texts == ["#0 object", "#1 object", "#0"]
