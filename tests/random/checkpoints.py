"""Random programs with checkpoints: of a program that there is, some functions and values."""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tests.random.programs import RandomProgram

__all__ = ["POLICIES", "checkpointed"]

POLICIES = (
    "None", "policies.nothing_saveable", "policies.everything_saveable", "policies.dots_saveable",
    "policies.dots_with_no_batch_dims_saveable", "policies.save_only_these_names('v0', 'v2')",
    "policies.save_any_names_but_these('v1')",
    "policies.save_anything_except_these_names('v1', 'v2')",
    "policies.save_from_both_policies(policies.dots_saveable, "
    "policies.save_only_these_names('v0'))",
    "lambda residual: residual.primitive in ('sin', 'mul', 'update', 'call', 'for')",
)  # fmt: skip
_AS_THEY_ARE = ("objective", "outputs")


@dataclass
class _Marker(ast.NodeTransformer):
    """Decorates functions, wraps lambdas, and names what is assigned; a part of them each."""

    draw: random.Random
    share: float
    among: Sequence[str]
    policies: list[str] = field(default_factory=list)

    def _policy(self) -> ast.expr:
        """The name of a global: in a program a policy of one's own is defined outside."""
        self.policies.append(self.draw.choice(self.among))
        return ast.parse(f"POLICY{len(self.policies) - 1}", mode="eval").body

    def _checkpoint(self, *args: ast.expr) -> ast.expr:
        function = ast.parse("rg.checkpoint", mode="eval").body
        if args and self.draw.random() < 0.3:
            return ast.Call(function, list(args), [])
        return ast.Call(function, list(args), [ast.keyword("policy", self._policy())])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        if node.name not in _AS_THEY_ARE and self.draw.random() < self.share:
            node.decorator_list.append(self._checkpoint())
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        return self._checkpoint(node) if self.draw.random() < 0.5 else node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if self.draw.random() < 0.3:
            named = ast.parse("rg.checkpoint_name", mode="eval").body
            name = ast.Constant(f"v{self.draw.randrange(4)}")
            node.value = ast.Call(named, [node.value, name], [])
        return node


def checkpointed(
    program: RandomProgram, seed: int, share: float = 0.6, among: Sequence[str] = POLICIES
) -> RandomProgram:
    """The same program, where some of what it calls is checkpointed, and some values are named.

    `share`: of the functions that have a name, so many are checkpointed. The policies are drawn
    `among` those texts.
    """
    marker = _Marker(random.Random(seed), share, among)
    tree = ast.fix_missing_locations(marker.visit(ast.parse(program.source)))
    assert isinstance(tree, ast.Module)
    made = "".join(f"POLICY{k} = {text}\n" for k, text in enumerate(marker.policies))
    head = f"import retrograd as rg\npolicies = rg.checkpoint_policies\n{made}\n"
    return replace(program, source=head + ast.unparse(tree) + "\n")
