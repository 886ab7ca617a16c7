"""From a function object to its syntax tree, with places that are true in the file.

The whole file is parsed, so that line and column need no correction; the function is found by the
position that its code object remembers.
"""

from __future__ import annotations

import ast
import copy
import linecache
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from types import CellType, CodeType, FunctionType
from typing import Any

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.attached import (
    attach,
    codes_inside,
    command_line,
    compiled_like,
    features,
    file_of,
    is_source_of,
)
from retrograd.frontend.identity.eager import collected
from retrograd.frontend.identity.endless import stepping
from retrograd.frontend.identity.fingerprint import code_digest
from retrograd.frontend.identity.interleaved import calling, generating, looped_body
from retrograd.frontend.identity.matching import without_matches
from retrograd.frontend.identity.nodes import nodes_in
from retrograd.tracebacks import program_of

__all__ = [
    "LIBRARY", "FunctionSource", "Generated", "Home", "Name", "Sources", "body_of", "generated",
    "is_coroutine", "is_generator",
]  # fmt: skip

LIBRARY = "retrograd.frontend.library."

_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200


def body_of(node: ast.FunctionDef | ast.Lambda) -> list[ast.stmt]:
    """The statements of a function; a lambda's expression as a `return`."""
    if isinstance(node, ast.FunctionDef):
        return node.body
    return [ast.copy_location(ast.Return(value=node.body), node.body)]


@dataclass(frozen=True, slots=True, eq=False)
class Home:
    """Where a real function finds what its parameters do not give; compared by identity."""

    globals: dict[str, Any]
    cells: Mapping[str, CellType]
    defaults: tuple[Any, ...]
    kwdefaults: Mapping[str, Any]

    @staticmethod
    def of(function: FunctionType) -> Home:
        """The surroundings of a function."""
        names, cells = function.__code__.co_freevars, function.__closure__ or ()
        return Home(
            function.__globals__, dict(zip(names, cells, strict=True)),
            function.__defaults__ or (), function.__kwdefaults__ or {},
        )  # fmt: skip

    @property
    def ours(self) -> bool:
        """Whether it is a library program, which is as fixed as the compiler itself."""
        name: object = self.globals.get("__name__")
        return isinstance(name, str) and name.startswith(LIBRARY)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionSource:
    """One `def` or `lambda` and the file that it stands in; compared by identity.

    `place` is where the user calls it, if it is a function of ours: what happens in it is said of
    that place. `cls` is the class around it.
    """

    file: str
    node: ast.FunctionDef | ast.Lambda
    ascii: bool
    place: Span | None = None
    cls: str = ""

    def mangled(self, name: str) -> str:
        """An attribute's name as Python has it: private ones have that of their class before."""
        return _mangled(name, self.cls)

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"

    @property
    def body(self) -> list[ast.stmt]:
        """The statements; a lambda's expression as a `return`."""
        return body_of(self.node)

    def span(self, node: ast.AST) -> Span:
        """The place of a node of this function."""
        if self.place is not None:
            return self.place
        line: int = getattr(node, "lineno", self.node.lineno)
        col: int = getattr(node, "col_offset", self.node.col_offset)
        end_line: int = getattr(node, "end_lineno", None) or line
        end_col: int = getattr(node, "end_col_offset", None) or col + 1
        if not self.ascii:
            col, end_col = self._column(line, col), self._column(end_line, end_col)
        return Span(self.file, line, col, end_line, end_col)

    def _column(self, line: int, offset: int) -> int:
        """The syntax tree counts bytes of UTF-8; a reader counts characters."""
        text = linecache.getline(self.file, line).encode()
        return len(text[:offset].decode(errors="ignore"))


@dataclass(frozen=True, slots=True, eq=False)
class Generated:
    """The syntax of a function that we have written, in places of the user's file.

    `tree` is the module of which it was compiled.
    """

    file: str
    node: ast.FunctionDef
    tree: ast.Module


class Name(ast.Name):
    """In such syntax, a variable that is read though it may never have been assigned.

    Where it has not been, the value is any, of its kind: nobody needs it. The class has the name
    of its base, by which syntax is printed.
    """


_GENERATED = "__retrograd_generated__"


def generated(function: FunctionType, syntax: Generated) -> FunctionType:
    """The function, which is known to have this syntax."""
    function.__dict__[_GENERATED] = syntax
    return function


