"""A node that estimates external torques of an arm at rest, and what it publishes of them."""

from contextlib import contextmanager

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_srvs.srv import Trigger

from robot_dynamics_interfaces.msg import Contact, ExternalTorques
from robot_dynamics_ros.control.external.contact_detector import CUTOFF

Q = [0.3, 0.1, -0.7]
NONE = np.zeros(3)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
THRESHOLDS = {'collision_threshold': [5.0, 5.0, 1.0], 'push_threshold': [5.0, 5.0, 1.0]}


class FeltNode:
    """A scene with a driver that measures gravity less an external torque.

    Attributes:
        push: (3,) external torque that the driver feels [N m or N].
        torques, wrenches, contacts: what the node has published.
    """

    def __init__(self, scene, dynamics):
        self.scene = scene
        self.push = NONE
        self.gravity = dynamics.gravity_torque(Q)
        self.torques, self.wrenches, self.contacts = [], [], []
        scene.driver.v[:] = 0.0
        scene.driver.effort = lambda: self.gravity - self.push
        subscribe = scene.observer.node.create_subscription
        subscribe(ExternalTorques, '/robot_dynamics/external_torques', self.torques.append, 10)
        subscribe(WrenchStamped, '/robot_dynamics/external_wrench', self.wrenches.append, 10)
        subscribe(Contact, '/robot_dynamics/contact', self.contacts.append, LATCHED)

    def feels(self, torque, atol=1e-3):
        """Wait until this external torque is published, in a message that comes from now on."""
        self.torques.clear()
        self.scene.observer.until(
            lambda: self.torques and np.allclose(self.torques[-1].effort, torque, atol=atol),
            f'external torque {np.asarray(torque)}',
        )
        return self.torques[-1]

    def next_torques(self):
        """The next message of ~/torques."""
        torques = self.scene.observer.torques
        torques.clear()
        self.scene.observer.until(lambda: torques, 'torques')
        return torques[-1]

    def until_silent(self):
        """Wait until twenty commands come, and no external torques."""

        def silent():
            self.torques.clear()
            self.scene.next_commands(20)
            return not self.torques

        self.scene.observer.until(silent, 'no external torques')

    def touched(self, *kinds):
        """Wait until the last published contact is of one of these kinds; that contact."""
        self.scene.observer.until(
            lambda: self.contacts and self.contacts[-1].kind in kinds, f'contact of kind {kinds}'
        )
        return self.contacts[-1]

    def take_off(self):
        """Take off what is felt; the message."""
        self.feels(self.push)
        response = self.scene.observer.call(Trigger, '/robot_dynamics/zero_external')
        assert response.success, response.message
        return response.message

    def refusal(self):
        """Why nothing is taken off."""
        return self.scene.observer.refusal(Trigger, 'zero_external')

    def hit(self, torque):
        """Let this external torque begin at once; the contact that is published."""
        self.ready()
        self.push = torque
        return self.touched(Contact.KIND_COLLISION)

    def ready(self):
        """Wait until collisions are detected: the fast band needs 1 / `CUTOFF`."""
        self.feels(self.push)
        before, needed = len(self.torques), 1.2 / CUTOFF / self.scene.driver.step
        self.scene.observer.until(
            lambda: len(self.torques) > before + needed, 'the bands of the detection'
        )


@contextmanager
def felt(guarded, dynamics, **parameters):
    """The node, with fast fades and an estimate that follows in 16 ms.

    In stamps the driver is four times as fast as the clock, so that less is waited for.
    """
    defaults = {
        'fade_time': 0.1,
        # The driver says from its first states on that it holds the arm.
        'on_restart': 'fade_from_zero',
        'external_observer': True,
        'external_bandwidth': [10.0],
        # Efforts that are missing for as long, by the stamps, are reported.
        'state_timeout': 5.0,
    }
    with guarded(**(defaults | parameters)) as scene:
        scene.driver.period, scene.driver.step = 0.005, 0.02
        yield FeltNode(scene, dynamics)
