"""A recording that is in memory only."""

import numpy as np
from recorded_states import TOPIC

from robot_dynamics_ros.recordings.recording import Recording
from robot_dynamics_ros.recordings.sources.source import States

BLOCK = 700


class MemorySource:
    """States as the source of a recording, in blocks."""

    clock = 'log'

    def __init__(self, states):
        self.name, self.recorded = 'memory', states
        self.topics, self.other_topics = {TOPIC: len(states)}, {}
        self.descriptions = ()

    def states(self, topic):
        assert topic == TOPIC
        for start in range(0, len(self.recorded), BLOCK):
            part = self.recorded.part(slice(start, start + BLOCK))
            values = (part.positions, part.velocities, part.efforts)
            numbers = start + np.arange(len(part))
            log_times = np.zeros(len(part), np.int64)
            yield [States(part.names, numbers, log_times, part.stamps, *values)]


def in_memory(states):
    """A recording of states."""
    return Recording(MemorySource(states), TOPIC, {}, None)
