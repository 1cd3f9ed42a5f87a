"""Thresholds learned from recordings without contact, and how well they hold."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.contact_detector import COLLISION
from robot_dynamics_ros.control.external.thresholds import BANDS, PARTS, ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError, StateError

from .extreme_values import FEWEST
from .joint_residuals import JointResiduals
from .kept_peaks import KeptPeaks
from .learning import Learning
from .locked_joints import LockedJoints
from .threshold_learning import cells_of_block, standing_still

# Bandwidths that come from the rates of recordings may differ by so much.
SAME = 0.02


@dataclass(frozen=True)
class SurveyedRecording:
    """What is kept of one recording; plain data.

    Attributes:
        name: of the recording.
        robot: its name.
        joints: watched ones, k of them.
        unwatched: joints without a varying effort.
        locked: joints that were not recorded.
        units: (k) of their residuals.
        bandwidth: (k,) of the observer [Hz].
        friction: (2, k) of the joints, see `JointFriction.bounds`.
        limits: (k,) effort limits of the joints [N m or N]; infinite for none.
        floor: (k,) of the thresholds, see `threshold_floor` [N m or N].
        peaks: the largest residuals.
        residuals: how large they are.
        remarks: about the recording.
        doubt: why its efforts cannot be the torques of the drives, as a phrase; empty if they can.
        unexplained: why its positions, efforts or model cannot be right, likewise.
        large: that external torques are large throughout, as a sentence; empty if they are not.
        breaks: why the observer begins anew, with counts; empty where it does not.
    """

    name: str
    robot: str
    joints: tuple[str, ...]
    unwatched: tuple[str, ...]
    locked: LockedJoints
    units: tuple[str, ...]
    bandwidth: Array
    friction: Array
    limits: Array
    floor: Array
    peaks: KeptPeaks
    residuals: JointResiduals
    remarks: tuple[str, ...]
    doubt: str
    unexplained: str
    large: str
    breaks: str

    def as_json(self) -> dict[str, Any]:
        """What is said of it beside its joints."""
        return {
            'file': self.name,
            'samples': self.residuals.samples,
            'unwatched': list(self.unwatched),
            'remarks': [*self.locked.remarks, *self.remarks],
        }


@dataclass(frozen=True)
class ThresholdSurvey:
    """The thresholds of some recordings.

    Attributes:
        recordings: at least one, with the same joints.
        thresholds: learned from all of them.
        residuals: of all of them.
        mean_limits: (2, k) threshold of collision and push, on average along the recordings.
        largest_motion: (2, k) speed [rad/s or m/s] and acceleration [rad/s^2 or m/s^2] of the
            recordings: the rate is that of motion like this.
        margin: factor of what was learned [-].
        exceeded: each half of the recordings with the thresholds of the other half: recording and
            begin [s] of each alarm; None where the halves are too short.
        still: joints that hardly move.
    """

    recordings: tuple[SurveyedRecording, ...]
    thresholds: ContactThresholds
    residuals: JointResiduals
    mean_limits: Array
    largest_motion: Array
    margin: float
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

    def as_json(self) -> dict[str, Any]:
        """The result by names, in SI units, without doubts."""
        joints = self.residuals.as_json(self.joints)
        exceeded = None
        if self.exceeded is not None:
            exceeded = [{'recording': name, 'time': time} for name, time in self.exceeded]
        return {
            'robot': self.robot,
            'false_alarms_per_hour': self.thresholds.false_alarms_per_hour,
            'seconds': self.thresholds.seconds,
            'margin': self.margin,
            'bandwidth': self.recordings[0].bandwidth,
            'joints': {
                name: {**figures, **self._bands_as_json(index)}
                for index, (name, figures) in enumerate(joints.items())
            },
            'exceeded': exceeded,
            'recordings': [one.as_json() for one in self.recordings],
        }

    def _bands_as_json(self, index: int) -> dict[str, Any]:
        """Unit, motion and thresholds of one joint."""
        parts = self.thresholds.coefficients[:, :, index]
        bands = {
            band: {
                **dict(zip(PARTS, parts[row], strict=True)),
                'mean': self.mean_limits[row, index],
            }
            for row, band in enumerate(BANDS)
        }
        speed, acceleration = self.largest_motion[:, index]
        return {
            'unit': self.recordings[0].units[index],
            'largest_speed': speed,
            'largest_acceleration': acceleration,
            **bands,
        }


def surveyed(recordings: Sequence[SurveyedRecording], learning: Learning) -> ThresholdSurvey:
    """Learn thresholds from recordings.

    Args:
        recordings: at least one.
        learning: what is wanted of the thresholds.

    Raises:
        RecordingError: the recordings have other watched joints, or another bandwidth.
        StateError: they are too short.
    """
    first = recordings[0]
    for one in recordings[1:]:
        _check_alike(one, first)
    peaks = KeptPeaks.joined([one.peaks for one in recordings])
    try:
        thresholds = learning.thresholds(peaks, first.friction, first.floor)
    except StateError as error:
        breaks = '; '.join(f'{one.name}: {one.breaks}' for one in recordings if one.breaks)
        raise with_breaks(error, breaks) from None
    residuals = first.residuals
    for one in recordings[1:]:
        residuals = residuals.joined(one.residuals)
    largest = peaks.motions[:, COLLISION].max(axis=0)
    return ThresholdSurvey(
        tuple(recordings),
        thresholds,
        residuals,
        thresholds.limits(peaks.motions).mean(axis=0),
        largest,
        learning.margin,
        _exceeded(recordings, peaks, learning),
        tuple(itertools.compress(first.joints, standing_still(peaks))),
    )


def with_breaks(error: StateError, breaks: str) -> StateError:
    """That there is too little time, with what breaks the recordings; empty for nothing."""
    return StateError(f'{error} ({breaks})') if breaks else error


def _check_alike(one: SurveyedRecording, first: SurveyedRecording) -> None:
    """Check that two recordings can be learned from together.

    Raises:
        RecordingError: they have other watched joints, or another bandwidth.
    """
    if one.joints != first.joints:
        raise RecordingError(
            f'{one.name} has efforts of {", ".join(one.joints)}, {first.name} of '
            f'{", ".join(first.joints)}: learn from them apart'
        )
    if not np.allclose(one.bandwidth, first.bandwidth, rtol=SAME):
        lowest = min(one.bandwidth.min(), first.bandwidth.min())
        raise RecordingError(
            f'{one.name} has another rate of states than {first.name}: choose a bandwidth '
            f'for both with --bandwidth, such as {lowest:.3g}'
        )


def _exceeded(
    recordings: Sequence[SurveyedRecording], peaks: KeptPeaks, learning: Learning
) -> tuple[tuple[str, float], ...] | None:
    """Alarms in each half of the cells, with the thresholds of the other half."""
    count = len(peaks.times)
    if count // 2 < FEWEST * cells_of_block(peaks):
        return None
    names = [one.name for one in recordings for _ in one.peaks.times]
    half, first = count // 2, recordings[0]
    halves = (slice(half), slice(half, count))
    result = []
    for learned, tested in (halves, halves[::-1]):
        thresholds = learning.thresholds(peaks.part(learned), first.friction, first.floor)
        for row in peaks.part(tested).exceeding(thresholds):
            index = (tested.start or 0) + row
            result.append((names[index], float(peaks.times[index])))
    return tuple(sorted(result, key=lambda each: (names.index(each[0]), each[1])))
