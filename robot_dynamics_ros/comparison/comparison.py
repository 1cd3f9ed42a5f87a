"""Measured efforts against the torques of a model: gathered of recordings, then concluded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Recording

from .compared import Compared, JointComparison, RecordingSummary
from .data_findings import FEWEST, data_findings
from .evidence import Evidence, Excerpts
from .figures import friction_fits, joint_delays, joint_figures, spectrum_of
from .findings import Finding, conclude
from .model_torques import ModelTorques
from .motion_findings import motion_findings
from .observations import Observations
from .plot_samples import samples_of
from .recorded_joints import unused_joints
from .relabelling import explained
from .robot_findings import robot_findings


class Comparison:
    """Compares measured efforts with the torques of a model.

    >>> recording = Recording.read('bag/', model)
    >>> Comparison(model).fit([recording]).findings

    `fit` is `gather` of each recording, which many processes may do, and `conclude` of all.
    """

    def __init__(self, model: RobotModel, parameters: JointModel = AS_DESCRIBED) -> None:
        """Compile nothing yet.

        Args:
            model: the whole robot; joints that were not recorded are locked.
            parameters: friction, offsets and rotors in place of those of the URDF.
        """
        self.model = model
        self.torques = cache(lambda joints: ModelTorques(model, joints, parameters))

    def fit(self, recordings: Recording | Iterable[Recording]) -> Compared:
        """The comparison over all recordings; those that cannot be used have an error.

        Args:
            recordings: of one robot, one at least.

        Raises:
            RecordingError: none of them can be used.
            ParameterError: the robot has none of their joints.
        """
        given = [recordings] if isinstance(recordings, Recording) else recordings
        return self.conclude([self.gathered(one) for one in given])

    def gathered(
        self,
        recording: Recording,
        name: str = '',
        advance: Callable[[int], object] = lambda count: None,
    ) -> Evidence:
        """As `gather`; of a recording that cannot be used, the error."""
        try:
            return self.gather(recording, name, advance)
        except RecordingError as error:
            file = name or recording.name
            return Evidence(RecordingSummary(file, recording.topic, error=str(error)))

    def gather(
        self,
        recording: Recording,
        name: str = '',
        advance: Callable[[int], object] = lambda count: None,
    ) -> Evidence:
        """What is kept of one recording: small, whatever its length.

        Args:
            recording: with the joints that are compared.
            name: of the recording in the result; empty: that of its files.
            advance: takes the number of samples, as they are read.

        Raises:
            RecordingError: it cannot be used.
            ParameterError: the robot has none of its joints.
        """
        torques = self.torques(recording.joints)
        recording.judge_efforts(torques.model)
        names = torques.model.joint_names
        summary = RecordingSummary(name or recording.name, recording.topic)
        evidence = Evidence(summary, names, robot=torques.model)
        evidence.unused = unused_joints(self.model, recording.names)
        for motion in recording.motions():
            evidence.add(torques, motion.of(names))
            advance(len(motion))
        evidence.quality = recording.quality
        return evidence

    def conclude(self, evidence: Sequence[Evidence]) -> Compared:
        """The comparison over all recordings that have joints and robot of the first usable one.

        Args:
            evidence: of each recording, also of those that could not be used; one in another unit
                than others is left out.

        Raises:
            RecordingError: no recording is usable.
        """
        first = next((one for one in evidence if not one.summary.error), None)
        if first is None:
            raise RecordingError('; '.join(one.summary.error for one in evidence))
        torques = self.torques(first.joints)
        model, names = torques.model, torques.model.joint_names
        given = [_beside(one, first) for one in evidence]
        units = {
            row: motion_findings(model, one.reach, one.quality)
            for row, one in enumerate(given)
            if one.summary.samples
        }
        wrong = next(iter(units.values())) if all(units.values()) else []
        for row, other in units.items():
            if other and not wrong:
                given[row] = _unused(given[row], f'{other[0].message} It is left out.')
        used = [one for one in given if one.summary.samples]
        excerpts = Excerpts()
        for one in used:
            excerpts.add(one.reach.excerpts)
        observations = Observations(torques, excerpts)
        usable = observations.independent >= FEWEST and not wrong
        judge, found, relabelling = explained(
            observations if usable else Observations(torques, ())
        )
        frictions = friction_fits(judge, found)
        products = np.sum([one.products for one in used], axis=0)
        figures = joint_figures(model, products, joint_delays(judge, found), frictions)
        others = [*wrong, *data_findings(torques, used, observations, judge)]
        robot = robot_findings(judge, found, frictions, figures, relabelling, others)
        findings = conclude([*robot, *others], int(judge.judged.sum()))
        return Compared(
            robot=model.name,
            recordings=tuple(one.summary for one in given),
            joints={
                name: replace(one, verdict=_verdict(name, one, findings))
                for name, one in figures.items()
            },
            findings=findings,
            samples=samples_of(names, [one.samples for one in given]),
            spectrum=spectrum_of(observations),
            locked=torques.locked,
        )


def _beside(evidence: Evidence, first: Evidence) -> Evidence:
    """That of one recording; an error where it cannot be used beside the first."""
    if evidence.summary.error or (evidence.joints, evidence.robot) == (first.joints, first.robot):
        return evidence
    other = first.summary.file
    why = (
        f'its joints are {", ".join(evidence.joints)}, those of {other} are '
        f'{", ".join(first.joints)}: compare them apart'
        if evidence.joints != first.joints
        else f'its /robot_description is another than that of {other}: compare them apart, '
        'or name the URDF of both with --urdf'
    )
    return _unused(evidence, why)


def _unused(evidence: Evidence, why: str) -> Evidence:
    file, topic = evidence.summary.file, evidence.summary.topic
    return Evidence(RecordingSummary(file, topic, error=f'{file}: {why}'))


def _verdict(name: str, figures: JointComparison, findings: Sequence[Finding]) -> str:
    """The codes of the findings about a joint, or whether the model explains its effort."""
    codes = dict.fromkeys(one.code for one in findings if name in one.joints)
    if codes:
        return ', '.join(code.replace('_', ' ') for code in codes)
    if not math.isfinite(figures.rms_residual) or figures.rms_measured == 0.0:
        return 'no effort'
    return 'as the model' if figures.is_explained else 'not as the model'
