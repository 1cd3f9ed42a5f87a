"""Torques from arrays, as equations give them."""

import numpy as np

from robot_dynamics_ros.identification.held_out import Torques
from robot_dynamics_ros.recordings.low_pass import kernels

CUTOFF, RATE = 10.0, 20.0
# Rate of the noise before it is filtered [Hz].
RAW = 200.0


def filtered_noise(random, count, columns):
    """White noise (N, n) that has passed the low pass of recordings, at RATE, of deviation 1."""
    step = round(RAW / RATE)
    value = kernels(CUTOFF, RAW)[0]
    raw = random.normal(size=(step * count + len(value), columns))
    passed = np.stack([np.convolve(one, value, mode='valid') for one in raw.T], axis=1)
    noise = passed[: step * count : step]
    return noise / noise.std(axis=0)


def torques(
    times, measured, *, identified=None, nominal=None, rests=False, held_out=False, file='bag'
):
    """Torques (N, n) of joints that move at 1 rad/s; what is not given is zero.

    `rests` (N, n) says where they rest, `held_out` (N,) what was not fitted."""
    zeros = np.zeros_like(measured)
    held = np.broadcast_to(held_out, times.shape)
    begins = np.diff(held, prepend=False)
    begins[0] = True
    return Torques(
        file, times, begins, held, zeros + 1.0, measured,
        zeros if nominal is None else nominal,
        zeros if identified is None else identified,
        np.broadcast_to(rests, measured.shape), 1.0 / RATE,
    )  # fmt: skip
