"""Shared set-up: hypothesis profiles and the seeds of every test."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

_SLOW_DATA = [HealthCheck.too_slow, HealthCheck.data_too_large]

# Compilation makes the time of an example uneven, so there is no deadline in any profile.
settings.register_profile("dev", deadline=None, suppress_health_check=_SLOW_DATA)
settings.register_profile(
    "ci", parent=settings.get_profile("dev"), derandomize=True, print_blob=True, database=None
)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "dev")


@pytest.fixture
def rng() -> np.random.Generator:
    """Random data that is the same in every run."""
    return np.random.default_rng(20240229)
