"""From the text of a URDF to compiled and cross-checked dynamics."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy.typing as npt

from robot_dynamics_ros.core.codegen.kernel import Backend
from robot_dynamics_ros.core.description.urdf import parse_urdf
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.payload_body import tip_frame
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.plausibility.mass_matrix import check_mass_matrix
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference
from robot_dynamics_ros.oracle.report import TOLERANCE, Report

from ..parameters.node_parameters import require_joints

# Compiled on configure, so that neither a command nor a service waits for the compiler.
COMPILED_QUANTITIES = (
    'torque_terms',
    'inverse_dynamics',
    'gravity_torque',
    'bias_torque',
    'mass_matrix',
    'coriolis_matrix',
)
# What the external-force estimate computes with, beside the Jacobian of its link.
OBSERVER_QUANTITIES = ('observer_step',)
# Random states at which a payload is compared, at most. The robot without it was compared before,
# and torques are linear in its ten parameters: an error in one shows at nearly any state.
PAYLOAD_SAMPLES = 10


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
    payload_frame: str = '',
    joints: Sequence[str] = (),
    quantities: Sequence[str] = COMPILED_QUANTITIES,
    cross_check_samples: int = 100,
    cross_check_tolerance: float = TOLERANCE,
) -> CompiledRobot:
    """Parse a URDF, compile its dynamics, and compare them with Pinocchio.

    Args:
        text: of the URDF.
        gravity: (3,) acceleration of free fall, in the frame of the root link [m/s^2].
        backend: None for native code where llvmlite is installed, else plain Python.
        armature: reflected rotor inertia by joint name [kg m^2 or kg].
        payload_frame: link on whose body payloads are inputs of the programs; empty: the link at
            the tip of the commanded joints, see `tip_frame`.
        joints: names of the commanded joints; all if empty.
        quantities: to compile.
        cross_check_samples: random states to compare with Pinocchio; 0: no comparison.
        cross_check_tolerance: on the largest error, relative to the largest entry [-].

    Raises:
        ModelError: the description cannot be used, or its mass matrix is indefinite.
        UnknownNameError: a joint of the armature, or `payload_frame`, does not exist.
        ParameterError: a joint of `joints` does not exist, an armature is negative, or
            `payload_frame` does not move.
        OracleUnavailable: Pinocchio is missing or refuses the description.
        OracleDisagreement: the results differ by more than the tolerance.
    """
    model = parse_urdf(text).with_armature(armature)
    if model.size:
        require_joints('joints', joints, model)
        payload_frame = payload_frame or tip_frame(model, joints or model.joint_names)
    dynamics = RobotDynamics(
        model, gravity=gravity, backend=backend, payload_frame=payload_frame or None
    )
    start = time.perf_counter()
    dynamics.compile(*quantities)
    compile_seconds = time.perf_counter() - start
    check_mass_matrix(dynamics.model, dynamics.mass_matrix)
    compiled = CompiledRobot(text, dynamics, None, None, compile_seconds)
    if not cross_check_samples:
        return compiled
    pinocchio = PinocchioReference(text, dynamics.model)
    return _compared(compiled, pinocchio, cross_check_samples, cross_check_tolerance)


def with_payloads_of(
    compiled: CompiledRobot,
    dynamics: RobotDynamics,
    *,
    cross_check_samples: int = 100,
    cross_check_tolerance: float = TOLERANCE,
) -> CompiledRobot:
    """The same programs with another payload as their input, compared with Pinocchio.

    The mass matrix need not be checked: that of a payload adds to it and is never indefinite.

    Args:
        compiled: the robot.
        dynamics: of it, with other payloads on the body of `payload_frame`.
        cross_check_samples: random states to compare with Pinocchio, `PAYLOAD_SAMPLES` at most.
        cross_check_tolerance: on the largest error, relative to the largest entry [-].

    Raises:
        OracleDisagreement: the results differ by more than the tolerance.
    """
    changed = replace(compiled, dynamics=dynamics)
    if compiled.pinocchio is None:
        return changed
    pinocchio = compiled.pinocchio.with_model(dynamics.model)
    samples = min(cross_check_samples, PAYLOAD_SAMPLES)
    return _compared(changed, pinocchio, samples, cross_check_tolerance)


def _compared(
    compiled: CompiledRobot,
    pinocchio: PinocchioReference,
    samples: int,
    tolerance: float,
) -> CompiledRobot:
    """The robot with a report of the comparison, if they agree."""
    dynamics = compiled.dynamics
    states = random_states(dynamics.model, samples)
    report = pinocchio.compare(dynamics, states, tolerance=tolerance)
    report.raise_on_disagreement()
    return replace(compiled, pinocchio=pinocchio, report=report)
