"""One recording, surveyed for thresholds or searched for contacts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.control.gravity_in_efforts import ABSENT
from robot_dynamics_ros.control.torque_text import units_of
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.findings import counted
from robot_dynamics_ros.recordings import Recording

from .drawn_residuals import DrawnResiduals
from .joint_residuals import JointResiduals
from .kept_peaks import KeptPeaks, without_contacts
from .learning import Learning
from .marked_contacts import ContactMarks, DetectedPart
from .marked_recording import MarkedRecording
from .observed_recording import ObservedPart, ObservedRecording
from .residual_doubts import ResidualDoubts
from .residual_peaks import ResidualPeaks
from .threshold_doubts import CONTACTS_WITHIN
from .threshold_floor import threshold_floor
from .threshold_limits import above_limits
from .threshold_survey import SurveyedRecording, with_breaks
from .watched_robot import WatchedRobot

Advance = Callable[[int], None]
# Of a recording: where external torques are known in less, it is said; contacts are left out where
# the rest is at least that.
HALF = 0.5
# What to do about thresholds above the effort limits.
WITHIN_OWN = f'{CONTACTS_WITHIN}: give thresholds of a recording without contact'
WITHIN_GIVEN = 'give lower ones, or learn them from a recording without contact'


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
    doubts = _doubts(observed, robot, residuals)
    remarks = [*_remarks(observed, recording, robot)]
    if observed.doubt:
        remarks.append(f'the measured efforts {observed.doubt}')
    return SurveyedRecording(
        name,
        robot.model.name,
        observed.joints,
        observed.unwatched,
        robot.locked,
        units_of(robot.model, observed.joints),
        observed.bandwidth,
        _friction(observed, robot),
        _limits(observed, robot),
        _floor(observed, robot),
        peaks,
        residuals,
        tuple(remarks),
        *_unfit(observed, doubts),
        doubts.large(own=False),
        observed.breaks(),
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
        ParameterError: a threshold is out of bounds.
        StateError: the recording is too short to learn from it.
    """
    wanted = sorted(robot.settings.joints_with_thresholds)
    observed = ObservedRecording(recording, robot, wanted)
    given = robot.thresholds(observed.joints)
    thresholds = _own(observed, robot, learning, advance) if given is None else given
    marks = ContactMarks(thresholds, observed.joints, observed.indices, robot.links)
    sums = _Sums(len(observed.joints))
    untouched = _Sums(len(observed.joints))
    detected = marks.detected(sums.counted(observed.parts(), advance))
    drawn = DrawnResiduals.of(untouched.without_contacts(detected), recording.size)
    units = units_of(robot.model, observed.joints)
    doubts = _doubts(observed, robot, sums.residuals)
    remarks = [*_remarks(observed, recording, robot)]
    unusable = _unusable(*_unfit(observed, doubts))
    if not unusable:
        remarks += _large(observed, robot, sums.residuals, untouched.residuals, own=given is None)
        limits = _limits(observed, robot)
        if above := above_limits(observed.joints, units, limits, drawn.mean_limits):
            remarks.append(f'{above}; {WITHIN_OWN if given is None else WITHIN_GIVEN}')
    return MarkedRecording(
        name,
        robot.model.name,
        observed.joints,
        observed.unwatched,
        robot.locked.with_thresholds_of(robot.settings.joints_with_thresholds),
        units,
        observed.bandwidth,
        thresholds,
        given is None,
        () if unusable else tuple(marks.contacts),
        tuple((begin, end) for begin, end in observed.runs),
        sums.residuals,
        drawn,
        tuple(remarks),
        unusable,
    )


class _Sums:
    """Figures of what passes through."""

    def __init__(self, size: int) -> None:
        self.residuals = JointResiduals.none(size)

    def counted(self, parts: Iterator[ObservedPart], advance: Advance) -> Iterator[ObservedPart]:
        for part in parts:
            self.residuals = self.residuals.with_residuals(part.residuals)
            yield part
            advance(len(part))

    def without_contacts(self, parts: Iterator[DetectedPart]) -> Iterator[DetectedPart]:
        for each in parts:
            self.residuals = self.residuals.with_residuals(each.part.residuals[~each.touched])
            yield each


