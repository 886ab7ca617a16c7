"""What the system says about memory: how much there is, and how much this process has had."""

from __future__ import annotations

import os
import resource
from pathlib import Path

__all__ = ["available_bytes", "high_water_bytes"]

MEMINFO, STATUS = Path("/proc/meminfo"), Path("/proc/self/status")


def field_bytes(source: Path, name: str) -> int | None:
    """A field that is given in kB; None where there is no such file or field."""
    if not source.exists():
        return None
    for line in source.read_text().splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    return None


def available_bytes() -> int:
    """Memory that can be had without swapping; all that the machine has where that is unknown."""
    found = field_bytes(MEMINFO, "MemAvailable")
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if found is None else found


def high_water_bytes() -> int:
    """The most resident memory that this process has had so far."""
    found = field_bytes(STATUS, "VmHWM")
    if found is not None:
        return found
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
