"""Random well-typed programs: a generator of Python modules over the accepted language."""

from tests.random.programs.features import FAULTY, PLAIN, SMOOTH, Features
from tests.random.programs.generate import from_seed, programs
from tests.random.programs.module import RandomProgram, loaded

__all__ = [
    "FAULTY", "PLAIN", "SMOOTH", "Features", "RandomProgram", "from_seed", "loaded", "programs",
]  # fmt: skip
