"""From the motions of recordings to the comparison with a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import ParameterError

from .comparison import Comparison
from .data_findings import FEWEST, data_findings, silent_joints
from .evidence.evidence import Evidence
from .evidence.excerpts import merged
from .evidence.model_torques import ModelTorques
from .evidence.moments import Moments
from .evidence.plot_samples import samples_of
from .explanations.delays import joint_delays
from .explanations.friction_fits import friction_fits
from .explanations.hypotheses import scales_shown
from .explanations.observations import Observations
from .explanations.relabelling import Relabelling, explained
from .joint_figures import joint_figures
from .joint_sentences import joint_sentence
from .spectrum import spectrum_of
from .unexplained import unexplained_alone, with_unexplained
from .unit_findings import motion_findings, without_wrong_motions
from .verdicts import relabelled, verdicts

if TYPE_CHECKING:
    from robot_dynamics_ros.recordings.motion import Motion
    from robot_dynamics_ros.recordings.quality import Quality


def compare(model: RobotModel, motions: Iterable[Motion], *, file: str = '') -> Comparison:
    """Compare the measured efforts of one recording with the torques of a model.

    Args:
        model: the whole robot; joints that were not recorded are locked.
        motions: of the recording, in their order.
        file: name of the recording.

    Raises:
        ParameterError: there is no motion, or the robot has none of its joints.
    """
    parts = iter(motions)
    first = next(parts, None)
    if first is None:
        raise ParameterError(f'{file or "the recording"} has no motion to compare')
    torques = ModelTorques.of_joints(model, first.joints)
    evidence = gather(torques, chain([first], parts), file=file)
    return conclude(torques, [evidence])


def gather(
    torques: ModelTorques,
    motions: Iterable[Motion],
    *,
    file: str = '',
    topic: str = '',
    quality: Quality | None = None,
) -> Evidence:
    """What is kept of one recording: small, whatever its length.

    Args:
        torques: of the model.
        motions: of the recording, in their order.
        file: name of the recording.
        topic: of the joint states.
        quality: counts of the reader; complete when the motions have come.

    Raises:
        ParameterError: the recording has not all joints of the model.
    """
    joints = torques.model.joint_names
    evidence = Evidence.of_nothing(file, topic, joints)
    evidence.quality = quality
    for motion in motions:
        evidence.add(torques, _in_order(motion, joints))
    return evidence


def _in_order(motion: Motion, joints: tuple[str, ...]) -> Motion:
    """The same motion with these joints alone, in this order."""
    if motion.joints == joints:
        return motion
    missing = [name for name in joints if name not in motion.joints]
    if missing:
        raise ParameterError(
            f'the recording has no joint {missing[0]!r}, it has {", ".join(motion.joints)}'
        )
    columns = [motion.joints.index(name) for name in joints]
    names = ('positions', 'velocities', 'accelerations', 'efforts')
    chosen = {name: getattr(motion, name)[:, columns] for name in names}
    return replace(motion, joints=joints, **chosen)


def conclude(
    torques: ModelTorques, evidence: Sequence[Evidence], *, renaming: str = ''
) -> Comparison:
    """The comparison over all recordings of one robot.

    Args:
        torques: of the model with which the evidence was gathered.
        evidence: of each recording, also of those that could not be used.
        renaming: what to do about joints that are missing; empty: unknown.
    """
    model, names = torques.model, torques.model.joint_names
    evidence = without_wrong_motions(model, evidence)
    used = [one for one in evidence if one.count]
    windows = list(merged(one.excerpts for one in used))
    observations = Observations(torques, windows)
    wrong = list(motion_findings(model, used))
    usable = observations.independent >= FEWEST and not wrong
    judge, found, relabelling = explained(torques, windows if usable else [])
    frictions = friction_fits(judge, found)
    delays = joint_delays(judge, found)
    moments = sum((one.moments for one in used), Moments.zero(len(names)))
    scales = scales_shown(judge, found)
    computed = joint_figures(model, moments, delays, frictions, scales)
    figures = dict(zip(names, computed, strict=True))
    findings = [
        *wrong,
        *relabelled(names, relabelling),
        *verdicts(judge, found, frictions, figures, relabelling.order),
        *silent_joints(judge),
        *data_findings(torques, evidence, observations, renaming),
    ]
    if relabelling == Relabelling.nothing(len(names)):
        alone = list(unexplained_alone(judge, figures, findings))
        findings = with_unexplained(findings, alone, names)
    return Comparison(
        robot=model.name,
        recordings=tuple(one.summary for one in evidence),
        joints={
            name: replace(one, verdict=joint_sentence(name, one, findings))
            for name, one in figures.items()
        },
        findings=findings,
        samples=samples_of(names, [one.samples for one in evidence]),
        spectrum=spectrum_of(observations),
        locked=torques.locked,
    )
