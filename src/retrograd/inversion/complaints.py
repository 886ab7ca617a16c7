"""What is refused of reversible functions: errors that name the statements they are about."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from retrograd.errors import UserError
from retrograd.frontend.identity.source import FunctionSource
from retrograd.inversion.places import text

__all__ = ["Complaints", "headline"]


def headline(node: ast.AST) -> str:
    """The first line of a statement, as text."""
    return text(node).partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Complaints:
    """Makes errors at places of one function."""

    source: FunctionSource

    def line(self, node: ast.AST) -> int:
        """The line of a node in its file."""
        return self.source.span(node).line

    def told(self, node: ast.AST) -> str:
        """A statement and its line, as errors name it."""
        return f"`{headline(node)}` (line {self.line(node)})"

    def error(self, code: str, message: str, node: ast.AST, way_out: str) -> UserError:
        """An error at the place of a node."""
        return UserError(code, message, self.source.span(node), way_out)

    def without_inverse(self, node: ast.AST, why: str, way_out: str) -> UserError:
        """A statement that cannot be undone."""
        return self.error("RG0501", f"`{headline(node)}` has no inverse: {why}", node, way_out)
