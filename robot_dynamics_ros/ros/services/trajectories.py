"""Trajectories with the efforts they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robot_dynamics_interfaces.srv import FillEfforts
from robot_dynamics_ros.control.trajectory_efforts import PARTS

from ..references.effort_filling import excesses, fill_efforts, in_message
from ..robot.commanded_robot import CommandedRobot
from ..robot.requested_state import RequestedState
from .answering import Service


class Trajectories:
    """Answers `~/fill_efforts`."""

    def __init__(self, commanded: Callable[[], CommandedRobot], state: RequestedState) -> None:
        """See `Services`."""
        self._commanded = commanded
        self._state = state

    def services(self) -> tuple[Service, ...]:
        """What is answered."""
        return ((FillEfforts, '~/fill_efforts', self._fill_efforts),)

    def _fill_efforts(self, request: Any, response: Any) -> None:
        terms = () if request.leave_efforts_empty else tuple(request.terms) or PARTS
        demands = fill_efforts(request.trajectory, self._commanded(), self._state, terms)
        response.trajectory = request.trajectory
        response.demands = [in_message(demand) for demand in demands]
        response.message = excesses(demands)
