"""Findings about the robot and its driver, read from coefficients with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .compared import HALF, UNEXPLAINED
from .findings import Finding
from .hypotheses import KINDS, NUMBER, Part, Solution, angle, of_kind
from .observations import NEGLIGIBLE, At
from .recorded_joints import names_of
from .search import Labels

# A value is certain if it is more than this multiple of half its 95 % interval.
CERTAIN = 2.0


def robot_findings(found: Solution, labels: Labels | None) -> Iterator[Finding]:
    """What the best hypothesis says of robot and driver, if it is certain.

    Only `unexplained` where nothing explains the recording: each other finding would be chance.

    Args:
        found: what explains a recording best, see `best_labels`.
        labels: of whole joints; None where nothing explains it.
    """
    if labels is not None and found.seen.judged.any():
        yield from _labels(found, labels)
        parts = [one for kind in KINDS for one in of_kind(found.given, kind)]
        for one in (*(each for part in parts for each in _of_part(found, part)), *_rotors(found)):
            deviation = (one.value or 0.0) - (one.code == 'scale')
            if one.half_width is None or abs(deviation) > CERTAIN * one.half_width:
                yield one
        yield from _friction(found)
    yield from _unexplained(found)


def _labels(found: Solution, labels: Labels) -> Iterator[Finding]:
    """Names and signs of the recorded signals."""
    model, names = found.seen.model, found.seen.model.joint_names
    for what, order, signs in (
        ('state', (np.abs(labels) - 1).tolist(), labels),
        ('effort', found.order, found.scales),
    ):
        others = {a: names[b] for a, b in zip(names, order, strict=True) if a != names[b]}
        if others:
            pairs = ', '.join(f'of {a} under {b}' for a, b in others.items())
            yield Finding('swapped', tuple(others), None, f'{what} {pairs}')
        if flipped := names_of(model, signs < 0):
            yield Finding('sign', flipped, -1.0, f'{what}: sign opposite to the URDF')


def _of_part(found: Solution, part: Part) -> Iterator[Finding]:
    """What a part of the hypothesis says."""
    seen, model, kind = found.seen, found.seen.model, part.kind
    held = names_of(model, seen.held)
    if kind == 'delay':
        late, early = ('efforts', 'states') if part.of > 0.0 else ('states', 'efforts')
        text = f'{1e3 * abs(part.of):.3g} ms: {late} come after {early}'
        yield Finding('delay', names_of(model, seen.judged), part.of, text, 's')
    elif kind == 'no gravity':
        largest = np.abs(seen.samples.gravity).max(axis=0)
        worst = int(np.argmax(largest))
        torque = f'{largest[worst]:.3g} {model.effort_units[worst]}'
        text = f'{torque} of gravity at {model.joint_names[worst]} not in the efforts'
        yield Finding('gravity_compensated', held, None, text)
    elif kind == 'gravity':
        given, gravity = seen.torques.given, found.gravity
        strength, turn = float(np.linalg.norm(gravity)), angle(given, gravity)
        side = gravity * (gravity @ given) / strength**2 - given
        side /= np.linalg.norm(side) or 1.0
        half = float(found.half_widths(part, side[None])[0]) / strength
        degrees = f'{math.degrees(turn):.0f} +- {math.degrees(half):.1f} deg'
        text = f'gravity {degrees} turned: --gravity {",".join(f"{x:.2f}" for x in gravity)}'
        yield Finding('turned_base', (), turn, text, 'rad', half)
    elif kind == 'scale':
        scale = abs(float(found.scales[part.of]))
        half = float(found.half_widths(part)[0]) * scale**2
        text = f'effort {scale:.3g} +- {half:.2g} times the torque of the model'
        if abs(scale - 1.0) > KINDS[kind].least:
            yield Finding('scale', (model.joint_names[part.of],), scale, text, half_width=half)
    elif kind in ('load', 'mass'):
        value, half = float(found[part][0]), float(found.half_widths(part)[0])
        link = next(one.name for one in model.frames if one.body == part.of)
        joints = model.joints_that_move(link)
        if kind == 'load':
            joints = tuple(name for name in joints if name in held)
            x, y, z = found[part][1:4] / value
            text = f'{value:+.3g} +- {half:.2g} kg on {link}, at ({x:.3f}, {y:.3f}, {z:.3f}) m'
            yield Finding('payload', joints, value, text, 'kg', half)
        else:
            mass = model.joints[part.of].inertia.mass
            value, half = value * mass, half * mass
            text = f'{mass + value:.3g} +- {half:.2g} kg of {link}, {mass:.3g} in the URDF'
            yield Finding('mass', joints, value, text, 'kg', half)


def _rotors(found: Solution) -> Iterator[Finding]:
    """Rotors that the model lacks; the motion of a joint that was not recorded looks like one."""
    model, halves = found.seen.model, found.half_widths()[:, At.ROTOR].tolist()
    for joint in np.flatnonzero(found.rotors & (not found.seen.torques.missing)).tolist():
        value, half = float(found.own[joint, At.ROTOR]), halves[joint]
        unit = 'kg' if model.sliding[joint] else 'kg m^2'
        text = f'rotor {value:.3g} +- {half:.2g} {unit} that the model lacks'
        yield Finding('rotor', (model.joint_names[joint],), value, text, unit, half)


def _friction(found: Solution) -> Iterator[Finding]:
    """Joints whose friction is another than that of the model: it is worth a number."""
    model, floor = found.seen.model, 4.0 * found.floor
    rubs = found.errors_with_friction + floor > math.exp(NUMBER) * (found.errors + floor)
    speeds = np.sqrt(np.mean(found.seen.samples.velocities**2, axis=0))
    for joint in np.flatnonzero(rubs & found.seen.judged).tolist():
        name, unit = model.joint_names[joint], model.effort_units[joint]
        _, viscous, coulomb, _ = found.own[joint].tolist()
        known = 'parameters' if name in found.seen.torques.parameters.joints else 'URDF'
        rate = 'm/s' if unit == 'N' else 'rad/s'
        text = f'{coulomb:.3g} {unit} + {viscous:.3g} {unit} per {rate}, not as in the {known}'
        yield Finding('friction', (name,), viscous * speeds[joint] + coulomb, text, unit)


def _unexplained(found: Solution) -> Iterator[Finding]:
    """Joints of whose effort much is residual after the fit, or that lack a constant weight.

    Such a weight is an offset that is larger than the effort.
    """
    seen, model = found.seen, found.seen.model
    effort = seen.rms[found.order]
    after = np.sqrt(found.errors / np.maximum(seen.counts, 1))
    offset = np.abs((found.own[:, At.ONE] - seen.torques.offsets) * found.scales)
    whole = np.where(offset > effort, np.hypot(after, offset), after)
    limits = np.abs(found.scales) * np.nan_to_num(model.effort_limits, posinf=0.0)
    small = np.minimum(NEGLIGIBLE * limits, HALF * effort)
    least = np.maximum(UNEXPLAINED * effort, small)
    bad = seen.judged & ((after > least) | (offset > effort))
    if bad.any():
        shares = bad * whole / np.maximum(effort, np.finfo(float).tiny)
        worst = int(np.argmax(shares))
        rms = f'{whole[worst]:.3g} {model.effort_units[worst]}'
        share = f'{100.0 * shares[worst]:.0f} % of the effort'
        text = f'residual RMS {rms}, {share}, at {model.joint_names[worst]}'
        yield Finding('unexplained', names_of(model, bad), float(shares[worst]), text)
