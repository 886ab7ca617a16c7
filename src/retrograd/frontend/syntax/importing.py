"""`import` inside of a function, and names that it declares `global`."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from types import ModuleType

from retrograd.frontend.values.kinds import Static
from retrograd.frontend.values.scopes import assign_name, module_attribute
from retrograd.frontend.values.tracer import NeedModules, Tracer

__all__ = ["run_global", "run_import", "run_import_from"]


def _module(t: Tracer, name: str) -> ModuleType:
    """A module, which is loaded now if it was not: the program would load it when it runs."""
    if name in sys.modules:
        return sys.modules[name]
    try:
        importlib.import_module(name)
        raise NeedModules
    except ImportError as error:
        message = f"the module {name!r} cannot be imported ({error})"
        raise t.error("RG0101", message, "import it at the top of the module") from error


def run_import(t: Tracer, stm: ast.Import) -> None:
    """`import a.b`, which binds `a`, and `import a.b as c`."""
    for alias in stm.names:
        module = _module(t, alias.name)
        top = alias.name.partition(".")[0]
        found = module if alias.asname else sys.modules[top]
        t.recorder.require(found)
        assign_name(t, alias.asname or top, Static(found))


def run_import_from(t: Tracer, stm: ast.ImportFrom) -> None:
    """`from m import a as b`: what the module has under that name, or a module inside of it."""
    name = stm.module or ""
    if stm.level:
        package = t.frame.origin.globals.get("__package__")
        if not isinstance(package, str) or not package:
            raise t.error("RG0101", "a relative import outside of a package", "name the package")
        name = importlib.util.resolve_name("." * stm.level + name, package)
    module = _module(t, name)
    for alias in stm.names:
        if alias.name not in vars(module) and f"{name}.{alias.name}" not in sys.modules:
            _module(t, f"{name}.{alias.name}")
        t.recorder.require(module)
        value = module_attribute(t, module, alias.name)
        assign_name(t, alias.asname or alias.name, value)


def run_global(t: Tracer, stm: ast.Global) -> None:
    """Names of the module, which may be assigned for a time: they are what they were in the end."""
    for name in stm.names:
        if t.frame.locals.pop(name, None) is not None:
            t.frame.module_names.add(name)