@dataclass(frozen=True, slots=True)
class Parsed:
    """The syntax of a file; `functions` are those that begin on a line, decorators included.

    In these any `match` is the `if` that it stands for.
    """

    tree: ast.Module
    ascii: bool
    functions: Mapping[int, Sequence[ast.FunctionDef | ast.Lambda]]


@lru_cache(maxsize=128)
def _parsed(text: str, file: str) -> Parsed:
    """The syntax of a text, kept for the next translation; nobody changes it in place."""
    tree = ast.parse(text, filename=file)
    functions: dict[int, list[ast.FunctionDef | ast.Lambda]] = {}
    nodes = nodes_in(tree)
    if any(isinstance(node, ast.Match) for node in nodes):
        nodes = nodes_in(without_matches(tree))
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            above = node.decorator_list if isinstance(node, ast.FunctionDef) else []
            first = min([node.lineno, *(d.lineno for d in above)])
            functions.setdefault(first, []).append(node)
    return Parsed(tree, text.isascii(), functions)


@lru_cache(maxsize=128)
def _digests(tree: ast.Module, file: str, flags: int) -> frozenset[str]:
    """The digests of all functions that Python makes of a file's syntax."""
    top = compiled_like(tree, file, flags)
    return frozenset(code_digest(inner) for inner in codes_inside(top))


