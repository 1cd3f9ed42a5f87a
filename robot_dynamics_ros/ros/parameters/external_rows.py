"""Parameters of dynamics_node: what external forces are estimated, and which count as contact."""

from __future__ import annotations

from robot_dynamics_ros.control.external_forces.external_settings import ExternalSettings
from robot_dynamics_ros.control.settings import Settings

from .bounds import NOT_NEGATIVE, POSITIVE, Bounds
from .parameter import Parameter

DEFAULT = ExternalSettings()
GUARDS = Settings()
LEARNT = 'Learnt by `~/learn_thresholds` or `robot_dynamics thresholds`.'


def _threshold(
    name: str, what: str, unit: str, empty: str, bounds: Bounds = NOT_NEGATIVE
) -> Parameter:
    """The row of one part of a threshold."""
    return Parameter(
        name,
        'double_array',
        [],
        what,
        LEARNT,
        unit=unit,
        bounds=bounds,
        per_joint=True,
        empty=empty,
        live=True,
    )


def _thresholds(kind: str, band: str) -> tuple[Parameter, ...]:
    """The rows of a band: a constant, and what speed and acceleration add."""
    added = 'no such part'
    return (
        _threshold(
            f'{kind}_threshold',
            f'External torque of each commanded joint {band} that is a {kind}.',
            'N m or N',
            f'no {kind} is detected',
            POSITIVE,
        ),
        _threshold(
            f'{kind}_threshold_velocity',
            f'What the speed of the joint adds to `{kind}_threshold`.',
            'N m s/rad or N s/m',
            added,
        ),
        _threshold(
            f'{kind}_threshold_acceleration',
            f'What the acceleration of the joint adds to `{kind}_threshold`.',
            'kg m^2 or kg',
            added,
        ),
    )


EXTERNAL_ROWS = (
    Parameter(
        'external_observer',
        'bool',
        DEFAULT.external_observer,
        'Whether the torques of external forces are estimated.',
        'The joint states must contain velocities, and efforts or see `external_from`.',
        live=True,
    ),
    Parameter(
        'external_from',
        'string',
        DEFAULT.external_from,
        'Torques of the drives that the estimate uses.',
        choices={
            'measured': 'efforts of the joint states, in N m and N, with gravity',
            'commanded': '`~/commands`, where efforts are not measured; `terms` must contain '
            'gravity, and the drives must apply the commands; nothing is estimated while they '
            'begin or end',
        },
        live=True,
    ),
    Parameter(
        'external_bandwidth',
        'double_array',
        list(DEFAULT.external_bandwidth),
        'Bandwidth f of the estimate of each commanded joint.',
        'The estimate follows the external torque with the time constant 1 / (2 pi f). A larger '
        'bandwidth passes on more noise of velocities and efforts.',
        unit='Hz',
        bounds=POSITIVE,
        per_joint=True,
        live=True,
    ),
    Parameter(
        'external_frame',
        'string',
        DEFAULT.external_frame,
        'Link at whose origin and in whose axes `~/external_wrench` is given; a commanded joint '
        'must move it.',
        empty='link at the tip of `joints`',
        live=True,
    ),
    *_thresholds('collision', 'above `contact_cutoff`'),
    *_thresholds('push', 'below `contact_cutoff`'),
    Parameter(
        'threshold_margin',
        'double',
        DEFAULT.threshold_margin,
        'Factor of the thresholds that `~/learn_thresholds` learns, for motion unlike that which '
        'it learns from.',
        'As `--margin` of `robot_dynamics thresholds`. A change takes effect when thresholds are '
        'learned next.',
        bounds=Bounds(1.0, 100.0),
        live=True,
    ),
    Parameter(
        'contact_cutoff',
        'double',
        DEFAULT.contact_cutoff,
        'Frequency that separates collisions (above) from pushes (below).',
        'Thresholds are learnt for one cutoff: learn them again after a change.',
        unit='Hz',
        # Collisions are detected after 1 / f: after 10 s at the lowest.
        bounds=Bounds(0.1),
        live=True,
    ),
    Parameter(
        'on_collision',
        'string',
        GUARDS.on_collision,
        'Reaction to a collision; until `~/enable` is called.',
        choices={
            'report': '`~/contact` alone; the commands go on',
            'hold': 'the reference is dropped: gravity compensation at the measured positions, '
            'which holds no position',
            'zero': 'the reference is dropped: zero torque',
            'stop': 'the last command as `on_stop` says, then nothing',
        },
        live=True,
    ),
)
