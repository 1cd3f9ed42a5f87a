"""Thresholds learned from recordings without contact, and how well they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external_forces.detection import (
    ContactThresholds,
    learned_thresholds,
)
from robot_dynamics_ros.control.external_forces.detection.extreme_values import FEWEST
from robot_dynamics_ros.control.external_forces.detection.residual_bands import BANDS
from robot_dynamics_ros.control.external_forces.detection.threshold_learning import (
    BLOCK,
    REST,
    cells_of_block,
)
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .joint_residuals import JointResiduals
from .kept_peaks import KeptPeaks

# Times the shortest duration: some of a recording is lost where the observer begins.
SECURE = 2.5
# Exceeded times that a remark lists.
LISTED = 3


@dataclass(frozen=True)
class SurveyedRecording:
    """What is kept of one recording; plain data.

    Attributes:
        name: of the recording.
        robot: its name.
        joints: watched ones, k of them.
        unwatched: joints without a varying effort.
        units: (k) of their residuals.
        bandwidth: (k,) of the observer [Hz].
        peaks: the largest residuals.
        residuals: how large they are.
        remarks: about the recording.
    """

    name: str
    robot: str
    joints: tuple[str, ...]
    unwatched: tuple[str, ...]
    units: tuple[str, ...]
    bandwidth: Array
    peaks: KeptPeaks
    residuals: JointResiduals
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class ThresholdSurvey:
    """The thresholds of some recordings.

    Attributes:
        recordings: at least one, with the same joints.
        thresholds: learned from all of them.
        cutoff: between the bands [Hz].
        residuals: of all of them.
        mean_limits: (2, k) threshold of collision and push, on average along the recordings.
        exceeded: each half of the recordings with the thresholds of the other half: recording and
            begin [s] of each alarm; None where the halves are too short.
        still: joints that hardly move.
    """

    recordings: tuple[SurveyedRecording, ...]
    thresholds: ContactThresholds
    cutoff: float
    residuals: JointResiduals
    mean_limits: Array
    exceeded: tuple[tuple[str, float], ...] | None
    still: tuple[str, ...]

    @property
    def robot(self) -> str:
        """Its name."""
        return self.recordings[0].robot

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the watched joints, k of them."""
        return self.recordings[0].joints

    def doubts(self) -> list[str]:
        """Why the thresholds may not hold, one line each; empty where nothing is known."""
        lines = []
        if self.still:
            lines.append(
                f'still: {", ".join(self.still)} hardly moves (mean speed below {REST:g} rad/s or '
                'm/s), and has thresholds for standing still: record the motions of the '
                'application'
            )
        if self.exceeded is None:
            enough = SECURE * FEWEST * BLOCK
            lines.append(
                f'short: the recordings last {self.thresholds.seconds:.3g} s, too little to test '
                f'thresholds of one half on the other: record {enough:g} s or more'
            )
        elif self.exceeded:
            times = ', '.join(f'{name} at {time:.1f} s' for name, time in self.exceeded[:LISTED])
            more = len(self.exceeded) - LISTED
            lines.append(
                f'exceeded: thresholds of one half of the recordings are exceeded '
                f'{len(self.exceeded)} times in the other half ({times}'
                f'{f" and {more} more" if more > 0 else ""}): if something touched the robot '
                'then, record again; else record longer, so that both halves have all motions'
            )
        return lines

    def as_json(self) -> dict[str, Any]:
        """The result by names, in SI units."""
        joints = self.residuals.as_json(self.joints)
        coefficients = self.thresholds.coefficients
        for index, (name, figures) in enumerate(joints.items()):
            bands = {
                band: {
                    'constant': coefficients[row, 0, index],
                    'velocity': coefficients[row, 1, index],
                    'acceleration': coefficients[row, 2, index],
                    'mean': self.mean_limits[row, index],
                }
                for row, band in enumerate(BANDS)
            }
            unit = self.recordings[0].units[index]
            joints[name] = {'unit': unit, **figures, **bands}
        return {
            'robot': self.robot,
            'false_alarms_per_hour': self.thresholds.false_alarms_per_hour,
            'seconds': self.thresholds.seconds,
            'bandwidth': self.recordings[0].bandwidth,
            'cutoff': self.cutoff,
            'joints': joints,
            'exceeded': None
            if self.exceeded is None
            else [{'recording': name, 'time': time} for name, time in self.exceeded],
            'doubts': self.doubts(),
            'recordings': [
                {
                    'file': one.name,
                    'samples': one.residuals.samples,
                    'unwatched': list(one.unwatched),
                    'remarks': list(one.remarks),
                }
                for one in self.recordings
            ],
        }


def surveyed(
    recordings: Sequence[SurveyedRecording], cutoff: float, false_alarms_per_hour: float
) -> ThresholdSurvey:
    """Learn thresholds from recordings.

    Args:
        recordings: at least one.
        cutoff: between the bands [Hz].
        false_alarms_per_hour: of both bands and all joints together.

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
        if not np.array_equal(one.bandwidth, first.bandwidth):
            lowest = min(one.bandwidth.min(), first.bandwidth.min())
            raise RecordingError(
                f'{one.name} has another rate of states than {first.name}: choose a bandwidth '
                f'for both with --bandwidth, such as {lowest:.3g}'
            )
    peaks = KeptPeaks.joined([one.peaks for one in recordings])
    thresholds = learned_thresholds(peaks, false_alarms_per_hour)
    residuals = first.residuals
    for one in recordings[1:]:
        residuals = residuals.joined(one.residuals)
    speeds = peaks.motions[:, 1, 0].mean(axis=0)
    return ThresholdSurvey(
        tuple(recordings),
        thresholds,
        cutoff,
        residuals,
        thresholds.limits(peaks.motions).mean(axis=0),
        _exceeded(recordings, peaks, false_alarms_per_hour),
        tuple(name for name, speed in zip(first.joints, speeds, strict=True) if speed < REST),
    )


def _exceeded(
    recordings: Sequence[SurveyedRecording], peaks: KeptPeaks, false_alarms_per_hour: float
) -> tuple[tuple[str, float], ...] | None:
    """Alarms in each half of the cells, with the thresholds of the other half."""
    count = len(peaks.times)
    if count // 2 < FEWEST * cells_of_block(peaks):
        return None
    names = [one.name for one in recordings for _ in one.peaks.times]
    half = count // 2
    halves = (slice(half), slice(half, count))
    result = []
    for learned, tested in (halves, halves[::-1]):
        thresholds = learned_thresholds(peaks.part(learned), false_alarms_per_hour)
        for row in peaks.part(tested).exceeding(thresholds):
            index = (tested.start or 0) + row
            result.append((names[index], float(peaks.times[index])))
    return tuple(sorted(result, key=lambda each: (names.index(each[0]), each[1])))
