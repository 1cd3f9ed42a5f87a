"""Nodes under test, in one process, context and executor with those who talk to them."""

import gc
import os
import time
from contextlib import ExitStack, contextmanager
from functools import cache

import domains
import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from diagnostic_msgs.msg import DiagnosticArray
from domains import free_domain
from driver import Driver
from geometry_msgs.msg import WrenchStamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from recording import Recording
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from three_joints import JOINTS, URDF
from trajectory_msgs.msg import JointTrajectory
from waiting import wait_until

from robot_dynamics_interfaces.msg import Contact, ExternalTorques, JointTorques
from robot_dynamics_ros.control import reference
from robot_dynamics_ros.control.external.contact_detector import CUTOFF
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros import configuration, health
from robot_dynamics_ros.ros.node import DynamicsNode
from robot_dynamics_ros.ros.parameter_table import TABLE

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
# Of turn, slide and wrist: as in the URDF, and none for turn, where that says nothing.
LIMITS, RATES = [np.inf, 200.0, 20.0], [1000.0, 2000.0, 200.0]
# What a command is made of shows where no guard shapes it; the guards have tests of their own.
UNGUARDED = {
    'fade_time': 0.0,
    'effort_limits': [1e9],
    'state_timeout': 1e3,
    'reference_tolerance': np.inf,
}
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')


@pytest.fixture(scope='session', autouse=True)
def compiled_once():
    """Each robot is compiled and compared once, whatever number of nodes is configured with it."""
    compile_robot, compiled = configuration.compile_robot, {}

    def cached(text, *, gravity, **options):
        key = repr((text, options))
        if key not in compiled:
            compiled[key] = compile_robot(text, gravity=gravity, **options)
        robot = compiled[key]
        return configuration.replace(robot, dynamics=robot.dynamics.with_gravity(gravity))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(configuration, 'compile_robot', cached)
        # Diagnostics come more often than once a second, and what waits for discovery is logged
        # earlier, so that tests wait less.
        patch.setattr(health, 'DIAGNOSTICS_PERIOD', 0.1)
        patch.setattr(health, 'PERIOD', 0.05)
        patch.setattr(health, 'PATIENCE', 0.2)
        yield


