"""What contacts and thresholds share: options, settings, and how recordings are watched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from robot_dynamics_ros.comparison.evidence import Reach
from robot_dynamics_ros.comparison.motion_findings import check_motion
from robot_dynamics_ros.comparison.recorded_joints import compared_model, joints_that_matter
from robot_dynamics_ros.contacts import WatchedRobot, WatchSettings, mark_recording
from robot_dynamics_ros.contacts.observed_recording import Observation
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.threshold_file import read_thresholds

from .node_parameters import settings_of_files, unknown_names
from .output import Output
from .progress import ShowProgress, no_progress
from .recorded_robot import recorded_robot
from .recording_options import (
    Fleet,
    RecordingOptions,
    inputs,
    named_recordings,
    options_of,
    source_options,
)
from .surroundings import surroundings

Command = TypeVar('Command', bound=Callable[..., Any])
# Of a recording, a robot, a name and what takes numbers of states that are done.
Watch = Callable[..., Observation]


def watch_options(command: Command) -> Command:
    """Give a subcommand BAG, --urdf, --topic, --rename and --parameters; see `watched`."""
    command = click.option(
        '--parameters', multiple=True, metavar='FILE',
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help='friction.yaml of identify, or a parameter file of dynamics_node: joint_model, '
        'external_bandwidth, thresholds; may be repeated.',
    )(command)  # fmt: skip
    words = click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...')
    return words(source_options(command))


def watched(
    function: Watch,
    given: Mapping[str, Any],
    output: Output,
    written: Mapping[str, Path | None],
    thresholds: Path | None = None,
) -> tuple[list[Any], list[dict[str, Any]]]:
    """What a function finds in each recording; and for --json, which ones cannot be used.

    Args:
        function: of a module: `mark_recording` or `survey_recording`.
        given: values of `watch_options`.
        output: of the subcommand.
        written: files that are written, by their option.
        thresholds: file of `robot_dynamics thresholds`; None for none.

    Raises:
        ParameterError: a file is not what its option takes, or thresholds are given twice.
        RobotDynamicsError: the only recording, or the URDF, cannot be used.
        OSError: a file cannot be read.
    """
    files, arguments = named_recordings(given['words'])
    urdf, parameters = given['urdf'], given['parameters']
    read = [*inputs(files, urdf, thresholds), *parameters]
    output.check_files(read, {name: [file] for name, file in written.items() if file})
    options = options_of(urdf, arguments, given['topic'], given['rename'])
    settings = settings_of(options, next(iter(files.values())), parameters, output, thresholds)
    outcomes = Fleet().outcomes(watch, (options, settings, function), files, output)
    failed = []
    for one in outcomes:
        if one.error:
            output.error(one.error if one.name in one.error else f'{one.name}: {one.error}')
            failed.append({'file': one.name, 'error': one.error})
    found = [one.result for one in outcomes if not one.error]
    for one in found:
        if one.locked:
            output.warning(f'{one.name}: {one.locked}')
    return found, failed


def settings_of(
    options: RecordingOptions,
    files: Sequence[Path],
    parameters: Sequence[Path],
    output: Output,
    thresholds: Path | None = None,
) -> WatchSettings:
    """The settings of files of parameters, later ones first, and of thresholds; see `watched`.

    Where no URDF is given, that of the first recording, in `files`, is used.
    """
    settings = WatchSettings()
    if not parameters and thresholds is None:
        return settings
    robot = parse_urdf(recorded_robot(options, files)[0])
    if parameters:
        settings = settings_of_files(parameters, robot.joint_names)
    settings.joint_model.check_joints(robot)
    if unknown := unknown_names(parameters, surroundings().parameter_names):
        output.warning(f'unknown parameters are ignored: {unknown}')
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


def watch(
    common: tuple[RecordingOptions, WatchSettings, Watch],
    name: str,
    files: tuple[Path, ...],
    progress: ShowProgress = no_progress,
) -> Observation:
    """What a function finds in a recording.

    Args:
        common: how recordings are read, settings of observer and detector, and the function.
        name: of the recording in results.
        files: that together are the recording.
        progress: shows how far it is.

    Raises:
        RobotDynamicsError: recording or URDF cannot be used.
    """
    read, settings, function = common
    # Thresholds of a recording itself need a pass of their own.
    passes = 2 if function is mark_recording and not settings.thresholds else 1
    robot = watched_robot(read, files, settings)
    joints = robot.model.joint_names
    with (
        Recording.read(files, topic=read.topic, rename=read.rename, joints=joints) as recording,
        progress(name, passes * recording.size, 'states') as advance,
    ):
        reach = Reach.of_nothing(robot.model.size)
        # What is too short for the filter is not judged; damaged files are named where they are
        # read.
        with suppress(RecordingError):
            for motion in recording.motions(efforts=False):
                reach.add(motion)
        # Of velocities of something else, the observer would make external torques.
        check_motion(name, robot.model, reach, recording.quality)
        return function(recording, robot, name, advance)


def watched_robot(
    options: RecordingOptions, files: Sequence[Path], settings: WatchSettings
) -> WatchedRobot:
    """The robot of a recording, whose other joints are locked; raises as `watch`."""
    urdf, joints, others = recorded_robot(options, files)
    whole = parse_urdf(urdf)
    missing = joints_that_matter(whole, joints)
    return WatchedRobot(compared_model(whole, joints), settings, others, missing)


def frequencies(found: Observation) -> str:
    """Bandwidth of the observer of all joints, or the lowest and the highest."""
    low, high = found.bandwidth.min(), found.bandwidth.max()
    return f'{low:.3g} Hz' if low == high else f'{low:.3g} to {high:.3g} Hz'
