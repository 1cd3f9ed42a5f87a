"""Starts the dynamics node for one arm.

ros2 launch robot_dynamics_ros dynamics.launch.py description:=/path/to/arm.xacro namespace:=left
"""

import shlex
import sys
from difflib import get_close_matches
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnShutdown
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch.logging import get_logger
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

# Longer than the largest fade_time [s].
SHUTDOWN_TIMEOUT = '70'
# Until a node that died is started again [s].
RESPAWN_DELAY = 1.0
# In the context of a launch: the deaths so far, each as a phrase.
DEATHS = 'deaths_of_dynamics_nodes'
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


def read_description(path: str, xacro_args: str) -> str:
    """The URDF of a file.

    Raises:
        RuntimeError: it cannot be read; launch prints the text of it, and ends with code 1.
    """
    if '://' in path:
        raise RuntimeError(
            f'description is {path}: give the path of a file, such as '
            '$(ros2 pkg prefix --share PACKAGE)/urdf/arm.urdf'
        )
    require_file('description', path)
    if path.endswith('.xacro'):
        return expand(path, xacro_args)
    if xacro_args:
        raise RuntimeError(f'xacro_args is given, but description is {path}: name a .xacro file')
    return Path(path).read_text()


def expand(path: str, xacro_args: str) -> str:
    """The URDF of a xacro file with arguments such as "ur_type:=ur5e name:=ur"."""
    pairs = [pair.partition(':=') for pair in shlex.split(xacro_args)]
    for name, assignment, value in pairs:
        if not (name and assignment):
            raise RuntimeError(
                f'xacro_args has {name or value!r}: write NAME:=VALUE, separated by spaces'
            )
    try:
        import xacro  # optional: a plain URDF does not need it
    except ImportError:
        raise RuntimeError(f'{path} needs xacro: install ros-$ROS_DISTRO-xacro') from None
    try:
        mappings = {name: value for name, _, value in pairs}
        return str(xacro.process_file(path, mappings=mappings).toxml())
    except Exception as error:
        reason = ' '.join(str(error).split())
        raise RuntimeError(f'xacro cannot expand {path}: {reason}') from error


def require_file(argument: str, path: str) -> None:
    if not Path(path).is_file():
        raise RuntimeError(f'{argument} is {path}: there is no such file')


def end_launch(event: ProcessExited, context: LaunchContext) -> None:
    """Ends `ros2 launch` with an error if the node has died: the arm gets no commands any more."""
    if event.returncode and not context.is_shutdown:
        raise RuntimeError(f'{event.process_name} died with exit code {event.returncode}')


