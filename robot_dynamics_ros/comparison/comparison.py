"""Measured efforts against the torques of a model, one recording after another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.regression.intervals import ROUNDING

from .compared import TERMS, Compared, FrictionFit, JointComparison
from .findings import Finding, conclude
from .hypotheses import Solution
from .observations import Observations
from .recorded_joints import ModelTorques, unused_joints
from .robot_findings import robot_findings
from .sample_findings import motion_findings, sample_findings
from .search import best_labels

# Samples are taken at this multiple of the cutoff: what lies above is filtered out.
OVERSAMPLING = 10.0


class Comparison:
    """Compares measured efforts with the torques of a model."""

    def __init__(
        self,
        model: RobotModel,
        parameters: JointModel = AS_DESCRIBED,
        *,
        gravity: Sequence[float] = STANDARD_GRAVITY,
    ) -> None:
        """With a model.

        Args:
            model: the whole robot; joints that were not recorded are locked.
            parameters: friction, offsets and rotors in place of those of the URDF.
            gravity: (3,) in the axes of the root link [m/s^2].
        """
        self.model = model
        self._torques = cache(lambda joints: ModelTorques(model, joints, parameters, gravity))

    def fit(self, recordings: Recording | Iterable[Recording]) -> tuple[Compared, ...]:
        """The comparison of each recording by itself; what cannot be used has an error.

        Raises:
            ParameterError: the robot has none of their joints.
        """
        given = [recordings] if isinstance(recordings, Recording) else recordings
        return tuple(self.of(one) for one in given)

    def of(
        self,
        recording: Recording,
        name: str = '',
        advance: Callable[[int], object] = lambda count: None,
    ) -> Compared:
        """The comparison of one recording, as `fit`.

        Args:
            recording: with the joints that are compared.
            name: of the recording in the result; empty: that of its files.
            advance: takes the number of samples, as they are read.
        """
        blank = Compared(self.model.name, name or recording.name, recording.topic)
        torques, motions, count = self._torques(recording.joints), [], 0
        try:
            recording.judge_efforts(torques.model)
            for motion in recording.motions():
                count += len(motion)
                motions.append(motion.of(torques.model.joint_names).decimated(OVERSAMPLING))
        except RecordingError as error:
            return replace(blank, error=str(error))
        advance(recording.size or 0)
        wrong = motion_findings(torques.model, motions, recording.quality)
        seen = Observations(torques, motions, usable=not wrong)
        found, labels = best_labels(seen)
        remark = unused_joints(self.model, recording.names)
        said = [*wrong, *([] if wrong else robot_findings(found, labels))]
        said += sample_findings(seen, recording.quality, remark)
        findings = conclude(said, int(seen.judged.sum()))
        names, rate = torques.model.joint_names, 1.0 / recording.interval
        return replace(
            blank, samples=count, duration=count / rate, rate=rate, cutoff=motions[0].cutoff,
            locked=torques.locked, remark=remark, findings=findings, drawn=seen.samples.drawn(),
            joints={one: _figures(seen, found, one, findings) for one in names},
        )  # fmt: skip


def _figures(
    seen: Observations, found: Solution, name: str, findings: Sequence[Finding]
) -> JointComparison:
    """Those of a joint, over all samples with an effort."""
    samples, joint = seen.samples, seen.samples.joints.index(name)
    rows, fit, after = np.isfinite(samples.measured[:, joint]), None, math.nan
    names = ('measured', 'model', 'residual', 'velocities', *TERMS)
    effort, model, residual, v, *terms = (getattr(samples, one)[rows, joint] for one in names)
    parts = dict(zip(TERMS, terms, strict=True))
    if found.seen.judged[joint]:
        fit = FrictionFit(*found.own[joint, 1:].tolist())
        parts['friction'] = fit.viscous * v + fit.coulomb * np.sign(v)
        after = math.sqrt(found.errors[joint] / found.seen.counts[joint])
    with np.errstate(invalid='ignore', divide='ignore'):
        square = np.float64(effort @ effort)
        shares = {term: float(part @ effort / square) for term, part in parts.items()}
    figures = JointComparison(
        unit=seen.model.effort_units[joint],
        rms_measured=_rms(effort),
        rms_residual=_rms(residual),
        bias=float(residual.mean()) if rows.any() else math.nan,
        correlation=_correlation(effort, model),
        shares={**shares, 'residual': 1.0 - sum(shares.values())},
        friction=fit,
        rms_after_fit=after,
    )
    codes = dict.fromkeys(one.code.replace('_', ' ') for one in findings if name in one.joints)
    result = 'as the model' if figures.is_explained else 'not as the model'
    result = result if figures.rms_measured > 0.0 else 'no effort'
    return replace(figures, result=', '.join(codes) or result)


def _rms(values: Array) -> float:
    return math.sqrt(np.mean(values**2)) if len(values) else math.nan


def _correlation(effort: Array, torque: Array) -> float:
    """Of measurement and model; NaN where one does not vary."""
    vary = [np.std(one) > ROUNDING * _rms(one) for one in (effort, torque) if len(one)]
    return float(np.corrcoef(effort, torque)[0, 1]) if vary and all(vary) else math.nan
