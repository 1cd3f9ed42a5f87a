"""What the tests of the command share: it runs in this process, in the folder `files`."""

from running_command import answer, run

__all__ = ['answer', 'run']
