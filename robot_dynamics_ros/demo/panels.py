"""The panels of the picture."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm

from .figures import Results, unit

GOOD, BAD = '#1a7f4b', '#c0392b'
SERVO, GRAVITY, FEEDFORWARD = '#c0392b', '#e39b2d', '#1a7f4b'
INK = '#333333'
_MANY = 12


def fall_and_hold(axes: Axes, results: Results) -> None:
    """Displacement of each joint: released without torque, and held by gravity compensation."""
    fall, hold = results.fall, results.hold
    colours = _colours(len(results.joints))
    for i, (joint, colour) in enumerate(zip(results.joints, colours, strict=True)):
        label = joint.name if len(results.joints) <= _MANY else None
        axes.plot(fall.times, fall.displacement[:, i], color=colour, lw=1.8, label=label)
    worst = np.abs(hold.displacement).max(axis=0).argmax()
    axes.plot(hold.times, hold.displacement[:, worst], color='black', lw=3.5)
    drift = _drift(hold.largest, _units(results))
    axes.annotate(
        f'held by gravity compensation:\n{drift} in {hold.duration:.2g} s',
        (hold.times[-1], hold.displacement[-1, worst]),
        (0, -10),
        textcoords='offset points',
        ha='right',
        va='top',
        size=10,
        weight='bold',
        bbox={'facecolor': 'white', 'edgecolor': 'none', 'alpha': 0.8, 'pad': 1.5},
    )
    axes.set_title('Released, without and with g(q)')
    axes.set_xlabel('time since the brake was released [s]')
    axes.set_ylabel(f'joint displacement [{_units(results)}]')
    if len(results.joints) <= _MANY:
        legend_above(axes, 'without torque', columns=2)
    else:
        axes.plot([], [], color=colours[0], label='every joint')
        legend_above(axes, 'without torque', columns=1)


def tracking_over_time(axes: Axes, results: Results) -> None:
    """Tracking error of the joint whose torque varies most."""
    i = _shown(results)
    joint = results.joints[i]
    for take, colour, label in (
        (results.servo_only, SERVO, 'servo alone'),
        (results.with_gravity, GRAVITY, 'servo + gravity compensation'),
        (results.with_feedforward, FEEDFORWARD, 'servo + feedforward'),
    ):
        axes.plot(take.times, 1e3 * take.error[:, i], color=colour, lw=1.8, label=label)
    axes.set_title('Tracking error on a fast trajectory')
    axes.set_xlabel('time since the fast trajectory began [s]')
    axes.set_ylabel(f'position - reference [m{unit(joint)}]')
    legend_above(axes, joint.name, columns=1)


def tracking_by_joint(axes: Axes, results: Results) -> None:
    """RMS tracking error of each joint, on a logarithmic axis."""
    rows = results.joint_rows()
    places = np.arange(len(rows))
    errors = [
        (np.array([row.servo_only for row in rows]), SERVO, 'servo alone'),
        (np.array([row.with_gravity for row in rows]), GRAVITY, '+ gravity compensation'),
        (np.array([row.with_feedforward for row in rows]), FEEDFORWARD, '+ feedforward'),
    ]
    for k, (values, colour, label) in enumerate(errors):
        axes.barh(places + 0.27 * (k - 1), 1e3 * values, 0.25, color=colour, label=label)
    for place, row in zip(places, rows, strict=True):
        if len(rows) <= _MANY:
            axes.text(
                1e3 * row.with_feedforward * 1.12,
                place + 0.27,
                f'{1 / row.ratio:.0f} times less' if row.ratio > 0 else '',
                va='center',
                size=10,
                color=FEEDFORWARD,
            )
    axes.set_xscale('log')
    left = 1e3 * min(values[values > 0].min(initial=1.0) for values, _, _ in errors)
    axes.set_xlim(left=left / 5)
    axes.set_yticks(places, [row.name for row in rows])
    axes.invert_yaxis()
    axes.grid(axis='y', visible=False)
    axes.set_title('Tracking error of each joint')
    axes.set_xlabel(f'RMS tracking error, logarithmic [{_units(results, "m")}]')
    axes.legend(loc='upper center', bbox_to_anchor=(0.4, -0.13), ncols=3, columnspacing=1.2)


def torque_and_parts(axes: Axes, results: Results) -> None:
    """The feedforward torque of one joint, and its parts."""
    i = _shown(results)
    joint = results.joints[i]
    parts = results.torques.parts
    inside = results.torques.times >= 0
    times = results.torques.times[inside]
    axes.plot(times, parts['effort'][inside, i], color='black', lw=3, label='commanded')
    for name, colour, label in (
        ('gravity', '#2c6fbb', 'gravity  g(q)'),
        ('coriolis', '#8e44ad', 'Coriolis  C(q, v) v'),
        ('inertial', '#d35400', 'inertia  M(q) a'),
        ('friction', '#7f8c8d', 'friction'),
    ):
        if np.any(parts[name][inside]):
            axes.plot(times, parts[name][inside, i], color=colour, lw=1.8, label=label)
    axes.set_title('Feedforward torque and its parts')
    axes.set_xlabel('time since the fast trajectory began [s]')
    newton = 'N' if joint.kind == 'prismatic' else 'N m'
    axes.set_ylabel(f'feedforward torque [{newton}]')
    legend_above(axes, joint.name, columns=2)


def mass_matrix(axes: Axes, results: Results) -> None:
    """M(q) at the start position, by the service."""
    matrix = results.mass_matrix
    n = len(matrix)
    bound = np.abs(matrix).max()
    norm = SymLogNorm(linthresh=bound / 30, vmin=-bound, vmax=bound)
    axes.imshow(matrix, cmap='RdBu_r', norm=norm, aspect='auto')
    if n <= _MANY:
        for row in range(n):
            for column in range(n):
                dark = abs(norm(matrix[row, column]) - 0.5) > 0.33
                axes.text(
                    column,
                    row,
                    _two_digits(matrix[row, column], bound),
                    ha='center',
                    va='center',
                    size=10 if n <= 6 else 7.5,
                    color='white' if dark else INK,
                )
        axes.set_yticks(range(n), [joint.name for joint in results.joints])
    axes.set_xticks([])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    units = {joint.kind == 'prismatic' for joint in results.joints}
    axes.set_title(
        f'Mass matrix M(q) at the start [{"kg m²" if units == {False} else "SI units"}]'
    )
    errors = results.matrices
    worst = max(errors.mass_error, errors.coriolis_error)
    axes.set_xlabel(
        'by the service; columns in the order of the rows;\n'
        f'M and C agree with Pinocchio to {_power(worst)},\n'
        f'dM/dt - 2C is skew-symmetric to {_power(errors.skewness)}'
    )


def latency(axes: Axes, results: Results) -> None:
    """Histogram of the time from a joint state to its torque."""
    milliseconds = 1e3 * results.timeliness.latency
    p50, p99 = np.percentile(milliseconds, (50, 99))
    edge = max(2.5 * p50, 1.15 * p99)
    axes.hist(np.minimum(milliseconds, edge), bins=np.linspace(0, edge, 60), color='#2c6fbb')
    top = axes.get_ylim()[1]
    # At different heights, as the two may be close to each other.
    for value, label, height in ((p50, 'median', 1.1), (p99, '99 % within', 1.02)):
        axes.axvline(value, color=INK, lw=1.5, ls='--')
        side, shift = ('right', -5) if value > edge / 2 else ('left', 5)
        axes.annotate(
            f'{label}: {value:.2g} ms',
            (value, height * top),
            (shift, 0),
            textcoords='offset points',
            ha=side,
        )
    axes.set_ylim(0, 1.18 * top)
    axes.set_title('Latency from state to torque')
    time = results.timeliness
    axes.set_xlabel(
        'time from a joint state to its torque [ms]\n'
        f'{time.command_rate:.0f} commands a second, {time.lost} of {time.expected} states lost'
    )
    axes.set_ylabel('number of states')


def _shown(results: Results) -> int:
    """The index of the joint whose torque varies most."""
    return int(np.ptp(results.torques.parts['effort'], axis=0).argmax())


def legend_above(axes: Axes, title: str, columns: int, *twins: Axes) -> None:
    """Extend the axes and its twins upwards, and put the legend with a title above the curves."""
    rows = -(-len(axes.get_legend_handles_labels()[0]) // columns) + 1
    for each in (axes, *twins):
        low, high = each.get_ylim()
        each.set_ylim(low, high + 0.09 * rows * (high - low))
    legend = axes.legend(loc='upper right', ncols=columns, title=title)
    legend.set_alignment('left')


def _colours(count: int) -> list[tuple[float, ...]]:
    from matplotlib import colormaps

    return [tuple(colour) for colour in colormaps['viridis'](np.linspace(0.0, 0.9, count))]


def _units(results: Results, prefix: str = '') -> str:
    units = dict.fromkeys(prefix + unit(joint) for joint in results.joints)
    return ' or '.join(units)


def _drift(value: float, units: str) -> str:
    return 'no drift' if value == 0 else f'drift {_power(value)} {units}'


def _two_digits(value: float, whole: float) -> str:
    """A number with two significant digits; rounding errors of the whole are written as 0."""
    if abs(value) < 1e-12 * whole:
        return '0'
    exponent = int(f'{value:.1e}'.partition('e')[2])
    return _power(value, 1) if exponent < -3 else f'{value:.{max(0, 1 - exponent)}f}'


def _power(value: float, decimals: int = 0) -> str:
    if value == 0:
        return '0'
    mantissa, _, exponent = f'{value:.{decimals}e}'.partition('e')
    return f'{mantissa}e{int(exponent)}'
