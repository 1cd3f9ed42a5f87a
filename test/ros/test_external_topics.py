"""How often the topics of external forces are published, and the drive values that are missing."""

from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from hit_arm import HIT, HitArm
from shown_states import DYNAMICS, MODEL, PERIOD

from robot_dynamics_interfaces.msg import Contact
from robot_dynamics_ros.ros import endpoints, external
from robot_dynamics_ros.ros.external import (
    WRENCH_RATE,
    ExternalTopics,
    RateLimit,
    missing_drive_values,
)

SLIDE = np.arange(3) == 1


@pytest.mark.parametrize(('rate', 'passed'), [(100.0, 100), (125.0, 125), (200.0, 125)])
def test_a_rate_limit_passes_at_most_its_rate_and_no_less_of_a_slower_one(rate, passed):
    limit = RateLimit(125.0)
    times = 50.0 + np.arange(10.0 * rate) / rate
    assert sum(map(limit.passes, times)) == pytest.approx(10 * passed, abs=1)
    # A pause gives no credit.
    assert [limit.passes(100.0), limit.passes(100.001)] == [True, False]


@pytest.fixture
def arm():
    return HitArm('report')


@pytest.fixture
def publish(arm, monkeypatch):
    """Shows a state to the arm and publishes what it tells; its messages by topic."""
    published = {}

    def create_publisher(kind, topic, *arguments, **options):
        published[topic] = messages = []
        return SimpleNamespace(publish=messages.append, get_subscription_count=lambda: 1)

    node = SimpleNamespace(
        get_clock=lambda: None, get_logger=lambda: Mock(), create_publisher=create_publisher
    )
    for module in (endpoints, external):
        monkeypatch.setattr(module, 'clock', SimpleNamespace(monotonic=lambda: arm.now))
    topics = ExternalTopics(node)
    robot = SimpleNamespace(guard=arm.guard, joints=MODEL.joint_names, dynamics=DYNAMICS)

    def show(count):
        for _ in range(count):
            arm.show()
            second, nanosecond = divmod(round(1e9 * arm.now), 10**9)
            # Twice, as for a repeated state.
            for _ in range(2):
                topics.publish(robot, Time(sec=second, nanosec=nanosecond))
        return published

    arm.settle()
    return show


def test_torques_come_with_each_state_and_wrenches_at_their_rate(publish):
    count = round(2.0 / PERIOD)
    published = publish(count)
    assert len(published['~/external_torques']) == count
    assert len(published['~/external_wrench']) == pytest.approx(2.0 * WRENCH_RATE, abs=2)


def test_each_change_of_a_contact_tells_when_the_contact_began(arm, publish):
    publish(50)
    arm.hit = HIT * SLIDE
    publish(20)
    arm.hit = HIT
    first, second = publish(50)['~/contact']
    assert (first.kind, list(first.joint_names)) == (Contact.KIND_COLLISION, ['slide'])
    assert list(second.joint_names) == ['slide', 'wrist']
    assert first.header.stamp == first.since == second.since != second.header.stamp
    arm.hit = 0.0 * HIT
    last = publish(200)['~/contact'][-1]
    assert (last.kind, last.since) == (Contact.KIND_NONE, Time())


def test_drive_values_that_one_in_a_hundred_states_lacks_are_named_with_their_share():
    """Rows: how many states have held each joint, its velocity, its effort."""
    seen = np.array([[1000, 1000, 0], [1000, 750, 0], [985, 995, 0]])
    text = missing_drive_values(MODEL.joint_names, seen)
    assert 'velocity of slide in 25 %' in text
    assert 'effort of turn in 1.5 %' in text
    assert 'effort of slide' not in text
    assert 'wrist' not in text
