"""`~/set_gravity`: in the root link and in a frame of tf2, to which the node listens meanwhile.

With tf2 installed these tests use it. Else a stand-in for its buffer that knows one frame, with
another message that has a field `transforms`.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3, Vector3Stamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import MultiDOFJointState
from three_joints import state

from robot_dynamics_interfaces.srv import GetMassMatrix, SetGravity
from robot_dynamics_ros.ros.services import set_gravity

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
QUARTER = math.sqrt(0.5)
# The base lies on its side: a quarter turn about x leads from the world to the base.
DOWN, DOWN_IN_BASE = (0.0, 0.0, -9.81), (0.0, 9.81, 0.0)
TOPICS = {'/tf', '/tf_static'}
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class UnknownFrameError(Exception):
    """Stands for tf2_py.TransformException."""


class OneFrame:
    """Stands for tf2_py.BufferCore: leads from the world to the base."""

    found = None

    def set_transform(self, transform, authority):
        self.found = SimpleNamespace(transform=transform)

    set_transform_static = set_transform

    def lookup_transform_core(self, target, source, stamp):
        if self.found is None or (target, source) != ('base', 'world'):
            raise UnknownFrameError(f'{source} does not exist')
        return self.found


@pytest.fixture(autouse=True)
def tf2(monkeypatch):
    if TFMessage is None:
        monkeypatch.setattr(set_gravity, 'TFMessage', MultiDOFJointState)
        monkeypatch.setattr(set_gravity, 'Buffer', OneFrame)
        monkeypatch.setattr(set_gravity, 'TransformException', UnknownFrameError)


def turned(node):
    """The message that leads from the world to the base, now."""
    transform = Transform(rotation=Quaternion(x=QUARTER, w=QUARTER))
    if TFMessage is None:
        return MultiDOFJointState(transforms=[transform])
    stamped = TransformStamped(child_frame_id='world', transform=transform)
    stamped.header.frame_id = 'base'
    stamped.header.stamp = node.get_clock().now().to_msg()
    return TFMessage(transforms=[stamped])


class Caller:
    """Calls `~/set_gravity`, and sends transforms."""

    def __init__(self, observer):
        self.robot, self.observer, own = observer.robot, observer, observer.node
        self.client = own.create_client(SetGravity, '/robot_dynamics/set_gravity')
        kind = set_gravity.TFMessage
        self.moving = own.create_publisher(kind, '/tf', 100)
        self.static = own.create_publisher(kind, '/tf_static', LATCHED)
        observer.until(self.client.service_is_ready, 'the service')

    def begin(self, frame):
        """The future of an answer."""
        gravity = Vector3Stamped(vector=Vector3(x=DOWN[0], y=DOWN[1], z=DOWN[2]))
        gravity.header.frame_id = frame
        return self.client.call_async(SetGravity.Request(gravity=gravity))

    def end(self, future, *publishers):
        """The response, while transforms are published."""

        def done():
            for publisher in publishers:
                publisher.publish(turned(self.robot))
            return future.done()

        self.observer.until(done, 'the answer')
        assert not self.listened()
        return future.result()

    def listened(self):
        """What of tf2 the node listens to."""
        return {subscription.topic_name for subscription in self.robot.subscriptions} & TOPICS

    @property
    def gravity(self):
        return list(self.robot.get_parameter('gravity').value)


@pytest.fixture
def caller(lent, monkeypatch):
    # No pause of the machine is taken for a transform that does not come.
    monkeypatch.setattr(set_gravity, 'LIMIT', 60.0)
    made = Caller(lent)
    yield made
    lent.node.destroy_publisher(made.static)


def test_the_node_listens_to_tf_during_a_request_only(caller):
    """Other requests are answered meanwhile, and nothing is left of it."""

    def entities():
        node = caller.robot
        kinds = (node.subscriptions, node.timers, node.guards, node.services, node.clients)
        return [len(list(kind)) for kind in kinds] + [len(node.default_callback_group.entities)]

    before = entities()
    assert not caller.listened()
    future = caller.begin('world')
    caller.observer.until(lambda: caller.listened() == TOPICS, 'subscriptions')
    assert caller.observer.call(GetMassMatrix, 'get_mass_matrix', state=state(Q)).success
    assert not future.done()
    assert caller.end(future, caller.moving).success
    assert caller.gravity == pytest.approx(DOWN_IN_BASE, abs=1e-12)
    assert entities() == before


def test_a_static_transform_sent_before_is_found_and_another_frame_refused(caller, monkeypatch):
    caller.static.publish(turned(caller.robot))
    assert caller.end(caller.begin('world')).success
    assert caller.gravity == pytest.approx(DOWN_IN_BASE, abs=1e-12)
    monkeypatch.setattr(set_gravity, 'LIMIT', 0.5)
    response = caller.end(caller.begin('ceiling'))
    assert not response.success
    assert "'ceiling'" in response.message
    assert caller.gravity == pytest.approx(DOWN_IN_BASE, abs=1e-12)


def test_gravity_of_no_place_on_earth_is_refused_without_allow_any(guarded, dynamics):
    """An empty service call asks for zero, and the arm would sink."""
    with guarded() as scene:

        def pull(x, z, frame='base', **fields):
            gravity = Vector3Stamped(vector=Vector3(x=x, z=z))
            gravity.header.frame_id = frame
            return scene.call(SetGravity, 'set_gravity', gravity=gravity, **fields).success

        for size in (0.0, 9.69, 9.91, 98.1):
            assert not pull(0.6 * size, -0.8 * size)
            assert pull(0.6 * size, -0.8 * size, allow_any=True)
            assert scene.robot.get_parameter('gravity').value == [0.6 * size, 0.0, -0.8 * size]
        # cm/s^2 is not what anybody means.
        assert not pull(0.0, -981.0, allow_any=True)
        assert not pull(math.nan, 0.0, allow_any=True)
        assert not pull(0.0, -9.81, frame='ceiling')
        # A tilted base, as an accelerometer measures it.
        for frame in ('base', ''):
            assert pull(6.936, -6.936, frame=frame)
            tilted = dynamics.with_gravity((6.936, 0.0, -6.936)).bias_torque(Q, V)
            scene.settle(tilted)
        np.testing.assert_allclose(scene.next_commands(), [tilted] * 5, rtol=1e-12)
