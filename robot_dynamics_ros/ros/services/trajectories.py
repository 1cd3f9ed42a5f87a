"""Trajectories with the efforts they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robot_dynamics_interfaces.srv import FillEfforts
from robot_dynamics_ros.core.trajectory_efforts import PARTS

from ..controller import Controller
from ..requested_state import RequestedState
from ..trajectory_efforts import excesses, fill_efforts, in_message
from .answering import Service


class Trajectories:
    """Answers `~/fill_efforts`."""

    def __init__(self, controller: Callable[[], Controller], state: RequestedState) -> None:
        """See `Services`."""
        self._controller = controller
        self._state = state

    def services(self) -> tuple[Service, ...]:
        """What is answered."""
        return ((FillEfforts, '~/fill_efforts', self._fill_efforts),)

    def _fill_efforts(self, request: Any, response: Any) -> None:
        terms = () if request.leave_efforts_empty else tuple(request.terms) or PARTS
        demands = fill_efforts(request.trajectory, self._controller(), self._state, terms)
        response.trajectory = request.trajectory
        response.demands = [in_message(demand) for demand in demands]
        response.message = excesses(demands)
