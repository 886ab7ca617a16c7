"""retrograd: gradients of ordinary Python programs, in the memory you have.

Everything here is loaded on first use, so that `import retrograd` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrograd.api import (
        custom_jvp,
        custom_vjp,
        grad,
        hessian,
        hvp,
        jacfwd,
        jacrev,
        jit,
        jvp,
        linearize,
        stop_gradient,
        value_and_grad,
        vjp,
    )  # fmt: skip
    from retrograd.api import debug as debug
    from retrograd.api import tree as tree
    from retrograd.api.checkpoint.progress import progress
    from retrograd.api.checkpoint.recording import Recording, record
    from retrograd.api.interruption import Capsule, interrupt, primops, resume
    from retrograd.api.rerunning import checkpoint, checkpoint_name, remat
    from retrograd.constructs import (
        OperatorCheck,
        build,
        check_operator,
        fold,
        gather,
        hist,
        iota,
        map,
        random,
        reduce,
        reduce_by_index,
        replicate,
        scan,
        scatter,
        stripmine,
        vmap,
    )
    from retrograd.errors import (
        CompilerBug,
        InvertibilityError,
        Limitation,
        RetrogradError,
        UserError,
    )
    from retrograd.inversion.adjoints import adjoint
    from retrograd.inversion.bennett import BennettRun, bennett
    from retrograd.inversion.checking import InverseCheck, check_inverse
    from retrograd.inversion.functions import inverse, reversible
    from retrograd.inversion.markers import (
        hadamard,
        irreversible,
        release,
        rotate,
        rotl,
        since,
        temporarily,
        when,
    )
    from retrograd.inversion.moves import pop, push
    from retrograd.inversion.numbers import Fixed, Logarithmic, fixed, logarithmic
    from retrograd.inversion.pairs import inverse_pair
    from retrograd.inversion.stacks import Stack, stack
    from retrograd.options import checkpoint_policies, checkpointing, durable
    from retrograd.options.saving import Residual
    from retrograd.report.columns import print_fwd_bwd
    from retrograd.report.explaining import explain
    from retrograd.report.explanation import Explanation
    from retrograd.report.plan import Plan
    from retrograd.report.planning import plan
    from retrograd.report.policy_plan import PolicyPlan
    from retrograd.report.saved import SavedResiduals, print_saved_residuals, saved_residuals
    from retrograd.testing import check_grads

__version__ = "0.1.0"

__all__ = [
    "BennettRun", "Capsule", "CompilerBug", "Explanation", "Fixed", "InverseCheck",
    "InvertibilityError", "Limitation", "Logarithmic", "OperatorCheck", "Plan", "PolicyPlan",
    "Recording", "Residual", "RetrogradError", "SavedResiduals", "Stack", "UserError", "adjoint",
    "bennett", "build", "check_grads", "check_inverse", "check_operator", "checkpoint",
    "checkpoint_name", "checkpoint_policies", "checkpointing", "custom_jvp", "custom_vjp",
    "debug", "durable", "explain", "fixed", "fold", "gather", "grad", "hadamard", "hessian",
    "hist", "hvp", "interrupt", "inverse", "inverse_pair", "iota", "irreversible", "jacfwd",
    "jacrev", "jit", "jvp", "linearize", "logarithmic", "map", "plan", "pop", "primops",
    "print_fwd_bwd", "print_saved_residuals", "progress", "push", "random", "record", "reduce",
    "reduce_by_index", "release", "remat", "replicate", "resume", "reversible", "rotate",
    "rotl", "saved_residuals", "scan", "scatter", "since", "stack", "stop_gradient", "stripmine",
    "temporarily", "tree", "value_and_grad", "vjp", "vmap", "when",
]  # fmt: skip

_CONSTRUCTS = (
    "OperatorCheck", "build", "check_operator", "fold", "gather", "hist", "iota", "map", "random",
    "reduce", "reduce_by_index", "replicate", "scan", "scatter", "stripmine", "vmap",
)  # fmt: skip
_MARKERS = (
    "hadamard", "irreversible", "release", "rotate", "rotl", "since", "temporarily", "when",
)  # fmt: skip
_ERRORS = ("CompilerBug", "InvertibilityError", "Limitation", "RetrogradError", "UserError")
_HOMES = {
    **dict.fromkeys(
        ("CompilerBug", "InvertibilityError", "Limitation", "RetrogradError", "UserError"), "errors"
    ),
    **dict.fromkeys(("Capsule", "interrupt", "primops", "resume"), "api.interruption"),
    **dict.fromkeys(("checkpoint", "checkpoint_name", "remat"), "api.rerunning"),
    "Residual": "options.saving",
    "adjoint": "inversion.adjoints",
    **dict.fromkeys(("BennettRun", "bennett"), "inversion.bennett"),
    **dict.fromkeys(("InverseCheck", "check_inverse"), "inversion.checking"),
    **dict.fromkeys(("inverse", "reversible"), "inversion.functions"),
    **dict.fromkeys(("Fixed", "Logarithmic", "fixed", "logarithmic"), "inversion.numbers"),
    "inverse_pair": "inversion.pairs",
    **dict.fromkeys(("pop", "push"), "inversion.moves"),
    **dict.fromkeys(("Stack", "stack"), "inversion.stacks"),
    **dict.fromkeys(_MARKERS, "inversion.markers"),
    "check_grads": "testing",
    **dict.fromkeys(_CONSTRUCTS, "constructs"),
    **dict.fromkeys(("checkpoint_policies", "checkpointing", "durable"), "options"),
    "print_fwd_bwd": "report.columns",
    "Explanation": "report.explanation",
    "explain": "report.explaining",
    "plan": "report.planning",
    **dict.fromkeys(("SavedResiduals", "print_saved_residuals", "saved_residuals"), "report.saved"),
    "Plan": "report.plan",
    "PolicyPlan": "report.policy_plan",
    "progress": "api.checkpoint.progress",
    **dict.fromkeys(("Recording", "record"), "api.checkpoint.recording"),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'retrograd' has no attribute {name!r}")
    if name in ("debug", "tree"):
        return importlib.import_module(f"retrograd.api.{name}")
    return getattr(importlib.import_module(f"retrograd.{_HOMES.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
