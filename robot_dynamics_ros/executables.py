"""The executables of the package: each imports its module, then calls `main` of it.

The imports take up to a second. SIGINT during that time would give a traceback of Python: here it
ends the process at once, as by default in other programs. Nothing is commanded yet.
"""

from __future__ import annotations

import importlib
import os
import signal
from functools import partial


def _run(module: str) -> object:
    """The exit code of `main` of a module, as `sys.exit` takes it."""
    # A process in the background of a script ignores SIGINT, and must go on doing so.
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    main = importlib.import_module(module).main
    if interruptible:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return main()


dynamics_node = partial(_run, 'robot_dynamics_ros.ros.node')
dynamics_client = partial(_run, 'robot_dynamics_ros.ros.dynamics_client')
simulated_arm = partial(_run, 'robot_dynamics_ros.simulation.simulated_arm')
demo_observer = partial(_run, 'robot_dynamics_ros.demo.observer')


def robot_dynamics() -> object:
    """Run the command that needs no ROS.

    Its matrices are small. More threads of OpenBLAS make nothing faster there, and on a busy
    machine ten times slower, as each waits for the other. NumPy reads their number at its import.
    """
    os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
    return _run('robot_dynamics_ros.cli.command_line')


if __name__ == '__main__':
    robot_dynamics()
