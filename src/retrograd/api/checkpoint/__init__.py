"""Derivatives in a given amount of memory: run by a schedule, recorded, continued after a kill."""
