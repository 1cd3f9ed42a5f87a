"""`robot_dynamics export-c`: the dynamics of a robot in C99."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.export import DEFAULT_QUANTITIES, export_c
from robot_dynamics_ros.core.quantity import QUANTITIES
from robot_dynamics_ros.written_file import write_folder

from .description_file import robot_of_words
from .options import subcommand
from .output import Output, ToWrite, writes

# As CMakeLists.txt of the package does it.
FLAGS = '-std=c99 -O3 -fPIC -shared -ffp-contract=off -fvisibility=hidden -Wl,--exclude-libs,ALL'


@subcommand('export-c', 'file')
@click.option('--output', 'folder', type=ToWrite(file_okay=False), metavar='DIR',
              help='Folder of the package.')  # fmt: skip
@click.option('--library', type=ToWrite(file_okay=False), metavar='DIR',
              help='The same, with the library of the controller.')  # fmt: skip
@click.option('--name', help='Prefix of all names. [default: made from the name of the robot]')
@click.option('--quantities', default=','.join(DEFAULT_QUANTITIES), show_default=True,
              metavar='LIST', help='Quantities, separated by commas, or all, those of a frame '
              f'with --frame only: {", ".join(QUANTITIES)}.')  # fmt: skip
@click.option('--frame', metavar='LINK', multiple=True,
              help='Link, for the quantities of a frame; repeat it for several.')  # fmt: skip
@click.option('--payload-frame', metavar='LINK',
              help='Link whose payload becomes an input of the functions.')  # fmt: skip
def export_c_command(
    words: tuple[str, ...],
    folder: Path | None,
    library: Path | None,
    quantities: str,
    frame: tuple[str, ...],
    output: Output,
    **asked: Any,
) -> None:
    """Write the dynamics of a robot as a package of C99 that CMake and colcon build.

    FILE is a URDF, a xacro file with its arguments, name:=value, or a recording of
    /robot_description.

    Example:
      robot_dynamics export-c arm.urdf --output src/ur5_dynamics --name ur5
      colcon build --packages-select ur5_dynamics
    """
    target = folder or library
    if target is None or (folder and library):
        raise ParameterError('name the folder with --output or with --library, not with both')
    model, urdf, _ = robot_of_words(words)
    chosen = [name.strip() for name in quantities.split(',')]
    if quantities == 'all':
        chosen = [name for name, one in QUANTITIES.items() if frame or not one.of_frame]
    files: dict[str, str | bytes] = {}
    asked |= {'quantities': chosen, 'frame': frame, 'library': library is not None}
    files |= export_c(model, urdf=urdf, **asked)
    package, built = Path(next(iter(files))).stem, None
    if library:
        try:
            built = f'{package.removesuffix("_dynamics")}.so'
            files[built] = compiled(files)
        except ParameterError as error:
            built = None
            output.warning(f'the library is not compiled: {error}')
    writes('--library' if library else '--output', *(target / file for file in files))
    write_folder(target, files)
    output.line(f'{target}: package {package}, {len(files)} files')
    if built:
        output.line(f'dynamics_library: {target.resolve() / built}')
    output.write_json(
        {'folder': target, 'package': package, 'files': sorted(files), 'library': built}
    )


def compiled(files: Mapping[str, str | bytes]) -> bytes:
    """The shared library of a package; ParameterError: there is no compiler, or it fails."""
    compiler = shlex.split(os.environ.get('CC') or 'cc')
    sources = [path for path in files if path.startswith('src/') and path.endswith('.c')]
    command = [*compiler, *FLAGS.split(), '-I', 'include', *sources, '-o', 'library']
    with tempfile.TemporaryDirectory() as folder:
        write_folder(folder, files)
        try:
            subprocess.run(command, cwd=folder, check=True, stderr=subprocess.PIPE, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            said = (getattr(error, 'stderr', None) or str(error)).strip().splitlines()[-1]
            raise ParameterError(
                f'{compiler[0]}: {said}: build the package with colcon or CMake, or name a '
                'compiler in CC'
            ) from None
        return (Path(folder) / 'library').read_bytes()
