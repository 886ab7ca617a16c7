"""Native code: machine programs to LLVM text, compiled by llvmlite, which nothing else imports."""
