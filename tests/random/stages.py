"""The stages that a random program goes through; each gives None, or what is wrong.

A refusal is wrong too: every program of the generator is in the accepted language.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import retrograd as rg
from retrograd.backends.interp.eval import run
from retrograd.errors import RetrogradError
from retrograd.ir.terms import Program
from retrograd.prims.core import RaisedError
from retrograd.prims.table import PRIMITIVES
from retrograd.transforms.passes import Pass, run_pipeline
from retrograd.transforms.pipelines import OPTIMISE
from tests.random.derivatives import first_order, second_order
from tests.random.harness import (
    IllConditioned,
    Outcome,
    agree,
    compare,
    outcome,
    sensitivity,
)
from tests.random.programs import RandomProgram, loaded
from tests.random.programs.module import copied
from tests.random.programs.reduce import reduce
