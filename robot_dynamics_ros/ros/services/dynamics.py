"""Quantities of the dynamics at a state: `~/get_mass_matrix` and its kin, and `~/cross_check`.

They are those of the commanded joints (k); the others rest. A program that is not compiled yet, of
a frame for example, is compiled at its first request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from robot_dynamics_ros.control.trajectory_efforts import PARTS
from robot_dynamics_ros.core.checks import Array, checked_vector
from robot_dynamics_ros.core.errors import OracleUnavailable, ParameterError, StateError
from robot_dynamics_ros.core.model.sampling import State, random_states
from robot_dynamics_ros.core.task import ALL_ROWS

from ..compilation import CHECKED_STATES
from ..endpoints import doubles
from ..joint_states import JointStateReader
from ..robot import CommandedRobot, RobotHolder
from ..trajectory_action import excesses, fill_in_efforts

# What a cross-check may ask for: a state takes about 0.3 ms, and other services wait meanwhile.
MOST_STATES = 1000
DEFAULT_AXES = 'LOCAL_WORLD_ALIGNED'


def get_mass_matrix(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in M(q) (k, k)."""
    robot, indices, q, _ = _asked(holder, request, response)
    matrix = robot.dynamics.mass_matrix(q)
    response.mass_matrix = _matrix_message(matrix[np.ix_(indices, indices)])


def get_coriolis_matrix(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in C(q, v) (k, k)."""
    robot, indices, q, v = _asked(holder, request, response, needs_velocity=True)
    matrix = robot.dynamics.coriolis_matrix(q, v)
    response.coriolis_matrix = _matrix_message(matrix[np.ix_(indices, indices)])


def get_gravity(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in g(q) (k,)."""
    robot, indices, q, _ = _asked(holder, request, response)
    response.effort = doubles(robot.dynamics.gravity_torque(q)[indices])


def inverse_dynamics(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in M(q) a + C(q, v) v + g(q) (k,)."""
    robot, indices, q, v = _asked(holder, request, response, needs_velocity=True)
    a = np.zeros_like(q)
    if request.acceleration:
        a[indices] = _in_order(robot, request, request.acceleration, 'acceleration')
    response.effort = doubles(robot.dynamics.inverse_dynamics(q, v, a)[indices])


def forward_dynamics(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in the acceleration (k,) that the efforts give."""
    robot, indices, q, v = _asked(holder, request, response, needs_velocity=True)
    if not request.effort:
        raise StateError(
            f'effort is empty: one value is needed for each of {", ".join(robot.joints)} '
            '(state.effort is not used)'
        )
    effort = _in_order(robot, request, request.effort, 'effort')
    held = robot.dynamics.forward_dynamics_holding(robot.joints, q, v[indices], effort)
    response.acceleration = doubles(held)


def get_jacobian(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in J(q) (6, k) of a link."""
    robot, indices, q, _ = _asked(holder, request, response)
    jacobian = robot.dynamics.jacobian(q, request.frame, request.axes or DEFAULT_AXES)
    response.jacobian = _matrix_message(jacobian[:, indices])


def get_task_space_inertia(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in (J M^-1 J^T)^-1 (m, m) of a link, for m rows of its twist."""
    robot, _, q, _ = _asked(holder, request, response)
    axes, rows = request.axes or DEFAULT_AXES, list(request.rows) or ALL_ROWS
    task = robot.dynamics.task_inertia(q, request.frame, axes, rows, robot.joints)
    response.rows = list(task.rows)
    response.inertia = _matrix_message(task.inertia)
    response.singular = task.singular
    response.message = '; '.join(task.remarks())


def fill_efforts(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in the trajectory, the demand on each joint, and the limits that are exceeded."""
    terms = () if request.leave_efforts_empty else tuple(request.terms) or PARTS
    robot = holder.require()
    response.demands = fill_in_efforts(request.trajectory, robot, holder, terms)
    response.trajectory = request.trajectory
    response.message = excesses(response.demands)


def cross_check(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in the largest error of each quantity; a disagreement fails, and torque goes on."""
    robot = holder.require()
    pinocchio = robot.compiled.pinocchio
    if pinocchio is None:
        raise OracleUnavailable(
            'parameter cross_check is false: set it to true and configure again'
        )
    model = robot.dynamics.model
    if _is_given(request.state):
        q, v = _read(holder, robot, request.state)
        states = [State(q, v, np.zeros(model.size))]
    else:
        samples = request.samples or CHECKED_STATES
        if samples > MOST_STATES:
            raise ParameterError(f'samples is {samples}, it must be at most {MOST_STATES}')
        states = list(random_states(model, samples))
    report = pinocchio.compare(robot.dynamics, states)
    robot.report = report
    response.joint_names = list(model.joint_names)
    response.quantity = [comparison.quantity for comparison in report.comparisons]
    response.worst_absolute = [c.worst_absolute for c in report.comparisons]
    response.worst_relative = [c.worst_relative for c in report.comparisons]
    response.tolerance = report.tolerance
    response.message = str(report)
    if not report.agrees:
        node.get_logger().error(f'cross_check: {report}')
    report.raise_on_disagreement()


def _read(
    holder: RobotHolder, robot: CommandedRobot, message: JointState, needs_velocity: bool = False
) -> tuple[Array, Array]:
    """q and v (n,) of the field `state` of a request, of the latest joint state if that is empty.

    v is zero for joints that are not commanded.
    """
    if _is_given(message):
        locked = robot.reader.locked
        reader = JointStateReader(robot.dynamics.model.joint_names, locked=locked)
        reader.read_all(message)
        q, measured, has_velocity = reader.q, reader.v, reader.has_velocity
    else:
        (q, measured), has_velocity = holder.latest(robot), True
    if needs_velocity and not has_velocity:
        raise StateError('velocity is empty: one value for each named joint is needed')
    v = np.zeros_like(measured)
    v[robot.feedforward.indices] = measured[robot.feedforward.indices]
    return q, v


def _asked(
    holder: RobotHolder, request: Any, response: Any, *, needs_velocity: bool = False
) -> tuple[CommandedRobot, Any, Array, Array]:
    """The robot, the indices (k,) of its joints, which the response names, and q and v."""
    robot = holder.require()
    response.joint_names = list(robot.joints)
    state = _read(holder, robot, request.state, needs_velocity)
    return robot, robot.feedforward.indices, *state


def _in_order(robot: CommandedRobot, request: Any, values: Sequence[float], field: str) -> Array:
    """(k,) of the commanded joints, from values in the order of the state, or of these joints."""
    # A state names each of them once.
    names = list(request.state.name) or list(robot.joints)
    if len(values) != len(names):
        raise StateError(f'{field} has {len(values)} values for {len(names)} names')
    own = [values[names.index(name)] for name in robot.joints]
    return checked_vector(field, own, robot.joints)


def _is_given(message: JointState) -> bool:
    """Whether a request holds a state of its own; else it asks about the latest joint state."""
    return any(map(len, (message.name, message.position, message.velocity, message.effort)))


def _matrix_message(matrix: Array) -> Float64MultiArray:
    """A matrix (m, n) as a message: row-major, with dimensions labelled row and column."""
    rows, columns = matrix.shape
    message = Float64MultiArray(data=doubles(matrix))
    message.layout.dim = [
        MultiArrayDimension(label='row', size=rows, stride=rows * columns),
        MultiArrayDimension(label='column', size=columns, stride=columns),
    ]
    return message
