"""What the demo plays, act by act."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import random_states

from .recording import MatrixTake, Play, Take
from .stage import Stage

LEAD = 0.3
"""How long before a trajectory starts it is sent, so that nobody gets it too late [s]."""
STEP = 1e-4
"""Of the difference that gives dM/dt [s]: truncation and rounding are then about equal."""

Say = Callable[[str], None]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Timing:
    """How long the acts take [s]."""

    fall: float = 1.5
    hold: float = 5.0
    settle: float = 0.8
    track: float = 4.0


QUICK = Timing(fall=0.8, hold=1.5, settle=0.5, track=2.0)


def perform(
    stage: Stage,
    joints: tuple[str, ...],
    trajectory: Trajectory,
    model: RobotModel,
    timing: Timing,
    say: Say,
) -> Play:
    """Play all acts on a stage that is connected, the node not yet configured."""
    say('configure the node: parse, compile, cross-check with Pinocchio')
    stage.configure()
    say('release the arm without torque')
    stage.at_home(servo=False)
    fall = _released(stage, timing.fall)
    say(f'hold it by gravity compensation for {timing.hold:g} s')
    stage.at_home(servo=False)
    stage.activate()
    hold = _released(stage, timing.hold)

    def track(*targets: str) -> Take:
        return _track(stage, joints, trajectory, timing.settle, *targets)

    # The node compensates gravity until it has a reference, so that comes last.
    say('follow a fast trajectory: servo and gravity compensation')
    with_gravity = track('simulated_arm')
    say('follow it: servo alone')
    stage.deactivate()
    servo_only = track('simulated_arm')
    say('follow it: servo and feedforward')
    stage.at_home(servo=True)
    stage.activate()
    with_feedforward = track('simulated_arm', 'robot_dynamics')
    stage.at_home(servo=False)
    say('fetch M and C through the services')
    matrices = tuple(_matrices(stage, model, trajectory.points[0].q))
    commands = stage.commands.between(0, stage.now())
    return Play(fall, hold, servo_only, with_gravity, with_feedforward, matrices, commands)


def _released(stage: Stage, seconds: float) -> Take:
    # What was said while the brake was on is not part of the act.
    stage.brake(False)
    before, start = stage.children.cpu_seconds(), stage.now()
    stage.wait(seconds)
    take = _take(stage, start, start + int(seconds * 1e9), before)
    stage.brake(True)
    return take


def _track(
    stage: Stage,
    joints: tuple[str, ...],
    trajectory: Trajectory,
    settle: float,
    *targets: str,
) -> Take:
    stage.at_home(servo=True)
    stage.brake(False)
    stage.wait(settle)
    start = stage.now() + int(LEAD * 1e9)
    stage.follow(trajectory, start, joints, *targets)
    before = stage.children.cpu_seconds()
    stage.wait(LEAD + trajectory.end + 0.1)
    take = _take(stage, start, start + int(trajectory.end * 1e9), before)
    stage.brake(True)
    return take


def _take(stage: Stage, start: int, end: int, before: dict[str, float]) -> Take:
    passed = (stage.now() - start) * 1e-9
    after = stage.children.cpu_seconds()
    return Take(
        start,
        stage.states.between(start, end),
        stage.torques.between(start, end),
        stage.commands.between(start, end),
        {name: (after[name] - used) / passed for name, used in before.items()},
    )


def _matrices(stage: Stage, model: RobotModel, home: Matrix) -> list[MatrixTake]:
    """Ask for M and C, at home and elsewhere, and for dM/dt by a difference of fourth order."""
    takes = []
    names = list(model.joint_names)

    def ordered(answer: tuple[list[str], Matrix]) -> Matrix:
        order = [answer[0].index(name) for name in names]
        return answer[1][np.ix_(order, order)]

    def mass(q: Matrix) -> Matrix:
        return ordered(stage.mass_matrix(dict(zip(names, q.tolist(), strict=True))))

    states = [(state.q, state.v) for state in random_states(model, 5, seed=1)]
    for q, v in [(home, states[0][1]), *states[1:]]:
        near = [mass(q + k * STEP * v) for k in (-2, -1, 1, 2)]
        rate = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * STEP)
        coriolis = ordered(
            stage.coriolis_matrix(
                dict(zip(names, q.tolist(), strict=True)),
                dict(zip(names, v.tolist(), strict=True)),
            )
        )
        takes.append(MatrixTake(q, v, mass(q), rate, coriolis))
    return takes
