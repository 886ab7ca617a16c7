"""The `retrograd` command: gradients, checks and a look inside, from a terminal."""
