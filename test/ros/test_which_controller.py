"""Which controller is asked, and how long its answer is awaited; no node is started."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from robot_dynamics_ros.control.supervisor import Supervisor
from robot_dynamics_ros.ros import controller as controller_file
from robot_dynamics_ros.ros.controller import DISCOVERY, UNKNOWN_NAME, Controller


@pytest.fixture
def begun(monkeypatch):
    """Makes a controller of a node that has discovered none, its inhibitions, and a clock."""

    def make(namespace, topic, wanted, subscriber='observer'):
        now = SimpleNamespace(monotonic=lambda: now.time, time=100.0)
        monkeypatch.setattr(controller_file, 'clock', now)
        client = SimpleNamespace(service_is_ready=lambda: False)
        endpoint = SimpleNamespace(node_namespace='/', node_name=subscriber)
        node = SimpleNamespace(
            create_timer=lambda *arguments, **options: None,
            create_client=lambda *arguments: client,
            create_subscription=lambda *arguments: SimpleNamespace(topic_name='activity'),
            count_publishers=lambda name: 0,
            get_parameter=lambda name: SimpleNamespace(value=wanted),
            get_namespace=lambda: namespace,
            get_fully_qualified_name=lambda: f'{namespace.rstrip("/")}/robot_dynamics',
            get_subscriptions_info_by_topic=lambda name: [endpoint],
        )
        supervisor = Supervisor()
        robot = SimpleNamespace(guard=SimpleNamespace(supervisor=supervisor))
        controller = Controller(node, topic, SimpleNamespace(current=robot, lock=nullcontext()))
        controller.begin()
        return controller, supervisor.inhibitions, now

    return make


@pytest.mark.parametrize(
    ('namespace', 'topic', 'wanted', 'asked'),
    [
        ('/', '/commands', '', None),
        ('/', '/robot_dynamics/commands', '', None),
        ('/arm', '/arm/commands', '', None),
        ('/arm', '/arm/robot_dynamics/commands', '', None),
        ('/arm', '/arm/effort/commands', '', '/arm/effort'),
        ('/arm', '/arm/effort/commands', 'none', None),
        ('/arm', '/arm/commands', 'effort', '/arm/effort'),
        ('/arm', '/arm/commands', '/effort', '/effort'),
    ],
)
def test_the_topic_names_the_controller_unless_it_is_the_nodes_own(
    begun, namespace, topic, wanted, asked
):
    controller, inhibitions, _ = begun(namespace, topic, wanted)
    assert (controller.questions and controller.questions.name) == asked
    assert bool(inhibitions) == (asked is not None)


@pytest.mark.parametrize(
    ('wanted', 'subscriber', 'waits'),
    [('', 'observer', False), ('', UNKNOWN_NAME, True), ('/effort', 'observer', True)],
)
def test_it_is_awaited_until_every_subscriber_is_known_and_as_long_as_it_is_required(
    begun, wanted, subscriber, waits
):
    """An endpoint is discovered before the name of its node, which may be the controller."""
    controller, inhibitions, now = begun('/', '/effort/commands', wanted, subscriber)
    now.time += 0.99 * DISCOVERY
    controller.update()
    assert inhibitions
    now.time += 0.02 * DISCOVERY
    controller.update()
    assert bool(inhibitions) == waits
