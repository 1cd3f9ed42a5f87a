"""Options of subcommands that watch recordings with the external-force observer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from robot_dynamics_ros.contacts import Learning, WatchSettings
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.threshold_file import read_thresholds

from ..recorded_robot import recorded_robot
from ..recording_options import RecordingOptions
from ..surroundings import surroundings
from .watch_parameters import (
    LARGEST_MARGIN,
    settings_of_files,
    unknown_names,
)

# Takes a sentence for stderr.
Warn = Callable[[str], None]
Command = TypeVar('Command', bound=Callable[..., Any])

DEFAULT = Learning()


@dataclass(frozen=True)
class WatchOptions:
    """How recordings are read and watched; plain data, which other processes take.

    Attributes:
        recording: how they are read.
        settings: of observer and detector.
        learning: what is wanted of thresholds that are learned.
    """

    recording: RecordingOptions
    settings: WatchSettings
    learning: Learning


def watch_options(command: Command) -> Command:
    """Give a subcommand options of the observer, each an argument of its function.

    They are `parameters`, `bandwidth`, `false_alarms` and `margin`.
    """
    positive = click.FloatRange(min=0.0, min_open=True)
    for option in (
        click.option(
            '--false-alarms', type=positive, default=DEFAULT.false_alarms_per_hour,
            show_default=True, metavar='RATE',
            help='False alarms per hour of motion like the recorded one, of learned thresholds.',
        ),
        click.option(
            '--margin', type=click.FloatRange(1.0, LARGEST_MARGIN), default=DEFAULT.margin,
            show_default=True, metavar='FACTOR',
            help='Factor of learned thresholds, for motion unlike the recorded one.',
        ),
        click.option(
            '--bandwidth', type=positive, metavar='HZ',
            help='Bandwidth of the observer. [default: 20, or a fifth of the rate of the states]',
        ),
        click.option(
            '--parameters', multiple=True, metavar='FILE',
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help='friction.yaml of identify, or a parameter file of dynamics_node: joint_model, '
            'bandwidth, thresholds; may be repeated.',
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def settings_of(
    options: RecordingOptions,
    files: Sequence[Path],
    parameters: Sequence[Path],
    warn: Warn,
    thresholds: Path | None = None,
) -> WatchSettings:
    """The settings of files, without the other options.

    Args:
        options: of the recordings.
        files: of the first recording, which may have the description.
        parameters: files; later ones have precedence.
        warn: takes sentences about names in the files that are no parameters.
        thresholds: file of `robot_dynamics thresholds`; None for none.

    Raises:
        ParameterError: a file is not one of these, or thresholds are given twice.
        RobotDynamicsError: recording or description cannot be used.
        OSError: a file cannot be read.
    """
    if not parameters and thresholds is None:
        return WatchSettings()
    robot = parse_urdf(recorded_robot(options, files)[0])
    settings = WatchSettings()
    if parameters:
        settings = settings_of_files(parameters, robot.joint_names)
    settings.joint_model.check_joints(robot)
    if unknown := unknown_names(parameters, surroundings().parameter_names):
        warn(f'unknown parameters are ignored: {unknown}')
    if thresholds is None:
        return settings
    if settings.thresholds:
        raise ParameterError(f'--thresholds is {thresholds}, and --parameters has thresholds too')
    learned = read_thresholds(thresholds, robot.joint_names)
    return replace(
        settings,
        thresholds=learned.by_joint,
        bandwidth={**settings.bandwidth, **learned.bandwidths},
    )


def with_bandwidth(settings: WatchSettings, bandwidth: float | None) -> WatchSettings:
    """The settings with this bandwidth of the observer [Hz]; None for that of the files."""
    if bandwidth is None:
        return settings
    return replace(settings, bandwidth={}, usual_bandwidth=bandwidth)


def check_options(settings: WatchSettings, bandwidth: float | None, warn: Warn) -> None:
    """Check that options fit given thresholds, if there are some.

    Args:
        settings: of the files.
        bandwidth: of the observer, as an option [Hz]; None for none.
        warn: takes sentences about options that spoil the thresholds.

    Raises:
        ParameterError: an option is for thresholds that are learned.
    """
    if not settings.thresholds:
        return
    context = click.get_current_context()
    for name in ('margin', 'false_alarms'):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise ParameterError(
                f'--{name.replace("_", "-")} is for thresholds that are learned, and thresholds '
                'are given: leave one of them out'
            )
    learned = {*(settings.bandwidth.values() or [settings.usual_bandwidth])}
    if bandwidth is not None and learned != {bandwidth}:
        given = ', '.join(f'{each:g}' for each in sorted(learned))
        warn(
            f'--bandwidth is {bandwidth:g} Hz, external_bandwidth of the given thresholds is '
            f'{given} Hz: thresholds hold for the value that they were learned with, learn them '
            'again'
        )
