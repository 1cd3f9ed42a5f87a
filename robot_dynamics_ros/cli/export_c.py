"""`robot_dynamics export-c`: the dynamics of a robot in C99."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.export import DEFAULT_QUANTITIES, export_c
from robot_dynamics_ros.core.quantity import QUANTITIES
from robot_dynamics_ros.written_file import check_folder, write_folder

from .description_file import description_options, robot_of_words
from .output import Output, output_options, writes

EXAMPLE = """\b
Example:
  robot_dynamics export-c arm.urdf --output src/ur5_dynamics --name ur5
  colcon build --packages-select ur5_dynamics
"""
LISTED = textwrap.fill(', '.join(QUANTITIES), 76, initial_indent='  ', subsequent_indent='  ')
HELP = f"""Write the dynamics of a robot as a package of C99 that CMake and colcon build.

FILE is a URDF, a xacro file with its arguments, name:=value, or a recording of
/robot_description. Instead of a file, --topic takes the description from a running robot.

{EXAMPLE}

\b
Quantities:
{LISTED};
  all: each of them, those of a frame with --frame only
"""


@click.command('export-c', help=HELP)
@description_options
@click.option(
    '--output', 'folder', required=True, type=click.Path(path_type=Path), metavar='DIR',
    help='Folder of the package; an earlier export in it is replaced.',
)  # fmt: skip
@click.option('--name', help='Prefix of all names. [default: made from the name of the robot]')
@click.option(
    '--quantities', default=','.join(DEFAULT_QUANTITIES), show_default=True, metavar='LIST',
    help='Quantities, separated by commas.',
)  # fmt: skip
@click.option('--frame', metavar='LINK', help='Link, for the quantities of a frame.')
@click.option(
    '--payload-frame', metavar='LINK',
    help='Link whose payload becomes an input of the functions.',
)  # fmt: skip
@output_options
def export_c_command(
    words: tuple[str, ...],
    topic: str | None,
    folder: Path,
    name: str | None,
    quantities: str,
    frame: str | None,
    payload_frame: str | None,
    output: Output,
) -> None:
    """Read the description, and write the package."""
    check_folder(folder)
    model, urdf, _ = robot_of_words(words, topic)
    files = export_c(
        model,
        name=name,
        quantities=chosen_quantities(quantities, frame),
        frame=frame,
        payload_frame=payload_frame,
        urdf=urdf,
    )
    writes('--output', *(folder / file for file in files))
    write_folder(folder, files)
    package = Path(next(iter(files))).stem
    output.line(f'{folder}: package {package}, {len(files)} files')
    output.write_json({'folder': folder, 'package': package, 'files': sorted(files)})


def chosen_quantities(listed: str, frame: str | None) -> list[str]:
    """The quantities of a list that is separated by commas, or of `all`."""
    if listed == 'all':
        return [name for name, each in QUANTITIES.items() if frame or not each.of_frame]
    names = [quantity.strip() for quantity in listed.split(',') if quantity.strip()]
    for name in names:
        if frame is None and name in QUANTITIES and QUANTITIES[name].of_frame:
            raise ParameterError(f'{name} is of a frame: name the link with --frame')
    return names