class Observer:
    """Stands for the rest of the system: sends what a driver sends, keeps what the node says.

    Attributes:
        robot, node: the node under test, and its own.
        driver, recording: of a guarded node.
    """

    def __init__(self, robot, context, executor, namespace):
        self.robot = robot
        own = {'start_parameter_services': False, 'enable_rosout': False}
        self.node = rclpy.create_node('observer', context=context, namespace=namespace, **own)
        self.commands, self.torques, self.reports = [], [], []
        self._executor, self.capfd, self.text = executor, None, ''
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        create, subscribe = self.node.create_publisher, self.node.create_subscription
        self.states = create(JointState, 'joint_states', 10)
        self.reference = create(JointTrajectory, 'robot_dynamics/reference', 10)
        self.description = create(String, 'robot_description', latched)
        self.received = subscribe(
            Float64MultiArray, 'robot_dynamics/commands', self.commands.append, 10
        )
        subscribe(JointTorques, 'robot_dynamics/torques', self.torques.append, 10)
        subscribe(DiagnosticArray, '/diagnostics', self.reports.append, 10)
        executor.add_node(self.node)

    @property
    def guard(self):
        return self.robot.robot_holder.require().guard

    def until(self, condition, what):
        """Spin until the condition holds."""
        wait_until(condition, what, self.spin_once)

    def spin_once(self):
        """Let the node and the observer do what is due."""
        self._executor.spin_once(timeout_sec=0.05)

    def wait(self, condition, what):
        """Wait, without spinning, until another thread makes the condition hold."""
        wait_until(condition, what)

    def call(self, service, name, **fields):
        """The response of a service of the node; its name has no slash where it is private."""
        name = name if '/' in name else f'{self.node.get_namespace().rstrip("/")}/{OWN}/{name}'
        client = self.node.create_client(service, name)
        self.until(client.service_is_ready, f'service {name}')
        future = client.call_async(service.Request(**fields))
        self.until(future.done, f'answer of {name}')
        self.node.destroy_client(client)
        return future.result()

    def refusal(self, service, name, **fields):
        """Why a service of the node does not answer a request."""
        response = self.call(service, name, **fields)
        assert not response.success
        return response.message

    def set(self, **values):
        """Set parameters, all at once."""
        result = self._set(values)
        assert result.successful, result.reason

    def refused(self, **values):
        """Why the node does not take these parameters."""
        result = self._set(values)
        assert not result.successful
        return result.reason

    def _set(self, values):
        changes = [Parameter(name, value=value) for name, value in values.items()]
        return self.robot.set_parameters_atomically(changes)

    def send(self, state):
        """Publish a state of now."""
        state.header.stamp = self.node.get_clock().now().to_msg()
        self.states.publish(state)

    def answer_to(self, state):
        """The torques that answer a state, which is best effort: sent again if it was lost.

        If it was only late, it is answered twice: answers to another state may still come. The
        first command is where the drive is, and no answer yet.
        """
        if self.guard.silent:
            self._answer_to(state)
        return self._answer_to(state)

    def _answer_to(self, state):
        state.header.stamp = self.node.get_clock().now().to_msg()
        sent = -np.inf

        def answers():
            nonlocal sent
            if time.monotonic() > sent + 0.5:
                self.states.publish(state)
                sent = time.monotonic()
            torques = [t for t in self.torques if t.header.stamp == state.header.stamp]
            return [(c, t) for t in torques for c in self.commands if c.data == t.effort]

        self.until(answers, 'command and torques')
        return answers()[-1]

    def status(self, concern, holds=lambda status, codes: True, what='diagnostics'):
        """The first status of a concern, from now on, for which something holds.

        It is asked with the status and the codes of its conditions.
        """
        self.reports.clear()

        def found():
            statuses = [s for r in self.reports for s in r.status]
            return [
                s
                for s in statuses
                if s.name.endswith(f': {concern}')
                and holds(s, figures(s)['conditions'].split(', '))
            ]

        self.until(found, f'{what} in the status of {concern}')
        return found()[0]

    def shows(self, code):
        """Wait until diagnostics show the condition of this code, in a report from now on."""
        return self.status(STATUS_OF[code], lambda _, codes: code in codes, code)

    def gone(self, code):
        """Wait until diagnostics do not show the condition any more."""
        return self.status(STATUS_OF[code], lambda _, codes: code not in codes, f'end of {code}')

    def figures(self, concern):
        """The values of the next status of a concern, by key."""
        return figures(self.status(concern))

    def lines(self, words):
        """The lines with these words that the node has logged."""
        self.text += self.capfd.readouterr().err
        return [line for line in self.text.splitlines() if words in line]

    def logs(self, words):
        """The first line of the log with these words, once there is one."""
        self.until(lambda: self.lines(words), f'{words!r} in the log')
        return self.lines(words)[0]

    def follow(self, message):
        """Send a reference and wait until the node has it."""
        counters = self.robot.topic_counters['reference']
        before = counters.used
        self.reference.publish(message)
        self.until(lambda: counters.used > before, 'reference')

    def trigger(self, *transitions):
        for transition in transitions:
            getattr(self.robot, f'trigger_{transition}')()

    def transition(self, label):
        """The future of the answer to a request for this transition."""
        client = self.node.create_client(ChangeState, f'/{OWN}/change_state')
        self.until(client.service_is_ready, 'the service')
        return client.call_async(ChangeState.Request(transition=Transition(label=label)))

    def settle(self, torque):
        """Wait until this is commanded."""
        self.until(
            lambda: np.allclose(self.recording.last, torque, rtol=1e-12, atol=1e-12),
            f'torque {np.asarray(torque)}',
        )

    def next_commands(self, count=5):
        """(count, k) the next commands, once they have come."""
        before = len(self.recording)
        self.until(lambda: len(self.recording) >= before + count, 'commands')
        return self.recording.commands[before : before + count]

    def until_taken(self):
        """Wait until the node has taken each state of a reliable driver, which has paused."""
        self.until(
            lambda: int(self.figures('joint_states')['used']) >= self.driver.sent, 'the last state'
        )

    def until_silent(self):
        """Wait until the node says that it is silent, and no command comes between two reports."""

        def silent():
            before = len(self.recording)
            states = {self.figures('model').get('state') for _ in range(2)}
            return not states - {'SILENT', None} and len(self.recording) == before

        self.until(silent, 'silence')


