"""Comparisons made from arrays: an arm whose friction the model does not know."""

from dataclasses import replace
from datetime import datetime, timezone
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
from robot_dynamics_ros.report.provenance import Provenance, SourceFile

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
NO_FRICTION = SimpleNamespace(damping=0.0, friction=0.0)


def samples_of(joints, count, rate, seed=0):
    """Smooth motion; measured effort is that of the model with friction and noise."""
    random = np.random.default_rng(seed)
    n = len(joints)
    t = np.arange(count) / rate
    w = 0.5 + 0.35 * np.arange(n)
    q = np.sin(t[:, None] * w + np.arange(n))
    v = w * np.cos(t[:, None] * w + np.arange(n))
    a = -(w**2) * q
    gravity = 30.0 / (1 + np.arange(n)) * np.sin(q + 0.4)
    coriolis = 0.3 * v * np.roll(v, 1, axis=1)
    inertia = 2.0 / (1 + np.arange(n)) * a
    friction = np.zeros_like(q)
    noise = 0.15 * random.standard_normal(q.shape)
    measured = gravity + coriolis + inertia + COULOMB * np.sign(v) + VISCOUS * v + noise
    begins = np.zeros(count, dtype=bool)
    begins[:1] = True
    return Samples(
        tuple(joints), begins, t, q, v, a, measured, gravity, coriolis, inertia, friction,
    )  # fmt: skip


def arm(joints=3, count=1000, *, description_has_friction=False, **options):
    """Of an arm whose friction the model does not know, or knows in part."""
    samples = samples_of([f'joint_{i}' for i in range(joints)], count, 100.0)
    if description_has_friction:
        samples = replace(samples, friction=0.5 * samples.velocities)
    return comparison_of(samples, **options)


def comparison_of(samples, *, findings=None, robot='arm', file='recording.mcap', rate=100.0):
    """The figures of samples."""
    joints = {}
    for i, name in enumerate(samples.joints):
        measured, residual = samples.measured[:, i], samples.residual[:, i]
        joints[name] = JointComparison(
            unit='N m',
            rms_measured=float(np.sqrt(np.mean(measured**2))),
            rms_residual=float(np.sqrt(np.mean(residual**2))),
            bias=float(np.mean(residual)),
            correlation=0.9,
            shares={'gravity': 0.7, 'inertia': 0.2, 'residual': 0.1},
            friction=FrictionFit(VISCOUS, COULOMB, 0.0),
            rms_after_fit=0.15,
            result='friction',
        )
    if findings is None:
        findings = [
            Finding(
                'friction', samples.joints, COULOMB,
                'The residual is friction that the model does not have: 1.5 N m Coulomb.', 'N m',
            )
        ]  # fmt: skip
    count = len(samples.times)
    return Compared(
        robot, file, '/joint_states', count, count / rate, rate, 10.0, joints=joints,
        findings=findings, drawn=samples, spectrum=spectrum_of(samples, rate),
    )  # fmt: skip


def spectrum_of(samples, rate):
    """A periodogram."""

    def density(values):
        return np.abs(np.fft.rfft(values - values.mean(axis=0), axis=0)) ** 2 / rate / len(values)

    frequencies = np.fft.rfftfreq(len(samples.times), 1.0 / rate)
    return Spectrum(frequencies, density(samples.measured), density(samples.residual))


def identification(names=('one', 'two'), gain=0.2, doubts=()):
    """The report: the residual is `gain` times that of the URDF, and the first joint rests."""
    from robot_dynamics_ros.identification import FrictionCurve, JointValidation, ParameterRow
    from robot_dynamics_ros.identification.identification_report import identification_report
    from robot_dynamics_ros.regression.rows import Rows

    times = np.arange(200) / 20.0
    measured = np.sin(np.outer(times, 1.0 + np.arange(len(names))))
    nothing, every = np.zeros((*measured.shape, 0)), np.ones(measured.shape, bool)
    rows = Rows((), times, nothing, nothing, 0.5 * measured, 0.5 * measured, every, every)
    validation = {
        name: JointValidation(
            'N m', True, 200, 0.7, 0.35, 0.35 * gain, 0.3 * gain, 0.4 * gain, gain, 0.8 * gain,
            1.2 * gain,
        )
        for name in names
    }  # fmt: skip
    row = ParameterRow(f'{names[0]} offset', 'N m', 0.0, 0.5, 0.4, 0.6)
    alone = ParameterRow(f'{names[0]} m', 'kg', 1.0, 1.0, np.nan, np.nan)
    v = np.array([-1.0, 1.0])
    curve = FrictionCurve('N m', 3.0, v, v, v - 0.1, v + 0.1)
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
            validation=validation,
            recorded=SimpleNamespace(whole=rows, parts=[rows]),
            predicted=0.4 * measured,
            robot=SimpleNamespace(
                model=SimpleNamespace(
                    size=len(names), independent_joints=[NO_FRICTION] * len(names)
                )
            ),
            recordings=(Compared(names[0], names[-1], duration=10.0),),
            held_out=(),
        )
    )


def provenance():
    return Provenance(
        (SourceFile('recording.mcap', 123456, 'ab' * 32), SourceFile('arm.urdf', 999, '0f' * 32)),
        {'robot_dynamics_ros': '0.1.0', 'numpy': '2.4.6'},
        'robot_dynamics compare recording.mcap --urdf arm.urdf --report report.html',
        datetime(2026, 11, 22, 10, 0, tzinfo=timezone.utc),
    )
