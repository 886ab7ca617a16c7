"""The rivals in C: compiled by gcc on first use, loaded with ctypes.

The flags are what a C programmer who cares would use without giving up IEEE semantics:
`-ffp-contract=fast` lets gcc form fma instructions, there is no `-ffast-math`, and `-fopenmp-simd`
allows what single loops ask for: a sum whose order the program leaves open, in lanes.
Objects are kept in a private directory under the system's temporary one, keyed by source,
flags and processor, so that only the first run compiles.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "CAdjoint", "CPrimal", "address", "double", "gcc_available", "integer", "load", "pointer",
    "processor_name",
]  # fmt: skip

FLAGS = (
    *("-std=c11", "-O3", "-march=native", "-ffp-contract=fast", "-fopenmp-simd"),
    *("-fPIC", "-shared"),
)

FloatArray = npt.NDArray[np.float64]
Signature = tuple[type[Any], ...]
address = ctypes.c_void_p
double = ctypes.c_double
integer = ctypes.c_int64


@dataclass(frozen=True, slots=True)
class CPrimal:
    """A C primal bound to its data."""

    run: Callable[[], float]


@dataclass(frozen=True, slots=True)
class CAdjoint:
    """A hand-written C adjoint bound to its data.

    `run` returns the value and leaves the gradient in `gradient`. `tape_bytes` is everything that
    its forward sweep stores for its reverse sweep.
    """

    run: Callable[[], float]
    gradient: tuple[FloatArray, ...]
    tape_bytes: int


def gcc_available() -> bool:
    """Whether there is a C compiler to build the rivals with."""
    return shutil.which("gcc") is not None


def pointer(array: FloatArray) -> ctypes.c_void_p:
    """The address of a contiguous float64 array, as C sees it; it keeps the array alive."""
    if not array.flags.c_contiguous or array.dtype != np.float64:
        raise ValueError("the rivals in C take contiguous float64 arrays")
    return array.ctypes.data_as(ctypes.c_void_p)


def cache_directory() -> Path:
    """A directory that only this user can write, since what lies in it is loaded as code."""
    path = Path(tempfile.gettempdir()) / f"retrograd-benchmarks-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    info = path.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid() or info.st_mode & 0o022:
        raise PermissionError(f"{path} is not a private directory of this user")
    return path


def processor(*fields: str) -> str:
    """These fields of the system's description of its processors."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists():
        return platform.processor()
    lines = cpuinfo.read_text().splitlines()
    return "; ".join(sorted({x.partition(": ")[2] for x in lines if x.startswith(fields)}))


def processor_name() -> str:
    """What the figures were measured on, for people."""
    return processor("model name") or platform.machine()


def load(source: Path, functions: Mapping[str, Signature]) -> Mapping[str, Callable[..., float]]:
    """Compiles `source` unless that was done before, and gives its functions by name.

    `functions` maps names to argument types; all of them return double.
    """
    text = source.read_bytes()
    key = hashlib.sha256(
        b"\0".join((text, " ".join(FLAGS).encode(), processor("model name", "flags").encode()))
    )
    target = cache_directory() / f"{source.stem}-{key.hexdigest()[:20]}.so"
    if not target.exists():
        part = target.with_suffix(f".{os.getpid()}")
        command = ["gcc", *FLAGS, str(source), "-o", str(part), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"gcc failed on {source.name}:\n{done.stderr}")
        part.replace(target)
    library = ctypes.CDLL(str(target))
    found: dict[str, Callable[..., float]] = {}
    for name, types in functions.items():
        function = library[name]
        function.argtypes = list(types)
        function.restype = ctypes.c_double
        found[name] = function
    return found
