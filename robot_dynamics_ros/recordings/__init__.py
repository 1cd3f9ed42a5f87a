"""Recordings of joint states: read, cut into segments, filtered.

>>> recording = Recording.read('bag/', model)
>>> for motion in recording.motions():
...     tau = dynamics.inverse_dynamics(
...         motion.positions, motion.velocities, motion.accelerations
...     )

Modules::

    recording       a recording, from files of any kind
    sources/        formats of files
    first_states    names, clock and interval, from the first states
    joint_columns   states of any order, in one or several messages, to a column for each joint
    joint_names     renaming
    joint_samples   samples of joints
    segments        these cut at gaps and jumps of the clock
    quality         what is wrong with them, counted
    implausible_efforts  efforts that are too large to be meant
    low_pass        the low pass without delay, its derivatives and its cutoff
    uniform_grid    samples at equal intervals
    motion          segments, filtered, with accelerations
    live_motion     the same of states that are still coming
    torque_samples  torques of a model along a motion
    torque_file     these as CSV or Parquet
    torque_mcap     these as MCAP, with the recorded states
"""

from .joint_samples import JointSamples
from .live_motion import LiveMotion
from .motion import Motion
from .quality import Quality
from .recording import Recording

__all__ = ['JointSamples', 'LiveMotion', 'Motion', 'Quality', 'Recording']
