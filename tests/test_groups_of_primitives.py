"""Groups of primitive names outside `prims/`: there may only be fewer of them.

A fact of a primitive belongs to its record. A group is a display (set, tuple, list, keys of a
dictionary), an or-pattern or a string that is split, with two names of primitives or more. What is
left are rules of rewriting, transfer functions of analyses, and tables of machine code.
"""

from __future__ import annotations

import ast
from pathlib import Path

from retrograd.prims import DEFAULT

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [
    path for folder in ("transforms", "backends") for path in sorted(
        (ROOT / "src" / "retrograd" / folder).rglob("*.py")
    )
]  # fmt: skip

MOST = {"transforms": 37, "backends": 17}
"""Lower these where a group goes; never raise them."""


def strings(nodes: list[ast.expr | None]) -> set[str]:
    constants = [n.value for n in nodes if isinstance(n, ast.Constant)]
    return {v for v in constants if isinstance(v, str)}


def listed(node: ast.AST) -> set[str]:
    """The strings of one display, or-pattern or split string."""
    match node:
        case ast.Set(elts=items) | ast.Tuple(elts=items) | ast.List(elts=items):
            return strings([*items])
        case ast.Dict(keys=keys):
            return strings(keys)
        case ast.MatchOr(patterns=patterns):
            return strings([p.value for p in patterns if isinstance(p, ast.MatchValue)])
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="split")):
            return set(text.split())
        case _:
            return set()


def exported(tree: ast.AST) -> set[int]:
    """The lists that are assigned to `__all__`."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
    }


def groups(text: str) -> list[int]:
    """The lines of groups in a source text."""
    tree = ast.parse(text)
    aside = exported(tree)
    return [
        getattr(node, "lineno", 0)
        for node in ast.walk(tree)
        if id(node) not in aside and len(listed(node) & DEFAULT.table.keys()) >= 2
    ]


def test_groups_of_names_only_get_fewer() -> None:
    found = {folder: [str(p) for p in SOURCES if folder in p.parts] for folder in MOST}
    places = {
        folder: [
            f"{Path(p).relative_to(ROOT)}:{line}"
            for p in paths
            for line in groups(Path(p).read_text())
        ]
        for folder, paths in found.items()
    }
    assert [places[folder] for folder, most in MOST.items() if len(places[folder]) > most] == []


def test_the_count_notices_groups() -> None:
    text = (
        '__all__ = ["sin", "cos"]\n'
        'A = {"sin", "cos"}\n'
        'B = frozenset("add sub".split())\n'
        'C = {"iadd": 1, "isub": -1}\n'
        "match x:\n"
        '    case "dim" | "index":\n'
        "        pass\n"
        'D = x in ("sin", "tangent")\n'
    )
    assert sorted(groups(text)) == [2, 3, 4, 6]
