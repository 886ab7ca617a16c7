"""Helpers, recursion, closures, lambdas, functions as arguments, and calls of all of them."""

from __future__ import annotations

from dataclasses import replace

from tests.random.programs.core import Core
from tests.random.programs.model import (
    ACCUMULATED,
    BOUND,
    INT_BOUND,
    Callee,
    Expr,
    Frame,
    Slot,
    Struct,
    Var,
)

__all__ = ["Functions"]

FLOAT = Slot("f")
INT = Slot("i", (), -INT_BOUND, INT_BOUND)
COUNT = Slot("i", (), 0, 4)
BOOL = Slot("b", (), 0, 1)
UNARY = ((FLOAT,), FLOAT)
BINARY = ((FLOAT, FLOAT), FLOAT)


class Functions(Core):
    """Productions of functions and calls."""

    # calls

    def call(self, wanted: Slot, depth: int) -> Expr | None:
        found = [
            c
            for c in self.visible_callees()
            if len(c.results) == 1
            and not c.writes
            and not c.captured_writes
            and self.can_call(c)
            and (wanted.dtype == "f" if c.polymorphic else c.results[0].key == wanted.key)
        ]
        if not found:
            return None
        callee = self.pick(found)
        if callee.polymorphic:
            return self._polymorphic_call(callee, wanted, depth)
        text = self.call_text(callee, min(depth, 1))
        if text is None:
            return None
        result = callee.results[0]
        return Expr(text, result.low, result.high)

    def _polymorphic_call(self, callee: Callee, wanted: Slot, depth: int) -> Expr:
        self.use("polymorphic")
        depth = min(depth, 1)
        if not wanted.shape:
            args = [self.fit(self.floating(depth)) for _ in callee.params]
        else:
            args = [self.fit(self.array(wanted.shape, depth), array=True)]
            args += [
                self.fit(self.array(wanted.shape, depth), array=True)
                if self.choices.flag()
                else self.fit(self.floating(depth))
                for _ in callee.params[1:]
            ]
            if self.choices.flag(30):
                args.reverse()
        self.frame.cost += self.frame.multiplier * callee.cost
        return Expr(f"{callee.name}({', '.join(a.text for a in args)})")

    def call_text(self, callee: Callee, depth: int) -> str | None:
        """A call with fitting arguments, or nothing where there are none."""
        taken: set[int] = set(callee.captured_writes)
        texts: list[str] = []
        written: list[Var] = []
        for position, (_, kind) in enumerate(callee.params):
            if isinstance(kind, tuple):
                texts.append(self._function_argument(kind))
            elif kind == "Pair":
                texts.append(self._pair_argument())
            elif isinstance(kind, Slot) and position in callee.writes:
                var = self._array_to_write(kind, taken)
                if var is None:
                    return None
                taken.add(var.group)
                written.append(var)
                texts.append(var.name)
            elif isinstance(kind, Slot):
                e = self.value(kind, depth)
                alias = kind.shape and callee.writes and not e.fresh
                texts.append(f"1.0 * {e.text}" if alias else e.text)
        for var in written:
            self.wrote(var)
        self.frame.cost += self.frame.multiplier * callee.cost
        return f"{callee.name}({', '.join(self._argument_texts(callee, texts))})"

    def _argument_texts(self, callee: Callee, texts: list[str]) -> list[str]:
        """Positions, keywords, and defaults left out."""
        if callee.positional_only:
            return texts
        if callee.defaults and self.flag(50, "defaults"):
            self.use("defaults")
            texts = texts[: len(texts) - callee.defaults]
        if not self.flag(20, "keywords") or not texts:
            return texts
        self.use("keywords")
        first = self.choices.integer(0, len(texts) - 1)
        named = [f"{callee.params[k][0]}={texts[k]}" for k in range(first, len(texts))]
        if self.choices.flag(30):
            named.reverse()
        return [*texts[:first], *named]

    def _array_to_write(self, slot: Slot, taken: set[int]) -> Var | None:
        found = [
            v
            for v in self.frame.variables
            if v.slot == slot and v.writable and v.group not in taken
        ]
        return self.pick(found) if found else None

    def _pair_argument(self) -> str:
        self.use("struct_args")
        found = [s for s in self.visible_structs() if s.fields]
        if found and self.choices.flag(70):
            return self.pick(found).name
        return self.struct_text(
            ("first", "second"), [self.value(FLOAT, 1).text, self.value(FLOAT, 1).text]
        )

    def _function_argument(self, kind: tuple[tuple[Slot, ...], Slot]) -> str:
        slots, result = kind
        self.use("function_args")
        found = [
            c
            for c in self.visible_callees()
            if len(c.results) == 1
            and not c.writes
            and not c.captured_writes
            and c.cost <= 30
            and c.results[0].key == result.key
            and (c.polymorphic or tuple(kind for _, kind in c.params) == slots)
            and len(c.params) == len(slots)
        ]
        if found and (self.choices.flag(70) or not self.on("lambdas")):
            return self.pick(found).name
        return self.lambda_text(slots, result)

    def inner_gradient(self, depth: int) -> Expr:
        """A derivative taken inside the program, also by an argument that the module names."""
        several = self.choices.flag()
        function = self._function_argument(BINARY if several else UNARY)
        if function.startswith("lambda"):
            function = f"({function})"
        count = 2 if several else 1
        at = ", ".join(self.fit(self.floating(min(depth, 1))).text for _ in range(count))
        if self.choices.flag(30):
            function = f"lambda *every: {function}(*every)"
        which = self.pick(("0", "1", "WHICH", "(WHICH,)", "BOTH")) if several else "0"
        part = {"(WHICH,)": "[0]", "BOTH": "[1]"}.get(which, "")
        return Expr(f"math.tanh(rg.grad({function}, {which})({at}){part})", -1.0, 1.0)

    def lambda_text(self, slots: tuple[Slot, ...], result: Slot) -> str:
        """A lambda over what is visible here."""
        self.use("lambdas")
        seen = len(self.frame.variables)
        names = [self.fresh("a") for _ in slots]
        for name, slot in zip(names, slots, strict=True):
            self.define(name, slot, locked=True, writable=False, local=False)
        body = self.value(result, 2).text
        del self.frame.variables[seen:]
        return f"lambda {', '.join(names)}: {body}"

    # functions of the module

    def helper(self) -> None:
        """One more function of the module."""
        makers = (
            (5, "helpers", self._plain_helper),
            (2, "polymorphic", self._polymorphic_helper),
            (3, "recursion", self._recursive),
            (1, "mutual_recursion", self._mutual),
            (2, "array_recursion", self._array_recursive),
            (2, "function_args", self._higher_order),
        )
        allowed = [(m[0], m) for m in makers if self.on(m[1])]
        _, feature, make = self.choices.weighted(allowed)
        make()
        self.use("helpers", feature)

    def open_function(self, name: str, results: tuple[Slot, ...]) -> Frame:
        """Starts a function; its statements go to the new frame."""
        frame = Frame(name, results)
        if self.frames:
            frame.depth = self.frame.depth + 1
        self.frames.append(frame)
        return frame

    def parameters(self, specs: list[tuple[str, object]], writable: bool = True) -> None:
        """Binds the parameters of the function that was opened."""
        for position, (name, kind) in enumerate(specs):
            if isinstance(kind, Slot):
                self.define(
                    name, kind, param=position, local=False, writable=writable and bool(kind.shape)
                )
            elif kind == "Pair":
                self.frame.structs.append(Struct(name, (FLOAT, FLOAT), ("first", "second")))
            elif isinstance(kind, tuple):
                slots, result = kind
                params = tuple((f"p{k}", slot) for k, slot in enumerate(slots))
                callee = Callee(name, params, (result,), cost=30, positional_only=True)
                self.frame.callees.append(callee)

    def close_function(
        self, specs: list[tuple[str, object]], defaults: int = 0, finish: bool = True
    ) -> Callee:
        """Ends the function with its return and gives what callers need to know."""
        frame = self.frame
        if finish:
            self.line(f"return {self.result_text(2)}")
        self.frames.pop()
        texts = [name for name, _ in specs]
        for k in range(len(texts) - defaults, len(texts)):
            texts[k] += f"={self.choices.constant():.3f}"
        head = f"def {frame.name}({', '.join(texts)}):"
        lines = ["    " * (frame.depth - 1) + head, *frame.lines]
        if self.frames:
            self.frame.lines.extend(lines)
        else:
            self.functions.append(lines)
        return Callee(
            frame.name,
            tuple(specs),  # type: ignore[arg-type]
            frame.results,
            frame.cost,
            frozenset(frame.writes),
            frozenset(frame.captured_writes),
            defaults,
        )

    def some_param(self) -> Slot | str:
        match self.choices.integer(0, 9):
            case 0 | 1 | 2 | 3:
                return FLOAT
            case 4 if self.on("integers"):
                return INT
            case 5 if self.on("booleans"):
                return BOOL
            case 6 if self.on("struct_args") and self.on("namedtuples"):
                return "Pair"
            case _ if self.on("arrays"):
                ranks = [1, 1, 1] + [2, 2] * self.on("rank2") + [3] * self.on("rank3")
                rank = self.pick(ranks)
                shape = tuple(self.choices.integer(1, 3 if rank < 3 else 2) for _ in range(rank))
                bound = ACCUMULATED if self.choices.flag(30) else BOUND
                return Slot("f", shape, -bound, bound)
            case _:
                return FLOAT

    def some_results(self) -> tuple[Slot, ...]:
        match self.choices.integer(0, 9):
            case 6 if self.on("tuples"):
                self.use("tuples")
                return (FLOAT, FLOAT)
            case 7 if self.on("tuples") and self.on("integers"):
                self.use("tuples")
                return (FLOAT, INT)
            case 8 if self.on("arrays"):
                return (Slot("f", (self.choices.integer(1, 3),)),)
            case 9 if self.on("integers"):
                return (self.pick((INT, BOOL)),)
            case _:
                return (FLOAT,)

    def _plain_helper(self) -> None:
        count = self.choices.integer(1, 3)
        specs = [(self.fresh("p"), self.some_param()) for _ in range(count)]
        defaults = 0
        if self.flag(30, "defaults"):
            specs.append((self.fresh("p"), FLOAT))
            defaults = 1
        self.open_function(self.fresh("helper"), self.some_results())
        self.parameters(list(specs), writable=self.on("write_args"))
        if self.choices.flag(30):
            self.line('"""A helper."""')
        self.body(self.choices.integer(0, 5))
        self.module_callees.append(self.close_function(list(specs), defaults))

    def _polymorphic_helper(self) -> None:
        """Works on scalars and on arrays of any rank."""
        name = self.fresh("poly")
        a, b = self.fresh("p"), self.fresh("p")
        forms = (
            f"np.tanh({a} * {b} + {self.choices.constant():.3f})",
            f"np.sin({a}) * np.cos({b})",
            f"({a} - {b}) / (1.0 + {a} * {a} + {b} * {b})",
            f"0.5 * np.exp(-{a} * {a}) * {b}",
        )
        lines = [f"def {name}({a}, {b}):"]
        if self.choices.flag(40):
            lines += [f"    t = {self.pick(forms)}", f"    return 0.5 * t + 0.25 * np.sin({b})"]
        else:
            lines += [f"    return {self.pick(forms)}"]
        self.functions.append(lines)
        specs = ((a, FLOAT), (b, FLOAT))
        self.module_callees.append(
            Callee(name, specs, (FLOAT,), 2, polymorphic=True, positional_only=True)
        )

    def _recursive(self) -> None:
        """One or two recursive calls with a smaller count."""
        name = self.fresh("rec")
        x, n = self.fresh("p"), self.fresh("n")
        twice = self.choices.flag(30)
        count = Slot("i", (), 0, 3 if twice else 5)
        specs: list[tuple[str, object]] = [(x, FLOAT), (n, count)]
        frame = self.open_function(name, (FLOAT,))
        self.parameters(specs)
        for var in frame.variables:
            var.locked = var.name == n
        frame.multiplier = 8
        self._base_case(n)
        self.body(self.choices.integer(0, 2))
        first = self._self_call(name, n)
        if twice and self.choices.flag():
            self.line(f"return 0.5 * {first} - 0.4 * {self._self_call(name, n)}")
        elif self.choices.flag(60):
            scale = self.fit(self.floating(1), -0.9, 0.9).text
            self.line(f"return {scale} * {first} + {self.fit(self.floating(1), -0.2, 0.2).text}")
        elif twice:
            left = self.fresh("x")
            self.line(f"{left} = {first}")
            self.line(f"return 0.5 * {left} + 0.3 * {self._self_call(name, n)} * {left}")
        else:
            self.line(f"return {first}")
        self.module_callees.append(self.close_function(specs, finish=False))

    def _base_case(self, n: str) -> None:
        """Without a fault: what never returns has no type of its result."""
        self.line(f"if {n} {self.pick(('<= 0', '< 1', '== 0'))}:")
        faults, self.fault_left = self.fault_left, False
        with self.block():
            self.body(self.choices.integer(0, 1))
            self.line(f"return {self.result_text(1)}")
        self.fault_left = faults

    def _self_call(self, name: str, n: str) -> str:
        return f"{name}({self.fit(self.floating(1)).text}, {n} - 1)"

    def _mutual(self) -> None:
        """Two functions that call each other."""
        names = [self.fresh("ping"), self.fresh("pong")]
        made: list[Callee] = []
        for k, name in enumerate(names):
            x, n = self.fresh("p"), self.fresh("n")
            specs: list[tuple[str, object]] = [(x, FLOAT), (n, Slot("i", (), 0, 5))]
            frame = self.open_function(name, (FLOAT,))
            self.parameters(specs)
            for var in frame.variables:
                var.locked = var.name == n
            frame.multiplier = 8
            self._base_case(n)
            self.body(self.choices.integer(0, 2))
            other = self._self_call(names[1 - k], n)
            self.line(f"return {self.fit(self.floating(0), -0.9, 0.9).text} * {other}")
            made.append(self.close_function(specs, finish=False))
        self.module_callees.extend(made)

    def _array_recursive(self) -> None:
        """Divides an array, or works along it, by recursion."""
        name = self.fresh("part")
        v, lo, hi = self.fresh("p"), self.fresh("lo"), self.fresh("hi")
        extent = self.choices.integer(1, 4)
        slot = Slot("f", (extent,), -BOUND, BOUND)
        if self.choices.flag(40) and self.on("slices"):
            text = (
                f"def {name}({v}):",
                f"    if len({v}) == 1:",
                f"        return math.sin({v}[0])",
                f"    half = len({v}) // 2",
                f"    return math.tanh({name}({v}[:half]) + 0.7 * {name}({v}[half:]))",
            )
            callee = Callee(name, ((v, slot),), (FLOAT,), 16)
        elif self.choices.flag(50) and self.on("write_args"):
            text = (
                f"def {name}({v}, {lo}):",
                f"    if {lo} >= len({v}):",
                "        return 0.5",
                f"    {v}[{lo}] = math.sin({v}[{lo}] + {self.choices.constant():.3f})",
                f"    rest = {name}({v}, {lo} + 1)",
                f"    {v}[{lo}] *= 0.5",
                f"    return 0.5 * rest + 0.3 * {v}[{lo}]",
            )
            params = ((v, slot), (lo, COUNT))
            callee = Callee(name, params, (FLOAT,), 24, writes=frozenset({0}))
        else:
            text = (
                f"def {name}({v}, {lo}, {hi}):",
                f"    if {hi} - {lo} < 2:",
                f"        return {v}[{lo}]",
                f"    mid = ({lo} + {hi}) // 2",
                f"    left = {name}({v}, {lo}, mid)",
                f"    return math.sin(left * {name}({v}, mid, {hi}) + left)",
            )
            params = ((v, slot), (lo, Slot("i", (), 0, 0)), (hi, Slot("i", (), 1, extent)))
            callee = Callee(name, params, (FLOAT,), 24, positional_only=True)
        self.functions.append(list(text))
        self.module_callees.append(callee)

    def _higher_order(self) -> None:
        f, x = self.fresh("f"), self.fresh("p")
        specs: list[tuple[str, object]] = [(f, UNARY), (x, FLOAT)]
        if self.choices.flag(30):
            specs.append((self.fresh("p"), self.some_param()))
        if self.choices.flag():
            specs.reverse()
        frame = self.open_function(self.fresh("apply"), (FLOAT,))
        self.parameters(specs, writable=False)
        name = self.fresh("x")
        self.line(f"{name} = 0.5 * {f}({x})")
        self.define(name, FLOAT)
        self.body(self.choices.integer(0, 3))
        if self.choices.flag():
            self.line(f"{name} = math.sin({f}({name}))")
        frame.cost += 30
        self.module_callees.append(self.close_function(specs))

    # local functions

    def nested_function(self) -> bool:
        """A closure: a nested def or a named lambda."""
        if len(self.frames) > 2:
            return False
        if self.flag(40, "lambdas"):
            slots = tuple(FLOAT for _ in range(self.choices.integer(1, 2)))
            text = self.lambda_text(slots, FLOAT)
            name = self.fresh("g")
            self.line(f"{name} = {text}")
            params = tuple((f"a{k}", slot) for k, slot in enumerate(slots))
            self.frame.callees.append(Callee(name, params, (FLOAT,), 4, positional_only=True))
            return True
        specs = [(self.fresh("p"), self.some_param()) for _ in range(self.choices.integer(0, 2))]
        outer = self.frame
        frame = self.open_function(self.fresh("g"), self.some_results())
        self.parameters(list(specs), writable=False)
        self._nonlocal(outer, frame)
        self.body(self.choices.integer(0, 3))
        shared = [v for v in outer.variables if any(v is w for w in frame.variables)]
        callee = self.close_function(list(specs))
        self.use("nested_def")
        if shared:
            callee = replace(callee, captured_writes=callee.captured_writes | {-1})
        self.frame.callees.append(callee)
        return True

    def _nonlocal(self, outer: Frame, frame: Frame) -> None:
        """Lets the inner function assign one variable of the outer one."""
        found = [v for v in outer.variables if v.slot == FLOAT and not v.locked]
        if found and self.flag(25, "nonlocal_"):
            var = self.pick(found)
            self.use("nonlocal_")
            self.line(f"nonlocal {var.name}")
            frame.variables.append(var)
