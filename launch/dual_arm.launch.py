"""Starts two dynamics nodes for one robot with two arms, one per group of joints.

ros2 launch robot_dynamics_ros dual_arm.launch.py description:=/path/to/robot.urdf \\
  left_joints:=left_shoulder,left_elbow right_joints:=right_shoulder,right_elbow \\
  left_commands:=/left_effort_controller/commands right_commands:=/right_effort_controller/commands

Both nodes read the same joint_states and compute the whole robot: joints that a node does not
command are at their measured positions.
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
    # As text: --show-args shows a substitution as code.
    share = Path(get_package_share_directory('robot_dynamics_ros'))
    default_parameters = str(share / 'config' / 'robot_dynamics.yaml')
    arguments = [
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
    ]
    return LaunchDescription(
        [
            OpaqueFunction(function=refuse_unknown, args=arguments),
            *arguments,
            OpaqueFunction(function=check_joints),
            *(start_group(side) for side in SIDES),
        ]
    )
