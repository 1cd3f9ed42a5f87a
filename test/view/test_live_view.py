"""The live view beside what a node publishes, with a stand-in for the node."""

import re
import time

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from std_srvs.srv import SetBool
from three_joints import JOINTS, LIMITED
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import wait_until

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_interfaces.srv import SetGravity, SetPayload
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros.endpoints import LATCHED
from robot_dynamics_ros.ros.listener import Listener
from robot_dynamics_ros.view.live_view import LiveView
from robot_dynamics_ros.view.scene import ORANGE, RED

NAME = '/left/robot_dynamics'
Q, EFFORT = [0.3, 0.1, -0.7], [1.0, -40.0, 3.0]
PARTS = {'gravity': [0.0, -41.0, 2.5], 'coriolis': [0.1, 0.2, 0.3], 'inertial': [0.0] * 3,
         'friction': [0.5, 0.0, 0.0]}  # fmt: skip
COMMAND = [0.6, -40.8, 25.0]
BOX = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
URDF = LIMITED.replace('<link name="hand">', f'<link name="hand">{BOX}')


class Stand:
    """Publishes what a node would, and notes which services are called."""

    def __init__(self):
        space, _, name = NAME.rpartition('/')
        self.context, self.calls = rclpy.Context(), []
        rclpy.init(context=self.context)
        self.node = rclpy.create_node(name, namespace=space, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        # The states come on another topic, as where it is remapped.
        self.node.create_subscription(JointState, '/driver/states', lambda message: None, 10)
        self.states = self.node.create_publisher(JointState, '/driver/states', 10)
        self.publishers = {
            kind: self.node.create_publisher(kind, topic, qos)
            for kind, topic, qos in (
                (JointTorques, '~/torques', 10), (WrenchStamped, '~/external_wrench', 10),
                (Contact, '~/contact', LATCHED), (JointTrajectory, '~/reference', 10),
                (DiagnosticArray, '/diagnostics', 10),
            )
        }  # fmt: skip
        for kind, service in (
            (SetBool, 'enable'), (SetPayload, 'set_payload'), (SetGravity, 'set_gravity')
        ):  # fmt: skip
            self.node.create_service(
                kind, f'~/{service}',
                lambda request, response, name=service: self.answer(name, request, response),
            )  # fmt: skip

    def answer(self, name, request, response):
        self.calls.append((name, request))
        response.success, response.message = name != 'set_payload', f'heard <{name}>'
        return response

    def show(self):
        names = list(reversed(JOINTS))
        self.states.publish(
            JointState(name=['gripper', *names], position=[9.0, *reversed(Q)],
                       effort=[9.0, *reversed(EFFORT)])
        )  # fmt: skip
        parts = {part: values[::-1] for part, values in PARTS.items()}
        self.publishers[JointTorques].publish(
            JointTorques(joint_names=names, effort=COMMAND[::-1], saturated=['turn'],
                         state='TRACKING', target='terms', event='ready', **parts)
        )  # fmt: skip
        wrench = Wrench(force=Vector3(x=30.0))
        self.publishers[WrenchStamped].publish(
            WrenchStamped(header=Header(frame_id='hand'), wrench=wrench)
        )
        status = [
            DiagnosticStatus(name=f'{NAME}: model', level=DiagnosticStatus.WARN, message='<b>'),
            DiagnosticStatus(name='/b: model', level=DiagnosticStatus.ERROR, message='foreign'),
            DiagnosticStatus(name=f'{NAME}: timing',
                             values=[KeyValue(key='latency p99 [ms]', value='1.234')]),
        ]  # fmt: skip
        self.publishers[DiagnosticArray].publish(DiagnosticArray(status=status))
        self.executor.spin_once(timeout_sec=0.0)

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def stand():
    stand = Stand()
    yield stand
    stand.close()


@pytest.fixture
def view(server):
    listener = Listener(NAME)
    yield LiveView(server, listener, parse_urdf(URDF), URDF, None)
    listener.close()


def until(view, stand, condition, what):
    def between():
        stand.show()
        view.update()
        time.sleep(0.01)

    wait_until(condition, what, between)


def test_what_is_shown_is_what_is_published(view, stand):
    dynamics = RobotDynamics(parse_urdf(URDF))
    until(view, stand, lambda: 'TRACKING' in view.state.content and '1.234' in
          view.conditions.content and view.arrow.visible
          and view.panel.plots[0].visible, 'all topics')  # fmt: skip
    for _ in range(3):
        view.update()
    np.testing.assert_allclose(view.scene.arm.q, Q)
    rows = re.findall(
        r'<b>(\w+)</b>.*?color:([^"]+)">([-.\d]+) / ([-.\d]+) N', view.panel.bars.content
    )
    measured, commanded = np.array([row[2:] for row in rows], float).T
    np.testing.assert_allclose(measured, EFFORT, atol=0.01)
    np.testing.assert_allclose(commanded, COMMAND, atol=0.01)
    # One is saturated, another beyond its limit.
    assert {row[0] for row in rows if row[1] != 'inherit'} == {'turn', 'wrist'}
    model = np.sum([*PARTS.values()], axis=0)
    for plot, effort, torque in zip(view.panel.plots, EFFORT, model, strict=True):
        times, first, second = plot.data
        assert times[-1] == 0.0
        np.testing.assert_allclose([first[-1], second[-1]], [effort, torque])
    for words in ('TRACKING', 'ready', 'terms'):
        assert words in view.state.content
    # What the diagnostics of others report is not of this node; nothing is taken for HTML.
    assert '&lt;b&gt;' in view.conditions.content
    assert 'foreign' not in view.conditions.content
    assert 'coriolis 0.20' in view.terms.content
    R, p = dynamics.frame_pose(Q, 'hand')
    ((start, end),) = view.arrow.points
    np.testing.assert_allclose(end, p, atol=1e-6)
    along = (end - start) / np.linalg.norm(end - start)
    np.testing.assert_allclose(along, R[:, 0], atol=1e-6)


def test_a_contact_colours_its_link_until_it_ends(view, stand):
    ((part, own),) = view.scene.arm.parts['hand']
    for kind, color in ((Contact.KIND_PUSH, ORANGE), (Contact.KIND_COLLISION, RED)):
        message = Contact(kind=kind, link='hand')
        until(view, stand, lambda c=color, m=message: stand.publishers[Contact].publish(m)
              or tuple(part.color) == c, 'the colour')  # fmt: skip
    stand.publishers[Contact].publish(Contact())
    until(view, stand, lambda: tuple(part.color) == own, 'its own colour')


def test_the_reference_is_a_ghost_until_it_ends(view, stand):
    point = JointTrajectoryPoint(positions=[0.5, 0.2, 1.0])
    message = JointTrajectory(joint_names=list(JOINTS), points=[point])
    until(view, stand, lambda: stand.publishers[JointTrajectory].publish(message)
          or view.ghost.root.visible, 'the ghost')  # fmt: skip
    np.testing.assert_allclose(view.ghost.q, [0.5, 0.2, 1.0])
    stand.publishers[JointTrajectory].publish(JointTrajectory())
    until(view, stand, lambda: not view.ghost.root.visible, 'its end')


def press(view, name):
    for callback in view.buttons[name]._impl.update_cb:
        callback(None)


def test_buttons_call_the_services_of_the_node_and_its_answer_is_shown(view, stand):
    view.at.value, view.mass.value, view.centre.value = 'hand', 2.0, (0.0, 0.0, 0.1)
    view.gravity.value = (0.0, 9.81, 0.0)
    for name, color in (
        ('enable', True), ('disable', True), ('set_payload', False), ('set_gravity', True)
    ):  # fmt: skip
        before = len(stand.calls)
        until(
            view,
            stand,
            lambda: all(client.service_is_ready() for client in view._listener._clients.values()),
            'services',
        )
        press(view, name)
        until(view, stand, lambda n=before: len(stand.calls) > n, name)
        until(view, stand, lambda n=name: n in view.answer.content, 'its answer')
        assert 'heard &lt;' in view.answer.content
        assert (f'rgb{RED}' in view.answer.content) is not color
    called, requests = zip(*stand.calls, strict=True)
    assert called == ('enable', 'enable', 'set_payload', 'set_gravity')
    assert [requests[0].data, requests[1].data] == [True, False]
    assert (requests[2].frame, requests[2].inertia.m, requests[2].inertia.com.z) == (
        'hand',
        2.0,
        0.1,
    )
    assert requests[3].gravity.vector.y == 9.81
    assert not requests[3].allow_any


def test_silence_is_shown(view, stand):
    until(view, stand, lambda: 'TRACKING' in view.state.content, 'the torques')
    wait_until(lambda: 'SILENT' in view.state.content and 'does it run' in view.conditions.content,
               'silence', lambda: (view.update(), time.sleep(0.02)))  # fmt: skip
    assert not view.arrow.visible
