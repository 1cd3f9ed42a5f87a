"""What processes of `robot_dynamics validate` may do; here, so that they can import it."""

import os
import signal

from robot_dynamics_ros.cli.validated_file import ValidatedFile


def examined(file):
    """Ends its process at one file, as the system does where memory is short."""
    if file.name == 'huge':
        os.kill(os.getpid(), signal.SIGKILL)
    return ValidatedFile(str(file), None, 'seen', False)
