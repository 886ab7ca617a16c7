"""The rules of STYLE.md that the linters do not know, checked on every Python file."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_FILE = 500
MAX_FUNCTION = 60

MACHINE_PATH = re.compile(r"/(tmp|work|root|home)/")
UNFINISHED = re.compile(r"#\s*(TODO|FIXME|XXX|HACK)\b")
ASSERTING = re.compile(r"_*(assert|check|expect|verify|raises|warns|fail|same|agree)")

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def files(*folders: str) -> list[Path]:
    found = [p for folder in folders for p in sorted((ROOT / folder).rglob("*.py"))]
    return [p for p in found if "__pycache__" not in p.parts]


SOURCES = files("src")
TESTS = files("tests")
EVERYTHING = [*SOURCES, *files("examples", "benchmarks", "tools"), *TESTS]


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def module_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(module_of(path)))


def broken_by(paths: Iterable[Path], rule: Callable[[ast.AST], bool]) -> list[str]:
    """The places of the syntax nodes that break a rule."""
    return [
        f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
        for path in paths
        for node in nodes_of(path)
        if rule(node)
    ]


def lines_with(paths: Iterable[Path], pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in paths
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if pattern.search(line)
    ]


def called_name(expr: ast.expr | None) -> str | None:
    target = expr.func if isinstance(expr, ast.Call) else expr
    return target.id if isinstance(target, ast.Name) else None


def is_long(node: ast.AST) -> bool:
    if not isinstance(node, FUNCTIONS):
        return False
    return (node.end_lineno or node.lineno) - node.lineno + 1 > MAX_FUNCTION


def is_blind(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(c is None or called_name(c) in ("Exception", "BaseException") for c in caught)


def is_empty_test(node: ast.AST) -> bool:
    if not isinstance(node, FUNCTIONS) or not node.name.startswith("test_"):
        return False
    return not any(
        isinstance(inner, ast.Assert)
        or (isinstance(inner, ast.Attribute) and ASSERTING.match(inner.attr))
        or (isinstance(inner, ast.Name) and ASSERTING.match(inner.id))
        for inner in ast.walk(node)
    )


def asks_for_attributes(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called_name(node) == "hasattr"


def raises_unexplained(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) and called_name(node.exc) == "NotImplementedError"


def test_a_file_fits_in_the_head() -> None:
    sizes = {str(p.relative_to(ROOT)): len(text_of(p).splitlines()) for p in EVERYTHING}
    assert {name: size for name, size in sizes.items() if size > MAX_FILE} == {}


def test_a_function_fits_on_a_screen() -> None:
    assert broken_by(SOURCES, is_long) == []


def test_a_module_says_what_it_is_for() -> None:
    silent = [p for p in EVERYTHING if not ast.get_docstring(module_of(p))]
    assert [str(p.relative_to(ROOT)) for p in silent] == []


def test_types_not_attributes_decide() -> None:
    assert broken_by(SOURCES, asks_for_attributes) == []


def test_no_exception_is_caught_blindly() -> None:
    assert broken_by(EVERYTHING, is_blind) == []


def test_what_is_not_there_is_declared() -> None:
    assert broken_by(SOURCES, raises_unexplained) == []


def test_nothing_is_left_for_later() -> None:
    assert lines_with(EVERYTHING, UNFINISHED) == []


def test_no_path_of_a_machine() -> None:
    assert lines_with(EVERYTHING, MACHINE_PATH) == []
    pages = [p for p in ROOT.glob("*") if p.suffix in (".md", ".toml", ".cff", ".txt")]
    pages += [*(ROOT / "docs").rglob("*.md"), ROOT / "Makefile"]
    assert lines_with(pages, MACHINE_PATH) == []


def test_every_test_can_fail() -> None:
    assert broken_by(TESTS, is_empty_test) == []


def test_tests_mirror_the_sources() -> None:
    # `random` holds whole programs; `regress` one small program per mended fault,
    # `corpus` what is measured with other people's packages.
    whole = {"random", "regress", "corpus", "golden", "examples", "benchmarks", "tools"}
    folders = {p.parent.relative_to(ROOT / "tests") for p in TESTS}
    # `cases` holds programs and numbers for the tests of the folder that it is in.
    folders = {f.parent if f.name == "cases" else f for f in folders}
    strays = [f for f in folders if f.parts and f.parts[0] not in whole]
    assert [str(f) for f in strays if not (ROOT / "src" / "retrograd" / f).is_dir()] == []


def test_the_rules_notice_what_they_forbid() -> None:
    bad = ast.parse(
        "def test_nothing():\n"
        "    try:\n"
        "        hasattr(1, 'real')\n"
        "    except (OSError, Exception):\n"
        "        raise NotImplementedError('later') from None\n"
    )
    found = list(ast.walk(bad))
    assert [is_blind(n) for n in found].count(True) == 1
    assert [is_empty_test(n) for n in found].count(True) == 1
    assert [asks_for_attributes(n) for n in found].count(True) == 1
    assert [raises_unexplained(n) for n in found].count(True) == 1
    long = ast.parse("def f():\n" + "    pass\n" * MAX_FUNCTION).body[0]
    assert is_long(long)
    assert UNFINISHED.search("x = 1  # " + "TO" + "DO: more")
    assert MACHINE_PATH.search("/".join(["", "home", "me"]))


FORMERS = {"Prim", "If", "For", "While", "Call", "Jvp", "Vjp"}
CATCH_ALLS = 21
"""Today's; it may only fall."""


def _is_about_formers(match: ast.Match) -> bool:
    classes = {
        node.cls.id
        for case in match.cases
        for node in ast.walk(case.pattern)
        if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name)
    }
    return bool(classes) and classes <= FORMERS


def _takes_any_other(match: ast.Match) -> bool:
    """Whether a former that is added later is taken in silence for one of those that are known."""
    last = match.cases[-1]
    any_other = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
    return any_other and not ast.unparse(last.body[0]).startswith(
        ("unhandled(", "raise CompilerBug")
    )


def test_a_match_over_formers_does_not_take_what_it_does_not_know() -> None:
    found = broken_by(
        SOURCES,
        lambda n: isinstance(n, ast.Match) and _is_about_formers(n) and _takes_any_other(n),
    )
    assert len(found) <= CATCH_ALLS, "\n".join(found)
