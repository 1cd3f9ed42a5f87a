"""A xacro file of the user's own, expanded as the command `xacro` does it.

It may include files and ask for packages, other than a text of any origin (`expand_xacro`).
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from robot_dynamics_ros.core.errors import UrdfError

LONGEST_SECONDS = 60.0


PROCESS = Path(__file__).with_name('file_process.py')
# Exit status, and first words, of that script.
NOT_ASKED_FOR, REFUSE, ACCEPT = 3, 'refuse', 'accept'


class ExpandedFile(NamedTuple):
    """What a xacro file stands for.

    Attributes:
        urdf: text.
        included: files that were read for it, in their order.
    """

    urdf: str
    included: tuple[Path, ...]


def expand_xacro_file(
    file: Path, arguments: Sequence[str] = (), *, arguments_of_others: bool = False
) -> ExpandedFile:
    """The URDF that a xacro file stands for, and the files that it includes.

    Args:
        file: to expand; it is trusted, as by the command `xacro`.
        arguments: each `name:=value`.
        arguments_of_others: whether it may be given arguments that it does not have.

    Raises:
        UrdfError: the package `xacro` is not installed, cannot expand the file, or
            the file has no such argument.
    """
    if importlib.util.find_spec('xacro') is None:
        raise UrdfError('it is xacro, and the package xacro is not installed: pip install xacro')
    unknown = ACCEPT if arguments_of_others else REFUSE
    try:
        ended = subprocess.run(
            [sys.executable, str(PROCESS), unknown, str(file.resolve()), *arguments],
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UrdfError(f'xacro takes longer than {LONGEST_SECONDS:g} s') from None
    if ended.returncode == NOT_ASKED_FOR:
        raise UrdfError(ended.stderr.splitlines()[-1])
    if ended.returncode:
        said = ' '.join(ended.stderr.split()) or f'exit status {ended.returncode}'
        raise UrdfError(f'xacro cannot expand it: {said}')
    included, _, urdf = ended.stdout.partition('\n')
    return ExpandedFile(urdf, tuple(map(Path, json.loads(included))))
