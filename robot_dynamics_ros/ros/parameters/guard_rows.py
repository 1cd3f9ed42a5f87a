"""Parameters of dynamics_node: the guards between each torque and the robot."""

from __future__ import annotations

from robot_dynamics_ros.control.settings import (
    OTHER_JOINTS,
    REFERENCE_SHARE,
    REFERENCE_TIME,
    Settings,
)
from robot_dynamics_ros.control.supervisor import LONGEST_STALE

from .bounds import FINITE, NOT_NEGATIVE, POSITIVE, Bounds
from .parameter import Parameter

DEFAULT = Settings()

GUARD_ROWS = (
    Parameter(
        'state_timeout',
        'double',
        DEFAULT.state_timeout,
        'Time without a valid position of each commanded joint after which the state is stale.',
        'More than 2.5 periods of `joint_states`. A state that has waited longer for the node is '
        f'not answered. Joints that are not commanded (grippers) have {OTHER_JOINTS:g} times this '
        'time.',
        unit='s',
        bounds=POSITIVE,
        live=True,
    ),
    Parameter(
        'locked_joints',
        'double_map',
        {},
        'Positions of joints that no message of `joint_states` contains, by joint.',
        'What is measured of these joints is not used. A commanded joint cannot be locked.',
        unit='rad or m',
        bounds=FINITE,
        empty='none',
    ),
    Parameter(
        'on_stale',
        'string',
        DEFAULT.on_stale,
        'Command while the state is stale.',
        choices={
            'hold': 'gravity and torque_offset at the last valid state, as far as gravity and '
            f'friction are in terms; after {LONGEST_STALE:g} s a fault, and the final command of '
            'on_stop',
            'zero': f'zero torque; after {LONGEST_STALE:g} s a fault',
            'stop': 'nothing is published; a forward_command_controller keeps the last command',
        },
        live=True,
    ),
    Parameter(
        'reference_tolerance',
        'double_array',
        list(DEFAULT.reference_tolerance),
        'Largest distance of the measured position of each commanded joint from `~/reference`; '
        '0: any.',
        'A reference that begins farther away is rejected. One that the arm has left by more is '
        'dropped, and the node returns to the measured state.',
        unit='rad or m',
        bounds=NOT_NEGATIVE,
        per_joint=True,
        empty=f'what the joint covers in {REFERENCE_TIME:g} s at its velocity limit, at most '
        f'{REFERENCE_SHARE:g} of its range (of a turn or 1 m without limits)',
        live=True,
    ),
    Parameter(
        'fade_time',
        'double',
        DEFAULT.fade_time,
        'Duration of the fade to the new command after every change of what is commanded.',
        unit='s',
        bounds=Bounds(0.0, 60.0),
        live=True,
    ),
    Parameter(
        'on_stop',
        'string',
        DEFAULT.on_stop,
        'Last command on deactivation, on `~/enable` with false, on shutdown (SIGINT, SIGTERM, '
        'SIGHUP) and on a fault.',
        'Nothing is published after it.',
        choices={
            'zero': 'zero torque',
            'hold': 'gravity and torque_offset at the last valid state, as far as gravity and '
            'friction are in terms',
        },
        live=True,
    ),
    Parameter(
        'on_restart',
        'string',
        DEFAULT.on_restart,
        'Torque at which commands begin when the last command of the controller is not known.',
        'So it is after the start of the process, and after another publisher commanded. After '
        'the controller was inactive, commands begin at the last command if measured efforts show '
        'that the drive has kept it.',
        choices={
            'automatic': 'where the measured efforts equal gravity: the gravity torque if a '
            'publisher of commands was seen that has ended, else none, and the log says why; '
            'zero torque elsewhere',
            'take_over': 'the gravity torque where the measured efforts equal it, or, where they '
            'are not measured, the arm is at rest; zero torque elsewhere',
            'fade_from_zero': 'zero torque, in one step if the controller still applies another',
        },
        live=True,
    ),
    Parameter(
        'effort_limits',
        'double_array',
        list(DEFAULT.effort_limits),
        'Largest magnitude of the command of each commanded joint.',
        'Where the URDF has no limit, or 0, the node does not activate until this parameter is '
        'set.',
        unit='N m or N',
        bounds=Bounds(0.0, infinite=True),
        per_joint=True,
        empty='effort limit of the URDF',
        live=True,
    ),
    Parameter(
        'driver_gravity_check',
        'bool',
        True,
        'Whether to warn when the measured efforts show that the driver adds gravity compensation '
        'too. With `external_observer`, also whether efforts without gravity or in another unit '
        'are refused: false estimates external torques from any efforts.',
        live=True,
    ),
)
