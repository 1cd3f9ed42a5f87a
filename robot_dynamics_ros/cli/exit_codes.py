"""Exit codes of the command."""

GOOD = 0
# Findings, or a bound that does not hold.
FINDINGS = 1
# Wrong usage, or input that cannot be used.
CANNOT_BE_USED = 2
# As a shell reports SIGINT and SIGPIPE.
INTERRUPTED = 130
PIPE_CLOSED = 141
