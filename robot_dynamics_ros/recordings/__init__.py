"""Recordings of joint states: read once, cut into segments, filtered.

>>> recording = Recording.read('bag/', model)
>>> for motion in recording.motions():
...     tau = dynamics.inverse_dynamics(
...         motion.positions, motion.velocities, motion.accelerations
...     )

Modules::

    recording       a recording, from files of any kind
    sources/        formats of files
    joint_columns   states of any order, in one or several messages, to a column for each joint
    joint_names     renaming
    joint_samples   samples of joints
    segments        these cut at gaps and jumps of the clock
    quality         what is wrong with them, counted
    low_pass        the low pass without delay, its derivatives and its cutoff
    motion          segments at equal intervals, filtered, with accelerations
    torque_file     torques of a model along a motion, as CSV or MCAP
"""

from .joint_samples import JointSamples
from .motion import Motion
from .quality import Quality
from .recording import Recording

__all__ = ['JointSamples', 'Motion', 'Quality', 'Recording']
