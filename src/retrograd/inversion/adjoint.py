"""The adjoint of a reversible function as text: statements undone, each with its cotangents.

Of an update, a change or a definition the cotangents are those of a small function of the places
that it reads, by the ordinary reverse mode (`support.cotangents`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from retrograd.inversion import support
from retrograd.inversion.adjoint_calls import call_undone
from retrograd.inversion.facts import every, used_by
from retrograd.inversion.gathering import gathered
from retrograd.inversion.invert import Backwards, undone
from retrograd.inversion.leaves import Around, Leaf, leaves_of, may_be_item, replaced
from retrograd.inversion.local_functions import functions_in
from retrograd.inversion.places import root_of
from retrograd.inversion.prepare import like, load, load_if_assigned, store
from retrograd.inversion.stacks import stack
from retrograd.inversion.statements import (
    Ancilla,
    Block,
    Branch,
    CallStep,
    Change,
    Exchange,
    Loop,
    Outside,
    Pure,
    Release,
    Since,
    Statement,
    Update,
)
from retrograd.inversion.write import Writer, value

__all__ = ["AdjointWriter"]


@dataclass(slots=True)
class AdjointWriter:
    """Writes the adjoint of one function; `adjoint` is what gives the adjoint of another.

    `objects`: some of the variables are fixed-point or logarithmic numbers, of which functions get
    the slopes, or the logarithms.
    """

    writer: Writer
    adjoint: object
    objects: bool = False
    bars: dict[str, str] = field(default_factory=dict[str, str])
    counters: set[str] = field(default_factory=set[str])

    @property
    def local(self) -> frozenset[str]:
        """All variables of the function."""
        return self.writer.code.locals

    @property
    def varied(self) -> frozenset[str]:
        """The variables but those of loops, which are ints and stay known where they are known."""
        loops = (stm.target for stm in every(self.writer.code.body) if isinstance(stm, Loop))
        return self.local.difference(loops, self.counters)

    def counts(self, name: str) -> None:
        """A variable is that of a loop over a range."""
        self.counters.add(name)

    def bar(self, name: str) -> str:
        """The name of a variable's cotangent."""
        if name not in self.bars:
            self.bars[name] = self.writer.inserted.fresh.name(f"{name}_bar")
        return self.bars[name]

    def bar_of(self, node: ast.expr, ctx: ast.expr_context) -> ast.expr:
        """The part of a variable's cotangent that belongs to a place."""
        made = copy.deepcopy(node)
        inner: ast.expr = made
        while isinstance(inner, ast.Subscript | ast.Attribute):
            inner = inner.value
        assert isinstance(inner, ast.Name)
        inner.id = self.bar(inner.id)
        assert isinstance(made, ast.Subscript | ast.Attribute | ast.Name)
        made.ctx = ctx
        return made

    # -- blocks -----------------------------------------------------------------------------------

    def block(self, block: Block) -> list[ast.stmt]:
        """The statements of a block, undone from the last to the first, with their cotangents."""
        made: list[ast.stmt] = []
        walk = Backwards(block, self.local)
        live: set[str] = set()
        position = len(block)
        for stm, before in walk.steps():
            position -= 1
            if isinstance(stm, Pure):
                if stm.writes & live:
                    made += self._evaluated(walk.before(position))
                    made += self._begun(self._inputs(stm, live), block[:position], live)
                    made += self._pulled(stm, live)
                    live -= stm.defines - stm.reads
                continue
            made += self._evaluated(before)
            made += self._begun(sorted(used_by(stm, self.local)), block[:position], live)
            made += self.statement(stm)
        return made

    def _evaluated(self, before: Sequence[Pure]) -> list[ast.stmt]:
        return [made for stm in before for made in self.writer.statement(stm)]

    def _inputs(self, stm: Pure, wanted: Collection[str]) -> list[str]:
        """What a definition reads, or leaves as it was on some path though it is wanted."""
        left = (stm.writes - stm.defines).intersection(wanted)
        return sorted(stm.reads | left)

    def _begun(self, names: Sequence[str], before: Block, live: set[str]) -> list[ast.stmt]:
        """Cotangents of definitions begin with zeros, where their last use is undone."""
        own = frozenset[str]().union(*(s.writes for s in before if isinstance(s, Pure)))
        new = [name for name in names if name in own and name not in live]
        live.update(new)
        node = self.writer.code.node
        return [self.zeros(name, load_if_assigned(name, node)) for name in new]

    def zeros(self, name: str, of: ast.expr) -> ast.stmt:
        """A cotangent that begins with zeros."""
        zeros = self.writer.helper(support.zeros_of, "zeros_of", of, value(of))
        return like(ast.Assign([store(self.bar(name), of)], zeros), of)

    def _pulled(self, stm: Pure, live: set[str]) -> list[ast.stmt]:
        """The cotangents of what a definition is made of."""
        outs = sorted((stm.writes & live) - functions_in(stm.body).keys())
        if not outs:
            return []
        bars: list[ast.expr] = [load(self.bar(name), stm.node) for name in outs]
        match stm.body:
            case (ast.Assign(targets=[ast.Name()], value=expr),) if stm.writes == stm.defines:
                return self.accumulated(expr, bars[0], stm.node)
            case _:
                found = gathered(stm.body, frozenset(outs), self.local, self.writer.resolve, self)
                return self._of_group(stm, outs, bars) if found is None else found

    def _of_group(self, stm: Pure, outs: list[str], bars: list[ast.expr]) -> list[ast.stmt]:
        """Of several statements, as a function of the variables that they read."""
        node = stm.node
        inputs = [n for n in self._inputs(stm, outs) if n in self.varied]
        kept = [n for n in outs if n not in stm.defines or n in inputs]
        cleared: list[ast.stmt] = [
            like(ast.Assign([store(self.bar(name), node)], self.writer.helper(
                support.zeros_of, "zeros_of", node, load_if_assigned(name, node)
            )), node)
            for name in kept
        ]  # fmt: skip
        if not inputs:
            return cleared
        name = self.writer.inserted.fresh.name("rg_group")
        args = ast.arguments(
            posonlyargs=[], args=[ast.arg(n) for n in inputs], kwonlyargs=[], kw_defaults=[],
            defaults=[],
        )  # fmt: skip
        values: list[ast.expr] = [load_if_assigned(n, node) for n in outs]
        result = ast.Return(ast.Tuple(values, ast.Load()))
        body = [*self.writer.statement(stm), result]
        reads: list[ast.expr] = [
            (load if n in stm.reads else load_if_assigned)(n, node) for n in inputs
        ]
        given = ast.Tuple(reads, ast.Load())
        gained = self._cotangents(
            load(name, node), given, ast.Tuple(bars, ast.Load()), node
        )  # fmt: skip
        group = like(ast.FunctionDef(name, args, body, []), node)
        found = [self.added(load(n, node), k, gained[0], node) for k, n in enumerate(inputs)]
        return [group, gained[1], *cleared, *found]

    def absent(self, name: str) -> ast.stmt:
        """The cotangent of a parameter that the caller has left out begins with zeros."""
        node = self.writer.code.node
        test = ast.Compare(load(self.bar(name), node), [ast.Is()], [ast.Constant(None)])
        return like(ast.If(test, [self.zeros(name, load(name, node))], []), node)

    def alike(self, name: str) -> ast.stmt:
        """A parameter and its cotangent have the same extents."""
        node = self.writer.code.node
        bar = load(self.bar(name), node)
        return like(ast.Expr(self.writer.helper(
            support.alike, "alike", node, load(name, node), bar
        )), node)  # fmt: skip

    # -- cotangents -------------------------------------------------------------------------------

    def _cotangents(
        self, fun: ast.expr, given: ast.expr, bar: ast.expr, node: ast.AST
    ) -> tuple[str, ast.stmt]:
        """A new name, and its assignment: the cotangents of a function's arguments."""
        name = self.writer.inserted.fresh.name("gains")
        called = self.writer.helper(support.cotangents, "cotangents", node, fun, given, bar)
        return name, like(ast.Assign([store(name, node)], called), node)

    def item(self, name: str, k: int, node: ast.AST) -> ast.expr:
        return like(ast.Subscript(load(name, node), ast.Constant(k), ast.Load()), node)

    def _with_bars(
        self, places: Sequence[ast.expr], then: list[ast.stmt], node: ast.AST
    ) -> list[ast.stmt]:
        """Statements that name parts of cotangents: what has no floats has no cotangent."""
        names = {root_of(one) for one in places if not isinstance(one, ast.Name)}
        for name in sorted(name for name in names if name is not None):
            then = [self.some(load(self.bar(name), node), then, node)]
        return then

    def some(self, what: ast.expr, then: list[ast.stmt], node: ast.AST) -> ast.stmt:
        """Statements for what is a cotangent: what is no float has None."""
        test = ast.Compare(what, [ast.IsNot()], [ast.Constant(None)])
        return like(ast.If(test, then, []), node)

    def added(self, leaf: ast.expr, k: int, name: str, node: ast.AST) -> ast.stmt:
        """Adds item `k` of a tuple of cotangents to that of a place."""
        gain = self.item(name, k, node)
        if isinstance(leaf, ast.Subscript):
            target = self.bar_of(leaf, ast.Store())
            assert isinstance(target, ast.Subscript)
            added: ast.stmt = ast.AugAssign(target, ast.Add(), gain)
            if may_be_item(leaf):
                added = self._item_added(leaf, added, gain, node)
        else:
            new = self.writer.helper(
                support.plus, "plus", node, self.bar_of(leaf, ast.Load()), gain
            )
            added = self._bound(leaf, new, node)
        root = root_of(leaf)
        static = root in self.writer.code.parameters and not isinstance(leaf, ast.Subscript)
        if static and root is not None:
            added = self.some(load(self.bar(root), node), [added], node)
        return self.some(self.item(name, k, node), [added], node)

    def _all_added(self, leaves: Sequence[Leaf], name: str, node: ast.AST) -> list[ast.stmt]:
        """Adds to the cotangents of all that an expression reads."""
        return [self.added(leaf.place, k, name, node) for k, leaf in enumerate(leaves)]

    def _item_added(
        self, leaf: ast.Subscript, added: ast.stmt, gain: ast.expr, node: ast.AST
    ) -> ast.stmt:
        """An addition to an element, of a tuple a new one."""
        new = self.writer.helper(
            support.plus, "plus", node, self.bar_of(leaf, ast.Load()), copy.deepcopy(gain)
        )
        return self._in_tuple(leaf, new, added, node)

    def _in_tuple(
        self, leaf: ast.Subscript, new: ast.expr, other: ast.stmt, node: ast.AST
    ) -> ast.stmt:
        """Makes a value the cotangent of the item of a tuple; of no tuple, another statement."""
        owner, helper = self.bar_of(leaf.value, ast.Load()), self.writer.helper
        whole = helper(support.with_item, "with_item", node, owner, value(leaf.slice), new)
        return like(ast.If(
            self._is_tuple(copy.deepcopy(owner), node),
            [self._bound(leaf.value, whole, node)], [other],
        ), node)  # fmt: skip

    def _is_tuple(self, owner: ast.expr, node: ast.AST) -> ast.expr:
        kind = load(self.writer.inserted.name(tuple, "tuple"), node)
        return self.writer.helper(isinstance, "isinstance", node, owner, kind)

    def _bound(self, leaf: ast.expr, new: ast.expr, node: ast.AST) -> ast.stmt:
        """Makes a value the cotangent of a place; named tuples are made anew for that."""
        target = self.bar_of(leaf, ast.Store())
        whole = ast.Assign([target], new)
        if not isinstance(leaf, ast.Attribute):
            return like(whole, node)
        owner = self.bar_of(leaf.value, ast.Load())
        test = self._is_tuple(owner, node)
        renewed = ast.Attribute(self.bar_of(leaf.value, ast.Load()), "_replace", ast.Load())
        other = ast.Call(renewed, [], [ast.keyword(leaf.attr, copy.deepcopy(new))])
        return like(ast.If(test, [self._bound(leaf.value, other, node)], [whole]), node)

    def put(self, leaf: ast.expr, bar: ast.expr, node: ast.AST) -> ast.stmt:
        """Puts another cotangent in the place of one: an array stays the array that it is."""
        own = self.bar_of(leaf, ast.Load())
        given = self.writer.helper(support.put, "put", node, own, bar)
        moved = ast.Assign([self.bar_of(leaf, ast.Store())], given)
        return self.some(copy.deepcopy(bar), [moved], node)

    def give(self, leaf: ast.expr, bar: ast.expr, node: ast.AST) -> ast.stmt:
        """The same of a place that may be part of a tuple."""
        own = self.bar_of(leaf, ast.Load())
        given = self.writer.helper(support.put, "put", node, own, bar)
        moved = self._bound(leaf, given, node)
        if isinstance(leaf, ast.Subscript):
            moved = self._in_tuple(leaf, copy.deepcopy(given), moved, node)
        return self.some(copy.deepcopy(bar), [moved], node)

    def _function(self, expr: ast.expr, leaves: Sequence[Leaf]) -> ast.expr:
        """A function of the leaves of an expression."""
        args = ast.arguments(
            posonlyargs=[], args=[ast.arg(leaf.parameter) for leaf in leaves], kwonlyargs=[],
            kw_defaults=[], defaults=[],
        )  # fmt: skip
        return like(ast.Lambda(args, self._in_terms_of(expr, leaves)), expr)

    def _in_terms_of(self, expr: ast.expr, leaves: Sequence[Leaf]) -> ast.expr:
        made = replaced(expr, leaves)
        if not self.objects:
            return made
        around = {
            leaf.parameter: self.writer.helper(
                support.with_slope, "with_slope", expr, value(leaf.place),
                ast.Name(leaf.parameter, ast.Load()),
            )
            for leaf in leaves
        }  # fmt: skip
        return Around(around).visit(made)

    def _given(self, leaves: Sequence[Leaf]) -> ast.expr:
        """The values of the leaves, as functions of them take them."""
        given = [self._slope(value(leaf.place)) for leaf in leaves]
        return ast.Tuple(given, ast.Load())

    def _slope(self, node: ast.expr) -> ast.expr:
        if not self.objects:
            return node
        return self.writer.helper(support.slope_of, "slope_of", node, node)

    def accumulated(self, expr: ast.expr, bar: ast.expr, node: ast.AST) -> list[ast.stmt]:
        """Adds the cotangents of what an expression reads."""
        leaves = leaves_of(expr, self.varied, self.writer.inserted.fresh)
        if not leaves:
            return []
        given = self._given(leaves)
        name, gained = self._cotangents(self._function(expr, leaves), given, bar, node)
        return [gained, *self._all_added(leaves, name, node)]

    def part(
        self, place: ast.expr, op: ast.operator, value: ast.expr, node: ast.AST
    ) -> list[ast.stmt]:
        """Adds the cotangents of what a part of a place reads; the cotangent has its shape."""
        leaves = leaves_of(value, self.varied, self.writer.inserted.fresh)
        if not leaves:
            return []
        bar = self.bar_of(place, ast.Load())
        whole = like(ast.BinOp(bar, op, copy.deepcopy(value)), node)
        name, gained = self._cotangents(
            self._function(whole, leaves), self._given(leaves), copy.deepcopy(bar), node
        )
        return [gained, *self._all_added(leaves, name, node)]

    # -- statements -------------------------------------------------------------------------------

    def statement(self, stm: Statement) -> list[ast.stmt]:
        """A statement undone, then its cotangents."""
        match stm:
            case Loop():
                turned = undone(stm, self.local)
                assert isinstance(turned, Loop)
                return [self.writer.loop(turned, self.block(stm.body))]
            case Branch():
                turned = undone(stm, self.local)
                assert isinstance(turned, Branch)
                then, orelse = self.block(stm.then), self.block(stm.orelse)
                return [self.writer.branch(turned, then, orelse)]
            case Since():
                turned = undone(stm, self.local)
                assert isinstance(turned, Since)
                return self.writer.since(turned, self.block(stm.body))
            case CallStep():
                return list(call_undone(self, stm))
            case _:
                return [*self.writer.statement(undone(stm, self.local)), *self._back(stm)]

    def _back(self, stm: Statement) -> list[ast.stmt]:
        match stm:
            case Update():
                return self._update(stm)
            case Exchange():
                return self._exchange(stm)
            case Change():
                found = self._changed(stm.forward, stm.targets, stm.node)
                return self._with_bars(stm.targets, found, stm.node)
            case Ancilla(value=ast.Call(func=func)) if self.writer.resolve(func) is stack:
                return []
            case Ancilla():
                return self.accumulated(stm.value, load(self.bar(stm.name), stm.node), stm.node)
            case Release():
                return [self.zeros(stm.name, load(stm.name, stm.node))]
            case Outside() | _:
                return []

    def _update(self, stm: Update) -> list[ast.stmt]:
        node = stm.node
        whole = like(ast.BinOp(value(stm.target), stm.op, value(stm.value)), node)
        match stm.op:
            case ast.BitXor():
                return []
            case ast.Add() | ast.Sub():
                leaves = leaves_of(stm.value, self.varied, self.writer.inserted.fresh)
                if not leaves:
                    return []
                given = self._given(leaves)
                whole = like(ast.BinOp(value(stm.target), stm.op, value(stm.value)), node)
                fun = self._function(whole, leaves)
                bar = self.bar_of(stm.target, ast.Load())
                name, gained = self._cotangents(fun, given, bar, node)
                found = self._all_added(leaves, name, node)
                return self._with_bars([stm.target], [gained, *found], node)
            case _:
                found = self._changed(self._scaled(stm, whole), (stm.target,), node)
                return self._with_bars([stm.target], found, node)

    def _scaled(self, stm: Update, whole: ast.expr) -> ast.expr:
        """A product or a quotient, which may be of logarithmic numbers."""
        if not self.objects:
            return whole
        made = support.product if isinstance(stm.op, ast.Mult) else support.quotient
        return self.writer.helper(
            made, made.__name__, stm.node, value(stm.target), value(stm.value)
        )

    def _changed(
        self, expr: ast.expr, targets: Sequence[ast.expr], node: ast.AST
    ) -> list[ast.stmt]:
        """Of places that become what an expression gives, in which they occur."""
        leaves = leaves_of(expr, self.varied, self.writer.inserted.fresh, first=targets)
        given = self._given(leaves)
        bars = [self.bar_of(target, ast.Load()) for target in targets]
        bar = bars[0] if len(bars) == 1 else ast.Tuple(bars, ast.Load())
        name, gained = self._cotangents(self._function(expr, leaves), given, bar, node)
        found = [gained]
        for k, leaf in enumerate(leaves):
            if k < len(targets):
                found.append(self.put(leaf.place, self.item(name, k, node), node))
            else:
                found.append(self.added(leaf.place, k, name, node))
        return found

    def _exchange(self, stm: Exchange) -> list[ast.stmt]:
        turned = undone(stm, self.local)
        assert isinstance(turned, Exchange)
        targets = [self.bar_of(target, ast.Store()) for target in turned.targets]
        sources = [self.bar_of(source, ast.Load()) for source in turned.sources]
        moved = ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple(sources, ast.Load()))
        root = root_of(stm.targets[0])
        assert root is not None
        return [self.some(load(self.bar(root), stm.node), [moved], stm.node)]
