"""What is measured in each act, the figures of it with their bounds, and the report.

A curve is a pair of times (m,) [s] and rows of values (m, k) at these times.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.wrench import estimated_wrench
from robot_dynamics_ros.control.feedforward import TERMS
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .client import Phase, Samples
from .plan import Plan

TAKES = ('servo_only', 'with_gravity', 'with_feedforward')
AT_LAST = 0.2  # of the recording of a collision, over which the hold is judged [s]
# Entries of C are of the size of M v. Where C vanishes, its largest entry is rounding: errors are
# divided by at least this share of the largest entry of M times the largest velocity.
VANISHING = 0.1
# Values by key of the table of figures, and curves and arrays by name.
Results = dict[str, Any]
SAME_URDF = """\
  The simulator and the node share the URDF: errors near zero show that both
  compute the same mechanics, not how well a URDF fits a real arm.
"""
SIGNS = {'at_most': '<=', 'at_least': '>='}
# Label, unit ("x" for a ratio) and bound of each figure.
FIGURES: Mapping[str, tuple[Any, ...]] = {
    'fall': ('released without torque: displacement', 'position', 'at_least', 0.1),
    'drift': ('held by gravity compensation: drift', 'position', 'at_most', 1e-3),
    'ratio': ('tracking error with feedforward / of the servo alone', 'x', 'at_most', 0.2),
    'worst_ratio': ('the same, worst joint', 'x', 'at_most', 0.4),
    'push_error': ('push on the tool: error of the force, as far as felt', '%', 'at_most', 2.0),
    'collision_delay': ('collision: from the first state with contact until found', 'ms'),
    'collision_hold': ('after it: command minus gravity compensation', 'effort', 'at_most', 1e-6),
    'collision_rest': ('after it: displacement in the last 0.2 s', 'position', 'at_most', 0.02),
    'mass_asymmetry': ('M: asymmetry', 'relative', 'at_most', 1e-12),
    'smallest_eigenvalue': ('M: smallest eigenvalue', 'kg m^2', 'at_least', 1e-9),
    'skewness': ('dM/dt - 2C: deviation from skew-symmetry', 'relative', 'at_most', 1e-8),
    'mass_error': ('M: difference to Pinocchio', 'relative', 'at_most', 1e-12),
    'coriolis_error': ('C: difference to Pinocchio', 'relative', 'at_most', 1e-12),
    'state_rate': ('joint_states: rate in real time', 'Hz'),
    'latency_p50': ('latency from state to torques: median', 'ms'),
    'latency_p99': ('latency from state to torques: 99th percentile', 'ms'),
    'lost': ('states without an answer', '%'),
}


def release(plan: Plan, fall: Phase, hold: Phase) -> Results:
    """Displacements (m, n) since the brake was released, without and with torque [rad or m].

    They detect a wrong term: an error of one per cent in gravity lets a held UR5 drift by more
    than a radian.
    """
    fallen, held = (phase['states'].curve('position', plan.joints) for phase in (fall, hold))
    for _, position in (fallen, held):
        position -= position[0].copy()
    values = {'fall': np.abs(fallen[1]).max(), 'drift': np.abs(held[1]).max()}
    return values | {'fallen': fallen, 'held': held}


def tracking(plan: Plan, takes: Mapping[str, Phase]) -> Results:
    """How the takes, by the names of `TAKES`, follow the trajectory, which begins with them.

    The curves are the `errors` of each take, position minus reference (m, n) [rad or m], and of
    the last take the `torques`: command and parts (m, n) [N m or N]. `rms` has the errors of the
    takes (3, n) [rad or m], `ratios` those with feedforward / of the servo alone (n,) [-].
    """
    errors = {name: takes[name]['states'].curve('position', plan.joints) for name in TAKES}
    for times, position in errors.values():
        position -= [plan.trajectory.at(time)[0] for time in times]
    rms = np.array([np.sqrt((error**2).mean(axis=0)) for _, error in errors.values()])
    answers = takes['with_feedforward']['torques']
    torques = {part: answers.curve(part, plan.joints) for part in ('effort', *TERMS)}
    # NaN where the servo alone has no error.
    ratios = np.divide(rms[2], rms[0], out=np.full_like(rms[0], np.nan), where=rms[0] > 0)
    alone, _, fed = np.linalg.norm(rms, axis=1)
    values = {'ratio': fed / alone, 'worst_ratio': ratios.max()}
    return values | {'errors': errors, 'torques': torques, 'rms': rms, 'ratios': ratios}


def push(plan: Plan, phase: Phase) -> Results:
    """Wrenches on the tool, at its origin and in its axes (m, 6) [N, N m]; errors of the force.

    The curves are what the node has `felt`, and what is `observable` of what the simulator
    exerted: the smallest wrench that exerts the same torques on the joints. Fewer than six joints
    do not feel all of a wrench: `push_unfelt` is the share of the force that they do not feel [%].
    """
    felt, applied, states = phase['wrenches'], phase['applied'], phase['states']
    times = felt.stamps
    acting = _at(times, applied, applied.wrenches())
    positions = _at(times, states, states.curve('position', plan.joints)[1])
    observable, pushed = np.zeros_like(acting), np.flatnonzero(acting.any(axis=1))
    for i in pushed:
        J = plan.dynamics.jacobian(positions[i], plan.tool, 'LOCAL')
        felt_of_it = estimated_wrench(J, J.T @ acting[i], plan.dynamics.model.sliding)
        observable[i] = felt_of_it.wrench
    wrenches, error, unfelt = felt.wrenches(), np.nan, np.nan
    if len(pushed):
        # In the second half: the estimate follows with a lag.
        half = pushed[len(pushed) // 2 :]
        parts = wrenches, observable, acting
        force, explained, whole = (np.median(part[half, :3], axis=0) for part in parts)
        error = np.linalg.norm(force - explained) / np.linalg.norm(explained)
        unfelt = np.linalg.norm(explained - whole) / np.linalg.norm(whole)
    # The node publishes the wrench of some states only, which are not the same in each run.
    values = {'push_error': round(100.0 * error, 3), 'push_unfelt': 100.0 * unfelt}
    return values | {'felt': (times, wrenches), 'observable': (times, observable)}


def collision(plan: Plan, phase: Phase) -> Results:
    """A collision and what followed; times are since the wall was touched, if it was.

    The curves of `after` are the torques `external`, that were felt, the command `effort`, and
    `gravity`, of which a hold consists (m, n) [N m or N], and the `position` (m, n) [rad or m].
    The delay runs in the stamps of the states; it is NaN if the collision was not found, or
    something before it. `wall_force` is the largest force of the wall [N].
    """
    applied, contacts = phase['applied'], phase['contacts']
    touched = applied.stamps[0] if len(applied.stamps) else np.nan
    found = [t for t, one in zip(contacts.stamps, contacts.messages, strict=True) if one.kind]
    # Stamps are doubles in the node.
    delay = round(found[0] - touched, 6) + 0.0 if found else np.nan
    sources = {
        'external': ('external', 'effort'),
        'effort': ('torques', 'effort'),
        'gravity': ('torques', 'gravity'),
        'position': ('states', 'position'),
    }
    after, at_last = {}, {}
    for name, (topic, field) in sources.items():
        times, rows = phase[topic].curve(field, plan.joints)
        after[name] = times - np.nan_to_num(touched), rows
        at_last[name] = rows[times >= times[-1] - AT_LAST]
    forces = np.linalg.norm(applied.wrenches()[:, :3], axis=1)
    values = {
        'collision_delay': 1e3 * delay if delay >= 0.0 else np.nan,
        'collision_hold': np.abs(at_last['effort'] - at_last['gravity']).max(),
        'collision_rest': round(np.ptp(at_last['position'], axis=0).max(), 9),
        'wall_force': forces.max(initial=0.0),
    }
    return values | {'after': after}


def matrices(samples: Sequence[tuple[Array, ...]], reference: Any) -> Results:
    """The largest errors of M and C over all states, and the smallest eigenvalue of M.

    The errors are relative to the largest entry of the matrix; those of C and dM/dt - 2C to a
    share of M v where C vanishes.

    Args:
        samples: q, v, M, dM/dt and C of each state; `mass` is M of the first.
        reference: with the methods `mass_matrix` and `coriolis_matrix`, such as Pinocchio's.
    """
    rows = []
    for q, v, M, rate, C in samples:
        mass, coriolis = reference.mass_matrix(q), reference.coriolis_matrix(q, v)
        skew = rate - 2 * C
        scale = np.abs(M).max()
        speed = max(np.abs(coriolis).max(), VANISHING * np.abs(mass).max() * np.abs(v).max())
        errors = {
            'mass_asymmetry': np.abs(M - M.T).max() / scale,
            'skewness': np.abs(skew + skew.T).max() / speed,
            'mass_error': np.abs(M - mass).max() / scale,
            'coriolis_error': np.abs(C - coriolis).max() / speed,
        }
        rows.append(list(errors.values()))
    worst = dict(zip(errors, np.max(rows, axis=0), strict=True))
    smallest = min(np.linalg.eigvalsh(M).min() for _, _, M, _, _ in samples)
    return worst | {'smallest_eigenvalue': smallest, 'mass': samples[0][2]}


def timing(phase: Phase) -> Results:
    """Of real time: the rate of states [Hz], and the `latency` of their answers (m,) [ms].

    The latency is the time from the sending of a state to the reception of what was commanded for
    it, on ~/torques, in a third process, by the clocks of the middleware. `lost` is the share of
    states without an answer [%].
    """
    states, torques = phase['states'], phase['torques']
    answered, state, answer = np.intersect1d(states.stamps, torques.stamps, return_indices=True)
    latency, count = 1e3 * (torques.received[answer] - states.sent[state]), len(states.sent)
    p50, p99 = np.percentile(latency, (50, 99)) if len(latency) else (np.nan, np.nan)
    return {
        'state_rate': (count - 1) / float(np.ptp(states.sent)) if count > 1 else 0.0,
        'latency_p50': p50,
        'latency_p99': p99,
        'lost': 100.0 * (1.0 - len(answered) / count) if count else np.nan,
        'latency': latency,
    }


def _at(times: Array, samples: Samples, rows: Array) -> Array:
    """The rows (m, k) of the samples with these stamps (m,); zero where there is none."""
    found, zero = dict(zip(samples.stamps.tolist(), rows, strict=True)), np.zeros(rows.shape[1])
    return np.array([found.get(time, zero) for time in times.tolist()]).reshape(-1, len(zero))


def position_units(model: RobotModel) -> list[str]:
    """The unit of the position of each joint."""
    return ['m' if slides else 'rad' for slides in model.sliding]


def judge(model: RobotModel, results: Mapping[str, Any]) -> dict[str, Any]:
    """The report of a run, which is written as JSON.

    It passed where every figure is a number within its bounds. `rms_error` has the errors of each
    joint [rad or m], and the ratio with feedforward / of the servo alone.
    """
    positions, figures = position_units(model), {}
    units = {'position': positions, 'effort': model.effort_units}
    for key, (_, unit, *bound) in FIGURES.items():
        value, bounds = float(results[key]), {bound[0]: bound[1]} if bound else {}
        within = value >= bounds.get('at_least', value), value <= bounds.get('at_most', value)
        figures[key] = {
            'value': value,
            'unit': ' or '.join(dict.fromkeys(units.get(unit, [unit]))),
            'passed': math.isfinite(value) and all(within),
            **bounds,
        }
    keys, columns = ('unit', *TAKES, 'ratio'), (positions, *results['rms'], results['ratios'])
    errors = (dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True))
    return {
        'arm': model.name,
        'passed': all(figure['passed'] for figure in figures.values()),
        'figures': figures,
        'rms_error': dict(zip(model.joint_names, errors, strict=True)),
    }


def table(report: Mapping[str, Any]) -> str:
    """The report as text; FAIL marks a bound that does not hold, and what is no number."""
    joints = [('RMS tracking error', 'servo', '+ gravity', '+ feedforward', '', 'ratio')]
    for name, error in report['rms_error'].items():
        takes = (f'{1e3 * error[take]:.3f}' for take in TAKES)
        joints.append((name, *takes, f'm{error["unit"]}', f'x {error["ratio"]:.3f}'))
    figures = [('figure', 'value', 'bound', 'unit', '')]
    for key, one in report['figures'].items():
        ratio = 'x ' * (one['unit'] == 'x')
        bound = ''.join(f'{SIGNS[side]} {ratio}{one[side]:.4g}' for side in SIGNS if side in one)
        mark = ('pass' if bound else '') if one['passed'] else 'FAIL'
        value, unit = f'{ratio}{one["value"]:.4g}', one['unit'].strip('x')
        figures.append((FIGURES[key][0], value, bound, unit, mark))
    return '\n\n'.join((_aligned(joints, '<>>><>'), _aligned(figures, '<>><<'), SAME_URDF))


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> str:
    """Rows as text, each column to its side."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = (zip(row, sides, widths, strict=True) for row in rows)
    lines = ('  '.join(f'{text:{side}{width}}' for text, side, width in row) for row in cells)
    return '\n'.join(f'  {line}'.rstrip() for line in lines)
