"""What one joint state tells of the torques of the drives."""

from __future__ import annotations

from typing import NamedTuple

from robot_dynamics_ros.core.checks import Array


class GivenState(NamedTuple):
    """What one joint state holds, and what was commanded until it came.

    Attributes:
        q: (n,) positions [rad or m]; NaN for joints that it does not hold.
        v: (n,) velocities [rad/s or m/s], NaN where not measured; None if none was.
        effort: (n,) efforts [N m or N], likewise.
        command: (k,) the last command [N m or N]; None where nothing is commanded.
    """

    q: Array
    v: Array | None
    effort: Array | None
    command: Array | None
