"""A task for each recording: to learn thresholds from it, or to find its contacts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from robot_dynamics_ros.comparison.evidence.excerpts import Excerpts
from robot_dynamics_ros.comparison.velocity_findings import check_velocities
from robot_dynamics_ros.contacts import (
    LockedJoints,
    MarkedRecording,
    SurveyedRecording,
    WatchedRobot,
    mark_recording,
    survey_recording,
)
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording, motions, open_recording
from robot_dynamics_ros.scheduling import Outcome, Task

from ..fleet_options import Fleet
from ..output import Output
from ..progress import Advance, ShowProgress, no_progress
from ..recorded_robot import model_torques, recorded_robot
from .watch_options import WatchOptions

Files = Mapping[str, tuple[Path, ...]]
Watch = Callable[..., SurveyedRecording] | Callable[..., MarkedRecording]


def survey(
    options: WatchOptions,
    name: str,
    files: tuple[Path, ...],
    progress: ShowProgress = no_progress,
) -> SurveyedRecording:
    """Collect what thresholds are learned from; see `survey_recording`.

    Args:
        options: of the recording.
        name: of the recording in results.
        files: that together are the recording.
        progress: shows how far it is.

    Raises:
        RobotDynamicsError: recording or description cannot be used.
    """
    with _opened(options, name, files, progress, passes=1) as (recording, robot, advance):
        return survey_recording(recording, robot, name, advance)


def mark(
    options: WatchOptions,
    name: str,
    files: tuple[Path, ...],
    progress: ShowProgress = no_progress,
) -> MarkedRecording:
    """Find the contacts of a recording; see `mark_recording`, and `survey` for the arguments."""
    passes = 1 if options.settings.thresholds else 2
    with _opened(options, name, files, progress, passes=passes) as (recording, robot, advance):
        return mark_recording(recording, robot, name, options.learning, advance)


def watched(
    watch: Watch, options: WatchOptions, files: Files, fleet: Fleet, output: Output
) -> list[Outcome]:
    """What a task gives of each recording, in their order.

    Args:
        watch: `survey` or `mark`.
        options: of all recordings.
        files: of each recording by its name.
        fleet: where they are computed.
        output: of the subcommand, for progress.

    Raises:
        RobotDynamicsError: the only recording cannot be used.
    """
    if len(files) == 1 and fleet.is_here:
        ((name, paths),) = files.items()
        return [Outcome(name, watch(options, name, paths, progress=output.progress))]
    # Other processes may have other working folders.
    absolute = {name: tuple(path.resolve() for path in paths) for name, paths in files.items()}
    tasks = [Task(name, watch, (name, paths), reads=paths) for name, paths in absolute.items()]
    return fleet.run(watch.__name__, tasks, options, output, 'recordings')


@contextmanager
def _opened(
    options: WatchOptions,
    name: str,
    files: tuple[Path, ...],
    progress: ShowProgress,
    *,
    passes: int,
) -> Iterator[tuple[Recording, WatchedRobot, Advance]]:
    """A recording, its robot, and what takes the number of states that are done.

    Args:
        options: of the recording.
        name: of the recording.
        files: that together are the recording.
        progress: shows how far it is.
        passes: how often the residuals are computed.
    """
    read = options.recording
    urdf, joints, _ = recorded_robot(read, files)
    # Only its model is used, and nothing is compiled.
    torques = model_torques(urdf, joints)
    locked = LockedJoints(torques.locked, torques.missing)
    robot = WatchedRobot(torques.model, options.settings, locked)
    with (
        open_recording(files, topic=read.topic, rename=read.rename, joints=joints) as recording,
        progress(name, passes * recording.size, 'states') as advance,
    ):
        _check_velocities(name, recording, robot)
        yield recording, robot, advance


def _check_velocities(name: str, recording: Recording, robot: WatchedRobot) -> None:
    """Refuse velocities of something else: the observer makes external torques of them.

    Raises:
        RecordingError: they do not belong to the positions.
    """
    excerpts = Excerpts()
    # What is too short for the filter is not judged; damaged files are named where they are read.
    with suppress(RecordingError):
        for motion in motions(recording, efforts=False):
            excerpts.add(motion)
    check_velocities(name, robot.model, excerpts)


def failures(outcomes: list[Outcome], output: Output) -> list[dict[str, Any]]:
    """Print why recordings cannot be used, and give that for --json."""
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        where = '' if outcome.name in outcome.error else f'{outcome.name}: '
        output.error(f'{where}{outcome.error}')
    return [{'file': outcome.name, 'error': outcome.error} for outcome in failed]
