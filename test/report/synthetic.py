"""Results made from arrays: an arm whose friction the model does not know."""

from types import SimpleNamespace

import numpy as np

from robot_dynamics_ros.comparison import (
    Compared,
    Finding,
    FrictionFit,
    JointComparison,
    Samples,
    Spectrum,
)

# They are shown, and do nothing.
NAMES = (
    '</script><script>window.hacked = 1</script>',
    '<img src="http://127.0.0.1/x" onerror="window.hacked = 1">',
    '"><b onmouseover="window.hacked = 1">\'&amp;',
    '<!-- <script> {figures} {{ plotly }} %s $title',
    '$\\frac{1}{0}$ \\u003c',
    'zero\x00 bell\x07 surrogate\ud800 turned\u202e',
    'long_' * 200,
    'κόσμος 関節 🤖',
)
COULOMB, VISCOUS = 1.5, 0.8
COMMAND = ['robot_dynamics', 'compare', 'a bag', '--report', 'report.html']


def samples_of(joints, count, rate, **changes):
    """Smooth motion; measured effort is that of the model with friction and noise."""
    w = 0.5 + 0.35 * np.arange(len(joints))
    t = np.arange(count) / rate
    q = np.sin(t[:, None] * w + np.arange(len(joints)))
    v, a = w * np.cos(t[:, None] * w + np.arange(len(joints))), -(w**2) * q
    gravity, coriolis, inertia = 30.0 * np.sin(q + 0.4), 0.3 * v * np.roll(v, 1, axis=1), 2.0 * a
    friction = COULOMB * np.sign(v) + VISCOUS * v
    noise = 0.15 * np.random.default_rng(0).standard_normal(q.shape)
    arrays = {
        'begins': np.arange(count) == 0, 'times': t, 'positions': q, 'velocities': v,
        'accelerations': a, 'measured': gravity + coriolis + inertia + friction + noise,
        'gravity': gravity, 'coriolis': coriolis, 'inertia': inertia, 'friction': 0.0 * v,
    }  # fmt: skip
    return Samples(tuple(joints), **arrays | changes)


def arm(joints=3, count=1000, **options):
    """A comparison of an arm of some joints."""
    return comparison_of(
        samples_of([f'joint_{i}' for i in range(joints)], count, 100.0), **options
    )


def comparison_of(samples, *, findings=None, robot='arm', file='recording.mcap'):
    """The figures of samples."""
    joints = {
        name: JointComparison(
            unit='N m', rms_measured=20.0, rms_residual=2.0, bias=0.1, correlation=0.9,
            shares={'gravity': 0.7, 'inertia': 0.2, 'residual': 0.1},
            friction=FrictionFit(VISCOUS, COULOMB, 0.0), rms_after_fit=0.15, result='friction',
        )
        for name in samples.joints
    }  # fmt: skip
    if findings is None:
        findings = [Finding('friction', samples.joints, COULOMB, '1.5 N m Coulomb', 'N m')]
    densities = (
        np.abs(np.fft.rfft(one, axis=0)) ** 2 for one in (samples.measured, samples.residual)
    )
    spectrum = Spectrum(np.fft.rfftfreq(len(samples.times), 0.01), *densities)
    return Compared(
        robot, file, '/joint_states', len(samples.times), 10.0, 100.0, 10.0, joints=joints,
        findings=findings, drawn=samples, spectrum=spectrum,
    )  # fmt: skip


def identification(names=('one', 'two'), gain=0.2, doubts=()):
    """The report: the residual is `gain` times that of the URDF, and the first joint rests."""
    from robot_dynamics_ros.identification import FrictionCurve, JointValidation, ParameterRow
    from robot_dynamics_ros.identification.identification_report import identification_report
    from robot_dynamics_ros.regression.rows import Rows

    times = np.arange(200) / 20.0
    measured = np.sin(np.outer(times, 1.0 + np.arange(len(names))))
    nothing, every = np.zeros((*measured.shape, 0)), np.ones(measured.shape, bool)
    rows = Rows((), times, nothing, nothing, 0.5 * measured, 0.5 * measured, every, every)
    figures = 0.7, 0.35, 0.35 * gain, 0.3 * gain, 0.4 * gain, gain, 0.8 * gain, 1.2 * gain
    row = ParameterRow(f'{names[0]} offset', 'N m', 0.0, 0.5, 0.4, 0.6)
    alone = ParameterRow(f'{names[0]} m', 'kg', 1.0, 1.0, np.nan, np.nan)
    v = np.array([-1.0, 1.0])
    curve = FrictionCurve('N m', 3.0, v, v, v - 0.1, v + 0.1)
    joints = [SimpleNamespace(damping=0.0, friction=0.0)] * len(names)
    return identification_report(
        SimpleNamespace(
            name=names[0],
            summary='24 of 25 base parameters',
            doubts=doubts,
            remarks=(),
            findings=[Finding('still', (names[0],), None, 'no motion')],
            parameters=SimpleNamespace(
                joints=(row,), bodies=(alone,), sums=(row,), curves=dict.fromkeys(names, curve)
            ),
            validation={name: JointValidation('N m', True, 200, *figures) for name in names},
            recorded=SimpleNamespace(whole=rows),
            predicted=0.4 * measured,
            robot=SimpleNamespace(model=SimpleNamespace(independent_joints=joints)),
            recordings=(Compared(names[0], names[-1], duration=10.0),),
            held_out=(),
        )
    )
