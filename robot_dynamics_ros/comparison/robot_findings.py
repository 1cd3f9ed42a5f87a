"""Findings about the robot and its driver, read from coefficients with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .compared import HALF
from .findings import Finding
from .hypotheses import MIN_SCALE, Solution, angle
from .observations import ROTOR, Observations
from .recorded_joints import NO_GRAVITY, Flags, names_of
from .relabelling import Labels

# A mass, a scale or a rotor is certain if it is more than this multiple of half its 95 % interval.
CERTAIN = 2.0
# An effort below this share of the gravity torque is not that torque, in that unit.
FAR_BELOW = 0.1
# RMS of the residual after every hypothesis, of the effort, from where on it is a finding; and of
# the effort limit: less is of no use to explain.
UNEXPLAINED, SMALL = 0.25, 0.01
# By how much the logarithm of the mean square must shrink where friction is fitted.
SHRINKS = 0.5


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
    return [*findings, *_unexplained(seen, found, findings)]


def _labels(found: Solution, labels: Labels) -> Iterator[Finding]:
    """Names, signs and delay of the recorded signals."""
    model, given = found.seen.torques.model, found.hypothesis
    names = model.joint_names
    for order, signs, what in (
        (labels.order, np.array(labels.signs), 'state'),
        (given.order, found.scales, 'effort'),
    ):
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


def _held(found: Solution) -> Flags:
    """Joints (n,) that are judged and that gravity loads."""
    largest = np.abs(found.seen.samples.gravity).max(axis=0)
    return np.asarray(found.seen.judged & (largest > NO_GRAVITY * largest.max()))


def _gravity(seen: Observations, found: Solution) -> Iterator[Finding]:
    """Gravity that the efforts lack, or that has another direction."""
    if found.hypothesis.gravity == 'none':
        model, largest = seen.torques.model, np.abs(found.seen.samples.gravity).max(axis=0)
        worst = int(np.argmax(largest))
        torque = f'{largest[worst]:.3g} {model.effort_units[worst]}'
        text = f'{torque} of gravity at {model.joint_names[worst]} not in the efforts'
        yield Finding('gravity_compensated', names_of(model, _held(found)), None, text)
    if found.hypothesis.gravity == 'free':
        gravity, given = found.gravity, seen.gravity
        turn, strength = angle(given, gravity), np.linalg.norm(gravity)
        side = gravity * (gravity @ given) / strength**2 - given
        side /= np.linalg.norm(side) or 1.0
        half = float(found.half_widths('gravity', side[None])[0] / strength)
        text = (
            f'gravity {math.degrees(turn):.0f} +- {math.degrees(half):.1f} deg turned: '
            f'--gravity {",".join(f"{x:.2f}" for x in gravity)}'
        )
        yield Finding('turned_base', (), turn, text, 'rad', half)


def _scales(found: Solution) -> Iterator[Finding]:
    """Joints whose effort is a multiple of their torque, or lacks a constant weight."""
    model, given, scales = found.seen.torques.model, found.hypothesis, np.abs(found.scales)
    halves = found.half_widths('inverse').tolist()
    for joint, width in zip(sorted(given.scaled), halves, strict=True):
        scale, half = float(scales[joint]), width * float(scales[joint]) ** 2
        if abs(scale - 1.0) > max(MIN_SCALE, CERTAIN * half):
            text = f'effort {scale:.3g} +- {half:.2g} times the torque of the model'
            yield Finding('scale', (model.joint_names[joint],), scale, text, half_width=half)
    efforts, weights = _largest_effort_and_weight(found)
    for joint in _weightless(found).tolist():
        unit, name = model.effort_units[joint], model.joint_names[joint]
        text = f'effort at most {efforts[joint]:.3g}, gravity at least {weights[joint]:.3g} {unit}'
        yield Finding('scale', (name,), float(efforts[joint] / weights[joint]), text)


def _largest_effort_and_weight(found: Solution) -> tuple[Array, Array]:
    samples = found.seen.samples
    efforts = np.abs(samples.measured[:, list(found.hypothesis.order)])
    return np.nanmax(efforts, axis=0, initial=0.0), np.abs(samples.gravity).min(axis=0)


def _weightless(found: Solution) -> Array:
    """Joints whose effort lacks a constant weight, which a fitted offset hides."""
    efforts, weights = _largest_effort_and_weight(found)
    lacking = found.seen.judged & (efforts < FAR_BELOW * weights)
    lacking &= found.hypothesis.gravity != 'none'
    return np.setdiff1d(np.flatnonzero(lacking), sorted(found.hypothesis.scaled))


def _bodies(found: Solution) -> Iterator[Finding]:
    """A payload, and links whose mass is another, where they are certain."""
    model, given = found.seen.torques.model, found.hypothesis
    frames = {frame.body: frame.name for frame in reversed(model.frames)}
    if given.carrier is not None:
        load, half = found['load'], float(found.half_widths('load')[0])
        mass, (x, y, z), link = float(load[0]), load[1:4] / load[0], frames[given.carrier]
        more = 'more' if mass > 0.0 else 'less'
        at = f'at ({x:.3f}, {y:.3f}, {z:.3f}) m'
        text = f'{abs(mass):.3g} +- {half:.2g} kg {more} than in the URDF on {link}, {at}'
        held = names_of(model, _held(found))
        joints = tuple(name for name in model.joints_that_move(link) if name in held)
        if abs(mass) > CERTAIN * half:
            yield Finding('payload', joints, mass, text, 'kg', half)
    halves = found.half_widths('shares').tolist()
    for link, share, width in zip(given.links, found['shares'].tolist(), halves, strict=True):
        mass, chain = model.joints[link].inertia.mass, model.joints_that_move(frames[link])
        value, half = share * mass, width * mass
        text = f'{mass + value:.3g} +- {half:.2g} kg of {frames[link]}, {mass:.3g} in the URDF'
        if abs(value) > CERTAIN * half:
            yield Finding('mass', chain, value, text, 'kg', half)


def _rotors(found: Solution) -> Iterator[Finding]:
    """Rotors that the model lacks; the motion of a joint that was not recorded looks like one."""
    torques, rotors = found.seen.torques, found['own'][:, ROTOR]
    halves = found.half_widths('own')[:, ROTOR]
    shown = found.rotors & (rotors > CERTAIN * halves)
    for joint in np.flatnonzero(shown).tolist() if not torques.missing else ():
        unit = 'kg' if torques.model.sliding[joint] else 'kg m^2'
        value, half = float(rotors[joint]), float(halves[joint])
        text = f'rotor {value:.3g} +- {half:.2g} {unit} that the model lacks'
        yield Finding('rotor', (torques.model.joint_names[joint],), value, text, unit, half)


def _friction(found: Solution) -> Iterator[Finding]:
    """Joints whose friction is another than that of the model."""
    model, floor = found.seen.torques.model, 4.0 * found.floor
    before = found.errors_with_friction + floor
    rubs = found.seen.judged & (before > math.exp(SHRINKS) * (found.errors + floor))
    rubs[_weightless(found)] = False
    speeds = np.sqrt(np.mean(found.seen.samples.velocities**2, axis=0))
    for joint in np.flatnonzero(rubs).tolist():
        name, unit = model.joint_names[joint], model.effort_units[joint]
        _, viscous, coulomb, _ = found['own'][joint].tolist()
        known = 'parameters' if name in found.seen.torques.parameters.joints else 'URDF'
        rate = 'm/s' if unit == 'N' else 'rad/s'
        text = f'{coulomb:.3g} {unit} + {viscous:.3g} {unit} per {rate}, not as in the {known}'
        yield Finding('friction', (name,), viscous * speeds[joint] + coulomb, text, unit)


def _unexplained(
    seen: Observations, found: Solution, others: Sequence[Finding]
) -> Iterator[Finding]:
    """Joints of whose effort much is residual after the fit, or with the model alone.

    The latter where no other finding names them, nor a payload explains them with the fit.
    """
    model, samples, counts = seen.torques.model, seen.samples, np.maximum(found.seen.counts, 1)
    places, limits = np.array(found.hypothesis.order) - seen.size, model.effort_limits
    squares = found.seen.products(0.0)[np.arange(seen.size), places, places]
    after, effort = np.sqrt(found.errors / counts), np.sqrt(squares / counts)
    small = np.abs(found.scales) * SMALL * np.where(np.isfinite(limits), limits, 0.0)
    unfit = (after > UNEXPLAINED * effort) & (after > small)
    known = np.isfinite(samples.measured)
    before, whole = (
        np.sqrt(np.sum(one**2, axis=0, where=known) / np.maximum(known.sum(axis=0), 1))
        for one in (samples.residual, samples.measured)
    )
    named = np.isin(model.joint_names, [name for one in others for name in one.joints])
    loaded = any(one.code in ('payload', 'mass', 'turned_base') for one in others)
    named |= loaded & (np.hypot(after, found['own'][:, -1]) <= UNEXPLAINED * whole)
    bad = found.seen.judged & (unfit | ((before > HALF * whole) & ~named))
    if bad.any():
        rms = np.where(unfit, after, before)
        shares = bad * rms / np.maximum(np.where(unfit, effort, whole), np.finfo(float).tiny)
        worst = int(np.argmax(shares))
        text = (
            f'residual RMS {rms[worst]:.3g} {model.effort_units[worst]}, '
            f'{100.0 * shares[worst]:.0f} % of the effort, at {model.joint_names[worst]}'
        )
        yield Finding('unexplained', names_of(model, bad), float(shares[worst]), text)
