"""Settings from outside, which decide what a program is: flags in dicts, a thread's variables."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
import scipy.constants

import retrograd as rg
from retrograd.errors import UserError

OWN = threading.local()
DEFAULTS = {"slow": False, "order": 2, "scale": 2.0, "name": "plain"}
COUNT = 3
UNITS = {"ev", "j"}
TABLES = [[1.0, 2.0], [3.0, 4.0, 5.0], [1.0]]


def settings():
    if not hasattr(OWN, "settings"):
        OWN.settings = DEFAULTS.copy()
    return OWN.settings


def by_settings(x):
    given = settings().copy()
    if given["slow"]:
        return os.getpid() * x
    return given["scale"] * x ** given["order"]


def by_tables(x):
    total = 0.0
    for k in range(COUNT):
        for c in TABLES[k]:
            total = total * x + c
    return total


def test_variables_of_a_thread_are_those_of_the_thread_that_calls() -> None:
    settings()
    assert rg.value_and_grad(by_settings)(3.0) == (18.0, 12.0)
    found: list[tuple[float, float]] = []

    def elsewhere() -> None:
        OWN.settings = {"slow": False, "order": 3, "scale": 1.0}
        found.append(rg.value_and_grad(by_settings)(2.0))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [(8.0, 12.0)]
    OWN.settings["order"] = 1
    assert rg.value_and_grad(by_settings, memory=10_000_000)(3.0) == (6.0, 2.0)
    OWN.settings = dict(DEFAULTS)
    assert rg.value_and_grad(by_settings)(3.0) == (18.0, 12.0)


def test_an_int_of_a_module_that_chooses_lists_is_known(monkeypatch) -> None:
    assert rg.value_and_grad(by_tables)(2.0)[0] == by_tables(2.0)
    monkeypatch.setitem(globals(), "COUNT", 2)
    value, slope = rg.value_and_grad(by_tables)(2.0)
    assert value == by_tables(2.0)
    np.testing.assert_allclose(slope, (by_tables(2.0 + 1e-6) - by_tables(2.0 - 1e-6)) / 2e-6)


def test_constants_by_name_and_sets_of_texts() -> None:
    def energy(x):
        known = x if "ev" in UNITS else 2.0 * x
        return known / scipy.constants.value("Boltzmann constant in eV/K")

    assert rg.value_and_grad(energy)(2.0)[0] == energy(2.0)
    with pytest.raises(UserError) as caught:
        rg.jit(lambda x: x * scipy.constants.value("a constant"))(1.0)
    assert caught.value.code == "RG0113"
