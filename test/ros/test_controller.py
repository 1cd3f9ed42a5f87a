"""The controller behind the command topic: which is asked, its joints, its state, and restarts."""

from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool
from three_joints import JOINTS

from robot_dynamics_ros.control.limiter import LONGEST_STEP
from robot_dynamics_ros.ros import controller as controller_file
from robot_dynamics_ros.ros.controller import controller_of

try:
    from controller_manager_msgs.msg import ControllerState
    from controller_manager_msgs.srv import ListControllers
except ImportError:
    ListControllers = None

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
NAME = '/effort_controller'
SETTINGS = {'start': False, 'controller': NAME}


class FakeController:
    """A node with the parameters of a forward_command_controller, in the executor of a scene.

    Where controller_manager_msgs is not installed, its states are given to the node as if a
    controller manager had answered.

    Attributes:
        applied: (m,) the commands that came while it was active.
        state: as its controller manager says; None for no controller manager.
    """

    def __init__(
        self, scene, joints, interface='effort', state='active', name='effort_controller'
    ):
        context = scene.node.context
        self._scene, self._name = scene, name
        self.node = rclpy.create_node(name, context=context)
        if joints is not None:
            self.node.declare_parameter('joints', joints)
        if interface is not None:
            self.node.declare_parameter('interface_name', interface)
        self.applied, self.state = [], state
        self.node.create_subscription(
            Float64MultiArray, '/robot_dynamics/commands', self._on_command, 10
        )
        if ListControllers is not None and state is not None:
            self.node.create_service(
                ListControllers, '/controller_manager/list_controllers', self._list
            )
        # As often as the node asks.
        self.node.create_timer(0.1, self.tell)
        scene.robot.executor.add_node(self.node)

    def _on_command(self, message):
        if self.state in (None, 'active'):
            self.applied.append(list(message.data))

    def _list(self, request, response):
        response.controller = [ControllerState(name=self._name, state=self.state)]
        return response

    def switch(self, state):
        """Be in that state from now on."""
        self.state = state
        self.tell()

    def tell(self):
        """Answer for the controller manager, where its messages are not installed."""
        controller = self._scene.robot._controller
        if ListControllers is None and self.state is not None and controller.name:
            controller.take_states({self._name: self.state})

    def publish_activity(self, *states):
        """Messages of its controller manager on the topic of activity, one after the other."""
        for state in states:
            each = SimpleNamespace(name=self._name, state=SimpleNamespace(label=state))
            self._scene.robot._controller.on_activity(SimpleNamespace(controllers=[each]))

    def destroy(self):
        self.node.destroy_node()


def begin(scene, *args, **kwargs):
    """Start the node behind a controller, which has been discovered."""
    controller = FakeController(scene, *args, **kwargs)
    scene.until(lambda: NAME[1:] in scene.robot.get_node_names(), 'the controller')
    scene.robot.start()
    controller.tell()
    return controller


@pytest.mark.parametrize(
    ('joints', 'interface', 'named'),
    [
        (['slide', 'turn', 'wrist'], 'effort', 'slide, turn, wrist'),
        # Torques in N m would be taken for rad.
        (list(JOINTS), 'position', "'position'"),
    ],
)
def test_a_controller_of_other_joints_or_of_positions_is_refused(
    guarded, joints, interface, named
):
    with guarded(**SETTINGS) as scene:
        begin(scene, joints, interface=interface)
        scene.until(lambda: named in scene.shows('inhibited').message, 'the reason')
        scene.until_silent()
        assert len(scene.recording) == 0
        assert named in scene.call(SetBool, 'enable', data=True).message


