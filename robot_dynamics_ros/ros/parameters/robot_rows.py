"""Parameters of dynamics_node: which robot, and which of its joints."""

from __future__ import annotations

from .parameter import Parameter

ROBOT_ROWS = (
    Parameter(
        'robot_description',
        'string',
        '',
        'URDF of the robot, as text.',
        empty='the URDF comes from topic `robot_description`',
    ),
    Parameter(
        'autostart',
        'bool',
        True,
        'Whether the node configures and activates itself as soon as it has a description.',
        'false: wait for the lifecycle services (ros2 lifecycle set /robot_dynamics configure).',
    ),
    Parameter(
        'joints',
        'string_array',
        [''],
        'Joints to command, in the order of `~/commands`.',
        'The other joints enter with their measured position and zero velocity. Quote names that '
        "YAML reads as another type ('y', 'on').",
        unique=True,
        empty='all joints that move independently, depth first as in the URDF',
    ),
    Parameter(
        'controller',
        'string',
        '',
        'Node of the controller that applies `~/commands`.',
        'Its parameters joints and interface_name must fit, and commands begin when the '
        'controller manager says that it is active. A controller that is named here must answer. '
        'none: no check.',
        empty='the node after which the topic is named, if it answers: `/effort_controller` for '
        '`/effort_controller/commands`',
    ),
)
