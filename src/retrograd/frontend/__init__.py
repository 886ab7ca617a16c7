"""The frontend: from the source of an ordinary Python function to a typed program (`trace`).

Abstract interpretation of the syntax tree, specialised on the types of the arguments (`specs`): the
terms of the program are emitted while the function is walked once, loops until their types settle.
"""
