"""From statements back to text: a reversible function, forwards or inverted, with its tests."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from retrograd.errors import InvertibilityError
from retrograd.inversion import support
from retrograd.inversion.complaints import headline
from retrograd.inversion.facts import every, indices_of
from retrograd.inversion.guarding import Guarded
from retrograd.inversion.invert import inverse_of
from retrograd.inversion.keys import axes_of, keys_of, may_be_array, same_axes
from retrograd.inversion.methods import as_read, fits_call
from retrograd.inversion.places import same, text
from retrograd.inversion.prepare import Fresh, call, like, load, modified, store
from retrograd.inversion.statements import (
    Ancilla,
    Assumed,
    Block,
    Branch,
    CallStep,
    Change,
    Exchange,
    Loop,
    Outside,
    Pure,
    Release,
    Reversed,
    Since,
    Statement,
    Unknown,
    Update,
)

__all__ = ["Inserted", "Writer", "function_text", "place", "value"]


@dataclass(slots=True)
class Inserted:
    """Objects that generated text names, under names that the function does not use."""

    fresh: Fresh
    objects: dict[str, object] = field(default_factory=dict[str, object])
    by_id: dict[int, str] = field(default_factory=dict[int, str])

    def name(self, obj: object, hint: str) -> str:
        """The name of an object."""
        if id(obj) not in self.by_id:
            self.by_id[id(obj)] = name = self.fresh.name(f"rg_{hint}")
            self.objects[name] = obj
        return self.by_id[id(obj)]


def value(node: ast.expr) -> ast.expr:
    """A copy of an expression, which is read."""
    made = copy.deepcopy(node)
    if isinstance(made, ast.Name | ast.Subscript | ast.Attribute):
        made.ctx = ast.Load()
    return made


def place(node: ast.expr) -> ast.expr:
    """A copy of a place, which is written."""
    made = copy.deepcopy(node)
    if isinstance(made, ast.Name | ast.Subscript | ast.Attribute):
        made.ctx = ast.Store()
    return made


def _tuple(nodes: Sequence[ast.expr], store_: bool) -> ast.expr:
    items = [place(n) if store_ else value(n) for n in nodes]
    return ast.Tuple(items, ast.Store() if store_ else ast.Load()) if len(items) > 1 else items[0]


@dataclass(slots=True)
class Writer:
    """Writes the statements of one function; `inverse` is the object that `rg.inverse` is."""

    code: Reversed
    inserted: Inserted
    inverse: object
    checked: bool
    atol: float
    resolve: Callable[[ast.AST], object]

    def block(self, block: Block) -> list[ast.stmt]:
        """The statements of a block."""
        return [made for stm in block for made in self.statement(stm)]

    def helper(self, obj: object, hint: str, node: ast.AST, *args: ast.expr) -> ast.Call:
        """A call of one of our own functions."""
        return call(self.inserted.name(obj, hint), node, *args)

    def statement(self, stm: Statement) -> list[ast.stmt]:
        """The text of a statement, with its tests."""
        match stm:
            case Pure():
                return self._pure(stm)
            case Update():
                return self._update(stm)
            case Exchange():
                moved = ast.Assign([_tuple(stm.targets, True)], _tuple(stm.sources, False))
                tests = [*self.pairs(stm.apart, stm.node), *self._views(stm)]
                return [*tests, *self.distinct(stm.targets, stm.node), like(moved, stm.node)]
            case Change():
                changed = ast.Assign([_tuple(stm.targets, True)], self.value(stm.forward))
                tests = [*self.pairs(stm.apart, stm.node), *self.distinct(stm.targets, stm.node)]
                return [*tests, like(changed, stm.node)]
            case CallStep():
                return self._call(stm)
            case Ancilla():
                return [
                    like(ast.Assign([store(stm.name, stm.node)], self.value(stm.value)), stm.node)
                ]
            case Release():
                return self._release(stm)
            case Loop():
                return [self.loop(stm, self.block(stm.body))]
            case Branch():
                return [self.branch(stm, self.block(stm.then), self.block(stm.orelse))]
            case Since():
                return self.since(stm, self.block(stm.body))
            case Outside():
                return [copy.deepcopy(node) for node in stm.body]

    def loop(self, stm: Loop, body: list[ast.stmt]) -> ast.stmt:
        """A loop over the range of a loop."""
        indices: ast.expr = call("range", stm.node, *map(self.value, stm.bounds))
        if stm.backwards:
            indices = call("reversed", stm.node, indices)
        made = ast.For(store(stm.target, stm.node), indices, body or [ast.Pass()], [])
        return like(made, stm.node)

    # -- tests ------------------------------------------------------------------------------------

    def fail_if(self, condition: ast.expr, node: ast.AST, *message: str | ast.expr) -> ast.stmt:
        """Raises where a condition holds; expressions in the message are shown as values."""
        parts: list[ast.expr] = [
            ast.Constant(part) if isinstance(part, str) else ast.FormattedValue(value(part), -1)
            for part in message
        ]
        error = self.helper(InvertibilityError, "error", node, ast.JoinedStr(parts))
        return like(ast.If(condition, [ast.Raise(error)], []), node)

    def unless(self, condition: ast.expr, node: ast.AST, *message: str | ast.expr) -> ast.stmt:
        """Raises where a condition does not hold."""
        return self.fail_if(ast.UnaryOp(ast.Not(), condition), node, *message)

    def _is_array(self, node: ast.expr) -> ast.expr:
        return self.helper(support.in_place, "in_place", node, value(node))

    def arrays(self) -> list[ast.stmt]:
        """What is changed as a whole and not returned is an array."""
        node = self.code.node
        names = (load(name, node) for name in self.code.arrays)
        return [
            self.unless(
                self._is_array(name), node,
                f"{name.id!r} changes and is a number: `return` it from {node.name!r}",
            )
            for name in names
        ]  # fmt: skip

    def _pure(self, stm: Pure) -> list[ast.stmt]:
        guard = Guarded(self, modified(stm.body))
        made: list[ast.stmt] = []
        for node in stm.body:
            found = guard.visit(copy.deepcopy(node))
            made += found if isinstance(found, list) else [found]
        return made

    def value(self, node: ast.expr) -> ast.expr:
        """A copy of an expression, which changes nothing."""
        return Guarded(self).visit(value(node))

    def _update(self, stm: Update) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        if stm.rebinding:
            made.append(self.fail_if(
                self._is_array(stm.target), stm.node,
                f"{text(stm.target)} is an array, which `{headline(stm.node)}` does not change: "
                f"update it in place, {text(stm.target)} += ...",
            ))  # fmt: skip
        operand = self.value(stm.value)
        made += self.pairs([(stm.target, other) for other in stm.apart], stm.node)
        made += self.distinct([stm.target], stm.node)
        if self.checked and isinstance(stm.op, ast.Mult | ast.Div):
            factor = self.inserted.fresh.name("factor")
            made.append(like(ast.Assign([store(factor, stm.node)], operand), stm.node))
            operand = load(factor, stm.node)
            scaled = self.helper(
                support.scales, "scales", stm.node, value(stm.target), load(factor, stm.node)
            )
            made.append(self.unless(
                scaled, stm.node, f"`{headline(stm.node)}` cannot be undone: {text(stm.target)} "
                "has to be a float, or an array of floats, and the factor not zero",
            ))  # fmt: skip
        if stm.rebinding:
            whole = ast.BinOp(value(stm.target), stm.op, operand)
            made.append(like(ast.Assign([place(stm.target)], whole), stm.node))
        else:
            target = place(stm.target)
            assert isinstance(target, ast.Name | ast.Subscript | ast.Attribute)
            made.append(like(ast.AugAssign(target, stm.op, operand), stm.node))
        return made

    def pairs(self, pairs: Sequence[tuple[ast.expr, ast.expr]], node: ast.stmt) -> list[ast.stmt]:
        """Tests that places are two; of slices always, for that takes little beside their work."""
        return [
            self.fail_if(
                self._meet(one, other), node,
                f"in `{headline(node)}`, {text(one)} and {text(other)} have elements in common",
            )
            for one, other in pairs if self.checked or _has_slice(one) or _has_slice(other)
        ]  # fmt: skip

    def _meet(self, one: ast.expr, other: ast.expr) -> ast.expr:
        if not isinstance(one, ast.Subscript) or not isinstance(other, ast.Subscript):
            return ast.Constant(value=True)
        if text(one.value) != text(other.value):
            return ast.Constant(value=True)
        found: list[ast.expr] = []
        keys = same_axes(keys_of(one.slice), keys_of(other.slice))
        if keys is None:
            return ast.Constant(value=True)
        for axis, a, b in keys:
            shape = ast.Attribute(value(one.value), "shape", ast.Load())
            n = ast.Subscript(shape, ast.Constant(axis), ast.Load())
            found.append(self.helper(support.overlap, "overlap", one, n, _index(a), _index(b)))
        return found[0] if len(found) == 1 else ast.BoolOp(ast.And(), found)

    def distinct(self, places: Sequence[ast.expr], node: ast.stmt) -> list[ast.stmt]:
        """Tests that arrays of indices in places that change name no element twice."""
        made: list[ast.stmt] = []
        for changed in places if self.checked else ():
            if not isinstance(changed, ast.Subscript):
                continue
            axes = axes_of(keys_of(changed.slice))
            arrays = [(axis, key) for axis, key in axes if may_be_array(key, self.counters)]
            if not arrays:
                continue
            numbers = ast.Tuple([ast.Constant(axis) for axis, _ in arrays], ast.Load())
            keys = ast.Tuple([value(key) for _, key in arrays], ast.Load())
            test = self.helper(
                support.distinct, "distinct", node, value(changed.value), numbers, keys
            )
            made.append(self.unless(
                test, node, f"in `{headline(node)}`, {text(changed)} names an element twice",
            ))  # fmt: skip
        return made

    @property
    def counters(self) -> frozenset[str]:
        """The variables of loops over ranges: they are ints."""
        return frozenset(stm.target for stm in every(self.code.body) if isinstance(stm, Loop))

    def _views(self, stm: Exchange) -> list[ast.stmt]:
        """Parts of arrays are not exchanged: the first assignment changes the second value."""
        return [
            self.fail_if(
                self.helper(
                    support.viewed, "viewed", stm.node, value(one), self._all_keys(one)
                ),
                stm.node, f"`{headline(stm.node)}` does not exchange {text(one)}, which is a part "
                "of an array and changes with it: write a loop over its elements",
            )
            for one in stm.targets if isinstance(one, ast.Subscript)
        ]  # fmt: skip

    def _all_keys(self, place: ast.expr) -> ast.expr:
        """The indices in a place that may be arrays."""
        keys = [key for index in indices_of(place) for key in keys_of(index)]
        given = [value(key) for key in keys if may_be_array(key, self.counters)]
        return ast.Tuple(given, ast.Load())

    def _lent(self, stm: CallStep) -> list[ast.stmt]:
        """What a call changes in place, and does not put back, is no copy."""
        put = [] if stm.targets is None else keys_of(stm.targets)
        given = [arg for arg in stm.changed if not any(same(arg, target) for target in put)]
        tests = [(arg, self._all_keys(arg)) for arg in given]
        return [
            self.fail_if(
                self.helper(support.copied, "copied", stm.node, keys), stm.node,
                f"`{headline(stm.node)}` changes a copy: {text(arg)} is one, since an index is an "
                "array",
            )
            for arg, keys in tests if isinstance(keys, ast.Tuple) and keys.elts
        ]  # fmt: skip

    def _release(self, stm: Release) -> list[ast.stmt]:
        if not self.checked:
            return []
        name, atol = load(stm.name, stm.node), ast.Constant(self.atol)
        same = self.helper(support.holds, "holds", stm.node, name, self.value(stm.value), atol)
        return [self.unless(
            same, stm.node, f"{stm.name!r} is ", name, f" in the end, and not {text(stm.value)}: "
            "the way back would begin with another value",
        )]  # fmt: skip

    def _call(self, stm: CallStep) -> list[ast.stmt]:
        function = value(stm.function)
        if stm.inverted:
            function = self.helper(self.inverse, "inverse", stm.node, function)
        called = ast.Call(
            function, [self.value(a) for a in stm.args], copy.deepcopy([*stm.keywords])
        )
        made: list[ast.stmt] = [
            self.unless(
                self._is_array(arg), stm.node, f"{text(arg)} is a number, which "
                f"`{headline(stm.node)}` does not put back: assign the result",
            )
            for arg in stm.arrays
        ]  # fmt: skip
        made += self.assumed(stm)
        made += [*self.pairs(stm.apart, stm.node), *self.distinct(stm.changed, stm.node)]
        made += self._lent(stm)
        if stm.targets is None:
            return [*made, like(ast.Expr(called), stm.node)]
        every = stm.targets.elts if isinstance(stm.targets, ast.Tuple) else [stm.targets]
        return [*made, like(ast.Assign([_tuple(every, True)], called), stm.node)]

    def assumed(self, stm: CallStep) -> list[ast.stmt]:
        """Whether a function is one that changes and returns what it was read to."""
        function = value(stm.function)
        match stm.assumed:
            case None:
                return []
            case Assumed(changed, returned):
                names = [_words(changed), _words(returned)]
                test = self.helper(as_read, "as_read", stm.node, function, *names)
            case Unknown(put):
                args = [_words(put), *map(value, stm.args)]
                test = self.helper(fits_call, "fits_call", stm.node, function, *args)
                test.keywords = copy.deepcopy([*stm.keywords])
        return [like(ast.Expr(test), stm.node)]

    def branch(self, stm: Branch, then: list[ast.stmt], orelse: list[ast.stmt]) -> ast.stmt:
        """A branch with these blocks, after which its second condition holds."""
        if self.checked and stm.before is not stm.after:
            then.append(self.unless(
                self.value(stm.after), stm.node, f"{text(stm.after)} does not hold after the "
                f"branch that {text(stm.before)} has led to",
            ))  # fmt: skip
            orelse.append(self.fail_if(
                self.value(stm.after), stm.node, f"{text(stm.after)} holds although "
                f"{text(stm.before)} did not before the branch",
            ))  # fmt: skip
        return like(ast.If(self.value(stm.before), then or [ast.Pass()], orelse), stm.node)

    def since(self, stm: Since, body: list[ast.stmt]) -> list[ast.stmt]:
        """A loop with this body, of which the beginning is known."""
        if not self.checked:
            return [like(ast.While(self.value(stm.going), body or [ast.Pass()], []), stm.node)]
        first = self.unless(
            self.value(stm.start), stm.node, f"{text(stm.start)} does not hold before the loop"
        )
        body.append(self.fail_if(
            self.value(stm.start), stm.node, f"{text(stm.start)} still holds after an iteration"
        ))  # fmt: skip
        return [first, like(ast.While(self.value(stm.going), body, []), stm.node)]


def _words(names: Sequence[str] | None) -> ast.expr:
    return ast.Constant(None if names is None else ", ".join(names))


def _has_slice(place: ast.expr) -> bool:
    keys = keys_of(place.slice) if isinstance(place, ast.Subscript) else []
    return any(isinstance(key, ast.Slice) for key in keys)


def _index(node: ast.expr) -> ast.expr:
    """An index as `support.overlap` takes it."""
    if not isinstance(node, ast.Slice):
        return value(node)
    bounds = (node.lower, node.upper, node.step)
    return ast.Tuple([ast.Constant(None) if b is None else value(b) for b in bounds], ast.Load())


def function_text(writer: Writer, name: str, inverted: bool) -> ast.FunctionDef:
    """The syntax of a reversible function, or of its inverse, under a new name."""
    code = writer.code
    block = inverse_of(code.body, code.locals) if inverted else code.body
    body = [*writer.arrays(), *writer.block(block)]
    if code.returned is not None:
        names: list[ast.expr] = [load(name, code.node) for name in code.returned]
        result = names[0] if code.single else ast.Tuple(names, ast.Load())
        body.append(like(ast.Return(result), code.node.body[-1]))
    made = ast.FunctionDef(name, plain(code.node.args), body or [ast.Pass()], [])
    return like(made, code.node)


def plain(args: ast.arguments) -> ast.arguments:
    """Parameters without annotations; default values are those of the function object."""
    made = copy.deepcopy(args)
    for node in ast.walk(made):
        if isinstance(node, ast.arg):
            node.annotation = None
    made.defaults = [ast.Constant(None) for _ in args.defaults]
    made.kw_defaults = [None if d is None else ast.Constant(None) for d in args.kw_defaults]
    return made
