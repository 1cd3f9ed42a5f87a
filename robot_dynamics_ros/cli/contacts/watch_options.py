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

from ..recorded_robot import recorded_robot
from ..recording_options import RecordingOptions
from ..surroundings import surroundings
from .watch_parameters import (
    LARGEST_MARGIN,
    LEAST_CUTOFF,
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

    They are `parameters`, `bandwidth`, `split`, `false_alarms` and `margin`.
    """
    positive = click.FloatRange(min=0.0, min_open=True)
    for option in (
        click.option(
            '--false-alarms', type=positive, default=DEFAULT.false_alarms_per_hour,
            show_default=True, metavar='RATE',
            help='Per hour of motion like the recorded one, of thresholds that are learned.',
        ),
        click.option(
            '--margin', type=click.FloatRange(1.0, LARGEST_MARGIN), default=DEFAULT.margin,
            show_default=True, metavar='FACTOR',
            help='Of thresholds that are learned, for motion unlike the recorded one.',
        ),
        click.option(
            '--split', type=click.FloatRange(min=LEAST_CUTOFF), metavar='HZ',
            help='What is slower is a push, what is faster a collision. [default: 5]',
        ),
        click.option(
            '--bandwidth', type=positive, metavar='HZ',
            help='Of the observer. [default: 20, or a fifth of the rate of the states]',
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
) -> WatchSettings:
    """The settings of parameter files, without the other options.

    Args:
        options: of the recordings.
        files: of the first recording, which may have the description.
        parameters: files; later ones have precedence.
        warn: takes sentences about names in the files that are no parameters.

    Raises:
        ParameterError: a parameter file is not one.
        RobotDynamicsError: recording or description cannot be used.
        OSError: a file cannot be read.
    """
    if not parameters:
        return WatchSettings()
    robot = parse_urdf(recorded_robot(options, files)[0])
    settings = settings_of_files(parameters, robot.joint_names)
    settings.joint_model.check_joints(robot)
    if unknown := unknown_names(parameters, surroundings().parameter_names):
        warn(f'unknown parameters are ignored: {unknown}')
    return settings


def with_options(
    settings: WatchSettings, bandwidth: float | None, split: float | None
) -> WatchSettings:
    """The settings with what the other options say.

    Args:
        settings: of the files.
        bandwidth: of the observer [Hz]; None for that of the files, or the usual one.
        split: between the bands [Hz]; likewise.
    """
    if bandwidth is not None:
        settings = replace(settings, bandwidth={}, usual_bandwidth=bandwidth)
    return settings if split is None else replace(settings, cutoff=split)


def check_options(
    settings: WatchSettings, bandwidth: float | None, split: float | None, warn: Warn
) -> None:
    """Check that options fit given thresholds, if there are some.

    Args:
        settings: of the files.
        bandwidth: as of `with_options`.
        split: likewise.
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
                f'--{name.replace("_", "-")} is for thresholds that are learned, and --parameters '
                'gives thresholds: leave one of them out'
            )
    usual = settings.bandwidth.values() or [settings.usual_bandwidth]
    for option, name, value, learned in (
        ('--bandwidth', 'external_bandwidth', bandwidth, {*usual}),
        ('--split', 'contact_cutoff', split, {settings.cutoff}),
    ):
        if value is not None and learned != {value}:
            given = ', '.join(f'{each:g}' for each in sorted(learned))
            warn(
                f'{option} is {value:g} Hz, {name} of the given thresholds is {given} Hz: '
                'thresholds hold for the value that they were learned with, learn them again'
            )
