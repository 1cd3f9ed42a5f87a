"""The torques along one recording, written to a file; a task that any process may execute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.comparison.comparison import TERMS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import JointSamples, Motion, Recording, motions, open_recording
from robot_dynamics_ros.recordings.quality import Quality
from robot_dynamics_ros.recordings.recording import WHOLE, Part
from robot_dynamics_ros.recordings.writers import TorqueOrigin, TorqueSamples, open_torque_file
from robot_dynamics_ros.written_file import written_file

from ..progress import ShowProgress, no_progress
from ..recorded_robot import model_torques, recorded_robot
from ..recording_options import RecordingOptions
from .motion_reach import MotionReach


def write_torques(
    options: RecordingOptions,
    name: str,
    files: tuple[Path, ...],
    target: Path,
    part: Part = WHOLE,
    progress: ShowProgress = no_progress,
) -> dict[str, Any]:
    """Write the torques along a recording, or a part of them, as a whole file.

    What all parts write is what the recording gives as a whole: each part reads and filters the
    recording from its start, which takes a small part of the time.

    Args:
        options: of the recording.
        name: of the recording, for the bar.
        files: that together are the recording.
        target: to write; the ending decides what.
        part: of the torques.
        progress: shows how far it is.

    Returns:
        What --json says of the recording, without its name.

    Raises:
        RecordingError: the recording cannot be used.
        ModelError: the description cannot be used.
        ParameterError: the robot has none of the recorded joints.
        OSError: the file cannot be written.
    """
    urdf, joints, locked = recorded_robot(options, files)
    torques = model_torques(urdf, joints, options.parameters)
    with open_recording(
        files, topic=options.topic, rename=options.rename, joints=joints
    ) as recording:
        recording.judge_efforts(torques.model)
        origin = TorqueOrigin(joints, recording.start, recording.topic, urdf, part)
        written, reach = _Written(np.zeros(len(joints))), MotionReach(torques.model)
        with (
            progress(name, recording.size, 'states') as advance,
            written_file(target) as new,
            open_torque_file(new, origin, lambda: _states(options, files, joints)) as file,
        ):
            for number, motion in _numbered(recording, options.cutoff, part[1]):
                reach.take(motion)
                if number < part[0]:
                    file.skip(motion)
                    continue
                if number > part[0]:
                    break
                parts = dict(zip(TERMS, torques.terms(motion), strict=True))
                samples = TorqueSamples(motion, parts)
                file.write(samples)
                written.count(samples)
                advance(len(motion))
    return {
        'robot': torques.model.name,
        'topic': recording.topic,
        **written.as_json(joints),
        'locked': list(locked),
        **_judged(recording.quality, reach),
    }


def _judged(quality: Quality, reach: MotionReach) -> dict[str, Any]:
    """What is wrong with a recording that has been read to the end."""
    return {
        'findings': [finding.as_json() for finding in reach.findings(quality)],
        'quality': quality.as_json(),
        # What is doubted of the unit is a finding.
        'remarks': [line for line in quality.remarks() if line != quality.unit_doubt],
    }


def _numbered(
    recording: Recording, cutoff: float | None, count: int
) -> Iterator[tuple[int, Motion]]:
    """The motion, and in which of some parts each piece of it is."""
    before = 0
    for motion in motions(recording, cutoff=cutoff):
        yield min(before * count // recording.size, count - 1), motion
        before += len(motion)


@dataclass
class _Written:
    """What has been written.

    Attributes:
        peaks: (n,) largest absolute torque of each joint [N m or N].
        samples: how many.
        rate: of them [Hz].
        cutoff: of the low pass [Hz].
    """

    peaks: Array
    samples: int = 0
    rate: float = float('nan')
    cutoff: float = float('nan')

    def count(self, samples: TorqueSamples) -> None:
        self.peaks = np.maximum(self.peaks, np.abs(samples.torques).max(axis=0))
        self.samples += len(samples)
        self.rate, self.cutoff = samples.motion.rate, samples.motion.cutoff

    def as_json(self, joints: tuple[str, ...]) -> dict[str, Any]:
        peaks = zip(joints, self.peaks.tolist(), strict=True)
        return {
            'samples': self.samples,
            'rate': self.rate,
            'cutoff': self.cutoff,
            'joints': {joint: {'peak_torque': peak} for joint, peak in peaks},
        }


def _states(
    options: RecordingOptions, files: tuple[Path, ...], joints: tuple[str, ...]
) -> Iterator[JointSamples]:
    """The states as they were recorded."""
    with open_recording(
        files, topic=options.topic, rename=options.rename, joints=joints
    ) as recording:
        yield from recording.chunks()
