"""Third act: a push that the joints feel, and a collision with a wall that ends in a hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3, Wrench
from matplotlib.axes import Axes

from robot_dynamics_interfaces.srv import PushLink
from robot_dynamics_ros.simulation.mujoco_model import JointData

from .client import ARM, LEAD, NODE, Array, DemoClient, Phase, Samples, nanoseconds
from .picture import BLUE, BROWN, GREEN, INK, ORANGE, PURPLE, RED, legend_above
from .plan import ContactPlan, units
from .verdict import Figure

LAGS = 0.6
"""After the estimate has begun, until it counts: the fast band is zero for 0.2 s [s]."""
AFTER, LONGEST_FADE = 0.8, 3.0
"""Recorded after the contact was found; until the hold at most, as lost states delay it [s]."""
AT_LAST = 0.2
"""At the end of the recording of a collision, over which the hold is judged [s]."""
BEFORE_TOUCH, AFTER_TOUCH = -0.02, 0.06
"""Shown around a collision [s]."""


def push_and_collide(
    client: DemoClient,
    plan: ContactPlan,
    joints: Sequence[str],
    seconds: float,
    log: Callable[[str], None],
) -> tuple[Phase, Phase]:
    """Push the arm, and let it run into the wall; the node is active, and stays in a hold.

    Args:
        client: that is connected.
        plan: of this act.
        joints: names of all commanded joints.
        seconds: how long the arm is pushed [s].
        log: one line for each phase.
    """
    log(f'push {plan.tool}: the node feels it')
    client.reset_arm(servo=True)
    client.set_arm(brake=False)
    client.wait(LAGS)
    client.set_node(external_observer=True, on_collision='report')
    client.send_trajectory(plan.out, joints, ARM, NODE)
    client.wait(LEAD + plan.out.end + LAGS)
    start = client.now()
    push = Wrench(force=Vector3(**dict(zip('xyz', plan.force.tolist(), strict=True))))
    times = {'delay': 0.1, 'duration': seconds}
    client.call(PushLink, f'{ARM}/push_link', link=plan.tool, wrench=push, **times)
    client.wait(0.1 + seconds + LAGS)
    pushed = client.phase(start, client.now())

    log('move it into a wall: the node finds the collision and holds')
    client.set_node(on_collision='hold')
    client.set_arm(wall=True)
    start = client.send_trajectory(plan.back, joints, ARM, NODE)
    end = start + int((plan.back.end + LEAD) * 1e9)

    def touched() -> bool:
        last = client.contacts.last()
        return last is not None and nanoseconds(last.header.stamp) > start

    client.wait_until(lambda: touched() or client.now() > end, 'the motion into the wall')
    # The servo of the drive goes on to its reference until somebody tells it to stay.
    client.set_arm(servo=True)
    client.wait(AFTER)
    end = client.now() + int(LONGEST_FADE * 1e9)

    def held() -> bool:
        last = client.torques.last()
        return bool(np.abs(np.subtract(last.effort, last.gravity)).max() < 1e-6)

    client.wait_until(lambda: held() or client.now() > end, 'the fade to a hold')
    client.wait(AT_LAST + 0.1)
    collided = client.phase(start, client.now())
    client.set_arm(brake=True, wall=False)
    client.set_node(external_observer=False)
    return pushed, collided


@dataclass(frozen=True)
class Push:
    """Wrenches on the tool, at its origin and in its axes, at times since the recording began [s].

    Attributes:
        times: (m,) of what was felt, which is `felt` (m, 6) [N, N m].
        applied_times: (k,) of what acted, which is `applied` (k, 6) [N, N m].
        judged: whether the joints feel every wrench on the tool.
    """

    times: Array
    felt: Array
    applied_times: Array
    applied: Array
    judged: bool

    @classmethod
    def of(cls, phase: Phase, *, judged: bool) -> Push:
        """Take the wrenches of a recording."""
        felt, applied = _wrenches(phase.wrenches), _wrenches(phase.applied)
        times = phase.wrenches.seconds(phase.start), phase.applied.seconds(phase.start)
        return cls(times[0], felt, times[1], applied, judged)

    @property
    def error(self) -> float:
        """Of the median force in the second half of the push [-]; NaN if nothing is known."""
        pushed = self.applied_times[self.applied.any(axis=1)]
        if not len(pushed):
            return np.nan
        begin, end = (pushed[0] + pushed[-1]) / 2, pushed[-1]
        acting = (self.applied_times >= begin) & (self.applied_times <= end)
        inside = (self.times >= begin) & (self.times <= end)
        if not inside.any():
            return np.nan
        true = self.applied[acting, :3].mean(axis=0)
        # After a pause of the machine the estimate begins anew, for some states.
        difference = np.median(self.felt[inside, :3], axis=0) - true
        return float(np.linalg.norm(difference) / np.linalg.norm(true))

    def figures(self) -> list[Figure]:
        """The figure; a push that the joints cannot feel in full has no bound."""
        return [
            Figure('push_error', 'push on the tool: error of the felt force', 100.0 * self.error,
                   '%', at_most=2.0 if self.judged else None),
        ]  # fmt: skip

    def draw(self, axes: Axes) -> None:
        """The force on the tool that the node felt, beside the force that acted."""
        applied = np.zeros((len(self.times), 6))
        if len(self.applied_times):
            # The last one that is known, while one is near.
            index = np.searchsorted(self.applied_times, self.times + 1e-9, side='right') - 1
            near = (index >= 0) & (self.times - self.applied_times[index] < 0.05)
            applied[near] = self.applied[index[near]]
        for i, (name, colour) in enumerate(zip('xyz', (BLUE, PURPLE, BROWN), strict=True)):
            axes.plot(self.times, applied[:, i], color=colour, lw=4.5, alpha=0.3)
            axes.plot(
                self.times, self.felt[:, i], color=colour, lw=1.6, label=f'felt along {name}'
            )
        axes.plot([], [], color='#b0b0b0', lw=4.5, label='acting, by MuJoCo')
        axes.set_title('A push on the tool, felt by the joints')
        axes.set_xlabel('time [s]')
        axes.set_ylabel('force on the tool, in its axes [N]')
        error = f'error of the median force {100.0 * self.error:.2g} % (same URDF)'
        legend_above(axes, error, columns=2)


@dataclass(frozen=True)
class Collision:
    """A collision, and what followed; times are since the wall was touched [s].

    Attributes:
        joints: n of them.
        times: (m,) of the torques.
        external: (m, n) external torque that was felt [N m or N].
        command: (m, n) [N m or N].
        gravity: (m, n) gravity torque, of which a hold consists [N m or N].
        wall: largest force of the wall [N].
        state_times: (j,).
        position: (j, n) joint positions [rad or m].
        delay: until the collision, in the stamps of the states [s]; NaN if it was not found, or
            something before it.
    """

    joints: Sequence[JointData]
    times: Array
    external: Array
    command: Array
    gravity: Array
    wall: float
    state_times: Array
    position: Array
    delay: float

    @classmethod
    def of(cls, joints: Sequence[JointData], phase: Phase) -> Collision:
        """Measure a collision; without one the times are since the recording began."""
        names = [joint.name for joint in joints]
        touched = len(phase.applied) > 0
        onset = float(phase.applied.seconds(phase.start)[0]) if touched else 0.0
        parts = [phase.torques.columns(name, names) for name in ('external', 'effort', 'gravity')]
        forces = np.linalg.norm(_wrenches(phase.applied)[:, :3], axis=1)
        return cls(
            joints,
            phase.torques.seconds(phase.start) - onset,
            *parts,
            float(forces.max(initial=0.0)),
            phase.states.seconds(phase.start) - onset,
            phase.states.columns('position', names),
            _delay(phase, onset) if touched else np.nan,
        )

    def figures(self) -> list[Figure]:
        """Each figure with its bound; the delay counts states, which a loaded machine delays."""
        differences = np.abs(self.command - self.gravity)
        held = differences[self.times >= self.times[-1] - AT_LAST].max()
        last = self.position[self.state_times >= self.state_times[-1] - AT_LAST]
        label = f'after it: displacement in the last {AT_LAST:g} s'
        return [
            Figure('collision_delay', 'collision with a wall: found after', 1e3 * self.delay,
                   'ms', at_most=5.0, load=True),
            Figure('collision_hold', 'after it: command beside gravity compensation',
                   float(held), units(self.joints, effort=True), at_most=1e-6),
            Figure('collision_rest', label, float(np.ptp(last, axis=0).max()),
                   units(self.joints), at_most=0.02),
        ]  # fmt: skip

    def draw_contact(self, axes: Axes) -> None:
        """The external torque of the joint that feels the wall most."""
        i = self._touched()
        unit = units([self.joints[i]], effort=True)
        near = (self.times >= BEFORE_TOUCH) & (self.times <= AFTER_TOUCH)
        label = f'felt by {self.joints[i].name} [{unit}]'
        axes.plot(1e3 * self.times[near], self.external[near, i], color=GREEN, lw=1.8, marker='.',
                  label=label)  # fmt: skip
        axes.axvline(0.0, color=RED, lw=1.5, label='the wall is touched')
        if np.isfinite(delay := 1e3 * self.delay):
            axes.axvline(delay, color=INK, lw=1.5, ls='--', label=f'found after {delay:.2g} ms')
        axes.set_xlim(1e3 * BEFORE_TOUCH, 1e3 * AFTER_TOUCH)
        axes.set_title('A collision with a wall')
        axes.set_xlabel('time since the wall was touched [ms]')
        axes.set_ylabel(f'external torque [{unit}]')
        legend_above(axes, f'largest force {self.wall:.0f} N', columns=1)

    def draw_hold(self, axes: Axes) -> None:
        """The command of the same joint: from feedforward to gravity compensation."""
        i = self._touched()
        axes.plot(self.times, self.command[:, i], color='black', lw=3, label='commanded')
        axes.plot(self.times, self.gravity[:, i], color=BLUE, lw=1.8, label='gravity  g(q)')
        axes.axvline(0.0, color=RED, lw=1.5, label='the wall is touched')
        right = axes.twinx()
        moved = self.position[:, i] - self.position[-1, i]
        right.plot(self.state_times, moved, color=ORANGE, lw=1.5, ls=':')
        right.set_ylabel(f'position, from the last one [{units([self.joints[i]])}] (dotted)')
        right.grid(visible=False)
        axes.set_title('... that ends in a hold')
        axes.set_xlabel('time since the wall was touched [s]')
        axes.set_ylabel(f'torque [{units([self.joints[i]], effort=True)}]')
        legend_above(axes, self.joints[i].name, 1, right)

    def _touched(self) -> int:
        """The index of the joint that feels the collision most."""
        near = (self.times >= 0.0) & (self.times <= AFTER_TOUCH)
        return int(np.abs(self.external[near if near.any() else ...]).max(axis=0).argmax())


def _delay(phase: Phase, onset: float) -> float:
    """From the first state with a force of the wall to the first contact that was found [s]."""
    found = [contact for contact in phase.contacts.messages if contact.kind]
    delay = (nanoseconds(found[0].since) - phase.start) * 1e-9 - onset if found else np.nan
    # Seconds since 1970 as a double have steps of 0.2 us.
    return max(delay, 0.0) if delay >= -1e-6 else np.nan


def _wrenches(samples: Samples) -> Array:
    """Force and moment of each message (m, 6)."""

    def numbers(vector: Any) -> tuple[float, float, float]:
        return vector.x, vector.y, vector.z

    wrenches = [message.wrench for message in samples.messages]
    rows = [(*numbers(wrench.force), *numbers(wrench.torque)) for wrench in wrenches]
    return np.array(rows, dtype=np.float64).reshape(-1, 6)
