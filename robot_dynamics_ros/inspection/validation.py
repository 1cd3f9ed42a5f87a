"""Whether a URDF may be trusted: its findings, and its agreement with Pinocchio."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.definiteness import check_mass_matrix
from robot_dynamics_ros.core.errors import InertiaError, OracleUnavailable
from robot_dynamics_ros.core.model.audit import audit
from robot_dynamics_ros.core.model.findings import FINDING_CODES, Finding, Severity, listed
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.quantity import EvaluatedDynamics
from robot_dynamics_ros.oracle.report import Report

from .loads import SampledPoses, gravity_loads

# What a description contains, and what shows once torques are computed.
CODES = {
    **FINDING_CODES,
    'no_moving_joint': 'no joint of the robot moves',
    'no_effort_limit': 'a joint has no effort limit: the node does not command it',
    'gravity_exceeds_effort': 'a joint cannot hold the arm at some poses',
    'indefinite_mass_matrix': 'the kinetic energy can be negative',
    'mesh_not_drawn': 'a picture lacks a mesh: its file is not found, or cannot be read',
    'disagreement': 'Pinocchio computes other values',
    'not_compared': 'Pinocchio refuses the description, so that nothing is compared',
}
ORDER = ('error', 'warning', 'info')
# Share of the poses beyond which the arm cannot do its work; below, some poses are out of reach.
MOST = 0.5
# Positions at which the mass matrix is examined.
POSITIONS = 10
# States at which Pinocchio is compared: a description that is read differently shows at each.
STATES = 5


@dataclass(frozen=True)
class Validation:
    """What a robot was found to be.

    Attributes:
        robot: its name.
        joints: number of independent joints.
        mass: of all links [kg].
        findings: those of severity error first.
        report: of the comparison with Pinocchio; None where nothing was compared.
    """

    robot: str
    joints: int
    mass: float
    findings: tuple[Finding, ...]
    report: Report | None

    def failures(self, *, strict: bool) -> tuple[Finding, ...]:
        """The findings for which the robot fails: errors, with `strict` warnings too."""
        failing = ORDER[:2] if strict else ORDER[:1]
        return tuple(finding for finding in self.findings if finding.severity in failing)


def validate_robot(model: RobotModel, urdf: str, ignored: Iterable[str] = ()) -> Validation:
    """Examine a robot, and compare it with Pinocchio.

    Args:
        model: the robot.
        urdf: the text that it was read from.
        ignored: codes of findings to leave out.
    """
    left_out = frozenset(ignored)
    # What overflows shows as a value that is not finite.
    with np.errstate(all='ignore'):
        report, compared = agreement(model, urdf)
        findings = (*findings_of(SampledPoses.of(model)), *compared)
    kept = in_order(finding for finding in findings if finding.code not in left_out)
    return Validation(model.name, model.size, total_mass(model), kept, report)


def findings_of(poses: SampledPoses) -> tuple[Finding, ...]:
    """All findings that need no other program: of the description, and of what it gives."""
    return in_order([*audit(poses.model), *_computed(poses)])


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings sorted by severity, errors first."""
    return tuple(sorted(findings, key=lambda finding: ORDER.index(finding.severity)))


def total_mass(model: RobotModel) -> float:
    """Of all links, with those that are fixed to the base [kg]."""
    return float(sum(link.inertia.mass for link in model.links))


def _computed(poses: SampledPoses) -> Iterator[Finding]:
    """What shows once torques are computed."""
    model, root = poses.model, poses.model.frames[0].name
    if not model.size:
        yield Finding(
            root,
            'no_moving_joint',
            'no joint of the robot moves: there are no torques to compute',
            f'{len(model.frames)} links',
            'name a description with a revolute, continuous or prismatic joint',
        )
        return
    for name, load in gravity_loads(poses).items():
        if not load.beyond:
            continue
        body, joint = next((i, one) for i, one in enumerate(model.joints) if one.name == name)
        severity: Severity = 'warning' if load.beyond > MOST else 'info'
        unit = 'N' if joint.kind == 'prismatic' else 'N m'
        yield Finding(
            next(frame.name for frame in model.frames if frame.body == body),
            'gravity_exceeds_effort',
            f'its joint {name!r} cannot hold the arm at {load.beyond:.0%} of {len(poses.q)} poses',
            f'gravity torque up to {abs(load.worst):.3g}, effort limit {load.limit:.3g} {unit}',
            'check the masses beyond the joint and the unit of the effort limit; springs and '
            'counterweights are not described; otherwise keep the arm out of these poses',
            severity,
            joints=(name,),
        )
    try:
        check_mass_matrix(model, EvaluatedDynamics(model).mass_matrix, POSITIONS)
    except InertiaError as error:
        problem, _, value = str(error).partition(': ')
        advice = 'correct the inertials of this robot: torques for it make no sense'
        yield Finding(root, 'indefinite_mass_matrix', problem, value, advice, 'error')
    # A limit up to 0 is a finding of the audit.
    unlimited = np.flatnonzero(np.isposinf(model.effort_limits))
    if joints := tuple(model.joint_names[index] for index in unlimited):
        problem = 'dynamics_node commands no joint without an effort limit'
        advice = 'give the limit that the hardware has, or set parameter effort_limits of the node'
        yield Finding(root, 'no_effort_limit', problem, listed(joints), advice, joints=joints)


def pinocchio_is_installed() -> bool:
    """Whether robots can be compared."""
    return importlib.util.find_spec('pinocchio') is not None


def agreement(model: RobotModel, urdf: str) -> tuple[Report | None, tuple[Finding, ...]]:
    """Compare tau, g, bias, M and C with Pinocchio's at random states within the limits.

    Args:
        model: the robot.
        urdf: the text that it was read from, which Pinocchio reads with a parser of its own.

    Returns:
        The comparison, None without Pinocchio and where no joint moves, and what it finds.
    """
    if not pinocchio_is_installed() or not model.size:
        return None, ()
    # Optional, and slow to import.
    from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

    root = model.frames[0].name
    try:
        reference = PinocchioReference(urdf, model)
    except OracleUnavailable as error:
        finding = Finding(
            root, 'not_compared', 'the robot is not compared', ' '.join(str(error).split()),
            'correct the description: other programs that use Pinocchio or urdfdom refuse it too',
        )  # fmt: skip
        return None, (finding,)
    report = reference.compare(EvaluatedDynamics(model), random_states(model, STATES))
    if report.agrees:
        return report, ()
    finding = Finding(
        root,
        'disagreement',
        'Pinocchio computes other values for the robot',
        f'relative error {report.worst.worst_relative:.1e} in {report.worst.quantity}, allowed '
        f'{report.tolerance:.0e}',
        'look for numbers that differ in magnitude by far, and report the file as a defect',
        'error',
    )
    return report, (finding,)
