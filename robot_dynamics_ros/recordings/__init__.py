"""Recordings of joint states: read once, cut into segments, filtered.

>>> recording = Recording.read('bag/', model)
>>> for motion in recording.motions():
...     tau = dynamics.inverse_dynamics(
...         motion.positions, motion.velocities, motion.accelerations
...     )
"""

from .joint_samples import JointSamples
from .motion import Motion
from .quality import Quality
from .recording import Recording

__all__ = ['JointSamples', 'Motion', 'Quality', 'Recording']
