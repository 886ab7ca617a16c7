"""Native code: machine programs to LLVM text, compiled by llvmlite. The only importer of llvmlite."""
