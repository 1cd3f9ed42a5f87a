"""What a report of an identification says of parameters and recordings, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from robot_dynamics_ros.identification.identification import Identification, ParameterRow
from robot_dynamics_ros.identification.judgement import JudgedRecording

from ..words.numbers_as_text import duration, number, quantity

SAME = 'as described'


def excitation_words(identification: Identification) -> str:
    """How much the motion tells."""
    one = identification
    return (
        f'The data determine {one.rank} of the {one.structural_rank} base parameters of this '
        f'robot; condition number {number(one.condition)}. Estimate: {one.method_words}.'
    )


def parameter_sections(
    identification: Identification,
) -> tuple[tuple[str, str, Sequence[ParameterRow]], ...]:
    """Key, title and rows of each table of parameters."""
    one = identification
    return (
        ('joint-parameters', 'Friction, rotors and offsets', one.joint_rows),
        ('body-parameters', 'Inertial parameters of the bodies', one.body_rows),
        ('base-parameters', 'Base parameters', one.base_rows),
    )


def value_words(row: ParameterRow) -> str:
    """The identified value."""
    same = math.isclose(row.value, row.nominal, rel_tol=1e-9, abs_tol=1e-12)
    return SAME if same else quantity(row.value, row.unit)


def interval_words(row: ParameterRow) -> str:
    """The 95 % interval."""
    if not (math.isfinite(row.low) and math.isfinite(row.high)):
        return 'not determined alone'
    return f'{number(row.low)} to {quantity(row.high, row.unit)}'


def held_out_words(recording: JudgedRecording) -> str:
    """Which part of a recording was held out."""
    if recording.split == math.inf:
        return 'none: all of it is fitted'
    if recording.split == -math.inf:
        return f'all of it, {duration(recording.duration)}'
    return f'from {quantity(recording.split, "s")} on, {duration(recording.duration)}'
