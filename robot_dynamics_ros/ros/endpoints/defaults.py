"""What endpoints and timers share: the default quality of service, and a steady clock."""

from __future__ import annotations

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

# Makes parameters such as qos_overrides./joint_states.subscription.reliability.
OVERRIDABLE = QoSOverridingOptions.with_default_policies()
# The last message is kept for those who come late.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# For timers that must go on when simulated time stands still.
STEADY = Clock(clock_type=ClockType.STEADY_TIME)
