"""Runs the demo, like scripts/demo.

ros2 launch robot_dynamics_ros demo.launch.py urdf:=/path/to/arm.urdf
"""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage


def check_exit(event: ProcessExited, context: LaunchContext) -> None:
    # Gives `ros2 launch` the exit code of the demo.
    if event.returncode:
        raise RuntimeError(f'the demo failed with exit code {event.returncode}')


def start_demo(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    arguments = []
    for option in ('urdf', 'output'):
        value = LaunchConfiguration(option).perform(context)
        if value:
            arguments += [f'--{option}', value]
    # Not a Node: the demo takes plain options, and passes ROS arguments to its nodes itself.
    demo = ExecutableInPackage(package='robot_dynamics_ros', executable='demo_observer')
    return [ExecuteProcess(cmd=[demo, *arguments], output='screen', on_exit=check_exit)]


def generate_launch_description() -> LaunchDescription:
    arguments = [
        DeclareLaunchArgument(
            'urdf',
            default_value='',
            description='URDF file of the arm. Empty: the UR5 of example-robot-data',
        ),
        DeclareLaunchArgument(
            'output',
            default_value='',
            description='folder for demo.png, demo.json and the logs of arm and node. '
            'Empty: demo_output in the current folder',
        ),
    ]
    return LaunchDescription(
        [
            *arguments,
            OpaqueFunction(function=start_demo),
        ]
    )
