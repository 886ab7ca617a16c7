"""Types of what retrograd uses of llvmlite, which ships none."""

__version__: str
