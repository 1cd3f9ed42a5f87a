"""From an algorithm to a compiled program: expressions, the native and the Python back end."""
