"""From the text of a URDF to compiled and cross-checked dynamics."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy.typing as npt

from robot_dynamics_ros.core.compiler.kernel import Backend
from robot_dynamics_ros.core.definiteness import check_mass_matrix
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import ParameterError, UnknownNameError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.urdf import parse_urdf
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference
from robot_dynamics_ros.oracle.report import Report

# The cross-check: random states on configure, and at a change of payload or gravity. A change
# needs few: torques are linear in the ten parameters of a payload and in gravity, so that an error
# in one shows at nearly any state.
CHECKED_STATES, CHANGE_STATES = 100, 10

# Compiled on configure, so that neither a command nor a service waits for the compiler.
COMPILED_QUANTITIES = (
    'feedforward_step',
    'torque_terms',
    'inverse_dynamics',
    'gravity_torque',
    'bias_torque',
    'mass_matrix',
    'coriolis_matrix',
)
# Environment variable: native or python; by default native code if llvmlite is installed.
BACKEND = 'ROBOT_DYNAMICS_BACKEND'


@dataclass(frozen=True)
class CompiledRobot:
    """Dynamics of a URDF, compiled and cross-checked.

    Attributes:
        text: of the URDF.
        dynamics: of the robot.
        joint_model: friction, offsets and rotors of the joints.
        pinocchio: dynamics of the same URDF by Pinocchio; None if parameter cross_check is false.
        report: of the last cross-check; None likewise.
        compile_seconds: duration of the compilation [s].
    """

    text: str
    dynamics: RobotDynamics
    joint_model: JointModel
    pinocchio: PinocchioReference | None
    report: Report | None
    compile_seconds: float


def compile_robot(
    text: str,
    *,
    gravity: npt.ArrayLike = STANDARD_GRAVITY,
    joint_model: JointModel = AS_DESCRIBED,
    payload_frame: str = '',
    joints: Sequence[str] = (),
    cross_check: bool = True,
) -> CompiledRobot:
    """Parse a URDF, compile its dynamics, and compare them with Pinocchio.

    Args:
        text: of the URDF.
        gravity: (3,) in the frame of the root link [m/s^2].
        joint_model: friction, offsets and rotors of the joints.
        payload_frame: link on whose body payloads are inputs of the programs; empty: the link at
            the tip of the commanded joints, see `RobotModel.tip_frame`.
        joints: names of the commanded joints; all if empty.
        cross_check: whether to compare it with Pinocchio.

    Raises:
        ModelError: the description cannot be used, or its mass matrix is indefinite.
        UnknownNameError: `payload_frame` does not exist.
        ParameterError: a joint of `joints` or of the joint model does not exist, a commanded joint
            is not in the joint model, or `payload_frame` does not move.
        OracleUnavailable: Pinocchio is missing or refuses the description.
        OracleDisagreement: the results differ by more than the tolerance.
    """
    described = parse_urdf(text)
    if described.size:
        require_joints('joints', joints, described)
    if joint_model != AS_DESCRIBED:
        joint_model.check_joints(described, needed=joints or described.joint_names)
    model = joint_model.with_rotors(described)
    if model.size:
        payload_frame = payload_frame or model.tip_frame(joints or model.joint_names)
    dynamics = RobotDynamics(
        model,
        gravity=gravity,
        backend=cast(Backend | None, os.environ.get(BACKEND) or None),
        payload_frame=payload_frame or None,
    )
    start = time.perf_counter()
    dynamics.compile(*COMPILED_QUANTITIES)
    compile_seconds = time.perf_counter() - start
    check_mass_matrix(dynamics.model, dynamics.mass_matrix)
    compiled = CompiledRobot(text, dynamics, joint_model, None, None, compile_seconds)
    if not cross_check:
        return compiled
    pinocchio = PinocchioReference(text, dynamics.model)
    report = pinocchio.compare(dynamics, random_states(dynamics.model, CHECKED_STATES))
    report.raise_on_disagreement()
    return replace(compiled, pinocchio=pinocchio, report=report)


def compared(compiled: CompiledRobot) -> CompiledRobot:
    """A robot whose payload or gravity has changed, compared again.

    Its mass matrix need not be checked: that of a payload adds to it and is never indefinite.

    Raises:
        OracleDisagreement: the results differ by more than the tolerance.
    """
    if compiled.pinocchio is None:
        return compiled
    model = compiled.dynamics.model
    pinocchio = compiled.pinocchio.with_model(model)
    states = random_states(model, CHANGE_STATES)
    report = pinocchio.compare(compiled.dynamics, states)
    report.raise_on_disagreement()
    return replace(compiled, pinocchio=pinocchio, report=report)


def require_joints(parameter: str, names: Collection[str], model: RobotModel) -> None:
    """Check that a parameter names independent joints of a model.

    Raises:
        ParameterError: it does not; the message names the parameter.
    """
    try:
        for name in names:
            model.index_of(name)
    except UnknownNameError as error:
        raise ParameterError(f'parameter {parameter}: {error}') from None
