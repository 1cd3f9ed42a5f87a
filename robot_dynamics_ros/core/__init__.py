"""The dynamics of a robot, without ROS: parse a URDF, compute, nothing else.

>>> dynamics = RobotDynamics(parse_urdf(text))
>>> tau = dynamics.inverse_dynamics(q, v, a)
"""

from .audit import audit
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
from .friction import JointFriction
from .model import Frame, Joint, Limits, Link, RobotModel
from .mounting import mounted_gravity
from .payload import Payload
from .resolved_rate import JointVelocity
from .task_space import TaskSpace
from .urdf import parse_urdf
from .xacro_text import expand_xacro

__all__ = [
    'Finding',
    'Frame',
    'InertiaError',
    'Joint',
    'JointFriction',
    'JointVelocity',
    'Limits',
    'Link',
    'ModelError',
    'OracleDisagreement',
    'OracleError',
    'OracleUnavailable',
    'ParameterError',
    'Payload',
    'RobotDynamics',
    'RobotDynamicsError',
    'RobotModel',
    'StateError',
    'TaskSpace',
    'TopologyError',
    'UnknownNameError',
    'UrdfError',
    'audit',
    'expand_xacro',
    'mounted_gravity',
    'parse_urdf',
]
