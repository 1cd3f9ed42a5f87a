"""Recordings of joint states: read, cut into segments, filtered.

>>> with open_recording([Path('bag')]) as recording:
...     for motion in motions(recording):
...         tau = dynamics.inverse_dynamics(
...             motion.positions, motion.velocities, motion.accelerations
...         )

Modules::

    recording       a recording, from files of any kind
    joint_samples   consecutive samples
    quality         what is wrong with them, counted
    implausible_efforts  efforts that are too large to be meant
    sample_segments cut at gaps and jumps of the clock
    motion          filtered, with accelerations
    live_motion     the same of states that are still coming
    first_states    names, clock and interval, from the first states
    merged_messages joints that come in several messages
    state_columns   states to one column for each wanted joint
    joint_names     renaming
    topic_choice    which topic is read
    extra           libraries that an installation may lack
    filtering/      the low pass without delay, its derivatives and its cutoff
    sources/        formats of files
"""

from .joint_samples import JointSamples
from .live_motion import LiveMotion
from .motion import Motion, motions, usual_cutoff
from .quality import Quality
from .recording import Recording, open_recording
from .sample_segments import segments

__all__ = [
    'JointSamples',
    'LiveMotion',
    'Motion',
    'Quality',
    'Recording',
    'motions',
    'open_recording',
    'segments',
    'usual_cutoff',
]
