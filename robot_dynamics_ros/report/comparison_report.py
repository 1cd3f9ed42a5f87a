"""The report of a comparison: measured efforts, torques of the model, and their difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from robot_dynamics_ros.comparison import Compared, JointComparison, Samples
from robot_dynamics_ros.comparison.compared import TERMS

from .figures import MAX_STRETCHES, Figure, Panel, curve, stacked
from .report import MARKS, JointReport, Report, Table, joint_level, recordings_table, shown
from .text import number, quantity

COLUMNS = ('measured RMS', 'residual RMS', 'after the fit', 'residual / measured')
HINT = (
    'Residual: measured effort minus torque of the model. After the fit: with friction, offset '
    'and what the findings name. ✓ no finding; ○ samples were left out; ● a finding; ▲ more than '
    'half of the effort is residual, or no parameter can be trusted.'
)
FRICTION = 'A step at zero velocity is Coulomb friction, a slope viscous friction.'
MASS = 'A curve like a sine is a wrong mass or centre of mass, or a missing payload.'


def comparison_report(compared: Sequence[Compared]) -> Report:
    """What a page shows of recordings: with plots where it is one."""
    used, several = [one for one in compared if not one.error], len(compared) > 1
    joints = [[_joint(one, name) for name in one.joints] for one in used]
    names = dict.fromkeys(joint.name for own in joints for joint in own)
    rows = []
    for one, own in zip(used, joints, strict=True):
        results = {joint.name: f'{MARKS[joint.level]} {joint.result}' for joint in own}
        rows.append((one.file, *(results.get(name, '') for name in names)))
    return Report(
        robot=used[0].robot if used else '',
        title='measured torque and model',
        headline=_headline(used),
        findings=shown(
            replace(one, message=f'{each.file}: {one.message}') if several else one
            for each in used
            for one in each.findings
        ),
        joints=[] if several else [joint for own in joints for joint in own],
        columns=COLUMNS,
        hint=HINT,
        errors=[one.error for one in compared if one.error],
        tables=[
            *([Table('Joints', ('recording', *names), rows)] if several else []),
            recordings_table(compared),
        ],
    )


def _headline(used: Sequence[Compared]) -> str:
    """Range of the residuals, and codes of the findings."""
    ratios = (one.relative_residual for each in used for one in each.joints.values())
    known = sorted(100.0 * one for one in ratios if math.isfinite(one))
    ends = f'{number(known[0])} to {quantity(known[-1], "%")}' if known else '-'
    codes = dict.fromkeys(one.code.replace('_', ' ') for each in used for one in each.findings)
    return f'Residual: {ends} of the measured effort; {", ".join(codes) or "no finding"}'


def _joint(compared: Compared, name: str) -> JointReport:
    one = compared.joints[name]
    values, ratio = (one.rms_measured, one.rms_residual, one.rms_after_fit), one.relative_residual
    level = joint_level(
        name, compared.findings, bad=not one.is_explained, good=math.isfinite(ratio)
    )
    cells = (*(quantity(value, one.unit) for value in values), quantity(100.0 * ratio, '%'))
    figures = _figures(one, compared.drawn, name) if compared.drawn else []
    return JointReport(name, level, one.result, cells, figures)


def _figures(joint: JointComparison, samples: Samples, name: str) -> list[Figure]:
    """Efforts over time, and the residual over velocity and position."""
    unit, length = joint.unit, 'm' if joint.unit == 'N' else 'rad'
    column, gaps = samples.joints.index(name), np.flatnonzero(samples.begins[1:]) + 1
    names = ('positions', 'velocities', 'measured', 'model', 'residual', *TERMS)
    own = {each: getattr(samples, each)[:, column] for each in names}
    q, v, residual = (own[each] for each in ('positions', 'velocities', 'residual'))
    few, order = slice(None, None, math.ceil(len(v) / MAX_STRETCHES) or 1), np.argsort(v)
    over_v, remark = curve('samples', v[few], residual[few]), ''
    if fit := joint.friction:
        # The residual does not hold the friction of the URDF.
        law = fit.viscous * v + fit.coulomb * np.sign(v) + fit.offset - own['friction']
        law[np.isnan(residual)] = np.nan
        over_v += curve('fitted friction', v[order], law[order])
        viscous = quantity(fit.viscous, f'{unit} s/{length}')
        coulomb, offset = quantity(fit.coulomb, unit), quantity(fit.offset, unit)
        remark = f'Fitted: viscous {viscous}, Coulomb {coulomb}, offset {offset}.'
    parts = (f'{term.capitalize()} {quantity(100.0 * x, "%")}' for term, x in joint.shares.items())
    rms, mean = quantity(joint.rms_residual, unit), quantity(joint.bias, unit)
    panels = [
        Panel(title, unit, [c for n in shown for c in curve(n, samples.times, own[n], gaps)], said)
        for title, shown, said in (
            ('effort', ('measured', 'model'), f'Correlation {number(joint.correlation)}.'),
            ('residual', ('residual',), f'RMS {rms}, mean {mean}.'),
            ('model terms', TERMS, f'Of the sum of squares: {", ".join(parts)}.'),
        )
    ]
    panel = Panel('residual', unit, over_v, remark)
    over_q = Panel('residual', unit, curve('samples', q[few], residual[few]))
    return [
        *stacked('Effort over time', 'time [s]', panels),
        *stacked('Residual over velocity', f'velocity [{length}/s]', [panel], FRICTION),
        *stacked('Residual over position', f'position [{length}]', [over_q], MASS),
    ]
