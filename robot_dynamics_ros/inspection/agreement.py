"""The comparison with Pinocchio, which reads the same URDF with a parser of its own."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from robot_dynamics_ros.core.errors import OracleUnavailable
from robot_dynamics_ros.core.model.findings import Finding
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.quantity import EvaluatedDynamics
from robot_dynamics_ros.oracle.report import Report

# A description that is read differently shows at every state.
STATES = 5
INSTALL_PINOCCHIO = "pip install 'robot_dynamics_ros[oracle]'"


@dataclass(frozen=True)
class Agreement:
    """How well a robot agrees with Pinocchio.

    Attributes:
        report: of the comparison; None where nothing was compared.
        findings: about it.
        reason: why nothing was compared; empty where it was.
    """

    report: Report | None = None
    findings: tuple[Finding, ...] = ()
    reason: str = ''


def pinocchio_is_installed() -> bool:
    """Whether robots can be compared."""
    return importlib.util.find_spec('pinocchio') is not None


def agreement(model: RobotModel, urdf: str) -> Agreement:
    """Compare tau, g, bias, M and C at random states within the limits.

    Args:
        model: the robot.
        urdf: the text that it was read from.
    """
    if not pinocchio_is_installed():
        return Agreement(reason=f'Pinocchio is not installed: {INSTALL_PINOCCHIO}')
    if not model.size:
        return Agreement(reason='no joint moves: there is nothing to compare')
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
        return Agreement(findings=(finding,), reason=finding.value)
    report = reference.compare(EvaluatedDynamics(model), random_states(model, STATES))
    if report.agrees:
        return Agreement(report)
    finding = Finding(
        root,
        'disagreement',
        'Pinocchio computes other values for the robot',
        f'relative error {report.worst.worst_relative:.1e} in {report.worst.quantity}, allowed '
        f'{report.tolerance:.0e}',
        'look for numbers that differ in magnitude by far, and report the file as a defect',
        'error',
    )
    return Agreement(report, (finding,))
