"""From the motions of recordings to the comparison with a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import ParameterError

from .compared_model import compared_model
from .comparison import Comparison
from .data_findings import FEWEST, data_findings, missing_joints
from .evidence.evidence import Evidence
from .evidence.excerpts import merged
from .evidence.model_torques import ModelTorques
from .evidence.moments import Moments
from .evidence.plot_samples import samples_of
from .explanations.delays import joint_delays
from .explanations.explanation import Explanation
from .explanations.friction_fits import friction_fits
from .explanations.judge import Judge
from .explanations.observations import Observations
from .explanations.search import search
from .figures import joint_figures
from .spectrum import spectrum_of
from .verdicts import joint_sentence, verdicts

if TYPE_CHECKING:
    from robot_dynamics_ros.recordings.motion import Motion
    from robot_dynamics_ros.recordings.quality import Quality


def compare(model: RobotModel, motions: Iterable[Motion], *, file: str = '') -> Comparison:
    """Compare measured efforts with the torques of a model.

    Args:
        model: the whole robot; joints that were not recorded are locked.
        motions: of one recording, in their order.
        file: name of the recording.

    Raises:
        ParameterError: there is no motion, or the robot has none of its joints.
    """
    evidence = gather(model, motions, file=file)
    return conclude(model, evidence.joints, [evidence])


def gather(
    model: RobotModel,
    motions: Iterable[Motion],
    *,
    file: str = '',
    topic: str = '',
    quality: Quality | None = None,
) -> Evidence:
    """What is kept of one recording: small, whatever its length.

    Args:
        model: the whole robot.
        motions: of the recording, in their order.
        file: name of the recording.
        topic: of the joint states.
        quality: counts of the reader, complete when the motions have come.

    Raises:
        ParameterError: there is no motion, or the robot has none of its joints.
    """
    evidence: Evidence | None = None
    for motion in motions:
        if evidence is None:
            torques = ModelTorques(compared_model(model, motion.joints))
            joints = torques.model.joint_names
            evidence = Evidence.of_nothing(file, topic, joints)
        evidence.add(torques, _in_order(motion, joints))
    if evidence is None:
        raise ParameterError(f'{file or "the recording"} has no motion to compare')
    evidence.quality = quality
    return evidence


def _in_order(motion: Motion, joints: tuple[str, ...]) -> Motion:
    """The same motion with these joints alone, in this order."""
    if motion.joints == joints:
        return motion
    columns = [motion.joints.index(name) for name in joints]
    names = ('positions', 'velocities', 'accelerations', 'efforts')
    chosen = {name: getattr(motion, name)[:, columns] for name in names}
    return replace(motion, joints=joints, **chosen)


def conclude(model: RobotModel, joints: Sequence[str], evidence: Sequence[Evidence]) -> Comparison:
    """The comparison over all recordings of one robot.

    Args:
        model: the whole robot.
        joints: that were compared.
        evidence: of each recording, with those that could not be used.

    Raises:
        ParameterError: recordings have other joints than these.
    """
    torques = ModelTorques(compared_model(model, joints))
    names = torques.model.joint_names
    used = _of_these_joints(names, evidence)
    observations = Observations(torques, merged(one.excerpts for one in used))
    judge = Judge(observations)
    enough = observations.independent >= FEWEST
    found = search(judge) if enough else Explanation.nothing(len(names))
    frictions = friction_fits(judge, found) if enough else {}
    delays = joint_delays(judge, found) if enough else np.full(len(names), np.nan)
    moments = sum((one.moments for one in used), Moments.zero(len(names)))
    figures = joint_figures(torques.model, moments, delays, frictions)
    joint_by_name = dict(zip(names, figures, strict=True))
    findings = [
        *verdicts(judge, found, frictions, joint_by_name),
        *missing_joints(model, names),
        *data_findings(names, evidence, observations),
    ]
    return Comparison(
        robot=model.name,
        recordings=tuple(one.summary for one in evidence),
        joints={
            name: replace(one, verdict=joint_sentence(name, one, findings))
            for name, one in joint_by_name.items()
        },
        findings=findings,
        samples=samples_of(names, [one.samples for one in evidence]),
        spectrum=spectrum_of(observations),
    )


def _of_these_joints(names: tuple[str, ...], evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence of the recordings that could be used."""
    used = [one for one in evidence if one.count]
    for one in used:
        if one.joints != names:
            raise ParameterError(
                f'{one.file} has the joints {", ".join(one.joints)}, other recordings '
                f'{", ".join(names)}: compare them apart'
            )
    return used
