"""The services: a state in, a matrix or vector of the commanded joints out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import (
    CrossCheck,
    GetCoriolisMatrix,
    GetGravity,
    GetMassMatrix,
    InverseDynamics,
)
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import OracleUnavailable, RobotDynamicsError, StateError
from robot_dynamics_ros.core.sampling import State, random_states

from .controller import Controller
from .joint_state_reader import JointStateReader
from .messages import doubles, matrix_message
from .parameter_table import check_sample_count

DEFAULT_SAMPLES = 100


class Services:
    """Offers the services on a node and answers them, whatever is asked."""

    def __init__(
        self,
        node: Node,
        controller: Callable[[], Controller],
        lock: AbstractContextManager[Any],
        tolerance: Callable[[], float],
    ) -> None:
        """Create them.

        Args:
            node: that offers them.
            controller: gives the present one; raises RobotDynamicsError if there is none.
            lock: held while the latest state is read.
            tolerance: of the cross-check.
        """
        self._controller = controller
        self._logger = node.get_logger()
        self._lock = lock
        self._tolerance = tolerance
        for service, name, answer in (
            (GetMassMatrix, '~/get_mass_matrix', self._mass_matrix),
            (GetCoriolisMatrix, '~/get_coriolis_matrix', self._coriolis_matrix),
            (GetGravity, '~/get_gravity', self._gravity),
            (InverseDynamics, '~/inverse_dynamics', self._inverse_dynamics),
            (CrossCheck, '~/cross_check', self._cross_check),
        ):
            node.create_service(service, name, self._translated(answer))

    def _mass_matrix(self, request: Any, response: Any) -> None:
        controller = self._controller()
        q, _ = self._state(controller, request.state)
        indices = controller.feedforward.indices
        matrix = controller.robot.dynamics.mass_matrix(q)[np.ix_(indices, indices)]
        response.joint_names = list(controller.joints)
        response.mass_matrix = matrix_message(matrix)

    def _coriolis_matrix(self, request: Any, response: Any) -> None:
        controller = self._controller()
        q, v = self._state(controller, request.state, needs_velocity=True)
        indices = controller.feedforward.indices
        matrix = controller.robot.dynamics.coriolis_matrix(q, v)[np.ix_(indices, indices)]
        response.joint_names = list(controller.joints)
        response.coriolis_matrix = matrix_message(matrix)

    def _gravity(self, request: Any, response: Any) -> None:
        controller = self._controller()
        q, _ = self._state(controller, request.state)
        effort = controller.robot.dynamics.gravity_torque(q)
        response.joint_names = list(controller.joints)
        response.effort = doubles(effort[controller.feedforward.indices])

    def _inverse_dynamics(self, request: Any, response: Any) -> None:
        controller = self._controller()
        q, v = self._state(controller, request.state, needs_velocity=True)
        a = _acceleration(controller, request)
        effort = controller.robot.dynamics.inverse_dynamics(q, v, a)
        response.joint_names = list(controller.joints)
        response.effort = doubles(effort[controller.feedforward.indices])

    def _cross_check(self, request: Any, response: Any) -> None:
        controller = self._controller()
        robot = controller.robot
        if robot.oracle is None:
            raise OracleUnavailable('parameter cross_check is false: Pinocchio was not asked')
        model = robot.dynamics.model
        if request.state.name:
            q, v = self._state(controller, request.state)
            states = [State(q, v, np.zeros(model.size))]
        else:
            samples = request.samples or DEFAULT_SAMPLES
            check_sample_count('samples', samples)
            states = list(random_states(model, samples))
        report = robot.oracle.compare(robot.dynamics, states, tolerance=self._tolerance())
        response.joint_names = list(model.joint_names)
        response.quantity = [comparison.quantity for comparison in report.comparisons]
        response.worst_absolute = [c.worst_absolute for c in report.comparisons]
        response.worst_relative = [c.worst_relative for c in report.comparisons]
        response.tolerance = report.tolerance
        response.message = str(report)
        report.raise_on_disagreement()

    def _translated(self, answer: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
        """The edge at which errors become answers."""

        def callback(request: Any, response: Any) -> Any:
            try:
                answer(request, response)
                response.success = True
            except RobotDynamicsError as error:
                response.success = False
                response.message = str(error)
            except Exception as error:
                # A request must not end the node, whatever it finds.
                response.success = False
                response.message = f'{type(error).__name__}: {error}'
                self._logger.error(response.message)
            return response

        return callback

    def _state(
        self, controller: Controller, message: JointState, *, needs_velocity: bool = False
    ) -> tuple[Array, Array]:
        """q and v (n,) of the message, or the latest; what is not commanded rests."""
        if message.name or message.position or message.velocity:
            reader = JointStateReader(controller.robot.dynamics.model.joint_names)
            reader.read(message)
            q, measured, has_velocity = reader.q, reader.v, reader.has_velocity
        else:
            with self._lock:
                if not controller.has_state:
                    raise StateError(
                        'no joints are named, and there is no usable joint_states: none has '
                        'come yet, or the last one was refused'
                    )
                state = controller.state
                q, measured, has_velocity = state.q.copy(), state.v.copy(), state.has_velocity
        if needs_velocity and not has_velocity:
            raise StateError('velocity is empty, but it is needed')
        v = np.zeros_like(measured)
        v[controller.feedforward.indices] = measured[controller.feedforward.indices]
        return q, v


def _acceleration(controller: Controller, request: Any) -> Array:
    """(n,), zero if the request gives none, and for what is not commanded."""
    a = np.zeros(controller.robot.dynamics.model.size)
    if request.acceleration:
        names = list(request.state.name) or list(controller.joints)
        reader = JointStateReader(controller.joints)
        a[controller.feedforward.indices] = reader.reorder(
            names, request.acceleration, 'acceleration'
        )
    return a
