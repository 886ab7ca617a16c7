"""Expressions, one function for each kind of syntax."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from enum import Flag
from typing import Any

import numpy as np

from retrograd.frontend.identity.lazily import written
from retrograd.frontend.identity.source import Name
from retrograd.frontend.library import operators
from retrograd.frontend.library.environment import has_variable, is_environment
from retrograd.frontend.library.instances import special
from retrograd.frontend.library.methods import attribute_of
from retrograd.frontend.library.plain import ranges
from retrograd.frontend.library.sameness import identity
from retrograd.frontend.library.texts import contains_text
from retrograd.frontend.syntax.assume import assume, assume_kinds
from retrograd.frontend.syntax.branches import Arm, choose, join, start, trace_arm
from retrograd.frontend.syntax.class_calls import base_member
from retrograd.frontend.syntax.combinatorics import as_list
from retrograd.frontend.syntax.comprehension import comprehend
from retrograd.frontend.syntax.dict_display import (
    comprehend_dict,
    comprehend_set,
    display,
    set_display,
)  # fmt: skip
from retrograd.frontend.syntax.dicts import (
    Keyword,
    contains_key,
    dict_binary,
    keywords_of,
    with_keywords,
)
from retrograd.frontend.syntax.divisors import right_operand
from retrograd.frontend.syntax.functions import closure_of
from retrograd.frontend.syntax.generators import call_generator, mark_whole
from retrograd.frontend.syntax.index_entries import slice_value
from retrograd.frontend.syntax.interleaving import generator_of
from retrograd.frontend.syntax.iterators import given, kept
from retrograd.frontend.syntax.keyed import as_comprehension
from retrograd.frontend.syntax.list_displays import joined
from retrograd.frontend.syntax.list_methods import contains
from retrograd.frontend.syntax.list_operators import list_binary
from retrograd.frontend.syntax.object_rows import row_of_list
from retrograd.frontend.syntax.raising import joined_text
from retrograd.frontend.syntax.spreading import spread, transposed
from retrograd.frontend.syntax.stepping import is_next, next_item
from retrograd.frontend.syntax.subscript import subscript
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.values.clocks import refuse_times
from retrograd.frontend.values.complexes import complex_literal
from retrograd.frontend.values.dicts import is_dict
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.jumps import settle
from retrograd.frontend.values.kinds import (
    NONE,
    UNDEF,
    ArrayRef,
    Bound,
    DictView,
    Instance,
    Option,
    RangeValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.large_ints import of_int
from retrograd.frontend.values.lists import current, list_of
from retrograd.frontend.values.members import combined
from retrograd.frontend.values.optional import sure, sure_pair
from retrograd.frontend.values.records import is_record
from retrograd.frontend.values.scalars import logical_not, truth
from retrograd.frontend.values.scopes import literal, read_if_assigned, read_name
from retrograd.frontend.values.sets import set_operand
from retrograd.frontend.values.several import decided
from retrograd.frontend.values.text_choices import is_text
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Atom, Lit, Prim, Prov, false, true
from retrograd.ir.types import BOOL
from retrograd.prims.core import Effect

__all__ = ["evaluate", "held", "tested"]

_SPECULATE = 12


def evaluate(t: Tracer, node: ast.expr) -> Value:
    """The value of an expression, of which it is known of which kind it is."""
    return decided(t, held(t, node), node)


def held(t: Tracer, node: ast.expr) -> Value:
    """The value of an expression, which may be of several kinds."""
    handler = _HANDLERS.get(type(node))
    # `t.at`, which takes half as long as most expressions.
    builder, saved = t.b, t.b.prov
    builder.prov = Prov(t.frame.source.span(node), checkpoints=saved.checkpoints)
    try:
        if handler is None:
            what, way_out = _REFUSED.get(type(node), ("this expression", "write it as statements"))
            raise t.error("RG0101", f"{what} is not accepted in a compiled function", way_out)
        return _settled(t, handler(t, node))
    finally:
        builder.prov = t.b.prov = saved


def _settled(t: Tracer, value: Value) -> Value:
    if t.regions and not settle(t):
        raise PathEnds
    return row_of_list(t, value) if t.ctx.heaps else value


_REFUSED: Mapping[type[ast.expr], tuple[str, str]] = {
    ast.Await: ("`await`", "use an ordinary function"),
    ast.Yield: ("a generator", "return the result"),
    ast.YieldFrom: ("a generator", "return the result"),
}


def _constant(t: Tracer, node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, int) and not isinstance(value, bool):
        return of_int(value)
    if isinstance(value, bool | float):
        return literal(value)
    if isinstance(value, complex):
        return complex_literal(value)
    if isinstance(value, bytes):
        raise t.error("RG0103", "bytes is not accepted", "use a text")
    return Static(value)


def _binary(t: Tracer, node: ast.BinOp) -> Value:
    """An operation; those of its left side are a loop, since sums may have thousands of terms."""
    inner = [node]
    while isinstance(below := inner[-1].left, ast.BinOp):
        inner.append(below)
    value = t.eval(inner[-1].left)
    for part in inner[:0:-1]:
        with t.at(part):
            made = _settled(t, _operated(t, part, value))
        value = decided(t, made, part)
    return _operated(t, node, value)


def _operated(t: Tracer, node: ast.BinOp, left: Value) -> Value:
    op, right = operators.symbol_of(node.op), right_operand(t, node)
    if (united := combined(op, left, right)) is not None:
        return united
    left, right = sure_pair(t, op, set_operand(t, op, left), set_operand(t, op, right))
    if (found := list_binary(t, op, left, right) or dict_binary(t, op, left, right)) is not None:
        return found
    return operators.binary(t, op, frozen(t, left), frozen(t, right))


def _unary(t: Tracer, node: ast.UnaryOp) -> Value:
    return operators.unary(t, node.op, t.eval(node.operand))


def tested(t: Tracer, node: ast.expr) -> Atom:
    """The truth of an expression: of each part of `and`, `or` and `not` by itself."""
    match node:
        case ast.BoolOp():
            with t.at(node):
                made = truth(t, _bool_op(t, node, lambda part: Scalar(t.test(part))))
                if t.regions and not settle(t):
                    raise PathEnds
                return made
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            with t.at(node):
                return logical_not(t, t.test(operand))
        case _:
            return truth(t, t.eval(node))


def _of_parts(t: Tracer, node: ast.BoolOp) -> Value:
    return _bool_op(t, node, t.eval)


def _bool_op(t: Tracer, node: ast.BoolOp, part: Callable[[ast.expr], Value]) -> Value:
    value = part(node.values[0])
    conjunction = isinstance(node.op, ast.And)
    for k, right in enumerate(node.values[1:]):

        def known(test: ast.expr = node.values[k]) -> None:
            assume(t, test, conjunction)

        value = _second(t, conjunction, value, lambda r=right: part(r), known)
    return value


def _second(
    t: Tracer,
    conjunction: bool,
    left: Value,
    right: Callable[[], Value],
    known: Callable[[], None] = lambda: None,
) -> Value:
    """`left and right` or `left or right`; without a branch where `right` is cheap and harmless.

    `known` makes certain what is known where `right` is evaluated.
    """
    cond = truth(t, left)
    if isinstance(cond, Lit):
        return right() if bool(cond.value) == conjunction else left
    cell = t.ctx.fresh()
    arm, other = start(t), start(t)
    arm.state.cells[cell] = UNDEF
    other.state.cells[cell] = left
    if isinstance(left, Option) and not conjunction:
        other.state.cells[cell] = left.value
    elif isinstance(left, Option) and cond == left.flag:  # only None is not true
        other.state.cells[cell] = NONE

    def run() -> None:
        t.state.cells[cell] = right()

    trace_arm(t, arm, known)
    before = dict(arm.state.cells)
    trace_arm(t, arm, run)
    value = arm.state.cells[cell]
    both_bool = left == Scalar(cond) and isinstance(value, Scalar) and value.type == BOOL
    if both_bool and isinstance(value, Scalar) and _harmless(t, arm, cell, before):
        t.b.stms.extend(arm.b.stms)
        return Scalar(_connect(t, conjunction, cond, value.atom))
    join(t, cond, *((arm, other) if conjunction else (other, arm)), None)
    if t.state.raised or (t.regions and not settle(t)):
        raise PathEnds
    return t.state.cells.pop(cell)


def _connect(t: Tracer, conjunction: bool, a: Atom, b: Atom) -> Atom:
    if isinstance(b, Lit):
        return a if bool(b.value) == conjunction else b
    return t.prim("and_" if conjunction else "or_", a, b)


def _harmless(t: Tracer, arm: Arm, cell: int, before: Mapping[int, Value]) -> bool:
    """Whether an expression may be computed although Python would not have done so.

    `before` are the variables that it found.
    """
    if len(arm.b.stms) > _SPECULATE or arm.state.arrays != t.state.arrays:
        return False
    if any(arm.state.cells.get(k) != v for k, v in before.items() if k != cell):
        return False
    if any(k in arm.state.cells and k not in before for k in t.frame.locals.values()):
        return False  # a name that is assigned on this path only
    for stm in arm.b.stms:
        scalar = all(out.type.is_scalar for out in stm.outs)
        if not isinstance(stm.expr, Prim) or not scalar:
            return False
        if t.ctx.prims[stm.expr.op].effect is not Effect.PURE or stm.expr.op == "index":
            return False
    return not arm.state.raised


_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip


def _compare(t: Tracer, node: ast.Compare) -> Value:
    return _chain(t, t.eval(node.left), node.ops, node.comparators)


def _chain(
    t: Tracer, left: Value, ops: Sequence[ast.cmpop], comparators: Sequence[ast.expr]
) -> Value:
    other = comparators[0]
    if isinstance(ops[0], ast.In | ast.NotIn) and isinstance(other, ast.Set):
        other = ast.copy_location(ast.Tuple(other.elts, ast.Load()), other)
    right = t.eval(other)
    first = _compare_pair(t, ops[0], left, right)
    if len(ops) == 1:
        return first
    return _second(t, True, first, lambda: _chain(t, right, ops[1:], comparators[1:]))


def _contained(t: Tracer, owner: Value, value: Value) -> Scalar | None:
    """`value in owner` of lists, texts and objects with `__contains__`; None of all else."""
    if isinstance(owner, Instance) and owner.cls is list:
        return Scalar(contains(t, owner, value))
    if (within := contains_text(t, owner, value)) is not None:
        return Scalar(truth(t, within))
    if isinstance(owner, ArrayRef) and (is_text(value) or value == NONE):
        return literal(False)  # no number equals it
    if isinstance(owner, ArrayRef) and isinstance(value, Scalar | ArrayRef):
        same = operators.compare_values(t, "eq", owner, value)
        return Scalar(truth(t, t.call(Static(np.any), [same], {})))
    if is_environment(owner):
        return Scalar(truth(t, has_variable(t, value)))
    if isinstance(owner, RangeValue) and isinstance(value, Scalar):
        ends = (value, owner.start, owner.stop, owner.step)
        return Scalar(truth(t, t.call(Static(ranges.contains), ends, {})))
    match owner, value:
        case Static(obj=Flag() as flags), Static(obj=Flag() as one):
            return literal(one in flags)
        case _:
            found = special(t, "__contains__", owner, value)
    return None if found is None else Scalar(truth(t, found))


def _compare_pair(t: Tracer, op: ast.cmpop, a: Value, b: Value) -> Value:
    match op:
        case ast.Is() | ast.IsNot():
            if NONE not in (a, b):
                refuse_times(t, a, b)
            same = identity(t, a, b)
            return same if isinstance(op, ast.Is) else operators.unary(t, ast.Not(), same)
        case ast.In() | ast.NotIn():
            b = sure(t, b, "argument of type 'NoneType' is not iterable")
            if is_dict(b):
                here = contains_key(t, b, a)
                return operators.unary(t, ast.Not(), here) if isinstance(op, ast.NotIn) else here
            if isinstance(b, DictView):
                b = frozen(t, b)
            if (test := _contained(t, b, a)) is not None:
                return operators.unary(t, ast.Not(), test) if isinstance(op, ast.NotIn) else test
            if not isinstance(b, TupleValue) or is_record(b):
                way_out = "write np.any(x == v), or a loop"
                raise t.error("RG0101", f"`in` with {describe(b)}", way_out)
            found: Atom = false
            for item in b.items:
                equal = truth(t, operators.compare_values(t, "eq", a, item))
                if equal == true:
                    found = true
                    break
                if equal != false:
                    found = equal if found == false else t.prim("or_", found, equal)
            return operators.unary(t, ast.Not(), Scalar(found)) if isinstance(op, ast.NotIn) else (
                Scalar(found)
            )  # fmt: skip
        case _:
            test = _COMPARE[type(op)]
            a, b = set_operand(t, test, a), set_operand(t, test, b)
            return operators.compare_values(t, test, a, b)


def _if_exp(t: Tracer, node: ast.IfExp) -> Value:
    with t.at(node.test):
        cond = t.test(node.test)

    def side(holds: bool, value: ast.expr) -> Value:
        assume(t, node.test, holds)
        assume_kinds(t, cond, holds)
        return t.held(value)

    body, orelse = node.body, node.orelse
    return choose(t, cond, lambda: side(True, body), lambda: side(False, orelse), conditional=True)


def _function(t: Tracer, node: ast.expr) -> Value:
    """What is called."""
    fun = sure(t, t.eval(node), "'NoneType' object is not callable")
    own = written(fun.obj) if isinstance(fun, Static) else None
    return fun if own is None else Static(own)


def _call(t: Tracer, node: ast.Call) -> Value:
    consumed = t.consumed
    fun = _function(t, node.func)
    if is_next(fun):
        return next_item(t, node, fun)
    if (items := as_list(node, fun)) is not None:
        return t.call(Static(iter), [t.eval(items)], {})
    mark_whole(t, node, fun)
    # A sum that does not start with 0 adds the items of a list to its start.
    taker = None if fun == Static(sum) and len(node.args) + len(node.keywords) > 1 else fun
    args: list[Value] = []
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            value = t.eval(arg.value)
            alone = len(node.args) == 1 and all(k.arg == "strict" for k in node.keywords)
            if fun == Static(zip) and alone and (columns := transposed(t, value)) is not None:
                return columns
            args += spread(t, node, fun, value, len(args))
        elif isinstance(arg, ast.ListComp | ast.GeneratorExp):
            with t.at(arg):
                made = comprehend(t, arg, taker)
                made = row_of_list(t, made) if t.ctx.heaps else made
                args.append(given(t, arg, made, fun))
        else:
            args.append(given(t, arg, _argument(t, arg, fun, taker), fun))
    named: list[Keyword] = []
    for keyword in node.keywords:
        value = t.eval(keyword.value)
        named += [(keyword.arg, value, true)] if keyword.arg else keywords_of(t, value)
    names = [name for name, _, _ in named]
    if twice := [name for name in names if names.count(name) > 1]:
        raise t.error("RG0108", f"this call gives {twice[0]!r} twice", "leave one out")
    if any(flag != true for _, _, flag in named):
        return with_keywords(t, named, lambda kwargs: t.call(fun, args, kwargs))
    kwargs = {name: value for name, value, _ in named}
    if (generator := generator_of(t, fun)) is not None:
        consumer = consumed[1] if consumed[0] is node else None
        return call_generator(t, generator, (args, kwargs), consumer)
    return t.call(fun, args, kwargs)


def _argument(t: Tracer, arg: ast.expr, fun: Value, taker: Value | None) -> Value:
    with t.at(arg):
        made = as_comprehension(t, arg, fun)
        return t.eval(arg) if made is None else comprehend(t, made, taker)


def _of_base(t: Tracer, node: ast.Attribute) -> Value | None:
    """The method that `super().name` is, in a method; None for all else."""
    match node.value:
        case ast.Call(func=ast.Name(id="super"), args=[], keywords=[]):
            cell = t.frame.origin.cells.get("__class__")
        case _:
            return None
    args = t.frame.source.node.args
    every = [*args.posonlyargs, *args.args]
    receiver = read_name(t, every[0].arg) if every else None
    name = t.frame.source.mangled(node.attr)
    if cell is not None and isinstance(receiver, Static) and isinstance(receiver.obj, type):
        return base_member(t, receiver.obj, cell.cell_contents, name)
    if cell is None or not isinstance(receiver, Instance):
        raise t.error("RG0101", "`super()` outside of a method of an object", "name the base class")
    return Bound(receiver, name, cell.cell_contents)


def _attribute(t: Tracer, node: ast.Attribute) -> Value:
    if (method := _of_base(t, node)) is not None:
        return method
    return attribute_of(t, t.eval(node.value), t.frame.source.mangled(node.attr))


def _tuple(t: Tracer, node: ast.Tuple | ast.List) -> Value:
    items: list[Value] = []
    for k, element in enumerate(node.elts):
        if isinstance(element, ast.Starred):
            value = t.eval(element.value)
            found = steps_of(t, value).all()
            if found is None and isinstance(node, ast.List):
                return joined(t, items, value, node.elts[k + 1 :])
            if found is None:
                raise t.error("RG0101", f"`*` of {describe(value)}", "use a tuple")
            items += [current(t, item) for item in found]
        else:
            items.append(kept(t, element, t.held(element)))
    if isinstance(node, ast.Tuple):
        return TupleValue(tuple(items))
    objects = t.ctx.way.lists and not t.frame.origin.ours
    return list_of(t, items) if objects else TupleValue(tuple(items), list)


def _lambda(t: Tracer, node: ast.Lambda) -> Value:
    return closure_of(t, node)


def _named(t: Tracer, node: ast.NamedExpr) -> Value:
    value = kept(t, node.value, t.eval(node.value))
    assign(t, node.target, value)
    return value


def _comprehension(t: Tracer, node: ast.ListComp | ast.GeneratorExp) -> Value:
    return comprehend(t, node, None)


_HANDLERS: Mapping[type[ast.expr], Callable[[Tracer, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: lambda t, node: read_name(t, node.id),
    Name: lambda t, node: read_if_assigned(t, node.id),
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _of_parts,
    ast.Compare: _compare,
    ast.IfExp: _if_exp,
    ast.Call: _call,
    ast.JoinedStr: joined_text,
    ast.Attribute: _attribute,
    ast.Subscript: subscript,
    ast.Slice: slice_value,
    ast.Tuple: _tuple,
    ast.List: _tuple,
    ast.Dict: display,
    ast.DictComp: comprehend_dict,
    ast.Set: set_display,
    ast.SetComp: comprehend_set,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
}
