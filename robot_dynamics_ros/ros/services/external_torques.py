"""`~/zero_external` and `~/learn_thresholds`: what external torques are without a contact."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future

from robot_dynamics_ros.control.external_forces.detection import (
    ContactThresholds,
    UntouchedPeaks,
    learned_thresholds,
    threshold_floor,
)
from robot_dynamics_ros.control.external_forces.external_estimate import ExternalForceEstimate
from robot_dynamics_ros.control.external_forces.residual_average import (
    WITHOUT_THRESHOLDS,
    ResidualAverage,
)
from robot_dynamics_ros.control.external_forces.tap import Collection, Tap
from robot_dynamics_ros.control.settings import torque_limits
from robot_dynamics_ros.control.torque_text import joint_torques, torque_text, units_of
from robot_dynamics_ros.core.errors import ParameterError, StateError

from ..endpoints import STEADY
from ..messages import doubles
from ..robot.background_work import BackgroundWork
from ..robot.robot_holder import RobotHolder
from .learned_doubts import little_known, suspicions

# Over which external torques are averaged, and how often is looked whether to go on [s].
AVERAGED = 0.5
# Durations of learning [s].
SHORTEST, LONGEST = 12.0, 3600.0
# Where a request says 0.
FALSE_ALARMS_PER_HOUR = 0.1
# Per hour: more is no detection.
MOST_FALSE_ALARMS = 60.0
PARTS = ('', '_velocity', '_acceleration')


class ExternalForceServices:
    """Answers from the estimates that come while a request waits."""

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        """Use the configured robot of this node."""
        self._node = node
        self._holder = holder
        self._work = BackgroundWork(node)
        self._waits = False

    async def zero_external(self, request: Any, response: Any) -> None:
        """Take the present external torques off, if the arm is at rest and nothing touches it."""
        with self._alone():
            await self._zero(response)

    async def learn_thresholds(self, request: Any, response: Any) -> None:
        """Learn from the estimates of the next seconds, and use what was learnt."""
        rate = request.false_alarms_per_hour or FALSE_ALARMS_PER_HOUR
        if not 0.0 < rate <= MOST_FALSE_ALARMS:
            raise ParameterError(
                f'false_alarms_per_hour is {rate}, allowed are 0 ({FALSE_ALARMS_PER_HOUR:g}) to '
                f'{MOST_FALSE_ALARMS:g}'
            )
        if not SHORTEST <= request.duration <= LONGEST:
            raise ParameterError(
                f'duration is {request.duration} s, allowed are {SHORTEST:g} to {LONGEST:g} s'
            )
        with self._alone():
            await self._learn(request.duration, rate, response)

    async def _zero(self, response: Any) -> None:
        robot, estimate = self._holder.require(), self._estimate()
        limits = torque_limits(robot.dynamics.model, robot.joints, robot.guard.settings)
        units = units_of(robot.dynamics.model, robot.joints)
        average = ResidualAverage(robot.joints, units, limits, estimate.contact.sentence)
        await self._collect(average, AVERAGED)
        with self._holder.lock:
            estimate = self._estimate()
            estimate.take_off(average.mean(estimate.tare.torque))
            taken = estimate.tare.torque
            force = float(np.linalg.norm(estimate.wrench(taken)[:3]))
        values = joint_torques(robot.joints, taken.tolist(), units)
        response.message = (
            f'taken off the external torques: {values}, as a force on {estimate.frame} '
            f'{torque_text(force, "N")}: if somebody has held the arm, call again{average.remark}'
        )
        self._node.get_logger().info(response.message)

    async def _learn(self, duration: float, rate: float, response: Any) -> None:
        estimate = self._estimate()
        cutoff = estimate.settings.contact_cutoff
        joints = self._holder.require().joints
        peaks = UntouchedPeaks(len(joints), cutoff, estimate.contact.sentence)
        self._node.get_logger().info(
            f'learning thresholds for {duration:g} s: move the arm as in its task; '
            'nothing may touch it'
        )
        await self._collect(peaks, duration, lambda: _touch(peaks))
        learnt = await self._learnt(peaks, rate)
        if self._estimate().settings.contact_cutoff != cutoff:
            raise StateError('contact_cutoff was changed meanwhile: learn the thresholds again')
        if self._holder.require().joints != joints:
            raise StateError('the joints were changed meanwhile: learn the thresholds again')
        values = {
            f'{kind}_threshold{part}': parts
            for kind, band in zip(('collision', 'push'), learnt.coefficients, strict=True)
            for part, parts in zip(PARTS, band, strict=True)
        }
        self._use({name: part.tolist() for name, part in values.items()})
        for name, part in values.items():
            setattr(response, name, doubles(part))
        response.joint_names = list(joints)
        doubt = suspicions(peaks, learnt, self._holder.require())
        response.message = (
            f'learnt from {peaks.seconds:.0f} s, used from now on: keep them with ros2 param dump '
            f'{self._node.get_fully_qualified_name()}{little_known(peaks, joints)}{doubt}'
        )
        text = f'thresholds of contacts: {response.message}'
        if doubt:
            self._node.get_logger().warning(text)
        else:
            self._node.get_logger().info(text)

    async def _learnt(self, peaks: UntouchedPeaks, rate: float) -> ContactThresholds:
        """Thresholds with the friction, the effort limits and the margin of the present robot."""
        margin = self._estimate().settings.threshold_margin
        feedforward = self._holder.require().feedforward
        indices, model = feedforward.indices, feedforward.dynamics.model
        friction = feedforward.friction.bounds[:, indices]
        floor = threshold_floor(model.effort_bounds[indices])

        def learn() -> ContactThresholds:
            return learned_thresholds(peaks, rate, friction=friction, floor=floor, margin=margin)

        # Of an hour of seven joints it takes seconds.
        return await self._work.outcome(learn)

    def _use(self, values: dict[str, list[float]]) -> None:
        """Set these parameters."""
        changes = [Parameter(name, value=value) for name, value in values.items()]
        result = self._node.set_parameters_atomically(changes)
        if not result.successful:
            raise ParameterError(result.reason)

    def _estimate(self) -> ExternalForceEstimate:
        """The present estimate, if it gives external torques.

        Raises:
            StateError: it is off, or there is none.
        """
        estimate = self._holder.require().guard.external
        if estimate is None:
            raise StateError('external torques are not estimated: set external_observer: true')
        if estimate.reason:
            raise StateError(f'no external torques are estimated: {estimate.reason}')
        return estimate

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While one call is answered.

        Raises:
            StateError: another one is.
        """
        with self._holder.lock:
            if self._waits:
                raise StateError(
                    'another call of ~/zero_external or ~/learn_thresholds is waiting: call again '
                    'after it'
                )
            self._waits = True
        try:
            yield
        finally:
            self._waits = False

    async def _collect(
        self, tap: Tap, seconds: float, doubt: Callable[[], str] = lambda: ''
    ) -> None:
        """Let a tap take the estimates of that time [s].

        Args:
            tap: to give them to.
            seconds: for how long.
            doubt: why what it has got is of no use, as a sentence; empty if it is.

        Raises:
            StateError: there is such a doubt, the node was configured again meanwhile, or the
                estimates are of two kinds.
        """
        with self._holder.lock:
            self._estimate().collect(tap)
        over: Future = Future()
        end = clock.monotonic() + seconds

        def look() -> None:
            ended = clock.monotonic() >= end or self._refusal(tap) or doubt()
            if ended and not over.done():
                over.set_result(None)

        timer = self._node.create_timer(AVERAGED, look, clock=STEADY)
        try:
            await over
        finally:
            self._node.destroy_timer(timer)
            with self._holder.lock:
                refusal = self._refusal(tap) or doubt()
                if collection := self._collection(tap):
                    collection.tap = None
        if refusal:
            raise StateError(refusal)

    def _refusal(self, tap: Tap) -> str:
        """Why what a tap has got is of no use, as a sentence; empty if it is."""
        collection = self._collection(tap)
        if collection is None:
            return 'the estimate was switched off, or the node was configured again: call again'
        changed = collection.changed
        return f'{changed} was changed meanwhile: call again' if changed else ''

    def _collection(self, tap: Tap) -> Collection | None:
        """What gives estimates to a tap; None where nothing does any more."""
        robot = self._holder.current
        estimate = None if robot is None else robot.guard.external
        if estimate is None or estimate.collection.tap is not tap:
            return None
        return estimate.collection


def _touch(peaks: UntouchedPeaks) -> str:
    """Why nothing is learned where the node has detected a contact meanwhile; empty if not."""
    if not peaks.touched:
        return ''
    return (
        f'{peaks.touched}: nothing may touch the arm while thresholds are learned; if nothing '
        f'does, {WITHOUT_THRESHOLDS}'
    )
