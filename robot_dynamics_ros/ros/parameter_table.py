"""Every parameter of dynamics_node, in one table; needs no ROS.

From it come the declarations, the checks, `config/robot_dynamics.yaml` and `docs/parameters.md`
(`python -m scripts.parameters`).
"""

from __future__ import annotations

from robot_dynamics_ros.control.external.contact_detector import CUTOFF
from robot_dynamics_ros.control.external.estimate import ExternalSettings
from robot_dynamics_ros.control.feedforward import DEFAULT_TERMS
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import LONGEST_STALE
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY

from .parameters import Parameter, Table

GUARDS = Settings()
EXTERNAL = ExternalSettings()
NEWTON = 'N m or N'

# fmt: off
ROBOT = (
    Parameter('robot_description', 'string', '', 'URDF of the robot, as text.',
              empty='that of `description_file`, or of topic `robot_description`'),
    Parameter('description_file', 'string', '',
              'Path of the URDF of the robot, in place of its text.',
              'A relative path is for the folder of the parameter file. It is read on configure, '
              'and refused beside `robot_description`.', path=True, empty='no file'),
    Parameter('autostart', 'bool', True,
              'Whether the node configures and activates itself as soon as it has a description.',
              'false: wait for the lifecycle services (ros2 lifecycle set /robot_dynamics '
              'configure).'),
    Parameter('joints', 'string_array', [''], 'Joints to command, in the order of `~/commands`.',
              'The other joints enter with their measured position and zero velocity. Quote names '
              "that YAML reads as another type ('y', 'on').",
              empty='all joints that move independently, depth first as in the URDF'),
    Parameter('locked_joints', 'double_map', {},
              'Positions of joints that no message of `joint_states` contains, by joint.',
              'What is measured of these joints is not used. A commanded joint cannot be locked.',
              unit='rad or m', empty='none'),
    Parameter('payload_frame', 'string', '',
              'Link on whose body `~/set_payload` attaches payloads.',
              empty='the link at the tip of `joints`'),
    Parameter('cross_check', 'bool', True,
              'Whether the dynamics is compared with Pinocchio on configure, and at each change '
              'of payload or gravity.',
              'An error above 1e-10 of the largest entry refuses the robot or the change. false: '
              'they are never compared, and Pinocchio need not be installed.'),
)

TORQUE = (
    Parameter('terms', 'string_array', list(DEFAULT_TERMS), 'Terms of the torque to command.',
              'Leave out every term that the driver of the arm adds itself: if gravity is '
              'compensated twice, the arm rises.',
              choices={
                  'gravity': 'g(q)',
                  'coriolis': 'C(q, v) v',
                  'inertial': 'M(q) a, with the acceleration of the reference',
                  'friction': 'the law of docs/friction.md, and torque_offset',
              }, live=True),
    Parameter('friction_share', 'double', GUARDS.friction_share,
              'Share of the friction that is compensated at the measured velocity.',
              'At that of a reference it is compensated in full (docs/friction.md).',
              unit='-', least=0.0, most=1.0, live=True),
    Parameter('gravity', 'double_array', list(STANDARD_GRAVITY),
              'Gravitational acceleration, in the frame of the root link.',
              'For an arm that hangs from the ceiling: [0.0, 0.0, 9.81].', unit='m/s^2',
              least=-100.0, most=100.0, size=3, live=True),
    Parameter('joint_model', 'string', '',
              'Path of the friction.yaml of `robot_dynamics identify`: friction, offset and rotor '
              'inertia of each joint.',
              'A relative path is for the folder of the parameter file. The file must name each '
              'commanded joint, and no joint that the robot does not have.', path=True,
              empty='damping and friction of the URDF, no offset and no rotor inertia'),
)

STATES = (
    Parameter('state_timeout', 'double', GUARDS.state_timeout,
              'Time without a valid position of each commanded joint after which the state is '
              'stale.',
              'More than 2.5 periods of `joint_states`. A state that has waited longer for the '
              'node is not answered. Other joints (grippers) are not watched. A longer time '
              'counts from the next state of a joint on.', unit='s', above=0.0, live=True),
    Parameter('on_stale', 'string', GUARDS.on_stale, 'Command while the state is stale.',
              choices={
                  'hold': 'gravity and torque_offset at the last valid state, as far as gravity '
                      f'and friction are in terms; after {LONGEST_STALE:g} s a fault, and the '
                      'final command of on_stop',
                  'zero': f'zero torque; after {LONGEST_STALE:g} s a fault',
                  'stop': 'nothing is published; a forward_command_controller keeps the last '
                      'command. Commands begin anew with the next states, as on_restart says',
              }, live=True),
)

REFERENCE = (
    Parameter('controller_action', 'string', '',
              'Action of the controller to which `~/follow_joint_trajectory` passes goals on, '
              'such as `/arm_controller/follow_joint_trajectory`.', empty='no goal is passed on'),
    Parameter('reference_tolerance', 'double', GUARDS.reference_tolerance,
              'Largest difference of the gravity torques at `~/reference` and at the arm, as a '
              'share of each effort limit; .inf: any.',
              'A reference that begins farther away is rejected. One that the arm has left by '
              'more is dropped, and the node returns to the measured state.', least=0.0,
              infinite=True, live=True),
)

