"""Native code: LLVM IR of programs, machine code from it, and how Python calls that."""
