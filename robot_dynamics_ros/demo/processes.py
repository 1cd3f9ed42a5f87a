"""Child processes that end with their parent, also if it is killed, and their ROS domain."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import DemoError

# Signals that end a child, and how long to wait after each [s].
STOPPING = ((signal.SIGINT, 5.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0))
_PR_SET_PDEATHSIG = 1


class Children(contextlib.ExitStack):
    """Python modules that run as child processes by name, and end with the context."""

    def __init__(self, folder: Path) -> None:
        """Write their outputs, `<name>.log`, and parameters, `<name>.yaml`, to this folder."""
        super().__init__()
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(
        self, name: str, module: str, parameters: Mapping[str, Any], remappings: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        """Start a module that is a node, with parameters and remappings such as `a:=b`."""
        file = self._folder / f'{name}.yaml'
        # JSON is YAML too, and quotes a joint that is called "y".
        file.write_text(json.dumps({'/**': {'ros__parameters': parameters}}))
        words = ['--ros-args', '--params-file', str(file)]
        for remapping in remappings:
            words += ['--remap', remapping]
        return self.start_module(name, module, words)

    def start_module(
        self, name: str, module: str, words: Sequence[str]
    ) -> subprocess.Popen[bytes]:
        """Start `python -m module words`."""
        command = [sys.executable, '-m', module, *words]
        # In a session of its own it does not receive a Ctrl-C at the terminal: the parent does,
        # and stops the children in order.
        with (self._folder / f'{name}.log').open('wb') as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent(),
            )
        self._processes[name] = process
        self.callback(_stop, process)
        return process

    def require_alive(self) -> None:
        """Check that all children run.

        Raises:
            DemoError: one has ended; the message holds the end of its log.
        """
        for name, process in self._processes.items():
            if (code := process.poll()) is not None:
                raise DemoError(f'the {name} ended with exit code {code}\n{self.log_tail(name)}')

    def log_tail(self, name: str, lines: int = 12) -> str:
        """The end of a child's log, indented."""
        text = (self._folder / f'{name}.log').read_text(errors='replace').splitlines()[-lines:]
        return '\n'.join(f'  {name}| {line[:500]}' for line in text) or '  (no output)'


def _stop(process: subprocess.Popen[bytes]) -> None:
    for number, patience in STOPPING:
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return


def die_with_parent() -> Callable[[], object] | None:
    """On Linux, a function that has the kernel end the child when its parent is killed."""
    if not sys.platform.startswith('linux'):
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def isolate() -> int:
    """Restrict this process and its children to this machine and one ROS domain.

    Sets environment variables: call it before rclpy starts.

    Returns:
        The domain: that of the environment if it gives one, else a random one of 1 to 60.
    """
    if not os.environ.get('ROS_DOMAIN_ID'):
        # Tests take the domains above.
        os.environ['ROS_DOMAIN_ID'] = str(random.randint(1, 60))
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    for variable in ('ROS_STATIC_PEERS', 'ROS_NAMESPACE'):
        os.environ.pop(variable, None)
    # ImportError: no ament index; OSError: no workspace is sourced; LookupError: not in it.
    with contextlib.suppress(ImportError, OSError, LookupError):
        from ament_index_python.packages import get_package_share_directory

        # It makes discovery fast.
        profile = Path(get_package_share_directory('robot_dynamics_ros'), 'config/fastdds.xml')
        os.environ.setdefault(profile_variable(), str(profile))
    return int(os.environ['ROS_DOMAIN_ID'])


def profile_variable() -> str:
    """The variable that names the profile: Jazzy's has another name, of which later ones warn."""
    distributions = os.environ.get('ROS_DISTRO'), os.environ.get('ROS_WHEELS')
    return f'FAST{"RTPS" if "jazzy" in distributions else "DDS"}_DEFAULT_PROFILES_FILE'
