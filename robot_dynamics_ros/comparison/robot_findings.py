"""Findings about the robot and its driver, read from coefficients with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .compared import HALF, Samples
from .findings import Finding
from .hypotheses import CERTAIN, angle
from .observations import ROTOR
from .recorded_joints import NO_GRAVITY
from .relabelling import BestHypothesis

# An effort below this share of the gravity torque is not that torque, in that unit.
FAR_BELOW = 0.1
# RMS of the residual after every hypothesis, of the effort, from where on it is a finding; and of
# the effort limit: less is of no use to explain.
UNEXPLAINED, SMALL = 0.25, 0.01
# By how much the logarithm of the mean square must shrink where friction is fitted.
SHRINKS = 0.5


def robot_findings(found: BestHypothesis, samples: Samples) -> list[Finding]:
    """What a hypothesis says of robot and driver.

    Only `unexplained` where nothing explains the recording: each other finding would be chance.
    """
    findings: list[Finding] = []
    if found.is_explained and found.observations.judged.any():
        read = _Reading(found)
        weightless = [*read.weightless()]
        findings += [*read.driver(), *read.scales(), *weightless, *read.bodies()]
        findings += read.rotors()
        findings += read.friction(samples, {one.joints[0] for one in weightless})
    return [*findings, *_unexplained(found, samples, findings)]


class _Reading:
    """Reads the coefficients of a solution."""

    def __init__(self, found: BestHypothesis) -> None:
        self.found, self.seen, self.solution = found, found.observations, found.solution
        self.model, self.given = self.seen.torques.model, self.solution.hypothesis
        self._covariances = found.hypotheses.intervals(self.solution)

    def half_widths(self, name: str, slopes: Array | None = None) -> Array:
        """Half of the 95 % intervals of coefficients (k,), or of functions with slopes (m, k)."""
        place = np.asarray(self.solution.places[name]).ravel()
        chosen = np.eye(len(self.solution.theta))[place]
        return self._covariances.half_widths(chosen if slopes is None else slopes @ chosen)

    def names(self, joints: Array | Sequence[bool]) -> tuple[str, ...]:
        """Of the joints for which (n,) holds."""
        return tuple(np.array(self.model.joint_names)[np.asarray(joints, bool)].tolist())

    def held(self) -> tuple[str, ...]:
        """Joints that are judged and that gravity loads."""
        largest = np.abs(self.found.observations.samples.gravity).max(axis=0, initial=0.0)
        return self.names(self.seen.judged & (largest > NO_GRAVITY * largest.max()))

    def driver(self) -> Iterator[Finding]:
        """Names, signs, gravity and delay of the recorded signals."""
        names, given = self.model.joint_names, self.given
        for order, signs, what in (
            (self.found.relabelling.order, self.found.relabelling.signs, 'state'),
            (given.order, given.signs, 'effort'),
        ):
            others = {a: names[b] for a, b in zip(names, order, strict=True) if a != names[b]}
            if others:
                pairs = ', '.join(f'of {a} under {b}' for a, b in others.items())
                yield Finding('swapped', tuple(others), None, f'{what} {pairs}')
            if flipped := self.names(np.array(signs) < 0.0):
                yield Finding('sign', flipped, -1.0, f'{what}: sign opposite to the URDF')
        if given.gravity == 'none':
            largest = np.abs(self.seen.samples.gravity).max(axis=0, initial=0.0)
            worst = int(np.argmax(largest))
            unit = self.model.effort_units[worst]
            text = f'{largest[worst]:.3g} {unit} of gravity at {names[worst]} not in the efforts'
            yield Finding('gravity_compensated', self.held(), None, text)
        if given.gravity == 'free':
            yield self._turned()
        if given.delay:
            late, early = ('efforts', 'states') if given.delay > 0.0 else ('states', 'efforts')
            text = f'{1e3 * abs(given.delay):.3g} ms: {late} come after {early}'
            yield Finding('delay', self.names(self.seen.judged), given.delay, text, 's')

    def _turned(self) -> Finding:
        gravity = self.found.hypotheses.gravity(self.solution)
        turn, strength = angle(self.found.gravity, gravity), np.linalg.norm(gravity)
        side = gravity * (gravity @ self.found.gravity) / strength**2 - self.found.gravity
        side /= np.linalg.norm(side) or 1.0
        (half,) = self.half_widths('gravity', side[None]) / strength
        text = (
            f'gravity {math.degrees(turn):.0f} +- {math.degrees(half):.1f} deg turned: '
            f'--gravity {",".join(f"{x:.2f}" for x in gravity)}'
        )
        return Finding('turned_base', (), turn, text, 'rad', float(half))

    def scales(self) -> Iterator[Finding]:
        """Joints whose effort is a multiple of their torque."""
        widths = self.half_widths('inverse')
        for joint, width in zip(sorted(self.given.scaled), widths.tolist(), strict=True):
            name, scale = self.model.joint_names[joint], abs(float(self.solution.scales[joint]))
            half = width * scale**2
            text = f'effort {scale:.3g} +- {half:.2g} times the torque of the model'
            yield Finding('scale', (name,), scale, text, half_width=half)

    def weightless(self) -> Iterator[Finding]:
        """Joints whose effort lacks a constant weight, which a fitted offset hides."""
        samples = self.seen.samples
        order = list(self.given.order)
        efforts = np.nanmax(np.abs(samples.measured[:, order]), axis=0, initial=0.0)
        weights = np.abs(samples.gravity).min(axis=0, initial=np.inf)
        lacking = self.seen.judged & (efforts < FAR_BELOW * weights)
        lacking &= self.given.gravity != 'none'
        lacking[sorted(self.given.scaled)] = False
        for joint in np.flatnonzero(lacking).tolist():
            unit, limits = self.model.effort_units[joint], (efforts[joint], weights[joint])
            text = (
                f'effort at most {limits[0]:.3g} {unit}, gravity at least {limits[1]:.3g} {unit}'
            )
            value = float(limits[0] / limits[1])
            yield Finding('scale', (self.model.joint_names[joint],), value, text)

    def bodies(self) -> Iterator[Finding]:
        """A payload, and links whose mass is another."""
        frames = {frame.body: frame.name for frame in reversed(self.model.frames)}
        if (body := self.given.carrier) is not None:
            load, (half, *_) = self.solution['load'], self.half_widths('load')
            x, y, z = load[1:4] / load[0]
            where = 'more than' if load[0] > 0.0 else 'less than'
            text = (
                f'{abs(load[0]):.3g} +- {half:.2g} kg {where} in the URDF on {frames[body]}, '
                f'at ({x:.3f}, {y:.3f}, {z:.3f}) m'
            )
            chain = self.model.joints_that_move(frames[body])
            joints = tuple(name for name in self.held() if name in chain)
            yield Finding('payload', joints, float(load[0]), text, 'kg', float(half))
        widths = self.half_widths('shares')
        for link, share, half in zip(
            self.given.links, self.solution['shares'], widths, strict=True
        ):
            mass = self.model.joints[link].inertia.mass
            text = (
                f'mass of {frames[link]} {(1.0 + share) * mass:.3g} +- {half * mass:.2g} kg, '
                f'{mass:.3g} in the URDF'
            )
            chain = self.model.joints_that_move(frames[link])
            yield Finding('mass', chain, float(share * mass), text, 'kg', float(half * mass))

    def rotors(self) -> Iterator[Finding]:
        """Joints with a rotor that the model lacks.

        The motion of a joint that was not recorded looks like one.
        """
        if self.seen.torques.missing:
            return
        found = self.solution['own'][:, ROTOR]
        halves = self.half_widths('own').reshape(self.solution['own'].shape)[:, ROTOR]
        shown = self.found.hypotheses.rotors(self.solution) & (found > CERTAIN * halves)
        for joint in np.flatnonzero(shown).tolist():
            unit = 'kg' if self.model.sliding[joint] else 'kg m^2'
            text = f'rotor {found[joint]:.3g} +- {halves[joint]:.2g} {unit} that the model lacks'
            names, value = (self.model.joint_names[joint],), float(found[joint])
            yield Finding('rotor', names, value, text, unit, float(halves[joint]))

    def friction(self, samples: Samples, unknown: set[str]) -> Iterator[Finding]:
        """Joints whose friction is another than that of the URDF."""
        errors = self.found.hypotheses.errors_with_friction(self.solution)
        given = self.seen.torques.parameters.joints
        for joint in np.flatnonzero(self.seen.judged).tolist():
            name, unit = self.model.joint_names[joint], self.model.effort_units[joint]
            floor = self.found.hypotheses.floor[self.given.order[joint]]
            before, after = errors[joint] + 4.0 * floor, self.solution.errors[joint] + 4.0 * floor
            if name in unknown or math.log(before / after) < SHRINKS:
                continue
            _, viscous, coulomb, _ = self.solution['own'][joint]
            speed = float(np.sqrt(np.mean(samples.velocities[:, joint] ** 2)))
            typical, rate = viscous * speed + coulomb, 'm/s' if unit == 'N' else 'rad/s'
            text = (
                f'{coulomb:.3g} {unit} (Coulomb), {viscous:.3g} {unit} per {rate} (viscous), '
                f'not as in the {"parameters" if name in given else "URDF"}'
            )
            yield Finding('friction', (name,), float(typical), text, unit)


def _unexplained(
    found: BestHypothesis, samples: Samples, others: Sequence[Finding]
) -> Iterator[Finding]:
    """Joints of whose effort much is residual after the fit, or with the model alone.

    The latter where no other finding names them, nor a payload explains them with the fit.
    """
    seen, model, solution = found.observations, found.observations.torques.model, found.solution
    named, order = {name for one in others for name in one.joints}, solution.hypothesis.order
    loaded = any(one.code in ('payload', 'mass', 'turned_base') for one in others)
    left: dict[str, tuple[float, float, str]] = {}
    for joint in np.flatnonzero(seen.judged).tolist():
        name, unit = model.joint_names[joint], model.effort_units[joint]
        after = math.sqrt(solution.errors[joint] / seen.counts[joint])
        effort = float(np.sqrt(np.mean(seen.efforts(0.0)[seen.used[:, joint], order[joint]] ** 2)))
        torque = after / abs(solution.scales[joint])
        limit = model.effort_limits[joint]
        large = not math.isfinite(limit) or torque > SMALL * limit
        before, whole = (
            math.sqrt(np.nanmean(one[:, joint] ** 2))
            for one in (samples.residual, samples.measured)
        )
        offset = float(solution['own'][joint, -1])
        fitted = math.hypot(after, offset) <= UNEXPLAINED * whole
        if after > UNEXPLAINED * effort and large:
            left[name] = after, after / effort, unit
        elif not (name in named or before <= HALF * whole or (loaded and fitted)):
            left[name] = before, before / whole, unit
    if left:
        worst, (rms, share, unit) = max(left.items(), key=lambda one: one[1][1])
        text = f'residual RMS {rms:.3g} {unit}, {100.0 * share:.0f} % of the effort, at {worst}'
        yield Finding('unexplained', tuple(left), share, text)
