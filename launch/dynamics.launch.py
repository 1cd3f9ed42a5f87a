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


def read_description(path: str) -> str:
    if path.endswith('.xacro'):
        import xacro  # only here: a plain URDF needs none

        return str(xacro.process_file(path).toxml())
    return Path(path).read_text()


def start_node(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    parameters = [
        LaunchConfiguration('params_file'),
        {'autostart': ParameterValue(LaunchConfiguration('autostart'), value_type=bool)},
    ]
    description = LaunchConfiguration('description').perform(context)
    if description:
        # As a string whatever it looks like: launch would read it as YAML otherwise.
        xml = ParameterValue(read_description(description), value_type=str)
        parameters.append({'robot_description': xml})
    joints = LaunchConfiguration('joints').perform(context)
    if joints:
        names = [name.strip() for name in joints.split(',')]
        # As strings, too: a joint may be called "on".
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
                description='URDF or xacro file; empty: wait for the topic robot_description',
            ),
            DeclareLaunchArgument(
                'params_file',
                default_value=default_parameters,
                description="parameters of the node, in ROS's YAML",
            ),
            DeclareLaunchArgument(
                'namespace', default_value='', description='namespace of the node'
            ),
            DeclareLaunchArgument(
                'name', default_value='robot_dynamics', description='name of the node'
            ),
            DeclareLaunchArgument(
                'joints',
                default_value='',
                description='joints to command, separated by commas; empty: as params_file says',
            ),
            DeclareLaunchArgument(
                'commands',
                default_value='~/commands',
                description='where the torques go: the topic of your effort controller',
            ),
            DeclareLaunchArgument(
                'autostart',
                default_value='true',
                choices=['true', 'false'],
                description='whether the node configures and activates itself',
            ),
            OpaqueFunction(function=start_node),
        ]
    )
