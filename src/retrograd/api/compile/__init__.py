"""From a function and the types of its arguments to native code, or to what is on disk of it."""
