"""The result: how well an identified model predicts what it was not fitted to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array

# A model is worse than another one where its RMS is larger by more than this share: what the
# choice of the held-out part changes.
WORSE = 1.05
# Samples of a joint that moves, at some 10 to 40 Hz, from which on anything is said of it.
FEWEST = 20


@dataclass(frozen=True)
class JointJudgement:
    """The figures of one joint on the held-out part, while it moves; NaN where nothing is known.

    Attributes:
        unit: of its effort: 'N m', or 'N' for a prismatic joint.
        moves: whether the recordings move it, for long enough or where they are fitted.
        rms_measured: root mean square of the measured effort [N m or N].
        rms_nominal: of measured effort minus torque of the description [N m or N].
        rms_identified: of measured effort minus torque of the identified model [N m or N].
        is_noise: whether what the identified model leaves is noise; None where it is not known.
        repeated: share of its variance that earlier values predict [-].
        verdict: one sentence.
        samples: that were judged: of the joint while it moves, with an effort.
        saturated: share of its samples whose effort is saturated [-].
    """

    unit: str
    moves: bool
    rms_measured: float
    rms_nominal: float
    rms_identified: float
    is_noise: bool | None
    repeated: float
    verdict: str = ''
    samples: int = 0
    saturated: float = 0.0

    @property
    def gain(self) -> float:
        """rms_identified / rms_nominal [-]; NaN where it is not known."""
        return self.rms_identified / self.rms_nominal if self.rms_nominal > 0.0 else math.nan

    @property
    def is_worse(self) -> bool:
        """Whether the identified model is worse than the description."""
        return self.moves and self.gain > WORSE

    @property
    def is_judged(self) -> bool:
        """Whether enough samples of the held-out part show how good the model is here."""
        return math.isfinite(self.rms_identified)


@dataclass(frozen=True)
class JudgedRecording:
    """One recording of an identification.

    Attributes:
        file: as it was given.
        topic: of the joint states.
        samples: that were read.
        split: time at which its held-out part begins [s]; infinite where all of it is fitted, and
            minus infinity where all of it is held out.
        held_out: samples of the held-out part.
        duration: of these [s].
        rate: [Hz].
        cutoff: of the low pass [Hz].
        error: why it could not be used; empty if it could.
    """

    file: str
    topic: str = ''
    samples: int = 0
    split: float = math.nan
    held_out: int = 0
    duration: float = 0.0
    rate: float = math.nan
    cutoff: float = math.nan
    error: str = ''


@dataclass(frozen=True)
class HeldOutSamples:
    """Some held-out samples of all recordings, for plots: evenly distributed ones, and peaks.

    Attributes:
        joints: names of the columns.
        recording: (K,) index of the recording.
        begins: (K,) whether a gap lies before this sample.
        times: (K,) since the start of its recording [s].
        velocities: (K, n) [rad/s or m/s].
        measured: (K, n) effort; NaN where not measured [N m or N].
        nominal: (K, n) torque of the description [N m or N].
        identified: (K, n) torque of the identified model [N m or N].
    """

    joints: tuple[str, ...]
    recording: Array
    begins: Array
    times: Array
    velocities: Array
    measured: Array
    nominal: Array
    identified: Array


@dataclass(frozen=True)
class Judgement:
    """An identified model on data that were not fitted.

    Attributes:
        robot: name of the model.
        recordings: of the identification.
        joints: figures by name, in the order of the model.
        findings: about the data, the most important one first.
        samples: for plots.
        verdict: sentences about the model as a whole.
    """

    robot: str
    recordings: tuple[JudgedRecording, ...]
    joints: Mapping[str, JointJudgement]
    findings: Sequence[Finding]
    samples: HeldOutSamples
    verdict: tuple[str, ...] = ()

    @property
    def worse(self) -> tuple[str, ...]:
        """Joints at which the identified model is worse than the description."""
        return tuple(name for name, joint in self.joints.items() if joint.is_worse)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Joints that nothing has judged, but those that stand still beside judged ones."""
        unjudged = {name: joint for name, joint in self.joints.items() if not joint.is_judged}
        moving = tuple(name for name, joint in unjudged.items() if joint.moves)
        return moving or (tuple(unjudged) if len(unjudged) == len(self.joints) else ())

    def as_json(self) -> dict[str, Any]:
        """Part of the contract of `robot_dynamics identify --json`, see docs/identification.md."""
        return {
            'verdict': list(self.verdict),
            'recordings': [vars(one) for one in self.recordings],
            'held_out': {name: _joint(joint) for name, joint in self.joints.items()},
            'findings': [
                {
                    'code': finding.code,
                    'joints': list(finding.joints),
                    'value': finding.value,
                    'message': finding.message,
                }
                for finding in self.findings
            ],
        }


def _joint(joint: JointJudgement) -> dict[str, Any]:
    return {**vars(joint), 'is_worse': joint.is_worse}
