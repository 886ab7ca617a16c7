"""Draws the functions of the table: `python -m tests.corpus.draw` writes `functions.txt`.

For each package: its modules' own functions of 5 to 200 lines with some arithmetic, in an order
drawn at random (masked arrays are left out); the first ones are taken for which plain Python, at
the arguments of `arguments.py`, gives finite floats whose differences agree. At most four come from
one module. retrograd is not asked.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import inspect
import io
import pkgutil
import random
import signal
import sys
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np

from tests.corpus.arguments import OF_OTHERS, Call, calls_of, is_variable, read, written
from tests.corpus.copies import function_of
from tests.corpus.measure import Unsuitable, probe
from tests.corpus.sources import PACKAGES, Package

TABLE = Path(__file__).with_name("functions.txt")
_SEED = 2026
_OF_A_MODULE = 4
_SKIPPED = (
    "test", "plot", "example", "dataset", "vectorized", "numba", "cli", "gui", "version", "setup",
    "benchmarks.", "iotools", "conftest", "__main__", "bench", "visual", "documentation", "sandbox",
    "mstats",
)  # fmt: skip
_PUBLIC = ("numpy", "math", "cmath", "scipy")


def modules(package: Package) -> Iterator[str]:
    """The names of a package's modules."""
    for root in package.roots:
        yield root
        made = importlib.import_module(root)
        if hasattr(made, "__path__"):
            for found in pkgutil.walk_packages(made.__path__, f"{root}.", onerror=lambda _: None):
                if not any(word in found.name.removeprefix(root) for word in _SKIPPED):
                    yield found.name


def functions(package: Package) -> Iterator[tuple[str, str]]:
    """Module and name of each function that might do."""
    for name in dict.fromkeys(modules(package)):
        try:
            module = importlib.import_module(name)
        except OF_OTHERS:
            continue
        for word, found in sorted(vars(module).items()):
            if isinstance(found, FunctionType) and found.__module__ == name and _fits(found):
                if package.distribution != "scipy" or _is_alone(module, found, set()):
                    yield name, word


def _fits(function: FunctionType) -> bool:
    if hasattr(function, "__wrapped__") or function.__name__ == "<lambda>":
        return False
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError, TypeError):
        return False
    if not isinstance(node, ast.FunctionDef):
        return False
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
    inner = [n for part in body for n in ast.walk(part)]
    sums = sum(isinstance(n, ast.BinOp | ast.AugAssign) for n in inner)
    return 5 <= lines <= 200 and sums >= 3 and not any(isinstance(n, ast.Yield) for n in inner)


def _is_alone(module: ModuleType, function: FunctionType, seen: set[str]) -> bool:
    """Whether a function of SciPy's needs nothing of SciPy's that a user could not call."""
    if function.__name__ in seen:
        return True
    seen.add(function.__name__)
    for name in _names(function):
        if hasattr(builtins, name):
            continue
        found = vars(module).get(name)
        if isinstance(found, FunctionType) and found.__module__ == module.__name__:
            if not _is_alone(module, found, seen):
                return False
        elif isinstance(found, ModuleType):
            if found.__name__.partition(".")[0] not in _PUBLIC or "._" in found.__name__:
                return False
        elif not isinstance(found, int | float | str | tuple | np.ndarray | np.ufunc):
            origin = str(getattr(found, "__module__", ""))
            if origin.partition(".")[0] not in _PUBLIC or "._" in origin:
                return False
    return True


def _names(function: FunctionType) -> set[str]:
    names = set(function.__code__.co_names) & set(function.__globals__)
    for constant in function.__code__.co_consts:
        if inspect.iscode(constant):
            names |= set(constant.co_names) & set(function.__globals__)
    return names


class _TooLate(BaseException):
    """Raised in a function that takes too long, which may catch all else."""


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Nothing is printed, and what is unsuitable is passed over."""
    with contextlib.redirect_stdout(io.StringIO()):
        with contextlib.suppress(Unsuitable, *OF_OTHERS):
            yield


def _late(_signal: int, _frame: object) -> None:
    raise _TooLate


def arguments_of(module: str, name: str) -> Call | None:
    """The first call of a function that is suitable."""
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(12)
    try:
        function = function_of(module, name)
        for call in calls_of(function):
            with _quiet():
                if (kept := _suitable(function, call)) is not None:
                    return kept
    except (_TooLate, *OF_OTHERS):
        return None
    finally:
        signal.alarm(0)
    return None


def _suitable(function: FunctionType, call: Call) -> Call | None:
    """A call as it is read back from its text, if it is suitable."""
    args, kwargs = call
    text = written((list(args), kwargs))
    if len(text) > 600:
        return None
    args, kwargs = read(text)
    if not any(is_variable(v) for v in (*args, *kwargs.values())):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        probe(function, (tuple(args), kwargs), "draw")
    return tuple(args), kwargs


def drawn(package: Package) -> Iterator[str]:
    """The lines of a package."""
    every = list(functions(package))
    random.Random(f"{_SEED} {package.distribution}").shuffle(every)
    taken: Counter[str] = Counter()
    tried = 0
    for module, name in every:
        if sum(taken.values()) == package.count:
            break
        if taken[module] == _OF_A_MODULE:
            continue
        tried += 1
        call = arguments_of(module, name)
        if call is None:
            continue
        taken[module] += 1
        yield f"{module}:{name} {written((list(call[0]), call[1]))}"
    print(f"{package.distribution}: {len(every)} functions, {tried} tried, {sum(taken.values())} "
          "taken", file=sys.stderr)  # fmt: skip


def main(only: list[str]) -> None:
    """Writes the table, or the lines of some packages to the screen."""
    warnings.simplefilter("ignore")
    parts: list[str] = []
    for package in PACKAGES:
        if only and package.distribution not in only:
            continue
        parts.append(f"[{package.distribution}=={version(package.distribution)}]")
        parts.extend(drawn(package))
    text = "\n".join(parts) + "\n"
    if only:
        print(text)
    else:
        TABLE.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
