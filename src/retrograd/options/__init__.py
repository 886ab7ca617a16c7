"""What users choose about how a derivative is calculated, as data."""

from __future__ import annotations

from retrograd.options import checkpoint_policies, checkpointing
from retrograd.options.durability import durable

__all__ = ["checkpoint_policies", "checkpointing", "durable"]
