#!/usr/bin/env python3
"""Writes core/quantity_methods.pyi, the types of the methods that are made from records."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from robot_dynamics_ros.core.quantity import PROGRAMS

STUB = Path(__file__).parents[1] / 'robot_dynamics_ros/core/quantity_methods.pyi'
HEAD = '''"""Written by scripts/stubs.py."""

from numpy.typing import ArrayLike

from .algorithms.kinematics import Axes
from .checks import Array

class QuantityMethods:
'''


def stub() -> str:
    """The text of the stub."""
    methods = (
        f'    {each.definition}\n        """{each.summary}"""\n' for each in PROGRAMS.values()
    )
    command = [sys.executable, '-m', 'ruff', 'format', '--stdin-filename', STUB, '-']
    text = HEAD + ''.join(methods)
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == '__main__':
    STUB.write_text(stub())
