"""`~/set_payload` and `~/get_payload`: the payload, which may change while torque is commanded."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from rclpy.node import Node

from robot_dynamics_ros.control.torque_text import units_of
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.core.model.payload import Payload

from ..robot.compilation import CompiledRobot, compared
from ..robot.robot_holder import RobotHolder
from ..robot.touched_arm import touch_text

NAME = 'payload'
LONGEST_TRANSITION = 60.0


class PayloadServices:
    """Changes the payload of the configured robot."""

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        """Change the robot of this holder, and log to the logger of the node."""
        self._holder = holder
        self._logger = node.get_logger()

    def set_payload(self, request: Any, response: Any) -> None:
        """Attach the payload of the request, or remove the present one if its mass is 0."""
        try:
            response.message = self._change(request)
        except RobotDynamicsError as error:
            self._logger.warning(f'set_payload refused, the payload is unchanged: {error}')
            raise
        self._logger.info(response.message)

    def _change(self, request: Any) -> str:
        robot = self._holder.require()
        time = request.transition_time
        if not (math.isfinite(time) and 0.0 <= time <= LONGEST_TRANSITION):
            raise ParameterError(
                f'transition_time is {time} s, allowed are 0 (parameter fade_time) to '
                f'{LONGEST_TRANSITION:g} s'
            )
        if not request.inertia.m:
            if not robot.dynamics.model.payloads:
                return 'no payload is attached: nothing has changed'
            bare = robot.dynamics.without_payload(NAME)
            unloaded = compared(replace(robot.compiled, dynamics=bare))
            return f'payload removed, {self._use(unloaded, time)}'
        payload = _payload(request)
        dynamics = robot.dynamics.with_checked_payload(payload)
        _check_frame(dynamics, payload.frame)
        loaded = compared(replace(robot.compiled, dynamics=dynamics))
        self._check_effort_limits(dynamics)
        fade = self._use(loaded, time)
        taken = f'payload of {payload.mass:g} kg attached to {payload.frame}, {fade}'
        for before in robot.dynamics.model.payloads:
            taken += f'; it replaces {before.mass:g} kg on {before.frame}'
        doubt = dynamics.model.doubt_about(payload)
        if not doubt:
            return taken
        self._logger.warning(doubt)
        return f'{taken}; {doubt}'

    def _use(self, compiled: CompiledRobot, time: float) -> str:
        """Command with this payload from now on.

        Args:
            compiled: with the new payload, or without one.
            time: of the change [s]; 0 for parameter fade_time.

        Returns:
            How the torque changes, and what touches the arm, for the response.
        """
        guard = self._holder.require().guard
        with self._holder.lock:
            touch = touch_text(guard)
        seconds = time or guard.settings.fade_time
        fade = (
            'no torque is commanded at present' if guard.stopped else f'fading over {seconds:g} s'
        )
        with self._holder.lock:
            self._holder.require().use(compiled, time or None)
        if not touch:
            return fade
        return (
            f'{fade}; the arm is touched: {touch}; external torques change by the torque of the '
            'payload: if something else touches the arm, they do not tell whether that has ended'
        )

    def _check_effort_limits(self, loaded: RobotDynamics) -> None:
        """Check that the joints can hold the robot with its payload at its present position.

        Not checked where the driver adds gravity, and for joints that need less torque than with
        the present payload.

        Raises:
            ParameterError: they cannot; a mass in grams is one cause.
        """
        with self._holder.lock:
            current = self._holder.require()
            guard, indices = current.guard, current.feedforward.indices
            q = guard.state.q.copy()
        if not guard.state.complete or 'gravity' not in current.feedforward.selected_terms:
            return
        held = np.abs(loaded.gravity_torque(q))[indices]
        before = np.abs(current.dynamics.gravity_torque(q))[indices]
        limits = guard.limiter.limits
        beyond = held > np.maximum(limits, before)
        if beyond.any():
            worst = int(beyond.argmax())
            unit = units_of(loaded.model, current.joints)[worst]
            raise ParameterError(
                f'the payload needs {held[worst]:.4g} {unit} of {current.joints[worst]} at the '
                f'present position, its effort limit is {limits[worst]:.4g} {unit}: check that '
                'the mass is in kg'
            )

    def get_payload(self, request: Any, response: Any) -> None:
        """Fill in the payload that is attached."""
        model = self._holder.require().dynamics.model
        response.attached = bool(model.payloads)
        if not model.payloads:
            response.message = 'no payload is attached'
        for payload in model.payloads:
            _fill(response, payload)


def _check_frame(dynamics: RobotDynamics, frame: str) -> None:
    """Check that a payload on a link, which moves, is an input of the compiled programs.

    Raises:
        ParameterError: it is not.
    """
    if dynamics.takes_payload_on(frame):
        return
    names = (each.name for each in dynamics.model.frames)
    allowed = ', '.join(name for name in names if dynamics.takes_payload_on(name))
    raise ParameterError(
        f'frame is {frame!r}, a payload can be set on {allowed}: for another link set '
        f'payload_frame: {frame}, then clean up and configure the node'
    )


def _payload(request: Any) -> Payload:
    inertia = request.inertia
    com = (inertia.com.x, inertia.com.y, inertia.com.z)
    tensor = (
        (inertia.ixx, inertia.ixy, inertia.ixz),
        (inertia.ixy, inertia.iyy, inertia.iyz),
        (inertia.ixz, inertia.iyz, inertia.izz),
    )
    return Payload(NAME, request.frame, inertia.m, com, tensor)


def _fill(response: Any, payload: Payload) -> None:
    response.frame = payload.frame
    response.message = f'{payload.mass:g} kg on {payload.frame}'
    inertia = response.inertia
    inertia.m = payload.mass
    inertia.com.x, inertia.com.y, inertia.com.z = payload.com
    (inertia.ixx, inertia.ixy, inertia.ixz) = payload.inertia[0]
    (_, inertia.iyy, inertia.iyz) = payload.inertia[1]
    inertia.izz = payload.inertia[2][2]
