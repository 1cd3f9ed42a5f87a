"""The dynamics of a robot from its URDF, without ROS.

>>> dynamics = RobotDynamics(parse_urdf(text))
>>> tau = dynamics.inverse_dynamics(q, v, a)
"""

from .dynamics import RobotDynamics
from .errors import (
    InertiaError,
    ModelError,
    NativeCodeError,
    OracleDisagreement,
    OracleError,
    OracleUnavailable,
    ParameterError,
    RobotDynamicsError,
    SingularMassMatrixError,
    StateError,
    TopologyError,
    UnknownNameError,
    UrdfError,
)
from .friction import JointFriction
from .model.findings import Finding
from .model.gravity import mounted_gravity
from .model.payload import Payload
from .model.robot import RobotModel
from .model.tree import Frame, Joint, Limits, Link
from .pose import pose_error, quaternion
from .task import TaskInertia, TaskSpace, VelocitySolution
from .urdf import parse_urdf

__all__ = [
    'Finding',
    'Frame',
    'InertiaError',
    'Joint',
    'JointFriction',
    'Limits',
    'Link',
    'ModelError',
    'NativeCodeError',
    'OracleDisagreement',
    'OracleError',
    'OracleUnavailable',
    'ParameterError',
    'Payload',
    'RobotDynamics',
    'RobotDynamicsError',
    'RobotModel',
    'SingularMassMatrixError',
    'StateError',
    'TaskInertia',
    'TaskSpace',
    'TopologyError',
    'UnknownNameError',
    'UrdfError',
    'VelocitySolution',
    'mounted_gravity',
    'parse_urdf',
    'pose_error',
    'quaternion',
]
