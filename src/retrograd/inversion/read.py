"""From the syntax of a reversible function to statements that have inverses."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType

from retrograd.errors import UserError
from retrograd.inversion import markers
from retrograd.inversion.calls import Resolver, call_step
from retrograd.inversion.complaints import Complaints
from retrograd.inversion.grouping import Definitions, counters
from retrograd.inversion.invert import inverse_of
from retrograd.inversion.leaving import leaving
from retrograd.inversion.legality import Illegal, Judge
from retrograd.inversion.local_functions import refuse_captures, with_local_functions
from retrograd.inversion.places import (
    Meeting,
    bound_by,
    meeting,
    names_read,
    root_of,
    text,
    written,
)
from retrograd.inversion.prepare import Fresh, counted_loop, with_views
from retrograd.inversion.returning import read_return
from retrograd.inversion.statements import (
    Ancilla,
    Block,
    Branch,
    CallStep,
    Change,
    Exchange,
    Loop,
    Outside,
    Pairs,
    Pure,
    Release,
    Reversed,
    Since,
    Statement,
    Update,
)
from retrograd.inversion.updates import change_of, exchange_of, update_of

__all__ = ["read"]


def read(node: ast.FunctionDef, complaints: Complaints, resolve: Resolver) -> Reversed:
    """A function as statements that have inverses.

    Args:
        node: its syntax.
        complaints: makes the errors.
        resolve: what an expression of global names stands for.

    Raises:
        UserError: where a statement cannot be undone, with the statement (codes RG05xx).
    """
    parameters = _parameters(node)
    body = _statements(node.body)
    returned = read_return(body, parameters, complaints)
    body = with_local_functions(
        body[:-1] if returned.node is not None else body, frozenset(parameters)
    )
    body = with_views(body, frozenset(parameters))
    every = frozenset(parameters).union(
        *(bound_by(place) for stm in body for place in _written(stm, resolve))
    )
    refuse_captures(body, every, complaints)
    ancillas = _released(body, resolve) - frozenset(parameters)
    first: UserError | None = None
    while True:
        reader = _Reader(complaints, resolve, parameters, every, ancillas)
        try:
            found = reader.function(body)
            break
        except Illegal as illegal:
            first = first or illegal.error
            if illegal.name in ancillas or not _may_be_ancilla(illegal.name, body, parameters):
                raise first from None
            ancillas = ancillas | {illegal.name}
        except UserError as error:
            raise first or error from None
    local = every | reader.fresh.taken
    changed = returned.changed(found, parameters)
    arrays = returned.arrays(found, changed)
    return Reversed(
        node, parameters, found, changed, returned.names, returned.single, arrays, local
    )


def _parameters(node: ast.FunctionDef) -> tuple[str, ...]:
    args = node.args
    every = (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg)
    return tuple(a.arg for a in every if a is not None)


def _statements(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements without docstrings and `pass`."""
    return [s for s in body if not isinstance(s, ast.Pass) and not _is_text(s)]


def _is_text(stm: ast.stmt) -> bool:
    return isinstance(stm, ast.Expr) and isinstance(stm.value, ast.Constant)


def _written(node: ast.AST, resolve: Resolver) -> list[ast.expr]:
    """The places that a statement writes. `np.sort` and the like are no methods of what changes."""
    places = ((place, root_of(place)) for place in written(node))
    return [
        place
        for place, root in places
        if root is None or not isinstance(resolve(ast.Name(root, ast.Load())), ModuleType)
    ]


def _released(body: Sequence[ast.stmt], resolve: Resolver) -> frozenset[str]:
    calls = (n for stm in body for n in ast.walk(stm) if isinstance(n, ast.Call))
    named = (n.args[0] for n in calls if n.args and resolve(n.func) is markers.release)
    return frozenset(n.id for n in named if isinstance(n, ast.Name))


def _may_be_ancilla(name: str, body: Sequence[ast.stmt], parameters: Sequence[str]) -> bool:
    """Whether a local begins with one plain assignment and is updated afterwards."""
    plain, updates = 0, 0
    for node in (n for stm in body for n in ast.walk(stm)):
        match node:
            case ast.Assign(targets=[target], value=value) if name in bound_by(target):
                again = name in names_read(value, frozenset((name,)))
                plain, updates = plain + (not again), updates + again
            case ast.AugAssign() if root_of(node.target) == name:
                updates += 1
            case ast.Assign(value=ast.Call(args=args)) | ast.Expr(value=ast.Call(args=args)):
                updates += any(root_of(arg) == name for arg in args)
            case _:
                pass
    return plain == 1 and updates > 0 and name not in parameters


