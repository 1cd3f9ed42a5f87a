"""Torques from arrays, as equations give them."""

import numpy as np

from robot_dynamics_ros.identification.judgement.torques import Torques

CUTOFF, RATE = 10.0, 20.0


def torques(times, measured, *, identified=None, nominal=None, begins=True):
    """Torques (N, n); what is not given is zero."""
    zeros = np.zeros_like(measured)
    return Torques(
        times,
        zeros,
        measured,
        zeros if nominal is None else nominal,
        zeros if identified is None else identified,
        begins,
    )
