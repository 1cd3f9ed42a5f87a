"""One recording, surveyed for thresholds or searched for contacts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from robot_dynamics_ros.control.external_forces.detection import ResidualPeaks, threshold_floor
from robot_dynamics_ros.control.torque_text import units_of
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording

from .drawn_residuals import DrawnResiduals
from .joint_residuals import JointResiduals
from .kept_peaks import KeptPeaks, without_contacts
from .learning import Learning
from .marked_contacts import ContactMarks
from .marked_recording import MarkedRecording
from .observed_recording import ObservedPart, ObservedRecording
from .residual_doubts import residual_doubt
from .threshold_survey import SurveyedRecording
from .watched_robot import WatchedRobot

Advance = Callable[[int], None]


def survey_recording(
    recording: Recording, robot: WatchedRobot, name: str, advance: Advance
) -> SurveyedRecording:
    """Collect the largest residuals of a recording without contact.

    Args:
        recording: of all joints of the robot.
        robot: that was recorded.
        name: of the recording.
        advance: takes numbers of states that are done.

    Raises:
        RecordingError: nothing can be observed.
    """
    observed = ObservedRecording(recording, robot)
    peaks, residuals = _peaks(observed, robot, advance)
    return SurveyedRecording(
        name,
        robot.model.name,
        observed.joints,
        observed.unwatched,
        units_of(robot.model, observed.joints),
        observed.bandwidth,
        _friction(observed, robot),
        _floor(observed, robot),
        peaks,
        residuals,
        tuple(_remarks(observed, recording, robot)),
        observed.doubt,
    )


def mark_recording(
    recording: Recording,
    robot: WatchedRobot,
    name: str,
    learning: Learning,
    advance: Advance,
) -> MarkedRecording:
    """Search a recording for contacts, with the thresholds of the settings or its own.

    Args:
        recording: of all joints of the robot.
        robot: that was recorded.
        name: of the recording.
        learning: of thresholds, where the settings have none.
        advance: takes numbers of states that are done.

    Raises:
        RecordingError: nothing can be observed.
        ParameterError: a threshold of a watched joint is missing.
        StateError: the recording is too short to learn from it.
    """
    observed = ObservedRecording(recording, robot)
    given = robot.thresholds(observed.joints)
    thresholds = given
    if thresholds is None:
        peaks, _ = _peaks(observed, robot, advance)
        free = without_contacts(peaks, learning.false_alarms_per_hour)
        thresholds = learning.thresholds(free, _friction(observed, robot), _floor(observed, robot))
    marks = ContactMarks(
        thresholds, robot.settings.cutoff, observed.joints, observed.indices, robot.links
    )
    sums = _Sums(len(observed.joints))
    drawn = DrawnResiduals.of(
        marks.detected(sums.counted(_checked(observed, recording), advance)), recording.size
    )
    units = units_of(robot.model, observed.joints)
    remarks = [*_remarks(observed, recording, robot)]
    if given is None:
        limits = robot.model.effort_limits[observed.indices]
        remarks.append(residual_doubt(observed.joints, units, sums.residuals, limits))
    return MarkedRecording(
        name,
        robot.model.name,
        observed.joints,
        observed.unwatched,
        units,
        observed.bandwidth,
        thresholds,
        given is None,
        tuple(marks.contacts),
        sums.residuals,
        drawn,
        tuple(filter(None, remarks)),
    )


class _Sums:
    """Figures of what passes through."""

    def __init__(self, size: int) -> None:
        self.residuals = JointResiduals.none(size)

    def counted(self, parts: Iterator[ObservedPart], advance: Advance) -> Iterator[ObservedPart]:
        for part in parts:
            self.residuals = self.residuals.with_part(part)
            yield part
            advance(len(part))


def _peaks(
    observed: ObservedRecording, robot: WatchedRobot, advance: Advance
) -> tuple[KeptPeaks, JointResiduals]:
    size = len(observed.joints)
    peaks, sums = ResidualPeaks(size, robot.settings.cutoff), _Sums(size)
    for part in sums.counted(observed.parts(), advance):
        if part.begins:
            peaks.reset()
        peaks.add(part.times, part.residuals, part.velocities)
    return KeptPeaks.of(peaks), sums.residuals


def _checked(observed: ObservedRecording, recording: Recording) -> Iterator[ObservedPart]:
    """The parts of a recording, one at least."""
    found = False
    for part in observed.parts():
        found = True
        yield part
    if not found:
        raise RecordingError(
            f'{recording.name}: efforts of {", ".join(observed.joints)} are never there at the '
            'same time: record them in one message'
        )


def _friction(observed: ObservedRecording, robot: WatchedRobot) -> Array:
    """Of the watched joints (2, k), see `JointFriction.bounds`."""
    bounds: Array = robot.friction.bounds[:, observed.indices]
    return bounds


def _floor(observed: ObservedRecording, robot: WatchedRobot) -> Array:
    """Of the thresholds of the watched joints (k,) [N m or N]."""
    return threshold_floor(robot.model.effort_limits[observed.indices])


def _remarks(
    observed: ObservedRecording, recording: Recording, robot: WatchedRobot
) -> Iterator[str]:
    """What a user has to know, one line each."""
    yield from recording.quality.remarks()
    wanted = robot.wanted_bandwidth()[observed.indices].max()
    if observed.bandwidth.max() < wanted:
        yield (
            f'the observer has {observed.bandwidth.max():.3g} Hz instead of {wanted:g} Hz: the '
            f'states come at {1.0 / recording.interval:.3g} Hz'
        )
    if observed.unwatched:
        yield (
            f'not watched, because their efforts are missing or constant: '
            f'{", ".join(observed.unwatched)}'
        )
    if observed.derived:
        yield 'velocities are derived from positions, and late by that'
    if observed.doubt:
        yield f'the measured efforts {observed.doubt}'
    if observed.skipped:
        yield f'{observed.skipped} states lack an effort: they are left out'
