"""What the torques should be, by Pinocchio."""

from __future__ import annotations

import numpy as np
from motion import Array

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

# The node agrees to some 1e-12; what it says while it changes over is farther away than this.
TOLERANCE = 1e-6

PAYLOAD_FRAME = 'tool0'
PAYLOAD_MASS = 1.5
PAYLOAD_CENTRE = (0.01, -0.02, 0.06)
PAYLOAD_INERTIA = (0.004, 0.005, 0.006)
PAYLOAD = f"""
  <link name="soak_test_payload">
    <inertial>
      <origin xyz="{' '.join(str(x) for x in PAYLOAD_CENTRE)}"/>
      <mass value="{PAYLOAD_MASS}"/>
      <inertia ixx="{PAYLOAD_INERTIA[0]}" iyy="{PAYLOAD_INERTIA[1]}" izz="{PAYLOAD_INERTIA[2]}"
        ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="soak_test_grasp" type="fixed">
    <parent link="{PAYLOAD_FRAME}"/>
    <child link="soak_test_payload"/>
  </joint>
</robot>
"""


def with_payload(urdf: str) -> str:
    """The description of the robot that holds the payload."""
    return urdf.replace('</robot>', PAYLOAD)


class Expected:
    """Torques of one description."""

    def __init__(self, urdf: str) -> None:
        """Let Pinocchio read it."""
        model = parse_urdf(urdf)
        self.names = model.joint_names
        self._oracle = PinocchioReference(urdf, model)

    def gravity(self, q: Array) -> Array:
        """g (n,) [N m]."""
        return self._oracle.gravity_torque(q)

    def bias(self, q: Array, v: Array) -> Array:
        """C v + g (n,) [N m]."""
        return self._oracle.bias_torque(q, v)


def close(torque: Array, expected: Array) -> bool:
    """Whether a torque is the expected one."""
    scale = max(1.0, float(np.abs(expected).max()))
    return bool(np.abs(torque - expected).max() <= TOLERANCE * scale)
