"""Parameters of dynamics_node: the torque that is computed."""

from __future__ import annotations

from robot_dynamics_ros.control.feedforward import DEFAULT_TERMS
from robot_dynamics_ros.core.checks import STRONGEST_GRAVITY, checked_gravity
from robot_dynamics_ros.core.model.friction import SMOOTHING
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY

from .bounds import FINITE, NOT_NEGATIVE, POSITIVE
from .parameter import Parameter

TORQUE_ROWS = (
    Parameter(
        'terms',
        'string_array',
        list(DEFAULT_TERMS),
        'Terms of the torque to command.',
        'Leave out every term that the driver of the arm adds itself: if gravity is compensated '
        'twice, the arm rises.',
        choices={
            'gravity': 'g(q)',
            'coriolis': 'C(q, v) v',
            'inertial': 'M(q) a, with the acceleration of the reference',
            'friction': 'F_v v + F_s v / sqrt(v^2 + v_0^2) + torque_offset',
        },
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'evaluate_at',
        'string',
        'reference',
        'State at which the torque is evaluated while there is a reference (qr, vr, ar).',
        choices={
            'reference': 'M(qr) ar + C(qr, vr) vr + g(qr)',
            'state': 'M(q) ar + C(q, v) v + g(q), at the measured q and v',
        },
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'controller_action',
        'string',
        '',
        'Action of the controller to which `~/follow_joint_trajectory` passes goals on, such as '
        '`/arm_controller/follow_joint_trajectory`.',
        empty='no goal is passed on',
    ),
    Parameter(
        'gravity',
        'double_array',
        list(STANDARD_GRAVITY),
        'Gravitational acceleration, in the frame of the root link.',
        'For an arm that hangs from the ceiling: [0.0, 0.0, 9.81].',
        unit='m/s^2',
        check=checked_gravity,
        constraint=f'three finite numbers with a norm of at most {STRONGEST_GRAVITY:g}',
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'friction_viscous',
        'double_array',
        [],
        'Viscous friction F_v of each commanded joint, for the term friction.',
        unit='N m s/rad or N s/m',
        bounds=NOT_NEGATIVE,
        per_joint=True,
        empty='damping of the URDF',
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'friction_coulomb',
        'double_array',
        [],
        'Coulomb friction F_s of each commanded joint, for the term friction.',
        unit='N m or N',
        bounds=NOT_NEGATIVE,
        per_joint=True,
        empty='friction of the URDF',
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'friction_viscous_negative',
        'double_array',
        [],
        'Viscous friction F_v of each commanded joint at negative velocity.',
        'friction_viscous is then that at positive velocity.',
        unit='N m s/rad or N s/m',
        bounds=NOT_NEGATIVE,
        per_joint=True,
        empty='as at positive velocity',
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'friction_coulomb_negative',
        'double_array',
        [],
        'Coulomb friction F_s of each commanded joint at negative velocity.',
        'friction_coulomb is then that at positive velocity. Both are magnitudes.',
        unit='N m or N',
        bounds=NOT_NEGATIVE,
        per_joint=True,
        empty='as at positive velocity',
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'torque_offset',
        'double_array',
        [],
        'Constant torque of each commanded joint, which the term friction adds at every velocity, '
        'at rest too.',
        'It balances a constant torque that acts on the arm, such as that of a cable, or the zero '
        'error of a torque sensor. A wrong offset moves the arm, as wrong gravity does.',
        unit='N m or N',
        bounds=FINITE,
        per_joint=True,
        empty='none',
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'friction_smoothing',
        'double',
        SMOOTHING,
        'Speed v_0 around which the Coulomb friction changes its sign.',
        unit='rad/s or m/s',
        bounds=POSITIVE,
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'friction_smoothing_by_joint',
        'double_array',
        [],
        'Speed v_0 of each commanded joint, where it differs from joint to joint.',
        'friction_smoothing is then that of other joints, such as mimic joints.',
        unit='rad/s or m/s',
        bounds=POSITIVE,
        per_joint=True,
        empty='friction_smoothing for all',
        live=True,
        shapes_torque=True,
    ),
    Parameter(
        'armature',
        'double_array',
        [],
        'Rotor inertia of each commanded joint, times the gear ratio squared.',
        unit='kg m^2 or kg',
        bounds=NOT_NEGATIVE,
        per_joint=True,
        empty='none',
    ),
)
