"""From the text of a URDF to compiled and cross-checked dynamics."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy.typing as npt

from robot_dynamics_ros.core.codegen.kernel import Backend
from robot_dynamics_ros.core.description.urdf import parse_urdf
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.plausibility.mass_matrix import check_mass_matrix
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference
from robot_dynamics_ros.oracle.report import TOLERANCE, Report

# Compiled on configure, so that neither a command nor a service waits for the compiler.
COMPILED_QUANTITIES = (
    'torque_terms',
    'inverse_dynamics',
    'gravity_torque',
    'bias_torque',
    'mass_matrix',
    'coriolis_matrix',
)


@dataclass(frozen=True)
class CompiledRobot:
    """Dynamics of a URDF, compiled and cross-checked.

    Attributes:
        text: of the URDF.
        dynamics: of the robot.
        pinocchio: dynamics of the same URDF by Pinocchio; None if parameter cross_check is false.
        report: of the cross-check; None likewise.
        compile_seconds: duration of the compilation [s].
    """

    text: str
    dynamics: RobotDynamics
    pinocchio: PinocchioReference | None
    report: Report | None
    compile_seconds: float


def compile_robot(
    text: str,
    *,
    gravity: npt.ArrayLike = STANDARD_GRAVITY,
    backend: Backend | None = None,
    armature: Mapping[str, float] = MappingProxyType({}),
    payload: Payload | None = None,
    cross_check_samples: int = 100,
    cross_check_tolerance: float = TOLERANCE,
) -> CompiledRobot:
    """Parse a URDF, compile its dynamics, and compare them with Pinocchio.

    Args:
        text: of the URDF.
        gravity: (3,) acceleration of free fall, in the frame of the root link [m/s^2].
        backend: None for native code where llvmlite is installed, else plain Python.
        armature: reflected rotor inertia by joint name [kg m^2 or kg].
        payload: to attach.
        cross_check_samples: random states to compare with Pinocchio; 0: no comparison.
        cross_check_tolerance: on the largest error, relative to the largest entry [-].

    Raises:
        ModelError: the description cannot be used, or its mass matrix is indefinite.
        UnknownNameError: a joint of the armature, or the link of the payload, does not exist.
        ParameterError: an armature is negative, or the payload's link does not move.
        OracleUnavailable: Pinocchio is missing or refuses the description.
        OracleDisagreement: the results differ by more than the tolerance.
    """
    model = parse_urdf(text).with_armature(armature)
    if payload is not None:
        model = model.with_checked_payload(payload)
    dynamics = RobotDynamics(model, gravity=gravity, backend=backend)
    start = time.perf_counter()
    dynamics.compile(*COMPILED_QUANTITIES)
    compile_seconds = time.perf_counter() - start
    check_mass_matrix(dynamics.model, dynamics.mass_matrix)
    if not cross_check_samples:
        return CompiledRobot(text, dynamics, None, None, compile_seconds)
    pinocchio = PinocchioReference(text, dynamics.model)
    states = random_states(dynamics.model, cross_check_samples)
    report = pinocchio.compare(dynamics, states, tolerance=cross_check_tolerance)
    report.raise_on_disagreement()
    return CompiledRobot(text, dynamics, pinocchio, report, compile_seconds)