def go_on(event: ProcessExited, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
    """Lets the other nodes go on if this one has died; the launch fails when it ends."""
    deaths = context.get_locals_as_dict().get(DEATHS, [])
    if context.is_shutdown:
        if deaths:
            raise RuntimeError('; '.join(deaths))
        return None
    if not event.returncode:
        return None
    name = event.action.node_name
    death = f'{name} ({event.process_name}) died with exit code {event.returncode}'
    context.extend_globals({DEATHS: [*deaths, death]})
    get_logger('launch.user').error(
        f'{death}. If it has commanded torque, its controller may keep the last one: hold that '
        'arm, or close its brake. Other nodes of this launch go on (on_death:=continue)'
    )
    return [RegisterEventHandler(OnShutdown(on_shutdown=fail_when_idle))]


def fail_when_idle(event: Shutdown, context: LaunchContext) -> None:
    # An error here keeps launch from ending other processes: raised only where none is left.
    if event.reason == 'idle':
        raise RuntimeError('; '.join(context.get_locals_as_dict()[DEATHS]))


def view_of(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The process that shows the node in a browser, with view:=true."""
    names = 'view', 'namespace', 'name', 'description', 'xacro_args'
    view, namespace, name, file, arguments = (
        LaunchConfiguration(each).perform(context) for each in names
    )
    if view != 'true':
        return []
    command = [sys.executable, '-m', 'robot_dynamics_ros.executables', 'view', '--ros']
    command += ['--node', f'{namespace}/{name}', *filter(None, [file]), *shlex.split(arguments)]
    return [ExecuteProcess(cmd=command, output='screen')]


def start_node(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    params_file = LaunchConfiguration('params_file').perform(context)
    require_file('params_file', params_file)
    parameters = [params_file]
    for switch in ('autostart', 'use_sim_time'):
        value = LaunchConfiguration(switch).perform(context)
        if value:
            parameters.append({switch: value == 'true'})
    description = LaunchConfiguration('description').perform(context)
    xacro_args = LaunchConfiguration('xacro_args').perform(context)
    if description:
        # As a string: launch would read it as YAML otherwise.
        xml = ParameterValue(read_description(description, xacro_args), value_type=str)
        parameters.append({'robot_description': xml})
    elif xacro_args:
        raise RuntimeError('xacro_args is given without description: name a .xacro file')
    respawn = LaunchConfiguration('respawn').perform(context) == 'true'
    on_death = LaunchConfiguration('on_death').perform(context)
    joints = LaunchConfiguration('joints').perform(context)
    if joints:
        names = [name.strip() for name in joints.split(',')]
        # As strings: YAML would read a joint named "on" as true.
        parameters.append({'joints': ParameterValue(names, value_type=list[str])})
    return [
        *view_of(context),
        Node(
            package='robot_dynamics_ros',
            executable='dynamics_node',
            name=LaunchConfiguration('name'),
            namespace=LaunchConfiguration('namespace'),
            parameters=parameters,
            remappings=[
                ('~/commands', LaunchConfiguration('commands')),
                ('joint_states', LaunchConfiguration('joint_states')),
            ],
            output='screen',
            respawn=respawn,
            respawn_delay=RESPAWN_DELAY,
            on_exit=None if respawn else go_on if on_death == 'continue' else end_launch,
            # The node may fade for a minute before it ends; a kill would leave the last torque.
            sigterm_timeout=SHUTDOWN_TIMEOUT,
            sigkill_timeout=SHUTDOWN_TIMEOUT,
        ),
    ]


def generate_launch_description() -> LaunchDescription:
    # As text: --show-args shows a substitution as code.
    share = Path(get_package_share_directory('robot_dynamics_ros'))
    default_parameters = str(share / 'config' / 'robot_dynamics.yaml')
    arguments = [
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
        DeclareLaunchArgument(
            'joint_states',
            default_value='joint_states',
            description='topic of the joint states, such as /left/joint_states',
        ),
        DeclareLaunchArgument(
            'xacro_args',
            default_value='',
            description="arguments of a xacro file: xacro_args:='ur_type:=ur5e name:=ur'",
        ),
        DeclareLaunchArgument(
            'use_sim_time',
            default_value='',
            choices=['', 'true', 'false'],
            description='true: the time of topic /clock. Empty: as in params_file, by default '
            'false',
        ),
        DeclareLaunchArgument(
            'view',
            default_value='false',
            choices=['true', 'false'],
            description='true: show arm and node in a browser, at http://127.0.0.1:8080; needs '
            'viser (docs/view.md)',
        ),
        DeclareLaunchArgument(
            'respawn',
            default_value='false',
            choices=['true', 'false'],
            description='true: start the node again when it dies; it begins as on_restart of '
            'params_file says. false: as on_death says',
        ),
        DeclareLaunchArgument(
            'on_death',
            default_value='end',
            choices=['end', 'continue'],
            description='end: a node that dies ends the launch with code 1, and the other '
            'nodes of it. continue: they go on, and the launch ends with code 1 after them',
        ),
    ]
    return LaunchDescription(
        [
            OpaqueFunction(function=refuse_unknown, args=arguments),
            *arguments,
            OpaqueFunction(function=start_node),
        ]
    )
