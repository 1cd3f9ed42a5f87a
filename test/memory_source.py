"""A recording that is in memory only."""

import numpy as np
from recorded_states import TOPIC

from robot_dynamics_ros.recordings.recording import Recording
from robot_dynamics_ros.recordings.sources.source import StateBlock, StateRows

BLOCK = 700


class MemorySource:
    """States as the source of a recording, in blocks."""

    def __init__(self, states):
        self.name, self.states = 'memory', states
        self.topics, self.other_topics = {TOPIC: len(states)}, {}
        self.descriptions = ()

    def blocks(self, topic):
        assert topic == TOPIC
        for start in range(0, len(self.states), BLOCK):
            part = self.states.part(slice(start, start + BLOCK))
            values = (part.positions, part.velocities, part.efforts)
            rows = StateRows(np.arange(len(part)), part.names, part.stamps, *values)
            yield StateBlock(np.zeros(len(part), np.int64), [rows])


def in_memory(states):
    """A recording of states."""
    return Recording(MemorySource(states), TOPIC, {}, None)
