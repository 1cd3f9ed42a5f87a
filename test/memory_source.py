"""A recording that is in memory only."""

import numpy as np
from recorded_states import TOPIC

from robot_dynamics_ros.recordings.joint_samples import States
from robot_dynamics_ros.recordings.recording import Recording


class MemorySource:
    """States as the source of a recording."""

    def __init__(self, states):
        self.name, self.recorded = 'memory', states
        self.topics = {TOPIC: len(states)}
        self.descriptions = ()

    def states(self, topic):
        assert topic == TOPIC
        given, shape = self.recorded, self.recorded.positions.shape
        fields = (given.positions, given.velocities, given.efforts)
        values = np.stack([np.full(shape, np.nan) if one is None else one for one in fields])
        return [States(given.names, np.arange(len(given)), given.stamps, values)], 'header'


def in_memory(states, model=None):
    """A recording of states, of a robot."""
    return Recording(MemorySource(states), TOPIC, {}, None, model)
