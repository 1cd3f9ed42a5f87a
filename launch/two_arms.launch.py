"""Starts the dynamics nodes of two arms, each in a namespace of its own.

ros2 launch robot_dynamics_ros two_arms.launch.py \\
  left_description:=/path/to/left.urdf right_description:=/path/to/right.urdf

Each node reads joint_states and robot_description, and commands torques, in its own namespace.
"""

from difflib import get_close_matches
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

ONE_ARM = Path(__file__).with_name('dynamics.launch.py')
SIDES = ('left', 'right')
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


def declare_arm(side: str) -> list[LaunchDescriptionEntity]:
    # As text: --show-args shows a substitution as code.
    share = Path(get_package_share_directory('robot_dynamics_ros'))
    default_parameters = str(share / 'config' / 'robot_dynamics.yaml')
    return [
        DeclareLaunchArgument(
            f'{side}_namespace', default_value=side, description=f'namespace of the {side} arm'
        ),
        DeclareLaunchArgument(
            f'{side}_description',
            default_value='',
            description=f'URDF or xacro file of the {side} arm; empty: wait for its topic '
            'robot_description',
        ),
        DeclareLaunchArgument(
            f'{side}_params_file',
            default_value=default_parameters,
            description=f'YAML file of the parameters of the {side} node',
        ),
        DeclareLaunchArgument(
            f'{side}_commands',
            default_value='~/commands',
            description=f'topic of the torques of the {side} arm',
        ),
        DeclareLaunchArgument(
            f'{side}_joint_states',
            default_value='joint_states',
            description=f'topic of the joint states of the {side} arm',
        ),
        DeclareLaunchArgument(
            f'{side}_xacro_args',
            default_value='',
            description=f"arguments of the {side} arm's xacro file: 'NAME:=VALUE NAME:=VALUE'",
        ),
    ]


def start_arm(side: str) -> LaunchDescriptionEntity:
    include = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(ONE_ARM)),
        launch_arguments={
            'namespace': LaunchConfiguration(f'{side}_namespace'),
            'description': LaunchConfiguration(f'{side}_description'),
            'params_file': LaunchConfiguration(f'{side}_params_file'),
            'commands': LaunchConfiguration(f'{side}_commands'),
            'joint_states': LaunchConfiguration(f'{side}_joint_states'),
            'xacro_args': LaunchConfiguration(f'{side}_xacro_args'),
            'autostart': LaunchConfiguration('autostart'),
            'use_sim_time': LaunchConfiguration('use_sim_time'),
            'respawn': LaunchConfiguration('respawn'),
            'on_death': LaunchConfiguration('on_death'),
        }.items(),
    )
    # In a scope of its own, so that settings of one arm do not apply to the other.
    return GroupAction([include])


def generate_launch_description() -> LaunchDescription:
    arguments = [
        *(argument for side in SIDES for argument in declare_arm(side)),
        DeclareLaunchArgument(
            'autostart',
            default_value='',
            choices=['', 'true', 'false'],
            description='true: the nodes configure and activate themselves; empty: as in '
            'params_file, by default true',
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
    ]
    return LaunchDescription(
        [
            OpaqueFunction(function=refuse_unknown, args=arguments),
            *arguments,
            *(start_arm(side) for side in SIDES),
        ]
    )
