"""A program that calls a library's function, which may raise, counted as one that prints: each run
of it made the address of a function that shows what there was not."""

from __future__ import annotations

import numpy as np

import retrograd as rg
from retrograd.api.calls.runner import Runner


def f(a):
    return np.linalg.cholesky(a)


def test_it_has_no_speaker():
    compiled = rg.jit(f)
    compiled(np.eye(2))
    ((_, runner),) = compiled.made.values()
    assert isinstance(runner, Runner)
    executable = runner.built.executable
    assert [site for site in executable.errors if not site.kind]  # the place of the call
    assert executable.speaker is None
