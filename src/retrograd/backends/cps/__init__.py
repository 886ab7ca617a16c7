"""Two evaluators that run by continuations: the oracle of interruptible native code."""
