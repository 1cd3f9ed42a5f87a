"""The executables of the package: each imports its module, then calls `main` of it.

The imports take up to a second. SIGINT during that time would give a traceback of Python: here it
ends the process at once, as by default in other programs. Nothing is commanded yet.
"""

from __future__ import annotations

import importlib
import signal


def dynamics_node() -> object:
    """Run the node that publishes the torques of a robot."""
    return _run('robot_dynamics_ros.ros.node')


def print_dynamics() -> object:
    """Print M, C, g and J of a running node."""
    return _run('robot_dynamics_ros.ros.print_dynamics')


def simulated_arm() -> object:
    """Run the simulated arm."""
    return _run('robot_dynamics_ros.simulation.simulated_arm')


def demo_observer() -> object:
    """Run the demo."""
    return _run('robot_dynamics_ros.demo.observer')


def _run(module: str) -> object:
    """The exit code of `main` of a module, as `sys.exit` takes it."""
    # A process in the background of a script ignores SIGINT, and must go on doing so.
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    main = importlib.import_module(module).main
    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return main()