@dataclass(slots=True)
class Sources:
    """Finds and keeps the syntax of functions for the time of one translation.

    `attached` are the names of texts that the user has given, by the file that their code names;
    `trees` has the syntax in which each function was found.
    """

    trees: dict[CodeType, Parsed] = field(default_factory=dict[CodeType, Parsed])
    attached: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    found: dict[CodeType, FunctionSource] = field(default_factory=dict[CodeType, FunctionSource])
    lists: dict[int, tuple[ast.AST, FunctionSource]] = field(
        default_factory=dict[int, tuple[ast.AST, FunctionSource]]
    )
    contexts: dict[CodeType, FunctionSource] = field(default_factory=dict[CodeType, FunctionSource])
    callers: dict[tuple[int, Span | None], tuple[ast.AST, FunctionSource]] = field(
        default_factory=dict["tuple[int, Span | None]", "tuple[ast.AST, FunctionSource]"]
    )
    bodies: dict[tuple[int, tuple[str, ...]], tuple[ast.For, ast.FunctionDef]] = field(
        default_factory=dict[tuple[int, tuple[str, ...]], tuple[ast.For, ast.FunctionDef]]
    )
    expressions: dict[int, tuple[ast.AST, ast.FunctionDef]] = field(
        default_factory=dict[int, tuple[ast.AST, ast.FunctionDef]]
    )
    steps: dict[tuple[int, Span | None], tuple[ast.AST, FunctionSource | None]] = field(
        default_factory=dict["tuple[int, Span | None]", "tuple[ast.AST, FunctionSource | None]"]
    )
    homes: dict[int, tuple[Callable[..., Any], Home]] = field(
        default_factory=dict[int, tuple[Callable[..., Any], Home]]
    )
    nested: dict[tuple[int, Span | None], FunctionSource] = field(
        default_factory=dict["tuple[int, Span | None]", FunctionSource]
    )
    ours: dict[tuple[CodeType, Span | None], FunctionSource] = field(
        default_factory=dict["tuple[CodeType, Span | None]", FunctionSource]
    )

    def home(self, function: FunctionType) -> Home:
        """The surroundings of a function; always the same object."""
        if id(function) not in self.homes:
            self.homes[id(function)] = function, Home.of(program_of(function))
        return self.homes[id(function)][1]

    def inner(self, outer: FunctionSource, node: ast.FunctionDef | ast.Lambda) -> FunctionSource:
        """The source of a function that stands inside another; always the same object."""
        key = id(node), outer.place
        if key not in self.nested:
            self.nested[key] = replace(outer, node=node)
        return self.nested[key]

    def of(self, function: FunctionType, used_at: Span | None) -> FunctionSource:
        """The source of a function; UserError where there is none or it does not fit."""
        function = program_of(function)
        if is_generator(function):
            raise _lazy(function)
        return self.as_written(function, used_at)

    def eager(self, written: FunctionSource) -> FunctionSource:
        """A generator as a function that returns a list of all it yields."""
        key = id(written.node)
        if key not in self.lists:
            node = copy.deepcopy(written.node)
            assert isinstance(node, ast.FunctionDef)
            made = replace(written, node=collected(node, written.span))
            self.lists[key] = written.node, made
        return self.lists[key][1]

    def managed(
        self, function: FunctionType, used_at: Span | None,
        split: Callable[[FunctionSource], ast.FunctionDef],
    ) -> FunctionSource:  # fmt: skip
        """A generator function as the function that `split` makes of it; always the same object."""
        written = self.as_written(function, used_at)
        code = function.__code__
        if code not in self.contexts:
            self.contexts[code] = replace(written, node=split(written))
        return self.contexts[code]

    def interleaved(self, written: FunctionSource) -> FunctionSource:
        """A generator as the function that calls a loop's body; always the same object."""
        node, key = written.node, (id(written.node), written.place)
        if key not in self.callers:
            assert isinstance(node, ast.FunctionDef)
            self.callers[key] = node, replace(written, node=calling(node, written.span))
        return self.callers[key][1]

    def body_of(
        self, stm: ast.For, shared: tuple[str, ...], shown: tuple[str, ...]
    ) -> ast.FunctionDef:
        """The body of a loop over a generator as a function; always the same object."""
        key = id(stm), shared
        if key not in self.bodies:
            self.bodies[key] = stm, looped_body(stm, shared, shown)
        return self.bodies[key][1]

    def stepping(self, written: FunctionSource, ours: bool) -> FunctionSource | None:
        """An endless generator as a function that makes its steps; None of all others."""
        key = id(written.node), written.place
        if key not in self.steps:
            assert isinstance(written.node, ast.FunctionDef)
            made = stepping(written.node, ours)
            found = None if made is None else replace(written, node=made)
            self.steps[key] = written.node, found
        return self.steps[key][1]

    def expression(self, node: ast.ListComp | ast.GeneratorExp) -> ast.FunctionDef:
        """A comprehension as a generator function; always the same object."""
        if id(node) not in self.expressions:
            self.expressions[id(node)] = node, generating(node)
        return self.expressions[id(node)][1]

    def as_written(self, function: FunctionType, used_at: Span | None) -> FunctionSource:
        """The source of a function or generator function."""
        code = function.__code__
        if code not in self.found:
            self.found[code] = self._find(function, used_at)
        return self.found[code]

    def of_ours(self, function: FunctionType, used_at: Span | None) -> FunctionSource:
        """The source of a function of ours, as it is called at a place of the user's.

        Where that is shared, it is one for all such places.
        """
        found = self.of(function, used_at)
        if used_at is None:
            return found
        key = program_of(function).__code__, None if used_at.shared else used_at
        if key not in self.ours:
            self.ours[key] = replace(found, place=used_at)
        return self.ours[key]

    def faithful(self) -> bool:
        """Whether every function found is what Python makes of the text that it was found in.

        It is not where a file was changed after it was imported, or where an import hook rewrites
        what it reads. Then the code object does not say what was translated.
        """
        return all(_made_of(self.trees[code], code) for code in self.found)

    def _find(self, function: FunctionType, used_at: Span | None) -> FunctionSource:
        code = function.__code__
        if is_coroutine(function):
            raise _lazy(function)
        ours: object = function.__dict__.get(_GENERATED)
        if isinstance(ours, Generated):
            whole = "".join(linecache.getlines(ours.file)).isascii()
            self.trees[code] = Parsed(ours.tree, whole, {})
            return FunctionSource(ours.file, ours.node, whole, cls=_class_around(code))
        file, lines = self._lines(function)
        if not lines:
            raise _missing(function, used_at)
        parsed = _tree(file, lines, function, used_at)
        if not Home.of(function).ours and not _made_of(parsed, code):
            # What was read may be older than the function: of before its module was reloaded.
            if os.path.exists(file):
                lines = linecache.updatecache(file, function.__globals__)
                parsed = _tree(file, lines, function, used_at)
            if _is_imported(function) and not _made_of(parsed, code):
                raise _changed(function)
        self.trees[code] = parsed
        fitting = [n for n in parsed.functions.get(code.co_firstlineno, ()) if _fits(n, code)]
        if len(fitting) > 1:
            fitting = [n for n in fitting if _covers(n, code)] or fitting[:1]
        if not fitting:
            raise _changed(function)
        return FunctionSource(file, fitting[0], parsed.ascii, cls=_class_around(code))

    def _lines(self, function: FunctionType) -> tuple[str, list[str]]:
        """The name and the lines of the text in which a function stands, none if it is missing."""
        file = function.__code__.co_filename
        if (named := file_of(file)) is not None:
            self.attached.setdefault(named, set()).add(file)
        lines = linecache.getlines(file, function.__globals__)
        if lines:
            return file, lines
        given = command_line() if file == "<string>" else None
        names = {attach(given, file)} if given is not None else set[str]()
        for name in sorted(names | self.attached.get(file, set())):
            lines = linecache.getlines(name)
            if is_source_of("".join(lines), function.__code__):
                return name, lines
        return file, []


