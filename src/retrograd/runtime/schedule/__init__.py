"""Schedules of checkpointing: which part of a run is done when, and what is kept."""
