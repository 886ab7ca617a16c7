"""The adjoint of a function as a whole: its parameters, its beginning, and what it returns."""

from __future__ import annotations

import ast

from retrograd.frontend.identity.transformed import BARS
from retrograd.inversion.adjoint import AdjointWriter
from retrograd.inversion.prepare import like, load, store
from retrograd.inversion.write import plain

__all__ = ["adjoint_text"]


def adjoint_text(made: AdjointWriter, name: str) -> ast.FunctionDef:
    """The syntax of the adjoint, under a new name: parameters, and a tuple of their cotangents.

    It returns the tuples of the parameters, None for those that stay as they are, and of the
    cotangents.
    """
    code = made.writer.code
    node = code.node
    args = plain(node.args)
    args.kwonlyargs.append(ast.arg(BARS))
    args.kw_defaults.append(None)
    targets: list[ast.expr] = [store(made.bar(n), node) for n in code.parameters]
    unpacked = ast.Assign([ast.Tuple(targets, ast.Store())], load(BARS, node))
    begun = [made.absent(name) for name in _with_defaults(node.args)]
    body = made.block(code.body)
    values: list[ast.expr] = [
        load(n, node) if n in code.changed else ast.Constant(None) for n in code.parameters
    ]
    ends: list[ast.expr] = [load(made.bar(n), node) for n in code.parameters]
    result = ast.Return(
        ast.Tuple([ast.Tuple(values, ast.Load()), ast.Tuple(ends, ast.Load())], ast.Load())
    )
    alike = [made.alike(name) for name in code.parameters]
    whole = ast.FunctionDef(
        name, args, [unpacked, *begun, *alike, *made.writer.arrays(), *body, result], []
    )  # fmt: skip
    return like(whole, node)


def _with_defaults(args: ast.arguments) -> list[str]:
    """The parameters that a call may leave out."""
    every = [*args.posonlyargs, *args.args]
    found = [a.arg for a in every[len(every) - len(args.defaults) :]]
    pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    return found + [a.arg for a, default in pairs if default is not None]
