"""The phases of the fourth act: a push, and a collision with a wall."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from robot_dynamics_ros.control.trajectory import Trajectory

from ..client import LEAD, DemoClient
from ..received_messages import ContactRecording, TouchRecording
from .contact_measurements import AT_LAST
from .contact_plan import ContactPlan

LAGS = 0.6
"""After the estimate has begun, until it counts: the fast band is zero for 0.2 s [s]."""
AFTER = 0.8
"""Recorded after the contact was found [s]."""
LONGEST_FADE = 3.0
"""To the hold, where states that are lost on a busy machine begin it anew [s]."""
HELD = 1e-6
"""Difference of command and gravity torque from which on the arm is held [N m or N]."""

Log = Callable[[str], None]


def run_contact_act(
    client: DemoClient, plan: ContactPlan, joints: tuple[str, ...], push: float, log: Log
) -> ContactRecording:
    """Push the arm, and let it run into the wall; the node is active, and stays in a hold.

    Args:
        client: that is connected.
        plan: of this act.
        joints: names of all commanded joints.
        push: how long the arm is pushed [s].
        log: one line for each phase.
    """
    log(f'push {plan.tool}: the node feels it')
    client.reset_arm(servo=True)
    client.set_brake(False)
    client.wait(LAGS)
    client.set_node({'external_observer': True, 'on_collision': 'report'})
    _move(client, plan.out, joints)
    client.wait(LEAD + plan.out.end + LAGS)
    pushed = _pushed(client, plan, push)
    log('move it into a wall: the node finds the collision and holds')
    client.set_node({'on_collision': 'hold'})
    client.set_wall(True)
    start = _move(client, plan.back, joints)
    end = start + int((plan.back.end + LEAD) * 1e9)
    _until_touched(client, start, end)
    # The servo of the drive goes on to its reference until somebody tells it to stay.
    client.stop_servo()
    client.wait(AFTER)
    _until_held(client)
    client.wait(AT_LAST)
    collided = _recorded(client, start)
    client.set_brake(True)
    client.set_wall(False)
    client.set_node({'external_observer': False})
    return ContactRecording(pushed, collided)


def _move(client: DemoClient, way: Trajectory, joints: tuple[str, ...]) -> int:
    """Send a trajectory to arm and node; the time at which it starts [ns]."""
    start = client.now() + int(LEAD * 1e9)
    client.send_trajectory(way, start, joints, 'simulated_arm', 'robot_dynamics')
    return start


def _pushed(client: DemoClient, plan: ContactPlan, seconds: float) -> TouchRecording:
    start = client.now()
    client.push_link(plan.tool, plan.force, delay=0.1, duration=seconds)
    client.wait(0.1 + seconds + LAGS)
    return _recorded(client, start)


def _until_touched(client: DemoClient, start: int, end: int) -> None:
    """Record until the node has published a contact, or the motion is over."""
    client.wait_until(
        lambda: client.now() > end or client.contacts.last().stamp > start,
        'the end of the motion into the wall',
    )


def _until_held(client: DemoClient) -> None:
    """Record until gravity compensation is commanded, or as long as a fade to it may take."""
    end = client.now() + int(LONGEST_FADE * 1e9)
    client.wait_until(
        lambda: client.now() > end or _is_held(client.torques.last().rows),
        'the end of the fade to a hold',
    )


def _is_held(rows: Mapping[str, Sequence[float]]) -> bool:
    differences = np.subtract(rows['effort'], rows['gravity'])
    return bool(np.abs(differences).max() < HELD)


def _recorded(client: DemoClient, start: int) -> TouchRecording:
    # The last messages are on their way.
    client.wait(0.1)
    end = client.now()
    return TouchRecording(
        start,
        client.states.between(start, end),
        client.torques.between(start, end),
        client.applied.between(start, end),
        client.wrenches.between(start, end),
        client.contacts.between(start, end),
    )
