"""The robot's side: its joint states, in any state of disrepair."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from builtin_interfaces.msg import Time
from ledger import Array, Ledger, Sent
from machine import SimulatedTime
from rclpy.node import Node
from sensor_msgs.msg import JointState

# Of each joint: two sines, about a pose in which the arm of a UR5 is stretched half.
CENTRE = (0.3, -1.2, 1.0, -0.6, 0.5, 0.2)
AMPLITUDES = (0.25, 0.15)  # [rad]
# What carries gravity stands still: an arm that rises while gravity fades in is a fault.
MOVES = (1.0, 0.0, 0.0, 0.0, 1.0, 1.0)
FREQUENCIES = (0.05, 0.3)  # from, to [Hz]
# How old a state is when it is sent [ns].
AGE = 1000
Alteration = Callable[[JointState], None]
# A joint that the model does not have: drivers publish their grippers, too.
EXTRA = 'soak_test_gripper'


class Motion:
    """q(t), v(t) and a(t) of every joint."""

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        """Choose frequencies and phases of that many joints."""
        self._centre = np.resize(CENTRE, size)
        self._amplitude = np.outer(AMPLITUDES, np.resize(MOVES, size))
        self._omega = 2 * math.pi * rng.uniform(*FREQUENCIES, size=(len(AMPLITUDES), size))
        self._phase = rng.uniform(0.0, 2 * math.pi, size=(len(AMPLITUDES), size))

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """q, v and a (n,) [rad, rad/s, rad/s^2] at a time [s]."""
        angle = self._omega * time + self._phase
        sine, cosine = self._amplitude * np.sin(angle), self._amplitude * np.cos(angle)
        q = self._centre + sine.sum(axis=0)
        v = (self._omega * cosine).sum(axis=0)
        a = -(self._omega**2 * sine).sum(axis=0)
        return q, v, a


class Robot:
    """Publishes the states of a motion; a fault may silence or alter them.

    Attributes:
        names: of the joints.
        motion: what they do.
        counted: whether a state that is not answered counts as lost.
        during: what is going on.
        effort: (n,) what the drives report.
        driven: whether a controller applies the commands; without one, the efforts are zero.
        last_sent: when the last good state was sent, on the clock of the stamps [ns].
        last_good: (n,) q of that state.
    """

    def __init__(
        self,
        node: Node,
        names: tuple[str, ...],
        motion: Motion,
        ledger: Ledger,
        clock: SimulatedTime,
    ) -> None:
        """Prepare; `send` sends."""
        self.names, self.motion = names, motion
        self.counted, self.during = True, 'start'
        self.driven = True
        self.effort: Array | None = None
        self.last_sent = 0
        self.last_good: Array | None = None
        self._ledger, self._clock = ledger, clock
        self._silent = False
        self._alteration: Alteration | None = None
        self._trusted = False
        self._halves = False
        self._publisher = node.create_publisher(JointState, 'joint_states', 200)

    def time(self) -> float:
        """The time of the motion [s]."""
        return self._clock.seconds

    @contextmanager
    def silenced(self) -> Iterator[None]:
        """Send nothing."""
        self._silent = True
        try:
            yield
        finally:
            self._silent = False

    @contextmanager
    def altered(self, alteration: Alteration, *, trusted: bool = False) -> Iterator[None]:
        """Alter each state in place before it is sent.

        Args:
            alteration: changes a state.
            trusted: whether a node may answer what comes of it.
        """
        self._alteration, self._trusted = alteration, trusted
        try:
            yield
        finally:
            self._alteration, self._trusted = None, False

    @contextmanager
    def halved(self) -> Iterator[None]:
        """Send each state in two messages with one stamp, as two drivers do."""
        self._halves = True
        try:
            yield
        finally:
            self._halves = False

    def send(self) -> None:
        """Publish the state of this moment."""
        if self._silent:
            return
        # No stamp of the node, which tells the time of the clock, is that of a state.
        stamp, now = self._clock.now - AGE, self._clock.seconds
        q, v, _ = self.motion.at(now)
        message = JointState(name=[EXTRA, *reversed(self.names)])
        message.header.stamp = Time(sec=stamp // 10**9, nanosec=stamp % 10**9)
        message.position = array('d', [0.01, *q[::-1]])
        message.velocity = array('d', [0.0, *v[::-1]])
        if self.effort is not None:
            effort = self.effort[::-1] if self.driven else np.zeros_like(self.effort)
            message.effort = array('d', [0.0, *effort])
        good = self._alteration is None or self._trusted
        if self._alteration is not None:
            self._alteration(message)
            stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        self._ledger.send(stamp, Sent(now, q, v, good, self.counted, self.during))
        if good:
            self.last_sent, self.last_good = stamp, q
        for part in _halves(message) if self._halves else (message,):
            self._publisher.publish(part)


def _halves(message: JointState) -> tuple[JointState, JointState]:
    """The first three joints of a message, and the others."""
    halves = JointState(header=message.header), JointState(header=message.header)
    for half, chosen in zip(halves, (slice(None, 3), slice(3, None)), strict=True):
        for field in ('name', 'position', 'velocity', 'effort'):
            setattr(half, field, getattr(message, field)[chosen])
    return halves
