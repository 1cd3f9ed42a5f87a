"""A xacro file of the user's own, expanded as the command `xacro` does it.

It may include files and ask for packages, other than a text of any origin (`expand_xacro`).
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from robot_dynamics_ros.core.errors import UrdfError

LONGEST_SECONDS = 60.0


def expand_xacro_file(file: Path, arguments: Sequence[str] = ()) -> str:
    """The URDF that a xacro file stands for.

    Args:
        file: to expand; it is trusted, as by the command `xacro`.
        arguments: each `name:=value`.

    Raises:
        UrdfError: the package `xacro` is not installed, or cannot expand the file.
    """
    if importlib.util.find_spec('xacro') is None:
        raise UrdfError('it is xacro, and the package xacro is not installed: pip install xacro')
    try:
        ended = subprocess.run(
            [sys.executable, '-c', 'import xacro; xacro.main()', str(file.resolve()), *arguments],
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UrdfError(f'xacro takes longer than {LONGEST_SECONDS:g} s') from None
    if ended.returncode:
        said = ' '.join(ended.stderr.split()) or f'exit status {ended.returncode}'
        raise UrdfError(f'xacro cannot expand it: {said}')
    return ended.stdout
