"""Whether a description may be trusted: its findings, and its agreement with Pinocchio."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.control.settings import Settings, joints_without_limit
from robot_dynamics_ros.core.definiteness import check_mass_matrix
from robot_dynamics_ros.core.errors import InertiaError
from robot_dynamics_ros.core.model.audit import audit
from robot_dynamics_ros.core.model.findings import Finding, listed
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.quantity import EvaluatedDynamics

from .agreement import Agreement, agreement
from .gravity_load import gravity_loads, overloads
from .sampled_poses import SampledPoses

ORDER = ('error', 'warning', 'info')
# Positions at which the mass matrix is examined.
POSITIONS = 10


@dataclass(frozen=True)
class Validation:
    """What a robot was found to be.

    Attributes:
        robot: its name.
        joints: number of independent joints.
        mass: of all links [kg].
        findings: those of severity error first.
        agreement: with Pinocchio.
    """

    robot: str
    joints: int
    mass: float
    findings: tuple[Finding, ...]
    agreement: Agreement

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
    # What overflows shows as a value that is not finite.
    with np.errstate(all='ignore'):
        compared = agreement(model, urdf)
        findings = (*findings_of(SampledPoses.of(model)), *compared.findings)
    left_out = frozenset(ignored)
    return Validation(
        model.name,
        model.size,
        total_mass(model),
        in_order(finding for finding in findings if finding.code not in left_out),
        compared,
    )


def findings_of(poses: SampledPoses) -> tuple[Finding, ...]:
    """All findings that need no other program: of the description, and of what it gives."""
    model = poses.model
    findings = list(audit(model))
    if not model.size:
        findings.append(_no_moving_joint(model))
    else:
        findings += overloads(poses, gravity_loads(poses))
        findings += _mass_matrix(model)
        findings += _no_effort_limit(model)
    return in_order(findings)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings sorted by severity, errors first."""
    return tuple(sorted(findings, key=lambda finding: ORDER.index(finding.severity)))


def total_mass(model: RobotModel) -> float:
    """Of all links, with those that are fixed to the base [kg]."""
    return float(sum(link.inertia.mass for link in model.links))


def _no_moving_joint(model: RobotModel) -> Finding:
    return Finding(
        model.frames[0].name,
        'no_moving_joint',
        'no joint of the robot moves: there are no torques to compute',
        '1 link' if len(model.frames) == 1 else f'{len(model.frames)} links',
        'name a description with a revolute, continuous or prismatic joint',
    )


def _no_effort_limit(model: RobotModel) -> list[Finding]:
    """Joints that the node does not command; a limit up to 0 is a finding of the audit."""
    joints = tuple(
        name
        for name in joints_without_limit(model, model.joint_names, Settings())
        if model.effort_limits[model.index_of(name)] > 0.0
    )
    if not joints:
        return []
    root, code = model.frames[0].name, 'no_effort_limit'
    problem = 'dynamics_node commands no joint without an effort limit'
    advice = 'give the limit that the hardware has, or set parameter effort_limits of the node'
    return [Finding(root, code, problem, listed(joints), advice, joints=joints)]


def _mass_matrix(model: RobotModel) -> list[Finding]:
    try:
        check_mass_matrix(model, EvaluatedDynamics(model).mass_matrix, POSITIONS)
    except InertiaError as error:
        problem, _, value = str(error).partition(': ')
        advice = 'correct the inertials of this robot: torques for it make no sense'
        root = model.frames[0].name
        return [Finding(root, 'indefinite_mass_matrix', problem, value, advice, 'error')]
    return []