OWN = 'robot_dynamics'
# The status of each condition by its code; locks of the domains of nodes that are shared.
STATUS_OF, RESERVED = {}, []


def figures(status):
    """The values of a status, by key."""
    return {pair.key: pair.value for pair in status.values}


@contextmanager
def observed(start=True, namespace='', unguarded=True, capfd=None, cli_args=None, **parameters):
    """A node with parameters, and an observer of it."""
    context, domain = rclpy.Context(), free_domain()
    if capfd is None:
        # It lives on while others come and go: its domain is not taken in turn.
        RESERVED.append(domains._locked.pop(domain))
    rclpy.init(context=context, domain_id=domain)
    executor = SingleThreadedExecutor(context=context)
    values = (UNGUARDED if unguarded else {}) | parameters
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    options = {'namespace': namespace, 'cli_args': cli_args, 'parameter_overrides': overrides}
    node = DynamicsNode(context=context, **options)
    STATUS_OF.update({code: row.status for code, row in node._health.table.items()})
    executor.add_node(node)
    observer = Observer(node, context, executor, namespace)
    observer.capfd = capfd
    try:
        if start:
            node.start()
        observer.until(
            lambda: (
                observer.states.get_subscription_count()
                and observer.reference.get_subscription_count()
                and observer.node.count_publishers(f'{namespace}/robot_dynamics/commands')
                and observer.node.count_publishers(f'{namespace}/robot_dynamics/torques')
            ),
            'discovery',
        )
        yield node, observer
    finally:
        executor.shutdown()
        observer.node.destroy_node()
        node.destroy_node()
        rclpy.shutdown(context=context)


@pytest.fixture
def graph(monkeypatch, capfd):
    """Makes a node with parameters, and an observer of it."""

    @contextmanager
    def make(reference_timeout=1e3, **options):
        # Tests of what a reference is for need it for longer than the half second after its end.
        monkeypatch.setattr(reference, 'TIMEOUT', reference_timeout)
        with observed(capfd=capfd, **options) as pair:
            yield pair

    yield make
    # The participants of a context end when its nodes are freed; what is left lives on.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope='session')
def shared():
    """Gives the observer of a node with these joints, one for all tests of the services."""
    with ExitStack() as nodes:

        @cache
        def observer_of(*joints):
            chosen = {'joints': list(joints)} if joints else {}
            return nodes.enter_context(observed(robot_description=URDF, **chosen))[1]

        yield observer_of
    gc.collect()


@pytest.fixture
def lent(shared, monkeypatch, capfd):
    """The observer of a shared node: its live parameters are set back, and its reference ends."""
    monkeypatch.setattr(reference, 'TIMEOUT', 1e3)
    observer = shared()
    observer.capfd, observer.text = capfd, ''
    live = [row.name for row in TABLE.rows.values() if row.live]
    before = {name: observer.robot.get_parameter(name).value for name in live}
    yield observer
    # An empty list does not tell of what.
    observer.set(**{name: [] if value is None else value for name, value in before.items()})
    if observer.guard.reference is not None:
        observer.follow(JointTrajectory())


@pytest.fixture(scope='session')
def dynamics():
    """The same robot without ROS, compiled as the node compiles it."""
    model = parse_urdf(URDF)
    return RobotDynamics(model, backend=RobotDynamics(model).backend)


