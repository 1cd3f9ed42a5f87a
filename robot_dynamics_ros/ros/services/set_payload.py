"""`~/set_payload` and `~/get_payload`: the payload, which may change while torque is commanded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rclpy.node import Node

from robot_dynamics_ros.control.torque_text import units_of
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError, StateError
from robot_dynamics_ros.core.model.payload import Payload

from ..robot.background_work import BackgroundWork
from ..robot.commanded_robot import CommandedRobot
from ..robot.compilation import CompiledRobot, without_payload
from ..robot.giving_way import give_way
from ..robot.robot_factory import RobotFactory
from ..robot.robot_holder import RobotHolder
from ..robot.touched_arm import touch_text
from .payload_poses import overload_question

NAME = 'payload'
LONGEST_TRANSITION = 60.0


class PayloadServices:
    """Answers by replacing the configured robot by one with another payload."""

    def __init__(self, node: Node, holder: RobotHolder, factory: RobotFactory) -> None:
        """Use the factory for each new payload, and log to the logger of the node."""
        self._holder = holder
        self._factory = factory
        self._logger = node.get_logger()
        self._work = BackgroundWork(node)
        # The robot before the first payload: used again for every other one, and without one.
        self._without_payload: CompiledRobot | None = None

    async def set_payload(self, request: Any, response: Any) -> None:
        """Attach the payload of the request, or remove the present one if its mass is 0."""
        try:
            response.message = await self._change(request)
        except RobotDynamicsError as error:
            self._logger.warning(f'set_payload refused, the payload is unchanged: {error}')
            raise
        give_way()
        self._logger.info(response.message)

    async def _change(self, request: Any) -> str:
        self._holder.require()
        time = request.transition_time
        if not (math.isfinite(time) and 0.0 <= time <= LONGEST_TRANSITION):
            raise ParameterError(
                f'transition_time is {time} s, allowed are 0 (parameter fade_time) to '
                f'{LONGEST_TRANSITION:g} s'
            )
        if not request.inertia.m:
            return await self._remove(time)
        return await self._attach(_payload(request), time)

    async def _attach(self, payload: Payload, time: float) -> str:
        unloaded = await self._unloaded()
        robot = await self._loaded(unloaded, payload)
        give_way()
        current = self._holder.require()
        self._check_effort_limits(robot)
        self._without_payload = unloaded
        fade = self._replace(robot, time)
        taken = f'payload of {payload.mass:g} kg attached to {payload.frame}, {fade}'
        doubts = robot.dynamics.model.doubt_about(payload), overload_question(robot, current)
        questions = [question for question in doubts if question]
        for question in questions:
            self._logger.warning(question)
        return '; '.join([taken, *questions])

    def _replace(self, robot: CommandedRobot, time: float) -> str:
        """Command this robot from now on.

        Args:
            robot: with the new payload, or without one.
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
        self._holder.replace(robot, time or None)
        if not touch:
            return fade
        return (
            f'{fade}; the arm is touched: {touch}; external torques change by the torque of the '
            'payload: if something else touches the arm, they do not tell whether that has ended'
        )

    def _check_effort_limits(self, loaded: CommandedRobot) -> None:
        """Check that the joints can hold the robot with its payload at its present position.

        Not checked where the driver adds gravity, and for joints that need less torque than with
        the present payload.

        Raises:
            ParameterError: they cannot; a mass in grams is one cause.
        """
        with self._holder.lock:
            current = self._holder.require()
            q = current.guard.last_position()
        if q is None or 'gravity' not in current.feedforward.selected_terms:
            return
        held = np.abs(loaded.dynamics.gravity_torque(q))[loaded.feedforward.indices]
        before = np.abs(current.dynamics.gravity_torque(q))[loaded.feedforward.indices]
        limits = loaded.guard.limiter.limits / loaded.guard.settings.effort_scale
        beyond = held > np.maximum(limits, before)
        if beyond.any():
            worst = int(beyond.argmax())
            unit = units_of(loaded.dynamics.model, loaded.joints)[worst]
            raise ParameterError(
                f'the payload needs {held[worst]:.4g} {unit} of {loaded.joints[worst]} at the '
                f'present position, its effort limit is {limits[worst]:.4g} {unit}: check that '
                'the mass is in kg'
            )

    async def _remove(self, time: float) -> str:
        if not self._holder.require().dynamics.model.payloads:
            return 'no payload is attached: nothing has changed'
        robot = self._factory.from_compiled(await self._unloaded())
        fade = self._replace(robot, time)
        self._without_payload = None
        return f'payload removed, {fade}'

    async def _unloaded(self) -> CompiledRobot:
        """The robot as it was compiled without a payload."""
        current = self._holder.require()
        if not current.dynamics.model.payloads:
            return current.compiled
        bare = self._without_payload
        if bare is not None and bare.text == current.compiled.text:
            return bare
        # The description has changed since.
        (payload,) = current.dynamics.model.payloads
        if current.dynamics.takes_payload_on(payload.frame):
            return without_payload(current.compiled, payload.name)
        return await self._compiled(current.compiled.text)

    async def _loaded(self, unloaded: CompiledRobot, payload: Payload) -> CommandedRobot:
        """The robot with a payload; on another body than `payload_frame`, it is compiled."""
        # Whether the link can carry it is known at once.
        unloaded.dynamics.model.with_checked_payload(payload)
        if unloaded.dynamics.takes_payload_on(payload.frame):
            return self._factory.with_payload(unloaded, payload)
        return self._factory.from_compiled(await self._compiled(unloaded.text, payload))

    async def _compiled(self, text: str, payload: Payload | None = None) -> CompiledRobot:
        """The robot that another process has compiled; meanwhile the node goes on.

        Raises:
            StateError: it is not for the present robot any more.
        """
        before = self._holder.require()
        work = self._factory.compilation(text, payload)
        compiled: CompiledRobot = await self._work.outcome(work)
        if self._holder.require() is not before:
            raise StateError(
                'the robot has changed while that with the other payload was compiled (a new '
                'robot_description, or the node was configured again): call set_payload again'
            )
        return compiled

    def get_payload(self, request: Any, response: Any) -> None:
        """Fill in the payload that is attached."""
        model = self._holder.require().dynamics.model
        response.attached = bool(model.payloads)
        if not model.payloads:
            response.message = 'no payload is attached'
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
