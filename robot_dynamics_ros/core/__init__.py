"""The dynamics of a robot, without ROS: parse a URDF, compute, nothing else.

>>> dynamics = RobotDynamics(parse_urdf(text))
>>> tau = dynamics.inverse_dynamics(q, v, a)
"""

from .dynamics import RobotDynamics
from .errors import (
    InertiaError,
    ModelError,
    OracleDisagreement,
    OracleError,
    OracleUnavailable,
    ParameterError,
    RobotDynamicsError,
    StateError,
    TopologyError,
    UnknownNameError,
    UrdfError,
)
from .findings import Finding
from .model import Frame, Joint, Limits, RobotModel
from .resolved_rate import JointVelocity
from .task_space import TaskSpace
from .urdf import parse_urdf

__all__ = [
    'Finding',
    'Frame',
    'InertiaError',
    'Joint',
    'JointVelocity',
    'Limits',
    'ModelError',
    'OracleDisagreement',
    'OracleError',
    'OracleUnavailable',
    'ParameterError',
    'RobotDynamics',
    'RobotDynamicsError',
    'RobotModel',
    'StateError',
    'TaskSpace',
    'TopologyError',
    'UnknownNameError',
    'UrdfError',
    'parse_urdf',
]
