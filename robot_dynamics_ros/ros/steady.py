"""The clock of what must go on, whatever becomes of simulated time."""

from rclpy.clock import Clock
from rclpy.clock_type import ClockType

STEADY = Clock(clock_type=ClockType.STEADY_TIME)
