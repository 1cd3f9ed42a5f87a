"""Starts two dynamics nodes for one robot with two arms, one per group of joints.

ros2 launch robot_dynamics_ros dual_arm.launch.py description:=/path/to/robot.urdf \\
  left_joints:=left_shoulder,left_elbow right_joints:=right_shoulder,right_elbow \\
  left_commands:=/left_effort_controller/commands right_commands:=/right_effort_controller/commands

Both nodes read the same joint_states and compute the whole robot: joints that a node does not
command are at their measured positions.
"""

from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare

ONE_ARM = Path(__file__).with_name('dynamics.launch.py')
SIDES = ('left', 'right')


def declare_group(side: str) -> list[LaunchDescriptionEntity]:
    return [
        DeclareLaunchArgument(
            f'{side}_joints',
            description=f'joints of the {side} arm in the order of its controller, separated '
            'by commas',
        ),
        DeclareLaunchArgument(
            f'{side}_commands',
            default_value='~/commands',
            description=f'topic of the torques of the {side} arm',
        ),
    ]


def joints_of(side: str, context: LaunchContext) -> list[str]:
    names = LaunchConfiguration(f'{side}_joints').perform(context)
    return [name.strip() for name in names.split(',')]


def check_joints(context: LaunchContext) -> None:
    """Check that each joint is commanded by one node.

    Raises:
        RuntimeError: it is not; launch prints the text of it, and ends with code 1.
    """
    left, right = (joints_of(side, context) for side in SIDES)
    for side, names in zip(SIDES, (left, right), strict=True):
        if not all(names):
            raise RuntimeError(
                f'{side}_joints is {",".join(names)!r}: name the joints of the {side} arm, '
                'separated by commas'
            )
    if both := [name for name in left if name in right]:
        raise RuntimeError(
            f'{", ".join(both)} is in left_joints and in right_joints: a joint belongs to one arm'
        )


def start_group(side: str) -> LaunchDescriptionEntity:
    include = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(ONE_ARM)),
        launch_arguments={
            'name': f'{side}_dynamics',
            'joints': LaunchConfiguration(f'{side}_joints'),
            'commands': LaunchConfiguration(f'{side}_commands'),
            'namespace': LaunchConfiguration('namespace'),
            'description': LaunchConfiguration('description'),
            'params_file': LaunchConfiguration('params_file'),
            'joint_states': LaunchConfiguration('joint_states'),
            'xacro_args': LaunchConfiguration('xacro_args'),
            'autostart': LaunchConfiguration('autostart'),
            'use_sim_time': LaunchConfiguration('use_sim_time'),
            'respawn': LaunchConfiguration('respawn'),
            'on_death': LaunchConfiguration('on_death'),
        }.items(),
    )
    # In a scope of its own, so that settings of one group do not apply to the other.
    return GroupAction([include])


def generate_launch_description() -> LaunchDescription:
    default_parameters = PathJoinSubstitution(
        [FindPackageShare('robot_dynamics_ros'), 'config', 'robot_dynamics.yaml']
    )
    return LaunchDescription(
        [
            *(argument for side in SIDES for argument in declare_group(side)),
            DeclareLaunchArgument(
                'description',
                default_value='',
                description='URDF or xacro file of the whole robot; empty: wait for topic '
                'robot_description',
            ),
            DeclareLaunchArgument(
                'params_file',
                default_value=default_parameters,
                description='YAML file of the parameters of both nodes: under /**, or under '
                'left_dynamics and right_dynamics',
            ),
            DeclareLaunchArgument(
                'namespace', default_value='', description='namespace of both nodes'
            ),
            DeclareLaunchArgument(
                'autostart',
                default_value='',
                choices=['', 'true', 'false'],
                description='true: the nodes configure and activate themselves; empty: as in '
                'params_file, by default true',
            ),
            DeclareLaunchArgument(
                'joint_states',
                default_value='joint_states',
                description='topic of the joint states of the whole robot',
            ),
            DeclareLaunchArgument(
                'xacro_args',
                default_value='',
                description="arguments of a xacro file: xacro_args:='NAME:=VALUE NAME:=VALUE'",
            ),
            DeclareLaunchArgument(
                'use_sim_time',
                default_value='',
                choices=['', 'true', 'false'],
                description='true: the time of topic /clock. Empty: as in params_file, by default '
                'false',
            ),
            DeclareLaunchArgument(
                'respawn',
                default_value='false',
                choices=['true', 'false'],
                description='true: start a node again when it dies; it begins as on_restart of '
                'params_file says. false: as on_death says',
            ),
            DeclareLaunchArgument(
                'on_death',
                default_value='continue',
                choices=['end', 'continue'],
                description='continue: the other arm goes on when one node dies, and the launch '
                'ends with code 1 after it. end: the launch ends, which fades out the other arm',
            ),
            OpaqueFunction(function=check_joints),
            *(start_group(side) for side in SIDES),
        ]
    )
