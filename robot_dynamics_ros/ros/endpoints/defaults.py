"""Default quality of service of the endpoints, and the clock of the timers."""

from __future__ import annotations

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

# Makes parameters such as qos_overrides./joint_states.subscription.reliability.
OVERRIDABLE = QoSOverridingOptions.with_default_policies()
# The last message is kept for subscribers that come later.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# For timers that must run while simulated time stands still.
STEADY = Clock(clock_type=ClockType.STEADY_TIME)
