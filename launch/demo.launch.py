"""Runs the demo, like scripts/demo.

ros2 launch robot_dynamics_ros demo.launch.py urdf:=/path/to/arm.urdf
"""

from difflib import get_close_matches
from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage

# Read by launch itself.
OF_LAUNCH = ('launch-prefix', 'launch-prefix-filter', 'emulate_tty')


def refuse_unknown(context: LaunchContext, *declared: DeclareLaunchArgument) -> None:
    """Refuse arguments that this file does not declare: launch would ignore them.

    Only what this file is started with is checked: a file that includes it has arguments of its
    own.

    Raises:
        RuntimeError: there is one; launch prints the text of it, and ends with code 1.
    """
    allowed = [argument.name for argument in declared]
    event = context.get_locals_as_dict().get('event')
    for started in getattr(event, 'launch_description', LaunchDescription()).entities:
        source = getattr(started, 'launch_description_source', None)
        if source is None or Path(source.location).resolve() != Path(__file__).resolve():
            continue
        for name, _ in started.launch_arguments:
            if isinstance(name, str) and name not in (*allowed, *OF_LAUNCH):
                near = get_close_matches(name, allowed, n=1)
                hint = f' (did you mean {near[0]}?)' if near else ''
                raise RuntimeError(
                    f'unknown launch argument {name}{hint}: allowed are {", ".join(allowed)}'
                )


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
            OpaqueFunction(function=refuse_unknown, args=arguments),
            *arguments,
            OpaqueFunction(function=start_demo),
        ]
    )
