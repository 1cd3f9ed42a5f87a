"""`~/set_payload` and `~/get_payload`: the payload, which may change while torque is commanded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from geometry_msgs.msg import Inertia, Vector3
from rclpy.node import Node

from robot_dynamics_ros.control.torque_text import units_of
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.payload import Payload

from ..compilation import compared
from ..robot import RobotHolder

NAME = 'payload'
LONGEST_TRANSITION = 60.0


def set_payload(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Attach the payload of the request, or remove the present one if its mass is 0."""
    robot, time = holder.require(), request.transition_time
    if not 0.0 <= time <= LONGEST_TRANSITION:
        raise ParameterError(
            f'transition_time is {time} s, allowed are 0 (parameter fade_time) to '
            f'{LONGEST_TRANSITION:g} s'
        )
    before = robot.dynamics.model.payloads
    replaced = [f'{each.mass:g} kg on {each.frame} removed' for each in before]
    if request.inertia.m:
        payload = _payload(request)
        dynamics = robot.dynamics.with_model(robot.dynamics.model.with_checked_payload(payload))
        if not dynamics.takes_payload_on(payload.frame):
            names = (each.name for each in dynamics.model.frames)
            allowed = ', '.join(name for name in names if dynamics.takes_payload_on(name))
            raise ParameterError(
                f'frame is {payload.frame!r}, a payload can be set on {allowed}: for another link '
                f'set payload_frame: {payload.frame}, then clean up and configure the node'
            )
        _check_effort_limits(holder, dynamics)
        done = [f'payload of {payload.mass:g} kg attached to {payload.frame}', *replaced]
        done += filter(None, [dynamics.model.doubt_about(payload)])
    elif before:
        dynamics, done = robot.dynamics.without_payload(NAME), replaced
    else:
        response.message = 'no payload is attached: nothing has changed'
        return
    loaded = compared(replace(robot.compiled, dynamics=dynamics))
    with holder.lock:
        current = holder.require()
        current.use(loaded, time or None)
        fade = f'fading over {time or current.guard.settings.fade_time:g} s'
        done.append('no torque is commanded' if current.guard.silent else fade)
    response.message = '; '.join(done)


def _check_effort_limits(holder: RobotHolder, loaded: RobotDynamics) -> None:
    """Check that the joints can hold the robot with its payload at its present position.

    Not checked where the driver adds gravity, and for joints that need less torque than with
    the present payload.
    """
    with holder.lock:
        current = holder.require()
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


def get_payload(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Fill in the payload that is attached."""
    payloads = holder.require().dynamics.model.payloads
    response.attached, response.message = bool(payloads), 'no payload is attached'
    for payload in payloads:
        response.frame = payload.frame
        response.message = f'{payload.mass:g} kg on {payload.frame}'
        x, y, z = payload.com
        response.inertia = Inertia(m=payload.mass, com=Vector3(x=x, y=y, z=z))
        for row, column in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            name = f'i{"xyz"[row]}{"xyz"[column]}'
            setattr(response.inertia, name, payload.inertia[row][column])


def _payload(request: Any) -> Payload:
    inertia = request.inertia
    com = (inertia.com.x, inertia.com.y, inertia.com.z)
    tensor = (
        (inertia.ixx, inertia.ixy, inertia.ixz),
        (inertia.ixy, inertia.iyy, inertia.iyz),
        (inertia.ixz, inertia.iyz, inertia.izz),
    )
    return Payload(NAME, request.frame, inertia.m, com, tensor)
