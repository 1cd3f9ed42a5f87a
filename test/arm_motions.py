"""Motions of an arm with known states, whose efforts a law says: no simulation, no recording."""

import numpy as np

from robot_dynamics_ros.recordings import Motion

# A desk arm: yaw, lift and elbow, with a flange.
URDF = """<robot name="desk"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 0.15"/><mass value="2.0"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.004"/></inertial></link>
<link name="fore"><inertial><origin xyz="0.12 0.01 0"/><mass value="1.2"/>
<inertia ixx="0.002" ixy="0" ixz="0" iyy="0.009" iyz="0" izz="0.009"/></inertial></link>
<link name="hand"><inertial><origin xyz="0.1 0 0.02"/><mass value="0.8"/>
<inertia ixx="0.001" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.004"/></inertial></link>
<link name="flange"/>
<joint name="yaw" type="revolute"><parent link="base"/><child link="upper"/>
<origin xyz="0 0 0.1"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="30" velocity="4"/></joint>
<joint name="lift" type="revolute"><parent link="upper"/><child link="fore"/>
<origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
<limit lower="-2.5" upper="2.5" effort="30" velocity="4"/></joint>
<joint name="elbow" type="revolute"><parent link="fore"/><child link="hand"/>
<origin xyz="0.25 0 0"/><axis xyz="0 1 0"/>
<limit lower="-2.5" upper="2.5" effort="20" velocity="4"/></joint>
<joint name="tool" type="fixed"><parent link="hand"/><child link="flange"/>
<origin xyz="0.2 0 0"/></joint></robot>"""
# 30 degrees about y.
TILTED = (4.905, 0.0, -8.4957)
RATE = 100.0


def sines(size, seed, seconds=16.0, rate=RATE):
    """Times (N,), positions, velocities and accelerations (N, n) of sums of sines."""
    random = np.random.default_rng(seed)
    rates, phases = random.uniform(0.6, 3.0, (4, size)), random.uniform(0.0, 6.0, (4, size))
    times = np.arange(round(seconds * rate)) / rate
    angles = times[:, None, None] * rates + phases
    return times, *(
        (0.3 * rates**order * np.sin(angles + order * np.pi / 2.0)).sum(axis=1)
        for order in range(3)
    )


def motion_of(model, seed, efforts, noise=0.02, seconds=16.0):
    """A motion with efforts(q, v, a) (N, n) and white noise [N m]."""
    times, q, v, a = sines(model.size, seed, seconds)
    torque = efforts(q, v, a)
    torque = torque + noise * np.random.default_rng(seed + 1).normal(size=torque.shape)
    return Motion(model.joint_names, times, q, v, a, torque, cutoff=25.0, rate=RATE)
