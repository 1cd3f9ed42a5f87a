"""Options of subcommands that read recordings, and what they say of a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel, read_joint_model
from robot_dynamics_ros.recordings import Recording

from .description_file import read_robot, robot_of_text

Command = TypeVar('Command', bound=Callable[..., Any])


@dataclass(frozen=True)
class RecordingOptions:
    """How recordings are read; plain data, which other processes take.

    Attributes:
        urdf: text of the URDF; None: that of each recording.
        topic: of the joint states; None: /joint_states.
        rename: new names of joints by recorded ones.
        cutoff: of the low pass [Hz]; None: from the data.
        parameters: friction, offsets and rotors in place of those of the description.
    """

    urdf: str | None
    topic: str | None
    rename: Mapping[str, str]
    cutoff: float | None
    parameters: JointModel = AS_DESCRIBED

    def model_of(self, recording: Recording) -> tuple[RobotModel, str]:
        """The robot of a recording, and the text of its URDF.

        Raises:
            RecordingError: no URDF was given or recorded.
            ModelError: it cannot be used.
        """
        if self.urdf is not None:
            return robot_of_text(self.urdf, '--urdf')
        if recording.description is None:
            raise RecordingError(
                f'{recording.name}: no /robot_description was recorded: name a file with --urdf'
            )
        return robot_of_text(recording.description, f'{recording.name}: /robot_description')


def recording_options(command: Command) -> Command:
    """Give a subcommand --urdf, --topic, --rename and --cutoff, each an argument of its function.

    `options_of` makes `RecordingOptions` of them.
    """
    return source_options(_cutoff_option(command))


def source_options(command: Command) -> Command:
    """The same without --cutoff, for recordings that are not filtered."""
    for option in (
        click.option(
            '--rename', multiple=True, metavar='RECORDED=NAME',
            help='Name of a joint, or beginning of names, in the URDF; may be repeated.',
        ),
        click.option(
            '--topic', metavar='TOPIC', help='Topic of the joint states. [default: /joint_states]'
        ),
        click.option(
            '--urdf', type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar='FILE',
            help='URDF or xacro file. [default: the recorded /robot_description]',
        ),
    ):  # fmt: skip
        command = option(command)
    return command


_cutoff_option = click.option(
    '--cutoff', type=click.FloatRange(min=0.0, min_open=True), metavar='HZ',
    help='Cutoff of the low pass. [default: from the spectrum of the velocities]',
)  # fmt: skip


def parameters_option(command: Command) -> Command:
    """Give a subcommand --parameters, an argument of its function."""
    return click.option(
        '--parameters', type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar='FILE',
        help='Friction, torque offsets and rotors: friction.yaml of identify, or parameters of '
        'dynamics_node. [default: friction of the description]',
    )(command)  # fmt: skip


def options_of(
    urdf: Path | None,
    arguments: list[str],
    topic: str | None,
    rename: tuple[str, ...],
    cutoff: float | None = None,
    parameters: Path | None = None,
) -> RecordingOptions:
    """The options of a command line.

    Args:
        urdf: file.
        arguments: of xacro, each `name:=value`.
        topic: of the joint states.
        rename: each `recorded=name`.
        cutoff: [Hz]; None: from the data.
        parameters: file of friction, offsets and rotors.

    Raises:
        ParameterError: an option has another form, a name is renamed twice, or the file of
            parameters cannot be used.
        OSError: the file cannot be read.
        ModelError: the description cannot be used.
    """
    if arguments and urdf is None:
        raise ParameterError(f'{arguments[0]!r} is for a xacro file: name it with --urdf')
    text = None if urdf is None else read_robot(urdf, arguments)[1]
    given = AS_DESCRIBED if parameters is None else read_joint_model(parameters)
    return RecordingOptions(text, topic, _renaming(rename), cutoff, given)


def _renaming(given: tuple[str, ...]) -> dict[str, str]:
    renaming: dict[str, str] = {}
    for pair in given:
        recorded, separator, name = pair.partition('=')
        if not separator or not recorded:
            raise ParameterError(f'--rename {pair}: RECORDED=NAME is needed')
        if renaming.setdefault(recorded, name) != name:
            raise ParameterError(f'--rename {pair}: {recorded!r} is renamed twice')
    return renaming
