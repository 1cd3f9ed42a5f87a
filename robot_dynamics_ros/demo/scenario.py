"""The phases of the demo: fall, hold, track three times, touch, matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import random_states

from .client import LEAD, DemoClient
from .contact_act.contact_phases import run_contact_act
from .contact_act.contact_plan import ContactPlan
from .received_messages import MatrixSample, PhaseRecording, Recording

STEP = 1e-4
"""Time step of the difference quotient dM/dt [s]: truncation and rounding are about equal."""

Log = Callable[[str], None]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Durations:
    """How long the phases take [s]."""

    fall: float = 1.5
    hold: float = 5.0
    settle: float = 0.8
    track: float = 4.0
    push: float = 1.2


QUICK = Durations(fall=0.8, hold=1.5, settle=0.5, track=2.0, push=0.5)


def run_scenario(
    client: DemoClient,
    trajectory: Trajectory,
    contact: ContactPlan,
    model: RobotModel,
    durations: Durations,
    log: Log,
) -> Recording:
    """Run all phases with a client that is connected; the node is not configured yet."""
    log('configure the node: parse, compile, cross-check with Pinocchio')
    client.configure()
    log('release the arm without torque')
    client.reset_arm(servo=False)
    fall = _released(client, durations.fall)
    log(f'hold it by gravity compensation for {durations.hold:g} s')
    client.reset_arm(servo=False)
    client.activate()
    hold = _released(client, durations.hold)

    def track(*targets: str) -> PhaseRecording:
        return _track(client, model.joint_names, trajectory, durations.settle, *targets)

    # Without a reference the node compensates gravity only: the phase with one comes last.
    log('track a fast trajectory: servo and gravity compensation')
    with_gravity = track('simulated_arm')
    log('track it: servo alone')
    client.deactivate()
    servo_only = track('simulated_arm')
    log('track it: servo and feedforward')
    client.reset_arm(servo=True)
    client.activate()
    with_feedforward = track('simulated_arm', 'robot_dynamics')
    touched = run_contact_act(client, contact, model.joint_names, durations.push, log)
    client.deactivate()
    client.reset_arm(servo=False)
    log('call the services for M and C')
    matrices = tuple(_matrices(client, model, trajectory.points[0].q))
    commands = client.commands.between(0, client.now())
    return Recording(
        fall, hold, servo_only, with_gravity, with_feedforward, touched, matrices, commands
    )


def _released(client: DemoClient, seconds: float) -> PhaseRecording:
    # Messages sent while the brake was on are not part of the phase.
    client.set_brake(False)
    before, start = client.children.cpu_seconds(), client.now()
    client.wait(seconds)
    phase = _phase(client, start, start + int(seconds * 1e9), before)
    client.set_brake(True)
    return phase


def _track(
    client: DemoClient,
    joints: tuple[str, ...],
    trajectory: Trajectory,
    settle: float,
    *targets: str,
) -> PhaseRecording:
    client.reset_arm(servo=True)
    client.set_brake(False)
    client.wait(settle)
    start = client.now() + int(LEAD * 1e9)
    client.send_trajectory(trajectory, start, joints, *targets)
    before = client.children.cpu_seconds()
    client.wait(LEAD + trajectory.end + 0.1)
    phase = _phase(client, start, start + int(trajectory.end * 1e9), before)
    client.set_brake(True)
    return phase


def _phase(client: DemoClient, start: int, end: int, before: dict[str, float]) -> PhaseRecording:
    passed = (client.now() - start) * 1e-9
    after = client.children.cpu_seconds()
    return PhaseRecording(
        start,
        client.states.between(start, end),
        client.torques.between(start, end),
        client.commands.between(start, end),
        {name: (after[name] - used) / passed for name, used in before.items()},
    )


def _matrices(client: DemoClient, model: RobotModel, home: Matrix) -> list[MatrixSample]:
    """M and C by the services, at the start and at random states; dM/dt by differences."""
    samples = []
    names = list(model.joint_names)

    def ordered(answer: tuple[list[str], Matrix]) -> Matrix:
        order = [answer[0].index(name) for name in names]
        return answer[1][np.ix_(order, order)]

    def mass(q: Matrix) -> Matrix:
        return ordered(client.mass_matrix(dict(zip(names, q.tolist(), strict=True))))

    states = [(state.q, state.v) for state in random_states(model, 5, seed=1)]
    for q, v in [(home, states[0][1]), *states[1:]]:
        near = [mass(q + k * STEP * v) for k in (-2, -1, 1, 2)]
        rate = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * STEP)
        coriolis = ordered(
            client.coriolis_matrix(
                dict(zip(names, q.tolist(), strict=True)),
                dict(zip(names, v.tolist(), strict=True)),
            )
        )
        samples.append(MatrixSample(q, v, mass(q), rate, coriolis))
    return samples
