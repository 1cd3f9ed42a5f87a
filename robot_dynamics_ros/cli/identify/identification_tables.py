"""An identification as text for a terminal."""

from __future__ import annotations

import math

from robot_dynamics_ros.identification.identification import Identification, ParameterRow
from robot_dynamics_ros.identification.judgement import Judgement

from ..output import Output
from ..tables import FittedTable

# Of joints, in a table of their parameters.
JOINT_TABLE = 'friction, rotor and offset; 95 % interval'


def show(identification: Identification, output: Output) -> None:
    """Print an identification.

    Args:
        identification: to print.
        output: of the subcommand.
    """
    judgement = identification.judgement
    output.line(summary(identification))
    output.show('', judgement_table(judgement), '', JOINT_TABLE)
    output.show(parameter_table(identification.joint_rows), '')
    for text in identification.undetermined:
        output.line(f'prior: {text}')
    for text in identification.remarks:
        output.line(text)
    for finding in judgement.findings:
        output.line(f'{finding.code}: {finding.message}')
    for sentence in judgement.verdict:
        output.line(sentence)


def summary(identification: Identification) -> str:
    """What was identified, in one line."""
    judgement = identification.judgement
    used = [one for one in judgement.recordings if not one.error]
    samples = sum(one.samples for one in used)
    what = '1 recording' if len(used) == 1 else f'{len(used)} recordings'
    filtered = ', '.join(sorted({f'{one.cutoff:.3g} Hz' for one in used}))
    return (
        f'{judgement.robot}: {what}, {samples} samples, low pass {filtered}; '
        f'{identification.rank} of {identification.structural_rank} base parameters, condition '
        f'{identification.condition:.3g}, estimate: {identification.method_words}'
    )


def judgement_table(judgement: Judgement) -> FittedTable:
    """Residuals of URDF and identified model on the held-out part."""
    table = FittedTable(
        'joint', 'measured RMS', 'residual: URDF', 'identified', 'ratio', 'residual is'
    )
    for name, joint in judgement.joints.items():
        table.add_row(
            name,
            _number(joint.rms_measured, 4, joint.unit),
            _number(joint.rms_nominal, 3, joint.unit),
            _number(joint.rms_identified, 3, joint.unit),
            f'{round(100.0 * joint.gain)} %' if math.isfinite(joint.gain) else '-',
            _left(joint.is_noise, joint.repeated),
        )
    return table


def parameter_table(rows: tuple[ParameterRow, ...]) -> FittedTable:
    """Parameters with intervals, nominal values beside."""
    table = FittedTable('parameter', 'URDF', 'identified', '95 % from', 'to', 'unit')
    for row in rows:
        values = (row.nominal, row.value, row.low, row.high)
        table.add_row(row.name, *(_number(value, 4) for value in values), row.unit)
    return table


def _left(is_noise: bool | None, repeated: float) -> str:
    if is_noise is None:
        return 'not known' if math.isfinite(repeated) else '-'
    if is_noise:
        return 'noise'
    return f'{round(100.0 * repeated)} % repeats' if math.isfinite(repeated) else '-'


def _number(value: float, digits: int, unit: str = '') -> str:
    return f'{value:.{digits}g} {unit}'.rstrip() if math.isfinite(value) else '-'
