"""FILE.py:FUNC and name=value: from words of a command line to a function and its arguments."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import click

__all__ = [
    "bind_arguments", "load_function", "parse_value", "positions_of", "target_and_arguments",
]  # fmt: skip


def target_and_arguments(command: Callable[..., None]) -> Callable[..., None]:
    """The two parameters that every command has."""
    argument = click.argument("target", metavar="FILE.py:FUNC")
    option = click.option(
        "--arg",
        "words",
        multiple=True,
        metavar="NAME=VALUE",
        help="A number, True, [1,2,3] (an array of floats), (1.0,2) (a tuple), FILE.npy or "
        "FILE.npz:key. Once for each parameter without a default.",
    )
    return argument(option(command))


def load_function(target: str) -> Callable[..., Any]:
    """The function that `FILE.py:FUNC` names; FILE.py is run once, as `import` would run it."""
    file, _, name = target.rpartition(":")
    if not file or not name:
        raise click.BadParameter(f"{target!r} is not of the form FILE.py:FUNC")
    found = vars(_load_module(Path(file))).get(name)
    if found is None:
        raise click.BadParameter(f"{file} defines no {name!r}")
    if not callable(found):
        raise click.BadParameter(f"{name!r} in {file} is not a function")
    return found


def _load_module(path: Path) -> ModuleType:
    if not path.is_file():
        raise click.BadParameter(f"there is no file {str(path)!r}")
    path = path.resolve()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise click.BadParameter(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # As `python FILE.py` does: modules beside the file can be imported.
    sys.path.insert(0, str(path.parent))
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise click.BadParameter(f"{path.name}:{error.lineno}: {error.msg}") from error
    except ImportError as error:
        raise click.BadParameter(f"{path.name} cannot be imported: {error}") from error
    return module


def bind_arguments(f: Callable[..., Any], words: Sequence[str]) -> tuple[Any, ...]:
    """The positional arguments of `f` from words `name=value`; defaults fill the rest."""
    values: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise click.BadParameter(f"{word!r} is not of the form name=value")
        if name in values:
            raise click.BadParameter(f"{name!r} is given twice")
        values[name] = parse_value(text)
    parameters = inspect.signature(f).parameters
    if unknown := [name for name in values if name not in parameters]:
        known = ", ".join(parameters) or "none"
        raise click.BadParameter(f"there is no parameter {unknown[0]!r} (there are: {known})")
    bound: list[Any] = []
    for name, parameter in parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            if name in values:
                raise click.BadParameter(f"{name!r} is not a positional parameter")
            continue
        if name not in values and parameter.default is parameter.empty:
            raise click.BadParameter(f"parameter {name!r} has no value: add --arg {name}=...")
        bound.append(values.get(name, parameter.default))
    return tuple(bound)


def positions_of(text: str, count: int) -> tuple[int, ...]:
    """The positions that `--argnums` names, of so many arguments."""
    try:
        positions = tuple(int(word) for word in text.split(","))
    except ValueError as error:
        raise click.BadParameter(f"--argnums {text!r}: numbers with commas between") from error
    if bad := [p for p in positions if not 0 <= p < count]:
        raise click.BadParameter(f"--argnums {bad[0]}: the function has {count} arguments")
    return positions


def parse_value(text: str) -> Any:
    """A number, a bool, an array `[1,2,3]`, a tuple `(1.0,[2,3])`, FILE.npy or FILE.npz:key."""
    stem, _, key = text.rpartition(":")
    if stem.endswith(".npz"):
        return _load_array(Path(stem), key)
    if text.endswith(".npy"):
        return _load_array(Path(text), "")
    if text.endswith(".npz"):
        raise click.BadParameter(f"{text}: say which array, as in {text}:key")
    if text in ("nan", "inf", "-inf"):
        return float(text)
    try:
        literal = ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise click.BadParameter(
            f"{text!r} is neither a number, a list, a tuple, FILE.npy nor FILE.npz:key"
        ) from error
    return _from_literal(literal, text)


def _from_literal(literal: Any, text: str) -> Any:
    import numpy as np

    match literal:
        case bool() | int() | float():
            return literal
        case tuple():
            members = cast("tuple[Any, ...]", literal)
            return tuple(_from_literal(member, text) for member in members)
        case list():
            try:
                array = np.array(cast("list[Any]", literal), dtype=np.float64)
            except (ValueError, TypeError) as error:
                raise click.BadParameter(f"{text}: rows of one length, of numbers") from error
            return array
        case _:
            raise click.BadParameter(f"{text!r} is not a number, a list or a tuple of them")


def _load_array(path: Path, key: str) -> Any:
    """An array from disk. Objects are refused by NumPy: loading them would run code."""
    import numpy as np

    try:
        if not key:
            return np.load(path, allow_pickle=False)
        with np.load(path, allow_pickle=False) as archive:
            return archive[key]
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"{path}: {error}") from error
    except KeyError as error:
        raise click.BadParameter(f"{path} holds no array {key!r}") from error