@pytest.fixture
def guarded(graph):
    """Makes a node with its guards; whatever a test provokes, the recording is checked at the end.

    The robot says that it stays at Q and moves with V, so that every term counts and the torque
    to command is constant. What the first states must say is given here: one that was sent before
    a change may be read long after it.
    """

    @contextmanager
    def make(change=None, effort=None, v=V, **parameters):
        commanded = [JOINTS.index(name) for name in parameters.get('joints', JOINTS)]
        limits, rates = np.take(LIMITS, commanded), np.take(RATES, commanded)
        defaults = {
            'robot_description': URDF,
            'unguarded': False,
            'fade_time': 0.2,
            'reference_timeout': 0.5,
            # A machine that stands still is no driver that ceases, and no state is lost.
            'state_timeout': 60.0,
            'qos_overrides./joint_states.subscription.reliability': 'reliable',
            'qos_overrides./joint_states.subscription.depth': 1000,
            'effort_limits': limits.tolist(),
        }
        with graph(**(defaults | parameters)) as (node, observer):
            observer.driver = driver = Driver(observer.states, node.get_clock(), Q, v)
            driver.change, driver.effort = change or driver.change, effort or driver.effort
            topic = '/robot_dynamics/commands'
            observer.recording = recording = Recording(observer.node, topic, limits, rates)
            try:
                # The observer, the recording.
                observer.until(lambda: node.count_subscribers(topic) == 2, 'the recording')
                driver.start()
                yield observer
            finally:
                if driver.is_alive():
                    driver.stop()
                recording.stop()
        recording.check()

    return make


NONE = np.zeros(3)


class FeltNode:
    """An observer whose driver measures gravity less an external torque, of an arm at rest.

    Attributes:
        push: (3,) external torque that the driver feels [N m or N].
        felt, wrenches, contacts: what the node has published.
    """

    def __init__(self, observer, dynamics):
        self._observer, self.push, self.gravity = observer, NONE, dynamics.gravity_torque(Q)
        self.felt, self.wrenches, self.contacts = [], [], []
        observer.driver.v[:] = 0.0
        observer.driver.effort = lambda: self.gravity - self.push
        subscribe = observer.node.create_subscription
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        subscribe(ExternalTorques, '/robot_dynamics/external_torques', self.felt.append, 10)
        subscribe(WrenchStamped, '/robot_dynamics/external_wrench', self.wrenches.append, 10)
        subscribe(Contact, '/robot_dynamics/contact', self.contacts.append, latched)

    def __getattr__(self, name):
        return getattr(self._observer, name)

    def feels(self, torque, atol=1e-3):
        """Wait until this external torque is published, in a message that comes from now on."""
        self.felt.clear()
        self.until(
            lambda: self.felt and np.allclose(self.felt[-1].effort, torque, atol=atol),
            f'external torque {np.asarray(torque)}',
        )
        return self.felt[-1]

    def next_torques(self):
        """The next message of ~/torques."""
        self.torques.clear()
        self.until(lambda: self.torques, 'torques')
        return self.torques[-1]

    def until_silent(self):
        """Wait until twenty commands come, and no external torques."""

        def silent():
            self.felt.clear()
            self.next_commands(20)
            return not self.felt

        self.until(silent, 'no external torques')

    def touched(self, *kinds):
        """Wait until the last published contact is of one of these kinds; that contact."""
        self.until(
            lambda: self.contacts and self.contacts[-1].kind in kinds, f'contact of kind {kinds}'
        )
        return self.contacts[-1]

    def hit(self, torque):
        """Let this external torque begin at once; the contact that is published."""
        self.ready()
        self.push = np.array(torque)
        return self.touched(Contact.KIND_COLLISION)

    def ready(self):
        """Wait until collisions are detected: the fast band needs 1 / `CUTOFF`."""
        self.feels(self.push)
        before, needed = len(self.felt), 1.2 / CUTOFF / self.driver.step
        self.until(lambda: len(self.felt) > before + needed, 'the bands of the detection')


@pytest.fixture
def felt(guarded, dynamics):
    """Makes a node with fast fades and an estimate that follows in 16 ms.

    In stamps the driver is four times as fast as the clock, so that less is waited for.
    """

    @contextmanager
    def make(**parameters):
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

    return make