def test_a_controller_gets_the_fade_each_time_that_it_is_activated(guarded, dynamics):
    """The torque was a step in one cycle when a controller was activated after the node."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(**SETTINGS) as scene:
        controller = begin(scene, list(JOINTS), state='inactive')
        scene.shows('interrupted')
        scene.until_silent()
        assert len(scene.recording) == 0
        controller.switch('active')
        scene.settle(torque)
        applied = np.array(controller.applied)
        assert not applied[0].any()
        rates = np.array([1000.0, 2000.0, 200.0])
        assert (np.abs(np.diff(applied, axis=0)) <= rates * LONGEST_STEP + 1e-9).all()
        scene.gone('interrupted')
        values = scene.figures('commands')
        assert (values['controller'], values['subscribers']) == (f'{NAME} is active', '3')
        scene.recording.not_applied()
        controller.switch('inactive')
        scene.until_silent()
        # Commands from before may still wait in the queue of the controller.
        before = len(scene.recording)
        scene.recording.applied_again()
        controller.switch('active')
        scene.until(lambda: len(scene.recording) > before, 'commands')
        scene.settle(torque)
        assert not scene.recording.commands[before].any()
        # Both messages of the manager come at once; answers that are older are not taken.
        scene.recording.not_applied()
        before = len(scene.recording)
        controller.publish_activity('inactive', 'active')
        scene.until(
            lambda: (scene.recording.commands[before:] == 0.0).all(axis=1).any(), 'a new begin'
        )
        scene.settle(torque)


def test_a_controller_that_ends_is_waited_for(guarded, dynamics):
    """Its controller manager was killed, and is started again."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(**SETTINGS) as scene:
        first = begin(scene, list(JOINTS), state=None)
        scene.settle(torque)
        first.destroy()
        scene.shows('interrupted')
        scene.until_silent()
        scene.recording.not_applied()
        scene.recording.applied_again()
        second = FakeController(scene, list(JOINTS), state=None)
        scene.until(lambda: second.applied, 'commands')
        scene.settle(torque)
        assert not np.any(second.applied[0])


def test_wrong_joints_that_are_found_after_the_start_are_a_fault(guarded, dynamics, monkeypatch):
    """Torque ends at the rate limits: each of it is that of another joint."""
    monkeypatch.setattr(controller_file, 'DISCOVERY', 0.0)
    with guarded(start=False, on_stop='hold') as scene:
        # As after --remap '~/commands:=/effort_controller/commands'.
        monkeypatch.setattr(scene.robot._controller, '_topic', f'{NAME}/commands')
        scene.robot.start()
        scene.settle(dynamics.bias_torque(Q, V))
        scene.set(fade_time=60.0)
        controller = FakeController(scene, ['slide', 'turn', 'wrist'])
        scene.until(
            lambda: controller.tell() or (scene.torques and scene.torques[-1].fault), 'the fault'
        )
        scene.settle(np.zeros(3))
        scene.shows('fault')


def test_an_arm_of_unknown_holder_is_left_alone_until_somebody_decides(guarded, dynamics):
    """By default: a process that was killed may have held it, or the driver adds gravity."""
    held = dynamics.gravity_torque(Q)
    with guarded(v=np.zeros(3), effort=lambda: held, terms=['gravity']) as scene:
        status = scene.shows('inhibited')
        assert 'on_restart' in status.message
        assert status.level == DiagnosticStatus.ERROR
        assert len(scene.recording) == 0
        scene.recording.robot_has(held)
        scene.set(on_restart='take_over')
        scene.settle(held)


# Which controller is asked


@pytest.mark.parametrize(
    ('node', 'topic', 'wanted', 'asked'),
    [
        ('/node', '/commands', '', ''),
        ('/arm/node', '/arm/commands', '', ''),
        ('/arm/node', '/arm/effort/commands', '', '/arm/effort'),
        ('/arm/node', '/arm/effort/commands', 'none', ''),
        ('/arm/node', '/arm/commands', '/effort', '/effort'),
    ],
)
def test_the_topic_names_the_controller_unless_it_is_the_nodes_own(node, topic, wanted, asked):
    assert controller_of(topic, wanted, node) == asked
