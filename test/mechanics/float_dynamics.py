"""The algorithms evaluated on plain floats: slow, with no program and no compiler in between."""

from robot_dynamics_ros.core.quantity import EvaluatedDynamics as FloatDynamics

__all__ = ['FloatDynamics']
