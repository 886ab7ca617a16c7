"""The nodes inside of syntax are those of `ast.walk`, without contexts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from retrograd.frontend.identity.nodes import children, nodes_in

FILES = sorted(Path(__file__).parent.glob("test_[a-d]*.py"))[:12]
STATEMENTS = """
async def f(a, /, b: int = 1, *c, d=lambda: 2, **e) -> "x":
    async with a as b, c:
        await a
    match a:
        case {"k": [1, *rest], **more} if rest: pass
        case P(x=1) | None: return (yield f"{a!r:>{b}}")
    try: global g; import h as i
    except* (A, B) as err: raise err from None
    return [x async for x in y if (z := x)]
"""


@pytest.mark.parametrize("text", [*(p.read_text() for p in FILES), STATEMENTS, ""])
def test_they_are_those_of_walk(text: str) -> None:
    tree = ast.parse(text)
    walked = [n for n in ast.walk(tree) if not isinstance(n, ast.expr_context)]
    assert list(map(id, nodes_in(tree))) == list(map(id, walked))
    for node in walked:
        own = [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.expr_context)]
        assert list(map(id, children(node))) == list(map(id, own))


def test_nodes_of_our_own_have_the_fields_that_they_name() -> None:
    class Pair(ast.stmt):
        _fields = ("left", "right")

    left, right = ast.Constant(1), ast.Name("x", ast.Load())
    assert nodes_in(Pair(left, right))[1:] == [left, right]