def _tree(file: str, lines: list[str], function: FunctionType, used_at: Span | None) -> Parsed:
    try:
        return _parsed("".join(lines), file)
    except SyntaxError as error:
        raise _missing(function, used_at) from error


def _made_of(parsed: Parsed, code: CodeType) -> bool:
    """Whether a function is one that Python makes of a file's syntax."""
    try:
        return code_digest(code) in _digests(parsed.tree, code.co_filename, features(code))
    except SyntaxError:  # what stands around the function is no program
        return False


def _is_imported(function: FunctionType) -> bool:
    """Whether Python itself has compiled the file: no import hook has rewritten what it reads."""
    loader: object = function.__globals__.get("__loader__")
    return type(loader) is SourceFileLoader and loader.path == function.__code__.co_filename


def _changed(function: FunctionType) -> UserError:
    return UserError(
        "RG0102", f"the source of {function.__name__!r} is not what is running",
        _start(function.__code__), "the file has changed since it was imported: import it again",
    )  # fmt: skip


def is_generator(function: FunctionType) -> bool:
    """Whether calling a function makes a generator."""
    return bool(function.__code__.co_flags & _GENERATOR)


def is_coroutine(function: FunctionType) -> bool:
    """Whether a function is `async`."""
    return bool(function.__code__.co_flags & (_COROUTINE | _ASYNC_GENERATOR))


def _lazy(function: FunctionType) -> UserError:
    return UserError(
        "RG0101",
        f"{function.__name__!r} is a generator or a coroutine",
        _start(function.__code__),
        "write a function that returns its result, or a list of them",
    )


def _class_around(code: CodeType) -> str:
    """The name of the class in whose body a function, or one around it, stands; "" for none."""
    names = code.co_qualname.split(".")[:-1]
    while names and names[-1] == "<locals>":
        names = names[:-2]
    return names[-1] if names else ""


def _mangled(name: str, around: str) -> str:
    """A name as Python has it in a class."""
    private = name.startswith("__") and not name.endswith("__")
    return f"_{around.lstrip('_')}{name}" if private and around else name


def _missing(function: FunctionType, used_at: Span | None) -> UserError:
    return UserError(
        "RG0102",
        f"the source of {function.__name__!r} is not available",
        used_at,
        "give the text that was executed, rg.jit(f, source=text), which rg.grad and its like take, "
        "or put the function into a file and import it from there",
    )


def _start(code: CodeType) -> Span:
    return Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 1)


def _fits(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> bool:
    """Whether a node on its first line has the name and the parameters of a code object."""
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    if name != code.co_name:
        return False
    args = node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    around = _class_around(code)
    return tuple(_mangled(n, around) for n in names) == code.co_varnames[: len(names)]


def _covers(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> bool:
    """Whether the last position in the bytecode is that of the node's body (for two in a line)."""
    body = node.body if isinstance(node, ast.Lambda) else node.body[-1]
    places = [p for p in code.co_positions() if None not in p and p[3] != p[2]]
    if not places:
        return False
    starts = min((p[0] or 0, p[2] or 0) for p in places if (p[2], p[3]) != (0, 0))
    ends = max((p[1] or 0, p[3] or 0) for p in places)
    return starts >= (body.lineno, body.col_offset) and ends == (
        body.end_lineno,
        body.end_col_offset,
    )
