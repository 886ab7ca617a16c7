"""Types of what retrograd uses of llvmlite, which ships none."""
