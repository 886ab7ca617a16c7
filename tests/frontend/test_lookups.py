"""Questions that a translation asked: the same answers elsewhere mean the same program."""

from __future__ import annotations

import math
from types import FunctionType, ModuleType

import numpy as np
import pytest

from retrograd.frontend.identity.lookups import Recorder, begin, replay
from retrograd.frontend.identity.specs import spec_of
from retrograd.frontend.trace import trace_function

scale = 2.0
mode: object = None


def helper(x):
    return x * scale


def caller(x):
    return helper(x) + math.pi if mode is None else x


def recorded(f: FunctionType) -> Recorder:
    recorder = trace_function(f, [spec_of(1.0)]).recorder
    assert recorder.obstacle is None
    return recorder


def holds(recorder: Recorder, f: FunctionType) -> bool:
    return replay(recorder.lookups, begin(f, [spec_of(1.0)], ())[0])


def test_nothing_changed() -> None:
    assert holds(recorded(caller), caller)


@pytest.mark.parametrize(
    ("name", "value", "same"),
    [
        ("scale", 3.0, True),
        ("scale", np.float64(3.0), True),
        ("scale", 3, False),
        ("scale", np.ones(2), False),
        ("scale", np.sin, False),
        ("mode", ..., False),
        ("mode", "word", False),
        ("helper", caller, False),
        ("helper", math.sin, False),
        ("math", np, False),
        ("math", ModuleType("math"), False),
    ],
)
def test_a_global_changes(
    name: str, value: object, same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = recorded(caller)
    monkeypatch.setitem(globals(), name, value)
    assert holds(recorder, caller) == same


def test_a_global_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = recorded(caller)
    monkeypatch.delitem(globals(), "scale")
    assert not holds(recorder, caller)


def test_an_attribute_of_a_library_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = recorded(caller)
    monkeypatch.setattr(math, "pi", 3.0)
    assert not holds(recorder, caller)


def test_code_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = recorded(caller)
    monkeypatch.setattr(helper, "__code__", (lambda x: x + scale).__code__)
    assert not holds(recorder, caller)


def test_a_new_default(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x, y=1.0):
        return x * y

    recorder = recorded(f)
    monkeypatch.setattr(f, "__defaults__", (1.0,))
    assert holds(recorder, f)
    monkeypatch.setattr(f, "__defaults__", (2.0,))
    assert not holds(recorder, f)


def test_a_builtin_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return abs(x)

    recorder = recorded(f)
    assert holds(recorder, f)
    monkeypatch.setitem(globals(), "abs", math.fabs)
    assert not holds(recorder, f)


def test_a_cell_is_emptied() -> None:
    factor = 2.0

    def f(x):
        return x * factor

    recorder = recorded(f)
    assert holds(recorder, f)
    (cell,) = f.__closure__ or ()
    del cell.cell_contents
    assert not holds(recorder, f)


def test_what_was_never_asked_for_is_an_obstacle() -> None:
    recorder = Recorder.beginning(caller, [spec_of(1.0)], ())
    recorder.require(caller)
    assert recorder.obstacle is None
    recorder.require(helper)
    assert recorder.obstacle is not None


def test_a_holder_that_was_never_met_is_an_obstacle() -> None:
    recorder = Recorder.beginning(caller, [spec_of(1.0)], ())
    recorder.ask("attribute", math, "pi", "value")
    assert recorder.obstacle is not None
