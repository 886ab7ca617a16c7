"""Shared set-up: hypothesis profiles and the seeds of every test."""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import signal
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from retrograd.backends.llvm import cache

_SLOW_DATA = [HealthCheck.too_slow, HealthCheck.data_too_large]

# Compilation makes the time of an example uneven, so there is no deadline in any profile.
settings.register_profile("dev", deadline=None, suppress_health_check=_SLOW_DATA)
settings.register_profile(
    "ci", parent=settings.get_profile("dev"), derandomize=True, print_blob=True, database=None
)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "dev")


_CACHE = pytest.StashKey[Path]()
_FIRST_TIER, _CI = "not slow", "ci"
_OPTIMISED = 12
"""Of so many programs one is optimised by LLVM in the first tier."""
_LONG = 40_000
"""Characters of text from which on it is one of three times as many: such programs are larger, not
of more kinds, and each takes a second."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """What tests of texts take."""
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write tests/transforms/golden and the outputs of notebooks anew",
    )


def optimise_some() -> None:
    """From now on LLVM optimises a part of the programs only, chosen by their text.

    Its optimiser takes most of the time of the tests. No bit may depend on it, so whatever compares
    two programs that have to agree compares what is optimised with what is not, too.
    """
    compiled = cache.load_or_compile

    def load_or_compile(text: str, level: int = 3) -> bytes:
        # The modules that programs are linked to have no entry, and are compiled once.
        if level == 3 and "@rg_entry(" in text:
            drawn = hashlib.sha256(text.encode()).digest()[0]
            level = 0 if drawn % (3 * _OPTIMISED if len(text) > _LONG else _OPTIMISED) else level
        return compiled(text, level)

    cache.load_or_compile = load_or_compile


def pytest_configure(config: pytest.Config) -> None:
    """All workers of a run share a disk cache of their own, not the user's.

    What a shell starts in the background ignores Ctrl-C, and so would the tests of it: they would
    never end.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.markexpr in (_FIRST_TIER, _CI):
        optimise_some()
    if not hasattr(config, "workerinput"):
        config.stash[_CACHE] = Path(tempfile.mkdtemp(prefix="retrograd-tests-"))
        os.environ["RETROGRAD_CACHE"] = str(config.stash[_CACHE])
        # Else each process that a test starts would parse the package again.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(config.stash[_CACHE] / "bytecode")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks most cases of tests that are `thinned` as slow, and some slow ones as those of CI.

    Before any are left out.
    """
    seen, later = Counter[str](), Counter[str]()
    for item in items:
        marker = item.get_closest_marker("thinned")
        if marker is not None and item.get_closest_marker("slow") is None:
            test = item.nodeid.partition("[")[0]
            if seen[test] % marker.args[0]:
                item.add_marker(pytest.mark.slow)
            seen[test] += 1
        marker = item.get_closest_marker("also_in_ci")
        if marker is not None and item.get_closest_marker("slow") is not None:
            test = item.nodeid.partition("[")[0]
            if later[test] < marker.args[0]:
                item.add_marker(pytest.mark.ci)
            later[test] += 1


def pytest_collection_finish() -> None:
    """The collector of cycles need not look through thousands of tests again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(500_000, 20, 50)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The cache goes with the run."""
    if _CACHE in config.stash:
        shutil.rmtree(config.stash[_CACHE], ignore_errors=True)


@pytest.fixture
def rng() -> np.random.Generator:
    """Random data that is the same in every run."""
    return np.random.default_rng(20240229)