@dataclass(slots=True)
class _Reader:
    """Reads the blocks of one function, in which the locals in `ancillas` are updated."""

    complaints: Complaints
    resolve: Resolver
    parameters: tuple[str, ...]
    every: frozenset[str]
    ancillas: frozenset[str]
    loops: list[str] = field(default_factory=list[str])
    fresh: Fresh = field(init=False)
    definitions: Definitions = field(init=False)

    def __post_init__(self) -> None:
        self.fresh = Fresh(self.every)

    @property
    def state(self) -> frozenset[str]:
        """The names that statements update."""
        return frozenset(self.parameters) | self.ancillas

    def function(self, body: Sequence[ast.stmt]) -> Block:
        """All statements, judged."""
        self.definitions = Definitions(self.every, counters(body, self.every))
        block = self.block(body)
        local = self.every | self.fresh.taken
        judge = Judge(self.complaints, local, self.state, self.ancillas)
        return judge.block(block, {}, frozenset())

    def block(self, body: Sequence[ast.stmt]) -> Block:
        """The statements of one block; what is temporary is undone at its end."""
        found: list[Statement] = []
        undo: list[Statement] = []
        run: list[ast.stmt] = []
        for stm in _statements(body):
            if self._is_pure(stm):
                run.append(stm)
                continue
            found += self.definitions.grouped(run, self._defined_in(found))
            run = []
            made = self._statement(stm)
            if isinstance(stm, ast.With) and self._marker(stm) is markers.temporarily:
                undo = [*inverse_of(made, self.every | self.fresh.taken), *undo]
            found += made
        found += self.definitions.grouped(run, self._defined_in(found))
        return (*found, *undo)

    def _defined_in(self, block: Sequence[Statement]) -> frozenset[str]:
        """The names that definitions of a block write, but for variables of loops."""
        names = (stm.writes for stm in block if isinstance(stm, Pure))
        return frozenset[str]().union(*names) - self.definitions.counters

    # -- what writes fresh locals only ------------------------------------------------------------

    def _is_pure(self, stm: ast.stmt) -> bool:
        if any(self._is_reversible(node) for node in ast.walk(stm)):
            return False
        roots = {root_of(place) for place in _written(stm, self.resolve)}
        if not all(root in self.every and root not in self.state for root in roots):
            return False
        if roots & set(self.loops):
            raise self._fixed(stm, next(iter(roots & set(self.loops))) or "")
        self._ends_inside(stm)
        return isinstance(stm, ast.FunctionDef) or not isinstance(stm, ast.Expr) or bool(roots)

    def _is_reversible(self, node: ast.AST) -> bool:
        """Whether a node makes the statement around it one that changes state."""
        match node:
            case ast.With() if self._marker(node) is not None:
                return True
            case ast.While(test=ast.Call() as test):
                return self.resolve(test.func) is markers.since
            case ast.If(test=ast.Call() as test):
                return self.resolve(test.func) is markers.when
            case ast.Expr(value=ast.Call()) | ast.Assign(value=ast.Call()):
                return self._changes_state(node)
            case _:
                return False

    def _changes_state(self, node: ast.Expr | ast.Assign) -> bool:
        """Whether a statement is a call that changes parameters or ancillas."""
        assert isinstance(node.value, ast.Call)
        if isinstance(node, ast.Expr):
            if self.resolve(node.value.func) is markers.release:
                return True
            step = call_step(node, self.resolve, self.complaints)
        else:
            roots = {root_of(place) for place in _written(node, self.resolve)}
            if not roots & self.state and not self.resolve.is_reversible(node.value.func):
                return False
            step = call_step(node, self.resolve, self.complaints)
        return step is not None and any(root_of(p) in self.state for p in step.changed)

    def _ends_inside(self, stm: ast.stmt) -> None:
        """Refuses what leaves the function, or a loop around the statement, from inside."""
        for node in leaving(stm):
            match node:
                case ast.Global() | ast.Nonlocal():
                    raise self.complaints.without_inverse(
                        node, "what it writes outside cannot be restored",
                        "make it a parameter and return it",
                    )  # fmt: skip
                case ast.Return() | ast.Break() | ast.Continue():
                    raise self._leaves(node)
                case _:
                    raise self.complaints.without_inverse(
                        node, "nothing says how to undo it", "write it as a statement of its own"
                    )

    def _leaves(self, node: ast.stmt) -> UserError:
        way_out = "end loops by their condition, and return once, at the end of the function"
        if isinstance(node, ast.Continue):
            way_out = "put what is left out under `if`"
        reason = "the way back would not know where it was left"
        return self.complaints.without_inverse(node, reason, way_out)

    def _fixed(self, node: ast.stmt, name: str) -> UserError:
        return self.complaints.error(
            "RG0504", f"{self.complaints.told(node)} writes the loop's variable {name!r}", node,
            "work with another name",
        )  # fmt: skip

    # -- what changes state -----------------------------------------------------------------------

    def _statement(self, stm: ast.stmt) -> Block:
        match stm:
            case ast.AugAssign():
                return (self._updated(update_of(stm, self.complaints)),)
            case ast.Assign():
                return (self._assigned(stm),)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                plain = ast.copy_location(ast.Assign([target], value), stm)
                return (self._assigned(plain),)
            case ast.Expr():
                return (self._expression(stm),)
            case ast.For():
                return (self._loop(stm),)
            case ast.If():
                return (self._branch(stm),)
            case ast.While():
                return (self._since(stm),)
            case ast.With():
                return self._with(stm)
            case ast.Return() | ast.Break() | ast.Continue():
                raise self._leaves(stm)
            case _:
                self._ends_inside(stm)
                raise self.complaints.without_inverse(
                    stm, "it changes what is not updated",
                    "write updates (t += e, -=, *=, /=, ^=), swaps, calls of reversible functions",
                )  # fmt: skip

    def _state(self, node: ast.stmt, place: ast.expr) -> None:
        """Refuses a target that is no part of a parameter or of an ancilla."""
        root = root_of(place)
        if root in self.state:
            return
        if root in self.loops:
            raise self._fixed(node, root or "")
        if root in self.every:
            raise Illegal(root or "", self.complaints.error(
                "RG0505", f"`{text(node)}` updates the local {root!r} together with parameters, or "
                "in a block of its own", node,
                f"release it when it is done: rg.release({root}, 0.0)",
            ))  # fmt: skip
        raise self.complaints.without_inverse(
            node, f"{text(place)} is no part of a parameter", "make what it changes a parameter"
        )

    def _updated(self, update: Update | None) -> Update:
        assert update is not None
        self._state(update.node, update.target)
        self._no_mutation(update.value)
        return update

    def _no_mutation(self, value: ast.expr) -> None:
        """Refuses calls of reversible functions inside of expressions."""
        for node in ast.walk(value):
            if isinstance(node, ast.NamedExpr):
                raise self.complaints.without_inverse(
                    node, "it assigns inside of an expression", "assign in a statement before"
                )
            if isinstance(node, ast.Call) and self.resolve.is_reversible(node.func):
                raise self.complaints.error(
                    "RG0506", f"the reversible {text(node.func)!r} is called in an expression",
                    node, "call it in a statement of its own, which puts back what it returns",
                )  # fmt: skip

    def _assigned(self, stm: ast.Assign) -> Statement:
        name = stm.targets[0].id if isinstance(stm.targets[0], ast.Name) else ""
        if len(stm.targets) > 1:
            raise self.complaints.without_inverse(
                stm, "it has several targets", "write one assignment for each"
            )
        if name in self.ancillas and name not in names_read(stm.value, self.every):
            return Ancilla(stm, name, stm.value)
        found = exchange_of(stm) or change_of(stm, self.resolve) or self._called(stm)
        found = found or update_of(stm, self.complaints, name)
        for place in _written(stm, self.resolve):
            self._state(stm, place)
        if found is None:
            raise self._overwritten(stm, name)
        if not isinstance(found, CallStep):
            self._no_mutation(found.value if isinstance(found, Update) else stm.value)
        if isinstance(found, Exchange | Change):
            return replace(found, apart=self._apart(stm, found.targets))
        return found

    def _apart(self, stm: ast.stmt, places: Sequence[ast.expr]) -> Pairs:
        """Pairs of places that may be one; refuses those that are."""
        pairs: list[tuple[ast.expr, ast.expr]] = []
        for k, one in enumerate(places):
            for other in places[:k]:
                match meeting(one, other):
                    case Meeting.ALWAYS:
                        raise self.complaints.error(
                            "RG0502", f"`{text(stm)}` writes {text(one)} twice", stm,
                            "name each once",
                        )  # fmt: skip
                    case Meeting.PERHAPS:
                        pairs.append((other, one))
                    case _:
                        pass
        return tuple(pairs)

    def _overwritten(self, stm: ast.Assign, name: str) -> UserError:
        shown = text(stm.targets[0])
        if name:
            return self.complaints.error(
                "RG0508", f"`{text(stm)}` overwrites the "
                f"{'local' if name in self.ancillas else 'parameter'} {name!r}", stm,
                f"update it: {name} += ..., or give the new value a name of its own",
            )  # fmt: skip
        return self.complaints.without_inverse(
            stm, f"what {shown} was is lost", f"update it: {shown} += ..."
        )

    def _called(self, stm: ast.Expr | ast.Assign) -> CallStep | None:
        if not isinstance(stm.value, ast.Call):
            return None
        step = call_step(stm, self.resolve, self.complaints)
        if step is None:
            return None
        for place in step.changed:
            self._state(stm, place)
        return step

    def _expression(self, stm: ast.Expr) -> Statement:
        match stm.value:
            case ast.Call(func=func, args=[ast.Name(id=name), value]):
                if self.resolve(func) is markers.release:
                    return Release(stm, name, value)
            case _:
                pass
        if self.resolve(getattr(stm.value, "func", stm)) is markers.release:
            raise self.complaints.error(
                "RG0505", f"`{text(stm)}` does not name a local and its value", stm,
                "write rg.release(local, value)",
            )  # fmt: skip
        step = self._called(stm)
        if step is None:
            raise self.complaints.without_inverse(
                stm, "what it does besides its result is not known",
                "put it under `with rg.irreversible():` if it is to run in both directions",
            )  # fmt: skip
        return step

    def _loop(self, stm: ast.For) -> Loop:
        target, bounds, backwards, body = counted_loop(stm, self.fresh, self.complaints)
        if target in self.parameters or target in self.loops or target in self.ancillas:
            raise self.complaints.error(
                "RG0508", f"the loop's variable {target!r} has a meaning already", stm,
                "take a new name",
            )  # fmt: skip
        self.loops.append(target)
        found = Loop(stm, target, bounds, backwards, self.block(body))
        self.loops.pop()
        return found

    def _branch(self, stm: ast.If) -> Branch:
        before = after = stm.test
        match stm.test:
            case ast.Call(func=func, args=[one, other]) if self.resolve(func) is markers.when:
                before, after = one, other
            case _:
                pass
        return Branch(stm, before, after, self.block(stm.body), self.block(stm.orelse))

    def _since(self, stm: ast.While) -> Since:
        match stm.test:
            case ast.Call(func=func, args=[start, going]) if self.resolve(func) is markers.since:
                if stm.orelse:
                    raise self._leaves(stm.orelse[0])
                return Since(stm, start, going, self.block(stm.body))
            case _:
                raise self.complaints.without_inverse(
                    stm, "the way back would not know where the loop began",
                    f"say what holds there only: while rg.since(<start>, {text(stm.test)}):",
                )  # fmt: skip

    def _with(self, stm: ast.With) -> Block:
        marker = self._marker(stm)
        if marker is markers.temporarily:
            return self.block(stm.body)
        if marker is markers.irreversible:
            for node in (n for inner in stm.body for n in leaving(inner)):
                if isinstance(node, ast.Return | ast.Break | ast.Continue):
                    raise self._leaves(node)
            for place in (p for node in stm.body for p in _written(node, self.resolve)):
                if root_of(place) in self.state or root_of(place) in self.loops:
                    raise self.complaints.error(
                        "RG0505", f"{text(place)} is written under rg.irreversible()", stm,
                        "write only names there that no other statement reads",
                    )  # fmt: skip
            return (Outside(stm, tuple(stm.body)),)
        raise self.complaints.without_inverse(
            stm, "nothing says how to undo what it enters",
            "put it under `with rg.irreversible():`, or around the call of the function",
        )  # fmt: skip

    def _marker(self, stm: ast.With) -> Callable[..., object] | None:
        match stm.items:
            case [ast.withitem(context_expr=ast.Call(func=func, args=[]))]:
                found = self.resolve(func)
                for marker in (markers.temporarily, markers.irreversible):
                    if found is marker:
                        return marker
            case _:
                pass
        return None
