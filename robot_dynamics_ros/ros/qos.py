"""Quality of service of every endpoint: a default here, an override by parameter."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

# Makes parameters such as qos_overrides./joint_states.subscription.reliability.
OVERRIDABLE = QoSOverridingOptions.with_default_policies()
# The last message is kept for those who come late.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