def _peaks(
    observed: ObservedRecording, robot: WatchedRobot, advance: Advance
) -> tuple[KeptPeaks, JointResiduals]:
    size = len(observed.joints)
    peaks, sums = ResidualPeaks(size), _Sums(size)
    for part in sums.counted(observed.parts(), advance):
        if part.begins:
            peaks.reset()
        peaks.add(part.times, part.residuals, part.velocities)
    return KeptPeaks.of(peaks), sums.residuals


def _own(
    observed: ObservedRecording, robot: WatchedRobot, learning: Learning, advance: Advance
) -> ContactThresholds:
    """Thresholds of the recording itself, without its contacts."""
    peaks, _ = _peaks(observed, robot, advance)
    try:
        free = without_contacts(peaks, learning.false_alarms_per_hour)
        return learning.thresholds(free, _friction(observed, robot), _floor(observed, robot))
    except StateError as error:
        raise with_breaks(error, observed.breaks()) from None


def _doubts(
    observed: ObservedRecording, robot: WatchedRobot, residuals: JointResiduals
) -> ResidualDoubts:
    """What the residuals of the watched joints tell."""
    units = units_of(robot.model, observed.joints)
    return ResidualDoubts(observed.joints, units, residuals, _limits(observed, robot))


def _large(
    observed: ObservedRecording,
    robot: WatchedRobot,
    residuals: JointResiduals,
    untouched: JointResiduals,
    *,
    own: bool,
) -> list[str]:
    """That external torques are large throughout, contacts left out; empty if they are not.

    Contacts that last through most of the recording are not left out: they are the doubt itself.

    Args:
        observed: the recording.
        robot: that was recorded.
        residuals: of all states.
        untouched: of the states without a contact.
        own: see `ResidualDoubts.large`.
    """
    judged = residuals if untouched.samples < HALF * residuals.samples else untouched
    left_out = judged.samples < residuals.samples
    return [*filter(None, [_doubts(observed, robot, judged).large(own=own, left_out=left_out)])]


def _unfit(observed: ObservedRecording, doubts: ResidualDoubts) -> tuple[str, str]:
    """Why efforts cannot be the torques of the drives, or else why something else is wrong.

    Both are phrases, one of them at most; that gravity is missing is the more exact one.
    """
    if not observed.judged or observed.doubt == ABSENT:
        return observed.doubt, ''
    unexplained = doubts.unexplained(observed.largest_efforts)
    return '' if unexplained else observed.doubt, unexplained


def _unusable(doubt: str, unexplained: str) -> str:
    """Why no contact can be found, as a phrase; empty if it can."""
    if not doubt:
        return unexplained
    return (
        f'dynamics_node estimates no external torques from these efforts: they {doubt} '
        '(driver_gravity_check: false in a parameter file uses them in spite of that)'
    )


def _friction(observed: ObservedRecording, robot: WatchedRobot) -> Array:
    """Of the watched joints (2, k), see `JointFriction.bounds`."""
    bounds: Array = robot.friction.bounds[:, observed.indices]
    return bounds


def _limits(observed: ObservedRecording, robot: WatchedRobot) -> Array:
    """Effort limits of the watched joints (k,) [N m or N]; infinite for none."""
    bounds: Array = robot.model.effort_bounds[observed.indices]
    return bounds


def _floor(observed: ObservedRecording, robot: WatchedRobot) -> Array:
    """Of the thresholds of the watched joints (k,) [N m or N]."""
    return threshold_floor(_limits(observed, robot))


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
    without_effort = [n for n in observed.unwatched if n not in observed.without_threshold]
    if without_effort:
        yield (
            f'not watched, because their efforts are missing or constant: '
            f'{", ".join(without_effort)}'
        )
    if observed.without_threshold:
        yield (
            f'not watched, because no thresholds of them are given: '
            f'{", ".join(observed.without_threshold)}'
        )
    if observed.derived:
        yield 'velocities are derived from positions, and late by that'
    if observed.skipped:
        count = counted(observed.skipped, 'state')
        missing = observed.missing_efforts()
        yield f'{count} left out, because efforts are missing: {missing}'
    if observed.known < HALF * observed.seconds:
        yield (
            f'external torques are known for {observed.known:.3g} of {observed.seconds:.3g} s: '
            'the observer settles anew after each break'
        )
