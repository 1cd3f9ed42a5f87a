"""The services of the simulated arm: brake, servo, reset, pushes and wall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from robot_dynamics_interfaces.srv import PushLink

from .mujoco_description import SimulationError
from .outside_forces import Push
from .physics import Physics

Change = Callable[[Physics], None]


class ArmServices:
    """Each service changes the arm between two cycles, and answers with what was done."""

    def __init__(
        self,
        node: Node,
        change: Callable[[Change], None],
        set_servo: Callable[[Physics, bool], None],
        reset: Change,
    ) -> None:
        """Offer the services.

        Args:
            node: that offers them.
            change: changes the arm between two cycles; raises SimulationError.
            set_servo: switches the servo of an arm on or off.
            reset: brings an arm back to its initial positions.
        """
        self._change, self._set_servo, self._reset = change, set_servo, reset
        node.create_service(SetBool, '~/set_brake', self._on_set_brake)
        node.create_service(SetBool, '~/set_servo', self._on_set_servo)
        node.create_service(SetBool, '~/set_wall', self._on_set_wall)
        node.create_service(PushLink, '~/push_link', self._on_push_link)
        node.create_service(Trigger, '~/reset', self._on_reset)

    def _on_set_brake(self, request: Any, response: Any) -> Any:
        def switch(physics: Physics) -> None:
            physics.brake = request.data

        return self._answer(response, switch, f'brake {_on_or_off(request.data)}')

    def _on_set_servo(self, request: Any, response: Any) -> Any:
        def switch(physics: Physics) -> None:
            self._set_servo(physics, request.data)

        return self._answer(response, switch, f'servo {_on_or_off(request.data)}')

    def _on_set_wall(self, request: Any, response: Any) -> Any:
        def switch(physics: Physics) -> None:
            physics.outside.wall = request.data

        done = f'the wall is {"present" if request.data else "absent"}'
        return self._answer(response, switch, done)

    def _on_push_link(self, request: Any, response: Any) -> Any:
        wrench = request.wrench
        push = Push(
            request.link,
            _numbers(wrench.force),
            _numbers(wrench.torque),
            _numbers(request.point),
            request.delay,
            request.duration,
        )
        done = f'{push.link} is pushed for {push.duration:g} s, in {push.delay:g} s'
        return self._answer(response, lambda physics: physics.outside.push(push), done)

    def _on_reset(self, request: Any, response: Any) -> Any:
        return self._answer(response, self._reset, 'the arm is at its initial positions, at rest')

    def _answer(self, response: Any, change: Change, done: str) -> Any:
        try:
            self._change(change)
        except SimulationError as error:
            response.success, response.message = False, str(error)
        else:
            response.success, response.message = True, done
        return response


def _on_or_off(on: bool) -> str:
    return 'on' if on else 'off'


def _numbers(vector: Any) -> tuple[float, float, float]:
    return vector.x, vector.y, vector.z
