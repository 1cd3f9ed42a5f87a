"""Starts an arm with its controllers, on mock hardware or in MuJoCo (mujoco_ros2_control).

ros2 launch robot_dynamics_controller bringup.launch.py description:=/path/to/arm.xacro
"""

import json
import tempfile
from difflib import get_close_matches
from pathlib import Path
from xml.etree import ElementTree

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.cli.description_file import read_robot
from robot_dynamics_ros.cli.export_c import compiled
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.export import export_c

EXAMPLE = 'examples/three_link_arm/three_link_arm.urdf'
MUJOCO = 'mujoco_ros2_control'
MODES = ['gravity_compensation', 'feedforward', 'computed_torque']
ARGUMENTS = {
    'description': {'default_value': '', 'description': 'URDF or xacro file'},
    'xacro_args': {'default_value': '', 'description': 'name:=value ...'},
    'hardware': {'default_value': 'mock', 'choices': ['mock', 'mujoco']},
    'mode': {'default_value': MODES[0], 'choices': MODES},
}
# Of joint_trajectory_controller, for a small arm [N m/rad, N m s/rad].
GAINS = {'p': 50.0, 'i': 0.0, 'd': 5.0}


def with_hardware(urdf: str, joints: list[str], hardware: str, folder: Path) -> str:
    """The description with hardware that takes efforts, in place of its own."""
    robot = ElementTree.fromstring(urdf)
    for own in robot.findall('ros2_control'):
        robot.remove(own)
    system = ElementTree.SubElement(robot, 'ros2_control', name=hardware, type='system')
    plugin = ElementTree.SubElement(ElementTree.SubElement(system, 'hardware'), 'plugin')
    plugin.text = 'mock_components/GenericSystem'
    if hardware == 'mujoco':
        plugin.text = f'{MUJOCO}/MujocoSystemInterface'
        model = ElementTree.SubElement(system[0], 'param', name='mujoco_model')
        model.text = str(folder / 'arm.xml')
        (folder / 'arm.xml').write_text(mujoco_model(urdf, joints))
    for name in joints:
        joint = ElementTree.SubElement(system, 'joint', name=name)
        ElementTree.SubElement(joint, 'command_interface', name='effort')
        for state in ('position', 'velocity', 'effort'):
            interface = ElementTree.SubElement(joint, 'state_interface', name=state)
            ElementTree.SubElement(interface, 'param', name='initial_value').text = '0.0'
    return ElementTree.tostring(robot, encoding='unicode')


def mujoco_model(urdf: str, joints: list[str]) -> str:
    """MJCF of the inertials and joints of a description, with a motor for each of some joints."""
    import mujoco

    robot = ElementTree.fromstring(urdf)
    for link in robot.iter('link'):
        for part in [*link.findall('visual'), *link.findall('collision')]:
            link.remove(part)
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(robot, encoding='unicode'))
    # MuJoCo 3 leaves out <mimic>.
    coupled = {equality.name1 for equality in spec.equalities}
    for joint in robot.findall('joint'):
        mimic = joint.find('mimic')
        if mimic is not None and joint.get('name') not in coupled:
            gear = spec.add_equality(name1=joint.get('name'), name2=mimic.get('joint'))
            gear.type, gear.objtype = mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtObj.mjOBJ_JOINT
            gear.data[:2] = float(mimic.get('offset', 0.0)), float(mimic.get('multiplier', 1.0))
    for name in joints:
        motor = spec.add_actuator(name=name, target=name)
        motor.trntype = mujoco.mjtTrn.mjTRN_JOINT
    spec.compile()
    return spec.to_xml()


def controllers(joints: list[str], library: Path, mode: str) -> dict:
    """Parameters of the manager and its controllers, as docs/controllers.md explains them."""
    before = {'command_interfaces': ['effort'], 'gains': dict.fromkeys(joints, GAINS)}
    feedback = {}
    if mode != MODES[0]:
        before = {'command_interfaces': ['position', 'velocity', 'acceleration']}
        stiff, damped = (GAINS['p'], GAINS['d']) if mode == MODES[1] else (400.0, 40.0)
        feedback = {'kp': [stiff], 'kd': [damped]}
    trajectory = {
        'joints': joints,
        'command_joints': [f'dynamics_controller/{name}' for name in joints],
        'state_interfaces': ['position', 'velocity'],
        **before,
    }
    types = {
        'joint_state_broadcaster': 'joint_state_broadcaster/JointStateBroadcaster',
        'dynamics_controller': 'robot_dynamics_controller/DynamicsFeedforwardController',
        'arm_controller': 'joint_trajectory_controller/JointTrajectoryController',
    }
    parameters = {
        'controller_manager': {
            'update_rate': 1000,
            'enforce_command_limits': False,  # true makes an effort 0 at a limit of velocity
            **{name: {'type': kind} for name, kind in types.items()},
        },
        'dynamics_controller': {
            'dynamics_library': str(library), 'joints': joints, 'mode': mode, **feedback,
        },
        'arm_controller': trajectory,
    }  # fmt: skip
    return {name: {'ros__parameters': values} for name, values in parameters.items()}


def start(context):
    """Write the description, its library and the parameters; start the nodes."""

    def argument(name):
        return LaunchConfiguration(name).perform(context)

    # Of another name: a launch file that includes this one may have arguments of its own.
    for name in context.launch_configurations.keys() - ARGUMENTS.keys():
        if near := get_close_matches(name, ARGUMENTS):
            raise RuntimeError(f'there is no launch argument {name!r}: is {near[0]!r} meant?')
    hardware, package = argument('hardware'), 'controller_manager'
    if hardware == 'mujoco':
        package = MUJOCO
        try:
            get_package_prefix(MUJOCO)
        except PackageNotFoundError:
            raise RuntimeError(
                f'hardware:=mujoco needs {MUJOCO}, which is not installed: '
                f'apt install ros-$ROS_DISTRO-{MUJOCO.replace("_", "-")}, or hardware:=mock'
            ) from None
    file = (
        argument('description') or f'{get_package_share_directory("robot_dynamics_ros")}/{EXAMPLE}'
    )
    model, urdf = read_robot(Path(file), argument('xacro_args').split())
    folder = Path(tempfile.mkdtemp(prefix='robot_dynamics_'))
    joints = list(model.joint_names)
    urdf = with_hardware(urdf, joints, hardware, folder)
    files = export_c(parse_urdf(urdf), name='arm', urdf=urdf, library=True)
    library = folder / 'arm' / 'arm.so'
    write_folder(folder / 'arm', {**files, library.name: compiled(files)})
    parameters = folder / 'controllers.yaml'
    parameters.write_text(json.dumps(controllers(joints, library, argument('mode'))))
    names = ['joint_state_broadcaster', 'dynamics_controller', 'arm_controller']
    return [
        Node(
            package='robot_state_publisher',
            executable='robot_state_publisher',
            parameters=[{'robot_description': urdf}],
        ),
        Node(
            package=package,
            executable='ros2_control_node',
            parameters=[str(parameters), {'use_sim_time': hardware == 'mujoco'}],
            output='screen',
        ),
        Node(
            package='controller_manager',
            executable='spawner',
            arguments=[*names, '--param-file', str(parameters), '--activate-as-group'],
        ),
    ]


def generate_launch_description():
    """What `ros2 launch` reads."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, **options) for name, options in ARGUMENTS.items()),
        OpaqueFunction(function=start),
    ])  # fmt: skip
