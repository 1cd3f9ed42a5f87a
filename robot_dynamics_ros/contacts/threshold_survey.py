"""Thresholds learned from recordings without contact, how well they hold, and why they may not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.contact_detector import COLLISION, PUSH, SPEED
from robot_dynamics_ros.control.external.thresholds import BANDS, PARTS, ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording

from .observed_recording import Advance, Observation, ObservedRecording, WatchedRobot
from .residuals import BLOCK, JointResiduals, ResidualPeaks
from .threshold_learning import FEWEST, REST, learned_thresholds, least_thresholds

FALSE_ALARMS_PER_HOUR = 0.1
# Bandwidths that come from the rates of recordings may differ by so much.
SAME = 0.02
# Times the shortest duration: some of a recording is lost where the observer begins.
SECURE = 2.5


@dataclass(frozen=True)
class SurveyedRecording(Observation):
    """What thresholds are learned from; plain data.

    Attributes:
        peaks: the largest residuals.
        least: (2, 3, k) see `least_thresholds`.
    """

    peaks: ResidualPeaks
    least: Array


def survey_recording(
    recording: Recording, robot: WatchedRobot, name: str, advance: Advance
) -> SurveyedRecording:
    """Collect the largest residuals of a recording without contact.

    Raises:
        RecordingError: nothing can be observed.
    """
    observed = ObservedRecording(recording, robot)
    peaks = ResidualPeaks.of(len(observed.joints), observed.parts(advance))
    found = observed.observation(name)
    least = least_thresholds(robot.friction.bounds[:, observed.indices], found.limits)
    return SurveyedRecording(**vars(found), peaks=peaks, least=least)


@dataclass(frozen=True)
class ThresholdSurvey:
    """The thresholds of some recordings.

    Attributes:
        recordings: at least one, with the same robot, joints and bandwidth.
        thresholds: learned from all of them.
        peaks: of all of them.
        margin: factor of what was learned [-].
        exceeded: each half of the recordings with the thresholds of the other half: recording and
            begin [s] of each alarm; None where the halves are too short.
    """

    recordings: tuple[SurveyedRecording, ...]
    thresholds: ContactThresholds
    peaks: ResidualPeaks
    margin: float
    exceeded: tuple[tuple[str, float], ...] | None

    @property
    def first(self) -> SurveyedRecording:
        """Whose robot, joints and bandwidth are those of all recordings."""
        return self.recordings[0]

    @property
    def residuals(self) -> JointResiduals:
        """Of all recordings."""
        return sum((one.residuals for one in self.recordings[1:]), self.first.residuals)

    @property
    def mean_limits(self) -> Array:
        """(2, k) threshold of collision and push, on average along the recordings [N m or N]."""
        return self.thresholds.limits(self.peaks.motions).mean(axis=0)

    @property
    def largest_motion(self) -> Array:
        """(2, k) speed [rad/s or m/s] and acceleration: the rate is that of motion like this."""
        return self.peaks.motions[:, COLLISION].max(axis=0)

    @property
    def still(self) -> tuple[str, ...]:
        """Joints that hardly move: their thresholds are those for standing still."""
        speeds = self.peaks.motions[:, PUSH, SPEED].mean(axis=0)
        return tuple(compress(self.first.joints, speeds < REST))

    @property
    def doubts(self) -> list[str]:
        """Why the thresholds may not hold, one line each; empty where nothing is known."""
        return [*self._doubts()]

    def as_json(self) -> dict[str, Any]:
        """The result by names, in SI units."""
        joints = self.residuals.as_json(self.first.joints, self.first.units)
        coefficients, means = self.thresholds.coefficients, self.mean_limits
        for index, values in enumerate(joints.values()):
            values['largest_speed'], values['largest_acceleration'] = self.largest_motion[:, index]
            for row, band in enumerate(BANDS):
                parts = dict(zip(PARTS, coefficients[row, :, index], strict=True))
                values[band] = {**parts, 'mean': means[row, index]}
        times = self.exceeded
        return {
            'robot': self.first.robot,
            'false_alarms_per_hour': self.thresholds.false_alarms_per_hour,
            'seconds': self.thresholds.seconds,
            'margin': self.margin,
            'bandwidth': self.first.bandwidth,
            'joints': joints,
            'exceeded': times and [{'recording': name, 'time': time} for name, time in times],
            'doubts': self.doubts,
            'recordings': [one.as_json() for one in self.recordings],
        }

    def _doubts(self) -> Iterator[str]:
        first, still, exceeded = self.first, self.still, self.exceeded
        for one in self.recordings:
            if large := one.large(one.residuals):
                yield f'large: {one.name}: {large}'
        if first.unwatched:
            yield (
                f'unwatched: {", ".join(first.unwatched)}: no threshold, because the effort is '
                'missing or constant'
            )
        if first.missing and len(still) < len(first.joints):
            yield (
                f'locked: {", ".join(first.missing)}: not recorded, so without threshold, and '
                'those of other joints contain the torques of that motion: record all joints'
            )
        if still:
            yield (
                f'still: {", ".join(still)}: mean speed below {REST:g} rad/s or m/s; record the '
                'motions of the application'
            )
        if exceeded is None:
            yield (
                f'short: {self.thresholds.seconds:.3g} s, too little to test thresholds of one '
                f'half on the other; record {SECURE * FEWEST * BLOCK:g} s or more'
            )
        elif exceeded:
            name, time = exceeded[0]
            yield (
                f'exceeded: {len(exceeded)} x, first in {name} at {time:.1f} s, by thresholds of '
                'the other half of the recordings; if something touched the robot then, record '
                'again; else record longer, so that both halves have all motions'
            )


def surveyed(
    recordings: Sequence[SurveyedRecording],
    false_alarms_per_hour: float = FALSE_ALARMS_PER_HOUR,
    margin: float = 1.0,
) -> ThresholdSurvey:
    """Learn thresholds from recordings; see `learned_thresholds`.

    Args:
        recordings: at least one.
        false_alarms_per_hour: in motion like the recorded one, of both bands and all joints
            together.
        margin: factor of what was learned, for motion unlike that [-].

    Raises:
        RecordingError: the recordings have other watched joints, or another bandwidth.
        StateError: they are too short.
    """
    first = recordings[0]
    for one in recordings[1:]:
        if one.joints != first.joints:
            raise RecordingError(
                f'{one.name} has efforts of {", ".join(one.joints)}, {first.name} of '
                f'{", ".join(first.joints)}: learn from them apart'
            )
        if not np.allclose(one.bandwidth, first.bandwidth, rtol=SAME):
            lowest = min(one.bandwidth.min(), first.bandwidth.min())
            raise RecordingError(
                f'{one.name} has another rate of states than {first.name}: give both '
                f'external_bandwidth: [{lowest:.3g}] in a file, --parameters'
            )

    def learned(peaks: ResidualPeaks) -> ContactThresholds:
        return learned_thresholds(peaks, false_alarms_per_hour, least=first.least, margin=margin)

    peaks = ResidualPeaks.joined([one.peaks for one in recordings])
    thresholds = learned(peaks)
    names = [one.name for one in recordings for _ in one.peaks.times]
    half, exceeded = len(names) // 2, None
    if half >= FEWEST * peaks.cells:
        former, latter = peaks.part(slice(half)), peaks.part(slice(half, None))
        rows = former.exceeding(learned(latter))
        rows += [half + row for row in latter.exceeding(learned(former))]
        exceeded = tuple((names[row], float(peaks.times[row])) for row in rows)
    return ThresholdSurvey(tuple(recordings), thresholds, peaks, margin, exceeded)
