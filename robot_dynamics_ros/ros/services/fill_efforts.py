"""`~/fill_efforts`: a trajectory with the efforts that it needs, and what it demands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robot_dynamics_ros.control.trajectory_efforts import PARTS

from ..references.effort_filling import demand_message, excesses, fill_efforts
from ..robot.requested_state import RequestedState
from ..robot.robot_holder import RobotHolder


@dataclass(frozen=True)
class FillEffortsService:
    """Answers by the configured robot; joints that the trajectory does not name rest."""

    holder: RobotHolder
    state: RequestedState

    def fill_efforts(self, request: Any, response: Any) -> None:
        """Fill in the trajectory, the demand on each joint, and the limits that are exceeded."""
        terms = () if request.leave_efforts_empty else tuple(request.terms) or PARTS
        demands = fill_efforts(request.trajectory, self.holder.require(), self.state, terms)
        response.trajectory = request.trajectory
        response.demands = [demand_message(demand) for demand in demands]
        response.message = excesses(demands)