COMMANDS = (
    Parameter('controller', 'string', '', 'Node of the controller that applies `~/commands`.',
              'Its parameters joints and interface_name must fit, and commands begin when the '
              'controller manager says that it is active. A controller that is named here must '
              'answer. none: no check.',
              empty='the node after which the topic is named, if it answers: `/effort_controller` '
                    'for `/effort_controller/commands`'),
    Parameter('effort_limits', 'double_array', list(GUARDS.effort_limits),
              'Largest magnitude of the command of each commanded joint.',
              'Where the URDF has no limit, or 0, or where the limits hold the arm at no pose, as '
              'with masses in grams, the node does not activate until this parameter is set.',
              unit=NEWTON, least=0.0, infinite=True, empty='effort limit of the URDF', live=True),
    Parameter('massless_joints', 'string_array', list(GUARDS.massless_joints),
              'Commanded joints behind which nothing has a mass, on purpose.',
              'Where the URDF has others, the node does not activate: every torque on them would '
              'be zero.', empty='none', live=True),
    Parameter('fade_time', 'double', GUARDS.fade_time,
              'Duration of the fade to the new command after every change of what is commanded.',
              unit='s', least=0.0, most=60.0, live=True),
    Parameter('on_stop', 'string', GUARDS.on_stop,
              'Last command on deactivation, on `~/enable` with false, on shutdown (SIGINT, '
              'SIGTERM, SIGHUP) and on a fault.', 'Nothing is published after it.',
              choices={
                  'zero': 'zero torque',
                  'hold': 'gravity and torque_offset at the last valid state, as far as gravity '
                      'and friction are in terms',
              }, live=True),
    Parameter('on_restart', 'string', GUARDS.on_restart,
              'Torque at which commands begin after silence.',
              'They begin at the last command where measured efforts show that the drive has kept '
              'it.',
              choices={
                  'automatic': 'where the measured efforts equal gravity: the gravity torque if a '
                      'publisher of commands was seen that has ended, else none, and the log says '
                      'why; zero torque elsewhere',
                  'take_over': 'the gravity torque where the measured efforts equal it, or, where '
                      'they are not measured, the arm is at rest; zero torque elsewhere',
                  'fade_from_zero': 'zero torque, in one step if the controller still applies '
                      'another',
              }, live=True),
    Parameter('driver_effort', 'string', GUARDS.driver_effort,
              'What the driver publishes as `effort` in `joint_states`.',
              'A fit of efforts at rest by gravity reports what contradicts this.',
              choices={
                  'torque': 'the torque of the drive, with gravity, positive along the axis of '
                      'the joint',
                  'reversed_torque': 'the same with the other sign (KUKA FRI)',
                  'torque_without_gravity': 'the torque beyond the gravity that the driver adds '
                      '(UR: get_joint_torques)',
                  'current': 'a current, or a share of one: taken as not measured',
                  'none': 'nothing of use: taken as not measured',
              }, live=True),
)


def _threshold(band: str, side: str) -> Parameter:
    """The row of the constant thresholds of a band."""
    return Parameter(
        f'{band}_threshold',
        'double_array',
        [],
        f'External torque of each commanded joint {side} {CUTOFF:g} Hz that is a {band}.',
        'Where `contact_thresholds` names a file, the file has them.',
        unit=NEWTON,
        above=0.0,
        empty=f'no {band} is detected',
        live=True,
    )


CONTACTS = (
    Parameter('external_observer', 'bool', EXTERNAL.external_observer,
              'Whether the torques of external forces are estimated.',
              'The joint states must contain velocities, and efforts that are torques.',
              live=True),
    Parameter('external_bandwidth', 'double_array', list(EXTERNAL.external_bandwidth),
              'Bandwidth f of the estimate of each commanded joint.',
              'The estimate follows the external torque with the time constant 1 / (2 pi f). A '
              'larger bandwidth passes on more noise of velocities and efforts.', unit='Hz',
              above=0.0, live=True),
    Parameter('external_frame', 'string', EXTERNAL.external_frame,
              'Link at whose origin and in whose axes `~/external_wrench` is given; a commanded '
              'joint must move it.', empty='link at the tip of `joints`', live=True),
    _threshold('collision', 'above'),
    _threshold('push', 'below'),
    Parameter('contact_thresholds', 'string', '',
              'File of `robot_dynamics thresholds --output`: the thresholds of collisions and '
              'pushes by joint name, which grow with the motion.',
              '`external_bandwidth` must be that of the file, `collision_threshold` and '
              '`push_threshold` empty. A relative path is for the folder of the parameter file.',
              path=True, empty='`collision_threshold` and `push_threshold`', live=True),
    Parameter('on_collision', 'string', GUARDS.on_collision,
              'Reaction to a collision; until `~/enable` is called.',
              choices={
                  'report': '`~/contact` alone; the commands go on',
                  'hold': 'the reference is dropped: gravity compensation at the measured '
                      'positions, which holds no position',
                  'zero': 'the reference is dropped: zero torque',
                  'stop': 'the last command as `on_stop` says, then nothing',
              }, live=True),
)

TABLE = Table(
    {
        'The robot': ROBOT,
        'The torque': TORQUE,
        'Joint states': STATES,
        'References': REFERENCE,
        'Commands': COMMANDS,
        'External forces and contacts (docs/external_forces.md)': CONTACTS,
    },
    read='on configure',
)
