"""Exit codes of the command."""

GOOD = 0
# Findings, or a bound that does not hold.
FINDINGS = 1
# Wrong usage, or input that cannot be used.
CANNOT_BE_USED = 2
# As a shell reports signals: this and their number.
BY_SIGNAL = 128
# SIGINT and SIGPIPE.
INTERRUPTED = 130
PIPE_CLOSED = 141
