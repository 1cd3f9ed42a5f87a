"""The first fade is an experiment: does something else compensate gravity already?

Where nothing else does, gravity compensation that is not complete yet lifts nothing: the arm
falls, swings, stands on its brake, or is held by a hand. Its energy grows by no more than the work
of the commands. Where the driver adds gravity as well, the arm rises by the work of the driver.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .state_filter import VELOCITY_CUTOFF

# A joint has moved from here on [rad or m].
MOVED = 0.002
# A joint carries gravity from this share of its effort limit on [-].
CARRIED = 0.02
# Share of the energy in play that nobody commanded, from which on somebody else gives it [-].
# The driver does all of it, less what friction takes.
UNEXPLAINED = 0.25
# A fade is watched for no shorter time [s]: that of the default.
SHORTEST = 1.0
# Time constant of derived velocities [s], and in how many of it they have settled.
LAG, SETTLED = 1.0 / (2.0 * math.pi * VELOCITY_CUTOFF), 5.0
REMEDY = 'the driver compensates gravity itself, remove gravity from terms'


class FirstFade:
    """Watches the arm while gravity fades in from zero.

    A joint that carries gravity moves along its gravity torque by more than `MOVED`, and the arm
    gains energy that the commands have not given. With the work against gravity W = int g dq and
    the kinetic energy T, what another source has done is W + T - T_0 - int tau dq.

    Attributes:
        running: whether the arm is watched.
    """

    def __init__(self, joints: Sequence[str]) -> None:
        """Watch nothing yet; joints: names of the commanded joints, k of them."""
        self.running, self._joints = False, joints
        # Of each joint: position, gravity torque, command, and distance along gravity since the
        # begin. Energies since then [J].
        self._q, self._gravity, self._command, self._distance = np.zeros((4, len(joints)))
        self._lifted = self._unexplained = self._kinetic = 0.0
        # When it began, when it ends, when the last step was [s].
        self._begun = self._end = self._now = 0.0

    def begin(self, q: Array, gravity: Array, kinetic: float, now: float, duration: float) -> None:
        """Watch from this state on.

        Args:
            q: (k,) positions [rad or m].
            gravity: (k,) gravity torque there [N m or N].
            kinetic: T_0 [J].
            now: [s], on the clock of the node.
            duration: of the watch, at least `SHORTEST` [s].
        """
        self.running, self._begun, self._now = True, now, now
        self._end = now + max(duration, SHORTEST)
        self._q[:], self._gravity[:] = q, gravity
        self._command.fill(0.0)
        self._compare_from(kinetic)

    def end(self) -> None:
        """Watch no longer."""
        self.running = False

    def _compare_from(self, kinetic: float) -> None:
        self._lifted, self._unexplained, self._kinetic = 0.0, -kinetic, kinetic
        self._distance.fill(0.0)

    def step(
        self,
        q: Array,
        gravity: Array,
        kinetic: float,
        command: Array,
        now: float,
        limits: Array,
        *,
        lags: bool,
    ) -> str:
        """Watch a state.

        Args:
            q: (k,) positions [rad or m].
            gravity: (k,) gravity torque there [N m or N].
            kinetic: energy of the motion there [J].
            command: (k,) that was applied since the state before [N m or N].
            now: [s], on the clock of the node.
            limits: (k,) effort limits [N m or N]; infinite for none.
            lags: whether velocities are derived, and so low-passed: then all else is, too.

        Returns:
            Why gravity is compensated twice, for a fault; empty if it is not known to be.
        """
        self.running = now <= self._end
        weight = -math.expm1((self._now - now) / LAG) if lags else 1.0
        self._now = now
        moved, before = weight * (q - self._q), self._gravity.copy()
        self._q += moved
        self._gravity += weight * (gravity - before)
        self._command += weight * (command - self._command)
        self._distance += np.sign(gravity) * moved
        lifted = float((self._gravity + before) @ moved) / 2.0
        self._lifted += lifted
        self._unexplained += lifted - float(self._command @ moved)
        if lags and now < self._begun + SETTLED * LAG:
            self._compare_from(kinetic)
        scale = np.where(np.isfinite(limits), limits, np.abs(gravity).max())
        moves = (np.abs(gravity) > CARRIED * scale) & (self._distance > MOVED)
        # Without measured velocities the error of the kinetic energy is a share of it.
        explained = UNEXPLAINED * (self._lifted + kinetic + self._kinetic)
        foreign = self._lifted > 0.0 and self._unexplained + kinetic > explained
        if not (foreign and moves.any()):
            return ''
        joint = int(moves.argmax())
        return (
            f'{self._joints[joint]} moves along its gravity torque while gravity fades in, by '
            f'{self._distance[joint]:.2g} rad or m: {REMEDY}'
        )
