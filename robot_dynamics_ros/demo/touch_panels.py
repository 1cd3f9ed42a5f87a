"""The panels of the fourth act: a push, a collision, and the hold after it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from .figures import Results, unit
from .panels import FEEDFORWARD, GRAVITY, INK, SERVO, legend_above

AXES = (('x', '#2c6fbb'), ('y', '#8e44ad'), ('z', '#d35400'))
TRUE, FELT = '#b0b0b0', FEEDFORWARD
BEFORE, AFTER = -0.02, 0.06
"""Shown around a collision [s]."""


def push_felt(axes: Axes, results: Results) -> None:
    """The force on the tool that the node felt, beside the force that acted."""
    push = results.contact.push
    applied = np.zeros_like(push.felt)
    for i in range(6):
        applied[:, i] = _steps(push.times, push.applied_times, push.applied[:, i])
    for i, (name, colour) in enumerate(AXES):
        axes.plot(push.times, applied[:, i], color=colour, lw=4.5, alpha=0.3)
        axes.plot(push.times, push.felt[:, i], color=colour, lw=1.6, label=f'felt along {name}')
    axes.plot([], [], color=TRUE, lw=4.5, label='acting, by MuJoCo')
    axes.set_title('A push on the tool, felt by the joints')
    axes.set_xlabel('time [s]')
    axes.set_ylabel('force on the tool, in its axes [N]')
    legend_above(axes, _percent(push.error), columns=2)


def collision_found(axes: Axes, results: Results) -> None:
    """The force of the wall, and the external torque of the joint that feels it most."""
    collision = results.contact.collision
    i = _touched(results)
    joint = results.joints[i]
    newton = 'N' if joint.kind == 'prismatic' else 'N m'
    near = (collision.times >= BEFORE) & (collision.times <= AFTER)
    times, torque = 1e3 * collision.times[near], collision.external[near, i]
    label = f'felt by {joint.name} [{newton}]'
    axes.plot(times, torque, color=FELT, lw=1.8, marker='.', label=label)
    axes.axvline(0.0, color=SERVO, lw=1.5, label='the wall is touched')
    if np.isfinite(collision.delay):
        axes.axvline(1e3 * collision.delay, color=INK, lw=1.5, ls='--',
                     label=f'found after {1e3 * collision.delay:.2g} ms')  # fmt: skip
    axes.set_xlim(1e3 * BEFORE, 1e3 * AFTER)
    axes.set_title('A collision with a wall')
    axes.set_xlabel('time since the wall was touched [ms]')
    axes.set_ylabel(f'external torque [{newton}]')
    legend_above(axes, f'largest force {collision.wall.max(initial=0.0):.0f} N', columns=1)


def collision_held(axes: Axes, results: Results) -> None:
    """The command of the same joint: from feedforward to gravity compensation."""
    collision = results.contact.collision
    i = _touched(results)
    joint = results.joints[i]
    newton = 'N' if joint.kind == 'prismatic' else 'N m'
    axes.plot(collision.times, collision.command[:, i], color='black', lw=3, label='commanded')
    axes.plot(collision.times, collision.gravity[:, i], color='#2c6fbb', lw=1.8,
              label='gravity  g(q)')  # fmt: skip
    axes.axvline(0.0, color=SERVO, lw=1.5, label='the wall is touched')
    right = axes.twinx()
    moved = collision.position[:, i] - collision.position[-1, i]
    right.plot(collision.state_times, moved, color=GRAVITY, lw=1.5, ls=':')
    right.set_ylabel(f'position, from the last one [{unit(joint)}] (dotted)')
    right.grid(visible=False)
    axes.set_title('... that ends in a hold')
    axes.set_xlabel('time since the wall was touched [s]')
    axes.set_ylabel(f'torque [{newton}]')
    legend_above(axes, joint.name, 1, right)


def _steps(times: np.ndarray, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values at the last known time, zero before the first and where none is near."""
    if not len(known):
        return np.zeros_like(times)
    index = np.searchsorted(known, times + 1e-9, side='right') - 1
    value = np.where(index >= 0, values[index], 0.0)
    return np.where(times - known[index] < 0.05, value, 0.0)


def _touched(results: Results) -> int:
    """The index of the joint that feels the collision most."""
    collision = results.contact.collision
    near = (collision.times >= 0.0) & (collision.times <= AFTER)
    external = collision.external[near] if near.any() else collision.external
    return int(np.abs(external).max(axis=0).argmax())


def _percent(error: float) -> str:
    return f'median force at the end {100.0 * error:.2g} % wrong'
