"""What the system says about memory: how much there is, and how much this process has had."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
from pathlib import Path

__all__ = ["available_bytes", "forget_high_water", "high_water_bytes"]

MEMINFO, STATUS = Path("/proc/meminfo"), Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")


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


def forget_high_water() -> None:
    """Has the high water count from now on, where the system can do so.

    What compiling took would hide what comes after it; so would what it has given back to the
    allocator, and not the allocator to the system.
    """
    gc.collect()
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except AttributeError:  # another C library than GNU's
        pass
    else:
        trim(0)
    if CLEAR.exists():
        CLEAR.write_text("5\n")
