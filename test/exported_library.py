"""Exported C, compiled for a test and called from Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.export import export_c
from robot_dynamics_ros.core.quantity import QUANTITIES

needs_compilers = pytest.mark.skipif(
    not (shutil.which('cc') and shutil.which('c++')), reason='there is no C and C++ compiler'
)
WARNINGS = ('-Wall', '-Wextra', '-Wpedantic', '-Werror')
NAME = 'robot'


def run(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command; a failure shows what it said."""
    ended = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=250, **options
    )
    assert ended.returncode == 0, f'{command}: {ended.stdout[-3000:]}{ended.stderr[-3000:]}'
    return ended


def compile_c(folder: Path, source: str, *options: object) -> None:
    """Compile a file of an exported package as strict C99."""
    run('cc', '-std=c99', *WARNINGS, '-I', folder / 'include', folder / source, *options)


def compile_as_cpp(folder: Path, *options: object) -> None:
    """Read the source and the C++ view as C++17, without code."""
    (folder / 'view.cpp').write_text(f'#include <{NAME}_dynamics/{NAME}_dynamics.hpp>\n')
    for file in (folder / 'src' / f'{NAME}_dynamics.c', folder / 'view.cpp'):
        run(
            'c++', '-std=c++17', '-fsyntax-only', *WARNINGS, *options,
            '-I', folder / 'include', '-x', 'c++', file,
        )  # fmt: skip


class ExportedDynamics:
    """Functions that were exported, in compiled C."""

    def __init__(
        self,
        model: RobotModel,
        folder: Path,
        *,
        quantities: Sequence[str] = tuple(QUANTITIES),
        options: Sequence[str] = ('-ffreestanding', '-O1'),
        **export: Any,
    ) -> None:
        """Export, compile and load, with arguments of `export_c`."""
        self.model = model
        self.gravity = np.array([0.0, 0.0, -9.81])
        write_folder(folder, export_c(model, name=NAME, quantities=quantities, **export))
        library = folder / 'robot.so'
        compile_c(folder, f'src/{NAME}_dynamics.c', '-shared', '-fPIC', *options, '-o', library)
        self.library = ctypes.CDLL(str(library))

    def call(self, quantity: str, *inputs: Any, size: int) -> tuple[int, Any]:
        """What a function returns, and its result, NaN where nothing is written."""
        result = np.full(size, np.nan)
        vectors = [np.ascontiguousarray(vector, np.float64) for vector in inputs]
        pointers = [vector.ctypes.data_as(ctypes.c_void_p) for vector in (*vectors, result)]
        return getattr(self.library, f'{NAME}_{quantity}')(*pointers), result
