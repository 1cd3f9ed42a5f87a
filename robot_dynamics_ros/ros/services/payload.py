"""`~/set_payload` and `~/get_payload`: what the robot carries, attached while it runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rclpy.node import Node

from robot_dynamics_interfaces.srv import GetPayload, SetPayload
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.payload import Payload

from ..robot.commanded_robot import CommandedRobot
from ..robot.robot_in_use import RobotInUse
from ..robot.robot_maker import RobotMaker
from .answering import offer

NAME = 'payload'
LONGEST_TRANSITION = 60.0


class PayloadServices:
    """Offers the services on a node."""

    def __init__(self, node: Node, in_use: RobotInUse, maker: RobotMaker) -> None:
        """Create them."""
        self._in_use = in_use
        self._maker = maker
        self._logger = node.get_logger()
        # The robot as it was before it carried anything, to be taken up again.
        self._without_payload: CommandedRobot | None = None
        offer(node, SetPayload, '~/set_payload', self._set)
        offer(node, GetPayload, '~/get_payload', self._get)

    def _set(self, request: Any, response: Any) -> None:
        response.message = self._attach(request)
        self._logger.info(response.message)

    def _attach(self, request: Any) -> str:
        present = self._in_use.commanded()
        time = request.transition_time
        if not (math.isfinite(time) and 0.0 <= time <= LONGEST_TRANSITION):
            raise ParameterError(
                f'transition_time is {time} s, allowed are 0 (fade_time) to '
                f'{LONGEST_TRANSITION:g} s'
            )
        fade_time = time or None
        over = f'over {time or present.guard.settings.fade_time:g} s'
        if not request.inertia.m:
            return self._detach(present, fade_time, over)
        payload = _payload(request)
        commanded = self._maker.make(present.robot.text, payload)
        self._require_bearable(commanded)
        if not present.robot.dynamics.model.payloads:
            self._without_payload = present
        self._in_use.exchange(commanded, fade_time)
        return f'{payload.mass:g} kg attached to {payload.frame}, {over}'

    def _require_bearable(self, loaded: CommandedRobot) -> None:
        """Whether the joints can hold the robot with its payload, where it is.

        What the driver adds is its own affair, and a payload that asks for less than the present
        one is always welcome.

        Raises:
            ParameterError: they cannot: grams for kilograms, perhaps.
        """
        with self._in_use.lock:
            present = self._in_use.commanded()
            q = present.guard.last_position()
        if q is None or 'gravity' not in present.feedforward.selected_terms:
            return
        held = np.abs(loaded.robot.dynamics.gravity_torque(q))[loaded.feedforward.indices]
        before = np.abs(present.robot.dynamics.gravity_torque(q))[loaded.feedforward.indices]
        limits = loaded.guard.limiter.limits / loaded.guard.settings.effort_scale
        beyond = held > np.maximum(limits, before)
        if beyond.any():
            worst = int(beyond.argmax())
            raise ParameterError(
                f'to hold it here takes {held[worst]:.4g} of {loaded.joints[worst]}, which may '
                f'give {limits[worst]:.4g} [N m or N]: is the mass in kg?'
            )

    def _detach(self, present: CommandedRobot, fade_time: float | None, over: str) -> str:
        if not present.robot.dynamics.model.payloads:
            return 'there is no payload, nothing has changed'
        bare = self._without_payload
        if bare is None or bare.robot.text != present.robot.text:
            # The description has changed since.
            commanded = self._maker.make(present.robot.text)
        else:
            commanded = self._maker.control(bare.robot)
        self._in_use.exchange(commanded, fade_time)
        self._without_payload = None
        return f'payload removed, {over}'

    def _get(self, request: Any, response: Any) -> None:
        model = self._in_use.commanded().robot.dynamics.model
        response.attached = bool(model.payloads)
        if not model.payloads:
            response.message = 'no payload'
        for payload in model.payloads:
            _fill(response, payload)


def _payload(request: Any) -> Payload:
    inertia = request.inertia
    com = (inertia.com.x, inertia.com.y, inertia.com.z)
    tensor = (
        (inertia.ixx, inertia.ixy, inertia.ixz),
        (inertia.ixy, inertia.iyy, inertia.iyz),
        (inertia.ixz, inertia.iyz, inertia.izz),
    )
    return Payload.checked(NAME, request.frame, inertia.m, com, tensor)


def _fill(response: Any, payload: Payload) -> None:
    response.frame = payload.frame
    response.message = f'{payload.mass:g} kg on {payload.frame}'
    inertia = response.inertia
    inertia.m = payload.mass
    inertia.com.x, inertia.com.y, inertia.com.z = payload.com
    (inertia.ixx, inertia.ixy, inertia.ixz) = payload.inertia[0]
    (_, inertia.iyy, inertia.iyz) = payload.inertia[1]
    inertia.izz = payload.inertia[2][2]
