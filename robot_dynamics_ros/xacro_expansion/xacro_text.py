"""Xacro in a description, expanded from its text alone: no files, no environment, no code.

A description may come from anyone, so xacro runs in a process of its own, with limits of time and
memory, on expressions that were checked before. What needs more is for the `xacro` command.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

from robot_dynamics_ros.core.description.urdf_text import read_xml
from robot_dynamics_ros.core.errors import UrdfError

from .sandbox.expressions import COMMAND, NESTED_TOO_DEEPLY
from .sandbox.limits import LONGEST_TEXT, PROCESSOR_SECONDS, WALL_SECONDS

SANDBOX = Path(__file__).with_name('sandbox')
# What starting Python may need. All else, ROS's variables and the locale's too, stays outside.
KEPT_VARIABLES = ('LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SYSTEMROOT')


def expand_xacro(text: str) -> str:
    """The URDF that a xacro text stands for.

    Properties, macros, conditions, blocks, arguments with defaults, and expressions of arithmetic
    and `math` are expanded. Includes, `$(find ...)`, `$(env ...)`, `load_yaml` and the like would
    read files or the environment: they are refused, but for what names meshes, materials and
    plugins, which is left out with them.

    The expansion runs in a process of its own, which may take 0.8 s of processor time and 256 MiB
    of memory, for a text of 1 MiB and a URDF of 4 MiB at most; it may be called from any thread.

    Args:
        text: the xacro text. A plain URDF comes back without its comments and without the elements
            that name files.

    Raises:
        UrdfError: the package `xacro` is not installed, the text needs more than itself or more
            than the limits, or xacro cannot expand it.
    """
    folders = _import_path()
    if isinstance(text, str) and len(text) > LONGEST_TEXT:
        raise UrdfError(
            f'xacro: the description has {len(text)} characters, at most {LONGEST_TEXT} are '
            f'allowed: {COMMAND}'
        )
    read_xml(text)
    answer, returncode = _run(text, folders)
    status, _, content = answer.partition('\n')
    if status == 'expanded':
        return content
    if status == 'refused':
        raise UrdfError(content)
    raise UrdfError(_how_it_ended(returncode))


def _import_path() -> list[str]:
    """The folder of the package xacro, and those where it finds what it imports."""
    xacro = importlib.util.find_spec('xacro')
    if xacro is None or xacro.origin is None:
        raise UrdfError(
            'the description is xacro, and the package xacro is not installed: '
            f'`pip install xacro`, or {COMMAND}'
        )
    return [str(Path(xacro.origin).parents[1]), *filter(os.path.isabs, sys.path)]


def _run(text: str, folders: list[str]) -> tuple[str, int]:
    """What the process says, and how it ended.

    It starts without site packages and without the caller's variables: it is quicker, and no
    start-up hook of another package runs in it.
    """
    try:
        ended = subprocess.run(
            [sys.executable, '-I', '-S', str(SANDBOX), *folders],
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ},
            timeout=WALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UrdfError(
            f'xacro: expanding the description takes longer than the allowed {WALL_SECONDS:g} s: '
            f'{COMMAND}'
        ) from None
    except OSError as error:
        raise UrdfError(
            f'xacro: the process that expands the description cannot be started: {error}'
        ) from None
    return ended.stdout.decode(), ended.returncode


def _how_it_ended(returncode: int) -> str:
    if returncode == -getattr(signal, 'SIGPROF', 0):
        return (
            'xacro: expanding the description takes more than the allowed '
            f'{PROCESSOR_SECONDS:g} s of processor time: {COMMAND}'
        )
    # Older Pythons overflow the stack where newer ones raise a RecursionError.
    if returncode == -signal.SIGSEGV:
        return NESTED_TOO_DEEPLY
    ending = f'signal {-returncode}' if returncode < 0 else f'exit status {returncode}'
    return (
        'xacro: the process that expands the description ended without an answer '
        f'({ending}): {COMMAND}'
    )
