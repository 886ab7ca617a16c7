"""Times that clocks tell: programs take their differences, but nothing depends on them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["CLOCKS", "TIME", "Time"]


@dataclass(frozen=True, slots=True)
class Time:
    """Stands for a number of seconds that only the run knows."""


TIME = Time()

CLOCKS: tuple[Callable[[], object], ...] = (
    time.time, time.perf_counter, time.monotonic, time.process_time, time.time_ns,
    time.perf_counter_ns, time.monotonic_ns, time.process_time_ns,
)  # fmt: skip
