"""The frontend: from the source of an ordinary Python function to a typed program (`trace`).

Abstract interpretation of the syntax tree (`syntax`), specialised on the types of the arguments
(`identity`): the terms of the program are emitted while the function is walked once, loops until
their types settle.
"""
