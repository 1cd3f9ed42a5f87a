"""Starts the dynamics node for one arm.

ros2 launch robot_dynamics_ros dynamics.launch.py description:=/path/to/arm.xacro namespace:=left
"""

from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

# Longer than the largest fade_time [s]; low effort_rate_limits may make a fade longer than this.
SHUTDOWN_TIMEOUT = '70'


def read_description(path: str) -> str:
    if path.endswith('.xacro'):
        import xacro  # optional: a plain URDF does not need it

        return str(xacro.process_file(path).toxml())
    return Path(path).read_text()


def start_node(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    parameters = [LaunchConfiguration('params_file')]
    autostart = LaunchConfiguration('autostart').perform(context)
    if autostart:
        parameters.append({'autostart': autostart == 'true'})
    description = LaunchConfiguration('description').perform(context)
    if description:
        # As a string: launch would read it as YAML otherwise.
        xml = ParameterValue(read_description(description), value_type=str)
        parameters.append({'robot_description': xml})
    joints = LaunchConfiguration('joints').perform(context)
    if joints:
        names = [name.strip() for name in joints.split(',')]
        # As strings: YAML would read a joint named "on" as true.
        parameters.append({'joints': ParameterValue(names, value_type=list[str])})
    return [
        Node(
            package='robot_dynamics_ros',
            executable='dynamics_node',
            name=LaunchConfiguration('name'),
            namespace=LaunchConfiguration('namespace'),
            parameters=parameters,
            remappings=[('~/commands', LaunchConfiguration('commands'))],
            output='screen',
            # The node may fade for a minute before it ends; a kill would leave the last torque.
            sigterm_timeout=SHUTDOWN_TIMEOUT,
            sigkill_timeout=SHUTDOWN_TIMEOUT,
        )
    ]


def generate_launch_description() -> LaunchDescription:
    default_parameters = PathJoinSubstitution(
        [FindPackageShare('robot_dynamics_ros'), 'config', 'robot_dynamics.yaml']
    )
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                'description',
                default_value='',
                description='URDF or xacro file of the arm. Empty: the node waits for the topic '
                'robot_description, which robot_state_publisher publishes',
            ),
            DeclareLaunchArgument(
                'params_file',
                default_value=default_parameters,
                description='YAML file of the parameters of the node. The default file explains '
                'each: copy it and change the copy',
            ),
            DeclareLaunchArgument(
                'namespace',
                default_value='',
                description='namespace of the node, its topics and services. Empty: none',
            ),
            DeclareLaunchArgument(
                'name', default_value='robot_dynamics', description='name of the node'
            ),
            DeclareLaunchArgument(
                'joints',
                default_value='',
                description='joints to command, separated by commas; empty: as in params_file',
            ),
            DeclareLaunchArgument(
                'commands',
                default_value='~/commands',
                description='topic of the torques, such as /effort_controller/commands. '
                'No controller reads the default, /robot_dynamics/commands',
            ),
            DeclareLaunchArgument(
                'autostart',
                default_value='',
                choices=['', 'true', 'false'],
                description='true: publish torques as soon as there are a description and joint '
                'states. false: wait for the lifecycle transitions configure and activate. '
                'Empty: as in params_file, by default true',
            ),
            OpaqueFunction(function=start_node),
        ]
    )
