"""Functions that run backwards, at work; each module runs by itself and checks its numbers."""
