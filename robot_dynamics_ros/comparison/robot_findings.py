"""Findings about the robot and its driver, read from coefficients with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .compared import HALF
from .findings import Finding
from .hypotheses import MIN_SCALE, Solution, angle
from .observations import At, Observations
from .recorded_joints import NO_GRAVITY, names_of
from .relabelling import Labels

# A mass, a scale or a rotor is certain if it is more than this multiple of half its 95 % interval.
CERTAIN = 2.0
# RMS of the residual after every hypothesis, of the effort, from where on it is a finding; and of
# the effort limit: less is of no use to explain.
UNEXPLAINED, SMALL = 0.25, 0.01
# By how much the mean square must shrink where friction is fitted.
SHRINKS = math.exp(0.5)


def robot_findings(seen: Observations, found: Solution, labels: Labels | None) -> list[Finding]:
    """What the best hypothesis says of robot and driver.

    Only `unexplained` where nothing explains the recording: each other finding would be chance.

    Args:
        seen: the recording.
        found: what explains it best, see `best_labels`.
        labels: of whole joints; None where nothing explains it.
    """
    findings: list[Finding] = []
    if labels and seen.judged.any():
        findings += [*_labels(found, labels), *_gravity(seen, found), *_scales(found)]
        findings += [*_bodies(found), *_rotors(found), *_friction(found)]
    return [*findings, *_unexplained(seen, found)]


def _labels(found: Solution, labels: Labels) -> Iterator[Finding]:
    """Names, signs and delay of the recorded signals."""
    model, given, names = found.seen.model, found.hypothesis, found.seen.model.joint_names
    states, efforts = (labels.order, np.array(labels.signs)), (given.order, found.scales)
    for (order, signs), what in (states, 'state'), (efforts, 'effort'):
        others = {a: names[b] for a, b in zip(names, order, strict=True) if a != names[b]}
        if others:
            pairs = ', '.join(f'of {a} under {b}' for a, b in others.items())
            yield Finding('swapped', tuple(others), None, f'{what} {pairs}')
        if flipped := names_of(model, signs < 0.0):
            yield Finding('sign', flipped, -1.0, f'{what}: sign opposite to the URDF')
    if given.delay:
        late, early = ('efforts', 'states') if given.delay > 0.0 else ('states', 'efforts')
        text = f'{1e3 * abs(given.delay):.3g} ms: {late} come after {early}'
        yield Finding('delay', names_of(model, found.seen.judged), given.delay, text, 's')


def _held(found: Solution) -> tuple[str, ...]:
    """Joints that are judged and that gravity loads."""
    largest = np.abs(found.seen.samples.gravity).max(axis=0)
    return names_of(found.seen.model, found.seen.judged & (largest > NO_GRAVITY * largest.max()))


def _gravity(seen: Observations, found: Solution) -> Iterator[Finding]:
    """Gravity that the efforts lack, or that has another direction."""
    if found.hypothesis.gravity == 'none':
        largest = np.abs(found.seen.samples.gravity).max(axis=0)
        worst = int(np.argmax(largest))
        torque = f'{largest[worst]:.3g} {seen.model.effort_units[worst]}'
        text = f'{torque} of gravity at {seen.model.joint_names[worst]} not in the efforts'
        yield Finding('gravity_compensated', _held(found), None, text)
    if found.hypothesis.gravity == 'free':
        gravity, given = found.gravity, seen.gravity
        turn, strength = angle(given, gravity), np.linalg.norm(gravity)
        side = gravity * (gravity @ given) / strength**2 - given
        side /= np.linalg.norm(side) or 1.0
        half = float(found.half_widths('gravity', side[None])[0] / strength)
        degrees = f'{math.degrees(turn):.0f} +- {math.degrees(half):.1f} deg'
        text = f'gravity {degrees} turned: --gravity {",".join(f"{x:.2f}" for x in gravity)}'
        yield Finding('turned_base', (), turn, text, 'rad', half)


def _scales(found: Solution) -> Iterator[Finding]:
    """Joints whose effort is a multiple of their torque."""
    halves = found.half_widths('inverse').tolist()
    for joint, width in zip(sorted(found.hypothesis.scaled), halves, strict=True):
        scale = abs(float(found.scales[joint]))
        half = width * scale**2
        if abs(scale - 1.0) > max(MIN_SCALE, CERTAIN * half):
            text = f'effort {scale:.3g} +- {half:.2g} times the torque of the model'
            name = found.seen.model.joint_names[joint]
            yield Finding('scale', (name,), scale, text, half_width=half)


def _bodies(found: Solution) -> Iterator[Finding]:
    """A payload, and links whose mass is another, where they are certain."""
    model, given = found.seen.model, found.hypothesis
    frames = {frame.body: frame.name for frame in reversed(model.frames)}
    if given.carrier is not None:
        load, half, link = found['load'], found.half_widths('load')[0], frames[given.carrier]
        mass, (x, y, z) = float(load[0]), load[1:4] / load[0]
        text = f'{mass:+.3g} +- {half:.2g} kg on {link}, at ({x:.3f}, {y:.3f}, {z:.3f}) m'
        held, chain = _held(found), model.joints_that_move(link)
        joints = tuple(name for name in chain if name in held)
        if abs(mass) > CERTAIN * half:
            yield Finding('payload', joints, mass, text, 'kg', float(half))
    halves = found.half_widths('shares').tolist()
    for body, share, width in zip(given.links, found['shares'].tolist(), halves, strict=True):
        mass, link = model.joints[body].inertia.mass, frames[body]
        value, half = share * mass, width * mass
        text = f'{mass + value:.3g} +- {half:.2g} kg of {link}, {mass:.3g} in the URDF'
        if abs(value) > CERTAIN * half:
            yield Finding('mass', model.joints_that_move(link), value, text, 'kg', half)


def _rotors(found: Solution) -> Iterator[Finding]:
    """Rotors that the model lacks; the motion of a joint that was not recorded looks like one."""
    model, rotors = found.seen.model, found['own'][:, At.ROTOR]
    halves = found.half_widths('own')[:, At.ROTOR]
    shown = found.rotors & (rotors > CERTAIN * halves) & (not found.seen.torques.missing)
    for joint in np.flatnonzero(shown).tolist():
        value, half = float(rotors[joint]), float(halves[joint])
        unit = 'kg' if model.sliding[joint] else 'kg m^2'
        text = f'rotor {value:.3g} +- {half:.2g} {unit} that the model lacks'
        yield Finding('rotor', (model.joint_names[joint],), value, text, unit, half)


def _friction(found: Solution) -> Iterator[Finding]:
    """Joints whose friction is another than that of the model."""
    model, floor = found.seen.model, 4.0 * found.floor
    rubs = found.errors_with_friction + floor > SHRINKS * (found.errors + floor)
    speeds = np.sqrt(np.mean(found.seen.samples.velocities**2, axis=0))
    for joint in np.flatnonzero(rubs & found.seen.judged).tolist():
        name, unit = model.joint_names[joint], model.effort_units[joint]
        _, viscous, coulomb, _ = found['own'][joint].tolist()
        known = 'parameters' if name in found.seen.torques.parameters.joints else 'URDF'
        rate = 'm/s' if unit == 'N' else 'rad/s'
        text = f'{coulomb:.3g} {unit} + {viscous:.3g} {unit} per {rate}, not as in the {known}'
        yield Finding('friction', (name,), viscous * speeds[joint] + coulomb, text, unit)


def _unexplained(seen: Observations, found: Solution) -> Iterator[Finding]:
    """Joints of whose effort much is residual after the fit, or that lack a constant weight.

    Such a weight is an offset that is larger than the effort.
    """
    model, counts = seen.model, np.maximum(found.seen.counts, 1)
    joints, efforts = np.arange(seen.size), np.array(found.hypothesis.order) - seen.size
    effort = np.sqrt(found.seen.products(0.0)[joints, efforts, efforts] / counts)
    after, limits = np.sqrt(found.errors / counts), model.effort_limits
    small = np.abs(found.scales) * SMALL * np.where(np.isfinite(limits), limits, 0.0)
    offset = np.abs((found['own'][:, At.ONE] - seen.torques.offsets) * found.scales)
    bad = (after > UNEXPLAINED * effort) & ((after > small) | (after > HALF * effort))
    bad = found.seen.judged & (bad | (offset > effort))
    whole = np.where(offset > effort, np.hypot(after, offset), after)
    if bad.any():
        shares = bad * whole / np.maximum(effort, np.finfo(float).tiny)
        worst = int(np.argmax(shares))
        rms = f'{whole[worst]:.3g} {model.effort_units[worst]}'
        share = f'{100.0 * shares[worst]:.0f} % of the effort'
        text = f'residual RMS {rms}, {share}, at {model.joint_names[worst]}'
        yield Finding('unexplained', names_of(model, bad), float(shares[worst]), text)
