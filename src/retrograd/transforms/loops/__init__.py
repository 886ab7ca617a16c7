"""Loops rearranged for the machine, without changing a bit of what they compute.

These passes run last, and only for code that is never interrupted: they reorder iterations, so they
must not run before execution points are numbered or on what is still to be differentiated.
"""
