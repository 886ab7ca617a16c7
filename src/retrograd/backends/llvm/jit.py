"""LLVM text to callable native code, by llvmlite: parse, optimise, emit an object, link it.

The object code is what the disk cache keeps; nothing in it depends on addresses of this process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import llvmlite
import llvmlite.binding as llvm

from retrograd.errors import CompilerBug

__all__ = [
    "Native", "host_features", "link_function", "link_objects", "object_code", "optimised_text",
    "pass_options",
]  # fmt: skip


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if llvm.llvm_version_info[0] == 22:
        # Its SLP vectoriser fails an assertion, which ends the process, where `x` goes beside
        # `x + 5.0` in a vector. Other versions end the process if they do not know the option.
        llvm.set_option("retrograd", "-slp-copyable-elements=false")
    ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)  # its names need not be visible yet


@cache
def _host() -> tuple[str, str]:
    """The name of this machine's CPU and its features, as LLVM has them."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _machine(level: int = 3) -> llvm.TargetMachine:
    """A fresh target machine: an execution engine consumes the one it is given.

    At level 0 instructions are selected one by one, which takes a sixth of the time.
    """
    _initialise()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    cpu, features = _host()
    return target.create_target_machine(
        cpu=cpu,
        features=features,
        opt=3 if level else 0,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )


@cache
def host_features() -> str:
    """What the machine's code depends on: versions of llvmlite and LLVM, CPU name and features."""
    _initialise()
    versions = f"{llvmlite.__version__} {'.'.join(map(str, llvm.llvm_version_info))}"
    return " ".join((versions, *_host()))


_SLOTS = 512
"""Where a function has more variables that branches assign, LLVM's SLP vectoriser is left out.

It compares the values that each of them may have with those of all others: of a binary tree into
which five objects are put it took 20 seconds, and LLVM's other passes together half a second.
"""


_LINES = 8_000
"""Where a function has more lines, LLVM unrolls no loops.

Its pass looks at the whole function for each loop of it: of a program of a dozen filters of images
a third of the time went there, and the program was no faster.
"""


def pass_options(text: str, level: int) -> llvm.PipelineTuningOptions:
    """How LLVM optimises a module, by its text."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = level > 1
    functions = text.split("\ndefine ")
    most = max(function.count(" = alloca ") for function in functions)
    options.slp_vectorization = level > 1 and most <= _SLOTS
    if max(function.count("\n") for function in functions) > _LINES:
        options.loop_unrolling = False
    return options


def _optimised(text: str, level: int) -> tuple[llvm.ModuleRef, llvm.TargetMachine]:
    machine = _machine(level)
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise CompilerBug(f"LLVM refused the generated code: {error}") from error
    module.triple = llvm.get_process_triple()
    module.data_layout = str(machine.target_data)
    builder = llvm.create_pass_builder(machine, pass_options(text, level))
    builder.getModulePassManager().run(module, builder)
    return module, machine


def optimised_text(text: str, level: int = 3) -> str:
    """The module after LLVM's optimiser, for people to read."""
    return str(_optimised(text, level)[0])


def object_code(text: str, level: int = 3) -> bytes:
    """Compiles LLVM text to an object file for this machine."""
    module, machine = _optimised(text, level)
    return machine.emit_object(module)


_ENTRY = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_RESUME = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_SAVE = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, *(ctypes.c_void_p,) * 4)
_BLOCKS = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)
_FRAMES = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_ONE = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_KEEP = ctypes.PYFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_int64,
)
_PUT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_FORGET = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)
_TWO = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
_FOUR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


@dataclass(frozen=True, slots=True)
class Driver:
    """What interruptible code has besides (`driver`, `snapshots`)."""

    resume: Callable[[int, object], int]
    drop_frames: Callable[[int], None]
    save: Callable[[int, int, int, int, int, int], None]
    load_blocks: Callable[[int, int, int, int, int], int]
    load_frames: Callable[[int, int, int], int]


def _driver(library: llvm.ResourceTracker) -> Driver:
    return Driver(
        _RESUME(library["rg_resume"]),
        _ONE(library["rg_drop_frames"]),
        _SAVE(library["rg_save"]),
        _BLOCKS(library["rg_load_blocks"]),
        _FRAMES(library["rg_load_frames"]),
    )


@dataclass(frozen=True, slots=True)
class Turns:
    """What two sweeps that share a context have besides: the entry of the reverse one, a way to
    free the arrays of one of them, another one to forget the forward run, and quick snapshots."""

    reverse: Callable[..., int]
    drop_blocks: Callable[[int, int], None]
    forget: Callable[[int, bool], None]
    keep: Callable[[int, int, int, int, int], int]
    put: Callable[[int, int, int], int]


@dataclass(frozen=True, slots=True)
class Native:
    """Linked native code. `entry` holds the interpreter lock, `entry_released` gives it up.

    Those two, and what resumes and reverses, answer signals in the main thread: they may raise what
    a handler of the user's raises, and then leave what they had made in the context.
    """

    entry: Callable[..., int]
    entry_released: Callable[..., int]
    release_all: Callable[[int], None]
    park: Callable[[int], None]
    trim: Callable[[int], None]
    hand_over: Callable[[int, int, int, int], None]
    give_up: Callable[[int, int], None]
    driver: Driver | None
    turns: Turns | None
    library: object
    engine: object


_ALWAYS = (
    "rg_entry", "rg_entry_released", "rg_release_all", "rg_park", "rg_trim", "rg_hand_over",
    "rg_give_up",
)  # fmt: skip
_DRIVER = (
    "rg_resume", "rg_drop_frames", "rg_save", "rg_load_blocks", "rg_load_frames",
)  # fmt: skip


def _turns(library: llvm.ResourceTracker) -> Turns:
    return Turns(
        _ENTRY(library["rg_reverse_released"]),
        _TWO(library["rg_drop_blocks"]),
        _FORGET(library["rg_forget"]),
        _KEEP(library["rg_keep"]),
        _PUT(library["rg_put"]),
    )


_TURNS = ("rg_reverse_released", "rg_drop_blocks", "rg_forget", "rg_keep", "rg_put")


def link_function(code: bytes, name: str) -> tuple[Callable[[int], None], object]:
    """Links an object file for a function of one address; and what is to be kept as long."""
    _initialise()
    engine = llvm.create_lljit_compiler(_machine())
    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    library = builder.export_symbol(name).link(engine, name)
    return _ONE(library[name]), (library, engine)


def link_objects(
    codes: Iterable[bytes], name: str, interruptible: bool = False, turns: bool = False
) -> Native:
    """Links object files into this process, as one library; `turns`: it holds two sweeps."""
    _initialise()
    engine = llvm.create_lljit_compiler(_machine())
    builder = llvm.JITLibraryBuilder().add_current_process()
    for code in codes:
        builder = builder.add_object_img(code)
    interruptible = interruptible or turns
    for symbol in (*_ALWAYS, *_DRIVER * interruptible, *_TURNS * turns):
        builder = builder.export_symbol(symbol)
    library = builder.link(engine, name)
    more = _turns(library) if turns else None
    return Native(
        _ENTRY(library["rg_entry"]),
        _ENTRY(library["rg_entry_released"]),
        _ONE(library["rg_release_all"]),
        _ONE(library["rg_park"]),
        _ONE(library["rg_trim"]),
        _FOUR(library["rg_hand_over"]),
        _TWO(library["rg_give_up"]),
        _driver(library) if interruptible else None,
        more,
        library,
        engine,
    )
