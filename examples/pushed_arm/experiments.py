"""Pushes, collisions, and motion without a contact: what the observer says, and MuJoCo knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.contacts.observation import ObservedStates
from robot_dynamics_ros.contacts.thresholds import band_states, learned_thresholds
from robot_dynamics_ros.control.external.contact import ContactLinks
from robot_dynamics_ros.control.external.contact_detector import ContactDetector
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.control.external.wrench import WrenchEstimator
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.simulation.mujoco_model import Wall
from robot_dynamics_ros.simulation.physics import Physics

from .felt_arm import PERIOD, FeltArm, Noise
from .motions import random_motion, straight_motion

Array = NDArray[np.float64]

HOME = np.array([0.0, -1.2, 1.6, -0.9, 1.2, 0.3])  # [rad], of a UR5: far from singular poses
SPEED = 0.6 * np.array([3.15, 3.15, 3.15, 3.2, 3.2, 3.2])  # [rad/s], of the random motions
TOOL = 'tool0'
APPROACH = 0.15  # [m] from the start to the wall
BALL = 0.05  # [m]
LEAST = 1e-3  # [N m], of a threshold without friction


def follow(arm: FeltArm, reference: Array) -> Iterator[int]:
    """Move along a reference (N, 3, n) from its begin; each state that was measured, by index."""
    arm.start(reference[0, 0])
    torques = arm.feedforward(reference)
    for index, torque in enumerate(torques):
        arm.step(*reference[index, :2], torque)
        yield index


def still(q: Array, seconds: float) -> Array:
    """A reference that rests, (N, 3, n)."""
    reference = np.zeros((round(seconds / PERIOD), 3, len(q)))
    reference[:, 0] = q
    return reference


def learn(arm: FeltArm, seconds: float) -> ContactThresholds:
    """Thresholds from a random motion without a contact, as `robot_dynamics thresholds` has them.

    They are at least those of Coulomb friction.
    """
    rows = [
        (arm.physics.time, not index, arm.r.copy(), arm.v.copy())
        for index in follow(arm, random_motion(HOME, SPEED, seconds, seed=1))
    ]
    observed = ObservedStates(*(np.array(column) for column in zip(*rows, strict=True)))
    coulomb = np.maximum(arm.friction.bounds[0], LEAST)
    least = np.multiply.outer([[1.0, 0.0, 0.0]] * 2, coulomb)
    return learned_thresholds(band_states(observed, PERIOD), least).thresholds


def alarms(
    arm: FeltArm, thresholds: Sequence[ContactThresholds], seconds: float, seed: int
) -> list[int]:
    """How many contacts each of these thresholds finds in a random motion without one."""
    detectors = [ContactDetector(each) for each in thresholds]
    found: list[set[float]] = [set() for _ in detectors]
    for _ in follow(arm, random_motion(HOME, SPEED, seconds, seed)):
        for detector, begins in zip(detectors, found, strict=True):
            if state := detector.step(arm.r, arm.v, arm.physics.time):
                begins.add(state.since)
    return [len(begins) for begins in found]


@dataclass(frozen=True)
class PushedWrench:
    """A push at the tool, and what was estimated of it.

    Attributes:
        times: (N,) since the push began [s].
        applied: (N, 6) by MuJoCo, force and moment in the axes of the frame [N, N m].
        felt: (N, 6) estimated.
    """

    times: Array
    applied: Array
    felt: Array


def push_tool(arm: FeltArm, force: tuple[float, ...], seconds: float) -> PushedWrench:
    """Push the tool of the resting arm with a force in its axes [N]; 0.2 s before and after."""
    estimator = WrenchEstimator(arm.dynamics, TOOL, 'LOCAL')
    rows = []
    for index in follow(arm, still(HOME, seconds + 0.4)):
        if index == 0:
            begin = arm.physics.time + 0.2
            arm.physics.outside.push(TOOL, (*force, 0.0, 0.0, 0.0), begin)
            arm.physics.outside.push(TOOL, np.zeros(6), begin + seconds)
        applied = arm.physics.outside.wrenches().get(TOOL, np.zeros(6))
        felt = estimator.estimate(arm.physics.position.copy(), arm.r).wrench
        rows.append((arm.physics.time - begin, applied, felt))
    return PushedWrench(*(np.array(column) for column in zip(*rows, strict=True)))


@dataclass(frozen=True)
class Collision:
    """The tool ran into a wall.

    Attributes:
        times: (N,) since the first state with contact [s].
        force: (N,) of the wall [N].
        r: (N, n) external torque that was felt [N m].
        limits: (N, n) thresholds of the fast band [N m].
        delay: from the first state with contact until it was found [s]; NaN if never.
        early: whether a contact was found before there was one.
    """

    times: Array
    force: Array
    r: Array
    limits: Array
    delay: float
    early: bool


def wall_before(urdf: str, frame: str, q: Array, direction: Array) -> Wall:
    """A wall that a frame meets after `APPROACH`, across its direction of motion (3,)."""
    arm = Physics(urdf)
    arm.reset(q)
    _, origin = arm.outside.frame(frame)
    return Wall(frame, origin + (APPROACH + BALL) * direction, -direction, BALL)


def collide(
    urdf: str,
    noise: Noise,
    thresholds: ContactThresholds,
    velocity: tuple[float, ...],
    *,
    seed: int = 0,
    dynamics: RobotDynamics | None = None,
) -> Collision:
    """Move the tool straight into a wall, with the servo on until the end.

    Args:
        urdf: text of the URDF.
        noise: of the drives.
        thresholds: of the contact.
        velocity: of the tool, (3,) [m/s].
        seed: of the noise.
        dynamics: of the same robot, compiled already; None to compile it.
    """
    speed = float(np.linalg.norm(velocity))
    wall = wall_before(urdf, TOOL, HOME, np.array(velocity) / speed)
    arm = FeltArm(urdf, noise, wall=wall, seed=seed, dynamics=dynamics)
    # At its zero position, the tool may be behind the wall.
    arm.start(HOME)
    arm.physics.outside.wall = True
    motion = straight_motion(arm.dynamics, TOOL, HOME, np.array(velocity), APPROACH / speed + 0.3)
    detector = ContactDetector(thresholds)
    rows, found = [], float('nan')
    for _ in follow(arm, motion):
        time = arm.physics.time
        if detector.step(arm.r, arm.v, time) and np.isnan(found):
            found = time
        force = np.linalg.norm(arm.physics.outside.wrenches().get(TOOL, np.zeros(6))[:3])
        rows.append((time, force, arm.r, detector.limits[0].copy()))
    times, forces, r, limits = (np.array(column) for column in zip(*rows, strict=True))
    onset = times[np.flatnonzero(forces)[0]]
    return Collision(times - onset, forces, r, limits, found - onset, bool(found < onset))


def links_of(arm: FeltArm) -> list[str]:
    """The link that each joint carries."""
    return ContactLinks(arm.dynamics.model).names


def touched_by_moment(
    arm: FeltArm, thresholds: ContactThresholds, joint: int, moment: float
) -> tuple[str, ...]:
    """The links that are found after 0.5 s of a moment [N m] about a joint of the resting arm."""
    links = ContactLinks(arm.dynamics.model)
    link = links.names[joint]
    axis = arm.dynamics.jacobian(HOME, link, 'LOCAL')[3:, joint]
    detector = ContactDetector(thresholds)
    mask = np.zeros(arm.dynamics.model.size, bool)
    for index in follow(arm, still(HOME, 0.7)):
        if index == 0:
            wrench = np.concatenate([np.zeros(3), moment * axis])
            arm.physics.outside.push(link, wrench, arm.physics.time + 0.2)
        mask[:] = False
        mask[list(detector.step(arm.r, arm.v, arm.physics.time).joints)] = True
    return links.touched(mask)
